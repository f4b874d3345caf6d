"""What a model is shown and asked, and the strict parsing of its answer. The text of the prompt is in `prompt.toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache

from tacit.learn import SessionEvent, load_data
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId, sha256
from tacit.model.observation import ConversationBody, PromptGiven, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip, printable
from tacit.text.words import estimate_tokens

# The excerpt of a conversation: each event as one line of JSON under a short label, redacted, within a size.
#
# A model quotes what it was shown. `ExcerptPart` has also the original text, so that a quote can be located there.

_MAX_PROMPT_CHARS, _MAX_REPLY_CHARS, _MAX_ABOUT_CHARS, _MAX_CALL_CHARS, _MAX_RESULT_CHARS = 2000, 600, 300, 300, 400


class ExcerptPart(Record):
    """Words of one speaker, as a model is shown them and as they were said."""

    name: str
    shown: str
    original: str
    provenance: Provenance


class ExcerptLine(Record):
    """One event of a conversation. Only `parts` can be quoted; `content` is all its words, `text` the line as sent."""

    label: str
    event_id: EventId
    parts: tuple[ExcerptPart, ...]
    content: str
    text: str


class _ExcerptItem(Record):
    """What is shown of an event. A lower `priority` is taken first if there is no room for all."""

    priority: int
    parts: tuple[ExcerptPart, ...]
    about: str = ""
    is_failed: bool = False


def build_excerpt(events: Sequence[SessionEvent], max_tokens: int) -> tuple[ExcerptLine, ...]:
    """Return the lines for a model, in order: the person's words first, and the latest of each kind."""
    items = [(number, event, item) for number, event in enumerate(events, 1) if (item := _excerpt_item(event.body))]
    lines: list[tuple[int, ExcerptLine]] = []
    for number, event, item in sorted(items, key=lambda row: (row[2].priority, -row[0])):
        line = _excerpt_line(f"e{number}", event.event_id, item)
        tokens = estimate_tokens(line.text) + 1
        if tokens <= max_tokens:
            max_tokens -= tokens
            lines.append((number, line))
    return tuple(line for _, line in sorted(lines))


def _excerpt_item(body: ConversationBody) -> _ExcerptItem | None:
    match body:
        case PromptGiven():
            part = _excerpt_part("user", body.text, _MAX_PROMPT_CHARS, Provenance.USER_DIRECT)
            return _ExcerptItem(0, (part,), redacted_line(body.about, _MAX_ABOUT_CHARS)) if part.shown else None
        case ReplyGiven():
            part = _excerpt_part("agent", body.text, _MAX_REPLY_CHARS, Provenance.MODEL)
            return _ExcerptItem(2, (part,)) if part.shown else None
        case ToolUsed():  # what the agent asked for is the agent's; what came back is the world's
            source = Provenance.EXTERNAL if body.act is ToolAction.FETCHED else Provenance.TOOL_LOCAL
            parts = [_excerpt_part("call", body.input or body.tool, _MAX_CALL_CHARS, Provenance.MODEL)]
            parts += [_excerpt_part("result", body.result, _MAX_RESULT_CHARS, source)] if body.result else []
            is_failed = body.outcome in (ToolOutcome.FAILED, ToolOutcome.REJECTED)
            return _ExcerptItem(1 if body.outcome is ToolOutcome.FAILED else 3, tuple(parts), is_failed=is_failed)
    return None


def _excerpt_part(name: str, text: str, max_chars: int, provenance: Provenance) -> ExcerptPart:
    return ExcerptPart(name, redacted_line(text, max_chars), text, provenance)


def redacted_line(text: str, max_chars: int) -> str:
    """Return a text on one line. It is redacted before it is cut: half a secret is not recognised."""
    return clip(printable(" ".join(redacted(clean(text)).split())), max_chars)


def _excerpt_line(label: str, event: EventId, item: _ExcerptItem) -> ExcerptLine:
    fields = {
        **({"answering": item.about} if item.about else {}),
        **({"failed": True} if item.is_failed else {}),
        **{part.name: part.shown for part in item.parts},
        "id": label,  # last: a model that has just copied a quote goes on with it
    }
    content = " ".join((item.about, *(part.shown for part in item.parts)))
    return ExcerptLine(label, event, item.parts, content, json.dumps(fields, ensure_ascii=False))


