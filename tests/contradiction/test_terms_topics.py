"""The topics by which statements are chosen for comparison."""

from __future__ import annotations

import json
from pathlib import Path

from tacit.contradiction.relation import relate
from tacit.contradiction.terms import share_enough, topics

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
