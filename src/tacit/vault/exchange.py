"""`tacit export` and `tacit import`.

From another home of the same person, whole lines of the log are imported. From anybody else, and from rule files,
statements are imported as candidates.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from shlex import quote

from tacit.disk.files import OsDisk, make_folder, open_plain, replace_file
from tacit.disk.read import open_external, read_foreign
from tacit.errors import NotFoundError, RefusedError
from tacit.home.home import HomePart
from tacit.home.input import MAX_EVIDENCE_CHARS
from tacit.index import reader
from tacit.log.codec import DamagedLine, decode, encode, must_decode
from tacit.log.incoming import IncomingFilter, import_events, import_tombstones
from tacit.log.reader import LogReader, ReportProgress, read_lines
from tacit.model.claim import GLOBAL, Claim, Provenance
from tacit.model.decide import propose
from tacit.model.event import IMPORT, Attribution, Event
from tacit.model.ids import event_id
from tacit.model.memory import fold_memories
from tacit.pages import facts
from tacit.purge.tombstones import load_tombstones
from tacit.record import Record
from tacit.secrets import secret_kind
from tacit.text.display import clip
from tacit.vault.purging import Purger

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO

    from tacit.remotes.machines import Machines
    from tacit.team import Team

_IMPORT_VOICE = Attribution(IMPORT, Provenance.EXTERNAL)
_EXPORTED_VIEWS = ("memory/long-term.md", "memory/memories.ndjson", "tacit.toml")
_EXPORTED_PAGES = ("worklog", "evaluations", "sessions")
_COPY_BYTES = 1 << 20
_UINT64, _PARTS = (1 << 64) - 1, 8
_MAX_CLOCK_AHEAD = timedelta(days=1)  # of the other machine's clock


class Exported(Record):
    """Where an export was written, and how many events and files it has."""

    to: str
    events: int
    files: int


class Imported(Record):
    """Counts of an import. `events` are lines of one's own home, `candidates` wait for a decision."""

    events: int = 0
    candidates: int = 0
    known: int = 0
    damaged: int = 0
    refused: int = 0
    purged: int = 0


class Exchange(HomePart):
    """`export` and `import`, and the remotes at which the person's machines meet."""

    @cached_property
    def machines(self) -> Machines:
        """The person's other machines: `tacit remote`, and the remotes of `tacit sync`."""
        from tacit.remotes.machines import Machines

        return Machines(self._home, Purger(self._home))

    def export(self, to: str) -> Exported:
        """Write log and readable pages into a new folder, which is then a home without an index.

        Raise RefusedError if the folder is not empty or an agent asks, NotFoundError if there is no home.
        """
        self._store.actor.require_person("exports a home", f"tacit export --to {quote(to)}")
        folder = os.path.abspath(os.path.expanduser(to))
        if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
            raise RefusedError(f"{folder} is there already and not empty", f"tacit export --to {folder}-2")
        if not os.path.isdir(self._home.root):
            raise NotFoundError("there is no home to export", "tacit init")
        with ExitStack() as files:
            with self._store.log.exclusive() as log:  # only to open the files: others go on writing meanwhile
                segments = {name: files.enter_context(open_plain(log.path(name))) for name in log.segments()}
                ends = {name: _end_of_lines(file) for name, file in segments.items()}
            counter = _LineCounter(self._store.options.progress, sum(ends.values()))
            for name, file in segments.items():
                _write_copy(os.path.join(folder, name), counter.count(_blocks_of(file, ends[name])))
        pages = [name for name in self._exported_names() if os.path.isfile(self._store.paths.path(name))]
        for name in pages:
            with suppress(FileNotFoundError), open_plain(self._store.paths.path(name)) as page:
                _write_copy(os.path.join(folder, name), _blocks_of(page))
        return Exported(folder, counter.distinct(), len(segments) + len(pages))

    def import_(self, source: str, *, mine: bool = False) -> Imported:
        """Import another home, an export or a fact file. Only with `mine` it is believed as it is.

        Raise RefusedError if an agent asks or if the source is this home, NotFoundError if there is none.
        """
        path = os.path.abspath(os.path.expanduser(source))
        self._store.actor.require_person("imports", f"tacit import {quote(source)}{' --mine' * mine}")
        if os.path.realpath(path) == os.path.realpath(self._home.root):
            raise RefusedError("that is this very home; there is nothing to import", "tacit import OTHER-HOME")
        return self._import_events(path) if mine else self._import_candidates(path)

    @cached_property
    def team(self) -> Team:
        """The team of this home, with which memories are exchanged through a server."""
        from tacit.team import Team

        return Team(self._home)

    def _exported_names(self) -> Iterator[str]:
        yield from _EXPORTED_VIEWS
        for folder in _EXPORTED_PAGES:
            path = self._store.paths.path(folder)
            names = os.listdir(path) if os.path.isdir(path) else []
            yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith(".md"))

    def _import_events(self, path: str) -> Imported:
        records = list(_read_events(path))
        self._store.make()
        latest = self._store.actor.origin().at + _MAX_CLOCK_AHEAD
        incoming = IncomingFilter(self._store.log, event_id(int(latest.timestamp() * 1000), b"\xff" * 10))
        events = incoming.new_events(records, load_tombstones(self._store.log))
        if events:
            data = b"".join([encode(event) for event in events])
            day = self._store.actor.origin().at.date().isoformat()
            import_events(self._store.log, f"{day}-{sha256(data).hexdigest()[:12]}", events)
        if tombstones := incoming.new_tombstones(records):
            self._store.mark_purge()
            import_tombstones(self._store.log, tombstones)
            Purger(self._home).purge_again()
        self._store.make()
        count = len(events) + len(tombstones)
        return Imported(count, 0, incoming.known, incoming.damaged, incoming.refused, incoming.purged)

    def _import_candidates(self, path: str) -> Imported:
        statements = list(_foreign_statements(path, self._home.settings.limits_text))
        name = os.path.basename(path.rstrip(os.sep))
        tombstones, drafts, known, refused, purged = load_tombstones(self._store.log), [], 0, 0, 0
        with self._store.change() as change:
            for statement in statements:
                if statement is None or secret_kind(f"{statement[0].sentence}\n{statement[1]}"):
                    refused += 1
                    continue
                claim, evidence = statement[0], f"imported from {name}: {statement[1]}".removesuffix(": ")
                if reader.load_memory(change.connection, claim.id, must_decode):
                    known += 1
                    continue
                evidence = clip(evidence, MAX_EVIDENCE_CHARS)
                (draft,) = propose(None, claim, source=IMPORT, evidence=evidence, attribution=_IMPORT_VOICE)
                if tombstones and tombstones.rejects(self._draft_event(draft)):
                    purged += 1
                else:
                    drafts.append(draft)
            change.record(drafts)
        return Imported(candidates=len(drafts), known=known, refused=refused, purged=purged)


