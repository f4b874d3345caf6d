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
from tacit.disk.read import open_external, read_foreign
from tacit.errors import NotFoundError, RefusedError
from tacit.home.home import HomePart
from tacit.home.input import MAX_EVIDENCE_CHARS
from tacit.index import reader
from tacit.log.codec import DamagedLine, decode, encode, id_in_line, must_decode
from tacit.log.log import Log, read_lines
from tacit.log.redact import redact_body
from tacit.log.tombstones import Tombstones, load_tombstones
from tacit.model.claim import GLOBAL, Claim, Provenance
from tacit.model.decide import propose
from tacit.model.event import IMPORT, REPOSITORY, Attribution, Draft, Event
from tacit.model.ids import EventId, event_id
from tacit.model.memory import Memory, fold_memories
from tacit.model.observation import LogSealed, MemoryPurged, ProjectSeen, RepositoryDistrusted, RepositoryTrusted
from tacit.pages import facts
from tacit.purge import Purger
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import clip

_IMPORT_VOICE = Attribution(IMPORT, Provenance.EXTERNAL)
# What is true of one machine only: where things lie, what was trusted there, how its files were mended.
_MACHINE_LOCAL_EVENTS = (LogSealed, ProjectSeen, RepositoryTrusted, RepositoryDistrusted)
_EXPORTED_VIEWS = ("memory/long-term.md", "memory/memories.ndjson", "tacit.toml")
_EXPORTED_PAGES = ("worklog", "evaluations", "sessions")
_MAX_CLOCK_AHEAD = timedelta(days=1)  # as far as a clock may be ahead of ours


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


class Exchange(HomePart):
    """export and import."""

    def export(self, to: str) -> Exported:
        """Log and readable pages in a folder that is not there yet. It is a home itself, without an index."""
        self._store.actor.require_person("exports a home", f"tacit export --to {quote(to)}")
        folder = os.path.abspath(os.path.expanduser(to))
        if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
            raise RefusedError(f"{folder} is there already and not empty", f"tacit export --to {folder}-2")
        if not os.path.isdir(self._home.root):
            raise NotFoundError("there is no home to export", "tacit init")
        with self._store.log.exclusive() as log:
            segments = {name: _complete_lines(read_file(log.path(name)) or b"") for name in log.segments()}
        pages = {
            name: data
            for name in self._exported_names()
            if (data := read_file(self._store.paths.path(name))) is not None
        }
        for name, data in {**segments, **pages}.items():
            path = os.path.join(folder, name)
            make_folder(os.path.dirname(path))
            replace_file(OsDisk(), path, data)
        events = len({line for data in segments.values() for line in data.split(b"\n") if line})
        return Exported(folder, events, len(segments) + len(pages))

    def import_(self, source: str, *, mine: bool = False) -> Imported:
        """Take in another home, an export, or a fact file. Only with `mine` is it believed as it stands."""
        path = os.path.abspath(os.path.expanduser(source))
        self._store.actor.require_person("imports", f"tacit import {quote(source)}{' --mine' * mine}")
        if os.path.realpath(path) == os.path.realpath(self._home.root):
            raise RefusedError("that is this very home; there is nothing to import", "tacit import OTHER-HOME")
        if mine:
            return self._import_events(path)
        return self._import_candidates(path)

    def _exported_names(self) -> Iterator[str]:
        yield from _EXPORTED_VIEWS
        for folder in _EXPORTED_PAGES:
            names = os.listdir(self._store.paths.path(folder)) if os.path.isdir(self._store.paths.path(folder)) else []
            yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith(".md"))

    # One's own

    def _import_events(self, path: str) -> Imported:
        found = list(_read_events(path))
        self._store.record(lambda _connection: [])  # makes the home, and its index what its log is
        sorted_out = _ImportFilter(self._store.log, self._store.actor.origin().at)
        taken = sorted_out.new_events(found)
        if taken:
            data = b"".join([encode(event) for event in taken])
            day = self._store.actor.origin().at.date().isoformat()
            self._store.log.import_events(f"{day}-{sha256(data).hexdigest()[:12]}", taken)
        if graves := sorted_out.new_tombstones(found):
            self._store.log.import_tombstones(graves)
            Purger(self._home).purge_again()
        self._store.record(lambda _connection: [])
        return sorted_out.result(len(taken) + len(graves))

    # Others'

    def _import_candidates(self, path: str) -> Imported:
        said = list(_foreign_statements(path, self._home.settings.limits_text))
        told: list[Imported] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            drafts, outcome = self._draft_candidates(connection, said, os.path.basename(path.rstrip(os.sep)))
            told.append(outcome)
            return drafts

        self._store.record(decision)
        return told[0]

    def _draft_candidates(
        self, connection: sqlite3.Connection, said: Sequence[_ForeignStatement | None], name: str
    ) -> tuple[list[Draft], Imported]:
        graves, drafts, known, refused, gone = load_tombstones(self._store.log), [], 0, 0, 0
        for one in said:
            if one is None or secret_kind(f"{one.claim.sentence}\n{one.evidence}"):
                refused += 1
            elif reader.load_memory(connection, one.claim.id, must_decode):
                known += 1
            else:
                evidence = clip(f"imported from {name}: {one.evidence}".removesuffix(": "), MAX_EVIDENCE_CHARS)
                (draft,) = propose(None, one.claim, source=IMPORT, evidence=evidence, voice=_IMPORT_VOICE)
                if graves and graves.rejects(self._draft_event(draft)):
                    gone += 1
                else:
                    drafts.append(draft)
        return drafts, Imported(candidates=len(drafts), known=known, refused=refused, purged=gone)

    def _draft_event(self, draft: Draft) -> Event:
        """The event that a draft would become, to be held against what was purged."""
        origin = self._store.actor.origin()
        name = event_id(int(origin.at.timestamp() * 1000), self._store.entropy())
        return Event(name, name, origin.attributed_to(draft.attribution), draft.scope, draft.body)


