"""The digest of the last days: what counts, from when on, and which memory is named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from harness.example_home import END, make_example_home
from harness.person import Person
from harness.transcripts import name_of

from tacit.errors import UsageError
from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import MemoryChecked, session_id
from tacit.vault.timeline import Timeline
from tacit.vault.week import WeekDigest
from tests.support.hook_session import Sitting
from tests.support.talking import capture

RULE, OTHER = "never force push to main", "use pnpm instead of npm"


def digest(person: Person, since: str | None = None) -> WeekDigest:
    with person.vault() as vault:
        return vault.digests.digest(since)


def check(person: Person, text: str, session: str | int, result: str) -> None:
    """Record what a check of a session found about a memory."""
    with person.vault() as vault, vault.home.store.change() as change:
        claim, name = ClaimId(person.id_of(text)), session_id("claude", name_of(session))
        change.record([Draft(MemoryChecked(claim, name, result), vault.home.store.scope())])


def named(found: WeekDigest) -> Sequence[tuple[int, str]]:
    highlights = (found.learned, found.followed, found.violated, found.stopped, found.forgotten)
    return [(one.number, one.memory.sentence if one.memory else "") for one in highlights]


def test_what_is_accepted_today_was_learned_although_it_was_suggested_long_ago(person: Person) -> None:
    then = person.now
    person.tacit("note", OTHER)
    person.tacit("note", "never rename the otter")
    person.now = (datetime.fromisoformat(then) + timedelta(days=30)).isoformat()
    assert named(digest(person))[0] == (0, "")
    person.tacit("note", "never rename the otter", "--evidence", "it was said again")
    person.tacit("accept", person.id_of(OTHER))
    found = digest(person)
    assert named(found)[0] == (1, OTHER)
    assert (found.status.pending, found.new_pending) == (1, 0)
    person.tacit("undo")
    assert named(digest(person))[0] == (0, "")


def test_what_is_new_and_holds_was_learned_and_what_is_forgotten_was_not(person: Person) -> None:
    person.tacit("add", RULE)
    person.tacit("add", OTHER)
    person.tacit("forget", OTHER)
    person.tacit("note", "never rename the otter")
    found = digest(person)
    assert named(found) == [(1, RULE), (0, ""), (0, ""), (0, ""), (1, OTHER)]
    assert (found.status.pending, found.new_pending) == (1, 1)


def test_a_memory_that_was_reworded_is_not_forgotten(person: Person) -> None:
    person.tacit("add", RULE)
    person.tacit("edit", person.id_of(RULE), "--text", "never force push to the main branch of the shop")
    found = digest(person)
    assert found.forgotten.number == 0
    assert named(found)[0] == (1, "never force push to the main branch of the shop")


def test_a_session_counts_when_it_ended_however_late_it_is_checked(person: Person) -> None:
    person.tacit("add", RULE)
    person.repository("work")
    person.now = "2026-03-25T12:00:00+00:00"
    for day in (5, 23):
        capture(person, person.folder / "work", day, "rename the otter")
        check(person, RULE, day, "violated")
    assert digest(person).recent.violated == person_status(person) == 1
    assert digest(person, "30d").recent.violated == 2


def person_status(person: Person) -> int:
    with person.vault() as vault:
        return vault.status().week.violated


def test_the_memory_that_was_violated_most_is_named(person: Person) -> None:
    person.tacit("add", RULE)
    person.tacit("add", OTHER)
    for text, session, result in (
        (RULE, "one", "violated"),
        (OTHER, "one", "violated"),
        (OTHER, "two", "violated"),
        (RULE, "three", "followed"),
        (RULE, "four", "stopped"),
    ):
        check(person, text, session, result)
    assert named(digest(person))[1:4] == [(1, RULE), (3, OTHER), (1, RULE)]


def test_what_agents_were_told_is_what_injected_lists(person: Person) -> None:
    person.tacit("add", RULE)
    for name in ("one", "two"):
        Sitting(person, name_of(name), person.folder).ask("may I force push to main?")
    with person.vault() as vault:
        records = vault.sessions.injected()
        found = vault.digests.digest()
        week = Timeline(vault.home).weeks(1)[-1]
    assert (found.recent.injected, found.recent.tokens) == (2, sum(record.body.tokens for record in records))
    assert (week.injected, week.tokens) == (found.recent.injected, found.recent.tokens)


def test_the_weeks_of_the_page_add_up_to_the_digest_of_the_same_time(person: Person) -> None:
    example = make_example_home(person.folder)
    with example.vault(END) as vault:
        weeks = Timeline(vault.home).weeks(4)
        since = vault.digests.digest(weeks[0].monday.isoformat())
        assert since.recent.violated == sum(week.violated for week in weeks) > 0
        assert since.recent.followed == sum(week.followed for week in weeks) > 0
        assert since.recent.tokens == sum(week.tokens for week in weeks) > 0


def test_an_empty_home_has_an_empty_digest_until_something_waits(person: Person) -> None:
    assert digest(person).is_empty
    person.tacit("note", OTHER)
    assert not digest(person).is_empty


def test_what_is_no_time_is_refused(person: Person) -> None:
    with pytest.raises(UsageError, match="not a time"):
        digest(person, "foo")
