"""What all model APIs have in common: what a client asks, and what it is answered."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Body = dict[str, Any]  # JSON, as the APIs spell it
USED = 20  # the tokens that every answer is said to have cost


class Step(NamedTuple):
    """One answer of the model: a call of a tool, or words that end its turn.

    `tokens` is how long it says the request was.
    """

    text: str = ""
    tool: str = ""
    input: Any = None
    tokens: int = 100


class Entry(NamedTuple):
    """One entry of the conversation that a client sends along: words, or what a tool returned."""

    text: str
    returned: bool = False


class Asked(NamedTuple):
    """A request: the conversation so far, and whether the model may use tools."""

    entries: list[Entry]
    tools: bool


class Sent(NamedTuple):
    """One event of a stream; a plain text is sent as it is."""

    name: str
    content: Body | str


class Api(NamedTuple):
    """One model API. `whole` answers at once, `stream` in events; both take the request, too."""

    read: Callable[[Body], Asked]
    whole: Callable[[Body, Step], Body]
    stream: Callable[[Body, Step], list[Sent]]


def made_up(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def texts(content: object) -> Iterator[str]:
    """Every text below a value of JSON, in order; keys are none."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for value in content.values():
            yield from texts(value)
    elif isinstance(content, list):
        for value in content:
            yield from texts(value)


def all_text(content: object) -> str:
    return "\n".join(texts(content))
