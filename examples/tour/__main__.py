"""A tour of six screens: what Tacit does for a person, for real, in a home that is thrown away afterwards.

Run by `make try`, which goes on with `tacit setup`. At a terminal it waits for Enter after each screen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from past import write_past
from screens import SCREENS, Screen

# The tour is a made-up person's: neither settings of Tacit nor signs of an agent that may run it come along.
_KEPT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV", "COLUMNS")
_ENDING = """
That was all in {folder}, which is gone now.
The same for this machine and your own past is {tacit} setup. It shows what it would do, and asks first.
"""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="tacit-tour-") as folder:
        tour = Tour(Path(folder))
        failed = [command for number, screen in enumerate(SCREENS, 1) for command in tour.show(number, screen)]
        tacit = os.path.relpath(Path(sys.executable).with_name("tacit"))
        print(_ENDING.format(folder=folder, tacit=tacit), flush=True)
    return 1 if failed else 0


class Tour:
    """A person and a project, both made up, in one temporary folder."""

    def __init__(self, folder: Path) -> None:
        self._project = folder / "webshop"
        (self._project / ".git").mkdir(parents=True)
        home = folder / "home"
        home.mkdir()
        write_past(home, self._project)
        self._environment = {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": str(home),
            "TOUR": str(Path(__file__).parent.resolve()),
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
        }

    def show(self, number: int, screen: Screen) -> list[str]:
        """Show a screen, and wait for the person if there is one. Return the commands that failed.

        The commands have no terminal to ask on: whatever the person decided there, the screens that follow would not
        fit any more.
        """
        print(f"\n━━ {number} of {len(SCREENS)}: {screen.title} ━━\n\n{screen.text}", flush=True)
        failed = []
        for command in screen.commands:
            print(f"\n$ {command}", flush=True)
            words, silent = ["sh", "-c", command], subprocess.DEVNULL
            if subprocess.run(words, cwd=self._project, env=self._environment, stdin=silent, check=False).returncode:
                failed.append(command)
        if sys.stdin.isatty() and sys.stdout.isatty():
            input("\nEnter goes on. ")
        return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, EOFError):
        print()
