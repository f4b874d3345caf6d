"""Observations: what ran, what was said and done in a session, what was asked. They carry no verdict."""

from __future__ import annotations

import re
from enum import StrEnum

from tacit.model.ids import ClaimId, EventId, claim_id
from tacit.record import Record

_UNTIMED_SESSION = re.compile(r"[a-z]+:[0-9a-f]{12}")


def is_untimed_session(session: str) -> bool:
    """Whether a session is a whole history without timestamps. (Others are named after ten digits of a time.)"""
    return _UNTIMED_SESSION.fullmatch(session) is not None


# What a person and an agent said and did together, as far as it is kept. `agent` is the host: claude, codex, …


class PromptKind(StrEnum):
    """How words of the person reached the agent."""

    TYPED = ""
    QUEUED = "queued"  # typed while the agent was working
    REJECTION = "rejection"  # said when a tool call was turned down
    ANSWER = "answer"  # chosen or written when the agent asked
    COMMAND = "command"  # a slash command with its arguments
    SHELL = "shell"  # a command that the person ran from within the agent


class ToolAction(StrEnum):
    """What a call of a tool was for, whatever the host calls the tool."""

    RAN = "ran"
    CHANGED = "changed"
    READ = "read"
    SEARCHED = "searched"
    DELEGATED = "delegated"
    ASKED = "asked"
    PLANNED = "planned"
    FETCHED = "fetched"  # from the web, or from a server the host talks to
    OTHER = "other"


class ToolOutcome(StrEnum):
    """How a call ended."""

    SUCCEEDED = ""
    FAILED = "failed"
    REJECTED = "rejected"  # the person, or a rule of theirs, did not let it run
    UNKNOWN = "unknown"  # the transcript does not tell


class PromptGiven(Record):
    """Words of the person. `about` is what they answer: the call that was turned down, the question that was asked."""

    agent: str
    text: str
    how: PromptKind = PromptKind.TYPED
    about: str = ""
    directory: str = ""
    branch: str = ""


class ReplyGiven(Record):
    """Words of the agent to the person."""

    agent: str
    text: str
    directory: str = ""


class ToolUsed(Record):
    """A call of a tool and how it ended. `input` and `result` are short; `files` are those it changed, as named there.

    `aside` says that a helper of the agent did it; `change` is an excerpt of what an edit took out and put in.
    """

    agent: str
    tool: str
    act: ToolAction = ToolAction.OTHER
    input: str = ""
    result: str = ""
    outcome: ToolOutcome = ToolOutcome.SUCCEEDED
    files: tuple[str, ...] = ()
    directory: str = ""
    aside: bool = False
    change: str = ""


class TurnInterrupted(Record):
    """The person stopped the agent."""

    agent: str


class SessionCompacted(Record):
    """The host replaced the conversation so far by a summary."""

    agent: str


class SessionSummarized(Record):
    """What a session came to, in the words of a model that was asked about it. `until` is the time of the last thing in
    the session that it was shown."""

    agent: str
    text: str
    model: str
    until: str


class TitleAuthor(StrEnum):
    """Who gave a session its title."""

    HOST = ""  # a model of the host, mostly
    PERSON = "person"


class SessionTitled(Record):
    """The title that a session has in its host from then on."""

    agent: str
    text: str
    by: TitleAuthor = TitleAuthor.HOST


ConversationBody = PromptGiven | ReplyGiven | ToolUsed | TurnInterrupted | SessionCompacted
CONVERSATION_TYPES = (PromptGiven, ReplyGiven, ToolUsed, TurnInterrupted, SessionCompacted)
TRANSCRIPT_TYPES = (*CONVERSATION_TYPES, SessionTitled)  # what a transcript tells
SESSION_TYPES = (*TRANSCRIPT_TYPES, SessionSummarized)  # what was said in a session, and what was said about it


def session_id(agent: str, name: str) -> ClaimId:
    """What a session is called here; `name` is what its host calls it."""
    return claim_id("session", f"{agent}\n{name}")


# What the world did. Observations carry no verdict; learners and views read them.


class WorkLogged(Record):
    """One entry of the worklog (S11)."""

    task: str
    summary: str
    changes: str = ""
    evidence: str = ""
    next: str = ""


