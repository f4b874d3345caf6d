"""Hand edits of pages as judgements, and memories as they will be once drafts are recorded."""

from __future__ import annotations

from collections.abc import Callable

from tacit.errors import RefusedError
from tacit.model import decide
from tacit.model.claim import Claim, Kind, Provenance, Scope, Status
from tacit.model.event import (
    HAND_EDIT,
    USER,
    Attribution,
    ClaimDecided,
    ClaimProposed,
    Draft,
    Event,
    EventOrigin,
    Verdict,
)
from tacit.model.ids import ClaimId, EventId, next_event_id
from tacit.model.memory import Memory, evolve, touched_claims
from tacit.model.statement import claim_from
from tacit.record import Record

# If the person does not vouch for an edit, nobody knows who made it.
VOUCHED_ATTRIBUTION = Attribution(USER, Provenance.USER_FILE)
UNVOUCHED_ATTRIBUTION = Attribution(HAND_EDIT, Provenance.TOOL_LOCAL)


class AddedLine(Record):
    """A statement that Tacit did not write, in a section of active memories or of candidates."""

    line: str
    text: str
    kind: Kind | None
    is_active: bool
    tags: tuple[str, ...] = ()
    project: str = ""


class ChangedLine(Record):
    """A known entry with other words, in another section, or with other evidence. Fields that are None are unchanged.

    `old_line` is the line as Tacit wrote it. `is_active` is set if the line is in a section of active memories.
    """

    line: str
    claim: ClaimId
    text: str | None = None
    kind: Kind | None = None
    status: Status | None = None
    tags: tuple[str, ...] | None = None
    evidence: str | None = None
    old_line: str = ""
    is_active: bool = False


class RemovedLine(Record):
    """A known entry that was deleted, or that a commit of the repository deleted."""

    line: str
    claim: ClaimId
    is_committed: bool = False


class IgnoredLine(Record):
    """A change that means nothing to Tacit. It stays as it is."""

    line: str
    reason: str


class RedrawnLine(Record):
    """A line without a statement: a conflict marker, a duplicate, a part that Tacit generates. It is rendered again."""

    line: str
    reason: str
    old_line: str = ""


PageEdit = AddedLine | ChangedLine | RemovedLine | IgnoredLine | RedrawnLine
MemoryLookup = Callable[[ClaimId], Memory | None]
_MAX_REPLACEMENTS = 32  # that are followed from an old claim to its latest wording


def latest_memory(lookup: MemoryLookup, claim: ClaimId) -> Memory | None:
    """Return the memory of a claim. A retired one that was replaced gives the memory that replaced it."""
    memory = lookup(claim)
    for _ in range(_MAX_REPLACEMENTS):
        if memory is None or memory.is_live or memory.replaced_by in (None, memory.id):
            break
        memory = (memory.replaced_by and lookup(memory.replaced_by)) or memory
    return memory


def edited_memory(edit: ChangedLine | RemovedLine, lookup: MemoryLookup) -> Memory | None:
    """Return the memory that an edit is about: the latest, but of a line that was moved its own."""
    is_moved = isinstance(edit, ChangedLine) and edit.status is not None
    return lookup(edit.claim) if is_moved else latest_memory(lookup, edit.claim)


