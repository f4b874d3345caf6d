"""Recording what ran in a shell. The recorder calls this after every command, so it opens no index."""

from __future__ import annotations

import os
import time
from datetime import datetime

from tacit.capture.captured import Captured
from tacit.core.claim import GLOBAL, Scope
from tacit.core.event import Draft
from tacit.core.observation import CommandRan
from tacit.core.redaction import redacted
from tacit.core.text import clip
from tacit.disk.ops import PRIVATE_FILE, OsDisk
from tacit.disk.replace import replace_file
from tacit.log.log import PURGED
from tacit.vault.ignoring import ignoring
from tacit.vault.making import make_home
from tacit.vault.opened import Opened

_SECONDS = 60  # between two times of learning
_MOST_LINE = 8000  # characters of a command


def _is_due(mark: str) -> bool:
    """Whether it is time again; then it is noted that it was done, so that nobody else does it too."""
    try:
        if abs(time.time() - os.stat(mark).st_mtime) < _SECONDS:
            return False
    except FileNotFoundError:
        pass
    try:
        fd = OsDisk(os.path.dirname(os.path.dirname(mark))).open(mark, os.O_WRONLY | os.O_CREAT, PRIVATE_FILE)
    except OSError:  # a link or a folder lies there, which `doctor` names; the command itself is recorded
        return False
    try:
        os.utime(fd)
    finally:
        os.close(fd)
    return True


class Capturing(Opened):
    """An open home that takes commands in."""

    def capture(self, captured: Captured) -> bool:
        """Record a command that ran, as said by whoever runs this; says whether it was one to record."""
        if not self._settings.shell_capture or self._is_ignored(captured.ran) or self._purged_since(captured.at):
            return False
        if not os.path.isdir(self._store.home.path(".tacit")):
            make_home(self._store.home)
        origin = self._store.speaker.origin()._replace(at=captured.at, session=captured.session)
        self._store.log.append([Draft(self._bounded(captured.ran), self._scope())], origin)
        self._learn_in_passing()
        return True

    def _learn_in_passing(self) -> None:
        """Now and then, so that a command costs no more than a line of the log; questions about habits learn anyway."""
        home = self._store.home
        if not _is_due(home.learned):
            return
        from tacit.vault.learning import learn

        found = learn(self._store)
        if found.new and self._settings.shell_notice:
            said = f"tacit: {found.waiting} suggestion{'s' * (found.waiting != 1)}, `tacit review`\n"
            replace_file(OsDisk(home.root), home.notice, said.encode())

    def _purged_since(self, began: datetime) -> bool:
        """Whether a purge was done after it began: it may hold what was purged, and would bring it back."""
        try:
            return os.stat(self._store.log.path(PURGED)).st_mtime >= began.timestamp()
        except FileNotFoundError:
            return False

    def _is_ignored(self, ran: CommandRan) -> bool:
        left_out = ignoring(self._settings, self._user_folder)
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
