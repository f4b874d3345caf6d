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
from tacit.team.events import Acceptance, Position, Proposal, TeamMemory, TeamStatus, team_scope
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
        self._disk = OsDisk(paths.root)
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
        self._write(self._file, _encode_home(home))

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
        fields = {name: value for name, value in entry._asdict().items() if value}
        self._write(self._outgoing_path(entry.id), {**fields, "verb": entry.verb.value})

    def unqueue(self, entry_id: str) -> None:
        with suppress(FileNotFoundError):
            self._disk.remove(self._outgoing_path(entry_id))

    def remove(self) -> None:
        """Forget the team, and what waits for it."""
        for path in (*(os.path.join(self._outbox, name) for name in list_folder(self._outbox)), self._file):
            with suppress(FileNotFoundError):
                self._disk.remove(path)
        for folder in (self._outbox, self._folder):
            with suppress(OSError):
                os.rmdir(folder)

    def _outgoing_path(self, entry_id: str) -> str:
        return os.path.join(self._outbox, f"{entry_id}.json")

    def _write(self, path: str, fields: Mapping[str, object]) -> None:
        make_folder(os.path.dirname(path), below=self._root)
        replace_file(self._disk, path, json.dumps(fields, indent=1, sort_keys=True).encode("ascii") + b"\n")


# From values to JSON and back. Files of the home may be damaged or scrubbed by a purge: what does not fit is an error.


def _encode_home(home: TeamHome) -> dict[str, object]:
    return {
        **home._asdict(),
        "format": _FORMAT,
        "projects": [project._asdict() for project in home.projects],
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
    fields = memory._asdict()
    if acceptance := fields.pop("acceptance"):
        fields["acceptance"] = {**acceptance._asdict(), "proposal": _encode_proposal(acceptance.proposal)}
    proposals = [_encode_proposal(proposal) for proposal in memory.proposals]
    return {**fields, "status": memory.status.value, "proposals": proposals}


def _decode_memory(fields: Any) -> TeamMemory:
    project, accepted = str(fields["project"]), fields.get("acceptance")
    texts = {name: str(fields[name]) for name in ("decided_by", "reason", "first_event", "first_author")}
    proposals = tuple(_decode_proposal(project, proposal) for proposal in fields["proposals"])
    acceptance = None
    if accepted:
        event, by, at = (str(accepted[name]) for name in ("event", "by", "at"))
        acceptance = Acceptance(event, by, at, _decode_proposal(project, accepted["proposal"]))
    status = TeamStatus(fields["status"])
    return TeamMemory(project, ClaimId(str(fields["id"])), status, proposals, acceptance, **texts)


def _encode_proposal(proposal: Proposal) -> dict[str, object]:
    fields = proposal._asdict()
    claim = fields.pop("claim")
    return {**fields, "kind": claim.kind.label, "sentence": claim.sentence, "triple": claim.triple, "tags": claim.tags}


def _decode_proposal(project: str, fields: Any) -> Proposal:
    kind, triple, tags = Kind.from_label(fields["kind"]), Triple(*map(str, fields["triple"])), map(str, fields["tags"])
    claim = Claim(kind, team_scope(project), triple, str(fields["sentence"]), tuple(tags))
    return Proposal(str(fields["event"]), str(fields["author"]), str(fields["at"]), claim, str(fields["evidence"]))


def _decode_outgoing(fields: Any) -> Outgoing:
    texts = {name: str(fields.get(name, "")) for name in Outgoing._fields if name not in ("verb", "tags")}
    return Outgoing(verb=OutgoingVerb(fields["verb"]), tags=tuple(map(str, fields.get("tags", ()))), **texts)
