"""The terms that count in a statement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.contradiction import relate
from tacit.contradiction.terms import (
    StatementTerm,
    is_same_word,
    join_multiword_names,
    share_enough,
    statement_terms,
    statement_tokens,
    topics,
)


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
    assert terms("use just")["just"].family == "build tool" and "just" not in terms("just do it")


# Tests of which words are derived from one root


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("rotat", "rotation", True),
        ("comment", "commenter", True),
        ("availabl", "availabiliti", True),
        ("explain", "explanation", True),
        # an ending that derives nothing makes another word
        ("heroneu", "heronus", False),
        ("billingworker", "billingweb", False),
        ("password", "passwordles", False),
        ("bucket_eu", "bucket_us", False),
        ("worker1", "worker2", False),
    ],
)
def test_words_of_one_root_are_the_same(first: str, second: str, is_same: bool) -> None:
    assert is_same_word(first, second) is is_same_word(second, first) is is_same


# The topics by which statements are chosen for comparison


SEEN = Path(__file__).parents[2] / "bench" / "contradicting" / "seen.jsonl"


def test_interchangeable_things_share_a_topic_and_figures_have_none() -> None:
    assert topics("always use pnpm") & topics("we switched to Yarn")
    assert topics("always retry 3 times") == topics("always retry 5 times")
    assert topics("deployments are frozen") & topics("the deploy is announced")
    assert not topics("the cat sleeps") & topics("a dog barks")


def test_light_words_are_topics_only_of_a_statement_without_others() -> None:
    assert topics("max line length is 88") == topics("max line length is 100") == {"max", "line", "length"}
    assert "line" not in topics("line breaks in markdown tables")
    assert topics("the") == frozenset()


def test_one_shared_topic_is_enough_for_short_statements_and_for_changes() -> None:
    plain, change = "tea is served at noon", "cron is history"
    assert share_enough(2, 9, plain, plain)
    assert share_enough(1, 2, plain, plain)
    assert share_enough(1, 9, plain, change) and share_enough(1, 9, change, plain)
    assert not share_enough(1, 9, plain, plain)
    assert not share_enough(0, 0, change, change)


def is_compared(one: str, other: str) -> bool:
    shared, fewest = len(topics(one) & topics(other)), min(len(topics(one)), len(topics(other)))
    return share_enough(shared, fewest, one, other)


def test_statements_that_oppose_each_other_are_chosen_for_comparison() -> None:
    rows = [json.loads(line) for line in SEEN.read_text().splitlines()]
    pairs = [(row["older"], row["newer"]) for row in rows]
    opposed = [pair for pair in pairs if relate(*pair).is_noticed]
    assert [pair for pair in opposed if not is_compared(*pair)] == []
    assert len(opposed) > 50
