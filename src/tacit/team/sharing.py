"""What leaves the home: proposals, their withdrawal, a curator's decisions, and purges.

Only what a person named is sent: the sentence, the kind and the tags of one memory, and evidence if the person wrote
some for the team. The evidence of the home (prompts, commands, paths) has no way into these values.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from tacit.errors import RefusedError
from tacit.model.claim import PERSONAL_KINDS, Claim, Status, is_project_scope, project_name
from tacit.model.memory import Memory
from tacit.record import Record
from tacit.team.events import project_problem, proposal_claim
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
    if problem := project_problem(project):
        raise RefusedError(
            f"the project {printable(project_name(claim.scope))} cannot be shared with a team: {problem}",
            "git remote add origin URL, then add the memory again",
        )
    try:
        shared = proposal_claim(project, claim.sentence, claim.kind.label, list(claim.tags), limit)
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
