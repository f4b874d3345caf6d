"""Showing the settings with their origins, and editing one line of `tacit.toml` without changing the others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

from tacit.home.settings import Settings, key_of, rule_of, settings_in_environment, settings_in_file, variable_of
from tacit.record import Record
from tacit.text.formats import TomlStatement, newline_of, parse_statements, parse_toml, table_end, toml_literal

SettingValue = bool | int | str | Sequence[str]


def _package_text(name: str) -> str:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return file.read()


SETTINGS_TEMPLATE = _package_text("tacit.toml")  # the file of a new home
# What each setting does, in one sentence, by its key.
DESCRIPTIONS = dict(line.split(": ", 1) for line in _package_text("settings.txt").splitlines()[1:])


def setting_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, section and key of every value in a section."""
    for statement in parse_statements(text):
        for section, key in _settings_in(statement):
            yield statement.first + 1, section, key


def _settings_in(statement: TomlStatement) -> Iterator[tuple[str, str]]:
    for section, values in statement.values.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            if not isinstance(value, dict):
                yield section, key


def _find_setting(statements: Iterable[TomlStatement], section: str, key: str) -> TomlStatement | None:
    return next((statement for statement in statements if (section, key) in _settings_in(statement)), None)


# Editing. There are several places where a line may go. They are tried in turn, and the first text is used that has the
# new value and otherwise exactly the old values.


def with_setting(text: str, section: str, key: str, value: SettingValue) -> str | None:
    """Return the text with this value; None if the file has to be edited by hand."""
    wanted = parse_toml(text) or {}
    values = wanted.get(section, {})
    if not isinstance(values, dict):
        return None
    wanted[section] = {**values, key: value if isinstance(value, bool | int | str) else list(value)}
    texts = _edited_texts(text, section, key, toml_literal(value))
    return next((new for new in texts if parse_toml(new) == wanted), None)


def without_setting(text: str, section: str, key: str, default: SettingValue) -> str | None:
    """Return the text with the setting as a comment that shows the default; None as in `with_setting`."""
    if _find_setting(parse_statements(text), section, key) is None:
        return text
    with_default = with_setting(text, section, key, default) or ""
    statement = _find_setting(parse_statements(with_default), section, key)
    if statement is None:
        return None
    lines = with_default.split("\n")
    lines[statement.first] = re.sub(r"^[ \t]*", r"\g<0># ", lines[statement.first])
    new = "\n".join(lines)
    actual, wanted = parse_toml(new), parse_toml(with_default) or {}
    if isinstance(values := wanted[section], dict):
        del values[key]
    return new if actual is not None and {section: {}, **actual} == wanted else None


def _edited_texts(text: str, section: str, key: str, literal: str) -> Iterator[str]:
    """Yield the texts that may set the value, the best first.

    The value goes where the old one is, or where a comment below the header shows the default; else below the last key
    of the section; else to the end of the file. A header may be in a comment, and is uncommented then.
    """
    statements, lines, newline = list(parse_statements(text)), text.split("\n"), newline_of(text)
    if statement := _find_setting(statements, section, key):
        old = "\n".join(lines[statement.first : statement.end])
        yield "\n".join(_splice(lines, statement.first, statement.end, _replace_value(old, literal)))
        return
    if lines[-1]:
        lines[-1:] = (lines[-1] + newline).split("\n")
    new_line = f"{key} = {literal}{newline[:-1]}"
    header, headers = -1, {}  # the lines with a header of this section, by its number
    inside_values = {number for statement in statements for number in range(statement.first + 1, statement.end)}
    for number, line in enumerate(lines):
        live = re.sub(r"^(\s*)#\s*", r"\1", line)
        values = None if number in inside_values else parse_toml(live)
        if values == {section: {}}:
            header, headers[number] = number, _splice(lines, number, number + 1, live)
        elif values and live.lstrip().startswith("["):
            header = -1
        elif values and values.keys() == {key} and header in headers:
            yield "\n".join(_splice(headers[header], number, number + 1, _replace_value(live, literal)))
    for header, live_lines in headers.items():
        end = table_end(statements, header)
        yield "\n".join(_splice(live_lines, end, end, new_line))
    for statement in takewhile(lambda statement: not statement.is_header, statements):
        if section in statement.values:
            yield "\n".join(_splice(lines, statement.end, statement.end, f"{section}.{new_line}"))
    before = [newline[:-1]] if text else []
    yield "\n".join((*lines[:-1], *before, f"[{section}]{newline[:-1]}", new_line, ""))