class _ForeignStatement(Record):
    """A statement of somebody else."""

    claim: Claim
    evidence: str


def _foreign_statements(path: str, limit: int) -> Iterator[_ForeignStatement | None]:
    """What another's home or fact file states, each once; None for what cannot be taken."""
    if os.path.isfile(path) and not path.endswith(".jsonl"):
        there = read_foreign(path)
        if there is None:
            raise RefusedError(f"{path} is no plain file of at most 4 MiB", f"ls -l {path}")
        for line in facts.parse_foreign_facts(there.data, GLOBAL, limit):
            yield _ForeignStatement(line.claim, "") if line.claim else None
        return
    memories = fold_memories(event for event in _read_events(path) if isinstance(event, Event))
    for memory in sorted(memories.values(), key=lambda memory: memory.last):
        if memory.is_live:
            yield _memory_statement(memory) if len(memory.claim.sentence) <= limit else None


def _memory_statement(memory: Memory) -> _ForeignStatement:
    return _ForeignStatement(memory.claim, memory.evidence[0].text if memory.evidence else "")


class _ImportFilter:
    """Which lines of another home of the same person are new here, and may come in."""

    def __init__(self, log: Log, now: datetime) -> None:
        self._known_ids = {name for segment in log.segments() for name in _event_ids(log, segment)}
        self._tombstones: Tombstones | None = load_tombstones(log)
        self._max_event_id = event_id(int((now + _MAX_CLOCK_AHEAD).timestamp() * 1000), b"\xff" * 10)
        self.known = self.damaged = self.refused = self.purged = 0

    def new_events(self, records: Iterable[Event | DamagedLine]) -> list[Event]:
        found: dict[EventId, Event] = {}
        for event in records:
            if (left := self._admit(event)) is not None:
                found.setdefault(left.id, left)
        return [found[name] for name in sorted(found)]

    def new_tombstones(self, records: Iterable[Event | DamagedLine]) -> list[Event]:
        """Tombstones of there hold here too: deletion wins."""
        return [
            event
            for event in records
            if isinstance(event, Event) and isinstance(event.body, MemoryPurged) and event.id not in self._known_ids
        ]

    def _admit(self, event: Event | DamagedLine) -> Event | None:
        if isinstance(event, DamagedLine):
            self.damaged += 1
            return None
        if event.id in self._known_ids:
            self.known += 1
            return None
        if isinstance(event.body, (*_MACHINE_LOCAL_EVENTS, MemoryPurged)) or event.origin.actor == REPOSITORY:
            return None
        if event.id > self._max_event_id:
            self.refused += 1
            return None
        left = self._tombstones.filter_import(event) if self._tombstones else event
        self.purged += left is None
        return left and left._replace(body=redact_body(left.body))

    def result(self, events: int) -> Imported:
        return Imported(events, 0, self.known, self.damaged, self.refused, self.purged)


def _event_ids(log: Log, segment: str) -> Iterator[EventId]:
    with open_plain(log.path(segment)) as file:
        yield from (name for line in read_lines(file) if (name := id_in_line(line.data)))


def _read_events(path: str) -> Iterator[Event | DamagedLine]:
    """Every line of another log; a folder is read as a home, a file as one segment."""
    for name in _log_files(path):
        with open_external(name) as file:
            for line in read_lines(file):
                if line.too_long or line.data.strip():
                    yield DamagedLine("too long") if line.too_long else decode(line.data)


def _log_files(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    log = Log(path, OsDisk(), FileLock(os.path.join(path, ".tacit", "log.lock"), 0), bytes)
    found = [log.path(name) for name in log.segments() if not os.path.islink(log.path(name))]
    if not found:
        raise NotFoundError(f"there is no Tacit home at {path}", "name a folder that tacit export --to FOLDER wrote")
    return found


def _complete_lines(data: bytes) -> bytes:
    """Without the beginning of a line that somebody is about to write."""
    return data[: data.rfind(b"\n") + 1]
