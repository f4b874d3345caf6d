"""Replays the terminal recordings of a document: each `$ command` of a ```console block, in one home, in order.

In that home a session with an agent took place the day before.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from harness.transcripts import Claude, lines

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_HOME = "/home/ada"
PROMPT = "Add a cache to the importer. From now on, always run the linter before you commit."
_REPLY = "The importer has a cache now."


class Shown(NamedTuple):
    """A command as a document shows it, with the output below it."""

    command: str
    output: str


def recordings(document: Path) -> list[Shown]:
    found: list[Shown] = []
    for block in _BLOCK.findall(document.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append(Shown(command, output))
    return found


def write_session(home: Path) -> None:
    """The transcript that Claude Code wrote of it."""
    began = datetime(2026, 11, 14, 17, tzinfo=UTC) - timedelta(seconds=1)
    teller = Claude("5f0c2a4e-0d1b-4c3d-9e8f-a1b2c3d4e5f6", f"{SHOWN_HOME}/shop", began)
    teller.ask(PROMPT)
    teller.clock(9 * 60 - 1)
    teller.reply(_REPLY)
    path = home / ".claude/projects/-home-ada-shop/session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(teller.records))


def replay(command: str, home: Path) -> str:
    """What the command really prints, with the made-up home in place of the real one."""
    environment = {**os.environ, "HOME": str(home), "TACIT_NOW": "2026-11-15T09:30:00Z", "LC_ALL": "C.UTF-8"}
    environment.pop("TACIT_HOME", None)
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(arguments, cwd=home, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).replace(str(home), SHOWN_HOME)
