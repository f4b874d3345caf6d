"""What can be installed into: one module a target, each with a `TARGET` of the same shape."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tacit.surfaces.install.change import Change


class Place(NamedTuple):
    """Whose files: the environment they are found by, and the words that start this program."""

    environment: Mapping[str, str]
    program: tuple[str, ...]

    @property
    def folder(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    def variable(self, name: str, otherwise: str) -> str:
        return self.environment.get(name) or os.path.join(self.folder, otherwise)


class Target(NamedTuple):
    """A program that Tacit can be put into: what that would change, and what taking it out would."""

    name: str
    installed: Callable[[Place], Change]
    removed: Callable[[Place], Change]
    afterwards: str


def here() -> Place:
    return Place(os.environ, _program())


def _program() -> tuple[str, ...]:
    """This very program, by a path that holds in any folder."""
    started = os.path.abspath(sys.argv[0])
    if os.path.basename(started) == "tacit" and os.access(started, os.X_OK) and os.path.isfile(started):
        return (started,)
    return (sys.executable, "-m", "tacit")
