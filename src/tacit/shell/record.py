"""Recording one command that a shell's snippet handed over. It runs after every command, so it opens no index."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum

from tacit.errors import StoreError
from tacit.home.capture_policy import _without_blanks, ignore_filter, is_purge_command
from tacit.home.home import HomePart
from tacit.home.paths import make_home
from tacit.log.log import Log
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip

# One command that somebody ran, wherever we learned of it.


class CapturedCommand(Record):
    """The command, when it began (UTC), and the terminal or history it belongs to."""

    at: datetime
    session: str
    observation: CommandRan


# What a shell's snippet hands over about one command, read into an observation.
#
# A record is UTF-8, its fields ended by NUL: `tacit1`, shell, session, exit status, start in microseconds, duration
# in milliseconds, directory, the line as typed, the line with its aliases written out, the line it was before it was
# edited. What the shell does not know is empty. Nothing here touches a disk.

MAX_RECORD_BYTES = 64 * 1024  # bytes of a record; the rest is not read
_RECORD_VERSION = "tacit1"
_FIELD_COUNT = 10
_MAX_NAME_CHARS, _MAX_PATH_CHARS = 128, 4096
_MAX_DURATION_MILLISECONDS = 366 * 24 * 3600 * 1000  # milliseconds: a year
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)  # a record is read when its command has just ended
# What these commands are given is what must not be kept.


def parse_record(record: bytes, now: datetime) -> CapturedCommand | None:
    """The command of a record; nothing where there is none, or where it is not to be captured."""
    fields = record.decode("utf-8", "replace").split("\0")
    fields += [""] * (_FIELD_COUNT - len(fields))
    form, shell, session, status, start, milliseconds, directory, command, meant, planned = fields[:_FIELD_COUNT]
    if form != _RECORD_VERSION or _is_private(command):
        return None
    lasted = min(_parse_number(milliseconds, 0), _MAX_DURATION_MILLISECONDS)
    ran = CommandRan(
        command=clean(command),
        directory=clip(clean(directory), _MAX_PATH_CHARS),
        status=_parse_number(status, UNKNOWN_STATUS),
        milliseconds=lasted,
        shell=clip(clean(shell), _MAX_NAME_CHARS),
        meant="" if _without_blanks(meant) == _without_blanks(command) else clean(meant),
        planned="" if planned == command or _is_private(planned) else clean(planned),
    )
    return CapturedCommand(_start_time(start, now, lasted), clip(clean(session), _MAX_NAME_CHARS), ran)


def _is_private(line: str) -> bool:
    """A line that is empty, that begins with a blank, or that gives Tacit a text to take out."""
    return not line.strip() or line[0].isspace() or is_purge_command(line)


def _parse_number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else otherwise


def _start_time(microseconds: str, now: datetime, lasted: int) -> datetime:
    """When it began; reckoned back from now where the shell does not know, or where its clock cannot be right."""
    reckoned = now - timedelta(milliseconds=lasted)
    given = _EPOCH + timedelta(microseconds=_parse_number(microseconds, 0))
    return given if abs(given - reckoned) <= _MAX_CLOCK_DIFFERENCE else reckoned


# Recording what ran in a shell. The recorder calls this after every command, so it opens no index.

_LOCK_TIMEOUT_SECONDS = 1.0  # to wait for the log's lock; then the command is spooled
_MAX_COMMAND_CHARS = 8000  # characters of a command


class RecordOutcome(Enum):
    """What became of a command."""

    SKIPPED = "left out"
    SPOOLED = "spooled"
    APPENDED = "appended"


def _without_purged(log: Log, draft: Draft, origin: EventOrigin) -> tuple[Draft, EventOrigin]:
    """The command without what was purged since it began: it would bring that back. The log's lock is held.

    Tombstones are compared by the times in them. One that is dated in the future applies to every command until then,
    so what it purged is taken out of them, and all else is recorded.
    """
    if not log.has_tombstone_since(origin.at):
        return draft, origin
    from tacit.log.tombstones import load_tombstones

    name = event_id(0, bytes(10))
    event = Event(name, name, origin, draft.scope, draft.body)
    dead = load_tombstones(log, since=origin.at)
    left = (dead.filter_import(event) if dead else None) or event
    return Draft(left.body, left.scope, draft.attribution), left.origin


class ShellRecorder(HomePart):
    """An open home that takes commands in."""

    def capture(self, captured: CapturedCommand) -> RecordOutcome:
        """Record a command that ran, as said by whoever runs this.

        Where the log cannot be appended to now, the command is spooled, and whoever can appends it later.
        """
        if not self._home.settings.shell_capture or self._is_ignored(captured.observation):
            return RecordOutcome.SKIPPED
        home = self._store.paths
        origin = self._store.actor.origin()._replace(at=captured.at, session=captured.session)
        draft = Draft(self._truncate_lines(captured.observation), self._scope())
        log = self._store.log
        try:
            if not os.path.isdir(home.spool_reserve):
                self._make_home(log)
            with log.exclusive(_LOCK_TIMEOUT_SECONDS) as alone:
                draft, origin = _without_purged(alone, draft, origin)
                alone.append([draft], origin)
        except (StoreError, OSError):
            log.spool(draft, origin)
            return RecordOutcome.SPOOLED
        return RecordOutcome.APPENDED

    def _make_home(self, log: Log) -> None:
        from tacit.log.spool import Spool

        make_home(self._store.paths)
        with suppress(OSError):  # a full disk: the log may still take a line
            Spool(log).prepare()

    def _is_ignored(self, ran: CommandRan) -> bool:
        left_out = ignore_filter(self._home.settings, self._home.user_folder)
        return left_out is not None and left_out(ran)

    def _scope(self) -> Scope:
        """The project it ran in, by the best of its names: to look up which of them is in use would open the index."""
        project = self._store.project
        return project.scope(lambda _scope: False) if project else GLOBAL

    def _truncate_lines(self, ran: CommandRan) -> CommandRan:
        return ran._replace(
            command=self._truncate_line(ran.command),
            meant=self._truncate_line(ran.meant),
            planned=self._truncate_line(ran.planned),
        )

    def _truncate_line(self, line: str) -> str:
        """Secrets go before the end does: half of one would not be known again."""
        return line if len(line) <= _MAX_COMMAND_CHARS else clip(redacted(line), _MAX_COMMAND_CHARS)
