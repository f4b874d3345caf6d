"""The verbs that record a judgement: each decides on the state of now and returns what came of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from shlex import quote

from tacit.core import decide
from tacit.core.claim import GLOBAL, Claim, Kind
from tacit.core.errors import NotFound, Refused, WrongUse
from tacit.core.event import Draft, Event
from tacit.core.ids import ClaimId
from tacit.core.judgement import Decided, Proposed, Undone, Verdict
from tacit.core.memory import Memory
from tacit.core.observation import WorkflowDropped, WorkflowSaved, WorkLogged
from tacit.core.statement import claim_from, split_scope
from tacit.core.text import clean
from tacit.index import reader
from tacit.index.reader import Entry
from tacit.vault.filing import must_decode
from tacit.vault.named import checked, checked_optional, checked_tags, meant, with_text
from tacit.vault.opened import Opened

# The memory a decision is about, and what to record.
_Judged = tuple[ClaimId, Sequence[Draft]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A memory after a verb. `changed` is false when there was nothing to record."""

    memory: Memory
    short: str
    changed: bool
    overruled_by: Entry | None = None
    overrules: tuple[Entry, ...] = ()
    conflict: bool = False


class Judging(Opened):
    """Changes to one home."""

    # Telling

    def remember(self, text: str, *, evidence: str, everywhere: bool = False, source: str = "remember") -> Outcome:
        given = checked(text, self._settings.limits_text, "the text")
        reason = checked_optional(evidence, "the evidence")

        def decision(connection: sqlite3.Connection) -> _Judged:
            claim = self._claim(connection, given, everywhere)
            memory = reader.memory(connection, claim.id, must_decode)
            return claim.id, decide.propose(memory, claim, source=source, evidence=reason)

        return self._judge(decision)

    def suggest(
        self, text: str, *, evidence: str, reason: str = "", kind: Kind | None = None, everywhere: bool = False
    ) -> Outcome:
        """Something that an agent or a person noticed, for the person to decide on: never active by itself."""
        given = checked(text, self._settings.limits_text, "the text")
        seen, why = checked_optional(evidence, "the evidence"), checked_optional(reason, "the reason")

        def decision(connection: sqlite3.Connection) -> _Judged:
            claim = self._claim(connection, given, everywhere, kind)
            memory = reader.memory(connection, claim.id, must_decode)
            return claim.id, decide.propose(memory, claim, source="suggest", evidence=seen, reason=why)

        return self._judge(decision)

    def add(
        self,
        text: str,
        *,
        kind: Kind | None = None,
        tags: Sequence[str] = (),
        evidence: str = "",
        everywhere: bool = False,
    ) -> Outcome:
        given = checked(text, self._settings.limits_text, "the text")
        reason = checked_optional(evidence, "the evidence")
        provenance = self._store.speaker.origin().provenance

        def decision(connection: sqlite3.Connection) -> _Judged:
            claim = self._claim(connection, given, everywhere, kind, checked_tags(tags))
            return claim.id, [decide.add(claim, provenance=provenance, evidence=reason)]

        return self._judge(decision)

    def log(self, entry: WorkLogged) -> str:
        """Write an entry of the worklog; returns the page it stands on."""
        checked_entry = WorkLogged(
            task=checked_optional(entry.task, "the task"),
            summary=checked(entry.summary, self._settings.limits_text, "the summary"),
            changes=checked_optional(entry.changes, "--changes"),
            evidence=checked_optional(entry.evidence, "--evidence"),
            next=checked_optional(entry.next, "--next"),
        )
        (event,) = self._store.record(lambda connection: [Draft(checked_entry, self._store.scope_in(connection))])
        return self._store.home.page("worklog", event.day.isoformat())

    # Deciding

    def accept(self, reference: str, *, kind: Kind | None = None, evidence: str = "", reason: str = "") -> Outcome:
        given = checked_optional(evidence, "the evidence")
        return self._on(reference, lambda memory: decide.accept(memory, kind=kind, evidence=given, reason=reason))

    def promote(self, reference: str, *, kind: Kind, evidence: str) -> Outcome:
        """Accept under a kind; a text that is no candidate yet becomes one first."""
        self._only_a_person("promotes a memory", f"tacit promote {quote(reference)} --kind {kind.label}")
        given = checked(evidence, self._settings.limits_text, "the evidence")

        def decision(connection: sqlite3.Connection) -> _Judged:
            try:
                memory = meant(connection, reference, self._store.scope_in(connection))
                return memory.id, [decide.accept(memory, kind=kind, evidence=given)]
            except NotFound:
                if len(reference.split()) < 2:  # a mistyped id is not a statement
                    raise
            claim = self._claim(connection, checked(reference, self._settings.limits_text, "the text"), False, kind)
            return claim.id, decide.promote(claim, evidence=given)

        return self._judge(decision)

    def dismiss(self, reference: str, *, reason: str = "") -> Outcome:
        said = checked_optional(reason, "the reason")
        return self._on(reference, lambda memory: decide.dismiss(memory, reason=said))

    def forget(self, reference: str, *, reason: str, evidence: str, by_text: bool = False) -> Outcome:
        why, proof = checked_optional(reason, "the reason"), checked_optional(evidence, "the evidence")
        if not why or not proof:
            raise WrongUse("forgetting wants a reason and evidence", "tacit forget ID --reason '…' --evidence '…'")
        return self._on(reference, lambda memory: decide.forget(memory, reason=why, evidence=proof), by_text=by_text)

    def restore(self, reference: str, *, reason: str = "") -> Outcome:
        said = checked_optional(reason, "the reason")
        return self._on(reference, lambda memory: decide.restore(memory, reason=said))

    def keep(self, reference: str, *, reason: str = "") -> Outcome:
        said = checked_optional(reason, "the reason")
        return self._on(reference, lambda memory: decide.keep(memory, reason=said))

    def edit(
        self,
        reference: str,
        *,
        text: str | None = None,
        kind: Kind | None = None,
        tags: Sequence[str] | None = None,
        accept: bool = False,
    ) -> Outcome:
        if text is None and kind is None and tags is None and not accept:
            raise WrongUse("nothing to change", "tacit edit ID --text '…' [--kind K] [--tag T]")
        words = None if text is None else checked(text, self._settings.limits_text, "the text")

        def revised(memory: Memory) -> Draft:
            old = memory.claim
            claim = claim_from(words, old.scope, kind=kind or old.kind, tags=old.tags) if words else old
            claim = claim._replace(kind=kind or claim.kind, tags=old.tags if tags is None else checked_tags(tags))
            return decide.revise(memory, claim, activate=accept)

        return self._on(reference, revised)

    def merge(self, reference: str, into: str) -> Outcome:
        self._only_a_person("merges memories", "tacit review")

        def decision(connection: sqlite3.Connection) -> _Judged:
            scope = self._store.scope_in(connection)
            target = meant(connection, into, scope)
            return target.id, [decide.merge(meant(connection, reference, scope), target)]

        return self._judge(decision)

    def undo(self, reference: str | None = None) -> str:
        """Take back the latest operation, or the latest on one memory; says what it was."""
        self._only_a_person("undoes an operation", "tacit undo")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim = meant(connection, reference, self._store.scope_in(connection)).id if reference else None
            operation = reader.last_operation(connection, must_decode, claim)
            if not operation:
                raise Refused("nothing to undo")
            labels.append(_label(operation))
            return [decide.undo(operation, labels[0])]

        labels: list[str] = []
        self._store.record(decision)
        return labels[0]

    # Between them

    def _claim(
        self,
        connection: sqlite3.Connection,
        text: str,
        everywhere: bool,
        kind: Kind | None = None,
        tags: tuple[str, ...] = (),
    ) -> Claim:
        """S2: the project one stands in, unless the text or the flag asks for the global scope."""
        said = split_scope(text)
        if not said.text:
            raise WrongUse("the text is empty")
        scope = GLOBAL if everywhere or said.is_global else self._store.scope_in(connection)
        claim = claim_from(said.text, scope, kind=kind, tags=tags)
        inner = split_scope(claim.sentence)  # "add to memory that global: …"
        if inner.is_global is None or not inner.text:
            return claim
        return claim_from(inner.text, GLOBAL if inner.is_global else scope, kind=kind, tags=tags)

    def _only_a_person(self, what: str, type_it: str) -> None:
        self._store.speaker.must_be_person(what, type_it)

    def _on(self, reference: str, decision: Callable[[Memory], Draft], *, by_text: bool = False) -> Outcome:
        self._only_a_person("decides on a memory", f"tacit review, or tacit show {quote(reference)}")
        find = with_text if by_text else meant

        def on_memory(connection: sqlite3.Connection) -> _Judged:
            draft = decision(find(connection, clean(reference), self._store.scope_in(connection)))
            assert isinstance(draft.body, Decided)
            return (draft.body.instead or draft.body.claim).id, [draft]

        return self._judge(on_memory)

    def _judge(self, decision: Callable[[sqlite3.Connection], _Judged]) -> Outcome:
        """Record what is decided and tell what came of it, before anyone else can change it again."""
        claims: list[ClaimId] = []

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim, judgements = decision(connection)
            claims.append(claim)
            return judgements

        return self._store.change(drafts, lambda connection, events: _outcome(connection, claims[0], bool(events)))