def build_prompt(excerpt: Sequence[ExcerptLine]) -> str:
    """Return exactly what is sent. The same conversation always makes the same text.

    The conversation stands between two marks that nothing in it can forge: they contain a hash of it.
    """
    texts = _prompt_texts()
    lines = "\n".join(line.text for line in excerpt)
    mark = sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{texts['instructions']}<conversation {mark}>\n{lines}\n</conversation {mark}>\n\n{texts['answer_format']}"


@cache
def _prompt_texts() -> dict[str, str]:
    return load_data("llm/prompt.toml")


# The answer: one JSON object of the form that was asked for, or it is no answer.

# Habits are not among them: those are counted.
KINDS_BY_LABEL = {
    kind.label: kind
    for kind in (
        *(Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION),
        *(Kind.ENVIRONMENT, Kind.KNOWN_FIX, Kind.PREFERENCE),
    )
}
_STRING_TYPE = {"type": "string"}
_MEMORY_TYPES = {  # a model that has written the quote finds its line and says it better
    "quote": _STRING_TYPE,
    "evidence": {"type": "array", "items": _STRING_TYPE},
    "type": {"type": "string", "enum": list(KINDS_BY_LABEL)},
    "content": _STRING_TYPE,
    "confidence": {"type": "number"},
}


def _object_schema(properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


# For models that take a schema. It repeats what the prompt says and contains nothing of anybody's.
ANSWER_SCHEMA = _object_schema(
    {"memories": {"type": "array", "items": _object_schema(_MEMORY_TYPES)}, "summary": _STRING_TYPE}
)
_MAX_MEMORIES = 50  # in an answer, and ids of lines in one memory
# What models put around an answer even when asked not to: their thinking before it, a code fence around all of it.
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[ \t\r]*\n(.*)\n[ \t]*```", re.DOTALL)


class ModelClaim(Record):
    """One memory of an answer: of the right form, but not checked yet."""

    kind: Kind
    content: str
    evidence: tuple[str, ...]
    quote: str
    confidence: float


class ModelAnswer(Record):
    """The parts of an answer. `malformed` counts what was no memory, or no summary."""

    claims: tuple[ModelClaim, ...]
    malformed: int = 0
    summary: str = ""


def parse_answer(text: str) -> ModelAnswer | None:
    """Return the parts of an answer; it may have no summary.

    None if it is no answer: other words around it, no JSON, or JSON of another form.
    """
    thinking = _THINKING.match(text)
    bare = (text[thinking.end() :] if thinking else text).strip()
    fenced = _FENCED.fullmatch(bare)
    answer = parse_json(fenced[1] if fenced else bare)
    if not isinstance(answer, dict) or not {"memories"} <= answer.keys() <= {"memories", "summary"}:
        return None
    memories, summary = answer["memories"], answer.get("summary", "")
    if not isinstance(memories, list):
        return None
    claims = [claim for memory in memories[:_MAX_MEMORIES] if (claim := _parse_claim(memory))]
    has_text = isinstance(summary, str)
    return ModelAnswer(tuple(claims), len(memories) - len(claims) + (not has_text), summary if has_text else "")


def parse_json(text: str | bytes) -> object:
    """Return the value of a JSON text, None if it is not valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parse_claim(memory: object) -> ModelClaim | None:
    if not isinstance(memory, dict) or memory.keys() != _MEMORY_TYPES.keys():
        return None
    kind, content, quote = memory["type"], memory["content"], memory["quote"]
    evidence, confidence = memory["evidence"], memory["confidence"]
    if not (isinstance(kind, str) and kind in KINDS_BY_LABEL and isinstance(content, str) and isinstance(quote, str)):
        return None
    if not isinstance(evidence, list) or not 0 < len(evidence) <= _MAX_MEMORIES:
        return None
    if not all(isinstance(label, str) for label in evidence):
        return None
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 <= confidence <= 1:
        return None
    return ModelClaim(KINDS_BY_LABEL[kind], content, tuple(dict.fromkeys(evidence)), quote, float(confidence))
