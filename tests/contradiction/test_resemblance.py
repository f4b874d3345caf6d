"""What may say the same in other words is worth a question; what tells two rules apart is none."""

from __future__ import annotations

import pytest

from tacit.contradiction.profile import is_restatement
from tacit.contradiction.resemblance import MIN_SIMILARITY, may_say_the_same
from tacit.search.semantic import text_similarity

SAME = (
    ("reply in German", "answer me in German"),
    ("customers are billed by card", "clients pay with their cards"),
    ("empty the cache before you deploy", "the cache has to be cleared ahead of each deployment"),
    ("merge requests must be approved by Ada", "Ada has to approve every merge request"),
    ("start branch names with the ticket", "branch names start with the ticket"),
)
DIFFERENT = (
    ("Ada reviews the parser", "Ida reviews the parser"),
    ("retry the upload 3 times", "retry the upload 4 times"),
    ("the broker calls the worker", "the worker calls the broker"),
    ("no dependencies in the kernel", "no dependencies in the kernel except libc"),
    ("close the valve when the pump is hot", "close the valve when the pump is dry"),
    ("encrypt the backups with age", "encrypt the logs with age"),
    ("run the linter, then the tests", "run the tests, then the linter"),
    ("we usually squash commits", "we always squash commits"),
    ("I prefer tabs in the editor", "we prefer tabs in the editor"),
)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_other_words_for_one_rule_are_asked_about(first: str, second: str) -> None:
    assert text_similarity(first, second) >= MIN_SIMILARITY
    assert may_say_the_same(first, second, text_similarity) and may_say_the_same(second, first, text_similarity)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_tells_two_rules_apart_is_seen(first: str, second: str) -> None:
    assert not is_restatement(first, second)
    assert not may_say_the_same(first, second, text_similarity)
    assert not may_say_the_same(second, first, text_similarity)
