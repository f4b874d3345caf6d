"""What can be installed into: one module a target, each with a `TARGET` of the same shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tacit.install.change import Change
from tacit.record import Record


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
