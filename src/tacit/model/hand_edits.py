"""What a changed page means as judgements, and memories as they will be once drafts are recorded."""

from __future__ import annotations

from collections.abc import Callable

from tacit.errors import Refused
from tacit.model import decide
from tacit.model.claim import Claim, Kind, Provenance, Scope, Status
from tacit.model.event import HAND_EDIT, USER, Decided, Draft, Event, Origin, Proposed, Verdict, Voice
from tacit.model.ids import ClaimId, EventId, following
from tacit.model.memory import Memory, evolve, touched
from tacit.model.statement import claim_from
from tacit.record import Record

# What a person changed in a page by hand, and which judgements that is.

# The person vouches for what the page says; without their yes nobody knows who typed it.
VOUCHED = Voice(USER, Provenance.USER_FILE)
UNKNOWN_HAND = Voice(HAND_EDIT, Provenance.TOOL_LOCAL)


class Added(Record):
    """A statement that Tacit did not write, where it stands: as something that holds, or as a candidate."""

    line: str
    text: str
    kind: Kind | None
    holds: bool
    tags: tuple[str, ...] = ()
    project: str = ""


class Changed(Record):
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
    was: str = ""
    holds: bool = False


class Removed(Record):
    """A known entry that is no longer there."""

    line: str
    claim: ClaimId


class Left(Record):
    """What was changed and means nothing to Tacit: it stays as it is."""

    line: str
    why: str


class Leftover(Record):
    """What says nothing: a conflict marker, a line that is there twice, a part that Tacit draws. It is drawn again."""

    line: str
    why: str
    was: str = ""


Edit = Added | Changed | Removed | Left | Leftover
# A memory by its claim: the one of that claim itself, or the latest, which took its place if another did.
Known = Callable[[ClaimId], Memory | None]


def meant(edit: Changed | Removed, itself: Known, latest: Known) -> Memory | None:
    """The memory that an edit is about: what it is known as now, but where its line was moved, the line's own."""
    return itself(edit.claim) if isinstance(edit, Changed) and edit.status is not None else latest(edit.claim)


def judged(edit: Edit, itself: Known, latest: Known, scope: Scope, page: str) -> list[Draft]:
    """The judgements of a person who vouches for an edit; none where it is so already."""
    match edit:
        case Added():
            return _added(edit, itself, scope, page)
        case Changed():
            memory = meant(edit, itself, latest)
            return _changed(edit, memory, page) if memory else _anew(edit, itself, scope, page)
        case Removed():
            memory = latest(edit.claim)
            return _gone(memory, page) if memory and memory.id == edit.claim else []
    return []


def proposed(edit: Edit, known: Known, scope: Scope, page: str) -> list[Draft]:
    """What an edit that nobody vouches for is worth: a candidate with its new words, and nothing else."""
    claim = new_claim(edit, known, scope)
    return _candidate(claim, known(claim.id), page) if claim else []


def new_claim(edit: Edit, known: Known, scope: Scope) -> Claim | None:
    """What an edit says that was not said before; nothing where it has no words of its own."""
    match edit:
        case Added():
            return claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
        case Changed(text=str() as text):
            memory = known(edit.claim)
            return memory and claim_from(text, memory.claim.scope, kind=memory.kind, tags=memory.claim.tags)
    return None


def upheld(claim: Claim, status: Status, now: Memory | None, page: str) -> list[Draft]:
    """What a page says at the end is so, whatever became of the same words in another of its lines."""
    if now is None or now.is_live:
        return []
    if status is Status.ACTIVE:
        return [_vouched(decide.restore(now, reason=f"edited in {page}"))]
    return [_vouched(Draft(Proposed(claim, Verdict.PROPOSED, HAND_EDIT, f"written in {page}"), claim.scope))]


def _candidate(claim: Claim, memory: Memory | None, page: str) -> list[Draft]:
    if memory:  # said, decided or waiting already
        return []
    return decide.propose(None, claim, source=HAND_EDIT, evidence=f"found in {page}", voice=UNKNOWN_HAND)


def _added(edit: Added, itself: Known, scope: Scope, page: str) -> list[Draft]:
    claim = claim_from(edit.text, scope, kind=edit.kind, tags=edit.tags)
    memory = itself(claim.id)
    if memory and memory.is_live and (memory.status is Status.ACTIVE or not edit.holds):
        return _in_these_words(memory, claim, page)
    verdict = Verdict.ADDED if edit.holds else Verdict.PROPOSED
    return [_vouched(Draft(Proposed(claim, verdict, HAND_EDIT, f"written in {page}"), claim.scope))]