UNKNOWN_STATUS = -1  # of a command in a history that does not tell how it ended


class CommandRan(Record):
    """A command line that was run in a shell: as typed, where, how it ended and how long it took.

    `meant` is the line with its aliases written out, where the shell told; `planned` is what it was before the person
    edited it.
    """

    command: str
    directory: str = ""
    status: int = 0
    milliseconds: int = 0
    shell: str = ""
    meant: str = ""
    planned: str = ""

    @property
    def is_success(self) -> bool:
        """Whether it counts as a success: people keep on running what works, so the unknown counts too."""
        return self.status in (0, UNKNOWN_STATUS)


class WorkflowSaved(Record):
    """A person accepted these steps under this name; the latest holds. An empty directory is wherever one stands."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""
    claim: str = ""


class WorkflowDropped(Record):
    """The workflow of this name is no more."""

    name: str


class StepRan(Record):
    """One step of a run: the command as it ran, and how it ended."""

    command: str
    status: int
    milliseconds: int = 0


class WorkflowRan(Record):
    """A run of a workflow: from which step (the first is 0), what ran, and whether the last step went well."""

    name: str
    steps: tuple[StepRan, ...]
    directory: str = ""
    first: int = 0
    completed: bool = False


class RecallAsked(Record):
    """Someone asked; this many facts answered."""

    query: str
    hits: int


class BriefInjected(Record):
    """A brief was handed out, or put into the prompt of an agent: which memories and why each, which earlier sessions,
    and how large it was. `moment` is when: at the start of a session, at a prompt, after a compaction."""

    memories: tuple[str, ...]
    tokens: int
    task: str = ""
    agent: str = ""
    moment: str = ""
    reasons: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class EvaluationScore(Record):
    """One measure of an evaluation: 0 weak, 1 fair, 2 good, and why."""

    name: str
    points: int
    reason: str


class EvaluationCreated(Record):
    """The evaluation of one day, whole, so that its page can be drawn again."""

    day: str
    scores: tuple[EvaluationScore, ...]


class ProjectSeen(Record):
    """On this machine the scope's project lies here."""

    root: str


class TrustedLine(Record):
    """A line of a fact file that a person accepted: the claim it was read as, and the hash of its bytes."""

    claim: str
    sha256: str


class RepositoryTrusted(Record):
    """A person accepted these lines of a repository's fact file, as they were then: path, owner, writers, content."""

    path: str
    owner: int
    writers: int
    lines: tuple[TrustedLine, ...]


class RepositoryDistrusted(Record):
    """The trust in a fact file ended, and why."""

    path: str
    reason: str


class LogSealed(Record):
    """A torn tail was closed: where it began, how long it was, and its hash."""

    offset: int
    length: int
    sha256: str


class Fingerprint(Record):
    """What a text can be known again by, without being stored: see core/prints.py."""

    salt: str
    length: int
    weak: int
    strong: str


class MemoryPurged(Record):
    """The tombstone of what a person purged: which events were changed, which claims are gone, prints of the texts.

    `everywhere` says that claims which hold a text went too. `moved` are claims whose scope held it: old id, new id.
    It speaks of events before it, or before the one it names.
    """

    reason: str = ""
    events: tuple[EventId, ...] = ()
    claims: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    prints: tuple[Fingerprint, ...] = ()
    everywhere: bool = False
    damaged: int = 0
    before: str = ""


class PurgedStub(Record):
    """What is left of an event that was purged: its envelope, and the type it had."""

    was: str


class UnknownBody(Record):
    """A line of a type this version does not know: kept, never obeyed."""

    type: str


ShellBody = CommandRan | WorkflowSaved | WorkflowDropped | WorkflowRan
HousekeepingBody = (
    RepositoryTrusted | RepositoryDistrusted | ProjectSeen | LogSealed | MemoryPurged | PurgedStub | UnknownBody
)
Observation = (
    WorkLogged
    | ShellBody
    | ConversationBody
    | SessionTitled
    | SessionSummarized
    | RecallAsked
    | BriefInjected
    | EvaluationCreated
    | HousekeepingBody
)
