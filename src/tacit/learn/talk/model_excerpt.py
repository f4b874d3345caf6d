"""What of a conversation a model is shown: each thing as one line of JSON under a short label, redacted, within a size.

A model quotes what it was shown; `Part` keeps beside that what was really said, so that a quote is found there again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tacit.core.conversation import Act, Conversation, Outcome, PromptGiven, ReplyGiven, ToolUsed
from tacit.core.ids import EventId
from tacit.core.provenance import Provenance
from tacit.core.redaction import redacted
from tacit.core.text import clean, clip, show, tokens
from tacit.learn.talk.learnt import Said
from tacit.record import Record

_PROMPT, _REPLY, _ABOUT, _CALL, _RESULT = 2000, 600, 300, 300, 400  # characters that are shown of each


class Part(Record):
    """Words of one speaker: as a model is shown them, and as they were said."""

    name: str
    shown: str
    said: str
    provenance: Provenance


class Line(Record):
    """One thing that was said. Only `parts` can be quoted; `words` is all it says, `text` the line as it is sent."""

    label: str
    event: EventId
    parts: tuple[Part, ...]
    words: str
    text: str


class _Drawn(Record):
    """`rank` is how soon it is taken where there is room for some only."""

    rank: int
    parts: tuple[Part, ...]
    about: str = ""
    failed: bool = False


def excerpt(said: Sequence[Said], most: int) -> tuple[Line, ...]:
    """The lines for a model, in order; at most so many tokens: the person's words first, and the latest of each."""
    drawn = [(number, one.event, seen) for number, one in enumerate(said, 1) if (seen := _drawn(one.body))]
    room, taken = most, []
    for number, event, seen in sorted(drawn, key=lambda one: (one[2].rank, -one[0])):
        line = _line(f"e{number}", event, seen)
        if tokens(line.text) + 1 <= room:
            room -= tokens(line.text) + 1
            taken.append((number, line))
    return tuple(line for _, line in sorted(taken))


def _drawn(body: Conversation) -> _Drawn | None:
    match body:
        case PromptGiven():
            words = (_part("user", body.text, _PROMPT, Provenance.USER_DIRECT),)
            return _Drawn(0, words, about=_shown(body.about, _ABOUT)) if words[0].shown else None
        case ReplyGiven():
            words = (_part("agent", body.text, _REPLY, Provenance.MODEL),)
            return _Drawn(2, words) if words[0].shown else None
        case ToolUsed():
            return _Drawn(1 if body.outcome is Outcome.FAILED else 3, tuple(_of_tool(body)), failed=_failed(body))
    return None


def _of_tool(used: ToolUsed) -> Iterator[Part]:
    """What the agent asked for is the agent's; what came back is the world's."""
    came_from = Provenance.EXTERNAL if used.act is Act.FETCHED else Provenance.TOOL_LOCAL
    yield _part("call", used.input or used.tool, _CALL, Provenance.MODEL)
    if used.result:
        yield _part("result", used.result, _RESULT, came_from)


def _failed(used: ToolUsed) -> bool:
    return used.outcome in (Outcome.FAILED, Outcome.REJECTED)


def _part(name: str, said: str, most: int, provenance: Provenance) -> Part:
    return Part(name, _shown(said, most), said, provenance)


def _shown(text: str, most: int) -> str:
    """One line. Redacted before it is cut: of half a secret nobody knows what it was."""
    return clip(show(" ".join(redacted(clean(text)).split())), most)


def _line(label: str, event: EventId, seen: _Drawn) -> Line:
    """The label comes last: a model that has just copied a quote goes on with it."""
    fields = {
        **({"answering": seen.about} if seen.about else {}),
        **({"failed": True} if seen.failed else {}),
        **{part.name: part.shown for part in seen.parts},
        "id": label,
    }
    spoken = " ".join((seen.about, *(part.shown for part in seen.parts)))
    return Line(label, event, seen.parts, spoken, json.dumps(fields, ensure_ascii=False))
