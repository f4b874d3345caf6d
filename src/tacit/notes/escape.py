"""One line of Markdown for any text, and the text back from it.

A backslash escapes: `\\n` a line break, `\\u{202E}` a character that would deceive, `\\<` and `` \\` `` what would
open HTML or a fence, `\\![` an image that a viewer would fetch, `\\(` a bracket that would look like the entry's own
ending.
"""

from __future__ import annotations

import re
import sys

from tacit.core.text import escape_lies

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BACK = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE = re.compile("`{3,}|~{3,}")
# What an entry's own details begin with (notes/long_term.py).
DETAILS = r"(?=evidence: |reason: |project: |seen |conflict|overruled by )"
_TRAIL = re.compile(rf"\({DETAILS}")
_ESCAPED = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("<", "\\<").replace("![", "\\![")
    text = _FENCE.sub(lambda run: "".join("\\" + sign for sign in run[0]), text)
    return escape_lies(_TRAIL.sub(r"\\(", text), lambda sign: _NAMED.get(sign) or f"\\u{{{ord(sign):X}}}")


def unescape(line: str) -> str:
    return _ESCAPED.sub(_unescaped, line)


def _unescaped(found: re.Match[str]) -> str:
    if not found[1]:
        return _BACK.get(found[2], found[2])
    number = int(found[1], 16)
    return chr(number) if number <= sys.maxunicode else found[0]  # a person may type anything
