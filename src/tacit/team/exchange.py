"""Talking to the team's server: send what waits, read what is new, and bring the log in line with it.

Lines of the log come first, then the position up to which the server was read. Whoever is killed in between reads the
same events again. The team's memories are compared with what the log has, not with what was read last, so it does not
matter how often or after which interruption this is done. A person's own judgement is never touched: what they took
back by `tacit undo` is not added again, and on what they spoke of the fold lets nobody else decide.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial

from tacit.errors import NotAdmittedError, RefusedError, ServerError
from tacit.home.home import Home, HomePart
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.claim import Provenance, Scope
from tacit.model.event import (
    TEAM,
    Attribution,
    ClaimDecided,
    ClaimProposed,
    Draft,
    Event,
    EventsUndone,
    Verdict,
    is_of_team,
    timestamp,
)
from tacit.model.ids import ClaimId, EventId, next_event_id
from tacit.model.memory import undone_ids
from tacit.postgres import proves_itself
from tacit.purge.tombstones import load_tombstones
from tacit.record import Record
from tacit.team.client import HeldBack, RefusedEntry, Standing, TeamServer, open_server
from tacit.team.events import (
    Acceptance,
    EventPlace,
    Position,
    Proposal,
    ServerRow,
    TeamEvent,
    TeamMemory,
    TeamStatus,
    changed_memories,
    read_row,
)
from tacit.team.store import Outgoing, OutgoingVerb, TeamHome, TeamStore
from tacit.text.display import PURGED_MARK

_LATEST = 20  # events by which a restored server is noticed: not one, since transactions may end in another order
_HELD_SECONDS = 5
# A server that has not let a person in for so many days, on so many of them, and has proved who it is, means it.
_SHUT_OUT_DAYS, _SHUT_OUT_TIMES = 14, 3
_NO_MEMBER = "you are no member of its project any more; it waits here, and is sent if you are added again"
# What a restored server says of a memory whose decision it has forgotten
_UNDECIDED = {TeamStatus.DECLINED: TeamStatus.WAITING, TeamStatus.RETIRED: TeamStatus.ACCEPTED}
# Erases claims from the log. The part that purges gives it, because features do not import each other.
Erase = Callable[[Sequence[ClaimId], str], None]


class TakenBack(Record):
    """A memory that the team does not hold any more: who decided that and why, where the server says so."""

    id: ClaimId
    by: str = ""
    reason: str = ""
    sentence: str = ""


class TeamSyncResult(Record):
    """What a sync did.

    Attributes:
        added: memories that the team accepted and this home did not have.
        removed: memories that were taken back.
        declined: proposals of the person that a curator turned down, with what they said.
        sent: what came back from the server of what waited.
        refused: what the server did not take.
        ended: projects that one is no longer a member of.
        is_member: whether one is a member of any of the projects that one joined.
        restored: what the server had forgotten and is sent again, None if it was not restored from a backup.
        held: what the server does not return yet, because somebody's transaction is open for long.
        offered: projects that one was added to and has not joined.
        unfit: rows that were not believed.
        purged: memories whose text was erased here, because somebody purged them.
        kept: memories that were purged on the server and are the person's own here as well.
        read_only: the server takes nothing, so what waits was not tried.
        problem: why the server could not be asked, "" if it could.
    """

    added: tuple[ClaimId, ...] = ()
    removed: tuple[TakenBack, ...] = ()
    declined: tuple[TakenBack, ...] = ()
    sent: int = 0
    waiting: int = 0
    refused: tuple[RefusedEntry, ...] = ()
    ended: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    unfit: int = 0
    purged: tuple[ClaimId, ...] = ()
    kept: tuple[ClaimId, ...] = ()
    read_only: bool = False
    is_member: bool = True
    restored: int | None = None
    held: HeldBack | None = None
    problem: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the server was asked and took all that waited."""
        return not (self.problem or self.refused or (self.read_only and self.waiting))


