"""One question, several answers: who wins, and by which rule (S13)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

from tacit.contradiction.relation import relate
from tacit.model import conflict
from tacit.model.claim import Kind, Provenance
from tacit.model.conflict import ConflictRule, ConflictSide, RelationKind, Ruling
from tacit.model.ids import ClaimId
from tests.support.events import numbered, says

_SAID: dict[ClaimId, str] = {}


def answer(
    text: str, last: int, *, kind: Kind = Kind.RULE, provenance: Provenance = Provenance.USER_DIRECT
) -> ConflictSide:
    claim = says(text)
    _SAID[claim.id] = text
    return ConflictSide(claim.id, kind, provenance, numbered(last))


def settle(answers: Iterable[ConflictSide]) -> list[Ruling]:
    return conflict.resolve_conflicts(answers, lambda one, other: relate(_SAID[one.id], _SAID[other.id]).kind)


def test_the_newest_wins() -> None:
    old, new = answer("use npm", 1), answer("use pnpm", 2)
    assert settle([new, old]) == [Ruling(new.id, old.id, ConflictRule.NEWEST)]


def test_an_older_constraint_holds_against_a_newer_rule() -> None:
    old, new = answer("never use npm", 1, kind=Kind.CONSTRAINT), answer("use npm", 2)
    assert settle([old, new]) == [Ruling(old.id, new.id, ConflictRule.CONSTRAINT)]


def test_a_newer_constraint_wins_as_the_newest() -> None:
    old, new = answer("use npm", 1), answer("never use npm", 2, kind=Kind.CONSTRAINT)
    assert settle([old, new]) == [Ruling(new.id, old.id, ConflictRule.NEWEST)]


def test_between_two_constraints_nobody_can_decide() -> None:
    old, new = answer("use npm", 1, kind=Kind.CONSTRAINT), answer("use pnpm", 2, kind=Kind.CONSTRAINT)
    (ruling,) = settle([old, new])
    assert ruling.rule is ConflictRule.UNDECIDED
    assert {ruling.winner, ruling.loser} == {old.id, new.id}


def test_a_newer_answer_with_less_authority_does_not_win() -> None:
    old, new = answer("use npm", 1), answer("use pnpm", 2, provenance=Provenance.MODEL)
    assert [ruling.rule for ruling in settle([old, new])] == [ConflictRule.UNDECIDED]


def test_a_newer_answer_with_more_authority_wins() -> None:
    old, new = answer("use npm", 1, provenance=Provenance.MODEL), answer("use pnpm", 2)
    assert settle([old, new]) == [Ruling(new.id, old.id, ConflictRule.NEWEST)]


def test_answers_that_can_both_hold_need_no_ruling() -> None:
    assert settle([answer("never use npm", 1), answer("use pnpm", 2)]) == []
    assert settle([answer("I prefer tabs", 1), answer("I prefer pnpm", 2)]) == []
    assert settle([]) == []


def test_of_three_answers_the_newest_wins_and_each_loses_once() -> None:
    first, second, third = answer("use npm", 1), answer("use pnpm", 2), answer("use yarn", 3)
    expected = [Ruling(second.id, first.id, ConflictRule.NEWEST), Ruling(third.id, second.id, ConflictRule.NEWEST)]
    for order in permutations((first, second, third)):
        assert settle(order) == expected


def test_what_was_beaten_does_not_come_back_when_its_winner_falls() -> None:
    first, second = answer("use npm", 1), answer("use pnpm", 2)
    third = answer("never use pnpm", 3)
    assert settle([first, second, third]) == [
        Ruling(second.id, first.id, ConflictRule.NEWEST),
        Ruling(third.id, second.id, ConflictRule.NEWEST),
    ]


def test_a_constraint_holds_against_every_newer_answer() -> None:
    constraint = answer("use npm", 1, kind=Kind.CONSTRAINT)
    second, third = answer("use pnpm", 2), answer("use yarn", 3)
    assert settle([constraint, second, third]) == [
        Ruling(constraint.id, second.id, ConflictRule.CONSTRAINT),
        Ruling(constraint.id, third.id, ConflictRule.CONSTRAINT),
    ]


def test_an_answer_that_lost_beats_nobody() -> None:
    constraint = answer("use npm", 1, kind=Kind.CONSTRAINT)
    bystander = answer("never use yarn", 2)
    lost = answer("use yarn", 3)
    assert settle([constraint, bystander, lost]) == [Ruling(constraint.id, lost.id, ConflictRule.CONSTRAINT)]


def test_what_may_contradict_another_is_asked_about_and_neither_loses() -> None:
    old, new = answer("deploy billing to eu-1", 1), answer("deploy billing to us-1", 2, kind=Kind.CONSTRAINT)
    assert settle([old, new]) == [Ruling(new.id, old.id, ConflictRule.MAY_CONTRADICT)]
    assert settle([old, new])[0].rule.is_open


def test_a_question_ends_when_one_of_its_sides_is_beaten() -> None:
    old, new = answer("deploy billing to eu-1", 1), answer("deploy billing to us-1", 2)
    latest = answer("never deploy billing to eu-1", 3)
    assert [(ruling.loser, ruling.rule) for ruling in settle([old, new, latest])] == [(old.id, ConflictRule.NEWEST)]


def test_an_answer_that_is_against_many_overrules_none_and_asks_about_the_two_newest() -> None:
    def rule(older: ConflictSide, newer: ConflictSide) -> RelationKind:
        return RelationKind.OVERRULES if newer is last else RelationKind.UNRELATED

    sides = [answer(f"rule of {name}", at) for at, name in enumerate(("one", "two", "three"))]
    last = answer("no rule at all", 9)
    rulings = conflict.resolve_conflicts([*sides, last], rule)
    assert {ruling.rule for ruling in rulings} == {ConflictRule.MAY_CONTRADICT}
    assert [ruling.loser for ruling in rulings] == [side.id for side in sides[1:]]
    rulings = conflict.resolve_conflicts([*sides[:2], last], rule)
    assert {ruling.rule for ruling in rulings} == {ConflictRule.NEWEST}
