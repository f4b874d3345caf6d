"""What a chapter of the tour is made of."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """Something to say, and commands that show it. `codes` are the exit codes that are as they should be."""

    tells: str
    commands: tuple[str, ...]
    codes: tuple[int, ...] = (0,)


class Chapter(NamedTuple):
    title: str
    steps: tuple[Step, ...]
