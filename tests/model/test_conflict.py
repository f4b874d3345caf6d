"""One question, several answers: who wins, and by which rule (S13)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import pytest

from tacit.contradiction import relate
from tacit.model import conflict
from tacit.model.claim import Kind, Provenance
from tacit.model.conflict import ConflictRule, ConflictSide, RelationKind, Ruling, are_opposed, parse_stance
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


CONSTRAINT, MODEL = Kind.CONSTRAINT, Provenance.MODEL


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        pytest.param(answer("use npm", 1), answer("use pnpm", 2), ConflictRule.NEWEST, id="newest"),
        pytest.param(
            answer("never use npm", 1, kind=CONSTRAINT), answer("use npm", 2), ConflictRule.CONSTRAINT, id="constraint"
        ),
        pytest.param(
            answer("use npm", 1), answer("never use npm", 2, kind=CONSTRAINT), ConflictRule.NEWEST, id="new constraint"
        ),
        pytest.param(
            answer("use npm", 1, kind=CONSTRAINT),
            answer("use pnpm", 2, kind=CONSTRAINT),
            ConflictRule.UNDECIDED,
            id="two constraints",
        ),
        pytest.param(
            answer("use npm", 1), answer("use pnpm", 2, provenance=MODEL), ConflictRule.UNDECIDED, id="less authority"
        ),
        pytest.param(
            answer("use npm", 1, provenance=MODEL), answer("use pnpm", 2), ConflictRule.NEWEST, id="more authority"
        ),
        pytest.param(
            answer("deploy billing to eu-1", 1),
            answer("deploy billing to us-1", 2, kind=CONSTRAINT),
            ConflictRule.MAY_CONTRADICT,
            id="not certain",
        ),
    ],
)
def test_of_two_answers_the_newest_wins_unless_a_constraint_or_authority_is_against_it(
    old: ConflictSide, new: ConflictSide, rule: ConflictRule
) -> None:
    winner, loser = (old, new) if rule is ConflictRule.CONSTRAINT else (new, old)
    assert settle([old, new]) == settle([new, old]) == [Ruling(winner.id, loser.id, rule)]
    assert rule.is_open == (rule in (ConflictRule.UNDECIDED, ConflictRule.MAY_CONTRADICT))


def test_answers_that_can_both_hold_need_no_ruling() -> None:
    assert settle([answer("never use npm", 1), answer("use pnpm", 2)]) == []
    assert settle([answer("I prefer tabs", 1), answer("I prefer pnpm", 2)]) == []
    assert settle([]) == []


def test_of_three_answers_the_newest_wins_and_each_loses_once() -> None:
    first, second, third = answer("use npm", 1), answer("use pnpm", 2), answer("use yarn", 3)
    expected = [Ruling(second.id, first.id, ConflictRule.NEWEST), Ruling(third.id, second.id, ConflictRule.NEWEST)]
    for order in permutations((first, second, third)):
        assert settle(order) == expected
    against = answer("never use pnpm", 3)  # what was beaten does not come back when its winner falls
    assert settle([first, second, against]) == [expected[0], Ruling(against.id, second.id, ConflictRule.NEWEST)]


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


# Which claims answer the same question, and which of them cannot both hold


@pytest.mark.parametrize(
    ("one", "other", "is_opposed"),
    [
        ("use npm", "use pnpm", True),
        ("use npm", "never use npm", True),
        ("I prefer npm", "we decided on pnpm", True),
        ("I prefer tabs", "use spaces", True),
        ("I prefer single quotes", "use double quotes", True),
        ("use grep", "use rg instead of grep", True),
        ("the default branch is main", "the default branch is master", True),
        ("always run the build", "never run the build", True),
        ("run the build", "do not run the build", True),
        ("use ruff for linting", "use flake8 for linting", True),
        ("use vim only", "use emacs", True),
        ("never use npm", "use pnpm", False),
        ("never use npm", "never use yarn", False),
        ("I prefer tabs", "I prefer pnpm", False),
        ("I prefer tea", "I prefer short answers", False),
        ("use npm", "I prefer npm", False),
        ("use pnpm", "Use the pnpm!", False),
        ("use black for python", "use prettier for css", False),
        ("run the build", "run the tests", False),
        ("the default branch is main", "the staging branch is develop", False),
        ("never run the build", "never run the tests", False),
        ("if the build fails, clear the cache", "if the login fails, clear the cache", False),
        ("$&", "$1", False),
    ],
)
def test_two_answers_to_one_question_oppose_each_other_unless_both_can_hold(
    one: str, other: str, is_opposed: bool
) -> None:
    first, second = parse_stance(says(one)), parse_stance(says(other))
    assert are_opposed(first, second) is are_opposed(second, first) is is_opposed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tokens must be rotated", "logs must be rotated"),
        ("if the build fails, clear the cache", "if the login fails, clear the cache"),
        ("tests live in the folder of their module", "fixtures live in the folder of their module"),
    ],
)
def test_the_same_said_of_two_things_answers_two_questions(one: str, other: str) -> None:
    assert parse_stance(says(one)) != parse_stance(says(other))
