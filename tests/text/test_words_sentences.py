"""Sentences are cut where people end them, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements.sentences import normalize_text, prompt_sentences
from tacit.text.words import TextSpan, sentence_spans


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text, [TextSpan(0, len(text))])]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Never commit the .env file. Ask me.", ["Never commit the .env file.", "Ask me."]),
        ("We are on v1.2 now. Good.", ["We are on v1.2 now.", "Good."]),
        ("Use a linter, e.g. ruff. Always.", ["Use a linter, e.g. ruff.", "Always."]),
        ("Allow let .. = x patterns. Yes.", ["Allow let .. = x patterns.", "Yes."]),
        ("Really?! Stop that…", ["Really?!", "Stop that…"]),
        ("- first one\n- second one", ["first one", "second one"]),
        ("1. I do it.\n2. You do it.", ["I do it.", "You do it."]),
        ("a short line\nanother line", ["a short line", "another line"]),
        ("必ずテストする。次に進む。", ["必ずテストする。", "次に進む。"]),
    ],
)
def test_a_text_is_cut_into_sentences(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_a_long_line_goes_on_in_the_next_one() -> None:
    text = "we keep everything that has to do with the build and its caches\nin one folder of the repository"
    assert cut(text) == [text]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab .!?\n-`\"'1>#…。İ"), max_size=120))
def test_places_are_exact_whatever_is_typed(text: str) -> None:
    for phrase in prompt_sentences(text):
        assert text[phrase.span.start : phrase.span.end] == phrase.text
        assert len(phrase.plain) == len(phrase.text)


def test_code_and_quotes_are_covered() -> None:
    assert normalize_text('Run `never` and "always" Now') == 'run `xxxxx` and "xxxxxx" now'
