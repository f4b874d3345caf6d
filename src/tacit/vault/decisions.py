"""The verbs that record a judgement: each decides on the state of now and returns what came of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from tacit.disk.read import read_foreign
from tacit.errors import NotFound, Refused, WrongUse
from tacit.home.home import Part
from tacit.home.input import EVIDENCE_LIMIT, checked, checked_optional, checked_tags
from tacit.index import reader
from tacit.index.reader import Entry
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.claim import GLOBAL, Claim, Kind, is_local, project_name
from tacit.model.event import Decided, Draft, Event
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, touched
from tacit.model.observation import WorkLogged
from tacit.model.statement import atomic, claim_from, is_personal, split_scope
from tacit.search.resolve import meant, with_text
from tacit.text.display import clean

# The memory a decision is about, and what to record.
_Judged = tuple[ClaimId, Sequence[Draft]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A memory after a verb. `changed` is false when there was nothing to record; `in_file` is true when the fact file
    of the project one stands in has a line for it."""

    memory: Memory
    short: str
    changed: bool
    overruled_by: Entry | None = None
    overrules: tuple[Entry, ...] = ()
    conflict: bool = False
    undecided: tuple[Entry, ...] = ()  # what it contradicts where no rule decides
    in_file: bool = False


class Decisions(Part):
    """Changes to one home."""

    # Telling

    def remember(self, text: str, *, evidence: str, everywhere: bool = False, source: str = "remember") -> Outcome:
        given = checked(text, self._home.settings.limits_text, "the text")
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
        given = checked(text, self._home.settings.limits_text, "the text")
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
        private: bool = False,
    ) -> Outcome:
        """Add what holds at once, if a person says so.

        In a project it is shared in the project's fact file, unless it is `private` or a first-person preference.
        """
        given = checked(text, self._home.settings.limits_text, "the text")
        reason = checked_optional(evidence, "the evidence")
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
    ) -> list[Outcome]:
        """As `add`, but of a text that may hold several rules: a memory for each, in one operation.

        What a story tells besides its rules becomes their evidence. Raises `Refused` for several sentences of which
        none is a rule, unless they are wanted as one memory (`whole`).
        """
        said = atomic(checked(text, self._home.settings.limits_text, "the text"))
        if whole or (len(said.rules) == 1 and not said.told):
            return [self.add(text, kind=kind, tags=tags, evidence=evidence, everywhere=everywhere, private=private)]
        if not said.rules:
            raise Refused(
                f"these are {len(said.told)} sentences, and none of them reads as a rule or a fact of its own",
                "tacit add each rule by itself, or keep the text as one note: tacit add --whole TEXT",
            )
        reason = checked_optional(evidence or " ".join(said.told), "the evidence")
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
    ) -> list[Outcome]:
        """Add these rules in one operation; one that is said twice is told once."""
        provenance = self._store.speaker.origin().provenance
        claims: list[ClaimId] = []

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            found = [self._claim(connection, rule, everywhere, kind, checked_tags(tags)) for rule in rules]
            claims.extend(dict.fromkeys(claim.id for claim in found))
            shared = [self._is_shared(claim, private) for claim in found]
            self._store.publisher.may_create = any(shared)
            return [
                decide.add(claim, provenance=provenance, evidence=reason, shared=is_shared)
                for claim, is_shared in zip(found, shared, strict=True)
            ]

        told = self._store.change(
            drafts, lambda connection, events: [_outcome(connection, claim, bool(events)) for claim in claims]
        )
        return [replace(outcome, in_file=self._is_in_file(outcome.memory)) for outcome in told]

    def _is_shared(self, claim: Claim, private: bool) -> bool:
        """Whether what is added goes into the project's fact file at once."""
        return self._home.is_person and is_local(claim.scope) and not private and not is_personal(claim)

    def log(self, entry: WorkLogged) -> str:
        """Write an entry of the worklog; returns the page it stands on."""
        checked_entry = WorkLogged(
            task=checked(entry.task, EVIDENCE_LIMIT, "the task"),
            summary=checked(entry.summary, self._home.settings.limits_text, "the summary"),
            changes=checked_optional(entry.changes, "--changes"),
            evidence=checked_optional(entry.evidence, "--evidence"),
            next=checked_optional(entry.next, "--next"),
        )
        (event,) = self._store.record(lambda connection: [Draft(checked_entry, self._store.scope_in(connection))])
        return self._store.home.page("worklog", event.day.isoformat())

    # Deciding

    def accept(self, reference: str, *, kind: Kind | None = None, evidence: str = "", reason: str = "") -> Outcome:
        """Make a candidate active. It stays in the home until it is shared."""
        (outcome,) = self.accept_all([reference], kind=kind, evidence=evidence, reason=reason)
        return outcome

    def accept_all(
        self, references: Sequence[str], *, kind: Kind | None = None, evidence: str = "", reason: str = ""
    ) -> list[Outcome]:
        """Make candidates active, all of them or none, as one operation."""
        given = checked_optional(evidence, "the evidence")
        return self._on_all(
            references, lambda _, memory: decide.accept(memory, kind=kind, evidence=given, reason=reason)
        )

    def promote(self, reference: str, *, kind: Kind, evidence: str) -> Outcome:
        """Accept under a kind; a text that is no candidate yet becomes one first."""
        self._only_a_person("promotes a memory", f"tacit promote {quote(reference)} --kind {kind.label}")
        given = checked(evidence, self._home.settings.limits_text, "the evidence")

        def decision(connection: sqlite3.Connection) -> _Judged:
            try:
                memory = meant(connection, reference, self._store.scope_in(connection))
                return memory.id, [decide.accept(memory, kind=kind, evidence=given)]
            except NotFound:
                if len(reference.split()) < 2:  # a mistyped id is not a statement
                    raise
            text = checked(reference, self._home.settings.limits_text, "the text")
            claim = self._claim(connection, text, False, kind)
            return claim.id, decide.promote(claim, evidence=given)

        return self._judge(decision)

    def dismiss(self, reference: str, *, reason: str = "") -> Outcome:
        """Turn a candidate down."""
        (outcome,) = self.dismiss_all([reference], reason=reason)
        return outcome

    def dismiss_all(self, references: Sequence[str], *, reason: str = "") -> list[Outcome]:
        """Turn candidates down, all of them or none, as one operation."""
        said = checked_optional(reason, "the reason")
        return self._on_all(references, lambda _, memory: decide.dismiss(memory, reason=said))

    def share(self, reference: str) -> Outcome:
        """Put an active memory of the project one stands in into its fact file."""
        (outcome,) = self.share_all([reference])
        return outcome

    def share_all(self, references: Sequence[str]) -> list[Outcome]:
        """Put active memories of the project one stands in into its fact file, all or none, as one operation."""
        return self._on_all(references, self._shared)

    def unshare(self, reference: str) -> Outcome:
        """Take a memory out of the fact file of its project. It stays in the home."""
        (outcome,) = self.unshare_all([reference])
        return outcome

    def unshare_all(self, references: Sequence[str]) -> list[Outcome]:
        """Take memories out of the fact file of their project, all of them or none. They stay in the home."""
        return self._on_all(references, lambda _, memory: decide.unshare(memory))

    def _shared(self, connection: sqlite3.Connection, memory: Memory) -> Draft:
        draft = decide.share(memory)
        if memory.claim.scope != self._store.scope_in(connection):
            raise _elsewhere(memory, reader.roots(connection, memory.claim.scope))
        self._store.publisher.may_create = True
        return draft

    def forget(self, reference: str, *, reason: str = "", evidence: str = "", by_text: bool = False) -> Outcome:
        """Retire a memory or candidate, for a reason and with evidence where these are given."""
        why, proof = checked_optional(reason, "the reason"), checked_optional(evidence, "the evidence")
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
        words = None if text is None else checked(text, self._home.settings.limits_text, "the text")

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
            memory = find(connection, clean(reference), self._store.scope_in(connection))
            self._store.publisher.may_create = bool(memory.shared)
            draft = decision(memory)
            return _about(draft), [draft]

        return self._judge(on_memory)

    def _on_all(
        self, references: Sequence[str], decision: Callable[[sqlite3.Connection, Memory], Draft]
    ) -> list[Outcome]:
        """Decide on several memories as one operation; a memory that is named twice is decided on once."""
        self._only_a_person("decides on a memory", f"tacit review, or tacit show {quote(references[0])}")

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            scope = self._store.scope_in(connection)
            memories = [meant(connection, clean(reference), scope) for reference in references]
            return [decision(connection, memory) for memory in {memory.id: memory for memory in memories}.values()]

        def tell(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Outcome]:
            self._store.accepted_in.update((claim, event.op) for event in events for claim in touched(event))
            return [_outcome(connection, _about(event), True) for event in events]

        told = self._store.change(drafts, tell)
        return [replace(outcome, in_file=self._is_in_file(outcome.memory)) for outcome in told]

    def _judge(self, decision: Callable[[sqlite3.Connection], _Judged]) -> Outcome:
        """Record what is decided and tell what came of it, before anyone else can change it again."""
        claims: list[ClaimId] = []

        def drafts(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim, judgements = decision(connection)
            claims.append(claim)
            return judgements

        told = self._store.change(drafts, lambda connection, events: _outcome(connection, claims[0], bool(events)))
        return replace(told, in_file=self._is_in_file(told.memory))

    def _is_in_file(self, memory: Memory) -> bool:
        """Whether the fact file here has a line for it: something may have been in the way of writing it."""
        project = self._store.project
        if project is None or not is_local(memory.claim.scope):
            return False
        there = read_foreign(project.facts)
        return there is not None and f'"id": "{memory.id}"'.encode() in there.data


def _about(said: Draft | Event) -> ClaimId:
    """The memory that is told of after a verdict."""
    assert isinstance(said.body, Decided)
    return (said.body.instead or said.body.claim).id


def _elsewhere(memory: Memory, roots: Sequence[str]) -> Refused:
    where = f"cd {quote(roots[0])} && tacit share {memory.id}" if roots else "go to the project first"
    return Refused(f"{memory.id} belongs to {project_name(memory.claim.scope)}, which is not the project here", where)


def _outcome(connection: sqlite3.Connection, claim: ClaimId, changed: bool) -> Outcome:
    memory, entry = reader.memory(connection, claim, must_decode), reader.entry(connection, claim)
    assert memory is not None and entry is not None
    winner = reader.entry(connection, entry.overruled_by) if entry.overruled_by else None
    beaten = tuple(reader.overruled_by(connection, entry))
    rivals = [one for one in reader.opposed_to(connection, claim) if one.conflict] if entry.conflict else []
    return Outcome(memory, reader.short_id(connection, claim), changed, winner, beaten, entry.conflict, tuple(rivals))