def _write_copy(path: str, blocks: Iterable[bytes]) -> None:
    make_folder(os.path.dirname(path))
    replace_file(OsDisk(), path, blocks)


def _blocks_of(file: BinaryIO, end: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of an open file up to `end`, in blocks."""
    file.seek(0)
    left = os.fstat(file.fileno()).st_size if end is None else end
    while left > 0 and (data := file.read(min(left, _COPY_BYTES))):
        yield data
        left -= len(data)


def _end_of_lines(file: BinaryIO) -> int:
    """Return where the last complete line of an open file ends. What is behind it was never acknowledged."""
    end = os.fstat(file.fileno()).st_size
    while end > 0:
        start = max(end - _COPY_BYTES, 0)
        file.seek(start)
        if (at := file.read(end - start).rfind(b"\n")) >= 0:
            return start + at + 1
        end = start
    return 0


class _LineCounter:
    """Counts different lines of blocks that pass through it. It keeps eight bytes of each line."""

    def __init__(self, progress: ReportProgress, total: int) -> None:
        self._hashes = array("Q")
        self._progress = progress
        self._done, self._total = 0, total

    def count(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        pending = b""
        for block in blocks:
            yield block
            *lines, pending = (pending + block).split(b"\n")
            self._hashes.extend([hash(line) & _UINT64 for line in lines if line])
            self._done += len(block)
            self._progress("copying the log", self._done, self._total)

    def distinct(self) -> int:
        """Return how many different lines there were. Parts of them are compared, so that sets stay small."""
        return sum(len({value for value in self._hashes if value % _PARTS == part}) for part in range(_PARTS))


def _foreign_statements(path: str, limit: int) -> Iterator[tuple[Claim, str] | None]:
    """Yield what another home or fact file states, each claim once, with its first evidence.

    What cannot be imported is None.
    """
    if os.path.isfile(path) and not path.endswith(".jsonl"):
        file = read_foreign(path)
        if file is None:
            raise RefusedError(f"{path} is no plain file of at most 4 MiB", f"ls -l {path}")
        for line in facts.parse_foreign_facts(file.data, GLOBAL, limit):
            yield (line.claim, "") if line.claim else None
        return
    memories = fold_memories(event for event in _read_events(path) if isinstance(event, Event))
    for memory in sorted(memories.values(), key=lambda memory: memory.last_event):
        if memory.is_live:
            evidence = memory.evidence[0].text if memory.evidence else ""
            yield (memory.claim, evidence) if len(memory.claim.sentence) <= limit else None


def _read_events(path: str) -> Iterator[Event | DamagedLine]:
    """Yield every line of another log. A folder is read as a home, a file as one segment."""
    paths = [path]
    if not os.path.isfile(path):
        log = LogReader(path)
        paths = [log.path(name) for name in log.segments() if not os.path.islink(log.path(name))]
    if not paths:
        raise NotFoundError(f"there is no Tacit home at {path}", "name a folder that tacit export --to FOLDER wrote")
    for name in paths:
        with open_external(name) as file:
            for line in read_lines(file):
                if line.too_long or line.data.strip():
                    yield DamagedLine("too long") if line.too_long else decode(line.data)
