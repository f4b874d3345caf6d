"""Any text is a valid question."""

from __future__ import annotations

import pytest

from .person import Person

QUERIES = [
    *('"', '""', '"unbalanced', "'", "'; DROP TABLE memory; --", "`", "(", ")", "((", "*", "**", "a*", "^a", "-"),
    *("--", "---", "--limitless", "--frozen-lockfile=yes", "-x", "+", "a + b", "col:", "text: force", "words:force"),
    *("NEAR(", "NEAR(force push, 2)", "force NEAR push", "AND", "OR", "NOT", "force AND", "NOT force", "force OR"),
    *(
        "{force push}",
        "[a]",
        "a\\",
        "\\",
        "%",
        "_",
        "$&",
        "$1",
        "$(id)",
        "~",
        "|",
        "&&",
        ";",
        "#",
        "?",
        "!",
        "@",
        "=",
        ",",
    ),
    *(
        "\x01\x02\x1b[31m",
        "\t\n",
        "\r",
        "\x7f",
        "\u202e",
        "\u200b",
        "\ufeff",
        "🎉",
        "👩‍👩‍👧",
        "日本語",
        "ﬁ",
        "ß",
        "İ",
        "ｆｕｌｌ",
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
    said = asked.tacit("recall", "--", query, code=None)
    assert said.code in (0, 1)
    assert said.err == ""
    assert said.out.startswith("Recall Results (")
    assert said.code == (1 if "- No matches." in said.out else 0)


@pytest.mark.parametrize("query", ['"unbalanced', "NEAR(", "--", "col:", "\x1b[31m", "--limitless", "-x"])
def test_a_hostile_question_is_answered_by_a_process(asked: Person, query: str) -> None:
    said = asked.process("recall", "--json", "--query", query, code=None)
    assert said.code in (0, 1)
    assert isinstance(said.json, list)


def test_a_flag_that_recall_does_not_know_is_a_question_without_more_ado(asked: Person) -> None:
    assert asked.process("recall", "--frozen-lockfile", code=1).first == "Recall Results (0)"


@pytest.mark.parametrize("query", ["", "\0", "\0force\0", "\udcff force", "\n", " "])
def test_the_library_takes_any_string(asked: Person, query: str) -> None:
    with asked.vault() as vault:
        assert {hit.text for hit in vault.recall(query)} <= {"never force push"}


def test_words_of_a_query_language_are_words(asked: Person) -> None:
    for query in ("NEAR(force push, 2)", "force AND", "text: force", '"force', "{force push}", "force*"):
        assert asked.texts(query) == ["never force push"]
