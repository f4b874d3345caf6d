"""What a tool takes and gives: fields, as JSON Schema for a model, and arguments checked against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from tacit.core.errors import WrongUse
from tacit.record import Record
from tacit.surfaces.mcp.rpc import Json

Type = Literal["string", "integer", "number", "boolean", "array"]
_PYTHON: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
}
_WORDS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


class Field(Record):
    """One named value. A list holds texts, or objects with the fields `each`."""

    name: str
    type: Type
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    each: tuple[Field, ...] = ()


class Given:
    """Arguments that fit their fields."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str, otherwise: int) -> int:
        value = self._values.get(name)
        return value if isinstance(value, int) else otherwise

    def flag(self, name: str, otherwise: bool = False) -> bool:
        value = self._values.get(name)
        return value if isinstance(value, bool) else otherwise

    def texts(self, name: str) -> list[str]:
        value = self._values.get(name)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def schema(fields: Sequence[Field], *, closed: bool = True) -> Json:
    """The JSON Schema of an object with these fields; a closed one has no others."""
    made: Json = {"type": "object", "properties": {field.name: _property(field) for field in fields}}
    if required := [field.name for field in fields if field.required]:
        made["required"] = required
    if closed:
        made["additionalProperties"] = False
    return made


def _property(field: Field) -> Json:
    made: Json = {"type": field.type, "description": field.description}
    if field.choices:
        made["enum"] = list(field.choices)
    if field.least is not None:
        made["minimum"] = field.least
    if field.most is not None:
        made["maximum"] = field.most
    if field.type == "array":
        made["items"] = schema(field.each, closed=False) if field.each else {"type": "string"}
    return made


def checked(fields: Sequence[Field], arguments: Mapping[str, object]) -> Given:
    """The arguments, if they fit; else an error that says what is wanted. What is null counts as left out."""
    known = {field.name: field for field in fields}
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given.keys() - known.keys():
        raise WrongUse(f"there is no argument {name[:40]!r}", f"the arguments are: {', '.join(known) or 'none'}")
    for field in fields:
        if field.name in given:
            _check(field, given[field.name])
        elif field.required:
            raise WrongUse(f"the argument {field.name} is missing", f"{field.name}: {field.description}")
    return Given(given)


def _check(field: Field, value: object) -> None:
    fits = isinstance(value, _PYTHON[field.type]) and isinstance(value, bool) == (field.type == "boolean")
    if not fits or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        raise WrongUse(f"{field.name} must be {_WORDS[field.type]}", f"{field.name}: {field.description}")
    if field.choices and value not in field.choices:
        raise WrongUse(f"{field.name} must be one of: {', '.join(field.choices)}")
    if isinstance(value, int) and not _is_within(field, value):
        raise WrongUse(f"{field.name} must be from {field.least} to {field.most}")


def _is_within(field: Field, value: int) -> bool:
    return (field.least is None or value >= field.least) and (field.most is None or value <= field.most)
