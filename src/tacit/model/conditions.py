"""Conditions: what must be true of a work tree for a sentence to hold, and what the work tree says of one.

Kinds are few: a name that must exist (`Reference`), a version in a pin or lock file, the tool that scripts and CI files
use, a text that must not occur below a folder, and an option in what `--help` prints. `condition_compiler.py` reads
them from sentences, `home/conditions.py` looks them up.
"""

from __future__ import annotations

from enum import StrEnum

from tacit.model.references import Reference
from tacit.record import Record

Version = tuple[int, ...]


class PinnedVersion(Record):
    """The version of a language or package that a project uses: one that begins with these numbers, or a later one."""

    name: str
    version: Version
    or_later: bool
    text: str

    def admits(self, found: Version) -> bool:
        """Return whether a version is one of those that are stated."""
        return found >= self.version if self.or_later else found[: len(self.version)] == self.version


class ChosenTool(Record):
    """Scripts and CI files use one tool, and none of those that people use in its place."""

    wanted: str
    instead_of: tuple[str, ...]
    text: str


class BannedText(Record):
    """A text, or an import of a module, does not occur below a folder."""

    needle: str
    folder: str
    is_import: bool
    text: str


class HelpOption(Record):
    """What a command prints with `--help` has an option, or has it not."""

    words: tuple[str, ...]
    option: str
    is_wanted: bool
    text: str


Condition = Reference | PinnedVersion | ChosenTool | BannedText | HelpOption


class State(StrEnum):
    """What a work tree says of a condition, or of a memory."""

    RED = "red"
    UNKNOWN = "unknown"
    GREEN = "green"


class Trace(Record):
    """What the history is asked for: when a file, or the line of it that fits a pattern, came or went (`is_gone`).

    The pattern is an extended regular expression of POSIX.
    """

    path: str
    pattern: str = ""
    is_gone: bool = False


class LookupResult(Record):
    """What a work tree says of a condition, and why in words. What is red may have a trace.

    What is unknown has one if it is the path of a file that no commit ever had.
    """

    state: State
    why: str = ""
    trace: Trace | None = None


class CheckedCondition(Record):
    """A condition of a memory, what the work tree says of it, and whether somebody keeps the memory all the same."""

    condition: Condition
    outcome: LookupResult
    is_kept: bool = False

    @property
    def is_red(self) -> bool:
        return self.outcome.state is State.RED and not self.is_kept


class TreeVerdict(Record):
    """What a work tree says of a memory. If it has no condition, `reason` says why."""

    conditions: tuple[CheckedCondition, ...]
    reason: str = ""

    @property
    def state(self) -> State:
        """Red if a condition is and nobody keeps the memory despite it, else green if one is, else unknown."""
        states = {each.outcome.state for each in self.conditions if each.is_red or each.outcome.state is State.GREEN}
        return next((state for state in (State.RED, State.GREEN) if state in states), State.UNKNOWN)

    @property
    def why(self) -> str:
        """Why it is red or unknown, in words."""
        wanted = [each.outcome.why for each in self.conditions if each.outcome.state is self.state]
        if any(each.outcome.state is State.RED and each.is_kept for each in self.conditions):
            wanted.append("you keep it although the work tree says otherwise")
        return "; ".join(dict.fromkeys(filter(None, wanted))) or self.reason

    @property
    def red(self) -> tuple[CheckedCondition, ...]:
        return tuple(each for each in self.conditions if each.is_red)


GREEN = LookupResult(State.GREEN)


def unknown(why: str) -> LookupResult:
    return LookupResult(State.UNKNOWN, why)


def red(why: str, trace: Trace | None = None) -> LookupResult:
    return LookupResult(State.RED, why, trace)


def literal_pattern(text: str) -> str:
    """Return an extended regular expression of POSIX that matches a text."""
    return "".join(f"\\{char}" if char in ".^$*+?()[]{}|\\" else char for char in text)
