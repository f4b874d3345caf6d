"""Any text is a valid question."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.text.words import query_terms
from tacit.vault import Vault
from tests.hostile.queries import ask_anything
from tests.hostile.readers import distinct

QUERIES = [
    *('"', '""', '"unbalanced', "'", "'; DROP TABLE memories; --", "`", "(", ")", "((", "*", "**", "a*", "^a"),
    *("--", "---", "--limitless", "--frozen-lockfile=yes", "-x", "+", "a + b", "col:", "text: force", "words:force"),
    *("NEAR(", "NEAR(force push, 2)", "force NEAR push", "AND", "OR", "NOT", "force AND", "NOT force", "force OR"),
    *("{force push}", *r"[a] a\ \ % _ $& $1 $(id) ~ | && ; # ? ! @ = ,".split()),
    *(
        "\x01\x02\x1b[31m",
        "\t\n",
        "\r",
        "\x7f",
        "\u202e",
        "\u200b",
        "\ufeff",
        *"🎉 👩‍👩‍👧 日本語 ﬁ ß İ ｆｕｌｌ".split(" "),
    ),
    *("x" * 5000, "force " * 3000, "日" * 5000, '" OR 1=1 --', "*" * 1000, "(" * 1000, '"' * 999, "a." * 2000, "the"),
    *("src/auth.ts", "C++", "don't", "20.04", "a/b", "multi-agent", "<!--", "```", "## Preferences", "memory_fts"),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Person:
    somebody = Person(tmp_path_factory.mktemp("person"))
    somebody.tacit("add", "never force push")
    return somebody


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_hostile_question_is_answered(asked: Person, query: str) -> None:
    said = asked.tacit("recall", "--exit-code", "--", query, code=None)
    assert said.code == (1 if "- No matches." in said.out else 0)
    assert said.err == ""
    assert said.out.startswith("Recall Results (")


@pytest.mark.parametrize("query", ['"unbalanced', "NEAR(", "--", "col:", "\x1b[31m", "--limitless", "-x"])
def test_a_hostile_question_is_answered_by_a_process(asked: Person, query: str) -> None:
    said = asked.process("recall", "--json", "--query", query)
    assert isinstance(said.json, list)


def test_a_flag_that_recall_does_not_know_is_a_question_without_more_ado(asked: Person) -> None:
    assert asked.process("recall", "--frozen-lockfile").first == "Recall Results (0)"


@pytest.mark.parametrize("query", ["", "\0", "\0force\0", "\udcff force", "\n", " "])
def test_the_library_takes_any_string(asked: Person, query: str) -> None:
    with asked.vault() as vault:
        assert {hit.text for hit in vault.recall(query)} <= {"never force push"}


def test_words_of_a_query_language_are_words(asked: Person) -> None:
    for query in ("NEAR(force push, 2)", "force AND", "text: force", '"force', "{force push}", "force*"):
        assert asked.texts(query) == ["never force push"]


# Anything at all

anything = st.text(max_size=80) | st.lists(st.sampled_from(QUERIES), max_size=4).map(" ".join)
unhurried = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def vault(asked: Person) -> Iterator[Vault]:
    with asked.vault() as opened:
        yield opened


@unhurried
@given(anything)
def test_any_question_has_an_answer(vault: Vault, text: str) -> None:
    assert {hit.text for hit in vault.search.recall(text, observe=False)} <= {"never force push"}
    brief = vault.search.brief(task=text, observe=False)
    assert [entry.sentence for entry in brief.entries] == ["never force push"]  # a constraint, whatever is asked
    with contextlib.suppress(RefusedError):  # what looks like a secret is no tag
        assert vault.search.brief(task=text, tags=[text], observe=False).entries == brief.entries


@unhurried
@given(anything)
def test_any_filter_is_obeyed_or_refused(vault: Vault, text: str) -> None:
    for ask in (
        lambda: vault.search.recall("force", kind=text, observe=False),
        lambda: vault.search.recall("force", scope=text, observe=False),
        lambda: vault.search.recall("force", since=text, observe=False),
        lambda: list(vault.search.listing(status=None, kind=text)),
        lambda: list(vault.search.listing(status=None, scope=text)),
        lambda: list(vault.search.listing(status=None, tag=text)),
    ):
        with contextlib.suppress(UsageError):
            assert len(ask()) <= 1


@unhurried
@given(anything)
def test_any_reference_is_a_memory_or_unknown(vault: Vault, text: str) -> None:
    for ask in (vault.search.show, vault.search.why, vault.memories.accept):
        with contextlib.suppress(NotFoundError, RefusedError):
            ask(text)


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "999999y", "0001-01-01", "9999-12-31", "999999m"]
)
def test_the_ends_of_time_are_times_or_refused(vault: Vault, time: str) -> None:
    with contextlib.suppress(UsageError):
        assert len(vault.search.recall("force", since=time)) <= 1
    with contextlib.suppress(UsageError):
        assert len(vault.search.recall("force", as_of=time)) <= 1


def test_a_question_of_300_000_words_is_one_of_its_first(vault: Vault) -> None:
    """Compared by what is asked of the index, not by the clock: 64 words, whatever comes behind them."""
    for word in ("force", "日本", '"x"', "x."):
        question = " ".join(f"{word}{number}" for number in range(300_000))
        assert len(query_terms(question)) <= 64
        assert vault.search.recall(question, observe=False) == vault.search.recall(question[:4096], observe=False)
    assert [hit.text for hit in vault.search.recall("push " + "noise " * 300_000, observe=False)] == [
        "never force push"
    ]


def test_thousands_of_hostile_words_find_no_way_through(tmp_path: Path) -> None:
    found = ask_anything(str(tmp_path), 3_000)
    assert [one for one in distinct(found.findings) if " s on " not in one] == []
    assert found.answered > 100
