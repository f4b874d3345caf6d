"""A session as a learner hears it, written as short as it can be."""

from __future__ import annotations

from tacit.learn.fixes.pipeline import learnt_from
from tacit.learn.types import Learnt, Said
from tacit.model.ids import EventId
from tacit.model.observation import Act, Conversation, Outcome, ToolUsed

AGENT = "claude"


def failed(command: str, error: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", Act.RAN, command, error, Outcome.FAILED)


def ran(command: str, result: str = "", *files: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", Act.RAN, command, result, files=files)


def edited(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Edit", Act.CHANGED, file, files=(file,))


def read(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Read", Act.READ, file)


def heard(*bodies: Conversation) -> list[Said]:
    """The events are named by their place: `e0`, `e1`, …"""
    return [Said(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def fixes(*bodies: Conversation) -> list[Learnt]:
    return list(learnt_from(heard(*bodies)))


def sentences(*bodies: Conversation) -> list[str]:
    return [learnt.sentence for learnt in fixes(*bodies)]
