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
from tacit.home.capture_policy import is_unsaid
from tacit.log.bulk import ENVELOPE, CommandLines
from tacit.log.codec import readable_id
from tacit.log.log import IMPORTED, Log, lines
from tacit.log.signing import Sign
from tacit.log.tombstones import Tombstones
from tacit.model.event import Event, Origin
from tacit.model.ids import EventId, event_id
from tacit.model.observation import CommandRan
from tacit.record import Record
from tacit.secrets.batch import Blockwise
from tacit.shell.histories import EARLIEST, SECOND, Entry, Unread, latest

# Where a history names no sessions, a pause of thirty minutes begins a new one (SPEC A9).
#
# A session is named after its shell and its first second, so that reading again finds the same. What has been taken
# in before goes on: a history that has lost its beginning since then still belongs to the sessions it had.

PAUSE = 30 * 60  # seconds


def untimed_session(shell: str, history: str) -> str:
    """The one session of a history without timestamps; `history` is what tells it from others."""
    return f"{shell}:{sha256(history.encode()).hexdigest()[:12]}"


class Sitting(Record):
    """A session that is known already, from its first second to its last."""

    first: int
    last: int
    session: str


class Sessions:
    """The session of one command after the other."""

    def __init__(self, shell: str, known: Iterable[Sitting] = ()) -> None:
        self._shell = shell
        self._known = sorted(known)
        self._firsts = [sitting.first for sitting in self._known]
        self._last: int | None = None
        self._session = ""

    def at(self, second: int, milliseconds: int = 0) -> str:
        """The session of a command that began in this second and took so long."""
        if self._last is None or not self._last - PAUSE < second < self._last + PAUSE:
            self._session = self._session_around(second) or f"{self._shell}:{second}"
        self._last = second + milliseconds // 1000
        return self._session

    def _session_around(self, second: int) -> str:
        before = bisect_right(self._firsts, second)
        for sitting in self._known[max(before - 1, 0) : before + 1]:
            if sitting.first - PAUSE < second < sitting.last + PAUSE:
                return sitting.session
        return ""


# What the log knows of histories already: which commands were taken in, in which sessions, and where they ended.

HISTORY = f"{IMPORTED}/history-"
TAIL = 50  # commands by which the end of what was taken in is found again
DIGEST = 9  # bytes of what a command is known by
_COMMAND = re.compile(rb'"body":\{"command":("(?:[^"\\]|\\.)*")')
_SESSION = re.compile(rb'"sess":"([^"\\]*)"')
_TIME = re.compile(rb'"ts":"([^"]{19})')
_RAN = b'"type":"command.ran"'


class Known:
    """`ids` by their keys; `heard` are commands that came in another way, by second and text."""

    def __init__(self, log: Log, segment: str) -> None:
        self.ids: set[bytes] = set()
        self.heard: set[int] = set()
        self.tail: deque[int] = deque(maxlen=TAIL)
        self.count = 0
        self.last = 0
        self._sittings: dict[str, Sitting] = {}
        for name in log.segments():
            if name.startswith(IMPORTED):
                self._scan(log, name, own=name == segment, other=_is_other(name, segment))
            elif not name.startswith("memory"):
                self._scan(log, name, own=False, other=True)

    @property
    def sittings(self) -> list[Sitting]:
        return list(self._sittings.values())

    def _scan(self, log: Log, segment: str, *, own: bool, other: bool) -> None:
        for line in _readable(log, segment):
            name = readable_id(line)
            if name is None:
                continue
            if not other:
                self.ids.add(key_of(name))
            if (own or other) and _RAN in line:
                self._hear(line, own=own)
            self.count += own

    def _hear(self, line: bytes, *, own: bool) -> None:
        command, session, time = _COMMAND.search(line), _SESSION.search(line), _TIME.search(line)
        if not (command and session and time):
            return
        second = _second(time[1])
        if not own:
            self.heard.add(heard_key(second, command[1].decode("ascii")))
            return
        self.tail.append(hash(command[1].decode("ascii")))
        self.last = max(self.last, second)
        self._sit(session[1].decode("ascii"), second)

    def _sit(self, session: str, second: int) -> None:
        first, last, _ = self._sittings.get(session, (second, second, ""))
        self._sittings[session] = Sitting(min(first, second), max(last, second), session)


