"""From history entries to lines of the log: sessions, directories, ids, and what is known already."""

from __future__ import annotations

import posixpath
import re
import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, sha256
from json.encoder import encode_basestring_ascii as quoted
from shlex import shlex

from tacit.disk.files import open_plain
from tacit.home.capture_policy import is_purge_command
from tacit.log.bulk import IMPORT_ENVELOPE, CommandEncoder
from tacit.log.codec import id_in_line
from tacit.log.log import IMPORTED_FOLDER, Log, read_lines
from tacit.log.signing import SignLine
from tacit.log.tombstones import Tombstones
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import EventId, event_id
from tacit.model.observation import CommandRan
from tacit.record import Record
from tacit.secrets.batch import BatchRedactor
from tacit.shell.history_formats import EARLIEST_TIME, SECOND, HistoryEntry, SkippedEntry, latest_time

# Where a history names no sessions, a pause of thirty minutes begins a new one (SPEC A9).
#
# A session is named after its shell and its first second, so that reading again finds the same. What has been taken
# in before goes on: a history that has lost its beginning since then still belongs to the sessions it had.

SESSION_GAP_SECONDS = 30 * 60  # seconds


def untimed_session_id(shell: str, history: str) -> str:
    """The one session of a history without timestamps; `history` is what tells it from others."""
    return f"{shell}:{sha256(history.encode()).hexdigest()[:12]}"


class SessionSpan(Record):
    """A session that is known already, from its first second to its last."""

    first: int
    last: int
    session: str


class SessionAssigner:
    """The session of one command after the other."""

    def __init__(self, shell: str, known: Iterable[SessionSpan] = ()) -> None:
        self._shell = shell
        self._spans = sorted(known)
        self._span_starts = [sitting.first for sitting in self._spans]
        self._last_second: int | None = None
        self._session = ""

    def session_at(self, second: int, milliseconds: int = 0) -> str:
        """The session of a command that began in this second and took so long."""
        if (
            self._last_second is None
            or not self._last_second - SESSION_GAP_SECONDS < second < self._last_second + SESSION_GAP_SECONDS
        ):
            self._session = self._known_session(second) or f"{self._shell}:{second}"
        self._last_second = second + milliseconds // 1000
        return self._session

    def _known_session(self, second: int) -> str:
        before = bisect_right(self._span_starts, second)
        for sitting in self._spans[max(before - 1, 0) : before + 1]:
            if sitting.first - SESSION_GAP_SECONDS < second < sitting.last + SESSION_GAP_SECONDS:
                return sitting.session
        return ""


# What the log knows of histories already: which commands were taken in, in which sessions, and where they ended.

HISTORY_PREFIX = f"{IMPORTED_FOLDER}/history-"
TAIL_COMMANDS = 50  # commands by which the end of what was taken in is found again
DIGEST_BYTES = 9  # bytes of what a command is known by
_COMMAND_FIELD = re.compile(rb'"body":\{"command":("(?:[^"\\]|\\.)*")')
_SESSION_FIELD = re.compile(rb'"sess":"([^"\\]*)"')
_TIME_FIELD = re.compile(rb'"ts":"([^"]{19})')
_COMMAND_EVENT = b'"type":"command.ran"'


class KnownCommands:
    """`ids` by their keys; `heard` are commands that came in another way, by second and text."""

    def __init__(self, log: Log, segment: str) -> None:
        self.ids: set[bytes] = set()
        self.captured: set[int] = set()
        self.tail: deque[int] = deque(maxlen=TAIL_COMMANDS)
        self.count = 0
        self.last_second = 0
        self._session_spans: dict[str, SessionSpan] = {}
        for name in log.segments():
            if name.startswith(IMPORTED_FOLDER):
                self._scan(log, name, own=name == segment, other=_is_other_shell(name, segment))
            elif not name.startswith("memory"):
                self._scan(log, name, own=False, other=True)

    @property
    def session_spans(self) -> list[SessionSpan]:
        return list(self._session_spans.values())

    def _scan(self, log: Log, segment: str, *, own: bool, other: bool) -> None:
        for line in _segment_lines(log, segment):
            name = id_in_line(line)
            if name is None:
                continue
            if not other:
                self.ids.add(id_key(name))
            if (own or other) and _COMMAND_EVENT in line:
                self._add_command(line, own=own)
            self.count += own

    def _add_command(self, line: bytes, *, own: bool) -> None:
        command, session, time = _COMMAND_FIELD.search(line), _SESSION_FIELD.search(line), _TIME_FIELD.search(line)
        if not (command and session and time):
            return
        second = _parse_second(time[1])
        if not own:
            self.captured.add(command_key(second, command[1].decode("ascii")))
            return
        self.tail.append(hash(command[1].decode("ascii")))
        self.last_second = max(self.last_second, second)
        self._extend_session(session[1].decode("ascii"), second)

    def _extend_session(self, session: str, second: int) -> None:
        first, last, _ = self._session_spans.get(session, (second, second, ""))
        self._session_spans[session] = SessionSpan(min(first, second), max(last, second), session)


