"""The recorder of shells: a snippet passes on each command. It runs after every one, so it opens no index."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum

from tacit.errors import StoreError
from tacit.home.capture_policy import ignore_filter, is_key_line, is_purge_command, without_blanks
from tacit.home.home import HomePart
from tacit.home.paths import make_home
from tacit.log import Log
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tacit.record import Record
from tacit.secrets import redacted
from tacit.text.display import clean, clip


class CapturedCommand(Record):
    """A command that ran, when it started (UTC), and its terminal or history."""

    at: datetime
    session: str
    observation: CommandRan


# Records: UTF-8 with fields that end with NUL. They are `tacit1`, shell, session, exit status, start in microseconds,
# duration in milliseconds, directory, the line as typed, the line with aliases expanded, and the line before it was
# edited. A field that the shell does not know is empty.

MAX_RECORD_BYTES = 64 * 1024  # the rest is not read
_RECORD_VERSION = "tacit1"
_FIELD_COUNT = 10
_MAX_NAME_CHARS, _MAX_PATH_CHARS = 128, 4096
_MAX_DURATION_MILLISECONDS = 366 * 24 * 3600 * 1000  # a year
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)  # a record is read when its command has just ended


def parse_record(record: bytes, now: datetime) -> CapturedCommand | None:
    """Parse a record. Returns None if it has no command, or one that must not be captured."""
    fields = record.decode("utf-8", "replace").split("\0")
    fields += [""] * (_FIELD_COUNT - len(fields))
    version, shell, session, status, start, duration, directory, command, expanded, planned = fields[:_FIELD_COUNT]
    if version != _RECORD_VERSION or _is_private(command):
        return None
    milliseconds = min(_parse_number(duration, 0), _MAX_DURATION_MILLISECONDS)
    # The start that the shell reports, or now minus the duration if that is missing or implausible
    computed = now - timedelta(milliseconds=milliseconds)
    reported = _EPOCH + timedelta(microseconds=_parse_number(start, 0))
    at = reported if abs(reported - computed) <= _MAX_CLOCK_DIFFERENCE else computed
    observation = CommandRan(
        command=clean(command),
        directory=clip(clean(directory), _MAX_PATH_CHARS),
        status=_parse_number(status, UNKNOWN_STATUS),
        milliseconds=milliseconds,
        shell=clip(clean(shell), _MAX_NAME_CHARS),
        meant="" if without_blanks(expanded) == without_blanks(command) else clean(expanded),
        planned="" if planned == command or _is_private(planned) else clean(planned),
    )
    return CapturedCommand(at, clip(clean(session), _MAX_NAME_CHARS), observation)


def _is_private(line: str) -> bool:
    """Whether a line is empty, starts with a space, tells Tacit which text to purge, or is a line of a key."""
    return not line.strip() or line[0].isspace() or is_purge_command(line) or is_key_line(line)


def _parse_number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else default


# Recorder

_LOCK_TIMEOUT_SECONDS = 1.0  # then the command is spooled
_MAX_COMMAND_CHARS = 8000


class RecordOutcome(Enum):
    """What happened to a command."""

    SKIPPED = "left out"
    SPOOLED = "spooled"
    APPENDED = "appended"


def _without_purged(log: Log, draft: Draft, origin: EventOrigin) -> tuple[Draft, EventOrigin]:
    """Remove from a command what was purged since it started, so that it does not bring it back. Needs the log's lock.

    Tombstones are compared by the times in them. One that is dated in the future applies to every command until then:
    what it purged is removed from them, and the rest is recorded.
    """
    if not log.has_tombstone_since(origin.at):
        return draft, origin
    from tacit.purge.tombstones import load_tombstones

    placeholder = event_id(0, bytes(10))
    event = Event(placeholder, placeholder, origin, draft.scope, draft.body)
    tombstones = load_tombstones(log, since=origin.at)
    event = (tombstones.filter_import(event) if tombstones else None) or event
    return Draft(event.body, event.scope, draft.attribution), event.origin


class ShellRecorder(HomePart):
    """Records commands in a home."""

    def capture(self, captured: CapturedCommand) -> RecordOutcome:
        """Append a command to the log, attributed to the current actor.

        If the log cannot be appended to now, the command is spooled, and the next process that can appends it.
        """
        settings, store = self._home.settings, self._store
        is_ignored = ignore_filter(settings, self._home.user_folder) if settings.shell_capture else None
        if not settings.shell_capture or (is_ignored and is_ignored(captured.observation)):
            return RecordOutcome.SKIPPED
        # The best name of the project. Finding out which of its names is in use would open the index.
        scope = store.project.scope(lambda _scope: False) if store.project else GLOBAL
        origin = store.actor.origin()._replace(at=captured.at, session=captured.session)
        ran = captured.observation
        ran = ran._replace(command=_truncate_line(ran.command), planned=_truncate_line(ran.planned))
        draft = Draft(ran._replace(meant=_truncate_line(ran.meant)), scope)
        log = store.log
        try:
            if not os.path.lexists(store.paths.spool_counter):
                from tacit.log.spool import Spool

                make_home(store.paths)
                with suppress(OSError):  # on a full disk the log may still take a line
                    Spool(log).prepare()
            with log.exclusive(_LOCK_TIMEOUT_SECONDS) as locked:
                draft, origin = _without_purged(locked, draft, origin)
                locked.append([draft], origin)
        except (StoreError, OSError):
            log.spool(draft, origin)
            return RecordOutcome.SPOOLED
        return RecordOutcome.APPENDED


def _truncate_line(line: str) -> str:
    """Secrets are redacted before the cut, because half of one would not be recognised."""
    return line if len(line) <= _MAX_COMMAND_CHARS else clip(redacted(line), _MAX_COMMAND_CHARS)
