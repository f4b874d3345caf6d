"""What a changed page means as judgements, and memories as they will be once drafts are recorded."""

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

# What a person changed in a page by hand, and which judgements that is.

# The person vouches for what the page says; without their yes nobody knows who typed it.
VOUCHED_ATTRIBUTION = Attribution(USER, Provenance.USER_FILE)
UNVOUCHED_ATTRIBUTION = Attribution(HAND_EDIT, Provenance.TOOL_LOCAL)


class AddedLine(Record):
    """A statement that Tacit did not write, where it stands: as something that holds, or as a candidate."""

    line: str
    text: str
    kind: Kind | None
    is_active: bool
    tags: tuple[str, ...] = ()
    project: str = ""


class ChangedLine(Record):
    """A known entry with other words, in another section, or with other evidence; what is None is as before.

    `was` is the line as Tacit wrote it; `holds` says whether it stands where things hold.
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
    """A known entry that is no longer there."""

    line: str
    claim: ClaimId


class IgnoredLine(Record):
    """What was changed and means nothing to Tacit: it stays as it is."""

    line: str
    reason: str


class RedrawnLine(Record):
    """What says nothing: a conflict marker, a line that is there twice, a part that Tacit draws. It is drawn again."""

    line: str
    reason: str
    old_line: str = ""


PageEdit = AddedLine | ChangedLine | RemovedLine | IgnoredLine | RedrawnLine
# A memory by its claim: the one of that claim itself, or the latest, which took its place if another did.
MemoryLookup = Callable[[ClaimId], Memory | None]


def edited_memory(edit: ChangedLine | RemovedLine, itself: MemoryLookup, latest: MemoryLookup) -> Memory | None:
    """The memory that an edit is about: what it is known as now, but where its line was moved, the line's own."""
    return itself(edit.claim) if isinstance(edit, ChangedLine) and edit.status is not None else latest(edit.claim)


