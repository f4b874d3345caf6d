"""What leaves a home for its team, and what the home knows of the team.

Only what a person named is sent: the sentence, the kind and the tags of one memory, and evidence if the person wrote
some for the team. The evidence of the home (prompts, commands, paths) has no way into these values.

One file has the membership and the team's memories, and a file each the events that wait to be sent. The position up to
which the server was read stands in the same file as what was read, so that both change together. Reading needs no lock.
A purge scrubs these files like all others of the home.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any

from tacit.disk.files import OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError, RefusedError, StoreError, TacitError
from tacit.home.paths import HomePaths
from tacit.model.claim import PERSONAL_KINDS, Claim, Kind, Status, Triple, is_project_scope, project_name
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.postgres import address_of
from tacit.record import Record
from tacit.team import events
from tacit.team.events import Acceptance, EventPlace, Position, Proposal, TeamMemory, TeamStatus
from tacit.text.display import clip, printable

_PROJECT_PREFIX = "project:"
_TRIMMED = ".,;:!?\"'`()[]{}<>“”‘’"
# Last labels of host names that people write. A false alarm is one question more.
_HOST_LABELS = frozenset(
    "com org net io dev app cloud ai co de eu uk fr nl ch at us edu gov local localdomain internal intranet lan corp"
    " home test example invalid".split()
)
_IPV4_PARTS = 4


class OutgoingVerb(Enum):
    """What is sent. All but PURGE are kinds of events on the server; PURGE is a call of its function."""

    PROPOSED = "proposed"
    WITHDRAWN = "withdrawn"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    RETIRED = "retired"
    PURGE = "purge"


class Outgoing(Record):
    """Something to send. It is sent until it comes back from the server, so its id is made once, when it is queued.

    `target` is the proposal that is accepted, or the event that is purged. `reason` is a curator's. `tried_at` is when
    it was first sent: from then on the server may have it.
    """

    verb: OutgoingVerb
    project: str
    memory: str
    id: str = ""
    at: str = ""
    sentence: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    evidence: str = ""
    target: str = ""
    reason: str = ""
    tried_at: str = ""

    def body(self) -> dict[str, object] | None:
        """Return the body of the event on the server."""
        match self.verb:
            case OutgoingVerb.PROPOSED:
                evidence = {"evidence": self.evidence} if self.evidence else {}
                return {"sentence": self.sentence, "kind": self.kind, "tags": list(self.tags), **evidence}
            case OutgoingVerb.ACCEPTED:
                return {"proposal": self.target}
            case OutgoingVerb.DECLINED | OutgoingVerb.RETIRED if self.reason:
                return {"reason": self.reason}
        return None


def shared_claim(memory: Memory, limit: int, projects: Collection[str]) -> tuple[Claim, str]:
    """Return the claim that others will make of a memory's sentence, kind and tags, and the name of its project.

    `projects` are those that the person joined. Raise RefusedError if it cannot be shared with them.
    """
    claim = memory.claim
    if not is_project_scope(claim.scope):
        raise RefusedError(
            f"{memory.id} is global: a team shares what it agreed on in a project, and this holds in all of yours",
            "say it of the project: tacit add TEXT, inside of its repository",
        )
    if memory.status is not Status.ACTIVE:
        first = "accept" if memory.status is Status.PENDING else "restore"
        raise RefusedError(
            f"{memory.id} is {memory.status.value}; only an active memory can be shared", f"tacit {first} {memory.id}"
        )
    if memory.author:
        raise RefusedError(f"{memory.id} came from the team already ({printable(memory.author)})")
    if claim.kind in PERSONAL_KINDS:
        raise RefusedError(
            f"{memory.id} is a habit of yours, made of commands and directories",
            "say what the team should do: tacit add TEXT",
        )
    project = claim.scope.removeprefix(_PROJECT_PREFIX)
    if problem := events.project_problem(project):
        raise RefusedError(
            f"the project {printable(project_name(claim.scope))} cannot be shared with a team: {problem}",
            "git remote add origin URL, then add the memory again",
        )
    try:
        shared = events.proposal_claim(project, claim.sentence, claim.kind.label, list(claim.tags), limit)
    except ValueError as error:
        raise RefusedError(f"{memory.id} cannot be shared: {error}", f"tacit edit {memory.id}") from None
    if shared.id != memory.id:  # a learner made the claim of more than the sentence, which is all that others get
        raise RefusedError(
            f"others would read the sentence of {memory.id} as another statement than it was learned as",
            f"say it in your words: tacit edit {memory.id} --text TEXT",
        )
    if project not in projects:
        known = ", ".join(sorted(map(printable, projects))) or "none"
        raise RefusedError(
            f"you are no member of {printable(project)} in the team; your projects there: {known}",
            "ask its administrator, then: tacit team join URL; or for the project's file: tacit share ID --file",
        )
    return shared, project


def private_details(text: str, user_folder: str, host: str) -> list[str]:
    """Return parts of a text that say something of the person or the machine: paths, mail addresses, host names."""
    own_folder, found = user_folder.rstrip("/"), []
    for word in text.split():
        plain = word.strip(_TRIMMED)
        lower = plain.lower()
        name, at, domain = lower.partition("@")
        is_own = bool(own_folder) and f"{own_folder}/" in f"{plain}/"
        is_path = is_own or plain.startswith(("~/", "/home/", "/Users/", "/root/"))
        is_mail = bool(name and at) and "." in domain
        if is_path or is_mail or lower == host.lower() or _is_host_name(lower):
            found.append(clip(plain, 300))
    return list(dict.fromkeys(found))


def _is_host_name(word: str) -> bool:
    """Return whether a word is a host name or an address, alone or in a URL."""
    name = word.partition("://")[2] or word
    name = name.rpartition("@")[2]
    for end in "/:?#":
        name = name.partition(end)[0]
    labels = name.split(".")
    if len(labels) == _IPV4_PARTS and all(label.isdigit() and len(label) <= 3 for label in labels):
        return True
    return len(labels) > 1 and labels[-1] in _HOST_LABELS and all(labels)


# The files of a home about its team

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
    `team` is the server's id of the team. `latest` are the last events that were read, by which a restored server is
    noticed. `shut_out` are the days on which the server did not let the person in, the first one first.
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
    team: str = ""
    latest: tuple[EventPlace, ...] = ()
    shut_out: tuple[str, ...] = ()

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
        projects = [project._asdict() for project in home.projects]
        memories: list[dict[str, object]] = []
        for memory in home.memories.values():
            accepted = memory.acceptance
            acceptance = {**accepted._asdict(), "proposal": _encode_proposal(accepted.proposal)} if accepted else None
            proposals = [_encode_proposal(proposal) for proposal in memory.proposals]
            values = {"status": memory.status.value, "proposals": proposals, "acceptance": acceptance}
            memories.append({**memory._asdict(), **values})
        fields = {**home._asdict(), "format": _FORMAT, "projects": projects, "memories": memories}
        self._write(self._file, fields)

    def waiting(self) -> list[Outgoing]:
        """Return what waits to be sent, the oldest first. A file that cannot be read is left where it is."""
        entries = []
        for name in list_folder(self._outbox):
            with suppress(ValueError, KeyError, TypeError, AttributeError, OSError):
                data = read_file(os.path.join(self._outbox, name))
                if name.endswith(".json") and not name.startswith(".") and data is not None:
                    fields = json.loads(data)
                    values: dict[str, Any] = {field: str(fields.get(field, "")) for field in Outgoing._fields}
                    values["verb"], values["tags"] = (
                        OutgoingVerb(fields["verb"]),
                        tuple(map(str, fields.get("tags", ()))),
                    )
                    entries.append(Outgoing(**values))
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
        # What older versions do not write
        str(value.get("team", "")),
        tuple(EventPlace(Position(*map(int, at)), *map(str, rest)) for at, *rest in value.get("latest", ())),
        tuple(map(str, value.get("shut_out", ()))),
    )


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
    claim = Claim(kind, events.team_scope(project), triple, str(fields["sentence"]), tuple(tags))
    return Proposal(str(fields["event"]), str(fields["author"]), str(fields["at"]), claim, str(fields["evidence"]))
