"""What can be installed into: one module a target, each with a `TARGET` of the same shape."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from tacit.record import Record
from tacit.surfaces.install.change import Change
from tacit.vault.home import locate


class Place(Record):
    """Whose files: the environment they are found by, the words that start this program, and the home it works on."""

    environment: Mapping[str, str]
    program: tuple[str, ...]
    interpreter: str
    home: str
    is_home_named: bool = False  # else it is found by itself
    mcp: bool = False

    @property
    def folder(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    def variable(self, name: str, otherwise: str) -> str:
        return self.environment.get(name) or os.path.join(self.folder, otherwise)

    @property
    def home_words(self) -> tuple[str, ...]:
        return ("--home", self.home) if self.is_home_named else ()


class Target(Record):
    """A program that Tacit can be put into: what that would change, and what taking it out would."""

    name: str
    installed: Callable[[Place], tuple[Change, ...]]
    removed: Callable[[Place], tuple[Change, ...]]
    afterwards: str
    is_agent: bool = False
    doubt: Callable[[Place], str] = lambda _place: ""  # what keeps it from working, as far as its settings tell


def here(home: str | None = None, *, mcp: bool = False) -> Place:
    """What is installed names its home: `TACIT_HOME` and `HOME` may be others when an agent starts it."""
    environment = dict(os.environ)
    return Place(environment, _program(), sys.executable, locate(home, environment).root, is_home_named=True, mcp=mcp)


def _program() -> tuple[str, ...]:
    """This very program, by a path that holds in any folder."""
    started = os.path.abspath(sys.argv[0])
    if os.path.basename(started) == "tacit" and os.access(started, os.X_OK) and os.path.isfile(started):
        return (started,)
    return (sys.executable, "-m", "tacit")