class TeamExchange(HomePart):
    """The exchange of one home with its team's server. The caller has checked that a person asks."""

    def __init__(self, home: Home, files: TeamStore) -> None:
        super().__init__(home)
        self._files = files

    def sync(self, home: TeamHome, erase: Erase) -> TeamSyncResult:
        """Send what waits, and read what is new. A server that cannot be asked is a result, not an error."""
        self.queue_purges(home)
        try:
            with open_server(home.url) as server:
                return self._exchange(server, home, erase)
        except NotAdmittedError as error:
            return self._shut_out(home, error, erase)
        except (ServerError, RefusedError) as error:
            problem = f"{error.message} ({error.hint})" if error.hint else error.message
            self._files.save(home._replace(problem=problem))
            return TeamSyncResult(waiting=len(self._files.waiting()), problem=problem)

    def _shut_out(self, home: TeamHome, error: NotAdmittedError, erase: Erase) -> TeamSyncResult:
        """Note that the server does not let the person in. After a long time that is an answer as well."""
        now = self._store.actor.clock()
        days = tuple(dict.fromkeys((*home.shut_out[:1], *home.shut_out[-_SHUT_OUT_TIMES:], now.date().isoformat())))
        ends = date.fromisoformat(days[0]) + timedelta(days=_SHUT_OUT_DAYS)
        waiting, names = len(self._files.waiting()), tuple(project.name for project in home.projects)
        is_certain = bool(names) and proves_itself(home.url)
        if is_certain and now.date() >= ends and len(days) >= _SHUT_OUT_TIMES:
            home_after = home._replace(projects=(), memories={}, offered=())
            result = TeamSyncResult(waiting=waiting, ended=names, is_member=False)
            return self.apply(home, home_after, result, erase, problem=error.message)
        until = f"until {ends.isoformat()}" if is_certain else "until you say so"
        stays = f"; what the team accepted stays here {until}; if you left it: tacit team leave" if names else ""
        problem = f"{error.message}, since {days[0]}{stays} ({error.hint})"
        self._files.save(home._replace(problem=problem, shut_out=days))
        return TeamSyncResult(waiting=waiting, problem=problem)

    def _exchange(self, server: TeamServer, home: TeamHome, erase: Erase) -> TeamSyncResult:
        standing = server.standing
        _check_same(home, standing)
        usable = {project.name: project for project in standing.projects}
        joined = tuple(usable[project.name] for project in home.projects if project.name in usable)
        ended = tuple(project.name for project in home.projects if project.name not in usable)
        offered = tuple(sorted(set(usable) - home.names))
        now = home._replace(user=standing.user, team=standing.team, projects=joined, offered=offered, shut_out=())
        restored = None
        readable = {*usable, *standing.unusable}  # events of other projects are not shown to one any more
        latest = [place for place in home.latest if place.project in readable]
        is_lost = server.has_lost(latest)
        # None is left, or older versions kept none: a later restore could not be noticed.
        if is_lost or (standing.team and not latest and home.position != Position()):
            now, again = self._read_again(server, now)
            restored = again if again or is_lost else None
        waiting = self._files.waiting()
        entries = [entry for entry in waiting if entry.project in usable]
        tried_at = timestamp(self._store.actor.clock())
        tried = () if standing.read_only else entries
        for entry in tried:
            if not entry.tried_at:  # the server may have it from now on
                self._files.queue(entry._replace(tried_at=tried_at))
        purged, refused = server.send(tried)
        # What the server does not let one withdraw never reached it.
        withdrawals = (one for one in refused if one.entry.verb is OutgoingVerb.WITHDRAWN)
        refused_ids = {withdrawal.entry.id for withdrawal in withdrawals if withdrawal.forbidden}
        after, seen, unfit = self.pull(server, now)
        # The server takes nothing more about a memory that was purged.
        purged_keys = {key for key, memory in after.memories.items() if memory.status is TeamStatus.PURGED}
        settled = {entry.id for entry in entries if entry.id in seen or (entry.project, entry.memory) in purged_keys}
        done = settled | purged | refused_ids
        for entry_id in done:
            self._files.unqueue(entry_id)
        stranded = [RefusedEntry(entry, _NO_MEMBER) for entry in waiting if entry.project not in usable]
        held = server.held_back()
        result = TeamSyncResult(
            sent=len(done),
            waiting=len(waiting) - len(done),
            refused=tuple(problem for problem in (*refused, *stranded) if problem.entry.id not in done),
            ended=ended,
            offered=offered,
            unfit=unfit,
            read_only=standing.read_only,
            is_member=bool(joined),
            restored=restored,
            held=held if held and held.seconds >= _HELD_SECONDS else None,
        )
        return self.apply(home, after, result, erase)

    def _read_again(self, server: TeamServer, home: TeamHome) -> tuple[TeamHome, int]:
        """Read a server that was restored from its beginning, and queue what this person said that it has forgotten.

        Return the team as the server has it, and how much was queued.
        """
        after, seen, _ = self.pull(server, home._replace(position=Position(), latest=(), memories={}, unfit=0))
        waiting, purged = {entry.id for entry in self._files.waiting()}, self.purged_claims()
        forgotten = [entry for entry in said_again(home, after, seen) if entry.memory not in purged]
        for entry in forgotten:
            if not entry.id:
                self.queue(entry)
            elif entry.id not in waiting:
                self._files.queue(entry._replace(at=timestamp(self._store.actor.clock())))
        return after, len(forgotten)

    def pull(self, server: TeamServer, home: TeamHome) -> tuple[TeamHome, set[str], int]:
        """Return the team as the server has it now, the ids of the events that were read, and the number of unfit."""
        memories, position, latest, unfit = dict(home.memories), home.position, home.latest, 0
        seen: set[str] = set()
        for page in server.events_after(home.position):
            events, problems = self._read(page, home.names)
            memories.update(changed_memories(memories, events, position))  # a copy a page would be quadratic
            seen.update(row.id for row in page)
            position, unfit = page[-1].position, unfit + problems
            latest = (*latest, *(EventPlace(row.position, row.id, row.project) for row in page))[-_LATEST:]
        known = {key: memory for key, memory in memories.items() if memory.project in home.names}
        known_home = home._replace(memories=known, position=position, latest=latest, unfit=home.unfit + unfit)
        return known_home, seen, unfit

    def _read(self, page: Iterable[ServerRow], projects: frozenset[str]) -> tuple[list[TeamEvent], int]:
        """Return the events of a page that are believed, and how many rows are not."""
        limit = self._home.settings.limits_text
        read = [read_row(row, limit) for row in page if row.project in projects]
        events = [event for event in read if event is not None]
        tombstones = load_tombstones(self._store.log)
        for at, event in enumerate(events):
            if tombstones and (proposal := event.proposal):  # what was purged in this home does not come back
                left = tombstones.filter_import(self._draft_event(addition(proposal)))
                body = left.body if left and isinstance(left.body, ClaimProposed) else None
                kept = proposal._replace(claim=body.claim, evidence=body.evidence) if body else None
                events[at] = event._replace(proposal=kept)
        return events, len(read) - len(events)

    def apply(
        self, before: TeamHome | None, after: TeamHome, result: TeamSyncResult, erase: Erase, *, problem: str = ""
    ) -> TeamSyncResult:
        """Write what is new to the log, erase what was purged, and only then store how far the server was read."""
        accepted = accepted_by_claim(after.memories.values(), after.names)
        claims = self.team_claims(before) | set(accepted)
        added, removed = self.record(accepted, claims)
        purged, kept = self._erase_purged(before, after, erase)
        self._files.save(after._replace(synced_at=timestamp(self._store.actor.clock()), problem=problem))
        memories = after.memories.values()
        decided = {memory.id: TakenBack(memory.id, memory.decided_by, memory.reason) for memory in memories}
        taken_back = tuple(decided.get(claim, TakenBack(claim)) for claim in removed if claim not in purged)
        declined: list[TakenBack] = []  # own proposals, since the last sync
        for key, known in before.memories.items() if before else ():
            memory, proposal = after.memories.get(key), known.proposal_of(after.user)
            if memory and proposal and memory.status is TeamStatus.DECLINED:
                declined.append(TakenBack(memory.id, memory.decided_by, memory.reason, proposal.claim.sentence))
        return result._replace(
            added=tuple(added), removed=taken_back, declined=tuple(declined), purged=tuple(purged), kept=tuple(kept)
        )

    def team_claims(self, home: TeamHome | None) -> set[ClaimId]:
        """Return the claims that the team may have spoken of in this home."""
        known = {memory.id for memory in home.memories.values()} if home else set()
        return known | set(self._store.read(reader.team_claims))

    def record(
        self, accepted: Mapping[ClaimId, Acceptance], claims: set[ClaimId]
    ) -> tuple[list[ClaimId], list[ClaimId]]:
        """Bring the log in line with what the team accepted. Return the claims that were added and taken back."""
        tombstones = load_tombstones(self._store.log)
        with self._store.change() as change:
            drafts = [
                draft
                for draft in reconcile(accepted, _read_histories(change.connection, sorted(claims)))
                if tombstones is None or not tombstones.rejects(self._draft_event(draft))
            ]
            change.record(drafts)
        added: list[ClaimId] = []
        removed: list[ClaimId] = []
        for draft in drafts:
            if isinstance(draft.body, ClaimProposed):
                added.append(draft.body.claim.id)
            elif isinstance(draft.body, EventsUndone):
                removed.extend(ClaimId(claim) for claim in draft.body.claims if claim not in accepted)
        return added, removed

    # Purging

    def queue_purges(self, home: TeamHome) -> None:
        """Queue the purge on the server of what was purged here, and drop it from what waits to be sent.

        It is found by the mark that a purge leaves in the files of the team and by the tombstones of the log, so that
        a purge that was interrupted is completed as well.
        """
        purged_claims, waiting = self.purged_claims(), self._files.waiting()
        purge = partial(Outgoing, OutgoingVerb.PURGE, reason="purged by a member")
        for entry in waiting:
            is_purged = entry.memory in purged_claims or PURGED_MARK in entry.sentence + entry.evidence
            if entry.verb is OutgoingVerb.PROPOSED and is_purged:
                self._files.unqueue(entry.id)
                if entry.tried_at:
                    self.queue(purge(entry.project, entry.memory, target=entry.id))
        queued = {entry.target for entry in waiting if entry.verb is OutgoingVerb.PURGE}
        for memory in home.memories.values():
            if _is_purged_here(memory, purged_claims) and memory.first_event not in queued and _may_purge(home, memory):
                self.queue(purge(memory.project, memory.id, target=memory.first_event))

    def unpurged(self, home: TeamHome) -> list[TeamMemory]:
        """Return what was purged here and is still on the server, because only others can purge it there."""
        claims, memories = self.purged_claims(), home.memories.values()
        return [memory for memory in memories if _is_purged_here(memory, claims) and not _may_purge(home, memory)]

    def purged_claims(self) -> frozenset[str]:
        """Return the claims that were purged in this home."""
        tombstones = load_tombstones(self._store.log)
        return frozenset(claim for stone in (tombstones.all if tombstones else ()) for claim in stone.body.claims)

    def _erase_purged(
        self, before: TeamHome | None, after: TeamHome, erase: Erase
    ) -> tuple[list[ClaimId], list[ClaimId]]:
        """Erase what was purged on the server since. What the person or an agent of theirs said as well stays."""
        known = before.memories if before else {}
        newly = [
            memory.id
            for key, memory in after.memories.items()
            if memory.status is TeamStatus.PURGED and (key not in known or known[key].status is not TeamStatus.PURGED)
        ]
        histories = self._store.read(partial(_read_histories, claims=newly)) if newly else []
        kept = [history.claim for history in histories if history.is_own]
        purged = [history.claim for history in histories if history.of_team and not history.is_own]
        if purged:
            erase(purged, "purged by the team")
        return purged, kept

    # Sending

    def queue(self, entry: Outgoing) -> None:
        """Queue something to send. Ids are in the order in which they are made, whatever the clock says."""
        now = self._store.actor.clock()
        last = max((waiting.id for waiting in self._files.waiting()), default="")
        made = next_event_id(EventId(last) if last else None, int(now.timestamp() * 1000), self._store.entropy())
        self._files.queue(entry._replace(id=made, at=timestamp(now)))


