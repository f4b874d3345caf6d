"""The score of a sentence: what it is made of, and the file with its weights."""

from __future__ import annotations

import json
from pathlib import Path

import tacit.learn.statements.sentences as model
from tacit.learn.statements.sentences import (
    MIN_STATEMENT_SCORE,
    find_form,
    prompt_sentences,
    score_sentence,
    sentence_features,
)
from tests.support.talking import learnt

WEIGHTS = Path(model.__file__).with_name("weights.json")


def score(text: str) -> float:
    return score_sentence(prompt_sentences(text)[0], len(text))


def test_features_tell_words_shape_and_place() -> None:
    text = "Run it first. Never edit `src/gen/api.ts` by hand!"
    first, second = (sentence_features(sentence, len(text)) for sentence in prompt_sentences(text))
    assert {"=run", "^run", "first", "shorter than 5", "typed"} <= first
    assert {"=never", "^never", "last", "code", "path", "shorter than 8"} <= second
    assert "last" not in first


def test_text_without_blanks_has_its_characters_and_pairs_as_words() -> None:
    (sentence,) = prompt_sentences("用中文回答")
    assert {"=用", "=中文", "=回答", "ideographs"} <= sentence_features(sentence, 5)


def test_a_score_is_the_sum_of_the_weights() -> None:
    (sentence,) = prompt_sentences("never push")
    weights = {"": 1.0, "=never": 0.5, "=push": 0.25, "=other": 9.0}
    assert score_sentence(sentence, 10, weights) == 1.75


def test_a_rule_scores_more_than_a_task_and_a_question() -> None:
    rule = score("we never commit generated files, they belong into the release")
    assert rule > MIN_STATEMENT_SCORE
    assert rule > score("fix the failing test in the parser please")
    assert rule > score("why does the build fail?")


def test_the_weights_are_one_small_file_of_finite_numbers() -> None:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert WEIGHTS.stat().st_size <= 150_000
    assert all(abs(weight) < 10 for weight in weights.values())
    assert "" in weights


def test_an_explicit_form_with_a_low_score_is_no_statement() -> None:
    low = "I'll fix it myself"
    assert find_form(prompt_sentences(low)[0]) is not None
    assert score(low) < MIN_STATEMENT_SCORE
    assert learnt(low) == []
