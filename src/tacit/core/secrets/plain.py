"""A text as it reads when escapes are taken away, with the way back to where everything stood.

A secret in a JSON string, in a string inside a string or in the query of an address is the same secret; rows are
written for what it says, not for how it is quoted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache

_BACKSLASHED = (
    r"\\+(?:x(?P<byte>[2-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})(?:\\+u([Dd][C-Fc-f][0-9A-Fa-f]{2}))?|([nrtfbv\"'/]))?"
)
_PERCENT = r"%(2[0267BbCc]|3[A-Ea-e]|7[BCDbcd]|0[9ADad]|60)"
_WHITE = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": " ", "v": "\v"}
_COMMON = {r"\n": "\n", r"\"": '"', r"\\n": "\n", r"\t": "\t", "\\": "\\"}  # most escapes of most texts
_MARK = r"\[redacted:[a-z0-9-]{1,60}(?::[0-9a-f]{8})?\]"
NOTHING = "\x00"  # stands for what is hidden already; no row takes it for a name or a value


class Plain:
    """The text without escapes; `back` finds the place in the original."""

    __slots__ = ("_here", "_there", "text")

    def __init__(self, original: str) -> None:
        self._here: list[int] = [0]
        self._there: list[int] = [0]
        self.text = self._unescaped(original) if "\\" in original or "%" in original else original
        if "[redacted:" in self.text:
            self.text = _compiled(_MARK).sub(lambda mark: NOTHING * len(mark[0]), self.text)

    def back(self, at: int) -> int:
        """Where the sign at this place begins in the original."""
        last = bisect_right(self._here, at) - 1
        return self._there[last] + at - self._here[last]

    def _unescaped(self, original: str) -> str:
        parts: list[str] = []
        size = done = 0
        for escape in _compiled(f"{_BACKSLASHED}|{_PERCENT}").finditer(original):
            begins, ends = escape.span()
            said = _COMMON.get(escape[0]) or _said(escape)
            if ends - begins == len(said):
                continue
            parts += (original[done:begins], said)
            size += begins - done + len(said)
            done = ends
            self._here.append(size)  # what lies behind an escape here lies behind the whole of it there
            self._there.append(ends)
        parts.append(original[done:])
        return "".join(parts)


def _said(escape: re.Match[str]) -> str:
    byte, first, second, letter, percent = escape.groups()
    if byte:
        return chr(int(byte, 16))
    if percent:
        return chr(int(percent, 16))
    if letter:
        return _WHITE.get(letter, letter)
    if not first:
        return "\\"
    code = int(first, 16)
    if second and 0xD800 <= code < 0xDC00:
        return chr(0x10000 + ((code - 0xD800) << 10) + int(second, 16) - 0xDC00)
    return chr(code) + (chr(int(second, 16)) if second else "")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
