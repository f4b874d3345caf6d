"""Transcripts into the log, each event once, whoever captures them and how often."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, BinaryIO

from tacit.disk.read import open_theirs
from tacit.errors import NotFound, Refused, StoreUnwell, TacitError
from tacit.home.capture_policy import left_out
from tacit.home.home import Part
from tacit.home.project import scope_of
from tacit.hosts.claude import transcript as claude
from tacit.hosts.codex import transcript as codex
from tacit.hosts.copilot import transcript as copilot
from tacit.hosts.gemini import transcript as gemini
from tacit.hosts.opencode import transcript as opencode
from tacit.hosts.queue import Note
from tacit.hosts.records import Heard, Limits, Source, Tally
from tacit.index import database as database_module
from tacit.index import reader, sessions
from tacit.index.database import Reached
from tacit.log.tombstones import tombstones
from tacit.model.claim import Provenance, Scope
from tacit.model.event import USER, Event, Origin
from tacit.model.ids import derived_id
from tacit.model.observation import Act, By, Conversation, PromptGiven, Titled, ToolUsed
from tacit.text.display import clean, clip

if TYPE_CHECKING:
    from tacit.log.tombstones import Tombstones


# Every host whose transcripts can be read, and which files are transcripts.

# The order in which they are asked: those that say most plainly what they are come first.
_ALL = (opencode.SOURCE, codex.SOURCE, copilot.SOURCE, gemini.SOURCE, claude.SOURCE)
SOURCES = {source.name: source for source in sorted(_ALL)}
HEAD = 65_536  # bytes of a file from which it is told what it is
_NAMES = (".jsonl", ".json", ".db")


def source_of(path: str, head: bytes) -> Source | None:
    """The host that wrote a file, by its name and its first bytes."""
    return next((source for source in _ALL if source.recognises(path, head)), None)


def transcripts(path: str) -> Iterator[str]:
    """The files under a path that may be transcripts, in the order of their names. Links are not followed."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode):
        if path.endswith(_NAMES):
            yield path
    elif stat.S_ISDIR(mode):
        for name in _names(path):
            yield from transcripts(os.path.join(path, name))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# From what was heard in a transcript to events: who said it, in which project, under an id that is always the same.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LATEST = 0xFFFF_FFFF_FFFF
_QUARTER = 900
_MOST_NAME = 128


