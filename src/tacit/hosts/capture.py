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

from tacit.disk.read import open_external
from tacit.errors import NotFoundError, RefusedError, StoreError, TacitError
from tacit.home.capture_policy import matching_ignore_entry
from tacit.home.home import HomePart
from tacit.home.project import directory_scope
from tacit.hosts.claude import transcript as claude
from tacit.hosts.codex import transcript as codex
from tacit.hosts.copilot import transcript as copilot
from tacit.hosts.gemini import transcript as gemini
from tacit.hosts.opencode import transcript as opencode
from tacit.hosts.queue import CaptureRequest
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent, TranscriptSource
from tacit.index import database as database_module
from tacit.index import reader, sessions
from tacit.index.database import TranscriptCursor
from tacit.log.tombstones import load_tombstones
from tacit.model.claim import Provenance, Scope
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import derived_event_id
from tacit.model.observation import ConversationBody, PromptGiven, SessionTitled, TitleAuthor, ToolAction, ToolUsed
from tacit.text.display import clean, clip

if TYPE_CHECKING:
    from tacit.log.tombstones import Tombstones


# Every host whose transcripts can be read, and which files are transcripts.

# The order in which they are asked: those that say most plainly what they are come first.
_DETECTION_ORDER = (opencode.SOURCE, codex.SOURCE, copilot.SOURCE, gemini.SOURCE, claude.SOURCE)
SOURCES = {source.name: source for source in sorted(_DETECTION_ORDER)}
HEAD_BYTES = 65_536  # bytes of a file from which it is told what it is
_TRANSCRIPT_SUFFIXES = (".jsonl", ".json", ".db")


def detect_source(path: str, head: bytes) -> TranscriptSource | None:
    """The host that wrote a file, by its name and its first bytes."""
    return next((source for source in _DETECTION_ORDER if source.matches(path, head)), None)


