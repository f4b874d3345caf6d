"""A prompt: a text that a person lets their agent begin with, made from what memory says now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tacit.record import Record
from tacit.surfaces.mcp.rpc import Json
from tacit.surfaces.mcp.schema import Field, Given, checked

if TYPE_CHECKING:
    from tacit.surfaces.mcp.caller import Caller
    from tacit.vault.vault import Vault


class Prompt(Record):
    name: str
    title: str
    description: str
    takes: tuple[Field, ...]
    run: Callable[[Vault, Given], str]


def described(prompt: Prompt) -> Json:
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
