"""Changing one setting in the text of `tacit.toml`, and nothing else of what the person wrote there.

There are several places where a line may go. Each is tried in turn, and the first text that says the new value and
otherwise exactly what it said before is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from tacit.settings.document import Header, Statement, find, headers, said_by, statements

Value = bool | int | str | Sequence[str]


def literal(value: Value) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    return f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    """JSON writes a text as TOML does, but for one sign that TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace(chr(127), r"\u007f")


def with_setting(text: str, section: str, key: str, value: Value) -> str | None:
    """The text in which the setting has this value; nothing where that needs a hand."""
    wanted = _said(text)
    inner = wanted.get(section, {})
    if not isinstance(inner, dict):
        return None
    wanted[section] = {**inner, key: value if isinstance(value, bool | int | str) else list(value)}
    return next((new for new in _with(text, section, key, literal(value)) if said_by(new) == wanted), None)


def without_setting(text: str, section: str, key: str, default: Value) -> str | None:
    """The text in which the setting is a comment that shows its default; nothing where that needs a hand."""
    if find(list(statements(text)), section, key) is None:
        return text
    shown = with_setting(text, section, key, default)
    found = find(list(statements(shown or "")), section, key)
    if shown is None or found is None:
        return None
    new = _replaced(shown, found, _commented)
    wanted = _said(text)
    inner = wanted.pop(section)
    rest = {name: one for name, one in inner.items() if name != key} if isinstance(inner, dict) else inner
    said = said_by(new)
    return new if said is not None and said.pop(section, {}) == rest and said == wanted else None


def _said(text: str) -> dict[str, object]:
    return said_by(text) or {}


def _with(text: str, section: str, key: str, written: str) -> Iterator[str]:
    """The ways to say it, the best first."""
    found = list(statements(text))
    if statement := find(found, section, key):
        yield _replaced(text, statement, lambda line: _valued(line, written))
        return
    text = _ended(text)
    line = f"{key} = {written}"
    known = [header for header in headers(text, found) if header.section == section]
    for header in sorted(known, key=lambda header: not header.live):
        yield from _below(text, header, found, line)
    for statement in found:
        if not statement.table and isinstance((statement.says or {}).get(section), dict):
            yield _inserted(text, statement.after, f"{section}.{line}")
    yield _appended(text, section, line)


def _below(text: str, header: Header, found: Sequence[Statement], line: str) -> Iterator[str]:
    """Under a header, which is made a live one: in the place of the line that shows the default, else as the last."""
    lines = text.split("\n")
    lines[header.first] = lines[header.first] if header.live else _uncommented(lines[header.first])
    key = line.partition(" ")[0]
    ends = [one.after for one in found if header.first <= one.first < header.after]
    for number in range(header.first + 1, header.after):
        live = _uncommented(lines[number])
        if live != lines[number] and (said_by(live) or {}).keys() == {key}:
            yield "\n".join((*lines[:number], _valued(live, line.partition(" = ")[2]), *lines[number + 1 :]))
    yield _inserted("\n".join(lines), max(ends, default=header.first + 1), line)


def _appended(text: str, section: str, line: str) -> str:
    """A section of its own, at the end."""
    end = _end_of_line(text)
    return f"{text}{end if text else ''}[{section}]{end}{line}{end}"


def _ended(text: str) -> str:
    """With the last line ended as the others are."""
    return text if not text or text.endswith("\n") else text + _end_of_line(text)


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _inserted(text: str, number: int, line: str) -> str:
    lines = text.split("\n")
    return "\n".join((*lines[:number], line + _end_of_line(text)[:-1], *lines[number:]))


def _replaced(text: str, statement: Statement, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    old = "\n".join(lines[statement.first : statement.after])
    return "\n".join((*lines[: statement.first], change(old), *lines[statement.after :]))


def _valued(statement: str, written: str) -> str:
    """The statement with another value: its key and its blanks as they were, and the comment in its column."""
    start = statement.index("=") + 1
    start += len(statement[start:]) - len(statement[start:].lstrip(" \t"))
    end = _end_of_value(statement)
    comment = statement[end:].lstrip(" ")
    blanks = len(statement) - end - len(comment)
    is_aligned = blanks > 1 and "\n" not in statement
    room = blanks + (end - start - len(written) if is_aligned else 0)
    return statement[:start] + written + " " * (max(room, 1) if blanks else 0) + comment


def _end_of_value(statement: str) -> int:
    """A `#` begins the comment if what is before it is whole."""
    for sign in re.finditer("#", statement):
        if said_by(statement[: sign.start()]):
            return len(statement[: sign.start()].rstrip())
    return len(statement.rstrip())


def _commented(line: str) -> str:
    bare = line.lstrip(" \t")
    return f"{line[: len(line) - len(bare)]}# {bare}"


def _uncommented(line: str) -> str:
    return re.sub(r"^(\s*)#\s*", r"\1", line)
