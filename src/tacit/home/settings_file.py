"""Showing and editing `tacit.toml` without touching anything else in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

from tacit.home.settings import Settings, key_of, rule_of, settings_in_environment, settings_in_file, variable_of
from tacit.record import Record

# The text of `tacit.toml` as the person wrote it: which lines make up a statement, and what each says.
#
# The parser of Python tells no lines. But a statement ends where the lines since its beginning can be parsed for the
# first time, so that parser finds them too, and nothing here has to know how TOML is written.

_COMMENTED_HEADER = re.compile(r"\s*#\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?")


class TomlStatement(Record):
    """A header, or a key with its value: lines from `first` up to `after`, and the table they stand in."""

    first: int
    end: int
    table: tuple[str, ...]
    values: Mapping[str, object] | None  # nothing for a header


class TomlHeader(Record):
    """Where lines of a section begin, up to the next header. A commented one counts: people keep its keys below it."""

    first: int
    end: int
    section: str
    is_live: bool


def parse_statements(text: str) -> Iterator[TomlStatement]:
    """All of them, in order. The text is valid TOML."""
    table: tuple[str, ...] = ()
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if not lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        lines.append(line)
        said = parse_toml("\n".join(lines))
        if said is None:
            continue
        is_header = lines[0].lstrip().startswith("[")
        table = _header_path(said) if is_header else table
        yield TomlStatement(number + 1 - len(lines), number + 1, table, None if is_header else said)
        lines = []


def find_statement(found: Sequence[TomlStatement], section: str, key: str) -> TomlStatement | None:
    """The statement that says this setting."""
    for statement in found:
        if (section, key) in _key_paths(statement.table, statement.values or {}):
            return statement
    return None


def setting_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, section and key of everything that is said in a section."""
    for statement in parse_statements(text):
        for path in _key_paths(statement.table, statement.values or {}):
            if len(path) == 2:
                yield statement.first + 1, *path


def parse_headers(text: str, found: Sequence[TomlStatement]) -> list[TomlHeader]:
    """All headers, commented ones too, each with where its lines end."""
    lines = text.split("\n")
    starts = [(one.first, ".".join(one.table), True) for one in found if one.values is None]
    for number, line in enumerate(lines):
        if commented := _COMMENTED_HEADER.fullmatch(line):
            starts.append((number, commented[1], False))
    starts.sort()
    ends = [*(first for first, _, _ in starts[1:]), len(lines)]
    return [
        TomlHeader(first, after, section, live) for (first, section, live), after in zip(starts, ends, strict=False)
    ]


def parse_toml(text: str) -> dict[str, object] | None:
    """What it says; nothing where it is no TOML, or not all of it. Numbers with a point stay texts: nan equals nan."""
    import tomllib  # heavy, and the vault loads this file with every verb

    try:
        return tomllib.loads(text + "\n", parse_float=str)
    except (ValueError, RecursionError):
        return None


def _header_path(said: object) -> tuple[str, ...]:
    """The table that a header names."""
    if isinstance(said, list):
        return ("[]", *_header_path(said[0]))
    if isinstance(said, dict):
        for key, inner in said.items():
            return (str(key), *_header_path(inner))
    return ()


def _key_paths(table: tuple[str, ...], said: object) -> Iterator[tuple[str, ...]]:
    """Every key that a statement gives a value, with the tables it is in."""
    if not isinstance(said, dict):
        yield table
        return
    for key, inner in said.items():
        yield from _key_paths((*table, str(key)), inner)


# Changing one setting in the text of `tacit.toml`, and nothing else of what the person wrote there.
#
# There are several places where a line may go. Each is tried in turn, and the first text that says the new value and
# otherwise exactly what it said before is taken.

SettingValue = bool | int | str | Sequence[str]


def toml_literal(value: SettingValue) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _toml_string(value)
    return f"[{', '.join(map(_toml_string, value))}]"


