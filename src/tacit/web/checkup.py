"""The checks of the doctor in a thread of their own, so that pages are answered meanwhile and can be left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.record import Record
from tacit.vault import Vault


class _StoppedError(Exception):
    """Somebody asked to stop."""


class CheckState(Record):
    """How far the checks are, or what they found. `findings` is None before they are done."""

    at: int = 0
    of: int = 0
    what: str = ""
    findings: tuple[Record, ...] | None = None
    error: str = ""
    done_at: datetime | None = None


class Checkup:
    """Runs the checks once at a time, and remembers the latest result while the server runs."""

    def __init__(self, open_home: Callable[[], Home]) -> None:
        self._open_home = open_home
        self._thread: threading.Thread | None = None
        self._stops = threading.Event()
        self.state = CheckState()

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin to check, unless that is going on."""
        if not self.is_running:
            self._stops.clear()
            self.state = CheckState()
            self._thread = threading.Thread(target=self._run, name="tacit-checks", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the checks after the one that is running."""
        self._stops.set()

    def _run(self) -> None:
        def report(at: int, of: int, what: str) -> None:
            if self._stops.is_set():
                raise _StoppedError
            self.state = CheckState(at, of, what)

        try:
            with Vault(self._open_home()) as vault:
                found = sorted(vault.doctor.doctor(report), key=lambda finding: not finding.serious)
                self.state = CheckState(findings=tuple(found), done_at=vault.home.store.actor.clock())
        except _StoppedError:
            self.state = CheckState()
        except TacitError as error:
            self.state = CheckState(error=error.message)
