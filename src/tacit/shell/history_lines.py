"""Convert history entries into lines of the log: sessions, directories, ids, and which commands are known already.

An id is derived from what an entry says: the shell, the second, the text, and which repetition it is in that second. So
reading a history again yields the same ids.
"""

from __future__ import annotations

import posixpath
import re
import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b, sha256
from json.encoder import encode_basestring_ascii as encode_string

from tacit.commandline.bash import CommandWords, Pipeline, first_word, scan_pipelines
from tacit.commandline.words import ScanError
from tacit.disk.files import open_plain
from tacit.errors import TacitError
from tacit.home.capture_policy import is_key_line, is_purge_command
from tacit.log import Log
from tacit.log.codec import id_in_line
from tacit.log.command_lines import IMPORT_ENVELOPE, CommandEncoder
from tacit.log.reader import read_lines
from tacit.log.segment import IMPORTED_FOLDER
from tacit.log.signing import SignLine
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import EventId, event_id
from tacit.model.observation import CommandRan, is_untimed_session
from tacit.purge.tombstones import Tombstones
from tacit.record import Record
from tacit.secrets import BatchRedactor
from tacit.shell.history_formats import EARLIEST_TIME, SECOND, HistoryEntry, latest_time

# Sessions: if a history has none, a pause of thirty minutes starts a new one (SPEC A9)
#
# A session is named after its shell and its first second, so that reading again finds the same. Sessions that were
# imported before continue, also if the history has lost its start since.

SESSION_GAP_SECONDS = 30 * 60


def untimed_session_id(shell: str, identity: str) -> str:
    """Return the session of what a history has no times of. `identity` distinguishes it from other histories."""
    return f"{shell}:{sha256(identity.encode()).hexdigest()[:12]}"


class SessionSpan(Record):
    """A known session, from its first to its last second."""

    first: int
    last: int
    session: str


class SessionAssigner:
    """Finds the session of each command, in their order."""

    def __init__(self, shell: str, known: Iterable[SessionSpan] = ()) -> None:
        self._shell = shell
        self._spans = sorted(known)
        self._span_starts = [span.first for span in self._spans]
        self._last_second: int | None = None
        self._session = ""

    def session_at(self, second: int, milliseconds: int = 0) -> str:
        """Return the session of a command that started in this second and took that long."""
        last, gap = self._last_second, SESSION_GAP_SECONDS
        if last is None or not last - gap < second < last + gap:
            index = bisect_right(self._span_starts, second)
            near = self._spans[max(index - 1, 0) : index + 1]
            known = (span.session for span in near if span.first - gap < second < span.last + gap)
            self._session = next(known, f"{self._shell}:{second}")
        self._last_second = second + milliseconds // 1000
        return self._session


# Known commands

HISTORY_PREFIX = f"{IMPORTED_FOLDER}/history-"
TAIL_COMMANDS = 50  # last imported commands, by which the end of the import is found again
DIGEST_BYTES = 9
_COMMAND_FIELD = re.compile(rb'"body":\{"command":("(?:[^"\\]|\\.)*")')
_SESSION_FIELD = re.compile(rb'"sess":"([^"\\]*)"')
_TIME_FIELD = re.compile(rb'"ts":"([^"]{19})')
_COMMAND_EVENT = b'"type":"command.ran"'


