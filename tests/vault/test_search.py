"""Short ids and their beginnings."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from harness.person import Person

# More memories than letters an id can begin with, so that two begin alike.
NUMBER = 33


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """One home for all tests here: they only look."""
    somebody = Person(tmp_path_factory.mktemp("person"))
    with somebody.vault() as vault:
        for number in range(NUMBER):
            vault.add(f"rule number {number} holds")
    return somebody


@pytest.fixture(scope="module")
def crowd(person: Person) -> list[str]:
    return sorted(memory["id"] for memory in person.listed())


def alike(ids: list[str]) -> str:
    """The longest beginning that two neighbours share."""
    pairs = pairwise(ids)
    shared = (next((at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)) for one, other in pairs)
    length, first = max((length, at) for at, length in enumerate(shared))
    return ids[first][:length]


def test_the_id_that_is_shown_names_just_one_memory(person: Person, crowd: list[str]) -> None:
    shown = re.findall(r"^- \[(\w+)\]", person.tacit("list").out, re.MULTILINE)
    assert len(set(shown)) == len(crowd) == NUMBER
    for short in shown:
        assert len(short) >= 4
        assert len([name for name in crowd if name.startswith(short)]) == 1
        assert person.tacit("show", short, "--json").json["id"].startswith(short)


def test_a_longer_beginning_and_the_whole_id_are_as_good(person: Person, crowd: list[str]) -> None:
    for name in (crowd[0], crowd[0][:11], crowd[0].upper(), "^" + crowd[0]):
        assert person.tacit("show", name, "--json").json["id"] == crowd[0]


def test_a_beginning_that_two_share_is_refused_and_both_are_named(person: Person, crowd: list[str]) -> None:
    prefix = alike(crowd)
    assert prefix
    meant = [name for name in crowd if name.startswith(prefix)]
    for verb in (("show",), ("why",), ("forget", "--reason", "r", "--evidence", "e")):
        said = person.process(verb[0], prefix, *verb[1:], code=1)
        assert all(name in said.err for name in meant[:2])
        assert "letters more" in said.err
    assert len(person.listed()) == NUMBER


def test_a_memory_is_named_by_its_words_too(person: Person, crowd: list[str]) -> None:
    assert person.tacit("show", "rule number 7 holds", "--json").json["label"] == "rule number 7 holds"
    assert person.tacit("show", "RULE  number 7 holds", "--json").json["label"] == "rule number 7 holds"
