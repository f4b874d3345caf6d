"""Showing and editing `tacit.toml` without touching anything else in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

from tacit.home.settings import Settings, key_of, of_environment, of_file, rule_of, variable_of
from tacit.record import Record

# The text of `tacit.toml` as the person wrote it: which lines make up a statement, and what each says.
#
# The parser of Python tells no lines. But a statement ends where the lines since its beginning can be parsed for the
# first time, so that parser finds them too, and nothing here has to know how TOML is written.

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


# Changing one setting in the text of `tacit.toml`, and nothing else of what the person wrote there.
#
# There are several places where a line may go. Each is tried in turn, and the first text that says the new value and
# otherwise exactly what it said before is taken.

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


# Which value holds for each setting, and where it comes from: a default, a line of the file, or the environment.


class Origin(StrEnum):
    DEFAULT = "default"
    HOME = "home"
    ENVIRONMENT = "environment"


class Held(Record):
    """A setting with the value that holds. `where` is a line of the file, or a variable; `variable` says what a
    variable may do, and `ignored` is one that asks for what it may not, as it is set."""

    key: str
    value: Value
    default: Value
    origin: Origin
    where: str = ""
    variable: str = ""
    ignored: str = ""


class Stray(Record):
    """A key of the file, or a variable, that names no setting: misspelt, or of a newer Tacit."""

    key: str
    where: str


def held(text: str, path: str, environment: Mapping[str, str]) -> list[Held]:
    """Every setting, in the order of `Settings`."""
    home, wanted = of_file(text, path), of_environment(environment)
    lines = {f"{section}.{key}": line for line, section, key in told(text)}
    found = []
    for name, default in Settings._field_defaults.items():
        key, rule = key_of(name), rule_of(name)
        one = Held(key, default, default, Origin.DEFAULT, variable=rule.name)
        if name in home:
            one = one._replace(value=home[name], origin=Origin.HOME, where=f"{path}:{lines[key]}")
        if name in wanted and wanted[name] != one.value:
            one = _restricted(one, name, wanted[name], environment)
        found.append(one)
    return found


def _restricted(one: Held, name: str, wanted: Value, environment: Mapping[str, str]) -> Held:
    """As a variable lets it hold. One that changes nothing, though it asks for something else, is ignored."""
    variable, value = variable_of(name), rule_of(name).hold(one.value, wanted)
    if value == one.value:
        return one._replace(ignored=f"{variable}={environment[variable]}")
    return one._replace(value=value, origin=Origin.ENVIRONMENT, where=variable)


def strays(text: str, path: str, environment: Mapping[str, str]) -> Iterator[Stray]:
    """What was probably meant as a setting and is none."""
    known = {key_of(name) for name in Settings._fields}
    for line, section, key in told(text):
        if f"{section}.{key}" not in known:
            yield Stray(f"{section}.{key}", f"{path}:{line}")
    variables = {variable_of(name) for name in Settings._fields}
    sections = tuple({variable_of(name.split("_")[0]) + "_" for name in Settings._fields})
    for variable in sorted(environment):
        if variable.startswith(sections) and variable not in variables:
            yield Stray(variable, "the environment")
