"""Types of tools and prompts, their JSON Schema, checked arguments, and the calling client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from tacit.errors import StoreError, TacitError, UsageError
from tacit.mcp.protocol import Json
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.home.actor import Actor
    from tacit.vault.vault import Vault

# The client: always an agent, whatever the environment says

_MAX_NAME_CHARS = 48
_LOCK_TIMEOUT_SECONDS = 3.0  # an agent waits for the answer, and a person for the agent


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


def wait_for_write_lock(vault: Vault) -> None:
    """Wait until nobody writes to the home, for a shorter time than the command line does. Raise StoreError."""
    from tacit.disk.lock import FileLock

    home = vault.home.store.paths
    if os.path.isdir(home.root):
        with FileLock(home.write_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            pass


# Fields as JSON Schema, and arguments that are checked against them

FieldType = Literal["string", "integer", "number", "boolean", "array"]
_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
}
_TYPE_LABELS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


class Field(Record):
    """A named value. An array has strings as items, or objects with the fields `items`."""

    name: str
    type: FieldType
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    items: tuple[Field, ...] = ()


class McpArguments:
    """Arguments that were checked against their fields."""

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

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._values.get(name)
        return value if isinstance(value, bool) else default

    def texts(self, name: str) -> list[str]:
        values = self._values.get(name)
        return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []


def object_schema(fields: Sequence[Field], *, closed: bool = True) -> Json:
    """Return the JSON Schema of an object with these fields. A closed one has no others."""
    schema: Json = {"type": "object", "properties": {field.name: _property_schema(field) for field in fields}}
    if required := [field.name for field in fields if field.required]:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def _property_schema(field: Field) -> Json:
    schema: Json = {"type": field.type, "description": field.description}
    if field.choices:
        schema["enum"] = list(field.choices)
    if field.minimum is not None:
        schema["minimum"] = field.minimum
    if field.maximum is not None:
        schema["maximum"] = field.maximum
    if field.type == "array":
        schema["items"] = object_schema(field.items, closed=False) if field.items else {"type": "string"}
    return schema


def check_arguments(fields: Sequence[Field], arguments: Mapping[str, object]) -> McpArguments:
    """Return the checked arguments. Null counts as missing. Raise UsageError if one does not fit."""
    fields_by_name = {field.name: field for field in fields}
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given.keys() - fields_by_name.keys():
        raise UsageError(
            f"there is no argument {name[:40]!r}", f"the arguments are: {', '.join(fields_by_name) or 'none'}"
        )
    for field in fields:
        if field.name in given:
            _check_value(field, given[field.name])
        elif field.required:
            raise UsageError(f"the argument {field.name} is missing", f"{field.name}: {field.description}")
    return McpArguments(given)


def _check_value(field: Field, value: object) -> None:
    fits = isinstance(value, _PYTHON_TYPES[field.type]) and isinstance(value, bool) == (field.type == "boolean")
    if not fits or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
        raise UsageError(f"{field.name} must be {_TYPE_LABELS[field.type]}", f"{field.name}: {field.description}")
    if field.choices and value not in field.choices:
        raise UsageError(f"{field.name} must be one of: {', '.join(field.choices)}")
    if isinstance(value, int):
        low, high = field.minimum, field.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            raise UsageError(f"{field.name} must be from {low} to {high}")


# Prompts and tools


class McpPrompt(Record):
    """A text that a person starts their agent with; `run` renders it."""

    name: str
    title: str
    description: str
    arguments: tuple[Field, ...]
    run: Callable[[Vault, McpArguments], str]


def describe_prompt(prompt: McpPrompt) -> Json:
    """Return a prompt as `prompts/list` shows it."""
    arguments = [
        {"name": field.name, "description": field.description, "required": field.required} for field in prompt.arguments
    ]
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        **({"arguments": arguments} if arguments else {}),
    }


def render_prompt(prompt: McpPrompt, arguments: Mapping[str, object], caller: ClientContext) -> Json:
    checked = check_arguments(prompt.arguments, arguments)
    with caller.open_vault() as vault:
        text = prompt.run(vault, checked)
    message: Json = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


EVERYWHERE_FIELD = Field(
    "everywhere", "boolean", "true when it holds in every project, not just in this one (default false)"
)
KINDS = tuple("constraint rule decision convention environment known_fix guidance pattern preference".split())
_MAX_SCANNED_CHARS = 20_000  # of an argument that are searched for secrets


class McpResult(Record):
    """A result as text for a model and as values for a program."""

    text: str
    values: Json


class McpTool(Record):
    """A tool: its description for a model, its arguments and output, and the function that runs it."""

    name: str
    title: str
    description: str
    arguments: tuple[Field, ...]
    output: tuple[Field, ...]
    run: Callable[[Vault, McpArguments], McpResult]
    read_only: bool = False
    idempotent: bool = False


def describe_tool(tool: McpTool) -> Json:
    """Return a tool as `tools/list` shows it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": object_schema(tool.arguments),
        "outputSchema": object_schema(tool.output, closed=False),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.read_only,
            "destructiveHint": False,
            "idempotentHint": tool.read_only or tool.idempotent,
            "openWorldHint": False,
        },
    }


def run_tool(tool: McpTool, arguments: Mapping[str, object], caller: ClientContext) -> Json:
    """Run a tool and return its result. Errors are results too, so that the model can correct itself."""
    try:
        checked = check_arguments(tool.arguments, arguments)
        with caller.open_vault() as vault:
            result = tool.run(vault, checked)
    except TacitError as error:
        return _error_result(error)
    except OSError as error:
        message = error.strerror or type(error).__name__
        return _error_result(StoreError(message, "ask the person to type: tacit doctor"))
    return {"content": [_text_content(result.text)], "structuredContent": result.values, "isError": False}


def clip_evidence(text: str) -> str:
    """Return evidence clipped to what the home stores. Raise RefusedError if the text before the cut has a secret."""
    from tacit.home.input import MAX_EVIDENCE_CHARS
    from tacit.secrets.redact import refuse_secrets
    from tacit.text.display import clip

    refuse_secrets(text[:_MAX_SCANNED_CHARS])
    return clip(text.strip(), MAX_EVIDENCE_CHARS)


def _error_result(error: TacitError) -> Json:
    from tacit.text.display import harmless_line

    hint = f"\nWhat to do: {harmless_line(error.hint, 500)}" if error.hint else ""
    return {"content": [_text_content(f"Not done: {harmless_line(error.message, 500)}{hint}")], "isError": True}


def _text_content(text: str) -> Json:
    return {"type": "text", "text": text}
