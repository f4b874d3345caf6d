"""Capture of transcripts: find them, read what is new, and append it to the log.

Event ids are derived from what a transcript says. So each event is recorded once, whoever captures the file and however
often. The cursor of a file only saves time.
"""

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

from tacit.disk.files import list_folder
from tacit.disk.read import open_external
from tacit.errors import NotFoundError, RefusedError, StoreError, TacitError
from tacit.home.capture_policy import is_session_captured, matching_ignore_entry
from tacit.home.home import Home, HomePart
from tacit.home.paths import is_judge_path
from tacit.home.project import directory_scope
from tacit.hosts import claude, codex, copilot, gemini, opencode
from tacit.hosts.normalize import TranscriptSource
from tacit.hosts.queue import CaptureRequest
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.index import database, reader, sessions
from tacit.index.database import TranscriptCursor
from tacit.model.claim import Provenance, Scope
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import derived_event_id
from tacit.model.observation import PromptGiven, SessionTitled, TitleAuthor, ToolAction, ToolUsed
from tacit.purge.tombstones import load_tombstones
from tacit.text.display import clean, clip

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO


# Sources

# Sources whose signature is most specific come first.
_DETECTION_ORDER = (opencode.SOURCE, codex.SOURCE, copilot.SOURCE, gemini.SOURCE, claude.SOURCE)
SOURCES = {source.name: source for source in sorted(_DETECTION_ORDER)}
HEAD_BYTES = 65_536  # first bytes of a file, by which its source is detected
_TRANSCRIPT_SUFFIXES = (".jsonl", ".json", ".db")


def detect_source(path: str, head: bytes) -> TranscriptSource | None:
    """Return the host that wrote a file, by its name and its first bytes. None if it is not a known transcript."""
    return next((source for source in _DETECTION_ORDER if source.matches(path, head)), None)


