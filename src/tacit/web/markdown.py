"""Markdown as blocks and spans, as far as agents and people write it in sessions.

No markup is made here. A span is a slice of the text with the styles that it has, and templates print it escaped, as
all text. A link is its words and its address, an image its description and its address: nothing can be followed or
loaded, and HTML is text. Blocks and styles do not nest, so that no text is deep, and the text is read once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tacit.record import Record
from tacit.text.formats import FENCE

_CODE, _STRONG, _EMPHASIS, _STRUCK, _ADDRESS, _MATCH, _HIDDEN = (1 << bit for bit in range(7))
_STYLES = {"*": _EMPHASIS, "**": _STRONG, "~~": _STRUCK, "_": _EMPHASIS}
_MAX_DEPTH = 5  # of a list
_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_ITEM = re.compile(r"([ \t]{0,40})([-*+]|[0-9]{1,4}[.)])[ \t]+(?=\S)")
_QUOTE = re.compile(r"[ ]{0,3}>[ \t]?")
_BACKTICKS = re.compile(r"`+")
_MARK = re.compile(
    r"(?P<escape>\\(?=[\\`*_{}\[\]()#+.!|~<>-]))"
    r"|(?P<link>\]\((?P<address>[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\))?)(?:[ ]\"[^\"\n]{0,200}\")?\))"
    r"|(?P<open>!?\[)|(?P<close>\])"
    r"|(?P<style>(?<!\*)\*{1,3}(?!\*)|~~|_(?!_))"
)


class Span(Record):
    """A part of a text that has the same styles throughout."""

    text: str
    styles: int = 0

    @property
    def is_code(self) -> bool:
        return bool(self.styles & _CODE)

    @property
    def is_strong(self) -> bool:
        return bool(self.styles & _STRONG)

    @property
    def is_emphasis(self) -> bool:
        return bool(self.styles & _EMPHASIS)

    @property
    def is_struck(self) -> bool:
        return bool(self.styles & _STRUCK)

    @property
    def is_address(self) -> bool:
        """Whether it is where a link or an image leads."""
        return bool(self.styles & _ADDRESS)

    @property
    def is_match(self) -> bool:
        """Whether it matches a query."""
        return bool(self.styles & _MATCH)


class Block(Record):
    """A paragraph, heading, item, quote, code, table or rule.

    `level` is that of a heading, or the depth of an item. `label` is the marker of an item, or the language of code.
    `rows` are the rows of a table, the head first, with their cells.
    """

    kind: str
    spans: tuple[Span, ...] = ()
    level: int = 0
    label: str = ""
    rows: tuple[tuple[tuple[Span, ...], ...], ...] = ()


def parse_blocks(text: str, matches: Sequence[tuple[int, int]] = ()) -> list[Block]:
    """Return the blocks of a text in order. `matches` are the parts that match a query."""
    return [*_Reader(text, matches).blocks()]


def parse_spans(text: str, matches: Sequence[tuple[int, int]] = ()) -> tuple[Span, ...]:
    """Return a text of one line in spans."""
    return _Reader(text, matches).spans(0, len(text))


def parse_code(text: str, matches: Sequence[tuple[int, int]] = ()) -> tuple[Span, ...]:
    """Return a text in which no sign is markup in spans."""
    return tuple(_Reader(text, matches).cut(0, len(text), {}))


class _Reader:
    """Reads one text. Parts of it are given by where they begin and end."""

    def __init__(self, text: str, matches: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._matches = sorted(match for match in matches if match[0] < match[1])
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._lines = [*zip(starts, [start - 1 for start in starts[1:]] + [len(text)], strict=True)]

    def blocks(self) -> Iterator[Block]:
        at = 0
        while at < len(self._lines):
            start, stop = self._lines[at]
            line = self._text[start:stop]
            if not line.strip():
                at += 1
            elif fence := FENCE.match(line):
                last = self._end_of_code(at + 1, fence[1])
                code = (self._lines[at + 1][0], self._lines[last - 1][1]) if last > at + 1 else (stop, stop)
                label = line[fence.end() :].strip().partition(" ")[0]
                yield Block("code", tuple(self.cut(*code, {})), label=label)
                at = last + 1
            elif heading := _HEADING.match(line):
                yield Block("heading", self.spans(start + heading.end(), stop), len(heading[1]))
                at += 1
            elif _is_rule(line):
                yield Block("rule")
                at += 1
            elif self._is_table(at):
                last = at + 2
                while last < len(self._lines) and "|" in self._line(last):
                    last += 1
                yield Block("table", rows=tuple(tuple(self._cells(row)) for row in (at, *range(at + 2, last))))
                at = last
            else:
                end = self._end_of_prose(at)
                yield self._prose(at, end)
                at = end

    def _line(self, at: int) -> str:
        return self._text[slice(*self._lines[at])]

    def _end_of_code(self, at: int, fence: str) -> int:
        """Return the line that ends code which begins at a line: its fence, or the end of the text."""
        for number in range(at, len(self._lines)):
            line = self._line(number).strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                return number
        return len(self._lines)

    def _end_of_prose(self, at: int) -> int:
        """Return the line after a paragraph, an item or a quote. Lines that begin nothing else go on with it."""
        is_quote = _QUOTE.match(self._line(at))
        number = at + 1
        while number < len(self._lines):
            line = self._line(number)
            begins = FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line) or _is_rule(line)
            if not line.strip() or begins or self._is_table(number) or bool(_QUOTE.match(line)) != bool(is_quote):
                break
            number += 1
        return number

    def _prose(self, at: int, last: int) -> Block:
        line = self._line(at)
        start, stop = self._lines[at][0], self._lines[last - 1][1]
        if item := _ITEM.match(line):
            depth = min(len(item[1].expandtabs(4)) // 2, _MAX_DEPTH)
            return Block("item", self.spans(start + item.end(), stop), depth, item[2])
        if _QUOTE.match(line):
            marks = [
                (begin, begin + mark.end())
                for begin, end in self._lines[at:last]
                if (mark := _QUOTE.match(self._text[begin:end]))
            ]
            return Block("quote", self.spans(start, stop, hidden=marks))
        return Block("paragraph", self.spans(start, stop))

    def _is_table(self, at: int) -> bool:
        if at + 1 >= len(self._lines) or "|" not in self._line(at):
            return False
        below = self._line(at + 1).strip()
        return "|" in below and "-" in below and not below.strip("|-: \t")

    def _cells(self, at: int) -> Iterator[tuple[Span, ...]]:
        start, stop = self._lines[at]
        line = self._text[start:stop].rstrip().removesuffix("|")
        begin = len(line) - len(line.lstrip())
        begin += line[begin:].startswith("|")
        for cut in [*(mark.start() for mark in re.finditer(r"(?<!\\)\|", line) if mark.start() >= begin), len(line)]:
            cell = line[begin:cut]
            first = start + begin + len(cell) - len(cell.lstrip())
            yield self.spans(first, first + len(cell.strip()))
            begin = cut + 1

    # Spans: at which places which style begins or ends. Parts with one style do not overlap, so that a place where a
    # style begins and ends is none.

    def spans(self, start: int, stop: int, hidden: Sequence[tuple[int, int]] = ()) -> tuple[Span, ...]:
        """Return a part of the text in spans."""
        changes: defaultdict[int, int] = defaultdict(int)
        for part in hidden:
            _mark(changes, part, _HIDDEN)
        opened: dict[str, int] = {}  # where the latest of each style began that did not end yet
        end = start
        for first, last, width in [*self._code(start, stop), (stop, stop, 0)]:
            self._mark_styles(changes, opened, (end, first), (start, stop))
            _mark(changes, (first, last), _CODE)
            _mark(changes, (first, first + width), _HIDDEN)
            _mark(changes, (last - width, last), _HIDDEN)
            end = last
        return tuple(self.cut(start, stop, changes))

    def _code(self, start: int, stop: int) -> list[tuple[int, int, int]]:
        """Return the parts between two equal runs of backticks, with these, and how wide each run is."""
        runs = [run.span() for run in _BACKTICKS.finditer(self._text, start, stop)]
        following: dict[int, int] = {}  # by width, the next run
        partner = [0] * len(runs)
        for number in range(len(runs) - 1, -1, -1):
            width = runs[number][1] - runs[number][0]
            partner[number] = following.get(width, 0)
            following[width] = number
        found, number = [], 0
        while number < len(runs):
            is_escaped = runs[number][0] > start and self._text[runs[number][0] - 1] == "\\"
            if partner[number] and not is_escaped:
                begin, end = runs[number]
                found.append((begin, runs[partner[number]][1], end - begin))
                number = partner[number]
            number += 1
        return found

    def _mark_styles(
        self, changes: defaultdict[int, int], opened: dict[str, int], part: tuple[int, int], block: tuple[int, int]
    ) -> None:
        """Mark what stars, lines and brackets stand for, in a part of a block that has no code."""
        for mark in _MARK.finditer(self._text, *part):
            begin, end = mark.span()
            if mark["escape"]:
                _mark(changes, (begin, end), _HIDDEN)
            elif mark["open"]:
                opened["["] = begin
            elif mark["close"]:
                opened.pop("[", None)
            elif mark["link"] and "[" in opened:
                bracket = opened.pop("[")
                width = 2 if self._text[bracket] == "!" else 1
                for sign in ((bracket, bracket + width), (begin, begin + 2), (mark.end("address"), end)):
                    _mark(changes, sign, _HIDDEN)
                _mark(changes, mark.span("address"), _ADDRESS)
            elif mark["style"]:
                before = self._text[begin - 1] if begin > block[0] else " "
                after = self._text[end] if end < block[1] else " "
                for style, place in _styles_of(mark["style"], begin):
                    if style in opened and _may_close(before, after) and opened[style] + len(style) < place:
                        opener = opened.pop(style)
                        _mark(changes, (opener, opener + len(style)), _HIDDEN)
                        _mark(changes, (place, place + len(style)), _HIDDEN)
                        _mark(changes, (opener, place), _STYLES[style])
                    elif _may_open(before, after):
                        opened[style] = place

    def cut(self, start: int, stop: int, changes: dict[int, int]) -> Iterator[Span]:
        """Yield a part of the text, cut where its styles change."""
        changes = defaultdict(int, changes)
        end = start
        for first, last in self._matches:
            if end <= (first := max(first, start)) < (end := max(end, min(last, stop))):
                _mark(changes, (first, end), _MATCH)
        styles, at = 0, start
        for place in [*sorted(place for place in changes if start <= place < stop), stop]:
            if at < place and not styles & _HIDDEN:
                yield Span(self._text[at:place], styles)
            styles ^= changes[place]
            at = place


def _mark(changes: defaultdict[int, int], part: tuple[int, int], style: int) -> None:
    for place in part:
        changes[place] ^= style


def _styles_of(stars: str, begin: int) -> list[tuple[str, int]]:
    return [("**", begin), ("*", begin + 2)] if stars == "***" else [(stars, begin)]


def _may_open(before: str, after: str) -> bool:
    """Return whether a style may begin between two characters: not in a word, a path or a pattern of files."""
    is_in_word = before.isascii() and before.isalnum()
    return not is_in_word and before not in "/.\\_*" and not after.isspace() and after not in "/.,"


def _may_close(before: str, after: str) -> bool:
    return not before.isspace() and not (after.isascii() and after.isalnum()) and after not in "/_*"


def _is_rule(line: str) -> bool:
    marks = "".join(line.split())
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])
