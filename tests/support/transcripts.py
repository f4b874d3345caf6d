"""Reading a transcript that a test has written out, and telling it so that a person can check it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from io import BytesIO
from pathlib import Path

from tacit.hosts.capture import SOURCES
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    ReplyGiven,
    SessionCompacted,
    SessionTitled,
    ToolUsed,
    TurnInterrupted,
)

GOLDEN = Path(__file__).parents[1] / "golden"
SESSION = "5e55a000-0000-4000-8000-00000000aaaa"


def lines(*records: object) -> bytes:
    """A record a line."""
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


_LIMITS = CaptureLimits()


def hear(
    source: str, data: bytes, offset: int = 0, limits: CaptureLimits = _LIMITS
) -> tuple[list[TranscriptEvent], ReadStats]:
    tally = ReadStats()
    return list(SOURCES[source].read(BytesIO(data), offset, limits, tally)), tally


def bodies(source: str, data: bytes, limits: CaptureLimits = CaptureLimits()) -> list[ConversationBody | SessionTitled]:  # noqa: B008
    return [one.body for one in hear(source, data, limits=limits)[0]]


def prompts(source: str, data: bytes) -> list[PromptGiven]:
    return [body for body in bodies(source, data) if isinstance(body, PromptGiven)]


def calls(source: str, data: bytes, limits: CaptureLimits = CaptureLimits()) -> list[ToolUsed]:  # noqa: B008
    return [body for body in bodies(source, data, limits) if isinstance(body, ToolUsed)]


def golden(name: str, folder: Path) -> Path:
    """A transcript of `tests/golden`; a database is made of its text first."""
    path = GOLDEN / name
    if path.suffix != ".sql":
        return path
    made = folder / f"{path.stem}.db"
    with closing(sqlite3.connect(made)) as database, database:
        database.executescript(path.read_text(encoding="utf-8"))
    return made


def told(heard: Iterable[TranscriptEvent]) -> str:
    """A line a thing, in the order of their times."""
    return "".join(
        f"{one.at:%H:%M:%S} {_told(one.body)}\n" for one in sorted(heard, key=lambda one: (one.at, one.ordinal))
    )


def _told(body: ConversationBody | SessionTitled) -> str:
    match body:
        case PromptGiven():
            about = f" [about {body.about}]" if body.about else ""
            return f"prompt {body.how}{about}: {_line(body.text)}" if body.how else f"prompt: {_line(body.text)}"
        case ReplyGiven():
            return f"reply: {_line(body.text)}"
        case ToolUsed():
            aside = "aside" if body.aside else ""
            files = f"[changed {', '.join(body.files)}]" if body.files else ""
            result = f"-> {_line(body.result)}" if body.result else ""
            parts = (body.act, aside, f"({body.tool})", _line(body.input), result, body.outcome, files)
            return " ".join(filter(None, parts))
        case TurnInterrupted():
            return "interrupted"
        case SessionCompacted():
            return "compacted"
        case SessionTitled():
            return f"titled{' by the person' if body.by else ''}: {_line(body.text)}"


def _line(text: str) -> str:
    return text.replace("\n", "⏎")
