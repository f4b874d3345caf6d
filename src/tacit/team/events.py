"""What the team's server returns: its rows as events, as far as they are believed, and their fold to memories.

Everything on the server was written by others, and its administrator can write anything. A proposal is believed as far
as a fact of a repository is: the sentence has a bounded length, no invisible characters and no secret, and the claim is
made here, of the sentence and the project. A row whose id is not that of its claim is ignored, so that an id always
stands for the words that a curator read.

The fold takes events in the order of the server. It decides nothing that the server has not decided: who may accept is
checked there, by roles of the database. A memory is purged for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from tacit.model.claim import SHARED_KINDS, Claim, Scope, project_scope
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.secrets import secret_kind
from tacit.text.display import PURGED_MARK, clean, clip, visible_line
from tacit.text.words import normalize_text

MAX_TAGS, MAX_TAG_CHARS = 16, 64
MAX_EVIDENCE_CHARS = 2000
MAX_PROJECT_CHARS, MAX_NAME_CHARS = 500, 63
MAX_REASON_CHARS = 500


class TeamVerb(Enum):
    """What an event on the server says."""

    PROPOSED = "proposed"
    WITHDRAWN = "withdrawn"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    RETIRED = "retired"
    PURGED = "purged"


_VERBS = {verb.value: verb for verb in TeamVerb}


class Position(Record):
    """A place in the order of a server's events: the transaction, then the number of the event."""

    xid: int = 0
    seq: int = 0


class EventPlace(Record):
    """An event that was read, and where: a server that was restored does not have it there any more."""

    position: Position
    id: str
    project: str = ""


class ServerRow(Record):
    """A row as the server returned it. Nothing of it has been checked."""

    position: Position
    id: str
    project: str
    author: str
    at: str
    kind: str
    memory: str
    body: object


class Proposal(Record):
    """What somebody proposed: a claim, and the evidence that they chose to share."""

    event: str
    author: str
    at: str
    claim: Claim
    evidence: str = ""


class TeamEvent(Record):
    """A checked event. `proposal` is that of PROPOSED; `target` is the proposal that was ACCEPTED."""

    position: Position
    id: str
    project: str
    author: str
    at: str
    verb: TeamVerb
    memory: ClaimId
    proposal: Proposal | None = None
    target: str = ""
    reason: str = ""


def team_scope(project: str) -> Scope:
    """Return the scope of a project of the team. Its name is that of the origin remote: host and path."""
    return project_scope(project)


def project_problem(project: str) -> str:
    """Return why a name is none of a project that can be shared, "" if it is one.

    A project without a remote is named by its path, which is private and the same on no other machine.
    """
    if not project or len(project) > MAX_PROJECT_CHARS or visible_line(project) != project:
        return "its name is empty, too long or has invisible characters"
    if project.startswith(("/", "~", ".")) or PURGED_MARK in project:
        return "it is named by a path; only a project with a remote named origin can be shared"
    return ""


def member_name(role: str) -> str:
    """Return the name of a role as it is shown. One that is more than a word is quoted: it may read like a remark."""
    name = _plain(role, MAX_NAME_CHARS)
    is_word = bool(name) and all(char.isalnum() or char in "._-@+" for char in name)
    return name if is_word else f"“{name}”"


def read_row(row: ServerRow, limit: int) -> TeamEvent | None:
    """Return the event of a row; None if it is not believed. `limit` is the maximum length of a sentence."""
    if project_problem(row.project) or row.kind not in _VERBS:
        return None
    verb, body = _VERBS[row.kind], row.body if isinstance(row.body, dict) else {}
    event = TeamEvent(row.position, row.id, row.project, member_name(row.author), row.at, verb, ClaimId(row.memory))
    if verb is TeamVerb.PROPOSED and row.body is not None:  # that of a purged one is null, and its tombstone follows
        try:
            claim = proposal_claim(event.project, _text(body, "sentence"), _text(body, "kind"), body.get("tags"), limit)
        except ValueError:
            return None
        evidence = _plain(_text(body, "evidence"), MAX_EVIDENCE_CHARS)
        if claim.id != event.memory or secret_kind(evidence):
            return None
        return event._replace(proposal=Proposal(event.id, event.author, event.at, claim, evidence))
    if verb is TeamVerb.ACCEPTED:
        return event._replace(target=_text(body, "proposal"))
    return event._replace(reason=_plain(_text(body, "reason"), MAX_REASON_CHARS))


