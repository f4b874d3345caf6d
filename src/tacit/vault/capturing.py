"""Recording what ran in a shell. The recorder calls this after every command, so it opens no index."""

from __future__ import annotations

import os
from contextlib import suppress
from enum import Enum

from tacit.capture.captured import Captured
from tacit.core.claim import GLOBAL, Scope
from tacit.core.errors import StoreUnwell
from tacit.core.event import Draft, Event, Origin
from tacit.core.ids import event_id
from tacit.core.observation import CommandRan
from tacit.core.redaction import redacted
from tacit.core.text import clip
from tacit.log.log import Log
from tacit.vault.ignoring import ignoring
from tacit.vault.making import make_home
from tacit.vault.opened import Part

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