def _check_same(home: TeamHome, standing: Standing) -> None:
    """Check that this is the team that was joined, and the same person: only then its answer ends what holds here."""
    if home.team and standing.team and standing.team != home.team:
        raise RefusedError(
            "another team answers at this address than the one that you joined; nothing was changed here",
            "ask its administrator; to change over: tacit team leave, then join",
        )
    if not standing.projects and standing.user != home.user:
        raise RefusedError(
            f"the server takes you for {standing.user}, and you joined as {home.user}; nothing was changed here",
            "connect as who you joined as: tacit team join URL",
        )


def said_again(before: TeamHome, after: TeamHome, seen: Collection[str]) -> list[Outgoing]:
    """Return what this person said of the team's memories and a restored server has forgotten.

    What it forgot of others comes from their homes. A decision on a proposal that is not there is left out: its author
    sends it again, and it waits for a curator again.
    """
    again: list[Outgoing] = []
    for key, memory in before.memories.items():
        if memory.project not in after.names or memory.status is TeamStatus.PURGED:
            continue
        accepted = memory.acceptance
        for proposal in (*memory.proposals, *([accepted.proposal] if accepted else ())):
            claim = proposal.claim
            if proposal.author == before.user and proposal.event not in seen:
                entry = Outgoing(OutgoingVerb.PROPOSED, memory.project, memory.id, proposal.event, tried_at=proposal.at)
                entry = entry._replace(sentence=claim.sentence, kind=claim.kind.label, tags=claim.tags)
                again.append(entry._replace(evidence=proposal.evidence))
        there = {*seen, *(entry.id for entry in again)}
        status = after.memories[key].status if key in after.memories else None
        if accepted and accepted.by == before.user and accepted.event not in seen and accepted.proposal.event in there:
            entry = Outgoing(OutgoingVerb.ACCEPTED, memory.project, memory.id, accepted.event, tried_at=accepted.at)
            again.append(entry._replace(target=accepted.proposal.event))
        elif memory.decided_by == before.user and _UNDECIDED.get(memory.status) is status is not None:
            verb = OutgoingVerb(memory.status.value)
            again.append(Outgoing(verb, memory.project, memory.id, reason=memory.reason))
    return again