class Composer:
    """Makes events of what agents' hosts wrote down on this machine."""

    def __init__(self, host: str, user_folder: str) -> None:
        self._host = host
        self._user_folder = user_folder
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._offsets: dict[int, int] = {}

    def event(self, agent: str, heard: Heard, is_used: Callable[[Scope], bool]) -> Event:
        """`is_used` tells which of a project's names its memories are under."""
        milliseconds = min(max((heard.at - _EPOCH) // _MILLISECOND, 0), _LATEST)
        digest = blake2b(f"{agent}\n{heard.key}".encode("utf-8", "replace"), digest_size=8).digest()
        name = derived_id(0 if heard.timeless else milliseconds, heard.place, digest)
        actor, provenance = _voice(heard.body)
        session = clip(clean(heard.session), _MOST_NAME)
        origin = Origin(heard.at, self._offset(milliseconds // 1000), self._host, session, actor, provenance)
        return Event(name, name, origin, self._scope(heard.directory, heard.remote, is_used), heard.body)

    def _scope(self, directory: str, remote: str, is_used: Callable[[Scope], bool]) -> Scope:
        place = (directory, remote)
        if place not in self._scopes:
            self._scopes[place] = scope_of(directory, remote, self._user_folder, is_used)
        return self._scopes[place]

    def _offset(self, second: int) -> int:
        """Minutes from UTC, by the clock on this machine's wall at that time."""
        quarter = second // _QUARTER
        if quarter not in self._offsets:
            try:
                self._offsets[quarter] = time.localtime(second).tm_gmtoff // 60
            except (OverflowError, OSError, ValueError):
                self._offsets[quarter] = 0
        return self._offsets[quarter]


def _voice(body: Conversation | Titled) -> tuple[str, Provenance]:
    """The person's words are theirs; an agent's are a model's; what comes from elsewhere nobody vouches for."""
    if isinstance(body, PromptGiven) or (isinstance(body, Titled) and body.by is By.PERSON):
        return USER, Provenance.USER_DIRECT
    if isinstance(body, ToolUsed):
        is_foreign = body.act is Act.FETCHED
        return f"agent:{body.agent}", Provenance.EXTERNAL if is_foreign else Provenance.TOOL_LOCAL
    return f"agent:{body.agent}", Provenance.MODEL


# Taking in agents' transcripts: what is new of them, each thing once, however often and by whomever they are read.
#
# What is known already is told by ids that are made of what the transcript says. How far a file was read is
# remembered only to be sooner done.

_HEAD = 65_536
_MARK = 64  # bytes before what is settled: enough to know them again
_BATCH = 4000  # things heard that are recorded together
_UNFILED = 32 << 20  # bytes of them that may wait to be filed

# Which file, how many things were heard so far, and how far one is, from 0 to 1.
Progress = Callable[[str, int, float], None]


@dataclass(slots=True)
class Transcript:
    """What came of one transcript; `problem` where it could not be read."""

    path: str
    agent: str = ""
    sessions: set[str] = field(default_factory=set)
    prompts: int = 0
    heard: int = 0
    new: int = 0
    unchanged: bool = False
    tally: Tally = field(default_factory=Tally)
    problem: TacitError | None = None


class TranscriptCapture(Part):
    """capture."""

    def transcript_places(self) -> list[str]:
        """Where agents keep their transcripts on this machine, as far as there are any."""

        home = self._home
        places = [place for one in SOURCES.values() for place in one.places(home.environment, home.user_folder)]
        return [place for place in places if os.path.exists(place)]

    def transcripts_in(self, paths: Iterable[str]) -> list[str]:
        """The files to look at, each once. A path that is not there is an error that names it."""

        found: dict[str, None] = {}
        for path in paths:
            if not os.path.exists(path):
                raise NotFound(f"there is no {path}", "name a transcript or a folder of them: tacit capture PATH")
            # A link that was named is followed; of a pipe or a device, reading it tells what is wrong.
            is_other = not os.path.isdir(path) and (os.path.islink(path) or not os.path.isfile(path))
            found.update(dict.fromkeys(os.path.abspath(one) for one in ((path,) if is_other else transcripts(path))))
        return list(found)

    def capture(
        self, files: Sequence[str], progress: Progress = lambda _path, _heard, _share: None
    ) -> list[Transcript]:
        """The same, because a person said so: what stands in a transcript as their words counts as their words."""
        self._store.speaker.must_be_person("captures transcripts by hand", "tacit capture PATH")
        return self.capture_transcripts(files, progress)

    def capture_transcripts(
        self, files: Sequence[str], progress: Progress = lambda _path, _heard, _share: None
    ) -> list[Transcript]:
        """Take in what is new of these files. What is no transcript comes back with its problem."""
        return _Capture(self, progress).all_of(files)

    def _limits(self) -> Limits:
        settings = self._home.settings
        return Limits(
            settings.autocapture_max_tool_input,
            settings.autocapture_max_tool_result,
            settings.autocapture_max_turn_size,
            frozenset(tool.lower() for tool in settings.autocapture_skip_tools),
        )


class _Capture:
    """One run over some files; what is heard is recorded in batches, so that memory stays small."""

    def __init__(self, vault: TranscriptCapture, progress: Progress) -> None:
        self._vault = vault
        self._store = vault._store
        self._limits = vault._limits()
        self._progress = progress
        self._batch: list[tuple[Transcript, Source, Heard]] = []
        self._reached: list[Reached] = []
        self._composer = Composer(self._store.speaker.host, vault._home.user_folder)
        self._heard = 0

    def all_of(self, files: Sequence[str]) -> list[Transcript]:
        told = []
        sizes = [_size(path) for path in files]
        whole, done = sum(sizes) or 1, 0
        for path, size in zip(files, sizes, strict=True):
            transcript = Transcript(path)
            told.append(transcript)
            try:
                self._read(transcript, done / whole, size / whole)
            except TacitError as error:
                transcript.problem = error
            except OSError as error:
                transcript.problem = Refused(f"{path} cannot be read: {error.strerror or error}", f"ls -l {path}")
            done += size
        self._record()
        return told

    def _read(self, transcript: Transcript, begun: float, share: float) -> None:
        with open_theirs(transcript.path) as stream:
            source = _source(transcript.path, stream)
            transcript.agent = source.name
            status = os.fstat(stream.fileno())
            before = self._known(transcript.path)
            if before and _is_unchanged(before, status) and source.in_bytes:
                transcript.unchanged = True
                return
            start = before.settled if before and _is_same(before, stream, status, source.in_bytes) else 0
            tally = transcript.tally
            tally.settled = start
            for heard in source.read(stream, start, self._limits, tally):
                self._batch.append((transcript, source, heard))
                if len(self._batch) >= _BATCH:
                    self._reached.append(_reached(transcript.path, stream, status, tally.settled, whole=False))
                    self._record()
                    part = min(tally.read / max(status.st_size - start, 1), 1.0)
                    self._progress(transcript.path, self._heard, begun + share * part)
            self._reached.append(_reached(transcript.path, stream, status, tally.settled, whole=True))
        self._progress(transcript.path, self._heard + len(self._batch), begun + share)

    def _known(self, path: str) -> Reached | None:
        index = self._store.as_it_is()
        with suppress(sqlite3.Error):
            return database_module.reached(index, path) if index else None
        return None

    def _record(self) -> None:
        """What is new of the batch, while nobody else records; then how far the files were read."""
        batch, self._batch = self._batch, []
        reached, self._reached = self._reached, []
        self._heard += len(batch)
        if not batch and not reached:
            return

        self._store.keep(
            lambda connection, unfiled: list(self._new(connection, unfiled, batch)),
            lambda connection: database_module.remember(connection, reached),
        )
        if self._store.is_far_behind(_UNFILED):  # it is read again with every batch
            self._store.catch_up()

    def _new(
        self, connection: sqlite3.Connection, seen: set[str], batch: Sequence[tuple[Transcript, Source, Heard]]
    ) -> Iterator[Event]:
        def is_used(scope: Scope) -> bool:
            return reader.is_used(connection, scope)

        made = [(told, heard, self._composer.event(source.name, heard, is_used)) for told, source, heard in batch]
        seen |= sessions.known(connection, [event.id for _, _, event in made])
        graves = tombstones(self._store.log)
        for transcript, heard, event in made:
            transcript.heard += 1
            transcript.prompts += isinstance(event.body, PromptGiven)
            transcript.sessions.add(event.origin.session)
            if event.id in seen or self._is_left_out(heard):
                continue
            seen.add(event.id)
            left = _admitted(event, graves)
            if left is not None:
                transcript.new += 1
                yield left

    def _is_left_out(self, heard: Heard) -> bool:
        settings = self._vault._home.settings
        if not settings.agents_ignore_directories:
            return False
        return bool(left_out(settings, self._vault._home.user_folder, heard.directory))


def _admitted(event: Event, graves: Tombstones | None) -> Event | None:
    """A transcript still holds what was purged here."""
    return event if graves is None else graves.admitted(event)


def _source(path: str, stream: BinaryIO) -> Source:

    found = source_of(path, stream.read(_HEAD))
    if found is None:
        raise Refused(f"{path} is no transcript that Tacit can read", "see which it can: tacit capture --help")
    return found


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _is_unchanged(before: Reached, status: os.stat_result) -> bool:
    return (before.inode, before.size, before.changed) == (status.st_ino, status.st_size, status.st_mtime_ns)


def _is_same(before: Reached, stream: BinaryIO, status: os.stat_result, in_bytes: bool) -> bool:
    """Whether the file still begins with what was read of it."""
    if before.inode != status.st_ino or not in_bytes:
        return before.inode == status.st_ino
    if status.st_size < before.settled:
        return False
    return _mark(stream, before.settled) == before.mark


def _mark(stream: BinaryIO, settled: int) -> str:
    start = max(settled - _MARK, 0)
    return os.pread(stream.fileno(), settled - start, start).hex()


def _reached(path: str, stream: BinaryIO, status: os.stat_result, settled: int, *, whole: bool) -> Reached:
    """As the file was when it was opened: what came meanwhile is found the next time."""
    size = status.st_size if whole else -1
    return Reached(path, status.st_ino, size, status.st_mtime_ns, settled, _mark(stream, settled))


def unknown_types(told: Iterable[Transcript]) -> Counter[str]:
    """Records of types that nobody has seen before, by type."""
    return sum((one.tally.unknown for one in told), Counter())


# Capturing what hooks have noted: the transcript of a session, and those of its helpers.

_UNFILED_NOTED = 256 * 1024  # bytes that may wait while there are more transcripts


class QueuedCapture(Part):
    """An open home that takes in what hooks point at."""

    def capture_noted(self, note: Note) -> None:
        files = [note.transcript] if note.transcript else self._of_session(note)
        found = [one for file in files for one in (file, *_helpers(file)) if os.path.isfile(one)]
        for told in TranscriptCapture(self._home).capture_transcripts(found):
            if isinstance(told.problem, StoreUnwell):  # the home's fault, not the transcript's: its note is to stay
                raise told.problem
        if self._store.is_far_behind(_UNFILED_NOTED):  # it is read again with every transcript
            self.file()

    def file(self) -> None:
        """Let index and pages follow, so that whoever asks next need not wait for it."""
        self._store.catch_up()

    def _of_session(self, note: Note) -> list[str]:
        """Where the host names no transcript: those of this agent that bear the session's name, or its one database."""

        source = SOURCES.get(note.agent)
        places = source.places(self._home.environment, self._home.user_folder) if source else []
        found = [path for place in places if os.path.exists(place) for path in transcripts(place)]
        return [path for path in found if note.session in path or path.endswith(".db")]


def _helpers(transcript: str) -> list[str]:
    """Claude Code keeps the transcripts of helpers in a folder beside that of the session."""
    folder = os.path.join(transcript.removesuffix(".jsonl"), "subagents")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]