def _outcome(connection: sqlite3.Connection, claim: ClaimId, changed: bool) -> Outcome:
    memory, entry = reader.memory(connection, claim, must_decode), reader.entry(connection, claim)
    assert memory is not None and entry is not None
    winner = reader.entry(connection, entry.overruled_by) if entry.overruled_by else None
    beaten = tuple(reader.overruled_by(connection, entry))
    return Outcome(memory, reader.short_id(connection, claim), changed, winner, beaten, entry.conflict)


_DONE = {
    Verdict.PROPOSED: "remembered",
    Verdict.ADDED: "added",
    Verdict.SUGGESTED: "suggested",
    Verdict.ACCEPTED: "accepted",
    Verdict.DISMISSED: "dismissed",
    Verdict.RETIRED: "forgot",
    Verdict.RESTORED: "restored",
    Verdict.REVISED: "revised",
    Verdict.KEPT: "kept beside others",
}


def _label(operation: Sequence[Event]) -> str:
    """An operation in words: what was done and to what."""
    first = operation[0].body
    more = f" and {len(operation) - 1} more" if len(operation) > 1 else ""
    match first:
        case Proposed(claim=claim, verdict=verdict) | Decided(claim=claim, verdict=verdict):
            return f"{_DONE[verdict]}: {claim.sentence}{more}"
        case Undone(label=label):
            # To undo an undo is to do it again; however often, the words stay short.
            return (
                f"redo of {label[8:]}" if label.startswith("undo of ") else f"undo of {label.removeprefix('redo of ')}"
            )
        case WorkLogged(summary=summary):
            return f"logged: {summary}{more}"
        case WorkflowSaved(name=name):
            return f"saved the workflow {name}"
        case WorkflowDropped(name=name):
            return f"dropped the workflow {name}"
    return f"an operation of {len(operation)} events"