def _is_purged_here(memory: TeamMemory, purged_claims: frozenset[str]) -> bool:
    """Return whether this home purged something of a memory that the server still has."""
    if memory.status is TeamStatus.PURGED or not memory.first_event:
        return False
    proposals = [*memory.proposals, *([memory.acceptance.proposal] if memory.acceptance else [])]
    texts = [text for proposal in proposals for text in (proposal.claim.sentence, proposal.evidence)]
    return memory.id in purged_claims or any(PURGED_MARK in text for text in texts)


def _may_purge(home: TeamHome, memory: TeamMemory) -> bool:
    """Return whether the server lets the person purge a memory: a curator, or who proposed it first."""
    return memory.first_author == home.user or home.is_curator(memory.project)


# What the team accepted, and what the log says of it


class ClaimHistory(Record):
    """The events of the log that touch one claim, in order, with those that undo them."""

    claim: ClaimId
    events: tuple[Event, ...]

    @property
    def of_team(self) -> list[Event]:
        """The additions of the team, whether they count or not."""
        return [
            event for event in self.events if isinstance(event.body, ClaimProposed) and is_of_team(event.origin.actor)
        ]

    @property
    def is_own(self) -> bool:
        """Whether anybody but the team has said something about the claim that counts."""
        undone = undone_ids(self.events)
        return any(
            not is_of_team(event.origin.actor)
            and isinstance(event.body, ClaimProposed | ClaimDecided)
            and event.id not in undone
            for event in self.events
        )

    def undone_by_user(self) -> set[EventId]:
        undos = [undo.body for undo in self.events if isinstance(undo.body, EventsUndone) and undo.is_by_user]
        return {target for body in undos for target in body.targets}


