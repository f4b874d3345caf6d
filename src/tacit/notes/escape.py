"""One line of Markdown for any text, and the text back from it.

A backslash escapes: `\\n` a line break, `\\u{202E}` a character that would deceive, `\\<` and `` \\` `` what would
open HTML or a fence, `\\![` an image that a viewer would fetch, `\\]` a link whose target is neither a web page, nor an
address of mail, nor a path, `\\(` a bracket that would look like the entry's own ending.
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
# The end of a link's text, or of the name of a link that is defined, and its target up to a blank. The target may also
# stand on the next line. Only one that certainly names no scheme, or a harmless one, makes a live link: a colon may be
# written as an entity, and viewers differ in what they skip before a scheme.
_LINK = re.compile(r"\](?=[(:]\s*(?P<target>[^\s)]*))")
_LIVE = re.compile(r"https?://|mailto:|[^:&]+\Z", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?:u\{([0-9A-F]{1,6})\}|(.))", re.DOTALL)


def escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("<", "\\<").replace("![", "\\![")
    text = _LINK.sub(lambda end: "]" if _LIVE.match(end["target"]) else "\\]", text)
    text = _FENCE.sub(lambda run: "".join("\\" + sign for sign in run[0]), text)
    return escape_lies(_TRAIL.sub(r"\\(", text), lambda sign: _NAMED.get(sign) or f"\\u{{{ord(sign):X}}}")


def unescape(line: str) -> str:
    return _ESCAPED.sub(_unescaped, line)


def _unescaped(found: re.Match[str]) -> str:
    if not found[1]:
        return _BACK.get(found[2], found[2])
    number = int(found[1], 16)
    return chr(number) if number <= sys.maxunicode else found[0]  # a person may type anything
