"""The options that narrow a list of memories, and how much of a list is shown."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TypeVar

from tacit.surfaces.cli.command import Call, Option
from tacit.surfaces.cli.words import counted, say
from tacit.vault.reading import Filters

SHOWN = 50  # entries, unless --limit says otherwise
T = TypeVar("T")

KIND = Option("--kind", "KIND", "only this kind, for example constraint or workflow_pattern")
LIMIT = Option("--limit", "N", f"show at most so many (default {SHOWN}; with --json all)")
OPTIONS = (
    Option("--project", "NAME|DIR", "only those of this project: its name, or a folder in it"),
    Option("--agent", "AGENT", "only what this agent proposed or its sessions showed, for example claude"),
    Option("--since", "TIME", "only what was last touched since, for example 7d or 2026-11-15"),
    Option("--before", "TIME", "only what was last touched before, for example 30d"),
)


def filters_of(call: Call) -> Filters:
    return Filters(call.value("--project"), call.value("--agent"), call.value("--since"), call.value("--before"))


def limited(call: Call, entries: Sequence[T]) -> Sequence[T]:
    """The entries to show: as many as --limit says; else 50 for people, and all for programs."""
    limit = call.number("--limit")
    if limit is None and call.flag("--json"):
        return entries
    return entries[: limit or SHOWN]


def say_rest(call: Call, shown: int, total: int, noun: str, plural: str = "") -> None:
    """How many entries were not shown, and what to type to see them."""
    if total > shown:
        typed = [
            word
            for name, values in call.values.items()
            if name not in ("--limit", "--home")
            for value in values
            for word in ([name, value] if value else [name])
        ]
        command = shlex.join(["tacit", call.command.name, *typed, "--limit", str(total)])
        rest = counted(total - shown, f"more {noun}", f"more {plural or noun + 's'}")
        say(f"… and {rest}. To see all: {command}")
