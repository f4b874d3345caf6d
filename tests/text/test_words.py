"""The words a text is found by: identifiers whole and in parts, unspaced scripts by pairs (S7)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements.sentences import normalize_text as normalize_prompt
from tacit.learn.statements.sentences import prompt_sentences
from tacit.text.display import clean, clip
from tacit.text.words import STEMS, TextSpan, estimate_tokens, normalize_text, query_terms, sentence_spans, tokenize
from tests.support.events import unhurried


def finds(query: str, text: str) -> bool:
    """Whether a question shares a word with a text."""
    return bool(set(query_terms(query)) & set(tokenize(text)))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("HTTP_TIMEOUT", ["http_timeout", "HTTP", "timeout"]),
        ("worker-47", ["Worker-47", "worker", "47"]),
        ("src/auth.ts", ["src/auth.ts", "src", "auth", "ts"]),
        ("--frozen-lockfile", ["frozen-lockfile", "frozen", "lockfile", "--frozen-lockfile"]),
        ("don't", ["don't", "dont", "DON'T"]),
        ("don’t", ["don’t", "dont"]),
        ("C++", ["c++", "C"]),
        ("C#", ["c#"]),
        ("parseRequestBody", ["parserequestbody", "parse", "request", "body"]),
        ("@types/node", ["@types/node", "types", "node"]),
        ("日本語", ["日本語", "日本", "本語", "語"]),
        ("データベース設計", ["データベース", "設計"]),
        ("한국어", ["한국어", "한국"]),
        ("ｆｕｌｌ", ["full"]),
        ("Größe", ["größe", "GRÖSSE"]),
        ("naïve", ["naïve"]),
        ("$&", ["$&"]),
        ("(quoted),", ["quoted"]),
        ("`code`", ["code"]),
    ],
)
def test_a_name_is_found_by_itself_and_by_its_parts(name: str, parts: list[str]) -> None:
    text = f"we set {name} yesterday"
    assert finds(name, text)
    assert [part for part in parts if not finds(part, text)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("c++", "learn C#"), ("$&", "$1"), ("worker-47", "worker-48"), ("日本", "本日"), ("src/auth.ts", "src/auth.js")],
)
def test_the_whole_name_is_a_word_of_its_own(name: str, text: str) -> None:
    assert name in tokenize(name)
    assert name not in tokenize(text)


@unhurried
@given(st.text(max_size=200))
def test_every_word_of_a_question_is_a_word_of_the_same_text(text: str) -> None:
    text = clean(text)
    assert set(query_terms(text, limit=1000)) <= set(tokenize(text))


@unhurried
@given(st.text(max_size=100))
def test_a_text_with_something_in_it_has_words_without_blanks(text: str) -> None:
    found = list(tokenize(text))
    assert bool(found) == bool(text.split()) or not text.isprintable()
    assert all(word and len(word) <= 64 for word in found)
    assert all(word.split() == [word] for word in found if word.isprintable())


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_terms("how do I run the build") == ["run", "build"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert query_terms("") == []
    # What is left of a contraction is no word of a question.
    assert query_terms("why didn't the session end, and wasn't it closed") == ["session", "end", "closed"]
    assert query_terms("dont merge") == ["dont", "merge"]
    assert query_terms("don't") == tokenize("don't")


def test_a_question_has_each_word_once_and_not_too_many_whatever_their_length() -> None:
    assert query_terms("build build BUILD") == ["build"]
    assert len(query_terms(" ".join(f"word{number}" for number in range(1000)))) == 64
    assert finds("x" * 5000, "x" * 5000)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("ﬁne", "FINE"), ("a \t\n b", "A B"), ("Ⅸ", "ix"), ("é", "e\u0301")],
)
def test_one_spelling_for_comparison(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other)


@unhurried
@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_a_cleaned_text_is_clean_and_can_be_encoded(text: str) -> None:
    assert [clean(one) for one in ("a\0b", "half \ud83d", "ok 日本 \x1b")] == ["a\ufffdb", "half ?", "ok 日本 \x1b"]
    once = clean(text)
    assert clean(once) == once
    assert once.encode("utf-8").decode() == once
    assert "\0" not in once


def test_a_cut_is_visible() -> None:
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdefg", 6) == "abcde…"


@unhurried
@given(st.text(max_size=60), st.text(max_size=60))
def test_two_texts_together_cost_no_more_than_each_alone(one: str, other: str) -> None:
    each, together = (estimate_tokens(one), estimate_tokens(other)), estimate_tokens(one + other)
    assert max(each) <= together <= sum(each)


def test_tokens_are_rather_over_than_underestimated() -> None:
    assert [estimate_tokens(text) for text in ("", "abcd", "abcde", "日本語")] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("café", ["cafe"]),
        ("cafe\u0301", ["cafe"]),
        ("Łódź Ångström", ["lodz", "angstrom"]),
        ("όλα ещё", ["ολα", "еще"]),
        ("йод", ["йод"]),
        ("が", ["が"]),
        ("한국", ["한", "국", "한국"]),
    ],
)
def test_accents_are_folded_where_readers_leave_them_out(text: str, found: list[str]) -> None:
    assert tokenize(text) == found


# Forms of one word have one root; what is no English word stays as it is


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ("connect connected connecting connection connections", "connect"),
        ("hop hopping hopped hops", "hop"),
        ("hope hoping hoped hopes", "hope"),
        ("relational relate relates", "relat"),
        ("happy happiness", "happi"),
        ("digitizer digitize digitized", "digit"),
        ("agreed agree agrees", "agre"),
        ("controlling controlled control", "control"),
        ("sensibility sensible", "sensibl"),
        ("flies", "fli"),
    ],
)
def test_forms_of_a_word_share_a_root(forms: str, expected: str) -> None:
    assert {STEMS[form] for form in forms.split()} == {expected}


def test_names_and_other_scripts_stay_as_they_are_and_words_that_are_not_related_apart() -> None:
    names = ["HTTP_TIMEOUT", "worker-47", "src/auth/login.ts", "größe", "日本", "go", "v2", "--", ""]
    assert [STEMS[name] for name in names] == names
    assert len({STEMS[word] for word in "general generous university rate relay sky skies pass past".split()}) >= 8


# Sentences are cut where people end them, and nowhere else


LONG_LINE = "we keep everything that has to do with the build and its caches"


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
        # a long line goes on in the next one
        (f"{LONG_LINE}\nin one folder of the repository", [f"{LONG_LINE}\nin one folder of the repository"]),
    ],
)
def test_a_text_is_cut_into_sentences(text: str, parts: list[str]) -> None:
    assert [text[span.start : span.end] for span in sentence_spans(text, [TextSpan(0, len(text))])] == parts


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab .!?\n-`\"'1>#…。İ"), max_size=120))
def test_places_are_exact_whatever_is_typed(text: str) -> None:
    for phrase in prompt_sentences(text):
        assert text[phrase.span.start : phrase.span.end] == phrase.text
        assert len(phrase.plain) == len(phrase.text)


def test_code_and_quotes_are_covered() -> None:
    assert normalize_prompt('Run `never` and "always" Now') == 'run `xxxxx` and "xxxxxx" now'
