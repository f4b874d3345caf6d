"""The text of `tacit.toml` as the person wrote it: which lines make up a statement, and what each says.

The parser of Python tells no lines. But a statement ends where the lines since its beginning can be parsed for the
first time, so that parser finds them too, and nothing here has to know how TOML is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tacit.record import Record

_COMMENTED_HEADER = re.compile(r"\s*#\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?")


class Statement(Record):
    """A header, or a key with its value: lines from `first` up to `after`, and the table they stand in."""

    first: int
    after: int
    table: tuple[str, ...]
    says: Mapping[str, object] | None  # nothing for a header


class Header(Record):
    """Where lines of a section begin, up to the next header. A commented one counts: people keep its keys below it."""

    first: int
    after: int
    section: str
    live: bool


def statements(text: str) -> Iterator[Statement]:
    """All of them, in order. The text is valid TOML."""
    table: tuple[str, ...] = ()
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if not lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        lines.append(line)
        said = said_by("\n".join(lines))
        if said is None:
            continue
        is_header = lines[0].lstrip().startswith("[")
        table = _path(said) if is_header else table
        yield Statement(number + 1 - len(lines), number + 1, table, None if is_header else said)
        lines = []


def find(found: Sequence[Statement], section: str, key: str) -> Statement | None:
    """The statement that says this setting."""
    for statement in found:
        if (section, key) in _paths(statement.table, statement.says or {}):
            return statement
    return None


def told(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, section and key of everything that is said in a section."""
    for statement in statements(text):
        for path in _paths(statement.table, statement.says or {}):
            if len(path) == 2:
                yield statement.first + 1, *path


def headers(text: str, found: Sequence[Statement]) -> list[Header]:
    """All headers, commented ones too, each with where its lines end."""
    lines = text.split("\n")
    starts = [(one.first, ".".join(one.table), True) for one in found if one.says is None]
    for number, line in enumerate(lines):
        if commented := _COMMENTED_HEADER.fullmatch(line):
            starts.append((number, commented[1], False))
    starts.sort()
    ends = [*(first for first, _, _ in starts[1:]), len(lines)]
    return [Header(first, after, section, live) for (first, section, live), after in zip(starts, ends, strict=False)]


def said_by(text: str) -> dict[str, object] | None:
    """What it says; nothing where it is no TOML, or not all of it. Numbers with a point stay texts: nan equals nan."""
    import tomllib  # heavy, and the vault loads this file with every verb

    try:
        return tomllib.loads(text + "\n", parse_float=str)
    except (ValueError, RecursionError):
        return None


def _path(said: object) -> tuple[str, ...]:
    """The table that a header names."""
    if isinstance(said, list):
        return ("[]", *_path(said[0]))
    if isinstance(said, dict):
        for key, inner in said.items():
            return (str(key), *_path(inner))
    return ()


def _paths(table: tuple[str, ...], said: object) -> Iterator[tuple[str, ...]]:
    """Every key that a statement gives a value, with the tables it is in."""
    if not isinstance(said, dict):
        yield table
        return
    for key, inner in said.items():
        yield from _paths((*table, str(key)), inner)
