"""Which claims answer the same question, and which of them cannot both hold (S13)."""

from __future__ import annotations

import pytest

from tacit.model.conflict import are_opposed, parse_stance
from tests.support.events import says


def oppose(one: str, other: str) -> bool:
    first, second = parse_stance(says(one)), parse_stance(says(other))
    assert are_opposed(first, second) == are_opposed(second, first)
    return are_opposed(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use npm", "use pnpm"),
        ("use npm", "never use npm"),
        ("I prefer npm", "we decided on pnpm"),
        ("I prefer tabs", "use spaces"),
        ("I prefer single quotes", "use double quotes"),
        ("use grep", "use rg instead of grep"),
        ("the default branch is main", "the default branch is master"),
        ("always run the build", "never run the build"),
        ("run the build", "do not run the build"),
        ("use ruff for linting", "use flake8 for linting"),
        ("use vim only", "use emacs"),
    ],
)
def test_two_answers_to_one_question_oppose_each_other(one: str, other: str) -> None:
    assert oppose(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("never use npm", "use pnpm"),
        ("never use npm", "never use yarn"),
        ("I prefer tabs", "I prefer pnpm"),
        ("I prefer tea", "I prefer short answers"),
        ("use npm", "I prefer npm"),
        ("use pnpm", "Use the pnpm!"),
        ("use black for python", "use prettier for css"),
        ("run the build", "run the tests"),
        ("the default branch is main", "the staging branch is develop"),
        ("never run the build", "never run the tests"),
        ("if the build fails, clear the cache", "if the login fails, clear the cache"),
        ("$&", "$1"),
    ],
)
def test_answers_that_can_both_hold_do_not_oppose_each_other(one: str, other: str) -> None:
    assert not oppose(one, other)


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
