"""Types of tools and prompts, their JSON Schema, and who calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from tacit.errors import StoreUnwell, TacitError, WrongUse
from tacit.mcp.protocol import Json
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.home.actor import Speaker
    from tacit.vault.vault import Vault


# Who calls: always an agent, whatever the environment says. Each request opens the home afresh and lets it go.

_NAME = 48
_PATIENCE = 3.0  # seconds: an agent waits for the answer, and a person for the agent


class Caller(Record):
    """A client by the name it gave, and the home it asks."""

    name: str
    home: str | None = None

    def opened(self) -> Vault:
        from tacit.home.home import Home
        from tacit.vault.vault import Vault

        return Vault(Home(self.home, speaking=speaker_of(self.name, os.environ)))


def speaker_of(name: str, environment: Mapping[str, str]) -> Speaker:
    """The agent of this name. The environment tells the session, the host and the clock, and never who speaks."""
    from tacit.home.actor import speaker
    from tacit.text.display import clean, clip, show

    known_as = clip(show(clean(name)).strip(), _NAME) or "unknown"
    return speaker(environment)._replace(actor=f"agent:{known_as}")


def wait_for_turn(vault: Vault) -> None:
    """Before a change: whoever holds the home for long is not waited for as patiently as on the command line."""
    from tacit.disk.lock import FileLock

    home = vault.home.store.home
    if os.path.isdir(home.root):
        with FileLock(home.write_lock, _PATIENCE).held():
            pass


# What a tool takes and gives: fields, as JSON Schema for a model, and arguments checked against them.

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


# A prompt: a text that a person lets their agent begin with, made from what memory says now.


class Prompt(Record):
    name: str
    title: str
    description: str
    takes: tuple[Field, ...]
    run: Callable[[Vault, Given], str]


def described_prompt(prompt: Prompt) -> Json:
    """A prompt as `prompts/list` shows it."""
    arguments = [
        {"name": field.name, "description": field.description, "required": field.required} for field in prompt.takes
    ]
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        **({"arguments": arguments} if arguments else {}),
    }


def made(prompt: Prompt, arguments: Mapping[str, object], caller: Caller) -> Json:
    given = checked(prompt.takes, arguments)
    with caller.opened() as vault:
        text = prompt.run(vault, given)
    message: Json = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


# A tool: what a model is told of it, what it takes and gives, and what it does with a home.

EVERYWHERE = Field("everywhere", "boolean", "true when it holds in every project, not just in this one (default false)")
KINDS = tuple("constraint rule decision convention environment known_fix guidance pattern preference".split())
_LOOKED_AT = 20_000  # characters of an argument in which secrets are looked for


class Told(Record):
    """An answer twice: as text for a model, and as values for a program."""

    text: str
    values: Json


class Tool(Record):
    """`reads` says that it changes nothing, `idempotent` that doing it twice is doing it once."""

    name: str
    title: str
    description: str
    takes: tuple[Field, ...]
    gives: tuple[Field, ...]
    run: Callable[[Vault, Given], Told]
    reads: bool = False
    idempotent: bool = False


def described_tool(tool: Tool) -> Json:
    """A tool as `tools/list` shows it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema(tool.takes),
        "outputSchema": schema(tool.gives, closed=False),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.reads,
            "destructiveHint": False,
            "idempotentHint": tool.reads or tool.idempotent,
            "openWorldHint": False,
        },
    }


def call(tool: Tool, arguments: Mapping[str, object], caller: Caller) -> Json:
    """Run it. What goes wrong is told to the model, which can do better next time."""
    try:
        given = checked(tool.takes, arguments)
        with caller.opened() as vault:
            told = tool.run(vault, given)
    except TacitError as error:
        return _gone_wrong(error)
    except OSError as error:
        return _gone_wrong(unwell(error))
    return {"content": [_text(told.text)], "structuredContent": told.values, "isError": False}


def evidence_of(text: str) -> str:
    """Evidence as long as the home keeps it. The secrets of the whole text are refused, not cut in half."""
    from tacit.home.input import EVIDENCE_LIMIT
    from tacit.secrets.redact import refuse_secrets
    from tacit.text.display import clip

    refuse_secrets(text[:_LOOKED_AT])
    return clip(text.strip(), EVIDENCE_LIMIT)


def unwell(error: OSError) -> StoreUnwell:
    return StoreUnwell(error.strerror or type(error).__name__, "ask the person to type: tacit doctor")


def _gone_wrong(error: TacitError) -> Json:
    from tacit.text.fence import harmless_line

    hint = f"\nWhat to do: {harmless_line(error.hint, 500)}" if error.hint else ""
    return {"content": [_text(f"Not done: {harmless_line(error.message, 500)}{hint}")], "isError": True}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
