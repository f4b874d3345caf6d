"""What can be installed into: one module a target, each with a `TARGET` of the same shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tacit.install.change import FileChange
from tacit.record import Record


class InstallContext(Record):
    """Whose files: the environment they are found by, the words that start this program, and the home it works on."""

    environment: Mapping[str, str]
    program: tuple[str, ...]
    interpreter: str
    home: str
    is_home_explicit: bool = False  # else it is found by itself
    mcp: bool = False

    @property
    def user_folder(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    def config_folder(self, name: str, otherwise: str) -> str:
        return self.environment.get(name) or os.path.join(self.user_folder, otherwise)

    @property
    def home_options(self) -> tuple[str, ...]:
        return ("--home", self.home) if self.is_home_explicit else ()


class Target(Record):
    """A program that Tacit can be put into: what that would change, and what taking it out would."""

    name: str
    plan_install: Callable[[InstallContext], tuple[FileChange, ...]]
    plan_removal: Callable[[InstallContext], tuple[FileChange, ...]]
    next_step: str
    is_agent: bool = False
    warning: Callable[[InstallContext], str] = lambda _place: (
        ""
    )  # what keeps it from working, as far as its settings tell
