"""A session as a learner hears it, written as short as it can be."""

from __future__ import annotations

from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes.pipeline import learn_fixes
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, ToolAction, ToolOutcome, ToolUsed

AGENT = "claude"


def failed(command: str, error: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", ToolAction.RAN, command, error, ToolOutcome.FAILED)


def ran(command: str, result: str = "", *files: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", ToolAction.RAN, command, result, files=files)


def edited(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Edit", ToolAction.CHANGED, file, files=(file,))


def read(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Read", ToolAction.READ, file)


def heard(*bodies: ConversationBody) -> list[SessionEvent]:
    """The events are named by their place: `e0`, `e1`, …"""
    return [SessionEvent(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def fixes(*bodies: ConversationBody) -> list[Lesson]:
    return list(learn_fixes(heard(*bodies)))


def sentences(*bodies: ConversationBody) -> list[str]:
    return [learnt.sentence for learnt in fixes(*bodies)]
