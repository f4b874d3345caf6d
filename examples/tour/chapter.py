"""What a chapter of the tour is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Step(NamedTuple):
    """Something to say, and commands that show it. `codes` are the exit codes that are as they should be."""

    tells: str
    commands: tuple[str, ...]
    codes: tuple[int, ...] = (0,)


class Chapter(NamedTuple):
    """`prepare` is given the made-up person's folder and project, and puts there what others would have."""

    title: str
    steps: tuple[Step, ...]
    prepare: Callable[[Path, Path], None] = lambda _home, _project: None
