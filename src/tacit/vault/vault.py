"""The facade that `tacit.open()` returns: the everyday operations on one home, each a short method.

    with tacit.open("~/.agents") as vault:
        vault.add("never run the build repeatedly because it is heavy")
        vault.recall("build")

Everything else is grouped in parts, which are imported when they are first used: `vault.sessions`, `vault.workflows`
and so on. A part can also be used alone, as hooks do: `Injector(home)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from tacit.model.claim import Status

if TYPE_CHECKING:
    from tacit.home.home import Home
    from tacit.hosts.capture import TranscriptCapture
    from tacit.inject.brief import Brief
    from tacit.inject.context import Contexts
    from tacit.learn.habits import LearnedHabits
    from tacit.learn.judge.run import Judging
    from tacit.learn.sessions import SessionLearning
    from tacit.model.claim import Kind
    from tacit.shell.history_import import HistoryImport
    from tacit.sync import HandEdits, Trust
    from tacit.vault.adherence import AdherenceQueries
    from tacit.vault.configure import Configuration, Setup
    from tacit.vault.decisions import DecisionOutcome, Decisions
    from tacit.vault.doctor import Doctor
    from tacit.vault.embeddings import Embeddings
    from tacit.vault.evidence import MemoryEvent
    from tacit.vault.exchange import Exchange
    from tacit.vault.filters import Filters
    from tacit.vault.guard import Guard
    from tacit.vault.hits import Hit
    from tacit.vault.listing import ListedMemory
    from tacit.vault.maintenance import Maintenance
    from tacit.vault.purging import Purger
    from tacit.vault.queries import Queries
    from tacit.vault.sessions import SessionQueries
    from tacit.vault.status import HomeStatus
    from tacit.vault.suggestions import Suggestions
    from tacit.vault.undo import UndoRedo
    from tacit.vault.workflows import Workflows


class Vault:
    """Operations on one opened home. Close it, or use it as a context manager."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def close(self) -> None:
        """Write observations that are not recorded yet, and close the index."""
        self.home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Asking

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kind: Kind | str | None = None,
        scope: str | None = None,
        since: str | None = None,
        as_of: str | None = None,
        everything: bool = False,
        observe: bool = True,
    ) -> list[Hit]:
        """Search memories, sessions, commands and the worklog.

        Args:
            query: words, or a question.
            limit: how many hits at most; default: the setting `recall.limit`.
            kind: only this kind of memory or page.
            scope: `local`, `global`, `all` or `project:NAME`; default: the current project and global, or all outside
                of a project.
            since: only what was touched since this time, as people type it: `7d`, `yesterday`, `2026-11-15`.
            as_of: answer as the home was at this time.
            everything: also what was dismissed, forgotten or overruled.
            observe: record the question, so that `evaluate` can count questions without an answer.

        Returns:
            Hits, the best first. An agent gets no candidates.

        Raises:
            UsageError: a limit, kind, scope or time that does not exist.
            NotFoundError: a project that is not known.
        """
        return self.queries.recall(
            query,
            limit=limit,
            kind=kind,
            scope=scope,
            since=since,
            as_of=as_of,
            everything=everything,
            observe=observe,
        )

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> Brief:
        """Compose what an agent should know before a task: at most seven memories, standing rules first.

        Args:
            task: what is to be done, in words; memories that are relevant to it come first.
            tags: prefer memories with these tags.
            observe: record which memories the brief has.
        """
        return self.queries.brief(task=task, tags=tags, observe=observe)

    def entries(
        self,
        *,
        status: Status | str | None = Status.ACTIVE,
        kind: Kind | str | None = None,
        scope: str | None = None,
        tag: str | None = None,
        filters: Filters | None = None,
    ) -> list[ListedMemory]:
        """List memories, the latest first.

        Args:
            status: a `Status` or its value: active, pending, retired or dismissed; `None` for all.
            kind, scope, tag: only these.
            filters: by project, agent and age. With a project, `scope` is `all` by default.

        Raises:
            UsageError: a kind or scope that does not exist.
        """
        listing = self.queries.listing(status=status, kind=kind, scope=scope, tag=tag, filters=filters)
        return list(listing.entries)

    def show(self, reference: str, *, by_text: bool = False) -> ListedMemory:
        """Return one memory by its id, a prefix of the id or its text; with `by_text` by its text alone.

        Raises:
            NotFoundError: there is none.
            UsageError: the reference fits several.
        """
        return self.queries.show(reference, by_text=by_text)

    def why(self, reference: str) -> tuple[ListedMemory, list[MemoryEvent]]:
        """Return a memory and the events it was folded from, in order, each with its line in the log.

        Raises:
            NotFoundError: there is none.
        """
        return self.queries.why(reference)

    def suggestions(
        self, scope: str = "all", *, kind: Kind | str | None = None, filters: Filters | None = None
    ) -> list[ListedMemory]:
        """Return the candidates that wait for a decision, the most important first."""
        return list(self.pending.listing(scope, kind=kind, filters=filters).entries)

    def status(self) -> HomeStatus:
        """Return counts of what the home holds."""
        from tacit.vault.status import home_status

        return home_status(self.home)

    # Deciding

    def add(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        tags: Sequence[str] = (),
        evidence: str = "",
        everywhere: bool = False,
        private: bool = False,
    ) -> DecisionOutcome:
        """Add a memory. It is active at once if a person adds it, and a candidate if an agent does.

        Args:
            text: one statement.
            kind: a `Kind` or its label, for example `constraint`; default: inferred from the text.
            tags: words to find it by.
            evidence: where it comes from.
            everywhere: it holds in all projects.
            private: keep it out of the project's fact file.

        Raises:
            UsageError: the text is empty.
            RefusedError: the text is too long, or has a secret.
        """
        return self.decisions.add(text, kind=kind, tags=tags, evidence=evidence, everywhere=everywhere, private=private)

    def remember(self, text: str, *, evidence: str, everywhere: bool = False) -> DecisionOutcome:
        """Record an observation as a candidate. The same text again strengthens it."""
        return self.decisions.remember(text, evidence=evidence, everywhere=everywhere)

    def accept(
        self, reference: str, *, kind: Kind | str | None = None, evidence: str = "", reason: str = ""
    ) -> DecisionOutcome:
        """Make a candidate active. It stays in the home until it is shared.

        Raises:
            NotFoundError: there is no such memory.
            RefusedError: an agent asks.
        """
        return self.decisions.accept(reference, kind=kind, evidence=evidence, reason=reason)

    def dismiss(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        """Turn a candidate down, so that it is not proposed again."""
        return self.decisions.dismiss(reference, reason=reason)

    def forget(self, reference: str, *, reason: str = "", evidence: str = "", by_text: bool = False) -> DecisionOutcome:
        """Retire a memory or candidate."""
        return self.decisions.forget(reference, reason=reason, evidence=evidence, by_text=by_text)

    def edit(
        self,
        reference: str,
        *,
        text: str | None = None,
        kind: Kind | str | None = None,
        tags: Sequence[str] | None = None,
        accept: bool = False,
    ) -> DecisionOutcome:
        """Change the text, kind or tags of a memory; with `accept` a candidate becomes active, too."""
        return self.decisions.edit(reference, text=text, kind=kind, tags=tags, accept=accept)

    def share(self, reference: str) -> DecisionOutcome:
        """Write an active memory of the current project into its fact file, for everybody who has the repository."""
        return self.decisions.share(reference)

    def undo(self, reference: str | None = None) -> str:
        """Undo the latest operation, or the latest on one memory. Return its description.

        Raises:
            RefusedError: there is none, or another operation changed a memory of it since.
        """
        return self.undo_redo.undo(reference)

    def redo(self) -> str:
        """Redo what was undone last. Return its description.

        Raises:
            RefusedError: nothing was undone since the last change.
        """
        return self.undo_redo.redo()

    def learn(self) -> LearnedHabits:
        """Count the commands that ran since the last time, and propose what became a habit."""
        return self.pending.learn()

    # Parts

    @cached_property
    def queries(self) -> Queries:
        from tacit.vault.queries import Queries

        return Queries(self.home)

    @cached_property
    def decisions(self) -> Decisions:
        from tacit.vault.decisions import Decisions

        return Decisions(self.home)

    @cached_property
    def undo_redo(self) -> UndoRedo:
        from tacit.vault.undo import UndoRedo

        return UndoRedo(self.home)

    @cached_property
    def pending(self) -> Suggestions:
        from tacit.vault.suggestions import Suggestions

        return Suggestions(self.home)

    @cached_property
    def sessions(self) -> SessionQueries:
        from tacit.vault.sessions import SessionQueries

        return SessionQueries(self.home)

    @cached_property
    def adherence(self) -> AdherenceQueries:
        from tacit.vault.adherence import AdherenceQueries

        return AdherenceQueries(self.home)

    @cached_property
    def learning(self) -> SessionLearning:
        from tacit.learn.sessions import SessionLearning

        return SessionLearning(self.home)

    @cached_property
    def judging(self) -> Judging:
        from tacit.learn.judge.run import Judging

        return Judging(self.home)

    @cached_property
    def embeddings(self) -> Embeddings:
        from tacit.vault.embeddings import Embeddings

        return Embeddings(self.home)

    @cached_property
    def contexts(self) -> Contexts:
        from tacit.inject.context import Contexts

        return Contexts(self.home)

    @cached_property
    def workflows(self) -> Workflows:
        from tacit.vault.workflows import Workflows

        return Workflows(self.home)

    @cached_property
    def transcripts(self) -> TranscriptCapture:
        from tacit.hosts.capture import TranscriptCapture

        return TranscriptCapture(self.home)

    @cached_property
    def histories(self) -> HistoryImport:
        from tacit.shell.history_import import HistoryImport

        return HistoryImport(self.home)

    @cached_property
    def hand_edits(self) -> HandEdits:
        from tacit.sync import HandEdits

        return HandEdits(self.home)

    @cached_property
    def repository(self) -> Trust:
        from tacit.sync import Trust

        return Trust(self.home)

    @cached_property
    def exchange(self) -> Exchange:
        from tacit.vault.exchange import Exchange

        return Exchange(self.home)

    @cached_property
    def guard(self) -> Guard:
        from tacit.vault.guard import Guard

        return Guard(self.home)

    @cached_property
    def purger(self) -> Purger:
        from tacit.vault.purging import Purger

        return Purger(self.home)

    @cached_property
    def maintenance(self) -> Maintenance:
        from tacit.vault.maintenance import Maintenance

        return Maintenance(self.home)

    @cached_property
    def doctor(self) -> Doctor:
        from tacit.vault.doctor import Doctor

        return Doctor(self.home)

    @cached_property
    def configuration(self) -> Configuration:
        from tacit.vault.configure import Configuration

        return Configuration(self.home)

    @cached_property
    def setup(self) -> Setup:
        from tacit.vault.configure import Setup

        return Setup(self.home)
