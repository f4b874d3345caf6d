"""Which value holds for each setting, and where it comes from: a default, a line of the file, or the environment."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from tacit.settings import Settings, key_of, of_environment, of_file, variable_of
from tacit.settings.document import told
from tacit.settings.editing import Value


class Origin(StrEnum):
    DEFAULT = "default"
    HOME = "home"
    ENVIRONMENT = "environment"


class Held(NamedTuple):
    """A setting with the value that holds. `where` is a line of the file, or a variable."""

    key: str
    value: Value
    default: Value
    origin: Origin
    where: str = ""


class Stray(NamedTuple):
    """A key of the file, or a variable, that names no setting: misspelt, or of a newer Tacit."""

    key: str
    where: str


def held(text: str, path: str, environment: Mapping[str, str]) -> list[Held]:
    """Every setting, in the order of `Settings`."""
    home, over = of_file(text, path), of_environment(environment)
    lines = {f"{section}.{key}": line for line, section, key in told(text)}
    return [
        Held(key_of(name), over[name], default, Origin.ENVIRONMENT, variable_of(name))
        if name in over
        else Held(key_of(name), home[name], default, Origin.HOME, f"{path}:{lines[key_of(name)]}")
        if name in home
        else Held(key_of(name), default, default, Origin.DEFAULT)
        for name, default in Settings._field_defaults.items()
    ]


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
