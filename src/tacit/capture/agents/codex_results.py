"""How a call of Codex ended, read from the text that the agent was given back."""

from __future__ import annotations

import json
import re

from tacit.capture.agents.shape import mapping, string, texts
from tacit.core.conversation import Outcome
from tacit.record import Record

_STATUS = re.compile(r"(?:Process exited with code|Exit code:?|exit_code:?) (-?\d{1,5})", re.IGNORECASE)
_HEAD = 600
_OUTPUT = "Output:\n"
_REJECTED = ("rejected by user", "rejected by the user", "denied by a hook", "blocked by hook", "user denied")
_ABORTED = ("aborted by user", "command was aborted", "tool call aborted")


class Ended(Record):
    """The text of a result and how the call ended."""

    text: str
    outcome: Outcome


def ended(output: object) -> Ended:
    """What a call gave back: plain text with a head, or an object written as text, as older versions do it."""
    text = texts(output) or texts(mapping(output).get("content"))
    if isinstance(output, dict) and not text:
        return _object(output)
    if text.startswith("{") and (inner := _parsed(text)):
        return _object(inner)
    return Ended(_without_head(text), _outcome(text))


def by_status(status: object, text: str) -> Ended:
    """What the host itself noted about a command."""
    if isinstance(status, int) and not isinstance(status, bool):
        return Ended(text, Outcome.FAILED if status else Outcome.WELL)
    return Ended(text, Outcome.UNKNOWN)


def _parsed(text: str) -> dict[str, object]:
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _object(output: dict[str, object]) -> Ended:
    text = texts(output.get("output")) or texts(output.get("content")) or string(output.get("error"))
    status = mapping(output.get("metadata")).get("exit_code", output.get("exit_code"))
    if isinstance(status, int):
        return by_status(status, text)
    failed = output.get("success") is False or output.get("isError") is True
    return Ended(text, Outcome.FAILED if failed else _outcome(text))


def _outcome(text: str) -> Outcome:
    head = text[:_HEAD]
    lower = head.lower()
    if any(sign in lower for sign in _REJECTED):
        return Outcome.REJECTED
    if any(sign in lower for sign in _ABORTED):
        return Outcome.UNKNOWN
    found = _STATUS.search(head)
    return Outcome.FAILED if found and found[1] != "0" else Outcome.WELL


def _without_head(text: str) -> str:
    """Without the lines about time and chunks that stand before the output."""
    at = text.find(_OUTPUT, 0, _HEAD)
    return text[at + len(_OUTPUT) :] if at >= 0 and _STATUS.search(text[:at]) else text