def _read_histories(connection: sqlite3.Connection, claims: Iterable[ClaimId]) -> list[ClaimHistory]:
    return [ClaimHistory(claim, tuple(reader.events_of_claim(connection, claim, must_decode))) for claim in claims]


def accepted_by_claim(memories: Iterable[TeamMemory], projects: frozenset[str]) -> dict[ClaimId, Acceptance]:
    """Return what should hold in this home: the acceptances of the projects that the person joined.

    A sentence that a purge of this home has scrubbed is not the one that was accepted any more.
    """
    return {
        memory.id: memory.acceptance
        for memory in memories
        if memory.status is TeamStatus.ACCEPTED
        and memory.acceptance
        and memory.acceptance.proposal.claim.id == memory.id
        and memory.project in projects
    }


def reconcile(accepted: Mapping[ClaimId, Acceptance], histories: Iterable[ClaimHistory]) -> list[Draft]:
    """Return the events that make the log say what the team accepted. `histories` has every claim of either side.

    What does not hold any more is undone, scope by scope. What is missing is added, unless the person undid it.
    """
    added: list[Draft] = []
    outdated: dict[Scope, list[Event]] = {}
    for history in histories:
        acceptance, undone = accepted.get(history.claim), undone_ids(history.events)
        recorded = []
        for event in history.of_team:
            if acceptance and isinstance(event.body, ClaimProposed) and acceptance.event in event.body.events:
                recorded.append(event)
            elif event.id not in undone:
                outdated.setdefault(event.scope, []).append(event)
        by_user = history.undone_by_user()
        if acceptance and not any(event.id not in undone or event.id in by_user for event in recorded):
            added.append(addition(acceptance.proposal, acceptance))
    taken_back: list[Draft] = []
    for scope, events in outdated.items():
        claims = dict.fromkeys(event.body.claim.id for event in events if isinstance(event.body, ClaimProposed))
        body = EventsUndone(tuple(event.id for event in events), tuple(claims), "what the team accepted")
        taken_back.append(Draft(body, scope, Attribution(TEAM, Provenance.USER_FILE)))
    return taken_back + added


def addition(proposal: Proposal, acceptance: Acceptance | None = None) -> Draft:
    """Return the addition of a claim in the name of its author."""
    reason = f"accepted by {acceptance.by}" if acceptance else ""
    events = (EventId(acceptance.event),) if acceptance else ()
    body = ClaimProposed(proposal.claim, Verdict.ADDED, TEAM, proposal.evidence, reason, events=events)
    return Draft(body, proposal.claim.scope, Attribution(f"{TEAM}:{proposal.author}", Provenance.USER_FILE))
