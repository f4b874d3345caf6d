"""The facade that `tacit.open()` returns: the parts of one home, and shortcuts for what programs do most.

    with tacit.open("~/.agents") as vault:
        vault.add("never run the build repeatedly because it is heavy")
        vault.recall("build")
        vault.memories.accept("use pnpm instead of npm")

A part is imported when it is first used. It can also be used alone, as hooks do: `Injector(home)`.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Self

    from tacit.brief import Brief
    from tacit.home.home import Home
    from tacit.hosts.capture import TranscriptCapture
    from tacit.inject.context import Contexts
    from tacit.learn.judge import Judging
    from tacit.learn.sessions import SessionLearning
    from tacit.model.claim import Kind
    from tacit.shell.history_import import HistoryImport
    from tacit.sync import HandEdits, Trust
    from tacit.vault.account import Accounts
    from tacit.vault.conditions import MemoryConditions
    from tacit.vault.configure import Configuration, Setup
    from tacit.vault.doctor import Doctor
    from tacit.vault.exchange import Exchange
    from tacit.vault.guard import Guard
    from tacit.vault.hits import Hit
    from tacit.vault.maintenance import Maintenance
    from tacit.vault.memories import DecisionOutcome, Memories
    from tacit.vault.purging import Purger
    from tacit.vault.replay import Replays
    from tacit.vault.search import Search
    from tacit.vault.sessions import AdherenceQueries, SessionQueries
    from tacit.vault.status import HomeStatus
    from tacit.vault.suggestions import Suggestions
    from tacit.vault.trials import Trials
    from tacit.vault.undo import UndoRedo
    from tacit.vault.value import Value
    from tacit.vault.week import Digests
    from tacit.vault.workflows import Workflows


class _Part:
    """A part of the vault by its `module:Class`, made when the attribute is first read."""

    def __init__(self, place: str) -> None:
        self._module, self._class = place.split(":")

    def __set_name__(self, _owner: type[Vault], name: str) -> None:
        self._name = name

    def __get__(self, vault: Vault | None, _owner: type[Vault]) -> Any:
        if vault is None:  # of the class, as tools ask that show what it has
            return self
        from importlib import import_module

        part = getattr(import_module(self._module), self._class)(vault.home)
        vault.__dict__[self._name] = part  # found there the next time, before this is asked
        return part


def _part(place: str) -> Any:
    """Return a `_Part`; the annotation of the attribute says what it becomes."""
    return _Part(place)


class Vault:
    """One opened home. Close it, or use it as a context manager."""

    memories: Memories = _part("tacit.vault.memories:Memories")
    search: Search = _part("tacit.vault.search:Search")
    changes: UndoRedo = _part("tacit.vault.undo:UndoRedo")
    suggestions: Suggestions = _part("tacit.vault.suggestions:Suggestions")
    sessions: SessionQueries = _part("tacit.vault.sessions:SessionQueries")
    workflows: Workflows = _part("tacit.vault.workflows:Workflows")
    adherence: AdherenceQueries = _part("tacit.vault.sessions:AdherenceQueries")
    accounts: Accounts = _part("tacit.vault.account:Accounts")
    value: Value = _part("tacit.vault.value:Value")
    conditions: MemoryConditions = _part("tacit.vault.conditions:MemoryConditions")
    digests: Digests = _part("tacit.vault.week:Digests")
    replays: Replays = _part("tacit.vault.replay:Replays")
    contexts: Contexts = _part("tacit.inject.context:Contexts")
    guard: Guard = _part("tacit.vault.guard:Guard")
    trials: Trials = _part("tacit.vault.trials:Trials")
    learning: SessionLearning = _part("tacit.learn.sessions:SessionLearning")
    judging: Judging = _part("tacit.learn.judge:Judging")
    transcripts: TranscriptCapture = _part("tacit.hosts.capture:TranscriptCapture")
    histories: HistoryImport = _part("tacit.shell.history_import:HistoryImport")
    hand_edits: HandEdits = _part("tacit.sync:HandEdits")
    repository: Trust = _part("tacit.sync:Trust")
    exchange: Exchange = _part("tacit.vault.exchange:Exchange")
    purger: Purger = _part("tacit.vault.purging:Purger")
    maintenance: Maintenance = _part("tacit.vault.maintenance:Maintenance")
    doctor: Doctor = _part("tacit.vault.doctor:Doctor")
    configuration: Configuration = _part("tacit.vault.configure:Configuration")
    setup: Setup = _part("tacit.vault.configure:Setup")

    def __init__(self, home: Home) -> None:
        self.home = home

    def close(self) -> None:
        """Write observations that are not recorded yet, and close the index."""
        self.home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Shortcuts for what is asked and said most, with the parameters that matter most

    def add(self, text: str, *, kind: Kind | str | None = None) -> DecisionOutcome:
        """Add a memory; see `Memories.add`."""
        return self.memories.add(text, kind=kind)

    def recall(self, query: str, *, limit: int | None = None) -> list[Hit]:
        """Search memories, sessions, commands and the worklog; see `Search.recall`."""
        return self.search.recall(query, limit=limit)

    def brief(self, *, task: str = "") -> Brief:
        """Compose what an agent should know before a task; see `Search.brief`."""
        return self.search.brief(task=task)

    def status(self) -> HomeStatus:
        """Return counts of what the home holds."""
        from tacit.vault.status import home_status

        return home_status(self.home)