def command_id(milliseconds: int, digest: bytes) -> EventId:
    """What `event_id` makes of these nine bytes, two empty bits behind the first twelve: sooner put together."""
    time, rest = milliseconds.to_bytes(6, "big").hex(), digest.hex()
    return EventId(f"{time[:8]}-{time[8:]}-7{rest[:3]}-8{rest[3:6]}-{rest[6:]}")


def id_key(name: EventId) -> bytes:
    """What an id is known by whatever its milliseconds: they tell only the order within a second."""
    return bytes.fromhex(name[21:23] + name[24:])


def command_key(second: int, quoted: str) -> int:
    return hash((second, quoted))


def _is_other_shell(segment: str, own: str) -> bool:
    """Whether a segment is the history of another shell: the same commands may stand in both, at the same times."""
    return segment.startswith(HISTORY_PREFIX) and segment.rpartition("-")[0] != own.rpartition("-")[0]


def _segment_lines(log: Log, segment: str) -> Iterator[bytes]:
    with open_plain(log.path(segment)) as file:
        yield from (line.data for line in read_lines(file))


def _parse_second(text: bytes) -> int:
    return int(datetime.fromisoformat(text.decode("ascii") + "+00:00").timestamp())


# The directories of a history that names none, read from its `cd` lines.
#
# Before the first `cd` to a whole path the directory is unknown, and it becomes unknown again where a line leaves it
# open: a variable, a jump (`z app`), a `cd` inside a condition. Subshells, pipelines and background jobs change
# nothing. It is better to know no directory than a wrong one.

UNKNOWN_DIRECTORY = ""
_MAY_CHANGE_DIRECTORY = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd|exit|logout|z|zi|j|autojump|\.\.)(?:$|[\s;&|)}])")
_HOME_VARIABLE = re.compile(r"\$HOME(?=/|$)|\$\{HOME\}")
_UNEXPANDED = re.compile(r"[$`*?\[{\ufffd]")  # what only the shell of that moment could have expanded
_JUMP_COMMANDS = frozenset("z zi j autojump".split())
_BLOCK_KEYWORDS = frozenset("if then elif else for while until do case select function { !".split())
_OPERATORS = ("&&", "||", "|&", ";;", ";", "|", "&", "(", ")", "<", ">")
_COMMAND_PREFIXES = frozenset(("builtin", "command"))
_MAX_PATH_CHARS = 4096


class DirectoryTracker:
    """Where each line of a history was started, one line after the other.

    `home` is the person's folder. `is_directory` looks at the disk: a `cd` to a folder that is not there, although its
    parent is, failed or is out of date, and the directory is unknown from then on.
    """

    def __init__(self, home: str, is_directory: Callable[[str], bool]) -> None:
        self._home = home
        self._is_directory = is_directory
        self.reset()

    def reset(self) -> None:
        """A new session begins."""
        self._current = self._previous = self._failed_from = UNKNOWN_DIRECTORY
        self._stack: list[str] = []

    def directory_of(self, line: str) -> str:
        """The directory in which this line was started, or UNKNOWN; the line then changes it for the next."""
        here = self._current
        if _MAY_CHANGE_DIRECTORY.search(line):
            self._follow(line)
        return here

    def _follow(self, line: str) -> None:
        for words in _split_commands(line):
            name, *rest = words or [""]
            if name in ("cd", ".."):
                self._change_to(self._cd_target([".."] if name == ".." else rest))
            elif name == "pushd":
                self._pushd(rest)
            elif name == "popd":
                self._change_to(self._stack.pop() if self._stack and not rest else UNKNOWN_DIRECTORY)
            elif name in _JUMP_COMMANDS or not name:
                self._failed_from = UNKNOWN_DIRECTORY
                self._change_to(UNKNOWN_DIRECTORY)
            elif name in ("exit", "logout"):  # what follows is of another shell
                self.reset()

    def _pushd(self, rest: list[str]) -> None:
        top = (
            self._stack.pop() if self._stack and not rest else UNKNOWN_DIRECTORY
        )  # without words the two on top change places
        there = self._cd_target(rest) if rest else top
        self._stack.append(self._current)
        self._change_to(there)

    def _change_to(self, there: str) -> None:
        self._previous, self._current = self._current, there

    def _cd_target(self, rest: list[str]) -> str:
        """Where `cd` with these words leads. Behind one that seems to have failed, a folder that is there will do."""
        base = self._current or self._failed_from
        self._failed_from = UNKNOWN_DIRECTORY
        words = [word for word in rest if word not in ("-L", "-P", "-e", "-q", "-s", "--")]
        if not words or words == ["-"]:
            return self._previous if words else self._home
        target = _HOME_VARIABLE.sub(lambda _: self._home, words[0])
        if target == "~" or target.startswith("~/"):
            target = self._home + target[1:]
        is_open = len(words) > 1 or target.startswith(("~", "-", "+")) or _UNEXPANDED.search(target)
        if is_open or len(target) > _MAX_PATH_CHARS or not (base or target.startswith("/")):
            return UNKNOWN_DIRECTORY
        is_relative = not target.startswith("/")
        there = posixpath.normpath(posixpath.join(base, target))
        if self._is_directory(there):
            return there
        has_failed = self._is_directory(posixpath.dirname(there))
        if has_failed:
            self._failed_from = base
        return UNKNOWN_DIRECTORY if has_failed or (is_relative and not self._current) else there


