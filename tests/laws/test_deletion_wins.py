"""What was forgotten, dismissed or purged does not come back: not with an old file, not with a stale machine."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tacit.index.compare import dump_rows
from tacit.model.claim import GLOBAL, Claim, Status
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.memory import fold_memories, touched_claims
from tacit.model.observation import BriefInjected, MemoryChecked, PurgedStub, TrialChecked, TrialEnded, TrialStarted
from tacit.model.statement import claim_from
from tacit.purge.remains import purge_event
from tacit.purge.tombstones import Tombstones
from tests.laws.deletion import Story, carried_out, stories, text_story
from tests.laws.filing import filed, indexed
from tests.laws.strategies import STATEMENTS, after, law, moved_after, quick_law

claims_of_statements = st.sampled_from(STATEMENTS).map(lambda text: claim_from(text, GLOBAL))


@law
@given(stories)
def test_old_copies_of_lines_bring_nothing_back(story: Story) -> None:
    """Old lines beside new ones, in any order and more than once: the index is that of the purged log alone."""
    after = carried_out(story)
    mixed = [*story.log, *after.log]
    extra = [mixed[at % len(mixed)] for at in story.order] if mixed else []
    met = [after.stones.apply(event) for event in _shuffled([*mixed, *extra], story.order)]
    # The same event may stand in several lines; which of them an index quotes is of no interest.
    assert _answers(met) == _answers(after.log)
    assert fold_memories(met) == fold_memories(after.log)
    assert not set(fold_memories(met)) & after.cut.claims
    if after.cut.everywhere:
        index = indexed(filed(met))
        for columns in ("text, extra FROM documents", "title FROM pages", "sentence, tags FROM memories"):
            rows = index.execute(f"SELECT {columns}")
            assert not any(after.cut.texts.contains(text) for row in rows for text in row)


@law
@given(stories)
def test_a_machine_that_knows_nothing_of_a_purge_brings_nothing_back(story: Story) -> None:
    """What another machine says, before or after the purge, comes in without what was purged here."""
    after = carried_out(story)
    heard = [left for event in [*story.log, *story.stale] if (left := after.stones.filter_import(event)) is not None]
    assert not {claim for event in heard for claim in touched_claims(event)} & after.cut.claims
    if after.cut.everywhere:
        assert not any(after.cut.texts.contains(_words_of(event)) for event in heard)
    assert all(after.stones.filter_import(event) == event for event in heard)
    assert not any(after.stones.rejects(event) for event in after.log if not isinstance(event.body, PurgedStub))


def _words_of(event: Event) -> str:
    """The words of an event, without ids: they are letters by chance."""
    match event.body:
        case EventsUndone(label=label):
            return label
        case BriefInjected(task=task):
            return task
        case MemoryChecked() | TrialStarted() | TrialEnded() | TrialChecked():
            return ""
    return repr(event.body)


@law
@given(stories)
def test_a_purge_changes_nothing_that_is_not_meant_and_twice_is_once(story: Story) -> None:
    """An event that holds nothing of it is the same; purging twice is purging once."""
    after = carried_out(story)
    for old, new in zip(story.log, after.log, strict=True):
        assert purge_event(new, after.cut) is new
        assert after.stones.apply(old) == new
        assert (old.id, old.op) == (new.id, new.op)
        assert (old.origin.at, old.origin.provenance) == (new.origin.at, new.origin.provenance)


@law
@given(stories, claims_of_statements, st.sampled_from((Verdict.RETIRED, Verdict.DISMISSED)))
def test_what_was_forgotten_or_dismissed_stays_so_whatever_others_replay(
    story: Story, claim: Claim, verdict: Verdict
) -> None:
    """Forgotten or dismissed by a person: earlier lines that come late, and later ones of others, change nothing."""
    said = [after([], ClaimProposed(claim, Verdict.ADDED, "user_direct"))]
    log = [event for event in story.log if event.id != said[0].id]  # an id names one event
    said.append(after([*said, *log, *story.stale], ClaimDecided(claim, verdict)))
    met = [*said, *log, *moved_after(said, [event for event in story.stale if not event.is_by_user])]
    memory = fold_memories(_shuffled(met, story.order))[claim.id]
    assert not memory.is_live
    assert memory == fold_memories(met)[claim.id]


def _answers(events: Sequence[Event]) -> list[tuple[str, object]]:
    """Every derived row but the lines themselves and where they stand."""
    rows = dump_rows(indexed(filed(events)), answers_only=True)
    return [row for row in rows if row[0] not in ("events", "session_events")]


def _shuffled(events: Sequence[Event], order: Sequence[int]) -> list[Event]:
    left, mixed = list(events), []
    for at in order:
        if left:
            mixed.append(left.pop(at % len(left)))
    return mixed + left[::-1]


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
    done = carried_out(text_story(log, "a test", [], []))
    assert done.log[0] != log[0]
    blind = done.stone._replace(body=done.stone.body._replace(prints=()))  # type: ignore[call-arg]
    assert Tombstones([blind]).apply(log[0]) == log[0]
