"""What a peer is: a name, what to install, and how its own interface is driven.

Modules of `known/` are imported twice, by the bench and by the peer's own interpreter; so they import what they drive
only when it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class Needs(NamedTuple):
    """What has to be installed. Nothing: the peer runs in the environment of this project."""

    pip: tuple[str, ...] = ()
    """The first one is the peer itself."""
    weights: tuple[str, ...] = ()
    """Packages of which only the files are used, not what they depend on."""
    npm: tuple[str, ...] = ()
    """The first one is the peer itself."""
    python: tuple[int, int] = (3, 11)
    extensions: bool = False
    """Whether its SQLite has to load extensions, which not every build of Python can."""


class Place(NamedTuple):
    """Where a peer was installed, and the home that it may fill."""

    environment: Path
    python: Path
    home: Path

    def program(self, name: str) -> str:
        """A command that pip or npm installed."""
        modules = self.environment / "node_modules" / ".bin" / name
        return str(modules if modules.exists() else self.python.parent / name)


class Memory(Protocol):
    """An open store of a peer."""

    def add(self, texts: Sequence[str]) -> None:
        """Take in all of them, one after the other where the interface takes one."""

    def search(self, query: str, limit: int) -> list[str]:
        """The texts found, best first, as they were added."""

    def close(self) -> None: ...


class Peer(NamedTuple):
    name: str
    how: str
    """How it searches, in a few words for the table."""
    needs: Needs
    open: Callable[[Place], Memory]
    ask: Callable[[Place, str], list[str]] | None = None
    """The command of its own that answers one question; without one, a process that opens the store and searches."""
    version: Callable[[], str] | None = None
    """For what was not installed; else the package says it."""
    refused: str = ""
    """Why it is not run, for one that cannot be without what this bench does not have."""


def refusing(name: str, how: str, reason: str) -> Peer:
    """A peer that stands in the table only to say why it was not run."""

    def closed(place: Place) -> Memory:
        raise NotImplementedError(reason)

    return Peer(name, how, Needs(), closed, refused=reason)
