"""The gist of what somebody wrote: its first telling sentence, as one line, without the marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.text import clip, escape_lies

_FENCE = re.compile(r"\s{0,9}(?:```|~~~)")
_MARKS = re.compile(r"\s{0,9}(?:#{1,6}\s{1,9}|>\s?|[-*+]\s{1,9}|\d{1,3}[.)]\s{1,9}){1,9}")
_RULE = re.compile(r"[-*_=|:\s]{3,}$")
_STRONG = re.compile(r"\*\*([^*\s][^*]{0,200})\*\*|`([^`]{1,200})`")
# A sentence ends at a sign that a blank follows: not inside `.env`, `v1.2` or `e.g.`.
_END = re.compile(r"(?<![.\s][A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)[.!?。！？]['\")\]]{0,2}(?=\s|$)")
_LEAST = 12  # "Done." and "Perfect!" tell nothing: the next sentence comes too
_LOOKED_AT = 4000


def gist(text: str, limit: int = 160) -> str:
    """At most `limit` characters: the first sentence that says something, of the first line that does."""
    lines = _lines(text[:_LOOKED_AT])
    said = _first_sentence(next(lines, ""), limit)
    if said.endswith(":"):  # what is announced tells more than that it is
        said = f"{said} {_first_sentence(next(lines, ''), limit)}".rstrip()
    return clip(said, limit)


def lead(text: str, limit: int) -> str:
    """The beginning of a text as one line: for lists where the whole would be too long."""
    return clip(" ".join(" ".join(_lines(text[: max(_LOOKED_AT, 4 * limit)])).split()), limit)


def one_line(text: str, limit: int) -> str:
    """The beginning of what is no prose, a command or what it printed: sign by sign as it is, but on one line."""
    return clip(" ".join(text[: 8 * limit].split()), limit)


def visible(text: str) -> str:
    """On one line, without signs that nobody sees."""
    return " ".join(escape_lies(" ".join(text.split()), lambda _: "").split())


def _lines(text: str) -> Iterator[str]:
    """The lines that are prose: code in fences, rules and empty lines are not."""
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and not _RULE.match(line):
            marks = _MARKS.match(line)
            bare = line[marks.end() :] if marks else line
            plain = " ".join(_STRONG.sub(lambda found: found[1] or found[2], bare).split())
            if plain:
                yield plain


def _first_sentence(line: str, limit: int) -> str:
    for end in _END.finditer(line):
        if end.end() > limit:
            break
        if end.end() >= _LEAST:
            return line[: end.end()]
    return line
