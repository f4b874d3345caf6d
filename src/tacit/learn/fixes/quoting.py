"""What the shell does to words before a program sees them, and the lessons that follow whatever the program is."""

from __future__ import annotations

import re

from tacit.learn.fixes.reading import Trouble
from tacit.learn.fixes.typed import outside_quotes, typed, unquoted
from tacit.record import Record

_SAID_BY_A_SHELL = re.compile(
    r"syntax error near|no matches found|: no match\b|event not found|parse error near|bad pattern|bad substitution|"
    r"unknown (?:file attribute|sort specifier)|number expected|unmatched|unexpected eof while looking|"
    r"command not found|not a valid identifier|substitution failed",
    re.IGNORECASE,
)
# Signs that the shell reads itself, those that come in pairs first. A blank is none: it is never the whole reason.
_SIGNS = ("()", "[]", "{}", "*", "?", "!", "&", ";", "|", "<>", "#", "`", "$", "~", "^", "=")
_READ_IN_DOUBLE_QUOTES = ("!", "`", "$")
_JOINT = re.compile(r"(?:[|&;<>]{1,2}|\d?>&?\d?|&>)(?:/dev/null)?")
_ESCAPED = "\\!"


class Quoting(Record):
    """Signs of a word that the shell read, and how that was kept from it."""

    signs: str
    is_path: bool
    is_single: bool  # double quotes were there and were not enough


def quoting(before: str, after: str, trouble: Trouble) -> Quoting | None:
    """Whether a shell tripped over signs in a word, and worked with the same signs in quotes."""
    if not _SAID_BY_A_SHELL.search(trouble.line):
        return None
    kept = [word for word in typed(after) if word[0] in "'\"" or "\\" in word or "'" in word or '"' in word]
    found = (_of(word, kept) for word in typed(before) if not _JOINT.fullmatch(word))
    return next((one for one in found if one), None)


def _of(word: str, kept: list[str]) -> Quoting | None:
    """The signs of one word that stand in quotes, in one of the words of the other command, and did not before."""
    bare = outside_quotes(word)
    for signs in _SIGNS:
        now = [one for one in kept if _has(unquoted(one), signs) and not _has(outside_quotes(one), signs)]
        if _has(bare, signs) and now:
            return Quoting(signs, _is_path(word), is_single=False)
        single = [one for one in now if one.startswith("'")]
        if signs in _READ_IN_DOUBLE_QUOTES and word.startswith('"') and signs in word and single:
            return Quoting(signs, is_path=False, is_single=True)
    return None


def _has(text: str, signs: str) -> bool:
    return all(sign in text for sign in signs)


def _is_path(word: str) -> bool:
    return "/" in word and "://" not in word


def escaped(before: str, after: str, trouble: Trouble) -> bool:
    """Whether a `!` in quotes came to the program with a backslash before it, and the other command has none."""
    return "!" in before and _ESCAPED not in before and "!" not in after and _ESCAPED in trouble.text


def lesson(found: Quoting) -> str:
    signs = " and ".join(_code(sign) for sign in found.signs)
    if found.is_single:
        return f"When a shell command fails on {signs} in double quotes, use single quotes."
    thing = "path" if found.is_path else "argument"
    return f"When a shell command fails on {_article(thing)} {thing} with {signs}, put the {thing} in quotes."


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _code(sign: str) -> str:
    return f"`{sign}`" if sign != "`" else "`` ` ``"


ESCAPED = "When a command fails because the shell hands it `!` in quotes as `\\!`, write the argument without `!`."
