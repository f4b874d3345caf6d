"""A session as a learner hears it, written as short as it can be."""

from __future__ import annotations

from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes import confirmed_fixes, find_fixes, fix_keys
from tacit.learn.fixes.pairs import Pair, find_pairs
from tacit.learn.fixes.render import sentence_of
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, ToolAction, ToolOutcome, ToolUsed

AGENT = "claude"


def failed(command: str, error: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", ToolAction.RAN, command, error, ToolOutcome.FAILED)


def ran(command: str, result: str = "", *files: str) -> ToolUsed:
    return ToolUsed(AGENT, "Bash", ToolAction.RAN, command, result, files=files)


def called(tool: str, text: str, error: str = "", act: ToolAction = ToolAction.FETCHED) -> ToolUsed:
    """A call of a tool that is no shell; it failed if there is an error."""
    return ToolUsed(AGENT, tool, act, text, error, ToolOutcome.FAILED if error else ToolOutcome.SUCCEEDED)


def edited(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Edit", ToolAction.CHANGED, file, files=(file,))


def read(file: str = "src/a.py") -> ToolUsed:
    return ToolUsed(AGENT, "Read", ToolAction.READ, file)


def heard(*bodies: ConversationBody) -> list[SessionEvent]:
    """The events are named by their place: `e0`, `e1`, …"""
    return [SessionEvent(EventId(f"e{place}"), body) for place, body in enumerate(bodies)]


def pairs(*bodies: ConversationBody) -> list[Pair]:
    return list(find_pairs(heard(*bodies)))


def rendered(*bodies: ConversationBody) -> str:
    """The sentence of the first pair, whatever its score."""
    return sentence_of(pairs(*bodies)[0])


def fixes(*bodies: ConversationBody) -> list[Lesson]:
    """What is learned of a session after another one that showed the same."""
    found = find_fixes(heard(*bodies))
    return confirmed_fixes(found, fix_keys(found))


def sentences(*bodies: ConversationBody) -> list[str]:
    return [lesson.sentence for lesson in fixes(*bodies)]
