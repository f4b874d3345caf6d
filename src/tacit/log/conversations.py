"""Bodies of conversations as JSON fields: the types of `core/conversation.py` by their names, and their readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from tacit.core.conversation import (
    Act,
    By,
    Compacted,
    Conversation,
    How,
    Interrupted,
    Outcome,
    PromptGiven,
    ReplyGiven,
    SummedUp,
    Titled,
    ToolUsed,
)
from tacit.log.fields import Fields, text, texts

E = TypeVar("E", bound=StrEnum)


def _one_of(known: Mapping[str, E], fields: Fields, name: str, otherwise: E) -> E:
    """A word that this version does not know yet, or that was purged, is as good as none."""
    return known.get(text(fields, name), otherwise)


_HOW: dict[str, How] = {one.value: one for one in How}
_ACT: dict[str, Act] = {one.value: one for one in Act}
_OUTCOME: dict[str, Outcome] = {one.value: one for one in Outcome}
_BY: dict[str, By] = {one.value: one for one in By}


def _prompt(fields: Fields) -> PromptGiven:
    return PromptGiven(
        text(fields, "agent"),
        text(fields, "text"),
        _one_of(_HOW, fields, "how", How.TYPED),
        text(fields, "about"),
        text(fields, "directory"),
        text(fields, "branch"),
    )


def _tool(fields: Fields) -> ToolUsed:
    return ToolUsed(
        text(fields, "agent"),
        text(fields, "tool"),
        _one_of(_ACT, fields, "act", Act.OTHER),
        text(fields, "input"),
        text(fields, "result"),
        _one_of(_OUTCOME, fields, "outcome", Outcome.UNKNOWN),
        texts(fields, "files"),
        text(fields, "directory"),
        fields.get("aside", False) is True,
        text(fields, "change"),
    )


NAMES: dict[type, str] = {
    PromptGiven: "prompt.given",
    ReplyGiven: "reply.given",
    ToolUsed: "tool.used",
    Interrupted: "turn.interrupted",
    Compacted: "session.compacted",
    Titled: "session.titled",
    SummedUp: "session.summarized",
}
READERS: dict[str, Callable[[Fields], Conversation | Titled | SummedUp]] = {
    "prompt.given": _prompt,
    "reply.given": lambda fields: ReplyGiven(text(fields, "agent"), text(fields, "text"), text(fields, "directory")),
    "tool.used": _tool,
    "turn.interrupted": lambda fields: Interrupted(text(fields, "agent")),
    "session.compacted": lambda fields: Compacted(text(fields, "agent")),
    "session.titled": lambda fields: Titled(
        text(fields, "agent"), text(fields, "text"), _one_of(_BY, fields, "by", By.HOST)
    ),
    "session.summarized": lambda fields: SummedUp(*(text(fields, name) for name in SummedUp._fields)),
}
