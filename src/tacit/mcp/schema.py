"""Types of tools and prompts, their JSON Schema, and who calls."""

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

# Who calls: always an agent, whatever the environment says. Each request opens the home afresh and lets it go.

_MAX_NAME_CHARS = 48
_LOCK_TIMEOUT_SECONDS = 3.0  # seconds: an agent waits for the answer, and a person for the agent


class ClientContext(Record):
    """A client by the name it gave, and the home it asks."""

    name: str
    home: str | None = None

    def open_vault(self) -> Vault:
        from tacit.home.home import Home
        from tacit.vault.vault import Vault

        return Vault(Home(self.home, speaking=client_actor(self.name, os.environ)))


def client_actor(name: str, environment: Mapping[str, str]) -> Actor:
    """The agent of this name. The environment tells the session, the host and the clock, and never who speaks."""
    from tacit.home.actor import current_actor
    from tacit.text.display import clean, clip, printable

    known_as = clip(printable(clean(name)).strip(), _MAX_NAME_CHARS) or "unknown"
    return current_actor(environment)._replace(name=f"agent:{known_as}")


def wait_for_write_lock(vault: Vault) -> None:
    """Before a change: whoever holds the home for long is not waited for as patiently as on the command line."""
    from tacit.disk.lock import FileLock

    home = vault.home.store.paths
    if os.path.isdir(home.root):
        with FileLock(home.write_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            pass


# What a tool takes and gives: fields, as JSON Schema for a model, and arguments checked against them.

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
    """One named value. A list holds texts, or objects with the fields `each`."""

    name: str
    type: FieldType
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    items: tuple[Field, ...] = ()


class McpArguments:
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


def object_schema(fields: Sequence[Field], *, closed: bool = True) -> Json:
    """The JSON Schema of an object with these fields; a closed one has no others."""
    made: Json = {"type": "object", "properties": {field.name: _property_schema(field) for field in fields}}
    if required := [field.name for field in fields if field.required]:
        made["required"] = required
    if closed:
        made["additionalProperties"] = False
    return made


def _property_schema(field: Field) -> Json:
    made: Json = {"type": field.type, "description": field.description}
    if field.choices:
        made["enum"] = list(field.choices)
    if field.minimum is not None:
        made["minimum"] = field.minimum
    if field.maximum is not None:
        made["maximum"] = field.maximum
    if field.type == "array":
        made["items"] = object_schema(field.items, closed=False) if field.items else {"type": "string"}
    return made


def check_arguments(fields: Sequence[Field], arguments: Mapping[str, object]) -> McpArguments:
    """The arguments, if they fit; else an error that says what is wanted. What is null counts as left out."""
    known = {field.name: field for field in fields}
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given.keys() - known.keys():
        raise UsageError(f"there is no argument {name[:40]!r}", f"the arguments are: {', '.join(known) or 'none'}")
    for field in fields:
        if field.name in given:
            _check_value(field, given[field.name])
        elif field.required:
            raise UsageError(f"the argument {field.name} is missing", f"{field.name}: {field.description}")
    return McpArguments(given)


def _check_value(field: Field, value: object) -> None:
    fits = isinstance(value, _PYTHON_TYPES[field.type]) and isinstance(value, bool) == (field.type == "boolean")
    if not fits or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        raise UsageError(f"{field.name} must be {_TYPE_LABELS[field.type]}", f"{field.name}: {field.description}")
    if field.choices and value not in field.choices:
        raise UsageError(f"{field.name} must be one of: {', '.join(field.choices)}")
    if isinstance(value, int) and not _is_in_range(field, value):
        raise UsageError(f"{field.name} must be from {field.minimum} to {field.maximum}")


def _is_in_range(field: Field, value: int) -> bool:
    return (field.minimum is None or value >= field.minimum) and (field.maximum is None or value <= field.maximum)


# A prompt: a text that a person lets their agent begin with, made from what memory says now.


class McpPrompt(Record):
    name: str
    title: str
    description: str
    arguments: tuple[Field, ...]
    run: Callable[[Vault, McpArguments], str]


def describe_prompt(prompt: McpPrompt) -> Json:
    """A prompt as `prompts/list` shows it."""
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
    given = check_arguments(prompt.arguments, arguments)
    with caller.open_vault() as vault:
        text = prompt.run(vault, given)
    message: Json = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


# A tool: what a model is told of it, what it takes and gives, and what it does with a home.

EVERYWHERE_FIELD = Field(
    "everywhere", "boolean", "true when it holds in every project, not just in this one (default false)"
)
KINDS = tuple("constraint rule decision convention environment known_fix guidance pattern preference".split())
_MAX_SCANNED_CHARS = 20_000  # characters of an argument in which secrets are looked for


class McpResult(Record):
    """An answer twice: as text for a model, and as values for a program."""

    text: str
    values: Json


class McpTool(Record):
    """`read_only` says that it changes nothing, `idempotent` that doing it twice is doing it once."""

    name: str
    title: str
    description: str
    arguments: tuple[Field, ...]
    output: tuple[Field, ...]
    run: Callable[[Vault, McpArguments], McpResult]
    read_only: bool = False
    idempotent: bool = False


def describe_tool(tool: McpTool) -> Json:
    """A tool as `tools/list` shows it."""
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
    """Run it. What goes wrong is told to the model, which can do better next time."""
    try:
        given = check_arguments(tool.arguments, arguments)
        with caller.open_vault() as vault:
            told = tool.run(vault, given)
    except TacitError as error:
        return _error_result(error)
    except OSError as error:
        return _error_result(store_error(error))
    return {"content": [_text_content(told.text)], "structuredContent": told.values, "isError": False}


def clip_evidence(text: str) -> str:
    """Evidence as long as the home keeps it. The secrets of the whole text are refused, not cut in half."""
    from tacit.home.input import MAX_EVIDENCE_CHARS
    from tacit.secrets.redact import refuse_secrets
    from tacit.text.display import clip

    refuse_secrets(text[:_MAX_SCANNED_CHARS])
    return clip(text.strip(), MAX_EVIDENCE_CHARS)


def store_error(error: OSError) -> StoreError:
    return StoreError(error.strerror or type(error).__name__, "ask the person to type: tacit doctor")


def _error_result(error: TacitError) -> Json:
    from tacit.text.fence import harmless_line

    hint = f"\nWhat to do: {harmless_line(error.hint, 500)}" if error.hint else ""
    return {"content": [_text_content(f"Not done: {harmless_line(error.message, 500)}{hint}")], "isError": True}


def _text_content(text: str) -> Json:
    return {"type": "text", "text": text}
