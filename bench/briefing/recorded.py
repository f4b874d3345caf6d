"""Sessions as they are replayed: read from transcripts, with the project of each and the events of each turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tacit.hosts.capture import HEAD_BYTES, EventBuilder, detect_source, transcript_files
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import CONVERSATION_TYPES, PromptGiven, PromptKind
from tacit.model.session import Session, Turn, fold_session

_TYPED = (PromptKind.TYPED, PromptKind.QUEUED)


class Part(NamedTuple):
    """A turn: what was recorded of it, and the prompt it began with; none where nobody asked the agent anything."""

    turn: Turn
    events: tuple[Event, ...]
    prompt: str

    @property
    def began(self) -> datetime:
        return self.turn.started_at.astimezone(UTC)

    @property
    def ended(self) -> datetime:
        return self.turn.ended_at.astimezone(UTC)


class RecordedSession(NamedTuple):
    """A session, and the folder of the project it is of."""

    session: Session
    root: str
    folder: str  # of the clone: another one than `root` where several clones are taken for one project
    parts: tuple[Part, ...]

    def is_compacted_before(self, place: int) -> bool:
        return place > 0 and self.parts[place - 1].turn.compacted


def recorded_sessions(paths: Iterable[Path], builder: EventBuilder, as_one: str = "") -> list[RecordedSession]:
    """All sessions of these transcripts that tell where they were, in the order of their beginning.

    Folders that end with `as_one` are clones of one project.
    """
    events = _events_by_session(path for given in paths for path in transcript_files(str(given)))
    first = {name: next((event.directory for event in own if event.directory), "") for name, own in events.items()}
    roots = {folder for folder in first.values() if folder}
    folders = {name: project_of(first[name], roots) for name in events if first[name]}
    clones = sorted(folder for folder in folders.values() if as_one and folder.endswith(as_one))
    root_of = {folder: clones[0] if folder in clones else folder for folder in folders.values()}
    found = [_recorded(name, events[name], root_of[folder], folder, builder) for name, folder in folders.items()]
    return sorted(found, key=lambda one: (one.session.started_at, one.session.id))


def project_of(folder: str, roots: Iterable[str]) -> str:
    """The folder itself, or the one around it that has it as a work tree: in a hidden folder, `.worktrees/fix`."""
    around = [root for root in roots if folder.startswith(f"{root.rstrip('/')}/.")]
    return min([folder, *around], key=len)


def _events_by_session(paths: Iterable[str]) -> dict[tuple[str, str], list[TranscriptEvent]]:
    """What transcripts hold, by agent and session."""
    events: dict[tuple[str, str], list[TranscriptEvent]] = {}
    for path in paths:
        with open(path, "rb") as file:
            source = detect_source(path, file.read(HEAD_BYTES))
            if source is None:
                continue
            file.seek(0, os.SEEK_SET)
            for event in source.read(file, 0, CaptureLimits(), ReadStats()):
                events.setdefault((source.name, event.session), []).append(event)
    # A transcript that has only the title of a session has nothing to replay.
    return {name: own for name, own in events.items() if any(isinstance(one.body, CONVERSATION_TYPES) for one in own)}


def _recorded(
    name: tuple[str, str], transcript: Sequence[TranscriptEvent], root: str, folder: str, builder: EventBuilder
) -> RecordedSession:
    """`root` stands for wherever the agent was, and alone names the project: a folder of another machine cannot be
    asked which one it is in, neither here nor by whoever gives."""
    agent, session = name
    events: dict[EventId, Event] = {}
    for one in transcript:
        event = builder.build_event(agent, one._replace(directory=root, remote=""), lambda _scope: False)
        events.setdefault(event.id, event)
    folded = fold_session(agent, session, events.values())
    return RecordedSession(folded, root, folder, tuple(_parts(folded, events.values())))


def _parts(session: Session, events: Iterable[Event]) -> Iterator[Part]:
    """Turns follow each other: each event is of the last turn that began before it."""
    ordered = sorted(events, key=lambda one: (one.at, not isinstance(one.body, PromptGiven), one.id))
    places = {event.id: place for place, event in enumerate(ordered)}
    starts = [places[turn.event] for turn in session.turns]
    for turn, start, end in zip(session.turns, starts, [*starts[1:], len(ordered)], strict=True):
        yield Part(turn, tuple(ordered[start:end]), _prompt(turn))


def _prompt(turn: Turn) -> str:
    """A command of the host that led to nothing asked the agent nothing."""
    if not turn.prompts:
        return ""
    first = turn.prompts[0]
    return first.text if first.how in _TYPED or (first.how is PromptKind.COMMAND and turn.steps) else ""