def transcript_files(path: str) -> Iterator[str]:
    """The files under a path that may be transcripts, in the order of their names. Links are not followed."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode):
        if path.endswith(_TRANSCRIPT_SUFFIXES):
            yield path
    elif stat.S_ISDIR(mode):
        for name in _sorted_names(path):
            yield from transcript_files(os.path.join(path, name))


def _sorted_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# From what was heard in a transcript to events: who said it, in which project, under an id that is always the same.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MAX_MILLISECONDS = 0xFFFF_FFFF_FFFF
_QUARTER_HOUR_SECONDS = 900
_MAX_SESSION_CHARS = 128


class EventBuilder:
    """Makes events of what agents' hosts wrote down on this machine."""

    def __init__(self, host: str, user_folder: str) -> None:
        self._host = host
        self._user_folder = user_folder
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._utc_offsets: dict[int, int] = {}

    def build_event(self, agent: str, heard: TranscriptEvent, is_used: Callable[[Scope], bool]) -> Event:
        """`is_used` tells which of a project's names its memories are under."""
        milliseconds = min(max((heard.at - _EPOCH) // _MILLISECOND, 0), _MAX_MILLISECONDS)
        digest = blake2b(f"{agent}\n{heard.key}".encode("utf-8", "replace"), digest_size=8).digest()
        name = derived_event_id(0 if heard.timeless else milliseconds, heard.ordinal, digest)
        actor, provenance = _actor_and_provenance(heard.body)
        session = clip(clean(heard.session), _MAX_SESSION_CHARS)
        origin = EventOrigin(heard.at, self._utc_offset(milliseconds // 1000), self._host, session, actor, provenance)
        return Event(name, name, origin, self._scope(heard.directory, heard.remote, is_used), heard.body)

    def _scope(self, directory: str, remote: str, is_used: Callable[[Scope], bool]) -> Scope:
        place = (directory, remote)
        if place not in self._scopes:
            self._scopes[place] = directory_scope(directory, remote, self._user_folder, is_used)
        return self._scopes[place]

    def _utc_offset(self, second: int) -> int:
        """Minutes from UTC, by the clock on this machine's wall at that time."""
        quarter = second // _QUARTER_HOUR_SECONDS
        if quarter not in self._utc_offsets:
            try:
                self._utc_offsets[quarter] = time.localtime(second).tm_gmtoff // 60
            except (OverflowError, OSError, ValueError):
                self._utc_offsets[quarter] = 0
        return self._utc_offsets[quarter]


def _actor_and_provenance(body: ConversationBody | SessionTitled) -> tuple[str, Provenance]:
    """The person's words are theirs; an agent's are a model's; what comes from elsewhere nobody vouches for."""
    if isinstance(body, PromptGiven) or (isinstance(body, SessionTitled) and body.by is TitleAuthor.PERSON):
        return USER, Provenance.USER_DIRECT
    if isinstance(body, ToolUsed):
        is_foreign = body.act is ToolAction.FETCHED
        return f"agent:{body.agent}", Provenance.EXTERNAL if is_foreign else Provenance.TOOL_LOCAL
    return f"agent:{body.agent}", Provenance.MODEL


# Taking in agents' transcripts: what is new of them, each thing once, however often and by whomever they are read.
#
# What is known already is told by ids that are made of what the transcript says. How far a file was read is
# remembered only to be sooner done.

_HEAD_BYTES = 65_536
_FINGERPRINT_BYTES = 64  # bytes before what is settled: enough to know them again
_BATCH_SIZE = 4000  # things heard that are recorded together
_MAX_UNINDEXED_BYTES = 32 << 20  # bytes of them that may wait to be filed

# Which file, how many things were heard so far, and how far one is, from 0 to 1.
CaptureProgress = Callable[[str, int, float], None]


@dataclass(slots=True)
class CapturedTranscript:
    """What came of one transcript; `problem` where it could not be read."""

    path: str
    agent: str = ""
    sessions: set[str] = field(default_factory=set)
    prompts: int = 0
    event_count: int = 0
    new: int = 0
    unchanged: bool = False
    stats: ReadStats = field(default_factory=ReadStats)
    problem: TacitError | None = None


class TranscriptCapture(HomePart):
    """capture."""

    def transcript_paths(self) -> list[str]:
        """Where agents keep their transcripts on this machine, as far as there are any."""

        home = self._home
        places = [place for one in SOURCES.values() for place in one.paths(home.environment, home.user_folder)]
        return [place for place in places if os.path.exists(place)]

    def transcripts_in(self, paths: Iterable[str]) -> list[str]:
        """The files to look at, each once. A path that is not there is an error that names it."""

        found: dict[str, None] = {}
        for path in paths:
            if not os.path.exists(path):
                raise NotFoundError(f"there is no {path}", "name a transcript or a folder of them: tacit capture PATH")
            # A link that was named is followed; of a pipe or a device, reading it tells what is wrong.
            is_other = not os.path.isdir(path) and (os.path.islink(path) or not os.path.isfile(path))
            found.update(
                dict.fromkeys(os.path.abspath(one) for one in ((path,) if is_other else transcript_files(path)))
            )
        return list(found)

    def capture(
        self, files: Sequence[str], progress: CaptureProgress = lambda _path, _heard, _share: None
    ) -> list[CapturedTranscript]:
        """The same, because a person said so: what stands in a transcript as their words counts as their words."""
        self._store.actor.require_person("captures transcripts by hand", "tacit capture PATH")
        return self.capture_transcripts(files, progress)

    def capture_transcripts(
        self, files: Sequence[str], progress: CaptureProgress = lambda _path, _heard, _share: None
    ) -> list[CapturedTranscript]:
        """Take in what is new of these files. What is no transcript comes back with its problem."""
        return _CaptureRun(self, progress).capture_files(files)

    def _limits(self) -> CaptureLimits:
        settings = self._home.settings
        return CaptureLimits(
            settings.autocapture_max_tool_input,
            settings.autocapture_max_tool_result,
            settings.autocapture_max_turn_size,
            frozenset(tool.lower() for tool in settings.autocapture_skip_tools),
        )


class _CaptureRun:
    """One run over some files; what is heard is recorded in batches, so that memory stays small."""

    def __init__(self, vault: TranscriptCapture, progress: CaptureProgress) -> None:
        self._owner = vault
        self._store = vault._store
        self._limits = vault._limits()
        self._progress = progress
        self._batch: list[tuple[CapturedTranscript, TranscriptSource, TranscriptEvent]] = []
        self._cursors: list[TranscriptCursor] = []
        self._builder = EventBuilder(self._store.actor.host, vault._home.user_folder)
        self._event_count = 0

    def capture_files(self, files: Sequence[str]) -> list[CapturedTranscript]:
        told = []
        sizes = [_file_size(path) for path in files]
        whole, done = sum(sizes) or 1, 0
        for path, size in zip(files, sizes, strict=True):
            transcript = CapturedTranscript(path)
            told.append(transcript)
            try:
                self._read_file(transcript, done / whole, size / whole)
            except TacitError as error:
                transcript.problem = error
            except OSError as error:
                transcript.problem = RefusedError(f"{path} cannot be read: {error.strerror or error}", f"ls -l {path}")
            done += size
        self._record_batch()
        return told

    def _read_file(self, transcript: CapturedTranscript, begun: float, share: float) -> None:
        with open_external(transcript.path) as stream:
            source = _require_source(transcript.path, stream)
            transcript.agent = source.name
            status = os.fstat(stream.fileno())
            before = self._previous_cursor(transcript.path)
            if before and _is_unchanged(before, status) and source.has_byte_offsets:
                transcript.unchanged = True
                return
            start = before.offset if before and _has_same_prefix(before, stream, status, source.has_byte_offsets) else 0
            tally = transcript.stats
            tally.cursor = start
            for heard in source.read(stream, start, self._limits, tally):
                self._batch.append((transcript, source, heard))
                if len(self._batch) >= _BATCH_SIZE:
                    self._cursors.append(_cursor_at(transcript.path, stream, status, tally.cursor, whole=False))
                    self._record_batch()
                    part = min(tally.bytes_read / max(status.st_size - start, 1), 1.0)
                    self._progress(transcript.path, self._event_count, begun + share * part)
            self._cursors.append(_cursor_at(transcript.path, stream, status, tally.cursor, whole=True))
        self._progress(transcript.path, self._event_count + len(self._batch), begun + share)

    def _previous_cursor(self, path: str) -> TranscriptCursor | None:
        index = self._store.index_as_is()
        with suppress(sqlite3.Error):
            return database_module.transcript_cursor(index, path) if index else None
        return None

    def _record_batch(self) -> None:
        """What is new of the batch, while nobody else records; then how far the files were read."""
        batch, self._batch = self._batch, []
        reached, self._cursors = self._cursors, []
        self._event_count += len(batch)
        if not batch and not reached:
            return

        self._store.append_chosen(
            lambda connection, unfiled: list(self._new_events(connection, unfiled, batch)),
            lambda connection: database_module.save_transcript_cursors(connection, reached),
        )
        if self._store.is_far_behind(_MAX_UNINDEXED_BYTES):  # it is read again with every batch
            self._store.catch_up()

    def _new_events(
        self,
        connection: sqlite3.Connection,
        seen: set[str],
        batch: Sequence[tuple[CapturedTranscript, TranscriptSource, TranscriptEvent]],
    ) -> Iterator[Event]:
        def is_used(scope: Scope) -> bool:
            return reader.is_scope_used(connection, scope)

        made = [(told, heard, self._builder.build_event(source.name, heard, is_used)) for told, source, heard in batch]
        seen |= sessions.known_events(connection, [event.id for _, _, event in made])
        graves = load_tombstones(self._store.log)
        for transcript, heard, event in made:
            transcript.event_count += 1
            transcript.prompts += isinstance(event.body, PromptGiven)
            transcript.sessions.add(event.origin.session)
            if event.id in seen or self._is_ignored(heard):
                continue
            seen.add(event.id)
            left = _drop_purged(event, graves)
            if left is not None:
                transcript.new += 1
                yield left

    def _is_ignored(self, heard: TranscriptEvent) -> bool:
        settings = self._owner._home.settings
        if not settings.agents_ignore_directories:
            return False
        return bool(matching_ignore_entry(settings, self._owner._home.user_folder, heard.directory))


def _drop_purged(event: Event, graves: Tombstones | None) -> Event | None:
    """A transcript still holds what was purged here."""
    return event if graves is None else graves.filter_import(event)


def _require_source(path: str, stream: BinaryIO) -> TranscriptSource:

    found = detect_source(path, stream.read(_HEAD_BYTES))
    if found is None:
        raise RefusedError(f"{path} is no transcript that Tacit can read", "see which it can: tacit capture --help")
    return found


def _file_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _is_unchanged(before: TranscriptCursor, status: os.stat_result) -> bool:
    return (before.inode, before.size, before.mtime_ns) == (status.st_ino, status.st_size, status.st_mtime_ns)


def _has_same_prefix(before: TranscriptCursor, stream: BinaryIO, status: os.stat_result, in_bytes: bool) -> bool:
    """Whether the file still begins with what was read of it."""
    if before.inode != status.st_ino or not in_bytes:
        return before.inode == status.st_ino
    if status.st_size < before.offset:
        return False
    return _fingerprint_before(stream, before.offset) == before.mark


def _fingerprint_before(stream: BinaryIO, settled: int) -> str:
    start = max(settled - _FINGERPRINT_BYTES, 0)
    return os.pread(stream.fileno(), settled - start, start).hex()


def _cursor_at(path: str, stream: BinaryIO, status: os.stat_result, settled: int, *, whole: bool) -> TranscriptCursor:
    """As the file was when it was opened: what came meanwhile is found the next time."""
    size = status.st_size if whole else -1
    return TranscriptCursor(
        path, status.st_ino, size, status.st_mtime_ns, settled, _fingerprint_before(stream, settled)
    )


def unknown_types(told: Iterable[CapturedTranscript]) -> Counter[str]:
    """Records of types that nobody has seen before, by type."""
    return sum((one.stats.unknown for one in told), Counter())


# Capturing what hooks have noted: the transcript of a session, and those of its helpers.

_MAX_UNINDEXED_QUEUE_BYTES = 256 * 1024  # bytes that may wait while there are more transcripts


class QueuedCapture(HomePart):
    """An open home that takes in what hooks point at."""

    def capture_request(self, note: CaptureRequest) -> None:
        files = [note.transcript] if note.transcript else self._session_transcripts(note)
        found = [one for file in files for one in (file, *_subagent_transcripts(file)) if os.path.isfile(one)]
        for told in TranscriptCapture(self._home).capture_transcripts(found):
            if isinstance(told.problem, StoreError):  # the home's fault, not the transcript's: its note is to stay
                raise told.problem
        if self._store.is_far_behind(_MAX_UNINDEXED_QUEUE_BYTES):  # it is read again with every transcript
            self.update_index()

    def update_index(self) -> None:
        """Let index and pages follow, so that whoever asks next need not wait for it."""
        self._store.catch_up()

    def _session_transcripts(self, note: CaptureRequest) -> list[str]:
        """Where the host names no transcript: those of this agent that bear the session's name, or its one database."""

        source = SOURCES.get(note.agent)
        places = source.paths(self._home.environment, self._home.user_folder) if source else []
        found = [path for place in places if os.path.exists(place) for path in transcript_files(place)]
        return [path for path in found if note.session in path or path.endswith(".db")]


def _subagent_transcripts(transcript: str) -> list[str]:
    """Claude Code keeps the transcripts of helpers in a folder beside that of the session."""
    folder = os.path.join(transcript.removesuffix(".jsonl"), "subagents")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]