def _split_commands(line: str) -> Iterator[list[str] | None]:
    """The commands that the shell itself runs, as words; None where a block or an open quote hides what it does."""
    reader = shlex(line.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        tokens = list(reader)
    except ValueError:
        yield None
        return
    words: list[str] = []
    depth, is_own = 0, True
    for token in [*(sign for run in tokens for sign in _split_operators(run)), ";"]:
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth > 0:
            continue
        elif token in ("|", "|&", "&"):
            words, is_own = [], token == "&"
        elif token in (";", "&&", "||", ";;"):
            if words and words[0] in _BLOCK_KEYWORDS:
                yield None
                return
            while words and words[0] in _COMMAND_PREFIXES:
                del words[0]
            if words and is_own:
                yield words
            words, is_own = [], token != "||"  # behind `||` stands what is done on failure
        elif token not in ("<", ">"):
            words.append(token)


def _split_operators(token: str) -> Iterator[str]:
    """A run of signs as operators; a word as it is."""
    while token and token[0] in "();<>|&":
        operator = next(one for one in _OPERATORS if token.startswith(one))
        yield operator
        token = token[len(operator) :]
    if token:
        yield token


# From the entries of a history to lines of the log: when each ran, in which session, under which id, and whether it
# is new. Nothing is read or written here.
#
# An id is made of what an entry says (shell, second, text, and the how many-th of its kind in that second), so
# reading a history again makes the same ids. A time that cannot be right is replaced by that of the command before.

IGNORED = "ignored by your settings"
PURGED = "purged before"
NEVER_CAPTURED = "told Tacit what to take out"
CAPTURED = "captured already"
TOO_EARLY = "earlier than the last 1,000,000"
_NEARBY_SECONDS = (0, -1, 1, -2, 2)  # seconds by which two records of the same command may differ
_QUARTER_HOUR_SECONDS = 900
_MAX_REPEATS = 100_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

IgnoreRule = Callable[[str, str], bool]


class HistoryContext(Record):
    """What is the same for a whole history. `start` is the time before its first one, `step` what lies between two
    commands where it has no times; `session` is then the only one, and `serial` how many commands are known."""

    shell: str
    host: str
    now: int
    start: int
    step: int = 0
    session: str = ""
    known_count: int = 0


@dataclass(slots=True)
class ImportStats:
    """What came of a history."""

    commands: int = 0
    new: int = 0
    untimed: int = 0
    first: int = 0
    last: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    sessions: set[int] = field(default_factory=set)

    def count_skipped(self, unread: Iterable[SkippedEntry]) -> None:
        for one in unread:
            (self.left_out if one.is_hidden else self.unread)[one.reason] += 1


class HistoryConverter:
    """One history, block by block. The loop in `lines` runs for every command: what is rare stands elsewhere."""

    def __init__(
        self,
        setting: HistoryContext,
        known: KnownCommands,
        guard: BatchRedactor,
        graves: Tombstones | None,
        ignored: IgnoreRule | None,
        sign: SignLine | None = None,
        directories: DirectoryTracker | None = None,
    ) -> None:
        self.stats = ImportStats()
        self._directories = directories
        self._context = setting
        self._host = setting.host
        self._known = known
        self._ids = known.ids
        self._redactor = guard
        self._tombstones = graves
        self._ignored = ignored
        self._hash_prefix = blake2b(f"{setting.shell}\n".encode(), digest_size=DIGEST_BYTES)
        self._sessions = SessionAssigner(setting.shell, known.session_spans)
        self._line_encoder = CommandEncoder(setting.shell, sign)
        self._last_time = setting.start
        self._earliest, self._latest = (1, 0) if setting.step else (EARLIEST_TIME, latest_time(setting.now))
        self._second = self._position = -1
        self._first_text = ""
        self._repeats: dict[str, int] = {}
        self._serial = setting.known_count
        self._session = ""
        self._quarter = self._utc_offset = 0

    def new_lines(self, block: Sequence[HistoryEntry]) -> list[bytes]:
        """The lines of those commands of a block that are new."""
        made: list[bytes] = []
        ids, hashed_shell, session_at, line = (
            self._ids,
            self._hash_prefix.copy,
            self._sessions.session_at,
            self._line_encoder.encode,
        )
        earliest, last, now, only_session = self._earliest, self._latest, self._context.now, self._context.session
        unusual = self._ignored or self._tombstones or self._known.captured
        told = self._directories
        for entry, text in zip(block, self._redactor.redact([entry[0] for entry in block]), strict=True):
            _, at, milliseconds, status, directory, session, host = entry
            if "tacit" in text and is_purge_command(text):
                self.stats.left_out[NEVER_CAPTURED] += 1
                continue
            if not earliest <= at <= last:
                at = self._estimate_time()
            second, exact = at // SECOND, at % SECOND
            if second != self._second:
                self._second, self._position, self._first_text = second, 0, text
                nth = self._serial
            else:
                nth = self._repeat_number(text)
                at = at if exact else at + min(self._position, 999) * 1000
            session = only_session or session or session_at(second, milliseconds)
            if session != self._session:
                self._start_session(session, at)
            if told:
                directory = directory or told.directory_of(text)
            self._last_time = at
            hashed = hashed_shell()
            hashed.update(f"{at if exact else second}\n{nth}\n{text}".encode())
            digest = hashed.digest()
            key = digest[2:]  # as `key_of` reads it from the id
            if key in ids or (unusual and self._is_skipped(entry, text, directory)):
                continue
            ids.add(key)
            if second // _QUARTER_HOUR_SECONDS != self._quarter:
                self._update_utc_offset(second)
            at = at if at < now else now
            around = (directory and self._redact_directory(directory), status, milliseconds, host or self._host)
            made.append(line(command_id(at // 1000, digest), text, around, session, at, self._utc_offset))
        self.stats.commands += len(block)
        self.stats.new += len(made)
        self.stats.last = max(self.stats.last, self._last_time)
        return made

    # When

    def _estimate_time(self) -> int:
        """The time of a command that tells none, or one that cannot be right."""
        if self._context.step:
            self._serial += 1
            return min(self._last_time + self._context.step, self._context.now)
        self.stats.untimed += 1
        return self._last_time // SECOND * SECOND

    def _repeat_number(self, text: str) -> int:
        """Which one of its kind in this second; without times, which one of the history."""
        if self._position == 0:
            self._repeats = {self._first_text: 1}
        self._position += 1
        if self._context.step:
            return self._serial
        if len(self._repeats) > _MAX_REPEATS:
            self._repeats.clear()
        nth = self._repeats.get(text, 0)
        self._repeats[text] = nth + 1
        return nth

    def _update_utc_offset(self, second: int) -> None:
        """Minutes by which the clock on the wall was ahead of UTC then."""
        self._quarter = second // _QUARTER_HOUR_SECONDS
        self._utc_offset = time.localtime(second).tm_gmtoff // 60

    # Where, and whether

    def _start_session(self, session: str, at: int) -> None:
        """The times are looked at here and at the end of a block only: within a session they go forward."""
        self._session = session
        if self._directories:
            self._directories.reset()
        self.stats.sessions.add(hash(session))
        self.stats.last = max(self.stats.last, self._last_time if self.stats.first else 0)
        self.stats.first = min(self.stats.first or at, at)

    def _redact_directory(self, directory: str) -> str:
        return self._redactor.redact([directory])[0]

    def _is_skipped(self, entry: HistoryEntry, text: str, directory: str) -> bool:
        """Whether a new command is not to come in, for a reason that few histories have."""
        if self._ignored and self._ignored(entry.command, directory):
            self.stats.left_out[IGNORED] += 1
        elif self._known.captured and self._was_captured(self._second, quoted(text)):
            self.stats.left_out[CAPTURED] += 1
        elif self._tombstones and self._tombstones.rejects(self._hypothetical_event(entry, text, directory)):
            self.stats.left_out[PURGED] += 1
        else:
            return False
        return True

    def _was_captured(self, second: int, text: str) -> bool:
        return any(command_key(second + away, text) in self._known.captured for away in _NEARBY_SECONDS)

    def _hypothetical_event(self, entry: HistoryEntry, text: str, directory: str) -> Event:
        """The event that an entry would be, to be held against what was purged."""
        ran = CommandRan(text, directory, entry.status, entry.milliseconds, self._context.shell)
        scope, actor, provenance = IMPORT_ENVELOPE
        moment = _EPOCH + timedelta(microseconds=self._last_time)
        origin = EventOrigin(moment, self._utc_offset, entry.host or self._host, self._session, actor, provenance)
        name = event_id(self._last_time // 1000, bytes(10))
        return Event(name, name, origin, scope, ran)
