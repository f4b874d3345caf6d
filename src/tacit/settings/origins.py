"""Which value holds for each setting, and where it comes from: a default, a line of the file, or the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from tacit.record import Record
from tacit.settings import Settings, key_of, of_environment, of_file, rule_of, variable_of
from tacit.settings.document import told
from tacit.settings.editing import Value


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