class KnownCommands:
    """Commands in the log.

    `ids` are the keys of imported commands of this shell. `captured` are keys of commands that came from another shell
    or from the recorder, by second and text. `count` and `session_spans` describe what was imported from this history,
    `tail` the end of what it had no times of.
    """

    def __init__(self, log: Log, segment: str) -> None:
        self.ids: set[bytes] = set()
        self.captured: set[int] = set()
        self.tail: deque[int] = deque(maxlen=TAIL_COMMANDS)
        self.count = 0
        self._session_spans: dict[str, SessionSpan] = {}
        for name in log.segments():
            if name.startswith(IMPORTED_FOLDER):
                # Histories of two shells may have the same commands at the same times.
                is_other = name.startswith(HISTORY_PREFIX) and name.rpartition("-")[0] != segment.rpartition("-")[0]
                self._scan(log, name, is_own=name == segment, is_other=is_other)
            elif not name.startswith("memory"):
                self._scan(log, name, is_own=False, is_other=True)

    @property
    def session_spans(self) -> list[SessionSpan]:
        return list(self._session_spans.values())

    def _scan(self, log: Log, segment: str, *, is_own: bool, is_other: bool) -> None:
        with open_plain(log.path(segment)) as file:
            for line in read_lines(file):
                event = id_in_line(line.data)
                if event is None:
                    continue
                if not is_other:
                    self.ids.add(id_key(event))
                self.count += is_own
                if not (is_own or is_other) or _COMMAND_EVENT not in line.data:
                    continue
                fields = (field.search(line.data) for field in (_COMMAND_FIELD, _SESSION_FIELD, _TIME_FIELD))
                command, session, at = (field[1].decode("ascii") if field else None for field in fields)
                if command is None or session is None or at is None:
                    continue
                second = int(datetime.fromisoformat(f"{at}+00:00").timestamp())
                if not is_own:
                    self.captured.add(command_key(second, command))
                elif is_untimed_session(session):
                    self.tail.append(hash(command))
                else:
                    first, last, _ = self._session_spans.get(session, (second, second, ""))
                    self._session_spans[session] = SessionSpan(min(first, second), max(last, second), session)


def command_id(milliseconds: int, digest: bytes) -> EventId:
    """Build the id that `event_id` makes of nine bytes, with two zero bits after the first twelve, but faster."""
    time, rest = milliseconds.to_bytes(6, "big").hex(), digest.hex()
    return EventId(f"{time[:8]}-{time[8:]}-7{rest[:3]}-8{rest[3:6]}-{rest[6:]}")


def id_key(event: EventId) -> bytes:
    """Return the part of an id without its milliseconds, which only order commands within a second."""
    return bytes.fromhex(event[21:23] + event[24:])


def command_key(second: int, quoted: str) -> int:
    return hash((second, quoted))


# Directories, derived from `cd` lines if a history has none
#
# The directory is unknown before the first `cd` to an absolute path, and again after a line that does not say it: a
# variable, a jump (`z app`), a `cd` in a condition. Subshells, pipelines and background jobs change nothing. It is
# better to know no directory than a wrong one.

UNKNOWN_DIRECTORY = ""
_MAY_CHANGE_DIRECTORY = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd|exit|logout|z|zi|j|autojump|\.\.)(?:$|[\s;&|)}])")
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9_./~ -]+")
_HOME_VARIABLE = re.compile(r"\$HOME(?=/|$)|\$\{HOME\}")
_UNEXPANDED = re.compile(r"[$`*?\[{\ufffd]")  # only that shell could have expanded it
_JUMP_COMMANDS = frozenset("z zi j autojump".split())
_BLOCK_KEYWORDS = frozenset("if then elif else for while until do case select function { !".split())
_MAX_PATH_CHARS = 4096
_MAX_KNOWN_FOLDERS = 10_000