def proposal_claim(project: str, sentence: str, kind: str, tags: object, limit: int) -> Claim:
    """Return the claim of a proposal. Raise ValueError if it must not be believed."""
    text = visible_line(clean(sentence[: limit + 1]))
    if not text:
        raise ValueError("it has no sentence")
    if len(sentence) > limit:
        raise ValueError(f"its sentence is longer than {limit:,} characters")
    if kind not in SHARED_KINDS:
        raise ValueError("its kind is unknown, or personal")
    words = [clean(tag) for tag in tags if isinstance(tag, str)][:MAX_TAGS] if isinstance(tags, list) else []
    if secret := next(filter(None, map(secret_kind, (text, *words))), None):
        raise ValueError(f"it holds a secret ({secret})")
    normalized = ("-".join(normalize_text(visible_line(tag)).split())[:MAX_TAG_CHARS] for tag in words)
    kept = tuple(dict.fromkeys(tag for tag in normalized if tag))
    return claim_from(text, team_scope(project), kind=SHARED_KINDS[kind], tags=kept)


def _text(body: Mapping[str, object], name: str) -> str:
    value = body.get(name, "")
    return value if isinstance(value, str) else ""


def _plain(text: str, limit: int) -> str:
    """Return one visible line of at most `limit` characters."""
    return clip(visible_line(clean(text[: 4 * limit])), limit)


# Memories


class TeamStatus(Enum):
    """What the latest event made of a memory of the team."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    RETIRED = "retired"
    PURGED = "purged"


class Acceptance(Record):
    """A curator's acceptance of one proposal."""

    event: str
    by: str
    at: str
    proposal: Proposal


class TeamMemory(Record):
    """A memory of the team in one project.

    `proposals` are those that are neither withdrawn nor decided on, one of each author. `first_event` is the first
    proposal, by which the memory is purged on the server, and `first_author` who made it.
    """

    project: str
    id: ClaimId
    status: TeamStatus
    proposals: tuple[Proposal, ...] = ()
    acceptance: Acceptance | None = None
    decided_by: str = ""
    reason: str = ""
    first_event: str = ""
    first_author: str = ""

    @property
    def shown(self) -> Proposal | None:
        """The proposal whose words are shown: the accepted one, else the first that waits."""
        return self.acceptance.proposal if self.acceptance else next(iter(self.proposals), None)

    def proposal_of(self, author: str) -> Proposal | None:
        return next((proposal for proposal in self.proposals if proposal.author == author), None)

    def was_proposed_by(self, author: str) -> bool:
        accepted = self.acceptance is not None and self.acceptance.proposal.author == author
        return accepted or self.proposal_of(author) is not None


TeamMemories = Mapping[tuple[str, ClaimId], TeamMemory]


def fold_events(
    memories: TeamMemories, events: Iterable[TeamEvent], after: Position
) -> dict[tuple[str, ClaimId], TeamMemory]:
    """Return the memories after more events. Those at or before `after` are known already and are left out."""
    return {**memories, **changed_memories(memories, events, after)}


def changed_memories(
    memories: TeamMemories, events: Iterable[TeamEvent], after: Position
) -> dict[tuple[str, ClaimId], TeamMemory]:
    """Return those of the memories that are others after more events, as `fold_events` makes them."""
    changed: dict[tuple[str, ClaimId], TeamMemory] = {}
    for event in sorted(events, key=lambda event: event.position):
        if event.position > after:
            key = event.project, event.memory
            changed[key] = apply(changed.get(key) or memories.get(key), event)
    return changed


def apply(memory: TeamMemory | None, event: TeamEvent) -> TeamMemory:
    """Return the memory after one event."""
    known = memory or TeamMemory(event.project, event.memory, TeamStatus.WITHDRAWN)
    is_accepted = known.acceptance is not None
    if known.status is TeamStatus.PURGED or event.verb is (TeamVerb.DECLINED if is_accepted else TeamVerb.RETIRED):
        return known
    others = tuple(proposal for proposal in known.proposals if proposal.author != event.author)
    match event.verb:
        case TeamVerb.PROPOSED:
            if event.proposal is not None:
                known = known._replace(proposals=(*others, event.proposal))
                known = known if is_accepted else known._replace(status=TeamStatus.WAITING)
            first, by = known.first_event or event.id, known.first_author or event.author
            return known._replace(first_event=first, first_author=by)
        case TeamVerb.WITHDRAWN:
            # What was accepted belongs to the team: a curator retires it.
            ends = not is_accepted and not others and known.status is TeamStatus.WAITING
            return known._replace(status=TeamStatus.WITHDRAWN if ends else known.status, proposals=others)
        case TeamVerb.ACCEPTED:
            # The proposal that the curator read. One that is not there any more leaves the memory as it is.
            proposal = next((proposal for proposal in known.proposals if proposal.event == event.target), None)
            if proposal is None:
                return known
            known = known._replace(acceptance=Acceptance(event.id, event.author, event.at, proposal))
            return known._replace(status=TeamStatus.ACCEPTED, proposals=(), decided_by=event.author, reason="")
    # What waits is declined, what was accepted is retired, and either is purged. No text is kept.
    ended = known._replace(status=TeamStatus(event.verb.value), proposals=(), acceptance=None)
    return ended._replace(decided_by=event.author, reason=event.reason)
