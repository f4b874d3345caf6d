"""Trust in a fact file: who gives it, what ends it, and what is undone with it."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.model.claim import Status
from tacit.model.event import POLICY, USER, ClaimProposed, Draft, Event, EventsUndone, Verdict
from tacit.model.memory import fold_memories
from tacit.model.observation import RepositoryDistrusted, RepositoryTrusted, TrustedLine
from tacit.model.trust import (
    REPOSITORY_ATTRIBUTION,
    FactFile,
    FactFileLine,
    FactFileTrust,
    current_trust,
    distrust_drafts,
    trust_drafts,
    trust_problem,
)
from tests.support.events import event, numbered, says

PATH = "/srv/shop/docs/memory/memories.ndjson"
PNPM, TABS = says("use pnpm"), says("use tabs")
LINES = (FactFileLine(1, "aa", PNPM), FactFileLine(2, "bb", TABS))
FILE = FactFile(PATH, owner=1000, writers=0b010, lines=LINES)
TRUSTED = RepositoryTrusted(PATH, 1000, 0b010, (TrustedLine(PNPM.id, "aa"), TrustedLine(TABS.id, "bb")))


def accepted(number: int, drafts: Iterable[Draft]) -> list[Event]:
    """Return the events of one operation of the person, from this number on."""
    return [
        event(at, draft.body, draft.attribution.actor if draft.attribution else USER)._replace(op=numbered(number))
        for at, draft in enumerate(drafts, number)
    ]


def trusted_in(events: list[Event]) -> FactFileTrust | None:
    return current_trust(events).get(PATH)


def test_another_owner_or_more_writers_end_the_trust_and_fewer_writers_do_not() -> None:
    assert trust_problem(TRUSTED, owner=0, writers=0b010) == "the file belongs to another user now"
    assert trust_problem(TRUSTED, owner=1000, writers=0b110) == "more people can write the file now"
    assert trust_problem(TRUSTED, owner=1000, writers=0) == trust_problem(TRUSTED, owner=1000, writers=0b010) == ""


def test_only_a_person_gives_trust_and_an_undone_event_gives_none() -> None:
    given = event(1, TRUSTED)
    assert trusted_in([given]) == FactFileTrust(TRUSTED, given, (given.op,))
    assert trusted_in([event(1, TRUSTED, POLICY)]) is None
    assert trusted_in([given, event(2, EventsUndone((given.id,), ()))]) is None


def test_the_end_of_trust_undone_is_trust_again_and_given_anew_it_begins_anew() -> None:
    given, ended = event(1, TRUSTED), event(2, RepositoryDistrusted(PATH, "changed"))
    undone, anew = event(3, EventsUndone((ended.id,), ())), event(4, TRUSTED)

    assert trusted_in([given, ended]) is None
    assert trusted_in([given, ended, undone]) == trusted_in([given])
    again = trusted_in([given, ended, anew])
    assert again is not None and again.operations == (anew.op,)


def test_lines_accepted_later_are_added_to_those_accepted_before() -> None:
    before = TRUSTED._replace(lines=TRUSTED.lines[:1])
    unreadable = FactFileLine(3, "cc", None, "not a fact that can be read")

    first, *proposals = trust_drafts(FILE, [LINES[1], unreadable], before, "memories.ndjson of the repository", {})

    assert first.body == TRUSTED
    assert [draft.body for draft in proposals] == [
        ClaimProposed(TABS, Verdict.ADDED, "repository", "memories.ndjson of the repository")
    ]
    assert {draft.attribution for draft in proposals} == {REPOSITORY_ATTRIBUTION}


def test_the_end_of_trust_takes_back_what_every_operation_accepted() -> None:
    numbers = {1: LINES[0], 3: LINES[1]}
    operations = {
        numbered(number): accepted(number, trust_drafts(FILE, [line], None, "file", {}))
        for number, line in numbers.items()
    }
    log = [*operations[numbered(1)], *operations[numbered(3)]]
    trust = trusted_in(log)
    assert trust is not None and trust.operations == (numbered(1), numbered(3))

    ended = [event(at, draft.body, POLICY) for at, draft in enumerate(distrust_drafts(trust, operations, "changed"), 5)]

    assert [body for body in (one.body for one in ended) if isinstance(body, RepositoryDistrusted)] == [
        RepositoryDistrusted(PATH, "changed")
    ]
    assert fold_memories([*log, *ended]) == {}
    assert trusted_in([*log, *ended]) is None


def test_a_memory_that_the_person_also_added_outlives_the_trust() -> None:
    operation = accepted(1, trust_drafts(FILE, LINES, None, "file", {}))
    own = event(9, ClaimProposed(PNPM, Verdict.ADDED, "user_direct"))
    trust = trusted_in(operation)
    assert trust is not None

    drafts = distrust_drafts(trust, {numbered(1): operation}, "changed")
    left = fold_memories([*operation, own, *(event(10 + at, draft.body) for at, draft in enumerate(drafts))])

    assert {claim: memory.status for claim, memory in left.items()} == {PNPM.id: Status.ACTIVE}


def test_a_line_counts_for_what_is_not_counted_here_yet() -> None:
    strengths = {LINES[0].claim.id: 2} if LINES[0].claim else {}
    for stated, expected in ((1, 0), (2, 0), (3, 0), (5, 2)):
        _, draft = trust_drafts(FILE, [LINES[0]._replace(strength=stated)], None, "file", strengths)
        assert isinstance(draft.body, ClaimProposed) and draft.body.carried_strength == expected
