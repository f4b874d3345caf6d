"""From the entries of a history to lines of the log: when each ran, in which session, under which id, and whether it
is new. Nothing is read or written here.

An id is made of what an entry says (shell, second, text, and the how many-th of its kind in that second), so reading a
history again makes the same ids. A time that cannot be right is replaced by that of the command before.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted

from tacit.capture.history.directories import Directories
from tacit.capture.history.entry import EARLIEST, SECOND, Entry, Unread, latest
from tacit.capture.history.sessions import Sessions
from tacit.capture.unsaid import is_unsaid
from tacit.core.blockwise import Blockwise
from tacit.core.event import Event, Origin
from tacit.core.ids import event_id
from tacit.core.observation import CommandRan
from tacit.log.commands import ENVELOPE, CommandLines
from tacit.log.signing import Sign
from tacit.log.tombstones import Tombstones
from tacit.record import Record
from tacit.vault.history.known import DIGEST, Known, command_id, heard_key

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
