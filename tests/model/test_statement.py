"""From what a person typed to one atomic statement (S6)."""

from __future__ import annotations

import pytest

from tacit.model.claim import GLOBAL, Kind, Triple
from tacit.model.statement import (
    ScopedText,
    claim_from,
    parse_statement,
    split_scope,
    split_sentences,
    split_statements,
    strip_introduction,
)


def test_a_request_to_remember_becomes_the_rule_itself() -> None:
    claim = claim_from("add to memory that never run build repeatedly because it is heavy", GLOBAL)
    assert claim.sentence == "never run build repeatedly because it is heavy"
    assert claim.kind is Kind.CONSTRAINT
    assert claim.triple == Triple("agent", "never run", "build repeatedly")
    assert claim.key == "agent|never run|build repeatedly"


@pytest.mark.parametrize(
    ("text", "scoped"),
    [
        ("global: I prefer pnpm", ScopedText("I prefer pnpm", True)),
        ("  GLOBAL :  use pnpm ", ScopedText("use pnpm", True)),
        ("local: use pnpm", ScopedText("use pnpm", False)),
        ("project: use pnpm", ScopedText("use pnpm", False)),
        ("use pnpm", ScopedText("use pnpm", None)),
        ("globally: use pnpm", ScopedText("use pnpm", True)),
        ("everywhere use pnpm", ScopedText("use pnpm", True)),
        ("For all projects: use pnpm", ScopedText("use pnpm", True)),
        ("Remember this everywhere: use pnpm", ScopedText("use pnpm", True)),
        ("please note it for all my projects, use pnpm", ScopedText("use pnpm", True)),
        ("remember it everywhere in the code", ScopedText("remember it everywhere in the code", None)),
        ("everywhere else use pnpm", ScopedText("everywhere else use pnpm", None)),
        ("the global: namespace", ScopedText("the global: namespace", None)),
    ],
)
def test_only_a_leading_scope_word_is_a_scope(text: str, scoped: ScopedText) -> None:
    assert split_scope(text) == scoped


@pytest.mark.parametrize(
    "lead",
    [
        "add to memory that",
        "Add this to your memory:",
        "please save to memory,",
        "and put it into the memory that",
        "remember that",
        "Please remember:",
        "note:",
        "memorise that",
        "from now on,",
        "for future reference,",
        "in this project",
        "remember that from now on,",
    ],
)
def test_words_that_only_introduce_are_cut_off(lead: str) -> None:
    assert strip_introduction(f"{lead} use pnpm") == "use pnpm"
    for nothing in ("remember that", "remember the milk", "note taking is good", "add to memory"):
        assert strip_introduction(nothing) == nothing  # it introduces nothing


@pytest.mark.parametrize(
    ("text", "kind", "triple"),
    [
        ("never use npm", Kind.CONSTRAINT, ("agent", "never use", "npm")),
        ("do not push to main", Kind.CONSTRAINT, ("agent", "never push", "to main")),
        ("don't push to main", Kind.CONSTRAINT, ("agent", "never push", "to main")),
        ("You must never commit secrets", Kind.CONSTRAINT, ("agent", "never commit", "secrets")),
        ("always run the tests", Kind.RULE, ("agent", "always run", "the tests")),
        ("you should always run the tests", Kind.RULE, ("agent", "always run", "the tests")),
        ("I prefer tabs", Kind.PREFERENCE, ("user", "prefers", "tabs")),
        ("we usually prefer to use tabs", Kind.PREFERENCE, ("user", "prefers", "tabs")),
        ("prefer tabs", Kind.PREFERENCE, ("user", "prefers", "tabs")),
        ("we decided to use postgres", Kind.DECISION, ("project", "decided on", "postgres")),
        ("this project uses ruff", Kind.CONVENTION, ("project", "uses", "ruff")),
        ("use ruff for linting", Kind.RULE, ("linting", "uses", "ruff")),
        (
            "When `jq -r '.a,.b'` fails with “no key, sorry”, use `jq '.a'`",
            Kind.KNOWN_FIX,
            ("`jq -r '.a,.b'` fails with “no key, sorry”", "is fixed by", "use `jq '.a'`"),
        ),
        ("if the build fails, clear the cache", Kind.KNOWN_FIX, ("the build fails", "is fixed by", "clear the cache")),
        ("the default branch is main", Kind.CONVENTION, ("the default branch", "is", "main")),
        ("tokens must be rotated", Kind.RULE, ("tokens", "must be", "rotated")),
        ("Run the tests", Kind.RULE, ("agent", "run", "the tests")),
        ("the sky above the port", Kind.RULE, ("note", "says", "the sky above the port")),
        ("it is raining", Kind.RULE, ("note", "says", "it is raining")),
        ("$&", Kind.RULE, ("note", "says", "$&")),
    ],
)
def test_a_sentence_is_read_as_kind_and_triple(text: str, kind: Kind, triple: tuple[str, str, str]) -> None:
    parts = parse_statement(text)
    assert (parts.kind, tuple(parts.triple)) == (kind, triple)


def test_a_reason_is_part_of_the_sentence_and_not_of_the_statement() -> None:
    one = claim_from("never run the build because it is heavy", GLOBAL)
    other = claim_from("never run the build, since it takes an hour", GLOBAL)
    assert one.sentence != other.sentence
    assert one.id == other.id


def test_the_person_says_which_kind_it_is() -> None:
    assert claim_from("use pnpm", GLOBAL, kind=Kind.CONSTRAINT).kind is Kind.CONSTRAINT
    assert claim_from("use pnpm", GLOBAL, tags=("js",)).tags == ("js",)


@pytest.mark.parametrize(
    "rule",
    [
        "Always build C++ code with clang.",
        "Never use rm * in src.",
        "Never use npm - the lockfile is pnpm's.",
        "Always use chapter 2) as the model.",
    ],
)
def test_only_what_begins_a_line_is_the_mark_of_a_list(rule: str) -> None:
    assert split_sentences(f"- {rule}") == split_sentences(rule) == [rule]
    assert rule in split_statements(f"{rule} Never use yarn.").rules


LONG = ("never " + " " * 2_000 + "x", "a " * 2_000, "use " + "x" * 50_000, "if an error, " * 1_000)


@pytest.mark.parametrize("text", LONG, ids=len)
def test_a_very_long_text_is_read_like_any_other(text: str) -> None:
    assert parse_statement(text).triple