class DirectoryTracker:
    """Finds the directory of each line of a history, in their order.

    `is_directory` looks at the disk: a `cd` to a folder that does not exist, although its parent does, failed or is
    outdated, and the directory is unknown from then on.
    """

    def __init__(self, user_folder: str, is_directory: Callable[[str], bool]) -> None:
        self._user_folder = user_folder
        self._is_directory = lru_cache(_MAX_KNOWN_FOLDERS)(is_directory)  # people return to the same folders
        self.reset()

    def reset(self) -> None:
        """Start a new session."""
        self._current = self._previous = self._failed_from = UNKNOWN_DIRECTORY
        self._stack: list[str] = []

    def directory_of(self, line: str) -> str:
        """Return the directory in which a line was run, or UNKNOWN_DIRECTORY, and follow the line."""
        directory = self._current
        for words in _own_commands(line) if _MAY_CHANGE_DIRECTORY.search(line) else ():
            name, *arguments = words or ("",)
            if name in ("cd", ".."):
                self._change_to(self._cd_target([".."] if name == ".." else arguments))
            elif name == "pushd":  # without arguments it swaps the top two
                top = self._stack.pop() if self._stack and not arguments else UNKNOWN_DIRECTORY
                target = self._cd_target(arguments) if arguments else top
                self._stack.append(self._current)
                self._change_to(target)
            elif name == "popd":
                self._change_to(self._stack.pop() if self._stack and not arguments else UNKNOWN_DIRECTORY)
            elif name in _JUMP_COMMANDS or not name:
                self._failed_from = UNKNOWN_DIRECTORY
                self._change_to(UNKNOWN_DIRECTORY)
            elif name in ("exit", "logout"):  # another shell follows
                self.reset()
        return directory

    def _change_to(self, directory: str) -> None:
        self._previous, self._current = self._current, directory

    def _cd_target(self, arguments: list[str]) -> str:
        """Return where `cd` with these arguments leads.

        After a `cd` that seems to have failed, a relative path counts from the folder before it, if it exists there.
        """
        base = self._current or self._failed_from
        self._failed_from = UNKNOWN_DIRECTORY
        operands = [word for word in arguments if word not in ("-L", "-P", "-e", "-q", "-s", "--")]
        if not operands or operands == ["-"]:
            return self._previous if operands else self._user_folder
        path = _HOME_VARIABLE.sub(lambda _: self._user_folder, operands[0])
        if path == "~" or path.startswith("~/"):
            path = self._user_folder + path[1:]
        is_ambiguous = len(operands) > 1 or path.startswith(("~", "-", "+")) or _UNEXPANDED.search(path)
        is_relative = not path.startswith("/")
        if is_ambiguous or len(path) > _MAX_PATH_CHARS or (is_relative and not base):
            return UNKNOWN_DIRECTORY
        target = posixpath.normpath(posixpath.join(base, path))
        if self._is_directory(target):
            return target
        has_failed = self._is_directory(posixpath.dirname(target))
        if has_failed:
            self._failed_from = base
        return UNKNOWN_DIRECTORY if has_failed or (is_relative and not self._current) else target


def _own_commands(line: str) -> Iterator[CommandWords]:
    """Yield the commands that the shell itself runs, () for what a block or an open quote hides."""
    if _PLAIN_WORDS.fullmatch(line):  # as most lines, which need no scanner
        pipelines: Iterable[Pipeline] = (Pipeline(line, ((tuple(line.split()),),)),)
    else:
        pipelines = scan_pipelines(line)
    try:
        for pipeline in pipelines:
            if first_word(pipeline.text)[0] in _BLOCK_KEYWORDS:
                yield ()
                return
            if pipeline.is_own:
                words = pipeline.stages[0][0]
                yield words[1:] if words[0] in ("builtin", "command") and len(words) > 1 else words
    except ScanError:
        yield ()


# Conversion

IGNORED = "ignored by your settings"
PURGED = "purged before"
NEVER_CAPTURED = "told Tacit what to take out"
PASTED_KEY = "lines of a pasted key"
CAPTURED = "captured already"
TOO_EARLY = "earlier than the last 1,000,000"
_NEARBY_SECONDS = (0, -1, 1, -2, 2)  # by which two records of the same command may differ
_QUARTER_HOUR_SECONDS = 900
_MAX_REPEATS = 100_000
_UNTIMED_STEP = 1000  # microseconds between two commands without a time
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class HistoryContext(Record):
    """What is the same for a whole history.

    `now` is in microseconds. Commands before the first time in the history are in the `untimed_session`, and
    `known_count` commands were imported before.
    """

    shell: str
    host: str
    now: int
    untimed_session: str
    known_count: int