def judge_edit(edit: PageEdit, lookup: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    """Return the judgements of a person who vouches for an edit; none if they would change nothing.

    Raise RefusedError if the edit cannot be applied.
    """
    match edit:
        case AddedLine():
            return _judge_added(edit, lookup, scope, page)
        case ChangedLine():
            if memory := edited_memory(edit, lookup):
                return _judge_changed(edit, memory, page)
            if edit.text is not None:  # the old entry no longer counts, so the new words are an addition
                added = AddedLine(edit.line, edit.text, edit.kind, edit.is_active, edit.tags or ())
                return _judge_added(added, lookup, scope, page)
        case RemovedLine():
            memory = latest_memory(lookup, edit.claim)
            return _judge_removed(memory, page) if memory and memory.id == edit.claim else []
    return []


def propose_edit(edit: PageEdit, lookup: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    """Return a candidate with the new words of an edit that nobody vouches for, unless the claim is known already."""
    claim = new_claim(edit, lookup, scope)
    if claim is None or lookup(claim.id):
        return []
    return decide.propose(
        None,
        claim,
        source=HAND_EDIT,
        evidence=f"found in {page}",
        attribution=UNVOUCHED_ATTRIBUTION,
        kind_inferred=isinstance(edit, AddedLine) and edit.kind is None,
    )


def new_claim(edit: PageEdit, lookup: MemoryLookup, scope: Scope) -> Claim | None:
    """Return the claim that the new words of an edit make. None if it has none."""
    match edit:
        case AddedLine():
            return claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
        case ChangedLine(text=str() as text):
            memory = latest_memory(lookup, edit.claim)
            return memory and claim_from(text, memory.claim.scope, kind=memory.kind, tags=memory.claim.tags)
    return None


def ensure_live(claim: Claim, status: Status, memory: Memory | None, page: str) -> list[Draft]:
    """Make a memory live again that the page still states, although another line with the same words was deleted."""
    if memory is None or memory.is_live:
        return []
    if status is Status.ACTIVE:
        return [_vouch(decide.restore(memory, reason=f"edited in {page}"))]
    return [_written_in(page, claim, Verdict.PROPOSED, kind_inferred=True)]


def _judge_added(edit: AddedLine, lookup: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    claim = claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
    memory = lookup(claim.id)
    if memory is None or not memory.is_live or (edit.is_active and memory.status is not Status.ACTIVE):
        verdict = Verdict.ADDED if edit.is_active else Verdict.PROPOSED
        return [_written_in(page, claim, verdict, kind_inferred=edit.kind is None)]
    if claim.sentence == memory.claim.sentence:
        return []
    reworded = memory.claim._replace(sentence=claim.sentence)
    return [_vouch(decide.revise(memory, reworded, reason=f"edited in {page}"))]


def _judge_changed(edit: ChangedLine, memory: Memory, page: str) -> list[Draft]:
    reason = f"edited in {page}"
    if edit.status in (Status.RETIRED, Status.DISMISSED):
        return _judge_removed(memory, page)
    claim = memory.claim
    if edit.text is not None and edit.text != claim.sentence:
        claim = claim_from(edit.text, claim.scope, kind=claim.kind, tags=claim.tags)
    claim = claim._replace(kind=edit.kind or claim.kind, tags=claim.tags if edit.tags is None else edit.tags)
    if edit.status is Status.PENDING and memory.status is not Status.PENDING:
        if memory.status is Status.ACTIVE:
            raise RefusedError("what holds cannot wait again; take the line out to forget it")
        is_inferred = edit.kind is None and not memory.is_kind_stated
        return [_written_in(page, claim, Verdict.PROPOSED, kind_inferred=is_inferred)]
    activates = edit.status is Status.ACTIVE and memory.status is not Status.ACTIVE
    if not memory.is_live and not activates:
        if claim == memory.claim:
            return []
        raise RefusedError("what was pruned is only history")
    drafts: list[Draft] = []
    if activates and claim.id == memory.id:
        activate = decide.accept if memory.status is Status.PENDING else decide.restore
        drafts.append(activate(memory, reason=reason))
    if claim != memory.claim:
        drafts.append(decide.revise(memory, claim, activate=activates, reason=reason))
    if edit.evidence and edit.evidence not in {given.text for given in memory.evidence}:
        evidence = ClaimDecided(claim, Verdict.REVISED, reason, instead=claim, carried_evidence=(edit.evidence,))
        is_inferred = edit.kind is None and not memory.is_kind_stated
        drafts.append(Draft(evidence._replace(kind_inferred=is_inferred), claim.scope))
    return [_vouch(draft) for draft in drafts]


def _judge_removed(memory: Memory, page: str) -> list[Draft]:
    match memory.status:
        case Status.ACTIVE:
            return [_vouch(decide.forget(memory, reason="taken out by hand", evidence=page))]
        case Status.PENDING:
            return [_vouch(decide.dismiss(memory, reason=f"taken out of {page} by hand"))]
    return []


def _written_in(page: str, claim: Claim, verdict: Verdict, *, kind_inferred: bool) -> Draft:
    body = ClaimProposed(claim, verdict, HAND_EDIT, f"written in {page}", kind_inferred=kind_inferred)
    return _vouch(Draft(body, claim.scope))


def _vouch(draft: Draft) -> Draft:
    return draft._replace(attribution=VOUCHED_ATTRIBUTION)


class MemoryOverlay:
    """Memories as they will be once some drafts are recorded, so that the next decision is based on them.

    `fetch` returns a memory as it is; `origin` is that of the events to be recorded.
    """

    def __init__(self, fetch: MemoryLookup, origin: EventOrigin) -> None:
        self._fetch = fetch
        self._origin = origin
        self._changed: dict[ClaimId, Memory] = {}
        self._last_id: EventId | None = None

    def memory(self, claim: ClaimId) -> Memory | None:
        """Return the memory of a claim, None if there is none."""
        return self._changed.get(claim) or self._fetch(claim)

    def apply(self, draft: Draft) -> None:
        """Change the memories that the draft touches."""
        event_id = self._last_id = next_event_id(self._last_id, int(self._origin.at.timestamp() * 1000), bytes(10))
        event = Event(event_id, event_id, self._origin.attributed_to(draft.attribution), draft.scope, draft.body)
        for claim in touched_claims(event):
            self._changed[claim] = evolve(self.memory(claim), event, claim)
