"""Taking a home along, and taking in another: whole lines where it is one's own, candidates where it is not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from shlex import quote

from tacit.disk.files import OsDisk, make_folder, open_plain, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.disk.read import open_theirs, read_foreign
from tacit.errors import NotFound, Refused
from tacit.home.home import Part
from tacit.home.input import EVIDENCE_LIMIT
from tacit.index import reader
from tacit.log.codec import Damaged, decode, encode, must_decode, readable_id
from tacit.log.log import Log, lines
from tacit.log.redact import without_secrets
from tacit.log.tombstones import Tombstones, tombstones
from tacit.model.claim import GLOBAL, Claim, Provenance
from tacit.model.decide import propose
from tacit.model.event import IMPORT, REPOSITORY, Draft, Event, Voice
from tacit.model.ids import EventId, event_id
from tacit.model.memory import Memory, recollect
from tacit.model.observation import Distrusted, ProjectSeen, Purged, Sealed, Trusted
from tacit.pages import facts
from tacit.purge import Purger
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import clip

_VOICE = Voice(IMPORT, Provenance.EXTERNAL)
# What is true of one machine only: where things lie, what was trusted there, how its files were mended.
_OF_ONE_MACHINE = (Sealed, ProjectSeen, Trusted, Distrusted)
_VIEWS = ("memory/long-term.md", "memory/memories.ndjson", "tacit.toml")
_PAGES = ("worklog", "evaluations", "sessions")
_AHEAD = timedelta(days=1)  # as far as a clock may be ahead of ours


@dataclass(frozen=True, slots=True)
class Exported:
    to: str
    events: int
    files: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import. `events` are whole lines (one's own home), `candidates` wait for a decision."""

    events: int = 0
    candidates: int = 0
    known: int = 0
    damaged: int = 0
    refused: int = 0
    purged: int = 0


class Exchange(Part):
    """export and import."""

    def export(self, to: str) -> Exported:
        """Log and readable pages in a folder that is not there yet. It is a home itself, without an index."""
        self._store.speaker.must_be_person("exports a home", f"tacit export --to {quote(to)}")
        folder = os.path.abspath(os.path.expanduser(to))
        if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
            raise Refused(f"{folder} is there already and not empty", f"tacit export --to {folder}-2")
        if not os.path.isdir(self._home.root):
            raise NotFound("there is no home to export", "tacit init")
        with self._store.log.alone() as log:
            segments = {name: _whole_lines(read_file(log.path(name)) or b"") for name in log.segments()}
        pages = {name: data for name in self._pages() if (data := read_file(self._store.home.path(name))) is not None}
        for name, data in {**segments, **pages}.items():
            path = os.path.join(folder, name)
            make_folder(os.path.dirname(path))
            replace_file(OsDisk(), path, data)
        events = len({line for data in segments.values() for line in data.split(b"\n") if line})
        return Exported(folder, events, len(segments) + len(pages))

    def import_(self, source: str, *, mine: bool = False) -> Imported:
        """Take in another home, an export, or a fact file. Only with `mine` is it believed as it stands."""
        path = os.path.abspath(os.path.expanduser(source))
        self._store.speaker.must_be_person("imports", f"tacit import {quote(source)}{' --mine' * mine}")
        if os.path.realpath(path) == os.path.realpath(self._home.root):
            raise Refused("that is this very home; there is nothing to import", "tacit import OTHER-HOME")
        if mine:
            return self._take_lines(path)
        return self._take_candidates(path)

    def _pages(self) -> Iterator[str]:
        yield from _VIEWS
        for folder in _PAGES:
            names = os.listdir(self._store.home.path(folder)) if os.path.isdir(self._store.home.path(folder)) else []
            yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith(".md"))

    # One's own

    def _take_lines(self, path: str) -> Imported:
        found = list(_records(path))
        self._store.record(lambda _connection: [])  # makes the home, and its index what its log is
        sorted_out = _Sorting(self._store.log, self._store.speaker.origin().at)
        taken = sorted_out.taken(found)
        if taken:
            data = b"".join([encode(event) for event in taken])
            day = self._store.speaker.origin().at.date().isoformat()
            self._store.log.adopt(f"{day}-{sha256(data).hexdigest()[:12]}", taken)
        if graves := sorted_out.graves(found):
            self._store.log.bury(graves)
            Purger(self._home).purge_again()
        self._store.record(lambda _connection: [])
        return sorted_out.told(len(taken) + len(graves))

    # Others'

    def _take_candidates(self, path: str) -> Imported:
        said = list(_others(path, self._home.settings.limits_text))
        told: list[Imported] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            drafts, outcome = self._candidates(connection, said, os.path.basename(path.rstrip(os.sep)))
            told.append(outcome)
            return drafts

        self._store.record(decision)
        return told[0]

    def _candidates(
        self, connection: sqlite3.Connection, said: Sequence[_Said | None], name: str
    ) -> tuple[list[Draft], Imported]:
        graves, drafts, known, refused, gone = tombstones(self._store.log), [], 0, 0, 0
        for one in said:
            if one is None or secret_kind(f"{one.claim.sentence}\n{one.evidence}"):
                refused += 1
            elif reader.memory(connection, one.claim.id, must_decode):
                known += 1
            else:
                evidence = clip(f"imported from {name}: {one.evidence}".removesuffix(": "), EVIDENCE_LIMIT)
                (draft,) = propose(None, one.claim, source=IMPORT, evidence=evidence, voice=_VOICE)
                if graves and graves.keeps_out(self._imagined(draft)):
                    gone += 1
                else:
                    drafts.append(draft)
        return drafts, Imported(candidates=len(drafts), known=known, refused=refused, purged=gone)

    def _imagined(self, draft: Draft) -> Event:
        """The event that a draft would become, to be held against what was purged."""
        origin = self._store.speaker.origin()
        name = event_id(int(origin.at.timestamp() * 1000), self._store.entropy())
        return Event(name, name, origin.heard_from(draft.voice), draft.scope, draft.body)


