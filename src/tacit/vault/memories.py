"""Commands that record a judgement. Each decides on the current state and returns the memory as it is afterwards.

Only a person decides. What an agent adds becomes a candidate.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from shlex import quote

from tacit.disk.read import read_foreign
from tacit.errors import IndexUnusableError, NotFoundError, RefusedError, UsageError
from tacit.home.actor import Actor
from tacit.home.home import HomePart
from tacit.home.input import (
    MAX_EVIDENCE_CHARS,
    checked_kind,
    checked_member,
    checked_optional_text,
    checked_tags,
    checked_text,
)
from tacit.home.store import Change
from tacit.index import reader
from tacit.index.database import translate_sqlite_errors
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Status, is_project_scope, project_name
from tacit.model.conflict import ConflictRule
from tacit.model.event import USER, Attribution, ClaimDecided, Draft, Event, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import HABIT_SOURCE, Memory
from tacit.model.observation import WorkLogged
from tacit.model.statement import claim_from, is_personal, split_scope, split_statements
from tacit.record import Record
from tacit.text.display import clean, clip, one_line

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.learn.sessions import LearnResult

_MAX_QUOTE_CHARS = 500  # of a quote in the evidence


class DecisionOutcome(Record):
    """A memory after a command.

    `changed` is False if there was nothing to record. `undecided` are memories that it contradicts and that no rule
    decides between, `may_contradict` those that the person is asked about. `in_fact_file` is True if the fact file of
    the current project has a line for it. `is_quoted` is True if the person typed the words that a suggestion quotes.
    `may_be_same` are memories that may say the same in other words, where they were looked for.
    """

    memory: Memory
    short: str
    changed: bool
    overruled_by: MemoryRow | None = None
    overrules: tuple[MemoryRow, ...] = ()
    conflict: bool = False
    undecided: tuple[MemoryRow, ...] = ()
    may_contradict: tuple[MemoryRow, ...] = ()
    in_fact_file: bool = False
    is_quoted: bool = False
    may_be_same: tuple[MemoryRow, ...] = ()


class Memories(HomePart):
    """Changes to the memories of one home.

    All methods raise UsageError for a text that is empty, and RefusedError for one that is too long or has a secret.
    Those that take a reference raise NotFoundError if there is no such memory, and RefusedError if an agent asks or if
    the decision does not fit the status of the memory.
    """

    # Adding

    def remember(
        self, text: str, *, evidence: str, everywhere: bool = False, source: str = "remember"
    ) -> DecisionOutcome:
        """Record an observation as a candidate. The same text with other evidence strengthens it."""
        return self._propose(text, source, evidence, everywhere=everywhere)

    def suggest(
        self,
        text: str,
        *,
        evidence: str = "",
        quote: str = "",
        reason: str = "",
        kind: Kind | str | None = None,
        everywhere: bool = False,
    ) -> DecisionOutcome:
        """Propose what an agent or a person noticed, for the person to decide on. It never becomes active by itself.

        Args:
            text: the sentence that should hold.
            evidence: what was noticed.
            quote: the person's exact words. If they are in a prompt of this project, they are the evidence, with the
                event they come from, and `evidence` becomes part of the reason. Otherwise the suggestion is an agent's
                own conclusion.
            reason: why it will matter again.
            kind: default: inferred from the text.
            everywhere: it holds in all projects.

        Raises:
            UsageError: there is neither a quote nor other evidence.
        """
        quote, evidence = checked_optional_text(quote, "the quote"), checked_optional_text(evidence, "the evidence")
        if not quote and not evidence:
            raise UsageError("the evidence is empty", "quote the person's exact words, or name what you noticed")
        events: tuple[EventId, ...] = ()
        session = ""
        if quote:
            from tacit.vault.quotes import Quotes

            prompt, words = Quotes(self._home).find(quote), f"“{one_line(quote, _MAX_QUOTE_CHARS)}”"
            if prompt is None:
                evidence = _join(evidence, f"a quote that was not found: {words}")
            else:
                events, reason = (prompt.event.id,), _join(checked_optional_text(reason, "the reason"), evidence)
                session = prompt.event.origin.session  # not every host tells its servers which session it is
                evidence = f"{words} ({prompt.agent}, {prompt.event.day}, session {prompt.session})"
        outcome = self._propose(
            text, "suggest", evidence, reason, kind=kind, everywhere=everywhere, events=events, session=session
        )
        return outcome._replace(is_quoted=bool(events))

    def _propose(
        self,
        text: str,
        source: str,
        evidence: str,
        reason: str = "",
        *,
        kind: Kind | str | None = None,
        everywhere: bool,
        events: tuple[EventId, ...] = (),
        session: str = "",
    ) -> DecisionOutcome:
        kind = checked_kind(kind)
        text = self._checked(text, "the text")
        evidence = checked_optional_text(evidence, "the evidence")
        reason = checked_optional_text(reason, "the reason")
        origin = self._store.actor.origin()
        with self._store.change() as change:
            claim = self._build_claim(change.connection, text, everywhere, kind)
            memory = reader.load_memory(change.connection, claim.id, must_decode)
            drafts = decide.propose(
                memory,
                claim,
                source=source,
                evidence=evidence,
                reason=reason,
                events=events,
                attribution=Attribution(origin.actor, origin.provenance, session) if session else None,
                kind_inferred=kind is None,
            )
            outcomes = _record_on(change, [claim.id], drafts)
        return self._with_fact_file(outcomes)[0]

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
            private: keep it out of the project's fact file, which it is shared in otherwise, unless it is a
                first-person preference.
        """
        return self.add_each(
            text, kind=kind, tags=tags, evidence=evidence, everywhere=everywhere, whole=True, private=private
        )[0]

    def add_each(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        tags: Sequence[str] = (),
        evidence: str = "",
        everywhere: bool = False,
        whole: bool = False,
        private: bool = False,
        look_for_same: bool = False,
    ) -> list[DecisionOutcome]:
        """As `add`, for a text that may have several rules: a memory for each, in one operation.

        Sentences that are no rules become the evidence. Raise RefusedError for several sentences of which none is a
        rule, unless they are wanted as one memory (`whole`). A rule that occurs twice has one outcome. With
        `look_for_same`, new memories come with those that may say the same.
        """
        rules: Sequence[str] = [self._checked(text, "the text")]
        if not whole:
            statements = split_statements(rules[0])
            if not statements.rules:
                count = len(statements.remarks)
                raise RefusedError(
                    f"these are {count} sentences, and none of them reads as a rule or a fact of its own",
                    "tacit add each rule by itself, or keep the text as one note: tacit add --whole TEXT",
                )
            if len(statements.rules) > 1 or statements.remarks:
                rules, evidence = statements.rules, evidence or " ".join(statements.remarks)
        evidence = checked_optional_text(evidence, "the evidence")
        kind = checked_kind(kind)
        provenance = self._store.actor.origin().provenance
        with self._store.change() as change:
            connection = change.connection
            wanted = [self._build_claim(connection, rule, everywhere, kind, checked_tags(tags)) for rule in rules]
            claims = [_as_known(connection, claim, kind_named=kind is not None) for claim in wanted]
            shared = [
                self._home.is_person and is_project_scope(claim.scope) and not private and not is_personal(claim)
                for claim in claims
            ]
            stated = self._stated_by_others(connection, claims) if any(shared) else {}
            drafts = [
                decide.add(
                    claim,
                    provenance=provenance,
                    evidence=evidence if claim.id == own.id else _join(f"said again: “{own.sentence}”", evidence),
                    shared=is_shared,
                    kind_inferred=kind is None,
                    others=stated.pop(claim.id, 0) if is_shared else 0,
                )
                for claim, own, is_shared in zip(claims, wanted, shared, strict=True)
            ]
            outcomes = _record_on(change, [claim.id for claim in claims], drafts)
            if look_for_same:
                outcomes = [_with_same(change.connection, outcome) for outcome in outcomes]
        return self._with_fact_file(outcomes)

    def _stated_by_others(self, connection: sqlite3.Connection, claims: Sequence[Claim]) -> dict[ClaimId, int]:
        """Return how often the project's fact file says that claims were stated, beyond what this home counts.

        Only of claims that the person shared or accepted: what a line says that nobody accepted counts for nothing.
        """
        from tacit.home.repository import shared_strengths

        strengths = shared_strengths(self._store, connection, self._home.settings.limits_text)
        known = {claim.id: reader.load_memory(connection, claim.id, must_decode) for claim in claims}
        return {
            claim: max(strengths.get(claim, 0) - memory.strength, 0)
            for claim, memory in known.items()
            if memory and memory.is_in_fact_file
        }

    def log(self, entry: WorkLogged) -> str:
        """Write an entry of the worklog. Return the path of the page that it is on."""
        checked_entry = WorkLogged(
            task=checked_text(entry.task, MAX_EVIDENCE_CHARS, "the task"),
            summary=self._checked(entry.summary, "the summary"),
            changes=checked_optional_text(entry.changes, "--changes"),
            evidence=checked_optional_text(entry.evidence, "--evidence"),
            next=checked_optional_text(entry.next, "--next"),
        )
        with self._store.change() as change:
            (event,) = change.record([Draft(checked_entry, self._store.scope_in(change.connection))])
        return self._store.paths.page("worklog", event.day.isoformat())

    # Deciding

    def accept(
        self, reference: str, *, kind: Kind | str | None = None, evidence: str = "", reason: str = ""
    ) -> DecisionOutcome:
        """Make a candidate active. It stays in the home until it is shared."""
        return self.accept_all([reference], kind=kind, evidence=evidence, reason=reason)[0]

    def accept_all(
        self, references: Sequence[str], *, kind: Kind | str | None = None, evidence: str = "", reason: str = ""
    ) -> list[DecisionOutcome]:
        """Make candidates active, all of them or none, as one operation."""
        kind = checked_kind(kind)
        evidence = checked_optional_text(evidence, "the evidence")
        return self._decide_on_all(
            references, lambda _, memory: decide.accept(memory, kind=kind, evidence=evidence, reason=reason)
        )

    def accept_globally(
        self, references: Sequence[str], *, kind: Kind | str | None = None, evidence: str = ""
    ) -> list[DecisionOutcome]:
        """Make candidates active in all projects, all of them or none, as one operation.

        Each becomes a global memory, together with the candidates of other projects that say the same.
        """
        from tacit.vault.review import same_candidates

        kind = checked_kind(kind)
        self._require_person(references[0])
        evidence = checked_optional_text(evidence, "the evidence")
        with self._store.change() as change:
            connection = change.connection
            scope = self._store.scope_in(connection)
            claims: dict[ClaimId, Claim] = {}  # by the id of the candidate that becomes this claim
            drafts = []
            for reference in references:
                memory = _resolve(connection, clean(reference), scope)
                if memory.id in claims:
                    continue
                claim = memory.claim._replace(scope=GLOBAL, kind=kind or memory.kind)
                others = [other for other in same_candidates(connection, memory) if other.id not in claims]
                claims |= {candidate.id: claim for candidate in (memory, *others)}
                drafts.append(decide.accept_globally(memory, claim, evidence=evidence))
                drafts += [decide.accept_globally(other, claim) for other in others]
            outcomes = _record_on(change, [claim.id for claim in claims.values()], drafts)
        return self._with_fact_file(outcomes)

    def promote(self, reference: str, *, kind: Kind | str, evidence: str) -> DecisionOutcome:
        """Accept a memory under a kind. A text that is no candidate yet becomes one first."""
        kind = checked_member(Kind, kind, "kind")
        self._store.actor.require_person("promotes a memory", f"tacit promote {quote(reference)} --kind {kind.label}")
        evidence = self._checked(evidence, "the evidence")
        with self._store.change() as change:
            connection = change.connection
            try:
                memory = _resolve(connection, reference, self._store.scope_in(connection))
                claim_id, drafts = memory.id, [decide.accept(memory, kind=kind, evidence=evidence)]
            except NotFoundError:
                if len(reference.split()) < 2:  # a mistyped id is not a statement
                    raise
                claim = self._build_claim(connection, self._checked(reference, "the text"), False, kind)
                claim_id, drafts = claim.id, decide.promote(claim, evidence=evidence)
            outcomes = _record_on(change, [claim_id], drafts)
        return self._with_fact_file(outcomes)[0]

    def same_candidates(self, memory: Memory) -> list[tuple[str, Memory]]:
        """Return the candidates of other projects that say the same, each with its short id."""
        from tacit.vault.review import same_candidates

        with self._store.snapshot() as connection:
            others = same_candidates(connection, memory)
            return [(reader.short_id(connection, other.id), other) for other in others]

    def dismiss(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        """Turn a candidate down."""
        return self.dismiss_all([reference], reason=reason)[0]

    def dismiss_all(self, references: Sequence[str], *, reason: str = "") -> list[DecisionOutcome]:
        """Turn candidates down, all of them or none, as one operation."""
        reason = checked_optional_text(reason, "the reason")
        return self._decide_on_all(references, lambda _, memory: decide.dismiss(memory, reason=reason))

    def decide_on_doubtful(self, result: LearnResult, *, accept: bool) -> DecisionOutcome:
        """Propose what a session states doubtfully, and accept or dismiss it, as one operation."""
        from tacit.learn.sessions import proposal_draft

        claim, actor = result.claim, self._store.actor
        actor.require_person("decides on a memory", "tacit review --doubtful")
        verdict = ClaimDecided(claim, Verdict.ACCEPTED if accept else Verdict.DISMISSED, kind_inferred=not accept)
        said_in = Actor(actor.clock, USER, result.session.host_session_id, actor.host)
        with self._store.change() as change:
            change.record([proposal_draft(result), Draft(verdict, claim.scope)], actor=said_in)
            return _load_outcome(change.connection, claim.id, True)

    def share(self, reference: str) -> DecisionOutcome:
        """Put an active memory of the current project into its fact file."""
        return self.share_all([reference])[0]

    def share_all(self, references: Sequence[str]) -> list[DecisionOutcome]:
        """Put active memories of the current project into its fact file, all or none, as one operation."""

        def decision(connection: sqlite3.Connection, memory: Memory) -> Draft:
            draft = decide.share(memory, has_line=self._has_line(memory))
            if memory.claim.scope != self._store.scope_in(connection):
                roots = reader.project_roots(connection, memory.claim.scope)
                hint = f"cd {quote(roots[0])} && tacit share {memory.id}" if roots else "go to the project first"
                name = project_name(memory.claim.scope)
                raise RefusedError(f"{memory.id} belongs to {name}, which is not the project here", hint)
            return draft

        return self._decide_on_all(references, decision)

    def unshare(self, reference: str) -> DecisionOutcome:
        """Take a memory out of the fact file of its project. It stays in the home."""
        return self.unshare_all([reference])[0]

    def unshare_all(self, references: Sequence[str]) -> list[DecisionOutcome]:
        """Take memories out of the fact file of their project, all of them or none. They stay in the home."""
        return self._decide_on_all(references, lambda _, memory: decide.unshare(memory))

    def forget(self, reference: str, *, reason: str = "", evidence: str = "", by_text: bool = False) -> DecisionOutcome:
        """Retire a memory or candidate."""
        reason = checked_optional_text(reason, "the reason")
        evidence = checked_optional_text(evidence, "the evidence")
        return self._decide_on(
            reference, lambda memory: decide.forget(memory, reason=reason, evidence=evidence), by_text=by_text
        )

    def restore(self, reference: str, *, reason: str = "", by_text: bool = False) -> DecisionOutcome:
        """Bring back a memory that was forgotten or dismissed."""
        reason = checked_optional_text(reason, "the reason")
        return self._decide_on(reference, lambda memory: decide.restore(memory, reason=reason), by_text=by_text)

    def keep(self, reference: str, *, reason: str = "") -> DecisionOutcome:
        """Say that a memory holds beside those that it seems to contradict."""
        reason = checked_optional_text(reason, "the reason")
        return self._decide_on(reference, lambda memory: decide.keep(memory, reason=reason))

    def keep_despite(self, reference: str, missing: Sequence[str]) -> DecisionOutcome:
        """Say that a memory holds although the work tree does not have these names. They are not asked about again."""
        return self._decide_on(reference, lambda memory: decide.keep_despite(memory, missing))

    def keep_instead(self, reference: str) -> tuple[Memory, list[DecisionOutcome]]:
        """Forget every memory that contradicts this one; if there is none, those that may contradict it.

        Return it, and what was forgotten.
        """
        from tacit.vault.search import Search

        queries = Search(self._home)
        kept = queries.show(reference).memory
        conflicts = queries.conflicts_of(kept.id)
        certain = [conflict for conflict in conflicts if conflict.rule is not ConflictRule.MAY_CONTRADICT]
        forgotten = []
        for conflict in certain or conflicts:
            (other,) = {conflict.winner.memory.id, conflict.loser.memory.id} - {kept.id}
            forgotten.append(self.forget(other, reason="contradicted", evidence=f"kept {kept.id}"))
        return kept, forgotten

    def edit(
        self,
        reference: str,
        *,
        text: str | None = None,
        kind: Kind | str | None = None,
        tags: Sequence[str] | None = None,
        accept: bool = False,
    ) -> DecisionOutcome:
        """Change the text, kind or tags of a memory; with `accept` a candidate becomes active, too.

        Raise UsageError if nothing is to be changed.
        """
        return self.edit_all([reference], text=text, kind=kind, tags=tags, accept=accept)[0]

    def edit_all(
        self,
        references: Sequence[str],
        *,
        text: str | None = None,
        kind: Kind | str | None = None,
        tags: Sequence[str] | None = None,
        accept: bool = False,
    ) -> list[DecisionOutcome]:
        """As `edit`, for several memories, all of them or none, as one operation."""
        kind = checked_kind(kind)
        if text is None and kind is None and tags is None and not accept:
            raise UsageError("nothing to change", "tacit edit ID --text '…' [--kind K] [--tag T]")
        new_text = None if text is None else self._checked(text, "the text")

        def decision(_connection: sqlite3.Connection, memory: Memory) -> Draft:
            old = memory.claim
            claim = claim_from(new_text, old.scope, kind=kind or old.kind, tags=old.tags) if new_text else old
            claim = claim._replace(kind=kind or claim.kind, tags=old.tags if tags is None else checked_tags(tags))
            return decide.revise(memory, claim, activate=accept)

        return self._decide_on_all(references, decision)

    def merge(self, references: Sequence[str], into: str) -> DecisionOutcome:
        """Move the evidence and strength of memories to another that says the same. Return the other one."""
        self._store.actor.require_person("merges memories", "tacit review")
        with self._store.change() as change:
            scope = self._store.scope_in(change.connection)
            target = _resolve(change.connection, into, scope)
            memories = [_resolve(change.connection, reference, scope) for reference in references]
            outcomes = _record_on(change, [target.id], [decide.merge(memory, target) for memory in memories])
        return self._with_fact_file(outcomes)[0]

    # Shared steps

    def _checked(self, text: str, what: str) -> str:
        return checked_text(text, self._home.settings.limits_text, what)

    def _build_claim(
        self,
        connection: sqlite3.Connection,
        text: str,
        everywhere: bool,
        kind: Kind | None = None,
        tags: tuple[str, ...] = (),
    ) -> Claim:
        """Return the claim of a text in the current project, or globally if the text or the flag says so (S2)."""
        scoped = split_scope(text)
        if not scoped.text:
            raise UsageError("the text is empty")
        scope = GLOBAL if everywhere or scoped.is_global else self._store.scope_in(connection)
        claim = claim_from(scoped.text, scope, kind=kind, tags=tags)
        inner = split_scope(claim.sentence)  # "add to memory that global: …"
        if inner.is_global is None or not inner.text:
            return claim
        return claim_from(inner.text, GLOBAL if inner.is_global else scope, kind=kind, tags=tags)

    def _decide_on(
        self, reference: str, decision: Callable[[Memory], Draft], *, by_text: bool = False
    ) -> DecisionOutcome:
        self._require_person(reference)
        with self._store.change() as change:
            scope = self._store.scope_in(change.connection)
            draft = decision(_resolve(change.connection, clean(reference), scope, by_text=by_text))
            outcomes = _record_on(change, [_resulting_claim(draft)], [draft])
        return self._with_fact_file(outcomes)[0]

    def _decide_on_all(
        self, references: Sequence[str], decision: Callable[[sqlite3.Connection, Memory], Draft]
    ) -> list[DecisionOutcome]:
        """Decide on several memories as one operation. A memory that is named twice is decided on once."""
        self._require_person(references[0])
        with self._store.change() as change:
            connection = change.connection
            scope = self._store.scope_in(connection)
            memories = [_resolve(connection, clean(reference), scope) for reference in references]
            drafts = [decision(connection, memory) for memory in {memory.id: memory for memory in memories}.values()]
            events = change.record(drafts)
            outcomes = [_load_outcome(change.connection, _resulting_claim(event), True) for event in events]
        if any(outcome.memory.source == HABIT_SOURCE for outcome in outcomes):
            from tacit.vault.suggestions import Suggestions

            Suggestions(self._home).learn_if_possible()  # a few habits wait at a time: there is room for the next one
        return self._with_fact_file(outcomes)

    def _require_person(self, reference: str) -> None:
        self._store.actor.require_person("decides on a memory", f"tacit review, or tacit show {quote(reference)}")

    def _with_fact_file(self, outcomes: list[DecisionOutcome]) -> list[DecisionOutcome]:
        """Set `in_fact_file` by reading the file: something may have been in the way of writing it."""
        return [outcome._replace(in_fact_file=self._has_line(outcome.memory)) for outcome in outcomes]

    def _has_line(self, memory: Memory) -> bool:
        """Return whether the fact file of the current project has a line for a memory of a project."""
        if self._store.project is None or not is_project_scope(memory.claim.scope):
            return False
        facts = read_foreign(self._store.project.facts)
        return facts is not None and f'"id": "{memory.id}"'.encode() in facts.data


def _join(first: str, second: str) -> str:
    """Return two texts as one that is not too long for evidence or a reason. The second one stays whole."""
    room = MAX_EVIDENCE_CHARS - len(second) - 2
    return f"{clip(first, room)}; {second}" if first and room > 0 else second or first


def _resulting_claim(judgement: Draft | Event) -> ClaimId:
    """Return the memory that a verdict results in: another one if it was reworded or merged."""
    assert isinstance(judgement.body, ClaimDecided)
    return (judgement.body.instead or judgement.body.claim).id


def _record_on(change: Change, claims: Sequence[ClaimId], drafts: Sequence[Draft]) -> list[DecisionOutcome]:
    """Record a decision on memories, and load each of them once before anyone else can change it again."""
    events = change.record(drafts)
    return [_load_outcome(change.connection, claim, bool(events)) for claim in dict.fromkeys(claims)]


# What most commands do not need is imported when it is: `tacit add` is asked for often.


def _resolve(connection: sqlite3.Connection, reference: str, scope: Scope, *, by_text: bool = False) -> Memory:
    from tacit.search.memories import memory_with_text, resolve_memory

    return (memory_with_text if by_text else resolve_memory)(connection, reference, scope)


def _as_known(connection: sqlite3.Connection, claim: Claim, *, kind_named: bool) -> Claim:
    """Return the claim of a memory that holds or waits and plainly says the same, or the claim itself.

    A constraint stays one if it is said again in words that sound milder, unless the person names another kind.
    What an index that is broken cannot tell is no reason to refuse it.
    """
    from tacit.search.restatements import restated_claim

    kinds = (claim.kind,) if kind_named else (claim.kind, Kind.CONSTRAINT)

    def is_wanted(row: MemoryRow) -> bool:
        is_live = row.status in (Status.ACTIVE, Status.PENDING)
        return is_live and row.scope == claim.scope and row.kind in kinds and set(claim.tags) <= set(row.tags)

    with suppress(IndexUnusableError), translate_sqlite_errors():
        return restated_claim(connection, claim, is_wanted)
    return claim


def _with_same(connection: sqlite3.Connection, outcome: DecisionOutcome) -> DecisionOutcome:
    """Return the outcome of an addition with the memories that a new one may repeat. A broken index knows none."""
    from tacit.search.restatements import near_memories

    if outcome.memory.strength == 1 and outcome.memory.status is Status.ACTIVE:
        with suppress(IndexUnusableError), translate_sqlite_errors():
            return outcome._replace(may_be_same=tuple(near_memories(connection, outcome.memory.claim)))
    return outcome


def _load_outcome(connection: sqlite3.Connection, claim: ClaimId, changed: bool) -> DecisionOutcome:
    memory, row = reader.load_memory(connection, claim, must_decode), reader.memory_row(connection, claim)
    assert memory is not None and row is not None
    others: dict[ConflictRule, tuple[MemoryRow, ...]] = dict.fromkeys(ConflictRule, ())
    if reader.is_in_ruling(connection, claim):
        from tacit.vault.evidence import load_opponents

        others = load_opponents(connection, claim)
    return DecisionOutcome(
        memory,
        reader.short_id(connection, claim),
        changed,
        reader.memory_row(connection, row.overruled_by) if row.overruled_by else None,
        tuple(reader.memories_overruled_by(connection, row)),
        row.is_conflicting,
        undecided=others[ConflictRule.UNDECIDED],
        may_contradict=others[ConflictRule.MAY_CONTRADICT],
    )
