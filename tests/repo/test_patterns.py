"""Regular expressions mean the same on every supported interpreter."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tacit.learn.statements.sentences import statement_forms
from tests.hostile.backtracking import forbidden_parts
from tests.hostile.source import patterns, sources

LEARN = Path(__file__).parents[2] / "src" / "tacit" / "learn"


def test_no_expression_has_a_possessive_quantifier_or_an_atomic_group() -> None:
    """Python 3.11.0 to 3.11.4 match them wrongly in some places, and Debian 12 came with 3.11.2."""
    found, unseen = patterns(sources())
    assert unseen == []
    assert {one.place: parts for one in found if (parts := forbidden_parts(one.text))} == {}


def test_expressions_of_tables_in_files_are_among_those_that_are_looked_at() -> None:
    forms = tomllib.loads((LEARN / "statements" / "forms.toml").read_text(encoding="utf-8"))["form"]
    never = tomllib.loads((LEARN / "fixes" / "never.toml").read_text(encoding="utf-8")).values()
    found = {one.text for one in patterns(sources())[0]}
    in_places = [pattern for form in statement_forms() for pattern in (form.pattern, form.loose) if pattern]
    assert len(in_places) == sum("pattern" in form for form in forms) + sum("loose" in form for form in forms)
    assert {pattern.pattern for pattern in in_places} <= found
    assert {pattern for table in never for pattern, *_ in table} <= found


@pytest.mark.parametrize(
    "pattern", ["a*+b", "a++", "a?+", "(?:ab){1,3}+", "(?>ab)c", "(?=x(?:y|z++))", "(x(?P<n>y*+)|z)"]
)
def test_a_possessive_quantifier_or_an_atomic_group_is_noticed(pattern: str) -> None:
    assert len(forbidden_parts(pattern)) == 1


@pytest.mark.parametrize("pattern", [r"a+\+", "[*+]+", r"(?=(a+))\1b", "c[+]{2}", "a+?"])
def test_other_quantifiers_are_none_of_those(pattern: str) -> None:
    assert forbidden_parts(pattern) == []