def command_id(milliseconds: int, digest: bytes) -> EventId:
    """What `event_id` makes of these nine bytes, two empty bits behind the first twelve: sooner put together."""
    time, rest = milliseconds.to_bytes(6, "big").hex(), digest.hex()
    return EventId(f"{time[:8]}-{time[8:]}-7{rest[:3]}-8{rest[3:6]}-{rest[6:]}")


def key_of(name: EventId) -> bytes:
    """What an id is known by whatever its milliseconds: they tell only the order within a second."""
    return bytes.fromhex(name[21:23] + name[24:])


def heard_key(second: int, quoted: str) -> int:
    return hash((second, quoted))


def _is_other(segment: str, own: str) -> bool:
    """Whether a segment is the history of another shell: the same commands may stand in both, at the same times."""
    return segment.startswith(HISTORY) and segment.rpartition("-")[0] != own.rpartition("-")[0]


def _readable(log: Log, segment: str) -> Iterator[bytes]:
    with open_plain(log.path(segment)) as file:
        yield from (line.data for line in lines(file))


def _second(text: bytes) -> int:
    return int(datetime.fromisoformat(text.decode("ascii") + "+00:00").timestamp())


# The directories of a history that names none, read from its `cd` lines.
#
# Before the first `cd` to a whole path the directory is unknown, and it becomes unknown again where a line leaves it
# open: a variable, a jump (`z app`), a `cd` inside a condition. Subshells, pipelines and background jobs change
# nothing. It is better to know no directory than a wrong one.

UNKNOWN = ""
_MAY_CHANGE = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd|exit|logout|z|zi|j|autojump|\.\.)(?:$|[\s;&|)}])")
_HOME = re.compile(r"\$HOME(?=/|$)|\$\{HOME\}")
_OPEN = re.compile(r"[$`*?\[{\ufffd]")  # what only the shell of that moment could have expanded
_JUMPS = frozenset("z zi j autojump".split())
_BLOCKS = frozenset("if then elif else for while until do case select function { !".split())
_OPERATORS = ("&&", "||", "|&", ";;", ";", "|", "&", "(", ")", "<", ">")
_AHEAD = frozenset(("builtin", "command"))
_LONGEST = 4096


class Directories:
    """Where each line of a history was started, one line after the other.

    `home` is the person's folder. `is_directory` looks at the disk: a `cd` to a folder that is not there, although its
    parent is, failed or is out of date, and the directory is unknown from then on.
    """

    def __init__(self, home: str, is_directory: Callable[[str], bool]) -> None:
        self._home = home
        self._is_directory = is_directory
        self.forget()

    def forget(self) -> None:
        """A new session begins."""
        self._here = self._before = self._failed_from = UNKNOWN
        self._stack: list[str] = []

    def started(self, line: str) -> str:
        """The directory in which this line was started, or UNKNOWN; the line then changes it for the next."""
        here = self._here
        if _MAY_CHANGE.search(line):
            self._follow(line)
        return here

    def _follow(self, line: str) -> None:
        for words in _commands(line):
            name, *rest = words or [""]
            if name in ("cd", ".."):
                self._go(self._target([".."] if name == ".." else rest))
            elif name == "pushd":
                self._push(rest)
            elif name == "popd":
                self._go(self._stack.pop() if self._stack and not rest else UNKNOWN)
            elif name in _JUMPS or not name:
                self._failed_from = UNKNOWN
                self._go(UNKNOWN)
            elif name in ("exit", "logout"):  # what follows is of another shell
                self.forget()

    def _push(self, rest: list[str]) -> None:
        top = self._stack.pop() if self._stack and not rest else UNKNOWN  # without words the two on top change places
        there = self._target(rest) if rest else top
        self._stack.append(self._here)
        self._go(there)

    def _go(self, there: str) -> None:
        self._before, self._here = self._here, there

    def _target(self, rest: list[str]) -> str:
        """Where `cd` with these words leads. Behind one that seems to have failed, a folder that is there will do."""
        base = self._here or self._failed_from
        self._failed_from = UNKNOWN
        words = [word for word in rest if word not in ("-L", "-P", "-e", "-q", "-s", "--")]
        if not words or words == ["-"]:
            return self._before if words else self._home
        target = _HOME.sub(lambda _: self._home, words[0])
        if target == "~" or target.startswith("~/"):
            target = self._home + target[1:]
        is_open = len(words) > 1 or target.startswith(("~", "-", "+")) or _OPEN.search(target)
        if is_open or len(target) > _LONGEST or not (base or target.startswith("/")):
            return UNKNOWN
        is_relative = not target.startswith("/")
        there = posixpath.normpath(posixpath.join(base, target))
        if self._is_directory(there):
            return there
        has_failed = self._is_directory(posixpath.dirname(there))
        if has_failed:
            self._failed_from = base
        return UNKNOWN if has_failed or (is_relative and not self._here) else there


