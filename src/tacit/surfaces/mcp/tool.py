"""A tool: what a model is told of it, what it takes and gives, and what it does with a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tacit.core.errors import StoreUnwell, TacitError
from tacit.record import Record
from tacit.surfaces.mcp.rpc import Json
from tacit.surfaces.mcp.schema import Field, Given, checked, schema

if TYPE_CHECKING:
    from tacit.surfaces.mcp.caller import Caller
    from tacit.vault.vault import Vault

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


def described(tool: Tool) -> Json:
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
    from tacit.core.redaction import refuse_secrets
    from tacit.core.text import clip
    from tacit.vault.named import EVIDENCE_LIMIT

    refuse_secrets(text[:_LOOKED_AT])
    return clip(text.strip(), EVIDENCE_LIMIT)


def unwell(error: OSError) -> StoreUnwell:
    return StoreUnwell(error.strerror or type(error).__name__, "ask the person to type: tacit doctor")


def _gone_wrong(error: TacitError) -> Json:
    from tacit.surfaces.mcp.fence import harmless

    hint = f"\nWhat to do: {harmless(error.hint, 500)}" if error.hint else ""
    return {"content": [_text(f"Not done: {harmless(error.message, 500)}{hint}")], "isError": True}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