def _toml_string(text: str) -> str:
    """JSON writes a text as TOML does, but for one sign that TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace(chr(127), r"\u007f")


def with_setting(text: str, section: str, key: str, value: SettingValue) -> str | None:
    """The text in which the setting has this value; nothing where that needs a hand."""
    wanted = _parse_or_empty(text)
    inner = wanted.get(section, {})
    if not isinstance(inner, dict):
        return None
    wanted[section] = {**inner, key: value if isinstance(value, bool | int | str) else list(value)}
    return next(
        (new for new in _edited_texts(text, section, key, toml_literal(value)) if parse_toml(new) == wanted), None
    )


def without_setting(text: str, section: str, key: str, default: SettingValue) -> str | None:
    """The text in which the setting is a comment that shows its default; nothing where that needs a hand."""
    if find_statement(list(parse_statements(text)), section, key) is None:
        return text
    shown = with_setting(text, section, key, default)
    found = find_statement(list(parse_statements(shown or "")), section, key)
    if shown is None or found is None:
        return None
    new = _replace_statement(shown, found, _commented)
    wanted = _parse_or_empty(text)
    inner = wanted.pop(section)
    rest = {name: one for name, one in inner.items() if name != key} if isinstance(inner, dict) else inner
    said = parse_toml(new)
    return new if said is not None and said.pop(section, {}) == rest and said == wanted else None


def _parse_or_empty(text: str) -> dict[str, object]:
    return parse_toml(text) or {}


def _edited_texts(text: str, section: str, key: str, written: str) -> Iterator[str]:
    """The ways to say it, the best first."""
    found = list(parse_statements(text))
    if statement := find_statement(found, section, key):
        yield _replace_statement(text, statement, lambda line: _replace_value(line, written))
        return
    text = _with_final_newline(text)
    line = f"{key} = {written}"
    known = [header for header in parse_headers(text, found) if header.section == section]
    for header in sorted(known, key=lambda header: not header.is_live):
        yield from _inserted_below(text, header, found, line)
    for statement in found:
        if not statement.table and isinstance((statement.values or {}).get(section), dict):
            yield _with_line(text, statement.end, f"{section}.{line}")
    yield _with_new_section(text, section, line)


def _inserted_below(text: str, header: TomlHeader, found: Sequence[TomlStatement], line: str) -> Iterator[str]:
    """Under a header, which is made a live one: in the place of the line that shows the default, else as the last."""
    lines = text.split("\n")
    lines[header.first] = lines[header.first] if header.is_live else _uncommented(lines[header.first])
    key = line.partition(" ")[0]
    ends = [one.end for one in found if header.first <= one.first < header.end]
    for number in range(header.first + 1, header.end):
        live = _uncommented(lines[number])
        if live != lines[number] and (parse_toml(live) or {}).keys() == {key}:
            yield "\n".join((*lines[:number], _replace_value(live, line.partition(" = ")[2]), *lines[number + 1 :]))
    yield _with_line("\n".join(lines), max(ends, default=header.first + 1), line)


def _with_new_section(text: str, section: str, line: str) -> str:
    """A section of its own, at the end."""
    end = _newline_of(text)
    return f"{text}{end if text else ''}[{section}]{end}{line}{end}"


def _with_final_newline(text: str) -> str:
    """With the last line ended as the others are."""
    return text if not text or text.endswith("\n") else text + _newline_of(text)


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _with_line(text: str, number: int, line: str) -> str:
    lines = text.split("\n")
    return "\n".join((*lines[:number], line + _newline_of(text)[:-1], *lines[number:]))


def _replace_statement(text: str, statement: TomlStatement, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    old = "\n".join(lines[statement.first : statement.end])
    return "\n".join((*lines[: statement.first], change(old), *lines[statement.end :]))


def _replace_value(statement: str, written: str) -> str:
    """The statement with another value: its key and its blanks as they were, and the comment in its column."""
    start = statement.index("=") + 1
    start += len(statement[start:]) - len(statement[start:].lstrip(" \t"))
    end = _value_end(statement)
    comment = statement[end:].lstrip(" ")
    blanks = len(statement) - end - len(comment)
    is_aligned = blanks > 1 and "\n" not in statement
    room = blanks + (end - start - len(written) if is_aligned else 0)
    return statement[:start] + written + " " * (max(room, 1) if blanks else 0) + comment


def _value_end(statement: str) -> int:
    """A `#` begins the comment if what is before it is whole."""
    for sign in re.finditer("#", statement):
        if parse_toml(statement[: sign.start()]):
            return len(statement[: sign.start()].rstrip())
    return len(statement.rstrip())


def _commented(line: str) -> str:
    bare = line.lstrip(" \t")
    return f"{line[: len(line) - len(bare)]}# {bare}"


def _uncommented(line: str) -> str:
    return re.sub(r"^(\s*)#\s*", r"\1", line)


# Which value holds for each setting, and where it comes from: a default, a line of the file, or the environment.


class SettingOrigin(StrEnum):
    DEFAULT = "default"
    HOME = "home"
    ENVIRONMENT = "environment"


class EffectiveSetting(Record):
    """A setting with the value that holds. `where` is a line of the file, or a variable; `variable` says what a
    variable may do, and `ignored` is one that asks for what it may not, as it is set."""

    key: str
    value: SettingValue
    default: SettingValue
    origin: SettingOrigin
    where: str = ""
    variable: str = ""
    ignored: str = ""


class UnknownSetting(Record):
    """A key of the file, or a variable, that names no setting: misspelt, or of a newer Tacit."""

    key: str
    where: str


def effective_settings(text: str, path: str, environment: Mapping[str, str]) -> list[EffectiveSetting]:
    """Every setting, in the order of `Settings`."""
    home, wanted = settings_in_file(text, path), settings_in_environment(environment)
    lines = {f"{section}.{key}": line for line, section, key in setting_lines(text)}
    found = []
    for name, default in Settings._field_defaults.items():
        key, rule = key_of(name), rule_of(name)
        one = EffectiveSetting(key, default, default, SettingOrigin.DEFAULT, variable=rule.name)
        if name in home:
            one = one._replace(value=home[name], origin=SettingOrigin.HOME, where=f"{path}:{lines[key]}")
        if name in wanted and wanted[name] != one.value:
            one = _apply_variable(one, name, wanted[name], environment)
        found.append(one)
    return found


def _apply_variable(
    one: EffectiveSetting, name: str, wanted: SettingValue, environment: Mapping[str, str]
) -> EffectiveSetting:
    """As a variable lets it hold. One that changes nothing, though it asks for something else, is ignored."""
    variable, value = variable_of(name), rule_of(name).restrict(one.value, wanted)
    if value == one.value:
        return one._replace(ignored=f"{variable}={environment[variable]}")
    return one._replace(value=value, origin=SettingOrigin.ENVIRONMENT, where=variable)


def unknown_settings(text: str, path: str, environment: Mapping[str, str]) -> Iterator[UnknownSetting]:
    """What was probably meant as a setting and is none."""
    known = {key_of(name) for name in Settings._fields}
    for line, section, key in setting_lines(text):
        if f"{section}.{key}" not in known:
            yield UnknownSetting(f"{section}.{key}", f"{path}:{line}")
    variables = {variable_of(name) for name in Settings._fields}
    sections = tuple({variable_of(name.split("_")[0]) + "_" for name in Settings._fields})
    for variable in sorted(environment):
        if variable.startswith(sections) and variable not in variables:
            yield UnknownSetting(variable, "the environment")
