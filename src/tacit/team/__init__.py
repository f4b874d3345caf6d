"""A team's memories of a project on a PostgreSQL server: a person joins, shares, reviews, syncs and leaves.

Only these talk to the server, and only when a person runs them. Everything else reads the log and one file of the home,
so it works without the server. What is to be sent is written to the home first and stays there until it has come back
from the server.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from tacit.errors import LockBusyError, NotFoundError, RefusedError, StoreError
from tacit.home.home import Home, HomePart
from tacit.home.input import checked_member, checked_optional_text
from tacit.model.claim import Claim
from tacit.model.ids import is_claim_prefix
from tacit.model.memory import Memory
from tacit.postgres import address_of, require_whole_paths
from tacit.record import Record
from tacit.search.memories import resolve_memory
from tacit.secrets import refuse_secrets
from tacit.team.client import TeamChange, open_server
from tacit.team.events import Proposal, TeamMemory, TeamStatus
from tacit.team.exchange import Erase, TeamExchange, TeamSyncResult
from tacit.team.store import Outgoing, OutgoingVerb, TeamHome, TeamStore, private_details, shared_claim
from tacit.text.display import clean, printable

_JOIN = "tacit team join postgresql://HOST/DATABASE"
_COMMANDS = {
    OutgoingVerb.ACCEPTED: "accept",
    OutgoingVerb.DECLINED: "decline",
    OutgoingVerb.RETIRED: "retire",
}
_T = TypeVar("_T")


class TeamPreview(Record):
    """What joining a server would bring: who one is there, and the memories of one's projects."""

    home: TeamHome
    unusable: tuple[str, ...] = ()

    @property
    def accepted(self) -> list[TeamMemory]:
        return [memory for memory in self.home.memories.values() if memory.status is TeamStatus.ACCEPTED]


class SharePlan(Record):
    """Exactly what would be sent for one memory, and parts of it that say something of the person or the machine."""

    memory: Memory
    claim: Claim
    project: str
    evidence: str
    details: tuple[str, ...]


class TeamOverview(Record):
    """What the home knows of the team, without asking the server."""

    home: TeamHome
    waiting: tuple[Outgoing, ...]
    unpurged: tuple[TeamMemory, ...] = ()

    @property
    def purges(self) -> list[Outgoing]:
        """Purges that the server has not confirmed."""
        return [entry for entry in self.waiting if entry.verb is OutgoingVerb.PURGE]