def _commands(line: str) -> Iterator[list[str] | None]:
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
    for token in [*(sign for run in tokens for sign in _split(run)), ";"]:
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth > 0:
            continue
        elif token in ("|", "|&", "&"):
            words, is_own = [], token == "&"
        elif token in (";", "&&", "||", ";;"):
            if words and words[0] in _BLOCKS:
                yield None
                return
            while words and words[0] in _AHEAD:
                del words[0]
            if words and is_own:
                yield words
            words, is_own = [], token != "||"  # behind `||` stands what is done on failure
        elif token not in ("<", ">"):
            words.append(token)


def _split(token: str) -> Iterator[str]:
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
UNSAID = "told Tacit what to take out"
CAPTURED = "captured already"
EARLIER = "earlier than the last 1,000,000"
_NEAR = (0, -1, 1, -2, 2)  # seconds by which two records of the same command may differ
_QUARTER = 900
_MOST_REMEMBERED = 100_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Ignored = Callable[[str, str], bool]


class Setting(Record):
    """What is the same for a whole history. `start` is the time before its first one, `step` what lies between two
    commands where it has no times; `session` is then the only one, and `serial` how many commands are known."""

    shell: str
    host: str
    now: int
    start: int
    step: int = 0
    session: str = ""
    serial: int = 0


@dataclass(slots=True)
class Tally:
    """What came of a history."""

    commands: int = 0
    new: int = 0
    untimed: int = 0
    first: int = 0
    last: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    sessions: set[int] = field(default_factory=set)

    def count(self, unread: Iterable[Unread]) -> None:
        for one in unread:
            (self.left_out if one.is_hidden else self.unread)[one.reason] += 1


