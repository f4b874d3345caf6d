"""Synonyms for the words of a question, each with the word it stands for."""

from __future__ import annotations

import pytest

from tacit.search.bm25 import query_synonyms


def synonyms(*words: str) -> set[str]:
    return {synonym for synonym, _ in query_synonyms(words)}


@pytest.mark.parametrize(("one", "other"), [("bump", "upgrade"), ("k8s", "kubernetes"), ("colour", "color")])
def test_synonyms_stand_for_each_other(one: str, other: str) -> None:
    assert (other, one) in query_synonyms([one])
    assert (one, other) in query_synonyms([other])


def test_a_word_in_several_groups_has_the_synonyms_of_all_and_none_twice() -> None:
    found = [synonym for synonym, _ in query_synonyms(["performance"])]
    assert {"slow", "fast"} <= set(found)
    assert len(found) == len(set(found))
    assert "performance" not in found


def test_synonyms_are_not_followed_from_group_to_group() -> None:
    assert "documentation" in synonyms("docs") and "doc" not in synonyms("docs")
    assert "quick" not in synonyms("slow")


def test_a_phrase_of_two_words_stands_for_its_first_word() -> None:
    tokens = ["how", "to", "turn", "off", "telemetry"]
    found = set(query_synonyms(["telemetry"], tokens))
    assert {("disable", "turn"), ("mute", "turn")} <= found
    assert not set(query_synonyms([], ["off", "turn"]))
    assert not set(query_synonyms([], ["turn", "it", "off"]))


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("optimisation", "optimization"),
        ("normalise", "normalize"),
        ("tokeniser", "tokenizer"),
        ("organised", "organized"),
    ],
)
def test_a_british_spelling_finds_the_american_one(british: str, american: str) -> None:
    assert synonyms(british) == {american}


@pytest.mark.parametrize("word", ["raise", "noise", "promise", "walrus", ""])
def test_a_short_or_unknown_word_has_no_synonym(word: str) -> None:
    assert synonyms(word) == set()
