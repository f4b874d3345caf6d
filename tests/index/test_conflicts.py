"""Conflicts between memories: which are compared, which wins, and which views become stale."""

from __future__ import annotations

import pytest

from tacit.index import conflicts, listings, reader
from tacit.model.claim import Claim, Kind, project_scope
from tacit.model.conflict import ConflictRule
from tacit.model.event import ClaimDecided, ClaimProposed, Verdict
from tacit.model.ids import ClaimId
from tests.index.conftest import add, index_of
from tests.support.events import added, event, proposed, says

NPM, PNPM = says("use npm"), says("use pnpm")


@pytest.mark.parametrize(
    ("stored", "claim", "opposing"),
    [
        (added(NPM), PNPM, [NPM.id]),
        (added(NPM), NPM, []),
        (added(NPM), says("never use npm"), [NPM.id]),
        (added(NPM), says("tests run on every push"), []),
        (added(NPM), says("use pnpm", project_scope("example.org/app")), []),
        (proposed(NPM), PNPM, []),
    ],
    ids=["another choice", "the same claim", "its negation", "another topic", "another scope", "only suggested"],
)
def test_a_claim_that_is_not_stored_is_opposed_by_active_memories_of_its_scope(
    stored: ClaimProposed, claim: Claim, opposing: list[ClaimId]
) -> None:
    assert conflicts.opposing_claims(index_of(stored), claim) == opposing


@pytest.mark.parametrize(
    ("older", "newer", "rule", "winner"),
    [
        (NPM, PNPM, ConflictRule.NEWEST, PNPM),
        (says("never use npm"), NPM, ConflictRule.CONSTRAINT, says("never use npm")),
        (
            says("use tabs", kind=Kind.CONSTRAINT),
            says("use spaces", kind=Kind.CONSTRAINT),
            ConflictRule.UNDECIDED,
            says("use spaces"),
        ),
    ],
)
def test_a_ruling_says_which_memory_wins_and_why_they_conflict(
    older: Claim, newer: Claim, rule: ConflictRule, winner: Claim
) -> None:
    index = index_of(added(older), added(newer))
    (ruling,) = listings.rulings(index)
    assert (ruling.rule, ruling.winner) == (rule, winner.id)
    assert listings.rulings_of(index, older.id) == listings.rulings_of(index, newer.id) == [ruling]
    assert [*listings.rulings(index, rule is not ConflictRule.UNDECIDED)] == [ruling]
    assert [*listings.rulings(index, rule is ConflictRule.UNDECIDED)] == []
    overruled = {row.id for row in reader.memory_rows(index) if row.overruled_by == winner.id}
    assert overruled == ({older.id, newer.id} - {winner.id} if rule is not ConflictRule.UNDECIDED else set())
    assert listings.count_rulings(index, decided=False) == (rule is ConflictRule.UNDECIDED)


def test_a_memory_that_was_kept_conflicts_only_with_what_was_not_known_then() -> None:
    index = index_of(added(NPM), added(PNPM), ClaimDecided(PNPM, Verdict.KEPT))
    assert listings.count_rulings(index) == 0
    add(index, event(4, added(says("use yarn"))))
    ruled = {(ruling.winner, ruling.loser) for ruling in listings.rulings(index)}
    assert ruled == {(says("use yarn").id, NPM.id), (says("use yarn").id, PNPM.id)}


def test_memories_are_not_compared_by_a_topic_that_too_many_share() -> None:
    index = index_of(added(says("the walrus budget is 5")), added(says("the walrus budget is 7")))
    assert listings.count_rulings(index) == 1
    words = [f"reef{first}{second}" for first in "abcdefg" for second in "mnopqr"]
    texts = [f"the {word} page explains the walrus budget" for word in words][: conflicts.MAX_TOPIC_MEMORIES - 1]
    add(index, *(event(number, added(says(text))) for number, text in enumerate(texts, 10)))
    assert listings.count_rulings(index) == 0


def test_a_ruling_makes_the_views_of_both_memories_stale() -> None:
    index = index_of(added(NPM), added(says("tests run on every push")))
    assert set(add(index, event(3, added(PNPM)))) == {f"memory {NPM.id}", f"memory {PNPM.id}"}
