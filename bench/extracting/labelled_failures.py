"""Failures in transcripts that a person labelled: whether the mending of each is worth remembering.

Transcripts are read as the product reads them, with the same limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.extracting.rows import Row, rows_of
from tacit.hosts.capture import HEAD_BYTES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.learn import SessionEvent
from tacit.learn.fixes.pairs import Pair, find_pairs
from tacit.model.ids import EventId
from tacit.model.observation import SessionTitled

_DURABLE = "resolved_durable"
_FOLDER = "transcripts"
_EVERYBODY_KNOWS = ("git_upstream",)  # categories that are labelled durable and must not be suggested


class Failure(NamedTuple):
    """A labelled failure, or one that has a candidate and no label."""

    repository: str
    transcript: str
    event_id: str
    is_durable: bool
    fact: str  # "" if it is not durable
    success: str
    error: str
    pair: Pair | None


def labelled_failures(path: Path) -> Iterator[Failure]:
    """Yield the labelled failures of a file and all other candidates of its transcripts. Unsure labels are left out."""
    for transcript, rows in labels_by_transcript(path):
        pairs = {
            pair.failure.event_id: pair for pair in find_pairs(session_events(transcript_folder(path) / transcript))
        }
        for row in rows:
            pair = pairs.pop(EventId(row["failure_id"]), None)
            if not row.get("borderline"):
                yield _failure(transcript, row, pair)
        for event_id, pair in pairs.items():
            yield Failure(repository_of(transcript), transcript, event_id, False, "", "", pair.error, pair)


def _failure(transcript: str, row: Row, pair: Pair | None) -> Failure:
    is_durable = row["verdict"] == _DURABLE and row["category"] not in _EVERYBODY_KNOWS
    fact = str(row["fix_key"]) if is_durable else ""
    return Failure(
        repository_of(transcript),
        transcript,
        row["failure_id"],
        is_durable,
        fact,
        row["success_id"] or "",
        row["error"],
        pair,
    )


def session_events(transcript: Path) -> list[SessionEvent]:
    with open(transcript, "rb") as file:
        source = detect_source(str(transcript), file.read(HEAD_BYTES))
        file.seek(0)
        events = list(source.read(file, 0, CaptureLimits(), ReadStats())) if source else []
    # Where the id that a host gave to a call may be used elsewhere, the key has the session in front of it.
    named = ((EventId(event.key.removeprefix(f"{event.session}/")), event.body) for event in events)
    return [SessionEvent(event_id, body) for event_id, body in named if not isinstance(body, SessionTitled)]


def labels_by_transcript(path: Path) -> list[tuple[str, list[Row]]]:
    labels: dict[str, list[Row]] = {}
    for row in rows_of(path):
        labels.setdefault(row["transcript"], []).append(row)
    return sorted(labels.items())


def transcript_folder(path: Path) -> Path:
    """The transcripts lie in a folder beside the labels or one up."""
    near = (folder / _FOLDER for folder in path.resolve().parents[:2])
    return next((folder for folder in near if folder.is_dir()), path.resolve().parent)


def repository_of(transcript: str) -> str:
    parts = transcript.split("/")
    return parts[1] if len(parts) > 2 else parts[0]