@dataclass(slots=True)
class ImportedHistory:
    """Result of importing one history. `problem` is why it could not be read at all.

    Of the new commands, `undated` come before the first time in the history; `untimed` have none behind it, or a wrong
    one. `first` and `last` are in microseconds, 0 if unknown.
    """

    path: str
    shell: str = ""
    commands: int = 0
    new: int = 0
    undated: int = 0
    untimed: int = 0
    first: int = 0
    last: int = 0
    has_times: bool = True
    unread: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    sessions: set[int] = field(default_factory=set)
    problem: TacitError | None = None


class HistoryConverter:
    """Converts one history, block by block. It reads and writes no files.

    The loop in `new_lines` runs for every command that has a time, or follows one. Rare cases are in other methods.
    Nothing is known of when the commands before the first time ran: they may be years old. Their session says so, and
    their time is 1970: a millisecond for each of them, which only keeps them in order.
    """

    def __init__(
        self,
        context: HistoryContext,
        known: KnownCommands,
        redactor: BatchRedactor,
        tombstones: Tombstones | None,
        is_ignored: Callable[[CommandRan], bool] | None,
        sign: SignLine | None,
        directories: DirectoryTracker,
        stats: ImportedHistory,
    ) -> None:
        self.stats = stats
        self._directories = directories
        self._context = context
        self._host = context.host
        self._known = known
        self._ids = known.ids
        self._redactor = redactor
        self._tombstones = tombstones
        self._is_ignored = is_ignored
        self._hash_prefix = blake2b(f"{context.shell}\n".encode(), digest_size=DIGEST_BYTES)
        self._sessions = SessionAssigner(context.shell, known.session_spans)
        self._line_encoder = CommandEncoder(context.shell, sign)
        self._last_time = 0
        self._has_time = False  # whether a command with a time was read
        self._earliest, self._latest = EARLIEST_TIME, latest_time(context.now)
        self._second = self._position = -1
        self._first_text = ""
        self._repeats: dict[str, int] = {}
        self._serial = context.known_count
        self._session = ""
        self._directory = self._redacted_directory = UNKNOWN_DIRECTORY  # of the command before
        self._quarter = self._utc_offset = 0  # the latest quarter of an hour, and the minutes from UTC in it

    def new_lines(self, block: Sequence[HistoryEntry]) -> list[bytes]:
        """Return the lines of those commands of a block that are new."""
        ids, copy_hash, session_at = self._ids, self._hash_prefix.copy, self._sessions.session_at
        encode, directories = self._line_encoder.encode, self._directories
        earliest, latest, now = self._earliest, self._latest, self._context.now
        may_skip = self._is_ignored or self._tombstones or self._known.captured
        commands = list(zip(block, self._redactor.redact([entry[0] for entry in block]), strict=True))
        untimed = self._leading_untimed(block)
        lines = [line for entry, text in commands[:untimed] if (line := self._untimed_line(entry, text))]
        for entry, text in commands[untimed:]:
            _, at, milliseconds, status, directory, session, host = entry
            if reason := _never_captured(text):
                self.stats.left_out[reason] += 1
                continue
            if not earliest <= at <= latest:  # the time of the command before
                at = self._last_time // SECOND * SECOND
                self.stats.untimed += 1
            second, fraction = at // SECOND, at % SECOND
            if second != self._second:
                self._second, self._position, self._first_text = second, 0, text
                repeat = 0
            else:
                repeat = self._repeat_number(text)
                at = at if fraction else at + min(self._position, 999) * 1000
            session = session or session_at(second, milliseconds)
            if session != self._session:
                self._start_session(session, at)
            directory = directory or directories.directory_of(text)
            self._last_time = at
            hashed = copy_hash()
            hashed.update(f"{at if fraction else second}\n{repeat}\n{text}".encode())
            digest = hashed.digest()
            key = digest[2:]  # as `id_key` reads it from the id
            if key in ids or (may_skip and self._is_skipped(entry, text, directory)):
                continue
            ids.add(key)
            if second // _QUARTER_HOUR_SECONDS != self._quarter:
                self._quarter = second // _QUARTER_HOUR_SECONDS
                self._utc_offset = time.localtime(second).tm_gmtoff // 60
            at = at if at < now else now
            if directory != self._directory:
                self._redact_directory(directory)
            details = (self._redacted_directory, status, milliseconds, host or self._host)
            lines.append(encode(command_id(at // 1000, digest), text, details, session, at, self._utc_offset))
        self.stats.commands += len(block)
        self.stats.new += len(lines)
        if self._has_time:
            self.stats.last = max(self.stats.last, self._last_time)
        return lines

    def _leading_untimed(self, block: Sequence[HistoryEntry]) -> int:
        """Return how many commands of a block come before the first time of the history."""
        if self._has_time:
            return 0
        timed = (at for at, entry in enumerate(block) if self._earliest <= entry.at <= self._latest)
        first = next(timed, len(block))
        self._has_time = first < len(block)
        return first

    def _untimed_line(self, entry: HistoryEntry, text: str) -> bytes | None:
        """Return the line of a command before the first time of its history; None if it is not imported."""
        if reason := _never_captured(text):
            self.stats.left_out[reason] += 1
            return None
        self._serial += 1
        session, at = self._context.untimed_session, self._serial * _UNTIMED_STEP
        self._session, self._last_time = session, at
        directory = entry.directory or self._directories.directory_of(text)
        if self._is_skipped(entry, text, directory):
            return None
        hashed = self._hash_prefix.copy()
        hashed.update(f"{session}\n{self._serial}\n{text}".encode())
        digest = hashed.digest()
        self.stats.undated += 1
        if directory != self._directory:
            self._redact_directory(directory)
        details = (self._redacted_directory, entry.status, entry.milliseconds, entry.host or self._host)
        return self._line_encoder.encode(command_id(self._serial, digest), text, details, session, at, 0)

    def _redact_directory(self, directory: str) -> None:
        self._directory, self._redacted_directory = directory, self._redactor.redact([directory])[0]

    def _repeat_number(self, text: str) -> int:
        """Return how often a text occurred in this second before."""
        if self._position == 0:
            self._repeats = {self._first_text: 1}
        self._position += 1
        if len(self._repeats) > _MAX_REPEATS:
            self._repeats.clear()
        count = self._repeats.get(text, 0)
        self._repeats[text] = count + 1
        return count

    def _start_session(self, session: str, at: int) -> None:
        """Times are compared only here and at the end of a block: within a session they increase."""
        self._session = session
        self._directories.reset()
        self.stats.sessions.add(hash(session))
        self.stats.last = max(self.stats.last, self._last_time if self.stats.first else 0)
        self.stats.first = min(self.stats.first or at, at)

    def _is_skipped(self, entry: HistoryEntry, text: str, directory: str) -> bool:
        """Whether a new command is not imported, for a reason that few histories have."""
        captured = self._known.captured
        if self._is_ignored and self._is_ignored(CommandRan(entry.command, directory)):
            self.stats.left_out[IGNORED] += 1
        elif captured and any(
            command_key(self._second + offset, encode_string(text)) in captured for offset in _NEARBY_SECONDS
        ):
            self.stats.left_out[CAPTURED] += 1
        elif self._tombstones:  # compared with the event that the entry would become
            command = CommandRan(text, directory, entry.status, entry.milliseconds, self._context.shell)
            scope, actor, provenance = IMPORT_ENVELOPE
            at = _EPOCH + timedelta(microseconds=self._last_time)
            origin = EventOrigin(at, self._utc_offset, entry.host or self._host, self._session, actor, provenance)
            event = event_id(self._last_time // 1000, bytes(10))
            if not self._tombstones.rejects(Event(event, event, origin, scope, command)):
                return False
            self.stats.left_out[PURGED] += 1
        else:
            return False
        return True


def _never_captured(text: str) -> str:
    """Return why a command is never captured; "" if it may be."""
    if "tacit" in text and is_purge_command(text):
        return NEVER_CAPTURED
    return PASTED_KEY if is_key_line(text) else ""
