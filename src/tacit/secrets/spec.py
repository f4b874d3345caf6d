"""The language that the rows of the tables are written in.

A specification consists of pieces between spaces. A piece of one letter and a count is a run of an alphabet: `a36` is
36 letters or digits, `x8-12` is 8 to 12 hex digits, `a36+` is 36 or more letters or digits. Any other piece is part of a
regular expression. A run with "+" ends where the alphabet ends and is not retried shorter, so that a row costs at most its
own length.
"""

from __future__ import annotations

import re

ALPHABETS = {
    "a": "A-Za-z0-9",
    "b": "A-Za-z0-9+/",
    "d": "0-9",
    "e": "A-Za-z0-9_=-",
    "h": "A-Fa-f0-9",
    "j": "A-Za-z0-9/_-",
    "k": "A-Za-z0-9/_+-",
    "l": "a-z0-9",
    "s": "A-Za-z0-9_.=-",
    "t": "A-Z2-7",
    "u": "A-Z0-9",
    "w": "A-Za-z0-9_-",
    "x": "a-f0-9",
    "z": "A-Za-z",
}
MAX_RUN_CHARS = 4096
UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_MAX_PIECE_CHARS = 8  # no piece of an expression before a keyword is longer
_RUN_SPEC = r"([a-z])(\d+)(?:-(\d+)|(\+))?"

# Name, keywords, words of which one must be shortly before (between commas; none if empty), the expression from the
# keyword on, the check of the value, an example that must match, and one that must not. `{V}` is a value in quotes or
# bare. The last group that matched is the secret.
ContextRow = tuple[str, str, str, str, str, str, str]
# A quote that is not closed extends to the end of the text: in a JSON string, the quote of the string would close it.
QUOTED = r"""(?:"(?P<q>[^"\n\x00]{1,200})(?:"|\Z)|'(?P<s>[^'\n\x00]{1,200})')"""
BARE = r"""(?P<v>[^\s"'`;|&<>(){}\x00-\x1f][^\s"'`;|&<>(){}\x00-\x1f]{0,200})"""
VALUE = rf"(?:{QUOTED}|{BARE})"
PAIR = (
    r"""(?:"[^":\n]{0,100}:(?P<a>[^"\n]{1,200})"|'[^':\n]{0,100}:(?P<b>[^'\n]{1,200})'|"(?P<c>[^":\n]{8,200}):"|"""
    r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"':/]{0,100}):(?:"(?P<d>[^"\n]{1,200})"|'(?P<e>[^'\n]{1,200})'|(?P<f>[^\s"'`;|&]{1,200})))"""
)
# Checks of a value
PAIRED = "paired"  # after a name and a colon: anything but a placeholder
SURE = "sure"  # only a secret can be here: anything but a placeholder or a path
HEADER = "header"  # not a word of prose
RANDOM = "random"  # random characters
LONG = "long"  # long, and not made of words
LITERAL = "literal"  # a password or a key, and not the name of a thing
STATED = "stated"  # a password in a sentence: with a digit or a special character, and not the name of a thing
CODE = "code"  # anything of this form but words
LINKED = "linked"  # certainly random; digests and ids only in a complete URL


def to_regex(specification: str) -> str:
    """Return the regular expression of a specification."""
    return "".join(_piece_regex(piece, f"run{number}") for number, piece in enumerate(specification.split()))


def _piece_regex(piece: str, group: str) -> str:
    """Return the regular expression of a piece.

    What a lookahead matched is never retried. The possessive quantifiers and atomic groups that say the same are
    matched wrongly by Python 3.11.0 to 3.11.4.
    """
    if piece == "uuid":
        return UUID
    run = _parse_run(piece)
    if run is None:
        return piece
    alphabet = ALPHABETS[run[1]]
    if run[4]:
        return f"(?=(?P<{group}>[{alphabet}]{{{run[2]},{MAX_RUN_CHARS}}}))(?P={group})"
    return f"[{alphabet}]{{{run[2]},{run[3]}}}" if run[3] else f"[{alphabet}]{{{run[2]}}}"


def _parse_run(piece: str) -> re.Match[str] | None:
    """Return alphabet, shortest length, longest length and "+" of a run; None if the piece is none."""
    run = re.fullmatch(_RUN_SPEC, piece)
    return run if run and run[1] in ALPHABETS else None


def max_length(specification: str) -> int:
    """Return how many characters a specification matches at most."""
    runs = map(_parse_run, specification.split())
    return sum(int(run[3] or run[2]) if run else _MAX_PIECE_CHARS for run in runs)


def exact_length(specification: str) -> int | None:
    """Return how many characters a specification matches; None if that varies."""
    total = 0
    for piece in specification.split():
        if run := _parse_run(piece):
            if run[3] or run[4]:
                return None
            total += int(run[2])
        elif re.fullmatch(r"\\?[^\\\[\](){}?*+|^$]", piece):
            total += 1
        else:
            return None
    return total
