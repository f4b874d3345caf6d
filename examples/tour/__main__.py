"""A guided first run: every verb once, for real, in a home that is thrown away afterwards.

Run by `make try`, which goes on with `tacit try`: what the person's own shell histories and agents' transcripts would
teach, read-only. Each chapter is a file beside this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chapter import Chapter
from first_steps import FIRST_STEPS
from with_agents import WITH_AGENTS

CHAPTERS = (FIRST_STEPS, WITH_AGENTS)
# The tour is a made-up person's: neither settings of Tacit nor signs of an agent that may run it come along.
_KEPT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV", "COLUMNS")
ENDING = """
That was all in {folder}, which is gone now. To keep using Tacit:

  source {bin}/activate     # or put {bin} on your PATH
  tacit init                     # your own home, ~/.agents
  tacit add "…"                  # something that should hold from now on
  tacit install claude           # or codex, gemini, cursor, opencode, copilot: it is told what is remembered
  tacit import transcripts       # what you and your agents did so far
  tacit init --wrappers          # tell the agents you use how to ask it
  tacit web                      # review and look around in the browser; first: pip install '.[web]'
  tacit --help
"""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="tacit-tour-") as folder:
        tour = Tour(Path(folder))
        failed = [step for chapter in CHAPTERS for step in tour.walk(chapter)]
        say(ENDING.format(folder=folder, bin=os.path.relpath(Path(sys.executable).parent)))
    return 1 if failed else 0


class Tour:
    """A person and a project, both made up, in one temporary folder."""

    def __init__(self, folder: Path) -> None:
        self._project = folder / "webshop"
        (self._project / ".git").mkdir(parents=True)
        self._home = folder / "home"
        self._home.mkdir()
        self._environment = {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": str(self._home),
            "TOUR": str(Path(__file__).parent.resolve()),
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
        }

    def walk(self, chapter: Chapter) -> list[str]:
        """Run a chapter; returns the commands that failed."""
        failed = []
        chapter.prepare(self._home, self._project)
        say(f"\n━━ {chapter.title} ━━")
        for step in chapter.steps:
            say(f"\n{step.tells}")
            for command in step.commands:
                say(f"$ {command}")
                if self._run(command) not in step.codes:
                    failed.append(command)
        return failed

    def _run(self, command: str) -> int:
        done = subprocess.run(["sh", "-c", command], cwd=self._project, env=self._environment, check=False)
        return done.returncode


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
