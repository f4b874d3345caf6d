"""Text that is safe to show: cleaned, clipped and escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def clean(text: str) -> str:
    """What can be stored everywhere: halves of surrogate pairs and NUL become the replacement character."""
    return (
        text.encode("utf-8", "replace").decode().replace("\0", "\ufffd") if not text.isascii() or "\0" in text else text
    )


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the cut made visible."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


# What lies to a reader: controls, direction overrides, invisible and look-alike-blank characters, tags, and the
# 66 code points that are promised never to be characters.
_DECEPTIVE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane | last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_JOINERS = "\u200c\u200d"
# A joiner between letters of these scripts is spelling, not deceit (Arabic to Khmer, without Thai).
_JOINED_SCRIPT = "[\u0600-\u077f\u0860-\u0dff\u1780-\u17b3]"
_VIRAMA = 9  # the combining class of the sign that takes a letter's vowel: a joiner behind it chooses its form
_EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAPS = "[#*0-9]"


def escape_deceptive(text: str, escape: Callable[[str], str]) -> str:
    """Replace each character that would deceive by `escape(character)`; real scripts and emoji stay."""
    if text.isascii() and text.isprintable():
        return text
    return compiled_pattern(_DECEPTIVE).sub(lambda found: _escape_unless_spelling(escape, found), text)


def printable(text: str) -> str:
    """One line for a terminal: line breaks as ⏎, whatever would deceive as <U+XXXX>."""
    return escape_deceptive(text, _format_code_point)


def _escape_unless_spelling(escape: Callable[[str], str], found: re.Match[str]) -> str:
    letter, text, at = found[0], found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return letter if _is_spelling(letter, before, after, text[max(at - 2, 0) : max(at - 1, 0)]) else escape(letter)


def _is_spelling(letter: str, before: str, after: str, earlier: str) -> bool:
    """Whether an invisible letter is part of the spelling of a real script or an emoji."""
    from unicodedata import combining  # seldom needed, and a server that starts should not wait for it

    if (
        letter in _JOINERS
        and before
        and (combining(before) == _VIRAMA or (_is_joined_letter(before) and _is_joined_letter(after)))
    ):
        return True
    if letter == "\u200d":
        drawn = earlier if before == "\ufe0f" else before
        return _is_in_class(_EMOJI, drawn) and _is_in_class(_EMOJI, after)
    if letter == "\ufe0f":
        return _is_in_class(_EMOJI, before) or (_is_in_class(_KEYCAPS, before) and after == "\u20e3")
    return False


def _is_joined_letter(letter: str) -> bool:
    """Whether it is a letter or mark (no digit, sign or control) of a script that is written with joiners."""
    from unicodedata import category

    return _is_in_class(_JOINED_SCRIPT, letter) and category(letter)[0] in "LM"


def _is_in_class(class_: str, letter: str) -> bool:
    return compiled_pattern(class_).match(letter) is not None


@cache
def compiled_pattern(pattern: str) -> re.Pattern[str]:
    """Large classes of letters take long to compile: only where a text needs them."""
    return re.compile(pattern)


def _format_code_point(letter: str) -> str:
    if letter == "\n":
        return "⏎"
    return " " if letter == "\t" else f"<U+{ord(letter):04X}>"


PURGED_MARK = "[purged]"
