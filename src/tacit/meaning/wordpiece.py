"""A text as numbers of the pieces that the model knows: split as BERT splits, then the longest known pieces first.

The pieces are read from the model's own description of them, a `tokenizer.json` of the library `tokenizers`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator

LONGEST = 128  # pieces of a text; the model was trained on no longer ones, and the time grows with them
_LONGEST_WORD = 100  # characters; the model's own limit
_CHARACTERS = 16 * LONGEST  # more cannot matter, and a text may be a megabyte
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_NOT_SHOWN = ("Cc", "Cf", "Co", "Cs")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Pieces:
    """The pieces of one model, by what they are."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._known: dict[str, int] = json.loads(file.read())["model"]["vocab"]

    def numbers(self, text: str) -> list[int]:
        """The pieces of a text between the marks of its start and end."""
        found = [number for word in _words(text[:_CHARACTERS]) for number in self._of_word(word)]
        return [self._known[_START], *found[: LONGEST - 2], self._known[_END]]

    def _of_word(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._known[_UNKNOWN]]
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return [self._known[_UNKNOWN]]
            found.append(self._known[_spelled(word, start, end)])
            start = end
        return found

    def _end_of_piece(self, word: str, start: int) -> int:
        return next((end for end in range(len(word), start, -1) if _spelled(word, start, end) in self._known), start)


def _words(text: str) -> Iterator[str]:
    apart = unicodedata.normalize("NFD", "".join(map(_plain, text)))
    for run in "".join(sign.lower() for sign in apart if unicodedata.category(sign) != "Mn").split():
        yield from _apart(run)


def _plain(sign: str) -> str:
    """Blanks for all that separates, nothing for what is not shown, and room around an ideograph: each is a word."""
    if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
        return " "
    if sign == "\ufffd" or unicodedata.category(sign) in _NOT_SHOWN:
        return ""
    return f" {sign} " if any(first <= ord(sign) <= last for first, last in _IDEOGRAPHS) else sign


def _apart(run: str) -> Iterator[str]:
    """Words and signs of punctuation, each by itself."""
    word = ""
    for sign in run:
        if not _is_punctuation(sign):
            word += sign
            continue
        if word:
            yield word
        yield sign
        word = ""
    if word:
        yield word


def _is_punctuation(sign: str) -> bool:
    """As the model was trained: every sign of ASCII that is no letter and no digit counts, `$` and `~` too."""
    return (sign.isascii() and not sign.isalnum()) or unicodedata.category(sign)[0] == "P"


def _spelled(word: str, start: int, end: int) -> str:
    return word[start:end] if start == 0 else f"##{word[start:end]}"
