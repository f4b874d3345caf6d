"""The terms that count in a statement."""

from __future__ import annotations

import pytest

from tacit.contradiction.terms import StatementTerm, join_multiword_names, statement_terms, statement_tokens


def terms(text: str) -> dict[str, StatementTerm]:
    return {term.word: term for term in statement_terms(text, statement_tokens(text))}


def words(text: str) -> list[str]:
    return [token.raw for token in statement_tokens(text) if token.lower]


def test_the_reason_of_a_rule_is_no_part_of_it() -> None:
    assert words("use tabs because of narrow screens") == ["use", "tabs"]
    assert words("use tabs because of narrow screens, always") == ["use", "tabs", "always"]


def test_quoted_words_are_one_and_names_with_a_dot_or_mark_stay_whole() -> None:
    assert words('run `make -j 4 all` or "git log"') == ["run", "make -j 4 all", "or", "git log"]
    assert words("never commit .env.") == ["never", "commit", ".env"]
    assert words("use try! sparingly") == ["use", "try!", "sparingly"]
    assert words("Stop! Use pnpm!") == ["Stop", "Use", "pnpm"]


def test_a_compound_is_split_only_where_its_parts_count() -> None:
    assert words("the two-reviewers rule") == ["the", "two", "reviewers", "rule"]
    assert [token.lower for token in statement_tokens("ask the on-call person")] == ["ask", "the", "oncall", "person"]
    assert words("Jan's laptop, l’équipe") == ["Jan", "laptop", "l", "équipe"]
    assert words("use kebab-case and utf-8") == ["use", "kebab-case", "and", "utf-8"]


def test_names_of_several_words_become_one() -> None:
    assert join_multiword_names("Visual  Studio\nCode runs GitHub Actions") == "vscode runs githubactions"
    assert join_multiword_names("code of a visual studio") == "code of a visual studio"


@pytest.mark.parametrize(
    ("one", "other"),
    [("60 seconds", "1 minute"), ("90s", "1.5 min"), ("1 GB", "1000 MB"), ("two hours", "120 minutes")],
)
def test_quantities_of_equal_size_are_the_same_term(one: str, other: str) -> None:
    assert terms(one).keys() == terms(other).keys()


def test_a_number_counts_or_labels_the_word_beside_it() -> None:
    assert (terms("start 3 nodes")["3"].neighbor, terms("start 3 nodes")["3"].is_label) == ("nod", False)
    assert (terms("run step 3")["3"].neighbor, terms("run step 3")["3"].is_label) == ("step", True)
    assert terms("pin version 1.2.3")["1.2.3"].kind == terms("deploy at 12:30")["12:30"].kind == "number"
    assert "1" in terms("one reviewer approves") and "1" not in terms("one of them approves")


def test_code_names_and_words_are_told_apart() -> None:
    kinds = {word: term.kind for word, term in terms("Ask Anna about load_config and PgBouncer in the CI logs").items()}
    assert kinds == {
        "ask": "plain",
        "anna": "name",
        "load_config": "code",
        "pgbouncer": "code",
        "ci": "plain",
        "log": "plain",
    }


def test_a_capital_is_a_name_neither_in_a_shout_nor_in_german() -> None:
    assert "name" not in {term.kind for term in terms("ALWAYS ASK BEFORE DEPLOYING THE WEBSITE").values()}
    assert terms("Wir pflegen das Handbuch und die Webseite")["handbuch"].kind == "plain"


def test_a_letter_is_a_name_and_an_article_is_not() -> None:
    assert "a" in terms("Team A owns billing")
    assert "a" not in terms("A team owns billing")


def test_an_everyday_word_is_a_tool_only_where_a_tool_is_named() -> None:
    assert terms("build with make")["make"].family == "build tool"
    assert terms("make it fast")["make"].family == ""


def test_a_tool_with_the_name_of_a_common_word_is_a_name_after_a_verb_of_use() -> None:
    assert [term.family for term in statement_terms("use just", statement_tokens("use just")) if term.family]
    assert not [term.family for term in statement_terms("just do it", statement_tokens("just do it")) if term.family]