def transcript_files(path: str) -> Iterator[str]:
    """Yield the files under a path that may be transcripts, sorted by name. Symbolic links are not followed."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode):
        if path.endswith(_TRANSCRIPT_SUFFIXES):
            yield path
    elif stat.S_ISDIR(mode):
        for name in list_folder(path):
            yield from transcript_files(os.path.join(path, name))


# Events for the log

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MAX_MILLISECONDS = 0xFFFF_FFFF_FFFF
_QUARTER_HOUR_MILLISECONDS = 900_000
_MAX_SESSION_CHARS = 128


class EventBuilder:
    """Builds log events from transcript events: adds an id, the actor, the provenance and the scope."""

    def __init__(self, host: str, user_folder: str) -> None:
        self._host = host  # name of this machine
        self._user_folder = user_folder
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._utc_offsets: dict[int, int] = {}  # in minutes, by quarters of an hour

    def build_event(self, agent: str, event: TranscriptEvent, is_used: Callable[[Scope], bool]) -> Event:
        """Build the log event. `is_used` says under which names of a project there are memories."""
        milliseconds = min(max((event.at - _EPOCH) // _MILLISECOND, 0), _MAX_MILLISECONDS)
        digest = blake2b(f"{agent}\n{event.key}".encode("utf-8", "replace"), digest_size=8).digest()
        event_id = derived_event_id(0 if event.timeless else milliseconds, event.ordinal, digest)
        session = clip(clean(event.session), _MAX_SESSION_CHARS)
        quarter = milliseconds // _QUARTER_HOUR_MILLISECONDS
        if quarter not in self._utc_offsets:
            self._utc_offsets[quarter] = 0
            with suppress(OverflowError, OSError, ValueError):
                self._utc_offsets[quarter] = time.localtime(milliseconds // 1000).tm_gmtoff // 60
        # Prompts are the person's words, replies are a model's; nobody vouches for what was fetched from elsewhere.
        body, actor, provenance = event.body, f"agent:{event.body.agent}", Provenance.MODEL
        if isinstance(body, PromptGiven) or (isinstance(body, SessionTitled) and body.by is TitleAuthor.PERSON):
            actor, provenance = USER, Provenance.USER_DIRECT
        elif isinstance(body, ToolUsed):
            provenance = Provenance.EXTERNAL if body.act is ToolAction.FETCHED else Provenance.TOOL_LOCAL
        origin = EventOrigin(event.at, self._utc_offsets[quarter], self._host, session, actor, provenance)
        place = event.directory, event.remote
        if place not in self._scopes:
            self._scopes[place] = directory_scope(*place, self._user_folder, is_used)
        return Event(event_id, event_id, origin, self._scopes[place], body)


# Capture

_FINGERPRINT_BYTES = 64  # bytes before a cursor by which the file is recognised
_BATCH_SIZE = 4000  # events that are appended together
_MAX_UNINDEXED_BYTES = 32 << 20
_MAX_UNINDEXED_QUEUE_BYTES = 256 * 1024  # while more transcripts are in the queue of hooks

CaptureProgress = Callable[[str, int, float], None]  # path, events so far, progress from 0 to 1


def _no_progress(_path: str, _events: int, _share: float) -> None:
    pass


@dataclass(slots=True)
class CapturedTranscript:
    """Result of capturing one transcript. `problem` is why it could not be read."""

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
    """Finds and captures transcripts of agents on this machine."""

    def transcript_paths(self) -> list[str]:
        """Return the existing files and folders in which agents keep their transcripts."""
        home = self._home
        paths = [path for source in SOURCES.values() for path in source.paths(home.environment, home.user_folder)]
        return [path for path in paths if os.path.exists(path)]

    def transcripts_in(self, paths: Iterable[str]) -> list[str]:
        """Return the transcripts under some paths as absolute paths, each once.

        Raises:
            NotFoundError: a path does not exist.
        """
        files: dict[str, None] = {}
        for path in paths:
            if not os.path.exists(path):
                raise NotFoundError(
                    f"there is no {path}", "name a transcript, or a folder: tacit import transcripts PATH"
                )
            # A link that was named is followed. Reading a pipe or a device will report what is wrong with it.
            is_other = not os.path.isdir(path) and (os.path.islink(path) or not os.path.isfile(path))
            files.update(dict.fromkeys(map(os.path.abspath, (path,) if is_other else transcript_files(path))))
        return list(files)

    def capture(self, files: Sequence[str], progress: CaptureProgress = _no_progress) -> list[CapturedTranscript]:
        """Capture transcripts on behalf of a person: the prompts in them will count as the person's words.

        Raises:
            RefusedError: the actor is an agent.
        """
        self._store.actor.require_person("captures transcripts by hand", "tacit import transcripts PATH")
        captured = self.capture_transcripts(files, progress)
        if any(transcript.new for transcript in captured):
            self._store.catch_up()  # else the next hook would have to index all of it, and reach its deadline
        return captured

    def capture_transcripts(
        self, files: Sequence[str], progress: CaptureProgress = _no_progress
    ) -> list[CapturedTranscript]:
        """Append what is new in these files to the log. The result of a file that is not a transcript has a problem."""
        return _CaptureRun(self._home, progress).capture_files(files)

    def recent_transcripts(self, seconds: float, limit: int) -> list[str]:
        """Return the transcripts of all agents that were written within the last seconds, the latest first."""
        start = time.time() - seconds
        written: list[tuple[float, str]] = []
        for path in self.transcripts_in(self.transcript_paths()):
            with suppress(OSError):
                written.append((os.stat(path).st_mtime, path))
        return [path for at, path in sorted(written, reverse=True)[:limit] if at >= start]

    def uncaptured_prompts(self, path: str) -> list[Event]:
        """Return the prompts that a capture of this transcript would append now. Nothing is written.

        Those of sessions that are not to be captured are left out. Returns [] if the file cannot be read.
        """
        with suppress(TacitError, OSError):
            return _CaptureRun(self._home, _no_progress).read_prompts(path)
        return []

    def capture_request(self, request: CaptureRequest) -> None:
        """Capture a session that a hook put into the queue, and its subagents.

        Raises:
            StoreError: the home cannot be written. The transcript is not to blame, so its request has to stay.
        """
        files, source = [request.transcript], SOURCES.get(request.agent)
        if not request.transcript:  # the host named none: those with the session in their path, or its database
            folders = source.paths(self._home.environment, self._home.user_folder) if source else []
            found = [file for folder in folders for file in transcript_files(folder)]
            files = [file for file in found if request.session in file or file.endswith(".db")]
        for file in [*files]:  # Claude Code keeps the transcripts of subagents in a folder beside that of the session
            folder = os.path.join(file.removesuffix(".jsonl"), "subagents")
            files += [os.path.join(folder, name) for name in list_folder(folder) if name.endswith(".jsonl")]
        existing = [path for path in files if os.path.isfile(path)]
        for transcript in self.capture_transcripts(existing):
            if isinstance(transcript.problem, StoreError):
                raise transcript.problem
        if self._store.is_far_behind(_MAX_UNINDEXED_QUEUE_BYTES):  # every transcript reads the unindexed part again
            self._store.catch_up()


class _CaptureRun:
    """One run over some files. Events are appended in batches, so that little memory is needed."""

    def __init__(self, home: Home, progress: CaptureProgress) -> None:
        settings = home.settings
        self._home, self._store, self._progress = home, home.store, progress
        self._limits = CaptureLimits(
            settings.autocapture_max_tool_input,
            settings.autocapture_max_tool_result,
            settings.autocapture_max_turn_size,
            frozenset(tool.lower() for tool in settings.autocapture_skip_tools),
        )
        self._batch: list[tuple[CapturedTranscript, TranscriptEvent]] = []
        self._cursors: list[TranscriptCursor] = []
        self._builder = EventBuilder(self._store.actor.host, home.user_folder)
        self._event_count = 0
        self._digest = self._store.log.digest

    def capture_files(self, files: Sequence[str]) -> list[CapturedTranscript]:
        transcripts = []
        sizes = [0] * len(files)
        for index, path in enumerate(files):
            with suppress(OSError):
                sizes[index] = os.stat(path).st_size
        total, done = sum(sizes) or 1, 0
        for path, size in zip(files, sizes, strict=True):
            transcript = CapturedTranscript(path)
            transcripts.append(transcript)
            try:
                self._read_file(transcript, done / total, size / total)
            except TacitError as error:
                transcript.problem = error
            except OSError as error:
                transcript.problem = RefusedError(f"{path} cannot be read: {error.strerror or error}", f"ls -l {path}")
            done += size
        self._append_batch()
        return transcripts

    def _read_file(self, transcript: CapturedTranscript, progress: float, share: float) -> None:
        """Read one file. `progress` is where the run is before it, `share` what the file adds to that."""
        path, stats = transcript.path, transcript.stats
        if is_judge_path(path):
            transcript.unchanged = True
            return
        with open_external(path) as stream:
            status = os.fstat(stream.fileno())
            events, start = self._begin(transcript, stream, status)
            for event in events:
                self._batch.append((transcript, event))
                if len(self._batch) >= _BATCH_SIZE:
                    self._save_cursor(path, stream, status, stats.cursor, is_complete=False)
                    self._append_batch()
                    part = min(stats.bytes_read / max(status.st_size - start, 1), 1.0)
                    self._progress(path, self._event_count, progress + share * part)
            if transcript.unchanged:
                return
            self._save_cursor(path, stream, status, stats.cursor, is_complete=True)
        self._progress(path, self._event_count + len(self._batch), progress + share)

    def read_prompts(self, path: str) -> list[Event]:
        """Return the new prompts in a transcript, of sessions that are to be captured, without appending them."""
        transcript = CapturedTranscript(path)
        with open_external(path) as stream:
            events, _ = self._begin(transcript, stream, os.fstat(stream.fileno()))
            prompts = [event for event in events if isinstance(event.body, PromptGiven)]
        settings, paths = self._home.settings, self._store.paths
        sessions_here = {prompt.session for prompt in prompts}
        captured = {session for session in sessions_here if is_session_captured(settings, paths, session, "")}
        batch = [(transcript, prompt) for prompt in prompts if prompt.session in captured]
        return self._store.read(lambda connection: list(self._new_events(connection, set(), batch)))

    def _begin(
        self, transcript: CapturedTranscript, stream: BinaryIO, status: os.stat_result
    ) -> tuple[Iterable[TranscriptEvent], int]:
        """Return what is new in a file, and where it begins: where the last capture ended, if it only grew since.

        Raises:
            RefusedError: it is no transcript.
        """
        path, stats = transcript.path, transcript.stats
        source = detect_source(path, stream.read(HEAD_BYTES))
        if source is None:
            problem = f"{path} is no transcript that Tacit can read"
            raise RefusedError(problem, "see which it can: tacit import transcripts --help")
        transcript.agent = source.name
        index, cursor = self._store.index_as_is(), None
        with suppress(sqlite3.Error):
            cursor = database.transcript_cursor(index, self._digest(os.fsencode(path))) if index else None
        start = 0
        if cursor and cursor.inode == status.st_ino:
            is_unchanged = (cursor.size, cursor.mtime_ns) == (status.st_size, status.st_mtime_ns)
            if source.has_byte_offsets and is_unchanged:
                transcript.unchanged = True
                return (), 0
            is_grown = not source.has_byte_offsets or (
                status.st_size >= cursor.offset and self._fingerprint(stream, cursor.offset) == cursor.fingerprint
            )
            start = cursor.offset if is_grown else 0
        stats.cursor = start
        return source.read(stream, start, self._limits, stats), start

    def _save_cursor(
        self, path: str, stream: BinaryIO, status: os.stat_result, offset: int, *, is_complete: bool
    ) -> None:
        """Note how far the file was read, as it was when it was opened. The next run finds what was added since."""
        if path_digest := self._digest(os.fsencode(path)):  # else there is no key: it will be read again
            size = status.st_size if is_complete else -1
            fingerprint = self._fingerprint(stream, offset)
            cursor = TranscriptCursor(path_digest, status.st_ino, size, status.st_mtime_ns, offset, fingerprint)
            self._cursors.append(cursor)

    def _fingerprint(self, stream: BinaryIO, offset: int) -> str:
        """Return by what the file is recognised: a keyed hash, since these bytes were not searched for secrets."""
        start = max(offset - _FINGERPRINT_BYTES, 0)
        return self._digest(os.pread(stream.fileno(), offset - start, start))

    def _append_batch(self) -> None:
        """Append what is new in the batch while holding the lock, then save the cursors."""
        batch, self._batch = self._batch, []
        cursors, self._cursors = self._cursors, []
        self._event_count += len(batch)
        if not batch and not cursors:
            return
        self._store.append_chosen(
            lambda connection, unindexed: list(self._new_events(connection, unindexed, batch)),
            lambda connection: database.save_transcript_cursors(connection, cursors),
        )
        if self._store.is_far_behind(_MAX_UNINDEXED_BYTES):  # every batch reads the unindexed part again
            self._store.catch_up()

    def _new_events(
        self,
        connection: sqlite3.Connection,
        known: set[str],
        batch: Sequence[tuple[CapturedTranscript, TranscriptEvent]],
    ) -> Iterator[Event]:
        """Yield the events of a batch whose ids are not `known`, indexed, ignored or purged; count all of them."""

        def is_used(scope: Scope) -> bool:
            return reader.is_scope_used(connection, scope)

        built = [
            (transcript, self._builder.build_event(transcript.agent, event, is_used), event.directory)
            for transcript, event in batch
        ]
        settings = self._home.settings
        known |= sessions.known_events(connection, [event.id for _, event, _ in built])
        tombstones = load_tombstones(self._store.log)
        for transcript, event, directory in built:
            transcript.event_count += 1
            transcript.prompts += isinstance(event.body, PromptGiven)
            transcript.sessions.add(event.origin.session)
            is_ignored = is_judge_path(directory) or (
                settings.agents_ignore_directories
                and matching_ignore_entry(settings, self._home.user_folder, directory)
            )
            if event.id in known or is_ignored:
                continue
            known.add(event.id)
            # A transcript still contains what was purged here.
            remaining = event if tombstones is None else tombstones.filter_import(event)
            if remaining is not None:
                transcript.new += 1
                yield remaining


def unknown_types(transcripts: Iterable[CapturedTranscript]) -> Counter[str]:
    """Count records of types that no reader knows, by type."""
    return sum((transcript.stats.unknown for transcript in transcripts), Counter())