def judge_edit(edit: PageEdit, itself: MemoryLookup, latest: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    """The judgements of a person who vouches for an edit; none where it is so already."""
    match edit:
        case AddedLine():
            return _judge_added(edit, itself, scope, page)
        case ChangedLine():
            memory = edited_memory(edit, itself, latest)
            return _judge_changed(edit, memory, page) if memory else _judge_as_added(edit, itself, scope, page)
        case RemovedLine():
            memory = latest(edit.claim)
            return _judge_removed(memory, page) if memory and memory.id == edit.claim else []
    return []


def propose_edit(edit: PageEdit, known: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    """What an edit that nobody vouches for is worth: a candidate with its new words, and nothing else."""
    claim = new_claim(edit, known, scope)
    return _propose_candidate(claim, known(claim.id), page) if claim else []


def new_claim(edit: PageEdit, known: MemoryLookup, scope: Scope) -> Claim | None:
    """What an edit says that was not said before; nothing where it has no words of its own."""
    match edit:
        case AddedLine():
            return claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
        case ChangedLine(text=str() as text):
            memory = known(edit.claim)
            return memory and claim_from(text, memory.claim.scope, kind=memory.kind, tags=memory.claim.tags)
    return None


def ensure_live(claim: Claim, status: Status, now: Memory | None, page: str) -> list[Draft]:
    """What a page says at the end is so, whatever became of the same words in another of its lines."""
    if now is None or now.is_live:
        return []
    if status is Status.ACTIVE:
        return [_vouch(decide.restore(now, reason=f"edited in {page}"))]
    return [_vouch(Draft(ClaimProposed(claim, Verdict.PROPOSED, HAND_EDIT, f"written in {page}"), claim.scope))]


def _propose_candidate(claim: Claim, memory: Memory | None, page: str) -> list[Draft]:
    if memory:  # said, decided or waiting already
        return []
    return decide.propose(None, claim, source=HAND_EDIT, evidence=f"found in {page}", voice=UNVOUCHED_ATTRIBUTION)


def _judge_added(edit: AddedLine, itself: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    claim = claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
    memory = itself(claim.id)
    if memory and memory.is_live and (memory.status is Status.ACTIVE or not edit.is_active):
        return _revise_wording(memory, claim, page)
    verdict = Verdict.ADDED if edit.is_active else Verdict.PROPOSED
    return [_vouch(Draft(ClaimProposed(claim, verdict, HAND_EDIT, f"written in {page}"), claim.scope))]


def _judge_as_added(edit: ChangedLine, itself: MemoryLookup, scope: Scope, page: str) -> list[Draft]:
    """What it was counts as not said any more; its new words were never said."""
    if edit.text is None:
        return []
    return _judge_added(
        AddedLine(edit.line, edit.text, edit.kind, edit.is_active, edit.tags or ()), itself, scope, page
    )


def _revise_wording(memory: Memory, claim: Claim, page: str) -> list[Draft]:
    """What is known already, perhaps in other words."""
    if claim.sentence == memory.claim.sentence:
        return []
    return [_vouch(decide.revise(memory, memory.claim._replace(sentence=claim.sentence), reason=f"edited in {page}"))]


def _judge_changed(edit: ChangedLine, memory: Memory, page: str) -> list[Draft]:
    reason = f"edited in {page}"
    if edit.status in (Status.RETIRED, Status.DISMISSED):
        return _judge_removed(memory, page)
    claim = _changed_claim(edit, memory)
    if edit.status is Status.PENDING and memory.status is not Status.PENDING:
        return _propose_again(claim, memory, page)
    activates = edit.status is Status.ACTIVE and memory.status is not Status.ACTIVE
    if not memory.is_live and not activates:
        if claim == memory.claim:
            return []
        raise RefusedError("what was pruned is only history")
    drafts: list[Draft] = []
    if claim.id != memory.id:
        drafts.append(decide.revise(memory, claim, activate=activates, reason=reason))
    elif activates:
        back = decide.accept if memory.status is Status.PENDING else decide.restore
        drafts.append(back(memory, reason=reason))
    if claim.id == memory.id and claim != memory.claim:
        drafts.append(decide.revise(memory, claim, activate=activates, reason=reason))
    if edit.evidence and edit.evidence not in {given.text for given in memory.evidence}:
        body = ClaimDecided(claim, Verdict.REVISED, reason, instead=claim, carried_evidence=(edit.evidence,))
        drafts.append(Draft(body, claim.scope))
    return [_vouch(draft) for draft in drafts]


def _propose_again(claim: Claim, memory: Memory, page: str) -> list[Draft]:
    """What was pruned may wait once more; what holds is either forgotten or not."""
    if memory.status is Status.ACTIVE:
        raise RefusedError("what holds cannot wait again; take the line out to forget it")
    return [_vouch(Draft(ClaimProposed(claim, Verdict.PROPOSED, HAND_EDIT, f"written in {page}"), claim.scope))]


def _changed_claim(edit: ChangedLine, memory: Memory) -> Claim:
    old = memory.claim
    claim = old
    if edit.text is not None and edit.text != old.sentence:
        claim = claim_from(edit.text, old.scope, kind=edit.kind or old.kind, tags=old.tags)
    tags = claim.tags if edit.tags is None else edit.tags
    return claim._replace(kind=edit.kind or claim.kind, tags=tags)


def _judge_removed(memory: Memory, page: str) -> list[Draft]:
    match memory.status:
        case Status.ACTIVE:
            return [_vouch(decide.forget(memory, reason="taken out by hand", evidence=page))]
        case Status.PENDING:
            return [_vouch(decide.dismiss(memory, reason=f"taken out of {page} by hand"))]
    return []


def _vouch(draft: Draft) -> Draft:
    return draft._replace(attribution=VOUCHED_ATTRIBUTION)


# What memories will be once some drafts are recorded: so that the next decision does not rest on what was before.

_MAX_REPLACEMENTS = 32  # a memory that was reworded more often than this between two readings
FetchMemory = Callable[[ClaimId], Memory | None]


class MemoryOverlay:
    """Memories as they are, and as they will be."""

    def __init__(self, fetch: FetchMemory, origin: EventOrigin) -> None:
        self._fetch = fetch
        self._origin = origin
        self._changed: dict[ClaimId, Memory] = {}
        self._last_id: EventId | None = None

    def memory(self, claim: ClaimId) -> Memory | None:
        return self._changed.get(claim) or self._fetch(claim)

    def latest(self, claim: ClaimId) -> Memory | None:
        return latest_lookup(self.memory)(claim)

    def apply(self, draft: Draft) -> None:
        name = self._last_id = next_event_id(self._last_id, int(self._origin.at.timestamp() * 1000), bytes(10))
        event = Event(name, name, self._origin.attributed_to(draft.attribution), draft.scope, draft.body)
        for claim in touched_claims(event):
            self._changed[claim] = evolve(self.memory(claim), event, claim)


def latest_lookup(fetch: FetchMemory) -> MemoryLookup:
    """The memory that a claim is known as now: the one that took its place, if another did."""

    def known(claim: ClaimId) -> Memory | None:
        memory = fetch(claim)
        for _ in range(_MAX_REPLACEMENTS):
            if memory is None or memory.is_live or memory.replaced_by in (None, memory.id):
                break
            memory = (memory.replaced_by and fetch(memory.replaced_by)) or memory
        return memory

    return known
