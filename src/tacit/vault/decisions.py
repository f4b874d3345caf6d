"""The verbs that record a judgement: each decides on the state of now and returns what came of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from tacit.disk.read import read_foreign
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.home.input import MAX_EVIDENCE_CHARS, checked_optional_text, checked_tags, checked_text
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.claim import GLOBAL, Claim, Kind, is_project_scope, project_name
from tacit.model.event import ClaimDecided, Draft, Event
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, touched_claims
from tacit.model.observation import WorkLogged
from tacit.model.statement import claim_from, is_personal, split_scope, split_statements
from tacit.search.resolve import memory_with_text, resolve_memory
from tacit.text.display import clean

# The memory a decision is about, and what to record.
_ClaimDrafts = tuple[ClaimId, Sequence[Draft]]


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """A memory after a verb. `changed` is false when there was nothing to record; `in_file` is true when the fact file
    of the project one stands in has a line for it."""

    memory: Memory
    short: str
    changed: bool
    overruled_by: MemoryRow | None = None
    overrules: tuple[MemoryRow, ...] = ()
    conflict: bool = False
    undecided: tuple[MemoryRow, ...] = ()  # what it contradicts where no rule decides
    in_fact_file: bool = False


class Decisions(HomePart):
    """Changes to one home."""

    # Telling

    def remember(
        self, text: str, *, evidence: str, everywhere: bool = False, source: str = "remember"
    ) -> DecisionOutcome:
        given = checked_text(text, self._home.settings.limits_text, "the text")
        reason = checked_optional_text(evidence, "the evidence")

        def decision(connection: sqlite3.Connection) -> _ClaimDrafts:
            claim = self._build_claim(connection, given, everywhere)
            memory = reader.load_memory(connection, claim.id, must_decode)
            return claim.id, decide.propose(memory, claim, source=source, evidence=reason)

        return self._record_decision(decision)

    def suggest(
        self, text: str, *, evidence: str, reason: str = "", kind: Kind | None = None, everywhere: bool = False
    ) -> DecisionOutcome:
        """Something that an agent or a person noticed, for the person to decide on: never active by itself."""
        given = checked_text(text, self._home.settings.limits_text, "the text")
        seen, why = checked_optional_text(evidence, "the evidence"), checked_optional_text(reason, "the reason")

        def decision(connection: sqlite3.Connection) -> _ClaimDrafts:
            claim = self._build_claim(connection, given, everywhere, kind)
            memory = reader.load_memory(connection, claim.id, must_decode)
            return claim.id, decide.propose(memory, claim, source="suggest", evidence=seen, reason=why)

        return self._record_decision(decision)

    def add(
        self,
        text: str,
        *,
        kind: Kind | None = None,
        tags: Sequence[str] = (),
        evidence: str = "",
        everywhere: bool = False,
        private: bool = False,
    ) -> DecisionOutcome:
        """Add what holds at once, if a person says so.

        In a project it is shared in the project's fact file, unless it is `private` or a first-person preference.
        """
        given = checked_text(text, self._home.settings.limits_text, "the text")
        reason = checked_optional_text(evidence, "the evidence")
        return self._add_rules([given], reason, kind=kind, tags=tags, everywhere=everywhere, private=private)[0]

    def add_each(
        self,
        text: str,
        *,
        kind: Kind | None = None,
        tags: Sequence[str] = (),
        evidence: str = "",
        everywhere: bool = False,
        whole: bool = False,
        private: bool = False,
    ) -> list[DecisionOutcome]:
        """As `add`, but of a text that may hold several rules: a memory for each, in one operation.

        What a story tells besides its rules becomes their evidence. Raises `Refused` for several sentences of which
        none is a rule, unless they are wanted as one memory (`whole`).
        """
        said = split_statements(checked_text(text, self._home.settings.limits_text, "the text"))
        if whole or (len(said.rules) == 1 and not said.remarks):
            return [self.add(text, kind=kind, tags=tags, evidence=evidence, everywhere=everywhere, private=private)]
        if not said.rules:
            raise RefusedError(
                f"these are {len(said.remarks)} sentences, and none of them reads as a rule or a fact of its own",
                "tacit add each rule by itself, or keep the text as one note: tacit add --whole TEXT",
            )
        reason = checked_optional_text(evidence or " ".join(said.remarks), "the evidence")
        return self._add_rules(said.rules, reason, kind=kind, tags=tags, everywhere=everywhere, private=private)

    def _add_rules(
        self,
        rules: Sequence[str],
        reason: str,
        *,
        kind: Kind | None,
        tags: Sequence[str],
        everywhere: bool,
        private: bool,
    ) -> list[DecisionOutcome]:
        """Add these rules in one operation; one that is said twice is told once."""
        provenance = self._store.actor.origin().provenance
        claims: list[ClaimId] = []

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            found = [self._build_claim(connection, rule, everywhere, kind, checked_tags(tags)) for rule in rules]
            claims.extend(dict.fromkeys(claim.id for claim in found))
            shared = [self._is_shared(claim, private) for claim in found]
            self._store.publisher.may_create_facts = any(shared)
            return [
                decide.add(claim, provenance=provenance, evidence=reason, shared=is_shared)
                for claim, is_shared in zip(found, shared, strict=True)
            ]

        told = self._store.change(
            drafts, lambda connection, events: [_load_outcome(connection, claim, bool(events)) for claim in claims]
        )
        return [replace(outcome, in_fact_file=self._is_in_fact_file(outcome.memory)) for outcome in told]

    def _is_shared(self, claim: Claim, private: bool) -> bool:
        """Whether what is added goes into the project's fact file at once."""
        return self._home.is_person and is_project_scope(claim.scope) and not private and not is_personal(claim)

    def log(self, entry: WorkLogged) -> str:
        """Write an entry of the worklog; returns the page it stands on."""
        checked_entry = WorkLogged(
            task=checked_text(entry.task, MAX_EVIDENCE_CHARS, "the task"),
            summary=checked_text(entry.summary, self._home.settings.limits_text, "the summary"),
            changes=checked_optional_text(entry.changes, "--changes"),
            evidence=checked_optional_text(entry.evidence, "--evidence"),
            next=checked_optional_text(entry.next, "--next"),
        )
        (event,) = self._store.record(lambda connection: [Draft(checked_entry, self._store.scope_in(connection))])
        return self._store.paths.page("worklog", event.day.isoformat())

    # Deciding

    def accept(
        self, reference: str, *, kind: Kind | None = None, evidence: str = "", reason: str = ""
    ) -> DecisionOutcome:
        """Make a candidate active. It stays in the home until it is shared."""
        (outcome,) = self.accept_all([reference], kind=kind, evidence=evidence, reason=reason)
        return outcome

    def accept_all(
        self, references: Sequence[str], *, kind: Kind | None = None, evidence: str = "", reason: str = ""
    ) -> list[DecisionOutcome]:
        """Make candidates active, all of them or none, as one operation."""
        given = checked_optional_text(evidence, "the evidence")
        return self._decide_on_all(
            references, lambda _, memory: decide.accept(memory, kind=kind, evidence=given, reason=reason)
        )

    def promote(self, reference: str, *, kind: Kind, evidence: str) -> DecisionOutcome:
        """Accept under a kind; a text that is no candidate yet becomes one first."""
        self._must_be_person("promotes a memory", f"tacit promote {quote(reference)} --kind {kind.label}")
        given = checked_text(evidence, self._home.settings.limits_text, "the evidence")

        def decision(connection: sqlite3.Connection) -> _ClaimDrafts:
            try:
                memory = resolve_memory(connection, reference, self._store.scope_in(connection))
                return memory.id, [decide.accept(memory, kind=kind, evidence=given)]
            except NotFoundError:
                if len(reference.split()) < 2:  # a mistyped id is not a statement
                    raise
            text = checked_text(reference, self._home.settings.limits_text, "the text")
            claim = self._build_claim(connection, text, False, kind)
            return claim.id, decide.promote(claim, evidence=given)

        return self._record_decision(decision)

    def dismiss(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        """Turn a candidate down."""
        (outcome,) = self.dismiss_all([reference], reason=reason)
        return outcome

    def dismiss_all(self, references: Sequence[str], *, reason: str = "") -> list[DecisionOutcome]:
        """Turn candidates down, all of them or none, as one operation."""
        said = checked_optional_text(reason, "the reason")
        return self._decide_on_all(references, lambda _, memory: decide.dismiss(memory, reason=said))

    def share(self, reference: str) -> DecisionOutcome:
        """Put an active memory of the project one stands in into its fact file."""
        (outcome,) = self.share_all([reference])
        return outcome

    def share_all(self, references: Sequence[str]) -> list[DecisionOutcome]:
        """Put active memories of the project one stands in into its fact file, all or none, as one operation."""
        return self._decide_on_all(references, self._draft_share)

    def unshare(self, reference: str) -> DecisionOutcome:
        """Take a memory out of the fact file of its project. It stays in the home."""
        (outcome,) = self.unshare_all([reference])
        return outcome

    def unshare_all(self, references: Sequence[str]) -> list[DecisionOutcome]:
        """Take memories out of the fact file of their project, all of them or none. They stay in the home."""
        return self._decide_on_all(references, lambda _, memory: decide.unshare(memory))

    def _draft_share(self, connection: sqlite3.Connection, memory: Memory) -> Draft:
        draft = decide.share(memory)
        if memory.claim.scope != self._store.scope_in(connection):
            raise _wrong_project_error(memory, reader.project_roots(connection, memory.claim.scope))
        self._store.publisher.may_create_facts = True
        return draft

    def forget(self, reference: str, *, reason: str = "", evidence: str = "", by_text: bool = False) -> DecisionOutcome:
        """Retire a memory or candidate, for a reason and with evidence where these are given."""
        why, proof = checked_optional_text(reason, "the reason"), checked_optional_text(evidence, "the evidence")
        return self._decide_on(
            reference, lambda memory: decide.forget(memory, reason=why, evidence=proof), by_text=by_text
        )

    def restore(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        said = checked_optional_text(reason, "the reason")
        return self._decide_on(reference, lambda memory: decide.restore(memory, reason=said))

    def keep(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        said = checked_optional_text(reason, "the reason")
        return self._decide_on(reference, lambda memory: decide.keep(memory, reason=said))

    def edit(
        self,
        reference: str,
        *,
        text: str | None = None,
        kind: Kind | None = None,
        tags: Sequence[str] | None = None,
        accept: bool = False,
    ) -> DecisionOutcome:
        if text is None and kind is None and tags is None and not accept:
            raise UsageError("nothing to change", "tacit edit ID --text '…' [--kind K] [--tag T]")
        words = None if text is None else checked_text(text, self._home.settings.limits_text, "the text")

        def revised(memory: Memory) -> Draft:
            old = memory.claim
            claim = claim_from(words, old.scope, kind=kind or old.kind, tags=old.tags) if words else old
            claim = claim._replace(kind=kind or claim.kind, tags=old.tags if tags is None else checked_tags(tags))
            return decide.revise(memory, claim, activate=accept)

        return self._decide_on(reference, revised)

    def merge(self, reference: str, into: str) -> DecisionOutcome:
        self._must_be_person("merges memories", "tacit review")

        def decision(connection: sqlite3.Connection) -> _ClaimDrafts:
            scope = self._store.scope_in(connection)
            target = resolve_memory(connection, into, scope)
            return target.id, [decide.merge(resolve_memory(connection, reference, scope), target)]

        return self._record_decision(decision)

    # Between them

    def _build_claim(
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
            raise UsageError("the text is empty")
        scope = GLOBAL if everywhere or said.is_global else self._store.scope_in(connection)
        claim = claim_from(said.text, scope, kind=kind, tags=tags)
        inner = split_scope(claim.sentence)  # "add to memory that global: …"
        if inner.is_global is None or not inner.text:
            return claim
        return claim_from(inner.text, GLOBAL if inner.is_global else scope, kind=kind, tags=tags)

    def _must_be_person(self, what: str, type_it: str) -> None:
        self._store.actor.require_person(what, type_it)

    def _decide_on(
        self, reference: str, decision: Callable[[Memory], Draft], *, by_text: bool = False
    ) -> DecisionOutcome:
        self._must_be_person("decides on a memory", f"tacit review, or tacit show {quote(reference)}")
        find = memory_with_text if by_text else resolve_memory

        def on_memory(connection: sqlite3.Connection) -> _ClaimDrafts:
            memory = find(connection, clean(reference), self._store.scope_in(connection))
            self._store.publisher.may_create_facts = bool(memory.shared)
            draft = decision(memory)
            return _decided_claim(draft), [draft]

        return self._record_decision(on_memory)

    def _decide_on_all(
        self, references: Sequence[str], decision: Callable[[sqlite3.Connection, Memory], Draft]
    ) -> list[DecisionOutcome]:
        """Decide on several memories as one operation; a memory that is named twice is decided on once."""
        self._must_be_person("decides on a memory", f"tacit review, or tacit show {quote(references[0])}")

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            scope = self._store.scope_in(connection)
            memories = [resolve_memory(connection, clean(reference), scope) for reference in references]
            return [decision(connection, memory) for memory in {memory.id: memory for memory in memories}.values()]

        def tell(connection: sqlite3.Connection, events: Sequence[Event]) -> list[DecisionOutcome]:
            self._store.accepted_in.update((claim, event.op) for event in events for claim in touched_claims(event))
            return [_load_outcome(connection, _decided_claim(event), True) for event in events]

        told = self._store.change(drafts, tell)
        return [replace(outcome, in_fact_file=self._is_in_fact_file(outcome.memory)) for outcome in told]

    def _record_decision(self, decision: Callable[[sqlite3.Connection], _ClaimDrafts]) -> DecisionOutcome:
        """Record what is decided and tell what came of it, before anyone else can change it again."""
        claims: list[ClaimId] = []

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim, judgements = decision(connection)
            claims.append(claim)
            return judgements

        told = self._store.change(drafts, lambda connection, events: _load_outcome(connection, claims[0], bool(events)))
        return replace(told, in_fact_file=self._is_in_fact_file(told.memory))

    def _is_in_fact_file(self, memory: Memory) -> bool:
        """Whether the fact file here has a line for it: something may have been in the way of writing it."""
        project = self._store.project
        if project is None or not is_project_scope(memory.claim.scope):
            return False
        there = read_foreign(project.facts)
        return there is not None and f'"id": "{memory.id}"'.encode() in there.data


def _decided_claim(said: Draft | Event) -> ClaimId:
    """The memory that is told of after a verdict."""
    assert isinstance(said.body, ClaimDecided)
    return (said.body.instead or said.body.claim).id


def _wrong_project_error(memory: Memory, roots: Sequence[str]) -> RefusedError:
    where = f"cd {quote(roots[0])} && tacit share {memory.id}" if roots else "go to the project first"
    return RefusedError(
        f"{memory.id} belongs to {project_name(memory.claim.scope)}, which is not the project here", where
    )


def _load_outcome(connection: sqlite3.Connection, claim: ClaimId, changed: bool) -> DecisionOutcome:
    memory, entry = reader.load_memory(connection, claim, must_decode), reader.memory_row(connection, claim)
    assert memory is not None and entry is not None
    winner = reader.memory_row(connection, entry.overruled_by) if entry.overruled_by else None
    beaten = tuple(reader.memories_overruled_by(connection, entry))
    rivals = [one for one in reader.memories_opposed_to(connection, claim) if one.conflict] if entry.conflict else []
    return DecisionOutcome(
        memory, reader.short_id(connection, claim), changed, winner, beaten, entry.conflict, tuple(rivals)
    )
