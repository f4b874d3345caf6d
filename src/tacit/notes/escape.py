"""One line of Markdown for any text, and the text back from it.

A backslash escapes: `\\n` a line break, `\\u{202E}` a character that would deceive, `\\<` and `` \\` `` what would
open HTML or a fence, `\\(` a bracket that would look like the entry's own ending.
"""

from __future__ import annotations

import re

from tacit.core.text import escape_lies

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BACK = {"n": "\n", "r": "\r", "t": "\t"}
_FENCE = re.compile("`{3,}|~{3,}")
_TRAIL = re.compile(r"\((?=evidence: |reason: |project: )")
_ESCAPED = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("<", "\\<")
    text = _FENCE.sub(lambda run: "".join("\\" + sign for sign in run[0]), text)
    return escape_lies(_TRAIL.sub(r"\\(", text), lambda sign: _NAMED.get(sign) or f"\\u{{{ord(sign):X}}}")


def unescape(line: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _BACK.get(found[2], found[2]), line)
