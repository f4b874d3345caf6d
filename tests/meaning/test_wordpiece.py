"""Text to words and tokens, as the teacher's own tokenizer splits it."""

from __future__ import annotations

import pytest

from tacit.meaning.wordpiece import split_words, word_pieces

_VOCABULARY = {
    token: row for row, token in enumerate(["run", "##ning", "##n", "##ing", "runner", "да", "##ни", "東京", "都"])
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Never push to main!", "never push to main !"),
        ("git rebase --onto=a_b", "git rebase - - onto = a _ b"),
        ("a\tb\nc\x00d", "a b cd"),
        ("Déjà vu – naïve", "deja vu – naive"),
        ("Über\u00a0die Straße", "uber die straße"),
        ("“quoted” …", "“ quoted ” …"),
        ("设置a文件", "设置 a 文件"),
        ("ファイルを開く。", "ファイルを開く 。"),
        ("zero\u200bwidth", "zerowidth"),
        ("", ""),
    ],
)
def test_words(text: str, words: str) -> None:
    assert split_words(text) == words.split()


@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("run", ["run"]),
        ("running", ["run", "##ning"]),
        ("runners", []),  # no token for the rest of it
        ("дани", ["да", "##ни"]),
        ("東京都", ["東京", "都"]),
        ("西東京", ["東京"]),  # what is unknown between ideographs is skipped
        ("x" * 101, []),
    ],
)
def test_pieces_are_the_longest_ones_from_the_beginning(word: str, tokens: list[str]) -> None:
    assert word_pieces(word, _VOCABULARY.get, 8) == [_VOCABULARY[token] for token in tokens]
