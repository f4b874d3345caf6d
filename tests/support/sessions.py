"""Small sessions of a person and an agent: what each of them said and did, a minute apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tacit.model.claim import GLOBAL, Provenance, Scope
from tacit.model.event import Event, EventBody, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.session import Session, fold_session

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HERE = "/home/kim/shop"


def event(number: int, body: EventBody, scope: Scope = GLOBAL, utc_offset_minutes: int = 0) -> Event:
    name = event_id(number, bytes(10))
    at = NINE + timedelta(minutes=number)
    origin = EventOrigin(at, utc_offset_minutes, "host", "s", "user", Provenance.USER_DIRECT)
    return Event(name, name, origin, scope, body)


def folded(*bodies: EventBody) -> Session:
    return fold_session("claude", "s", [event(number, body) for number, body in enumerate(bodies, 1)])


def asked(text: str, how: PromptKind = PromptKind.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about, HERE, "main")


def said(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text, HERE)


def ran(line: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED, result: str = "", *files: str) -> ToolUsed:
    return ToolUsed("claude", "Bash", ToolAction.RAN, line, result, outcome, files, HERE)


def changed(file: str, directory: str = HERE, tool: str = "Edit") -> ToolUsed:
    return ToolUsed("claude", tool, ToolAction.CHANGED, file, files=(file,), directory=directory)
