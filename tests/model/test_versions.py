"""Which numbers in a sentence are versions; more sentences are in `conditions.txt`."""

from __future__ import annotations

import pytest

from tacit.model.conditions import PinnedVersion
from tacit.model.versions import parse_version, read_versions


@pytest.mark.parametrize(
    "sentence",
    [
        "the next 2 steps",
        "go 3 levels up",
        "React 18 and React 19",
        "Python 3 or 4",
        "`React` has 18 hooks",
        "Node 18-slim",
        "the admin uses Ant Design Vue 4.2+",
    ],
)
def test_other_numbers_are_no_versions(sentence: str) -> None:
    assert list(read_versions(sentence)) == []


def test_a_later_version_is_admitted_only_if_the_sentence_says_so() -> None:
    exact, later = (PinnedVersion("x", (3, 11), or_later, "") for or_later in (False, True))
    for found, is_exact, is_later in (((3, 11, 4), True, True), ((3, 12), False, True), ((3, 10, 9), False, False)):
        assert (exact.admits(found), later.admits(found)) == (is_exact, is_later)


@pytest.mark.parametrize(("text", "version"), [("v20.1.0", (20, 1, 0)), ("=3.11", (3, 11)), ("lts/*", ()), ("", ())])
def test_the_numbers_of_a_version(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version
