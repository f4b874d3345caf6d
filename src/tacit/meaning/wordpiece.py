"""Split text into the tokens of a WordPiece vocabulary, as BERT does.

Text is lower-cased, accents are removed, and each punctuation mark is a word. A word is split into the longest tokens
of the vocabulary from its beginning; all but the first begin with `##`. What the vocabulary is, the caller says by a
function from a token to its row.

Chinese and Japanese differ from BERT, which makes a word of each ideograph: a run of ideographs and kana is one word,
and its longest parts that the vocabulary has are tokens, without `##`. Parts that it lacks are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

CONTINUATION = "##"
_MAX_WORD_CHARS = 100  # longer ones are unknown, which is the limit of the teacher as well
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Co", "Cs")
_IDEOGRAPH_RANGES = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_KANA_RANGE = (0x3041, 0x30FF)
_FIRST_UNSPACED = 0x3041  # no ideograph or kana comes before it

# ASCII that is not a letter or digit is punctuation, `$` and `~` too; white space separates, other controls vanish.
_ASCII_WORDS = {
    code: " " if chr(code) in "\t\n\r " else "" if code < 32 or code == 127 else f" {chr(code)} "
    for code in range(128)
    if not chr(code).isalnum()
}


def split_words(text: str) -> list[str]:
    """Return the words of a text; each punctuation mark is a word, and so is each run of ideographs and kana."""
    if text.isascii():
        return text.lower().translate(_ASCII_WORDS).split()
    return "".join(_separated(text)).split()


def _separated(text: str) -> Iterator[str]:
    """Yield characters, with blanks around those that are words or where another script begins."""
    from unicodedata import category, normalize

    was_unspaced = False
    for char in normalize("NFD", normalize("NFD", text).lower()):
        if char.isascii():
            word = _ASCII_WORDS.get(ord(char), char)
            yield f" {word}" if was_unspaced else word
            was_unspaced = False
            continue
        kind = category(char)
        if kind == "Mn" or kind in _INVISIBLE_CATEGORIES or char == "\ufffd":
            continue
        unspaced = is_unspaced(char)
        if kind[0] == "P":
            yield f" {char} "
        elif kind == "Zs":
            yield " "
        else:
            yield char if unspaced == was_unspaced else f" {char}"
        was_unspaced = unspaced


def is_unspaced(char: str) -> bool:
    """Return whether a character is an ideograph or kana, which are written without blanks between words."""
    code = ord(char)
    if code < _FIRST_UNSPACED:
        return False
    return _KANA_RANGE[0] <= code <= _KANA_RANGE[1] or any(first <= code <= last for first, last in _IDEOGRAPH_RANGES)


def word_pieces(word: str, row: Callable[[str], int | None], longest: int) -> list[int]:
    """Return the rows of the tokens of a word; none if a part of it is no token. `longest` is that of all tokens."""
    if len(word) > _MAX_WORD_CHARS:
        return []
    whole = row(word) if len(word) <= longest else None
    if whole is not None:
        return [whole]
    return _unspaced_pieces(word, row, longest) if is_unspaced(word[0]) else _spaced_pieces(word, row, longest)


def _spaced_pieces(word: str, row: Callable[[str], int | None], longest: int) -> list[int]:
    rows: list[int] = []
    start, prefix = 0, ""
    while start < len(word):
        for end in range(min(len(word), start + longest - len(prefix)), start, -1):
            found = row(prefix + word[start:end])
            if found is not None:
                break
        else:
            return []
        rows.append(found)
        start, prefix = end, CONTINUATION
    return rows


_LONGEST_UNSPACED = 6  # characters of a token of ideographs and kana


def _unspaced_pieces(word: str, row: Callable[[str], int | None], longest: int) -> list[int]:
    rows: list[int] = []
    start = 0
    while start < len(word):
        for end in range(min(len(word), start + min(longest, _LONGEST_UNSPACED)), start, -1):
            found = row(word[start:end])
            if found is not None:
                rows.append(found)
                break
        start = end
    return rows