class Intake:
    """One history, block by block. The loop in `lines` runs for every command: what is rare stands elsewhere."""

    def __init__(
        self,
        setting: Setting,
        known: Known,
        guard: Blockwise,
        graves: Tombstones | None,
        ignored: Ignored | None,
        sign: Sign | None = None,
        directories: Directories | None = None,
    ) -> None:
        self.tally = Tally()
        self._directories = directories
        self._setting = setting
        self._host = setting.host
        self._known = known
        self._ids = known.ids
        self._guard = guard
        self._graves = graves
        self._ignored = ignored
        self._hashed = blake2b(f"{setting.shell}\n".encode(), digest_size=DIGEST)
        self._sessions = Sessions(setting.shell, known.sittings)
        self._lines = CommandLines(setting.shell, sign)
        self._at = setting.start
        self._earliest, self._latest = (1, 0) if setting.step else (EARLIEST, latest(setting.now))
        self._second = self._position = -1
        self._first_text = ""
        self._repeats: dict[str, int] = {}
        self._serial = setting.serial
        self._session = ""
        self._quarter = self._tz = 0

    def lines(self, block: Sequence[Entry]) -> list[bytes]:
        """The lines of those commands of a block that are new."""
        made: list[bytes] = []
        ids, hashed_shell, session_at, line = self._ids, self._hashed.copy, self._sessions.at, self._lines.line
        earliest, last, now, only_session = self._earliest, self._latest, self._setting.now, self._setting.session
        unusual = self._ignored or self._graves or self._known.heard
        told = self._directories
        for entry, text in zip(block, self._guard.cleaned([entry[0] for entry in block]), strict=True):
            _, at, milliseconds, status, directory, session, host = entry
            if "tacit" in text and is_unsaid(text):
                self.tally.left_out[UNSAID] += 1
                continue
            if not earliest <= at <= last:
                at = self._time_for()
            second, exact = at // SECOND, at % SECOND
            if second != self._second:
                self._second, self._position, self._first_text = second, 0, text
                nth = self._serial
            else:
                nth = self._nth(text)
                at = at if exact else at + min(self._position, 999) * 1000
            session = only_session or session or session_at(second, milliseconds)
            if session != self._session:
                self._sit(session, at)
            if told:
                directory = directory or told.started(text)
            self._at = at
            hashed = hashed_shell()
            hashed.update(f"{at if exact else second}\n{nth}\n{text}".encode())
            digest = hashed.digest()
            key = digest[2:]  # as `key_of` reads it from the id
            if key in ids or (unusual and self._is_left_out(entry, text, directory)):
                continue
            ids.add(key)
            if second // _QUARTER != self._quarter:
                self._set_clock(second)
            at = at if at < now else now
            around = (directory and self._clean(directory), status, milliseconds, host or self._host)
            made.append(line(command_id(at // 1000, digest), text, around, session, at, self._tz))
        self.tally.commands += len(block)
        self.tally.new += len(made)
        self.tally.last = max(self.tally.last, self._at)
        return made

    # When

    def _time_for(self) -> int:
        """The time of a command that tells none, or one that cannot be right."""
        if self._setting.step:
            self._serial += 1
            return min(self._at + self._setting.step, self._setting.now)
        self.tally.untimed += 1
        return self._at // SECOND * SECOND

    def _nth(self, text: str) -> int:
        """Which one of its kind in this second; without times, which one of the history."""
        if self._position == 0:
            self._repeats = {self._first_text: 1}
        self._position += 1
        if self._setting.step:
            return self._serial
        if len(self._repeats) > _MOST_REMEMBERED:
            self._repeats.clear()
        nth = self._repeats.get(text, 0)
        self._repeats[text] = nth + 1
        return nth

    def _set_clock(self, second: int) -> None:
        """Minutes by which the clock on the wall was ahead of UTC then."""
        self._quarter = second // _QUARTER
        self._tz = time.localtime(second).tm_gmtoff // 60

    # Where, and whether

    def _sit(self, session: str, at: int) -> None:
        """The times are looked at here and at the end of a block only: within a session they go forward."""
        self._session = session
        if self._directories:
            self._directories.forget()
        self.tally.sessions.add(hash(session))
        self.tally.last = max(self.tally.last, self._at if self.tally.first else 0)
        self.tally.first = min(self.tally.first or at, at)

    def _clean(self, directory: str) -> str:
        return self._guard.cleaned([directory])[0]

    def _is_left_out(self, entry: Entry, text: str, directory: str) -> bool:
        """Whether a new command is not to come in, for a reason that few histories have."""
        if self._ignored and self._ignored(entry.command, directory):
            self.tally.left_out[IGNORED] += 1
        elif self._known.heard and self._was_heard(self._second, quoted(text)):
            self.tally.left_out[CAPTURED] += 1
        elif self._graves and self._graves.keeps_out(self._imagined(entry, text, directory)):
            self.tally.left_out[PURGED] += 1
        else:
            return False
        return True

    def _was_heard(self, second: int, text: str) -> bool:
        return any(heard_key(second + away, text) in self._known.heard for away in _NEAR)

    def _imagined(self, entry: Entry, text: str, directory: str) -> Event:
        """The event that an entry would be, to be held against what was purged."""
        ran = CommandRan(text, directory, entry.status, entry.milliseconds, self._setting.shell)
        scope, actor, provenance = ENVELOPE
        moment = _EPOCH + timedelta(microseconds=self._at)
        origin = Origin(moment, self._tz, entry.host or self._host, self._session, actor, provenance)
        name = event_id(self._at // 1000, bytes(10))
        return Event(name, name, origin, scope, ran)