class Team(HomePart):
    """The team of one home. Methods that talk to the server or send something raise RefusedError for an agent."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self.files = TeamStore(self._store.paths)
        self._exchange = TeamExchange(home, self.files)

    # Reading what is here

    def load(self) -> TeamHome | None:
        """Return the team of this home, None if the person joined none."""
        return self.files.load()

    def require(self) -> TeamHome:
        home = self.load()
        if home is None:
            raise RefusedError("this home belongs to no team", _JOIN)
        return home

    def overview(self) -> TeamOverview | None:
        """Return what is known here of the team. The server is not asked."""
        if (home := self.load()) is None:
            return None
        return TeamOverview(home, tuple(self.files.waiting()), tuple(self._exchange.unpurged(home)))

    def has_project(self, scope: str) -> bool:
        """Return whether the person joined the project of this scope in a team."""
        home = self.load()
        return home is not None and scope.removeprefix("project:") in home.names

    # Joining and leaving

    def preview(self, url: str) -> TeamPreview:
        """Ask a server what joining it would bring. Nothing is sent and nothing is stored."""
        self._store.actor.require_person("joins a team", f"tacit team join {url}")
        require_whole_paths(url)
        known = self.load()
        if known is not None and address_of(known.url) != address_of(url):
            raise RefusedError(
                f"this home belongs to the team at {address_of(known.url)} already", "tacit team leave, then join"
            )
        with open_server(url) as server:
            standing = server.standing
            home = TeamHome(url, standing.user, standing.projects, team=standing.team)
            return TeamPreview(self._exchange.pull(server, home)[0], standing.unusable)

    def join(self, preview: TeamPreview, erase: Erase) -> TeamSyncResult:
        """Join what was shown. From now on accepted memories of these projects hold here."""
        self._store.actor.require_person("joins a team", f"tacit team join {preview.home.url}")
        if not preview.home.projects:
            raise RefusedError(
                f"{printable(preview.home.user)} is a member of no project there",
                "its administrator runs: tacit team add-member URL ROLE --project PROJECT",
            )
        with self.files.exclusive():
            return self._exchange.apply(self.load(), preview.home, TeamSyncResult(), erase)

    def leave(self) -> int:
        """Take back what came from the team, and forget the server. Return how many memories went."""
        self._store.actor.require_person("leaves a team", "tacit team leave")
        with self.files.exclusive():
            try:
                home = self.load()
            except StoreError:  # the file is damaged; what came from the team is in the log
                home = None
            removed = self._exchange.record({}, self._exchange.team_claims(home))[1]
            self.files.remove()
        return len(removed)

    def sync(self, erase: Erase) -> TeamSyncResult:
        """Send what waits, and read what is new. A server that cannot be asked is a result, not an error."""
        self._store.actor.require_person("syncs with a team", "tacit sync")
        try:
            with self.files.exclusive():
                return self._exchange.sync(self.require(), erase)
        except LockBusyError as error:
            return TeamSyncResult(waiting=len(self.files.waiting()), problem=error.message)

    def queue_purges(self) -> None:
        """Queue the purge on the server of what was purged here. The next sync sends it."""
        if (home := self.load()) is not None:
            self._exchange.queue_purges(home)

    # Sharing

    def plan_share(self, reference: str, evidence: str = "") -> SharePlan:
        """Return what would be sent. Raise RefusedError if the memory cannot be shared with the team."""
        self._store.actor.require_person("shares a memory", f"tacit share {reference}")
        home = self.require()

        def read(connection: sqlite3.Connection) -> Memory:
            return resolve_memory(connection, clean(reference), self._store.scope_in(connection))

        memory = self._store.read(read)
        claim, project = shared_claim(memory, self._home.settings.limits_text, home.names)
        if claim.id in self._exchange.purged_claims():
            raise RefusedError(f"{memory.id} was purged here; a team that gets it would bring it back to everybody")
        known, waiting = home.memories.get((project, claim.id)), self.files.waiting()
        queued = any(entry.verb is OutgoingVerb.PROPOSED and entry.memory == claim.id for entry in waiting)
        if queued or (known and known.proposal_of(home.user)):
            raise RefusedError(f"{memory.id} waits for a curator already", "tacit team")
        if known and known.acceptance:
            raise RefusedError(f"the team has {memory.id} already, accepted by {printable(known.acceptance.by)}")
        if known and known.status is TeamStatus.PURGED:
            raise RefusedError(f"{memory.id} was purged by the team, and the server takes it no more")
        shared_evidence = checked_optional_text(evidence, "the evidence")
        refuse_secrets(claim.sentence, shared_evidence, *claim.tags)
        text = "\n".join((claim.sentence, shared_evidence, *claim.tags))
        details = private_details(text, self._home.user_folder, self._store.actor.host)
        return SharePlan(memory, claim, project, shared_evidence, tuple(details))

    def share(self, plans: Sequence[SharePlan]) -> None:
        """Queue proposals. `exchange` sends them."""
        for plan in plans:
            claim = plan.claim
            entry = Outgoing(OutgoingVerb.PROPOSED, plan.project, claim.id, sentence=claim.sentence)
            entry = entry._replace(kind=claim.kind.label, tags=claim.tags, evidence=plan.evidence)
            self._exchange.queue(entry)

    def is_proposed(self, reference: str) -> bool:
        """Return whether the person has proposed this to the team, or is about to."""
        queued, sent = self._own_proposals(self.require(), reference)
        return queued is not None or sent is not None

    def withdraw(self, reference: str) -> str:
        """Take back a proposal: from the queue, or by sending its withdrawal. Return the sentence."""
        self._store.actor.require_person("withdraws a proposal", f"tacit share --withdraw {reference}")
        home = self.require()
        queued, memory = self._own_proposals(home, reference)
        if queued:
            if queued.tried_at:  # it may have arrived, although it has not come back
                self._exchange.queue(Outgoing(OutgoingVerb.WITHDRAWN, queued.project, queued.memory))
            self.files.unqueue(queued.id)
            return queued.sentence
        if memory is None:
            raise NotFoundError(f"you have proposed nothing to the team with the id {reference}", "tacit team")
        if memory.acceptance is not None:
            raise RefusedError(
                f"{memory.id} was accepted by {printable(memory.acceptance.by)} and belongs to the team now",
                f"a curator retires it: tacit team retire {memory.id}; to do without it: tacit forget {memory.id}",
            )
        proposal = memory.proposal_of(home.user)
        self._exchange.queue(Outgoing(OutgoingVerb.WITHDRAWN, memory.project, memory.id))
        return proposal.claim.sentence if proposal else ""

    # Reviewing

    def proposals(self) -> list[tuple[TeamMemory, Proposal]]:
        """Return what waits for a curator in the projects where the person is one, the oldest first."""
        home = self.require()
        decided = {(entry.project, entry.memory) for entry in self.files.waiting() if entry.verb in _COMMANDS}
        waiting = [
            (memory, proposal)
            for key, memory in home.memories.items()
            if memory.status is TeamStatus.WAITING and home.is_curator(memory.project) and key not in decided
            for proposal in memory.proposals
        ]
        return sorted(waiting, key=lambda pair: (pair[1].at, pair[1].event))

    def decide(self, verb: OutgoingVerb | str, reference: str, reason: str = "") -> Proposal:
        """Queue a curator's decision on one memory. Return the proposal that it is about."""
        verb = checked_member(OutgoingVerb, verb, "decision")
        self._store.actor.require_person("decides for a team", f"tacit team {_COMMANDS[verb]} {reference}")
        home = self.require()
        wanted = TeamStatus.ACCEPTED if verb is OutgoingVerb.RETIRED else TeamStatus.WAITING
        candidates = [memory for memory in home.memories.values() if memory.status is wanted]
        memory = _only(candidates, reference, lambda memory: memory.id)
        if memory is None or memory.shown is None:
            raise NotFoundError(
                f"the team has no {wanted.value} memory with the id {reference}", "tacit sync; tacit team"
            )
        if not home.is_curator(memory.project):
            raise RefusedError(
                f"only a curator decides, and you are a member of {printable(memory.project)}", "tacit team"
            )
        self.decide_on(verb, memory, memory.shown, reason)
        return memory.shown

    def decide_on(self, verb: OutgoingVerb | str, memory: TeamMemory, proposal: Proposal, reason: str = "") -> None:
        """Queue a decision on exactly the proposal that was shown."""
        verb = checked_member(OutgoingVerb, verb, "decision")
        why = checked_optional_text(reason, "the reason")
        target = proposal.event if verb is OutgoingVerb.ACCEPTED else ""
        self._exchange.queue(Outgoing(verb, memory.project, memory.id, target=target, reason=why))

    def changes(self, most: int = 50) -> list[TeamChange]:
        """Ask the server who decided what, and who changed the membership, in the projects where one is a curator."""
        self._store.actor.require_person("asks a team's server", "tacit team log")
        with open_server(self.require().url) as server:
            return server.changes(most)

    # Shared steps

    def _own_proposals(self, home: TeamHome, reference: str) -> tuple[Outgoing | None, TeamMemory | None]:
        """Return what the person proposed with this id: what waits in the queue, else what the server has."""
        queued = [entry for entry in self.files.waiting() if entry.verb is OutgoingVerb.PROPOSED]
        if found := _only(queued, reference, lambda entry: entry.memory):
            return found, None
        own = [memory for memory in home.memories.values() if memory.was_proposed_by(home.user)]
        return None, _only(own, reference, lambda memory: memory.id)


def _only(entries: Sequence[_T], reference: str, id_of: Callable[[_T], str]) -> _T | None:
    """Return the entry whose id begins with a reference, None if there is none.

    Raise RefusedError if several memories do.
    """
    prefix = clean(reference).strip().lstrip("^").lower()
    found = [entry for entry in entries if is_claim_prefix(prefix) and id_of(entry).startswith(prefix)]
    if len({id_of(entry) for entry in found}) > 1:
        raise RefusedError(f"{prefix} is the beginning of {len(found)} ids", "type one or two letters more")
    return found[0] if found else None