class _Said(Record):
    """A statement of somebody else."""

    claim: Claim
    evidence: str


def _others(path: str, limit: int) -> Iterator[_Said | None]:
    """What another's home or fact file states, each once; None for what cannot be taken."""
    if os.path.isfile(path) and not path.endswith(".jsonl"):
        there = read_foreign(path)
        if there is None:
            raise Refused(f"{path} is no plain file of at most 4 MiB", f"ls -l {path}")
        for line in facts.brought(there.data, GLOBAL, limit):
            yield _Said(line.claim, "") if line.claim else None
        return
    memories = recollect(event for event in _records(path) if isinstance(event, Event))
    for memory in sorted(memories.values(), key=lambda memory: memory.last):
        if memory.is_live:
            yield _said(memory) if len(memory.claim.sentence) <= limit else None


def _said(memory: Memory) -> _Said:
    return _Said(memory.claim, memory.evidence[0].text if memory.evidence else "")


class _Sorting:
    """Which lines of another home of the same person are new here, and may come in."""

    def __init__(self, log: Log, now: datetime) -> None:
        self._seen = {name for segment in log.segments() for name in _ids(log, segment)}
        self._graves: Tombstones | None = tombstones(log)
        self._latest = event_id(int((now + _AHEAD).timestamp() * 1000), b"\xff" * 10)
        self.known = self.damaged = self.refused = self.purged = 0

    def taken(self, records: Iterable[Event | Damaged]) -> list[Event]:
        found: dict[EventId, Event] = {}
        for event in records:
            if (left := self._left_of(event)) is not None:
                found.setdefault(left.id, left)
        return [found[name] for name in sorted(found)]

    def graves(self, records: Iterable[Event | Damaged]) -> list[Event]:
        """Tombstones of there hold here too: deletion wins."""
        return [
            event
            for event in records
            if isinstance(event, Event) and isinstance(event.body, Purged) and event.id not in self._seen
        ]

    def _left_of(self, event: Event | Damaged) -> Event | None:
        if isinstance(event, Damaged):
            self.damaged += 1
            return None
        if event.id in self._seen:
            self.known += 1
            return None
        if isinstance(event.body, (*_OF_ONE_MACHINE, Purged)) or event.origin.actor == REPOSITORY:
            return None
        if event.id > self._latest:
            self.refused += 1
            return None
        left = self._graves.admitted(event) if self._graves else event
        self.purged += left is None
        return left and left._replace(body=without_secrets(left.body))

    def told(self, events: int) -> Imported:
        return Imported(events, 0, self.known, self.damaged, self.refused, self.purged)


def _ids(log: Log, segment: str) -> Iterator[EventId]:
    with open_plain(log.path(segment)) as file:
        yield from (name for line in lines(file) if (name := readable_id(line.data)))


def _records(path: str) -> Iterator[Event | Damaged]:
    """Every line of another log; a folder is read as a home, a file as one segment."""
    for name in _segments(path):
        with open_theirs(name) as file:
            for line in lines(file):
                if line.too_long or line.data.strip():
                    yield Damaged("too long") if line.too_long else decode(line.data)


def _segments(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    log = Log(path, OsDisk(), FileLock(os.path.join(path, ".tacit", "log.lock"), 0), bytes)
    found = [log.path(name) for name in log.segments() if not os.path.islink(log.path(name))]
    if not found:
        raise NotFound(f"there is no Tacit home at {path}", "name a folder that tacit export --to FOLDER wrote")
    return found


def _whole_lines(data: bytes) -> bytes:
    """Without the beginning of a line that somebody is about to write."""
    return data[: data.rfind(b"\n") + 1]
