"""Where sentences end, and the sentences of a text. A dot inside `.env`, `v1.2`, `e.g.` or a name ends nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.record import Record

# Possible ends of a sentence: punctuation before a blank, ideographic full stops, line breaks.
_PUNCTUATION = r"(?<![.!?…])[.!?…]+[\"'”’)\]*`]{0,3}(?=\s|$)|(?<![。！？])[。！？]+[\"'”’)\]」』]{0,3}"
_SENTENCE_END = re.compile(_PUNCTUATION)
_SENTENCE_OR_LINE_END = re.compile(rf"{_PUNCTUATION}|\n")
# Also a single letter, as in `J. Smith`.
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|bzw|z\.b|d\.h|p\.ej|p\.ex)|(?<=[\s.])[a-z]|(?<=\s)\.)\.$",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s{0,12}(?:[-*+•–—✓❌✅⚠️]{1,2}\s+|\(?\d{1,3}[.)]\s+|[a-z][.)]\s+|#{1,6}\s+|\[[ x]\]\s+|>\s+)")
_MIN_WRAPPED_CHARS = 60  # of a line that may continue in the next one


class TextSpan(Record):
    """A part of a text. `end` is excluded."""

    start: int
    end: int


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the positions after the punctuation that ends a sentence, with the quotes and brackets that it closes."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _is_sentence_end(text, match, start, len(text)):
            yield match.end()
            start = match.end()


def sentence_spans(text: str, spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """Yield every sentence of these parts, without blanks and list marks around it."""
    for span in spans:
        start = span.start
        for match in _SENTENCE_OR_LINE_END.finditer(text, span.start, span.end):
            if _is_sentence_end(text, match, start, span.end):
                yield from _trimmed_span(text, start, match.end())
                start = match.end()
        yield from _trimmed_span(text, start, span.end)


def _is_sentence_end(text: str, match: re.Match[str], start: int, end: int) -> bool:
    mark, index = match[0], match.start()
    if mark == "\n":
        return _is_line_end(text, index, start, end)
    if index > start and mark[0] == "." and text[index - 1].isspace():
        return False  # `let .. = x`
    if mark == "." and _ABBREVIATION.search(text, max(start, index - 12), match.end()):
        return False
    return not (mark == "." and text[start:index].strip().isdigit())  # `1.` is the number of an item


def _is_line_end(text: str, index: int, start: int, end: int) -> bool:
    """Return whether a line break ends a sentence: not if the line is long and the next one begins in lower case."""
    line = text[max(start, text.rfind("\n", 0, index) + 1) : index]
    following = text[index + 1 : min(index + 80, end)]
    if not following.strip() or following.startswith("\n") or _LIST_MARK.match(following):
        return True
    first = following.lstrip()[:1]
    return not (len(line) >= _MIN_WRAPPED_CHARS and (first.islower() or first in "`\"'("))


def _trimmed_span(text: str, start: int, end: int) -> Iterator[TextSpan]:
    while (mark := _LIST_MARK.match(text, start, end)) and mark.end() > start:
        start = mark.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield TextSpan(start, end)
