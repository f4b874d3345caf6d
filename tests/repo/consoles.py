"""Replays the terminal recordings of a document: each `$ command` of a ```console block, in one home, in order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_HOME = "/home/ada"


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


def replay(command: str, home: Path) -> str:
    """What the command really prints, with the made-up home in place of the real one."""
    environment = {**os.environ, "HOME": str(home), "TACIT_NOW": "2026-11-15T09:30:00Z", "LC_ALL": "C.UTF-8"}
    environment.pop("TACIT_HOME", None)
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(arguments, cwd=home, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).replace(str(home), SHOWN_HOME)
