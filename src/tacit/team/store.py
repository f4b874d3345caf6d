"""What a home knows of its team: one file with the membership and the team's memories, and a file for each event that
waits to be sent.

The position up to which the server was read stands in the same file as what was read, so that both change together.
Reading needs no lock. A purge scrubs these files like all others of the home.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tacit.disk.files import OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError, StoreError, TacitError
from tacit.home.paths import HomePaths
from tacit.model.claim import Claim, Kind, Triple
from tacit.model.ids import ClaimId
from tacit.postgres import address_of
from tacit.record import Record
from tacit.team.events import Position, Proposal, team_scope
from tacit.team.memories import Acceptance, TeamMemory, TeamStatus
from tacit.team.sharing import Outgoing, OutgoingVerb

_FORMAT = 1
_LOCK_SECONDS = 1.0  # another sync is waiting for its server: this one does not wait for both


class TeamProject(Record):
    """A project that the person joined, and whether they may decide there."""

    name: str
    is_curator: bool


class TeamHome(Record):
    """The team of a home.

    `user` is the person's role on the server. `problem` is why the last sync failed, "" if it did not. `unfit` counts
    rows that were not believed. `offered` are projects of the person on the server that they have not joined.
    """

    url: str
    user: str
    projects: tuple[TeamProject, ...]
    position: Position = Position()
    synced_at: str = ""
    problem: str = ""
    unfit: int = 0
    offered: tuple[str, ...] = ()
    memories: Mapping[tuple[str, ClaimId], TeamMemory] = {}

    @property
    def server(self) -> str:
        """The server as it may be shown."""
        try:
            return str(address_of(self.url))
        except TacitError:  # the extra was removed
            return self.url

    @property
    def names(self) -> frozenset[str]:
        return frozenset(project.name for project in self.projects)

    def is_curator(self, project: str) -> bool:
        return any(joined.name == project and joined.is_curator for joined in self.projects)


class TeamStore:
    """The files of the team in one home."""

    def __init__(self, paths: HomePaths) -> None:
        self._root = paths.root
        self._file = paths.team_file
        self._folder = os.path.dirname(paths.team_file)
        self._outbox = os.path.join(self._folder, "outbox")
        self._lock = FileLock(paths.team_lock, _LOCK_SECONDS)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock of whoever talks to the server. Raise LockBusyError if another process does."""
        try:
            with self._lock.acquire():
                yield
        except LockBusyError:
            raise LockBusyError("another command is talking to the team's server", "try again in a moment") from None

    def load(self) -> TeamHome | None:
        """Return the team of this home, None if the person joined none."""
        data = read_file(self._file)
        if data is None:
            return None
        try:
            return _decode_home(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise StoreError(
                f"{self._file} cannot be read", "tacit team leave, then join again: nothing else depends on it"
            ) from None

    def save(self, home: TeamHome) -> None:
        make_folder(self._folder, below=self._root)
        replace_file(OsDisk(self._root), self._file, _dump(_encode_home(home)))

    def waiting(self) -> list[Outgoing]:
        """Return what waits to be sent, the oldest first. A file that cannot be read is left where it is."""
        entries = []
        for name in list_folder(self._outbox):
            with suppress(ValueError, KeyError, TypeError, AttributeError, OSError):
                data = read_file(os.path.join(self._outbox, name))
                if name.endswith(".json") and not name.startswith(".") and data is not None:
                    entries.append(_decode_outgoing(json.loads(data)))
        return sorted(entries, key=lambda entry: entry.id)

    def queue(self, entry: Outgoing) -> None:
        make_folder(self._outbox, below=self._root)
        fields = {name: value for name, value in entry._asdict().items() if value}
        replace_file(OsDisk(self._root), self._outgoing_path(entry.id), _dump({**fields, "verb": entry.verb.value}))

    def unqueue(self, entry_id: str) -> None:
        with suppress(FileNotFoundError):
            OsDisk(self._root).remove(self._outgoing_path(entry_id))

    def remove(self) -> None:
        """Forget the team, and what waits for it."""
        for entry in list_folder(self._outbox):
            OsDisk(self._root).remove(os.path.join(self._outbox, entry))
        with suppress(FileNotFoundError):
            OsDisk(self._root).remove(self._file)
        for folder in (self._outbox, self._folder):
            with suppress(OSError):
                os.rmdir(folder)

    def _outgoing_path(self, entry_id: str) -> str:
        return os.path.join(self._outbox, f"{entry_id}.json")


def _dump(value: object) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode("ascii") + b"\n"


# From values to JSON and back. Files of the home may be damaged or scrubbed by a purge: what does not fit is an error.


def _encode_home(home: TeamHome) -> dict[str, object]:
    return {
        "format": _FORMAT,
        "url": home.url,
        "user": home.user,
        "projects": [project._asdict() for project in home.projects],
        "position": list(home.position),
        "synced_at": home.synced_at,
        "problem": home.problem,
        "unfit": home.unfit,
        "offered": list(home.offered),
        "memories": [_encode_memory(memory) for memory in home.memories.values()],
    }


def _decode_home(value: Any) -> TeamHome:
    if value["format"] != _FORMAT:
        raise ValueError("another format")
    memories = [_decode_memory(fields) for fields in value["memories"]]
    return TeamHome(
        str(value["url"]),
        str(value["user"]),
        tuple(TeamProject(str(project["name"]), bool(project["is_curator"])) for project in value["projects"]),
        Position(*map(int, value["position"])),
        str(value["synced_at"]),
        str(value["problem"]),
        int(value["unfit"]),
        tuple(map(str, value["offered"])),
        {(memory.project, memory.id): memory for memory in memories},
    )


def _encode_memory(memory: TeamMemory) -> dict[str, object]:
    fields: dict[str, object] = {
        "project": memory.project,
        "id": memory.id,
        "status": memory.status.value,
        "decided_by": memory.decided_by,
        "reason": memory.reason,
        "first_event": memory.first_event,
        "first_author": memory.first_author,
        "proposals": [_encode_proposal(proposal) for proposal in memory.proposals],
    }
    if acceptance := memory.acceptance:
        fields["acceptance"] = {**acceptance._asdict(), "proposal": _encode_proposal(acceptance.proposal)}
    return fields


def _decode_memory(fields: Any) -> TeamMemory:
    project = str(fields["project"])
    acceptance = fields.get("acceptance")
    return TeamMemory(
        project,
        ClaimId(str(fields["id"])),
        TeamStatus(fields["status"]),
        tuple(_decode_proposal(project, proposal) for proposal in fields["proposals"]),
        Acceptance(
            str(acceptance["event"]),
            str(acceptance["by"]),
            str(acceptance["at"]),
            _decode_proposal(project, acceptance["proposal"]),
        )
        if acceptance
        else None,
        str(fields["decided_by"]),
        str(fields["reason"]),
        str(fields["first_event"]),
        str(fields["first_author"]),
    )


def _encode_proposal(proposal: Proposal) -> dict[str, object]:
    claim = proposal.claim
    return {
        "event": proposal.event,
        "author": proposal.author,
        "at": proposal.at,
        "kind": claim.kind.label,
        "sentence": claim.sentence,
        "triple": list(claim.triple),
        "tags": list(claim.tags),
        "evidence": proposal.evidence,
    }


def _decode_proposal(project: str, fields: Any) -> Proposal:
    triple = Triple(*map(str, fields["triple"]))
    claim = Claim(
        Kind.from_label(fields["kind"]),
        team_scope(project),
        triple,
        str(fields["sentence"]),
        tuple(map(str, fields["tags"])),
    )
    return Proposal(str(fields["event"]), str(fields["author"]), str(fields["at"]), claim, str(fields["evidence"]))


def _decode_outgoing(fields: Any) -> Outgoing:
    texts = {name: str(fields.get(name, "")) for name in Outgoing._fields if name not in ("verb", "tags")}
    return Outgoing(verb=OutgoingVerb(fields["verb"]), tags=tuple(map(str, fields.get("tags", ()))), **texts)
