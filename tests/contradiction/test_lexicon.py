"""The word lists agree with each other and with the form in which words are looked up."""

from __future__ import annotations

import pytest

from tacit.contradiction import lexicon
from tacit.contradiction.profile import Denial, profile_statement
from tacit.contradiction.terms import StatementTerm, statement_terms, statement_tokens


def terms(text: str) -> tuple[StatementTerm, ...]:
    return statement_terms(text, statement_tokens(text))


def words(text: str) -> list[str]:
    return [term.word for term in terms(text)]


def test_every_alias_names_its_word_in_one_step() -> None:
    assert not lexicon.ALIASES.keys() & set(lexicon.ALIASES.values())
    assert not lexicon.MULTIWORD_NAMES.keys() & set(lexicon.MULTIWORD_NAMES.values())


@pytest.mark.parametrize("spellings", [lexicon.ALIASES, lexicon.MULTIWORD_NAMES], ids=["alias", "several words"])
def test_another_spelling_gives_the_same_term(spellings: dict[str, str]) -> None:
    found = {other: words(f"the {other} here") for other in spellings}
    assert found == {other: words(f"the {name} here") for other, name in spellings.items()}


def test_a_member_of_a_family_and_its_alias_are_in_one_family() -> None:
    families = {member: lexicon.FAMILIES.get(lexicon.ALIASES.get(member, member)) for member in lexicon.FAMILIES}
    assert families == lexicon.FAMILIES
    assert lexicon.FAMILIES.keys() >= lexicon.AMBIGUOUS_MEMBERS


def test_a_member_of_a_family_is_recognized_where_it_is_used() -> None:
    members = lexicon.FAMILIES.keys() - lexicon.FUNCTION_WORDS
    lost = {
        member
        for member in members
        if lexicon.FAMILIES[member] not in {term.family for term in terms(f"we use {member}")}
    }
    assert lost == set()


def test_a_negated_state_denies_what_its_opposite_affirms() -> None:
    for denial, state in lexicon.NEGATED_STATES.items():
        one, other = profile_statement(f"the gate is {denial}"), profile_statement(f"the gate is {state}")
        assert one.words == other.words
        assert (one.is_negative, other.is_negative) == (True, False), denial


@pytest.mark.parametrize(
    "text",
    [
        "we do not use npm",
        "wir nutzen kein npm",
        "ne jamais utiliser npm",
        "nunca usamos npm",
        "non usare npm",
        "não usar npm",
        "we gebruiken geen npm",
    ],
)
def test_a_negation_is_recognized_in_every_language_of_the_lists(text: str) -> None:
    profile = profile_statement(text)
    assert profile.is_negative
    assert {term.word for term in profile.terms if term.kind != "light"} == {"npm"}


@pytest.mark.parametrize(
    "phrase", ["instead of", "statt", "au lieu de", "en lugar de", "invece di", "em vez de", "in plaats van"]
)
def test_a_contrast_is_recognized_in_every_language_of_the_lists(phrase: str) -> None:
    profile = profile_statement(f"pnpm {phrase} npm")
    assert profile.affirmed == {"pnpm"}
    assert profile.denied == (Denial(frozenset({"npm"}), rejected=True),)


def test_units_of_one_kind_have_comparable_sizes() -> None:
    def amount(number: float, unit: str) -> str:
        kind, size = lexicon.UNITS[unit]
        return f"{number * size:.6g} {kind}"

    assert amount(1, "hour") == amount(60, "min") == amount(3600, "sekunden") == amount(3.6e6, "ms")
    assert amount(1, "week") == amount(7, "tage") == amount(168, "h")
    assert amount(1, "gb") == amount(1000, "megabytes") == amount(1e9, "bytes")
    assert amount(1, "km") == amount(1000, "metres") == amount(1e6, "mm")
