"""From paragraphs and messages to training sentences: cut, cleaned, without doubles, sampled by source."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from bench.training.catalogues import Pair

MOST_CHARS = 140
_FEWEST_CHARS, _FEWEST_WORDS = 12, 3
_FEWEST_FOREIGN_CHARS = 2
_LEAST_LETTERS = 0.72  # of the characters; less is code, tables and paths
_LEAST_ASCII = 0.97  # of an English sentence
_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[A-Z\"'(])")
_MARKUP = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # links of Markdown
    (re.compile(r":[\w:+-]+:`~?([^`<]*)(<[^>]*>)?`"), r"\1"),  # roles of reStructuredText
    (re.compile(r"</?[a-zA-Z][^>]*>"), " "),
    (re.compile(r"`+_*|\*\*+|__+|(?<!\w)\*|\*(?!\w)"), ""),
)
_PLACEHOLDER = re.compile(
    r"%\(\w+\)[sdifr]|%\d*\$?[-+ .\d]*[sdifruxL]+|\$?\{\{?[^{}]*\}\}?|\$\w+\$?|<ph[^>]*>|@\w+@|\{\d\}|__\w+__"
)
_ACCELERATOR = re.compile(r"&(?=\w)|\(_?&?\w\)$|(?<!\w)_(?=\w)")
_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"\w+")
_ADDRESS = re.compile(r"\w+://|www\.|\S+@\S+\.\w")


class Sentence(NamedTuple):
    """A training sentence. `english` is set for one in another language: the teacher reads that instead."""

    source: str
    text: str
    english: str = ""
    language: str = "en"


def sentences(paragraph: str) -> Iterator[str]:
    """Yield the English sentences of a paragraph that are worth training with."""
    plain = _without_markup(paragraph)
    for part in _END.split(plain):
        text = part.strip(" \"'*-–—:•#>")
        if is_sentence(text):
            yield text


def _without_markup(text: str) -> str:
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    return _BLANKS.sub(" ", html.unescape(text)).strip()


def is_sentence(text: str) -> bool:
    """Return whether a text is English prose of a fitting length."""
    if not _FEWEST_CHARS <= len(text) <= MOST_CHARS or _ADDRESS.search(text):
        return False
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    ascii_chars = sum(map(str.isascii, text))
    return (
        letters >= _LEAST_LETTERS * len(text)
        and ascii_chars >= _LEAST_ASCII * len(text)
        and len(text.split()) >= _FEWEST_WORDS
        and not text.isupper()
    )


def cleaned(pair: Pair) -> Sentence | None:
    """Return a translated message as a training sentence; None if it is none."""
    foreign, english = (_message(text) for text in (pair.foreign, pair.english))
    fits = len(english) <= MOST_CHARS and len(foreign) <= 2 * MOST_CHARS and len(foreign) >= _FEWEST_FOREIGN_CHARS
    if not fits or foreign == english or not any(map(str.isalpha, foreign)) or len(_WORDS.findall(english)) < 1:
        return None
    if sum(map(str.isascii, english)) < _LEAST_ASCII * len(english) or _ADDRESS.search(english):
        return None
    # A "translation" into another script that has no letter of it was not translated.
    if pair.language in ("ru", "zh", "ja") and foreign.isascii():
        return None
    return Sentence("", foreign, english, pair.language)


def _message(text: str) -> str:
    return _BLANKS.sub(" ", _ACCELERATOR.sub("", _PLACEHOLDER.sub(" ", _without_markup(text)))).strip(" .:…")


def normalized_hash(text: str) -> int:
    """Return 32 bits that identify a sentence, whatever its case, blanks and punctuation."""
    words = " ".join(_WORDS.findall(text.lower()))
    return int.from_bytes(hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()[:4], "little")


def _place(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{text}".encode("utf-8", "surrogatepass")).digest()[:8]


def sample(given: Iterable[Sentence], most: int, seed: int) -> list[Sentence]:
    """Return at most so many different sentences of one source, in an order that depends on text and seed alone."""
    by_text = {sentence.text: sentence for sentence in given}
    return [by_text[text] for text in sorted(by_text, key=lambda text: _place(seed, text))[:most]]


def without_doubles(given: Iterable[Sentence], excluded: Set[int]) -> Iterator[Sentence]:
    """Yield sentences that did not come before, and whose hash is not among the excluded ones."""
    seen: set[tuple[str, int, int]] = set()
    for sentence in given:
        hashed, english = normalized_hash(sentence.text), normalized_hash(sentence.english or sentence.text)
        key = sentence.language, hashed, english
        if key in seen or hashed in excluded or english in excluded:
            continue
        seen.add(key)
        yield sentence
