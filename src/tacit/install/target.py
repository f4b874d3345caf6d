"""Targets of `tacit install`: shells and agents. Each has a module with a `TARGET`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tacit.install.change import FileChange
from tacit.record import Record


class InstallContext(Record):
    """What an installation depends on."""

    environment: Mapping[str, str]
    program: tuple[str, ...]  # the command that starts this program
    interpreter: str
    home: str
    is_home_explicit: bool = False  # else programs find the home themselves
    mcp: bool = False  # whether the MCP server is registered, too

    @property
    def user_folder(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    def config_folder(self, variable: str, default: str) -> str:
        """Return the folder that an environment variable names, else a folder in the user's home directory."""
        return self.environment.get(variable) or os.path.join(self.user_folder, default)

    @property
    def home_options(self) -> tuple[str, ...]:
        return ("--home", self.home) if self.is_home_explicit else ()


class Target(Record):
    """A program that Tacit can be installed into. `warning` returns which setting keeps it from working, or ""."""

    name: str
    plan_install: Callable[[InstallContext], tuple[FileChange, ...]]
    plan_removal: Callable[[InstallContext], tuple[FileChange, ...]]
    next_step: str
    is_agent: bool = False
    warning: Callable[[InstallContext], str] = lambda _context: ""
