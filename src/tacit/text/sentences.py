"""Sentences of a text with their exact positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.record import Record


class TextSpan(Record):
    """A part of a text: from here, up to there."""

    start: int
    end: int


# The sentences of a text with their exact places. A dot inside `.env`, `v1.2`, `e.g.` or a file name ends nothing.

# What may end a sentence: marks before a blank, ideographic full stops, line breaks.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]{0,3}(?=\s|$)|(?<![。！？])[。！？]+|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|bzw|z\.b|d\.h|p\.ej|p\.ex)|(?<=\s)\.)\.$", re.IGNORECASE
)
_LIST_MARK = re.compile(r"\s{0,12}(?:[-*+•–—✓❌✅⚠️]{1,2}\s+|\(?\d{1,3}[.)]\s+|[a-z][.)]\s+|#{1,6}\s+|\[[ x]\]\s+|>\s+)")
_MIN_WRAPPED_CHARS = 60  # a line at least this long goes on in the next one


def sentence_spans(text: str, spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """Every sentence of these parts, without blanks and list marks around it."""
    for span in spans:
        start = span.start
        for found in _SENTENCE_END.finditer(text, span.start, span.end):
            if _is_sentence_end(text, found, start, span.end):
                yield from _trimmed_span(text, start, found.end())
                start = found.end()
        yield from _trimmed_span(text, start, span.end)


def _is_sentence_end(text: str, found: re.Match[str], start: int, end: int) -> bool:
    if found[0] == "\n":
        return _is_line_end(text, found.start(), start, end)
    if found.start() > start and found[0][0] == "." and text[found.start() - 1].isspace():
        return False  # `let .. = x`
    if found[0] == "." and _ABBREVIATION.search(text, max(start, found.start() - 12), found.end()):
        return False
    return not _is_item_number(text, start, found)


def _is_item_number(text: str, start: int, found: re.Match[str]) -> bool:
    """`1.` at the beginning is the number of an item, not a sentence."""
    return found[0] == "." and text[start : found.start()].strip().isdigit()


def _is_line_end(text: str, at: int, start: int, end: int) -> bool:
    """A line break ends a sentence unless the line is long and the next one goes on in small letters."""
    line = text[max(start, text.rfind("\n", 0, at) + 1) : at]
    following = text[at + 1 : min(at + 80, end)]
    if not following.strip() or following.startswith("\n") or _LIST_MARK.match(following):
        return True
    first = following.lstrip()[:1]
    return not (len(line) >= _MIN_WRAPPED_CHARS and (first.islower() or first in "`\"'("))


def _trimmed_span(text: str, start: int, end: int) -> Iterator[TextSpan]:
    found = _LIST_MARK.match(text, start, end)
    while found and found.end() > start:
        start = found.end()
        found = _LIST_MARK.match(text, start, end)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield TextSpan(start, end)
