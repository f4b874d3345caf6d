"""The short language that rows are written in: `a36` is 36 letters or digits, `x8-12` is 8 to 12 hex digits.

A specification is pieces between spaces. A piece of one letter and a count is a run of an alphabet; any other piece is
part of a regular expression as it stands. Runs end where the alphabet ends and are never tried again shorter, so a
row costs at most its own length.
"""

from __future__ import annotations

import re

ALPHABETS = {
    "a": "A-Za-z0-9",
    "b": "A-Za-z0-9+/",
    "d": "0-9",
    "e": "A-Za-z0-9_=-",
    "h": "A-Fa-f0-9",
    "l": "a-z0-9",
    "s": "A-Za-z0-9_.=-",
    "t": "A-Z2-7",
    "u": "A-Z0-9",
    "w": "A-Za-z0-9_-",
    "x": "a-f0-9",
    "z": "A-Za-z",
}
LONGEST = 4096
UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_PIECE = 8  # no piece of an expression that stands before a keyword is longer
_RUN = r"([a-z])(\d+)(?:-(\d+)|(\+))?"


def expression(specification: str) -> str:
    """The regular expression that a specification stands for."""
    return "".join(map(_piece, specification.split()))


def _piece(piece: str) -> str:
    if piece == "uuid":
        return UUID
    run = re.fullmatch(_RUN, piece)
    if run is None or run[1] not in ALPHABETS:
        return piece
    least, most = int(run[2]), int(run[3] or 0)
    if run[4]:
        return f"[{ALPHABETS[run[1]]}]{{{least},{LONGEST}}}+"
    return f"[{ALPHABETS[run[1]]}]{{{least},{most}}}" if most else f"[{ALPHABETS[run[1]]}]{{{least}}}"


def length(specification: str) -> int:
    """How many characters a specification may take at most, pieces of expressions among them."""
    total = 0
    for piece in specification.split():
        run = re.fullmatch(_RUN, piece)
        total += int(run[3] or run[2]) if run and run[1] in ALPHABETS else _PIECE
    return total


def exact_length(specification: str) -> int | None:
    """How many characters a specification takes, where that is always the same number."""
    total = 0
    for piece in specification.split():
        run = re.fullmatch(_RUN, piece)
        if run and run[1] in ALPHABETS:
            if run[3] or run[4]:
                return None
            total += int(run[2])
        elif re.fullmatch(r"\\?[^\\\[\](){}?*+|^$]", piece):
            total += 1
        else:
            return None
    return total
