"""TOML as lines of text: which statement is in which lines, and values as literals.

The parser of Python reports no lines. But a statement ends where the lines since its beginning can be parsed for the
first time, so that nothing else has to be known of the syntax. Comments, blanks and line ends are kept (ADR 50).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from tacit.record import Record


class TomlStatement(Record):
    """A header, or a key with its value: the lines from `first` up to `end`.

    `values` is what the statement sets, in the tables that it is in. A header sets an empty table.
    """

    first: int
    end: int
    is_header: bool
    values: Mapping[str, object]


def parse_toml(text: str) -> dict[str, object] | None:
    """Return the values of a text; None if it is not valid. Floats stay texts, so that nan equals nan."""
    import tomllib  # slow to import, and not needed by most commands

    try:
        return tomllib.loads(text + "\n", parse_float=str)
    except (ValueError, RecursionError):
        return None


def parse_statements(text: str) -> Iterator[TomlStatement]:
    """Yield all statements in order. The text is valid TOML."""
    header = ""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        lines.append(line)
        statement, is_header = "\n".join(lines), lines[0].lstrip().startswith("[")
        values = parse_toml(statement if is_header else f"{header}\n{statement}")
        if values is not None:
            yield TomlStatement(number - len(lines), number, is_header, values)
            header = statement if is_header else header
            lines = []


def table_end(statements: Sequence[TomlStatement], header: int) -> int:
    """Return the end of the last key below the header in this line; without keys, the end of the header."""
    below = (statement for statement in statements if statement.first > header)
    return max((key.end for key in takewhile(lambda statement: not statement.is_header, below)), default=header + 1)


def newline_of(text: str) -> str:
    """Return how the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def toml_literal(value: bool | int | str | Sequence[str]) -> str:
    """Return a value in TOML. Strings and lists of strings are as in JSON, except that DEL has to be escaped."""
    if not isinstance(value, bool | int | str):
        value = [*value]
    return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")
