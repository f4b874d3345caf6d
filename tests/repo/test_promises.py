"""Every promise and every threat names the tests that stand for it, and those tests are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from harness import prices

ROOT = Path(__file__).parents[2]
PAGES = ("docs/PROMISES.md", "docs/THREATS.md")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ) | frozenset(f"{node.name}" for node in tree.body if isinstance(node, ast.ClassDef))


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_is_there(page: str) -> None:
    named = _TEST.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    for path, name in named:
        assert (ROOT / path).exists(), path
        assert names_in(path), f"{path} holds no test"
        assert not name or name in names_in(path), f"{path}::{name}"


def rows(page: str) -> list[list[str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip(" |") for cell in line.split(" | ")] for line in lines[1:]]


def test_every_promise_has_a_test_and_a_figure_or_says_why_not() -> None:
    found = rows("docs/PROMISES.md")
    assert [row[0] for row in found] == [f"P{number}" for number in range(1, 36)]
    for name, _, tests, measured, lines, seconds in found:
        assert _TEST.search(tests) or (tests == "–" and "yet" in measured), name
        assert measured and "FIGURE" not in measured, name
        assert re.match(r"[\d,]+(:|$)", lines) and re.fullmatch(r"\d+ s", seconds), name


def test_every_threat_says_who_what_and_which_test() -> None:
    for where, who, what, against, tests in rows("docs/THREATS.md"):
        assert re.search(r"X\d", who), where
        assert what and against and _TEST.search(tests), where


def test_the_price_of_each_promise_is_that_of_now() -> None:
    assert prices.main(["--check"]) == 0, "run: python -m harness.prices"