def _splice(lines: Sequence[str], first: int, end: int, new: str) -> list[str]:
    return [*lines[:first], new, *lines[end:]]


def _replace_value(statement: str, literal: str) -> str:
    """Return the statement with another value. Key and blanks stay, and the comment stays in its column."""
    start = statement.index("=") + 1
    start += len(statement[start:]) - len(statement[start:].lstrip(" \t"))
    ends = (*(match.start() for match in re.finditer("#", statement)), len(statement))
    # A `#` begins a comment if the text before it can be parsed.
    end = len(next(statement[:end] for end in ends if parse_toml(statement[:end])).rstrip())
    comment = statement[end:].lstrip(" ")
    blanks = len(statement) - end - len(comment)
    is_aligned = blanks > 1 and "\n" not in statement
    room = blanks + (end - start - len(literal) if is_aligned else 0)
    return statement[:start] + literal + " " * (max(room, 1) if blanks else 0) + comment


# Effective settings and their origins


class SettingOrigin(StrEnum):
    DEFAULT = "default"
    HOME = "home"
    ENVIRONMENT = "environment"


class EffectiveSetting(Record):
    """A setting with its effective value.

    Attributes:
        where: the line of the file, or the variable, that the value comes from.
        variable: what a variable may do.
        ignored: a variable, with its value, that asks for what it may not do.
    """

    key: str
    value: SettingValue
    default: SettingValue
    origin: SettingOrigin
    where: str = ""
    variable: str = ""
    ignored: str = ""


class UnknownSetting(Record):
    """A key of the file, or a variable, that names no setting: misspelt, or of a newer version."""

    key: str
    where: str


def effective_settings(text: str, path: str, environment: Mapping[str, str]) -> list[EffectiveSetting]:
    """Return every setting, in the order of `Settings`. Raise UsageError if one is invalid."""
    in_file, in_environment = settings_in_file(text, path), settings_in_environment(environment)
    lines = {f"{section}.{key}": line for line, section, key in setting_lines(text)}
    settings = []
    for name, default in Settings._field_defaults.items():
        key, rule = key_of(name), rule_of(name)
        setting = EffectiveSetting(key, default, default, SettingOrigin.DEFAULT, variable=rule.name)
        if name in in_file:
            setting = setting._replace(value=in_file[name], origin=SettingOrigin.HOME, where=f"{path}:{lines[key]}")
        if name in in_environment and in_environment[name] != setting.value:
            variable, value = variable_of(name), rule.restrict(setting.value, in_environment[name])
            if value == setting.value:
                setting = setting._replace(ignored=f"{variable}={environment[variable]}")
            else:
                setting = setting._replace(value=value, origin=SettingOrigin.ENVIRONMENT, where=variable)
        settings.append(setting)
    return settings


def unknown_settings(text: str, path: str, environment: Mapping[str, str]) -> Iterator[UnknownSetting]:
    """Yield keys and variables that were probably meant as settings and are none."""
    known = {key_of(name) for name in Settings._fields}
    for line, section, key in setting_lines(text):
        if f"{section}.{key}" not in known:
            yield UnknownSetting(f"{section}.{key}", f"{path}:{line}")
    variables = {variable_of(name) for name in Settings._fields}
    sections = tuple({variable_of(name.split("_")[0]) + "_" for name in Settings._fields})
    for variable in sorted(environment):
        if variable.startswith(sections) and variable not in variables:
            yield UnknownSetting(variable, "the environment")
