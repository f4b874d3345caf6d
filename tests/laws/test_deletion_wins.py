"""What was forgotten, dismissed or purged does not come back: not with an old file, not with a stale machine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Status
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.model.memory import fold_memories
from tacit.model.statement import claim_from
from tacit.purge.tombstones import Tombstones
from tests.laws import deletion
from tests.laws.deletion import Story, carried_out, stories
from tests.laws.strategies import STATEMENTS, after, law, moved_after, quick_law


@law
@given(stories)
def test_old_copies_of_lines_bring_nothing_back(story: Story) -> None:
    deletion.old_copies_change_nothing(story)


@law
@given(stories)
def test_a_machine_that_knows_nothing_of_a_purge_brings_nothing_back(story: Story) -> None:
    deletion.stale_hosts_bring_nothing_back(story)


@law
@given(stories)
def test_a_purge_changes_nothing_that_is_not_meant_and_twice_is_once(story: Story) -> None:
    deletion.what_is_not_meant_stays(story)


@law
@given(stories, st.sampled_from(STATEMENTS), st.sampled_from((Verdict.RETIRED, Verdict.DISMISSED)))
def test_what_a_person_forgot_or_dismissed_stays_so_whatever_others_replay(
    story: Story, statement: str, verdict: Verdict
) -> None:
    deletion.settled_by_a_person_stays_settled(story, claim_from(statement, GLOBAL), verdict)


@quick_law
@given(stories)
def test_a_person_may_say_it_anew(story: Story) -> None:
    done = carried_out(story)
    claim = claim_from("the pnpm cache of the build", GLOBAL)
    anew = after([*story.log, done.stone], ClaimProposed(claim, Verdict.ADDED, "user_direct"))
    assert done.stones.apply(anew) is anew
    assert done.stones.apply_fully(anew) is anew
    assert fold_memories([*map(done.stones.apply, story.log), anew])[claim.id].status is Status.ACTIVE


@quick_law
@given(stories, stories)
def test_two_purges_of_one_log_are_both_kept(one: Story, other: Story) -> None:
    first = carried_out(one)
    second = carried_out(other._replace(log=first.log))
    later = moved_after([first.stone], [second.stone])[0]
    stones = Tombstones([first.stone, later])
    assert [stones.apply(event) for event in one.log] == second.log
    assert [stones.apply(event) for event in second.log] == second.log


def test_a_tombstone_that_forgot_the_prints_would_let_it_come_back() -> None:
    """These laws can fail: without its prints a tombstone keeps no text out of evidence."""
    claim = claim_from("use tabs", GLOBAL)
    log: list[Event] = [after([], ClaimProposed(claim, Verdict.ADDED, "user_direct", "said in a test"))]
    done = carried_out(deletion.text_story(log, "a test", [], []))
    assert done.log[0] != log[0]
    blind = done.stone._replace(body=done.stone.body._replace(prints=()))  # type: ignore[call-arg]
    assert Tombstones([blind]).apply(log[0]) == log[0]
