"""Schedulers as a timer meets them: a crontab in a file, and programs of systemd that note what they were asked."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

_CRONTAB = """#!/bin/sh
case "$1" in
-l) if [ -e "{file}" ]; then cat "{file}"; else echo "no crontab for me" >&2; exit 1; fi ;;
-r) rm "{file}" ;;
-) cat >"{file}" ;;
esac
"""
_NOTING = '#!/bin/sh\necho "$*" >>"{file}"\nif [ -e "{file}.fails" ]; then echo "no such bus" >&2; exit 1; fi\n'


class Schedulers:
    """A folder that is all of PATH, so that nobody's own crontab is read or written."""

    def __init__(self, folder: Path, *, cron: bool = False, systemd: bool = False) -> None:
        self._folder = folder
        self.tab = folder / "crontab.txt"
        self.asked = folder / "systemctl.txt"
        programs = folder / "bin"
        programs.mkdir(parents=True)
        self.environment = {"PATH": str(programs), "XDG_RUNTIME_DIR": "", "SHELL": "/bin/sh"}
        for name in ("sh", "cat", "rm", "git"):
            (programs / name).symlink_to(shutil.which(name) or name)
        if cron:
            self._write(programs / "crontab", _CRONTAB.format(file=self.tab))
        if systemd:
            self._write(programs / "systemctl", _NOTING.format(file=self.asked))
            (folder / "run" / "systemd" / "private").mkdir(parents=True)
            self.environment["XDG_RUNTIME_DIR"] = str(folder / "run")

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def fail(self) -> None:
        """Let systemctl fail from now on."""
        Path(f"{self.asked}.fails").touch()

    @property
    def commands(self) -> Sequence[str]:
        """What systemctl was asked."""
        return self.asked.read_text().splitlines() if self.asked.exists() else []
