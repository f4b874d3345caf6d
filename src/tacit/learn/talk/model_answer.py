"""What a model answered, read strictly: one JSON object of the form that was asked for, or it is no answer."""

from __future__ import annotations

import json
import re

from tacit.core.claim import Kind
from tacit.record import Record

# No habit is among them: those are counted, not told.
_TOLD = (
    Kind.CONSTRAINT,
    Kind.RULE,
    Kind.DECISION,
    Kind.CONVENTION,
    Kind.ENVIRONMENT,
    Kind.KNOWN_FIX,
    Kind.PREFERENCE,
)
KINDS = {kind.label: kind for kind in _TOLD}
_TEXT = {"type": "string"}
# For models that take a schema. It repeats what the prompt says and holds nothing of anybody's.
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {  # a model that has written the quote finds its line and says it better
                    "quote": _TEXT,
                    "evidence": {"type": "array", "items": _TEXT},
                    "type": {"type": "string", "enum": list(KINDS)},
                    "content": _TEXT,
                    "confidence": {"type": "number"},
                },
                "required": ["quote", "evidence", "type", "content", "confidence"],
                "additionalProperties": False,
            },
        },
        "summary": _TEXT,
    },
    "required": ["memories", "summary"],
    "additionalProperties": False,
}
_PARTS = frozenset({"memories", "summary"})
_FIELDS = frozenset({"type", "content", "evidence", "quote", "confidence"})
_MOST = 50  # memories that are looked at, and ids of one
# What models put around an answer even when asked not to: their thinking before it, a code fence around all of it.
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[ \t\r]*\n(.*)\n[ \t]*```", re.DOTALL)


class Claimed(Record):
    """One memory as the model tells it: of the right form, and nothing of it is checked yet."""

    kind: Kind
    content: str
    evidence: tuple[str, ...]
    quote: str
    confidence: float


class Answer(Record):
    """`malformed` counts what stood in it and was no memory, or no summary."""

    claimed: tuple[Claimed, ...]
    malformed: int = 0
    summary: str = ""


def read_answer(text: str) -> Answer | None:
    """Nothing for what is no answer: other words around it, no JSON, JSON of another form. One without a summary is
    one all the same."""
    told = _json(_bare(text))
    if not isinstance(told, dict) or not {"memories"} <= told.keys() <= _PARTS:
        return None
    memories, summary = told["memories"], told.get("summary", "")
    if not isinstance(memories, list):
        return None
    claimed = [claim for one in memories[:_MOST] if (claim := _claimed(one))]
    is_text = isinstance(summary, str)
    return Answer(tuple(claimed), len(memories) - len(claimed) + (not is_text), summary if is_text else "")


def _bare(text: str) -> str:
    thought = _THOUGHT.match(text)
    rest = (text[thought.end() :] if thought else text).strip()
    fenced = _FENCED.fullmatch(rest)
    return fenced[1] if fenced else rest


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _claimed(told: object) -> Claimed | None:
    if not isinstance(told, dict) or told.keys() != _FIELDS:
        return None
    kind, content, quote = told["type"], told["content"], told["quote"]
    evidence, confidence = told["evidence"], told["confidence"]
    if not (isinstance(kind, str) and kind in KINDS and isinstance(content, str) and isinstance(quote, str)):
        return None
    if not isinstance(evidence, list) or not 0 < len(evidence) <= _MOST:
        return None
    if not all(isinstance(label, str) for label in evidence) or not _is_share(confidence):
        return None
    return Claimed(KINDS[kind], content, tuple(dict.fromkeys(evidence)), quote, float(confidence))


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
