"""What the server offers, in which form arguments must come, and the calling client.

`catalog.json` has the tools, prompts and templates of resources as clients get them. Only their examples, which are
arguments that fit, are not sent, and a description is one text there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING

from tacit.errors import UsageError
from tacit.record import Record

if TYPE_CHECKING:
    from typing import TypedDict

    from tacit.home.actor import Actor
    from tacit.vault.vault import Vault

    class Property(TypedDict, total=False):
        """The JSON Schema of an argument."""

        type: str
        description: str
        enum: list[str]
        minimum: int
        maximum: int

    class InputSchema(TypedDict, total=False):
        """The JSON Schema of the arguments of a tool."""

        properties: dict[str, Property]
        required: list[str]

    class Tool(TypedDict):
        """A tool as `tools/list` shows it, as far as the server looks at it."""

        name: str
        inputSchema: InputSchema

    class PromptArgument(TypedDict):
        """An argument of a prompt. All of them are texts."""

        name: str
        description: str
        required: bool

    class Prompt(TypedDict, total=False):
        """A prompt as `prompts/list` shows it, as far as the server looks at it."""

        name: str
        description: str
        arguments: list[PromptArgument]

    class Catalog(TypedDict):
        """The lists that clients get."""

        tools: list[Tool]
        prompts: list[Prompt]
        resourceTemplates: list[dict[str, str]]


CATALOG_PATH = os.path.join(os.path.dirname(__file__), "catalog.json")


@cache
def load_catalog() -> Catalog:
    """Return the lists that clients get."""
    with open(CATALOG_PATH, encoding="utf-8") as file:
        catalog: Catalog = json.load(file, object_hook=_without_example)
    return catalog


def _without_example(value: dict[str, object]) -> dict[str, object]:
    if "example" in value and isinstance(lines := value["description"], list):
        del value["example"]
        value["description"] = " ".join(lines)
    return value


# Arguments

_PYTHON_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}
_TYPE_LABELS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


class McpArguments:
    """Arguments that were checked."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str, default: int) -> int:
        value = self._values.get(name)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def texts(self, name: str) -> list[str]:
        values = self._values.get(name)
        return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []


def check_arguments(
    properties: Mapping[str, Property], required: Collection[str], arguments: Mapping[str, object]
) -> McpArguments:
    """Return the checked arguments. Null counts as missing. Raise UsageError if one does not fit."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given.keys() - properties.keys():
        raise UsageError(f"there is no argument {name[:40]!r}", f"the arguments are: {', '.join(properties) or 'none'}")
    for name, schema in properties.items():
        if name in given:
            _check_value(name, schema, given[name])
        elif name in required:
            raise UsageError(f"the argument {name} is missing", f"{name}: {schema['description']}")
    return McpArguments(given)


def _check_value(name: str, schema: Property, value: object) -> None:
    kind = schema["type"]
    fits = isinstance(value, _PYTHON_TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")
    if not fits or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
        raise UsageError(f"{name} must be {_TYPE_LABELS[kind]}", f"{name}: {schema['description']}")
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{name} must be one of: {', '.join(schema['enum'])}")
    if isinstance(value, int) and "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        raise UsageError(f"{name} must be from {schema['minimum']} to {schema['maximum']}")


# The client: always an agent, whatever the environment says

_MAX_NAME_CHARS = 48


class ClientContext(Record):
    """The name of a client, and the home it uses. Each request opens the home anew."""

    name: str
    home: str | None = None

    def open_vault(self) -> Vault:
        from tacit.home.home import Home
        from tacit.home.store import Following, StoreOptions
        from tacit.vault.vault import Vault

        return Vault(Home(self.home, actor=client_actor(self.name, os.environ), options=StoreOptions(Following.THREAD)))


def client_actor(name: str, environment: Mapping[str, str]) -> Actor:
    """Return the agent of this name. The environment gives session, host and clock, never the actor."""
    from tacit.home.actor import current_actor
    from tacit.text.display import clean, clip, printable

    label = clip(printable(clean(name)).strip(), _MAX_NAME_CHARS) or "unknown"
    return current_actor(environment)._replace(name=f"agent:{label}")