def _anew(edit: Changed, itself: Known, scope: Scope, page: str) -> list[Draft]:
    """What it was counts as not said any more; its new words were never said."""
    if edit.text is None:
        return []
    return _added(Added(edit.line, edit.text, edit.kind, edit.holds, edit.tags or ()), itself, scope, page)


def _in_these_words(memory: Memory, claim: Claim, page: str) -> list[Draft]:
    """What is known already, perhaps in other words."""
    if claim.sentence == memory.claim.sentence:
        return []
    return [_vouched(decide.revise(memory, memory.claim._replace(sentence=claim.sentence), reason=f"edited in {page}"))]


def _changed(edit: Changed, memory: Memory, page: str) -> list[Draft]:
    reason = f"edited in {page}"
    if edit.status in (Status.RETIRED, Status.DISMISSED):
        return _gone(memory, page)
    claim = _reworded(edit, memory)
    if edit.status is Status.PENDING and memory.status is not Status.PENDING:
        return _waiting_again(claim, memory, page)
    activates = edit.status is Status.ACTIVE and memory.status is not Status.ACTIVE
    if not memory.is_live and not activates:
        if claim == memory.claim:
            return []
        raise Refused("what was pruned is only history")
    drafts: list[Draft] = []
    if claim.id != memory.id:
        drafts.append(decide.revise(memory, claim, activate=activates, reason=reason))
    elif activates:
        back = decide.accept if memory.status is Status.PENDING else decide.restore
        drafts.append(back(memory, reason=reason))
    if claim.id == memory.id and claim != memory.claim:
        drafts.append(decide.revise(memory, claim, activate=activates, reason=reason))
    if edit.evidence and edit.evidence not in {given.text for given in memory.evidence}:
        body = Decided(claim, Verdict.REVISED, reason, instead=claim, carried_evidence=(edit.evidence,))
        drafts.append(Draft(body, claim.scope))
    return [_vouched(draft) for draft in drafts]


def _waiting_again(claim: Claim, memory: Memory, page: str) -> list[Draft]:
    """What was pruned may wait once more; what holds is either forgotten or not."""
    if memory.status is Status.ACTIVE:
        raise Refused("what holds cannot wait again; take the line out to forget it")
    return [_vouched(Draft(Proposed(claim, Verdict.PROPOSED, HAND_EDIT, f"written in {page}"), claim.scope))]


def _reworded(edit: Changed, memory: Memory) -> Claim:
    old = memory.claim
    claim = old
    if edit.text is not None and edit.text != old.sentence:
        claim = claim_from(edit.text, old.scope, kind=edit.kind or old.kind, tags=old.tags)
    tags = claim.tags if edit.tags is None else edit.tags
    return claim._replace(kind=edit.kind or claim.kind, tags=tags)


def _gone(memory: Memory, page: str) -> list[Draft]:
    match memory.status:
        case Status.ACTIVE:
            return [_vouched(decide.forget(memory, reason="taken out by hand", evidence=page))]
        case Status.PENDING:
            return [_vouched(decide.dismiss(memory, reason=f"taken out of {page} by hand"))]
    return []


def _vouched(draft: Draft) -> Draft:
    return draft._replace(voice=VOUCHED)


# What memories will be once some drafts are recorded: so that the next decision does not rest on what was before.

_HOPS = 32  # a memory that was reworded more often than this between two readings
Fetch = Callable[[ClaimId], Memory | None]


class Foresight:
    """Memories as they are, and as they will be."""

    def __init__(self, fetch: Fetch, origin: Origin) -> None:
        self._fetch = fetch
        self._origin = origin
        self._will_be: dict[ClaimId, Memory] = {}
        self._last: EventId | None = None

    def memory(self, claim: ClaimId) -> Memory | None:
        return self._will_be.get(claim) or self._fetch(claim)

    def known(self, claim: ClaimId) -> Memory | None:
        return latest(self.memory)(claim)

    def hear(self, draft: Draft) -> None:
        name = self._last = following(self._last, int(self._origin.at.timestamp() * 1000), bytes(10))
        event = Event(name, name, self._origin.heard_from(draft.voice), draft.scope, draft.body)
        for claim in touched(event):
            self._will_be[claim] = evolve(self.memory(claim), event, claim)


def latest(fetch: Fetch) -> Known:
    """The memory that a claim is known as now: the one that took its place, if another did."""

    def known(claim: ClaimId) -> Memory | None:
        memory = fetch(claim)
        for _ in range(_HOPS):
            if memory is None or memory.is_live or memory.replaced_by in (None, memory.id):
                break
            memory = (memory.replaced_by and fetch(memory.replaced_by)) or memory
        return memory

    return known
