"""Recording one command that a shell's snippet handed over. It runs after every command, so it opens no index."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum

from tacit.errors import StoreUnwell
from tacit.home.capture_policy import _bare, ignoring, is_unsaid
from tacit.home.home import Part
from tacit.home.paths import make_home
from tacit.log.log import Log
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event, Origin
from tacit.model.ids import event_id
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip

# One command that somebody ran, wherever we learned of it.


class Captured(Record):
    """The command, when it began (UTC), and the terminal or history it belongs to."""

    at: datetime
    session: str
    ran: CommandRan


# What a shell's snippet hands over about one command, read into an observation.
#
# A record is UTF-8, its fields ended by NUL: `tacit1`, shell, session, exit status, start in microseconds, duration
# in milliseconds, directory, the line as typed, the line with its aliases written out, the line it was before it was
# edited. What the shell does not know is empty. Nothing here touches a disk.

MOST = 64 * 1024  # bytes of a record; the rest is not read
_FORM = "tacit1"
_FIELDS = 10
_MOST_WORD, _MOST_PATH = 128, 4096
_LONGEST = 366 * 24 * 3600 * 1000  # milliseconds: a year
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_APART = timedelta(minutes=1)  # a record is read when its command has just ended
# What these commands are given is what must not be kept.


def read_record(record: bytes, now: datetime) -> Captured | None:
    """The command of a record; nothing where there is none, or where it is not to be captured."""
    fields = record.decode("utf-8", "replace").split("\0")
    fields += [""] * (_FIELDS - len(fields))
    form, shell, session, status, start, milliseconds, directory, command, meant, planned = fields[:_FIELDS]
    if form != _FORM or _is_private(command):
        return None
    lasted = min(_number(milliseconds, 0), _LONGEST)
    ran = CommandRan(
        command=clean(command),
        directory=clip(clean(directory), _MOST_PATH),
        status=_number(status, UNKNOWN_STATUS),
        milliseconds=lasted,
        shell=clip(clean(shell), _MOST_WORD),
        meant="" if _bare(meant) == _bare(command) else clean(meant),
        planned="" if planned == command or _is_private(planned) else clean(planned),
    )
    return Captured(_began(start, now, lasted), clip(clean(session), _MOST_WORD), ran)


def _is_private(line: str) -> bool:
    """A line that is empty, that begins with a blank, or that gives Tacit a text to take out."""
    return not line.strip() or line[0].isspace() or is_unsaid(line)


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else otherwise


def _began(microseconds: str, now: datetime, lasted: int) -> datetime:
    """When it began; reckoned back from now where the shell does not know, or where its clock cannot be right."""
    reckoned = now - timedelta(milliseconds=lasted)
    given = _EPOCH + timedelta(microseconds=_number(microseconds, 0))
    return given if abs(given - reckoned) <= _APART else reckoned


# Recording what ran in a shell. The recorder calls this after every command, so it opens no index.

_LOG_SECONDS = 1.0  # to wait for the log's lock; then the command is spooled
_MOST_LINE = 8000  # characters of a command


class Recorded(Enum):
    """What became of a command."""

    LEFT_OUT = "left out"
    SPOOLED = "spooled"
    APPENDED = "appended"


def _without_purged(log: Log, draft: Draft, origin: Origin) -> tuple[Draft, Origin]:
    """The command without what was purged since it began: it would bring that back. The log's lock is held.

    Tombstones are compared by the times in them. One that is dated in the future applies to every command until then,
    so what it purged is taken out of them, and all else is recorded.
    """
    if not log.purged_since(origin.at):
        return draft, origin
    from tacit.log.tombstones import tombstones

    name = event_id(0, bytes(10))
    event = Event(name, name, origin, draft.scope, draft.body)
    dead = tombstones(log, since=origin.at)
    left = (dead.admitted(event) if dead else None) or event
    return Draft(left.body, left.scope, draft.voice), left.origin


class ShellRecorder(Part):
    """An open home that takes commands in."""

    def capture(self, captured: Captured) -> Recorded:
        """Record a command that ran, as said by whoever runs this.

        Where the log cannot be appended to now, the command is spooled, and whoever can appends it later.
        """
        if not self._home.settings.shell_capture or self._is_ignored(captured.ran):
            return Recorded.LEFT_OUT
        home = self._store.home
        origin = self._store.speaker.origin()._replace(at=captured.at, session=captured.session)
        draft = Draft(self._bounded(captured.ran), self._scope())
        log = self._store.log
        try:
            if not os.path.isdir(home.reserve):
                self._make_home(log)
            with log.alone(_LOG_SECONDS) as alone:
                draft, origin = _without_purged(alone, draft, origin)
                alone.append([draft], origin)
        except (StoreUnwell, OSError):
            log.spool(draft, origin)
            return Recorded.SPOOLED
        return Recorded.APPENDED

    def _make_home(self, log: Log) -> None:
        from tacit.log.spool import Spool

        make_home(self._store.home)
        with suppress(OSError):  # a full disk: the log may still take a line
            Spool(log).prepare()

    def _is_ignored(self, ran: CommandRan) -> bool:
        left_out = ignoring(self._home.settings, self._home.user_folder)
        return left_out is not None and left_out(ran)

    def _scope(self) -> Scope:
        """The project it ran in, by the best of its names: to look up which of them is in use would open the index."""
        project = self._store.project
        return project.scope(lambda _scope: False) if project else GLOBAL

    def _bounded(self, ran: CommandRan) -> CommandRan:
        return ran._replace(
            command=self._clipped(ran.command), meant=self._clipped(ran.meant), planned=self._clipped(ran.planned)
        )

    def _clipped(self, line: str) -> str:
        """Secrets go before the end does: half of one would not be known again."""
        return line if len(line) <= _MOST_LINE else clip(redacted(line), _MOST_LINE)
