"""Observations: what ran, what was said and done in a session, what was asked. They have no verdict.

In the events of a session `agent` is the host: claude, codex, …
"""

from __future__ import annotations

import re
from enum import StrEnum

from tacit.model.ids import ClaimId, EventId, claim_id
from tacit.record import Record

_UNTIMED_SESSION = re.compile(r"[a-z]+:[0-9a-f]{12}")


def is_untimed_session(session: str) -> bool:
    """Return whether the session is a shell history without timestamps. Others are named after ten digits of a time."""
    return _UNTIMED_SESSION.fullmatch(session) is not None


class PromptKind(StrEnum):
    """How a prompt reached the agent."""

    TYPED = ""
    QUEUED = "queued"  # typed while the agent was working
    REJECTION = "rejection"  # the reason given when a tool call was rejected
    ANSWER = "answer"  # to a question of the agent
    COMMAND = "command"  # a slash command with its arguments
    SHELL = "shell"  # a command that the person ran from within the agent


class ToolAction(StrEnum):
    """The purpose of a tool call, whatever the host calls the tool."""

    RAN = "ran"
    CHANGED = "changed"
    READ = "read"
    SEARCHED = "searched"
    DELEGATED = "delegated"
    ASKED = "asked"
    PLANNED = "planned"
    FETCHED = "fetched"  # from the web or a server of the host
    OTHER = "other"


class ToolOutcome(StrEnum):
    """How a tool call ended."""

    SUCCEEDED = ""
    FAILED = "failed"
    REJECTED = "rejected"  # by the person or the host; it did not run
    STOPPED = "stopped"  # by a guard; it did not run
    UNKNOWN = "unknown"  # the transcript does not say

    @property
    def has_run(self) -> bool:
        return self not in (ToolOutcome.REJECTED, ToolOutcome.STOPPED)


class PromptGiven(Record):
    """A prompt of the person. `about` is what it answers: the rejected call, or the question."""

    agent: str
    text: str
    how: PromptKind = PromptKind.TYPED
    about: str = ""
    directory: str = ""
    branch: str = ""


class ReplyGiven(Record):
    """A reply of the agent to the person."""

    agent: str
    text: str
    directory: str = ""


class ToolUsed(Record):
    """A tool call and how it ended. `input` and `result` are excerpts.

    `files` are those it changed, as named in the call. `aside` is set if a subagent made the call. `change` is an
    excerpt of what an edit removed and inserted.
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
    """The host replaced the conversation so far with a summary."""

    agent: str


class SessionSummarized(Record):
    """A model's summary of a session. `until` is the time of the last event that the model was shown."""

    agent: str
    text: str
    model: str
    until: str


class TitleAuthor(StrEnum):
    """Who gave a session its title."""

    HOST = ""  # usually its model
    PERSON = "person"


class SessionTitled(Record):
    """The session has this title in its host from now on."""

    agent: str
    text: str
    by: TitleAuthor = TitleAuthor.HOST


ConversationBody = PromptGiven | ReplyGiven | ToolUsed | TurnInterrupted | SessionCompacted
CONVERSATION_TYPES = (PromptGiven, ReplyGiven, ToolUsed, TurnInterrupted, SessionCompacted)
TRANSCRIPT_TYPES = (*CONVERSATION_TYPES, SessionTitled)
SESSION_TYPES = (*TRANSCRIPT_TYPES, SessionSummarized)  # with what was said about the session later


def session_id(agent: str, host_session_id: str) -> ClaimId:
    """Return Tacit's id of a session. `host_session_id` is the id that its host gave it."""
    return claim_id("session", f"{agent}\n{host_session_id}")


class WorkLogged(Record):
    """One entry of the worklog (S11)."""

    task: str
    summary: str
    changes: str = ""
    evidence: str = ""
    next: str = ""


UNKNOWN_STATUS = -1  # of a command in a history without exit statuses


class CommandRan(Record):
    """A command line that ran in a shell: as typed, its directory, exit status and duration.

    `meant` is the line with its aliases expanded, if the shell reported it. `planned` is the line before the person
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
        """Whether it counts as a success. An unknown status does, because people go on running what works."""
        return self.status in (0, UNKNOWN_STATUS)


class WorkflowSaved(Record):
    """A person accepted these steps under this name. The latest is valid. An empty directory is the current one."""

    name: str
    steps: tuple[str, ...]
    directory: str = ""
    claim: str = ""


class WorkflowDropped(Record):
    """The workflow of this name was removed."""

    name: str


class StepRan(Record):
    """One step of a run: the command as it ran, its exit status and duration."""

    command: str
    status: int
    milliseconds: int = 0


class WorkflowRan(Record):
    """A run of a workflow from step `first` (0 is the first step). `completed` if the last step succeeded."""

    name: str
    steps: tuple[StepRan, ...]
    directory: str = ""
    first: int = 0
    completed: bool = False


class RecallAsked(Record):
    """A query and its number of hits."""

    query: str
    hits: int


class BriefInjected(Record):
    """A brief was printed, or injected into the prompt of an agent.

    It records the memories, the reason for each, earlier sessions and the size. `moment` is when it was injected: at
    the start of a session, at a prompt, after a compaction, at an edit, after a failed command. `tried` are the
    memories on trial whose turn it was: those that are not among `memories` were withheld.
    """

    memories: tuple[str, ...]
    tokens: int
    task: str = ""
    agent: str = ""
    moment: str = ""
    reasons: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()


class MemoryChecked(Record):
    """Whether a session followed a memory that its agent was told. The latest check of a session counts.

    `session` is Tacit's id of the session and `result` an `Adherence` (`model/session.py`), "" if it is unknown.
    `call` is the tool call that shows it, and `correction` the prompt in which the person repeated or contradicted the
    memory; each is "" if there is none.
    """

    claim: str
    session: str
    result: str = ""
    call: EventId = EventId("")
    correction: EventId = EventId("")


class TrialStarted(Record):
    """A memory is on trial from now on: about every second session is told it, by a coin made of the `seed`.

    `most` is the greatest number of sessions that the trial may take (`model/trial.py`).
    """

    claim: str
    seed: str
    most: int


class TrialEnded(Record):
    """A trial ended, with an `Ending` (`model/trial.py`). `trial` is the event that started it."""

    claim: str
    trial: EventId
    ending: str


class TrialChecked(Record):
    """What came of one session of a trial. The latest of a trial and session counts.

    `withheld` says that the coin kept the memory from the session. `outcome` is a `TrialOutcome` (`model/trial.py`), ""
    if the memory did not apply. `call` and `correction` are as in `MemoryChecked`. If there is a word in `apart`, the
    session is left out, and the word says why. `failures` are commands of the agent that failed, `tokens` what it was
    told in all.
    """

    claim: str
    trial: EventId
    session: str
    withheld: bool = False
    outcome: str = ""
    call: EventId = EventId("")
    correction: EventId = EventId("")
    apart: str = ""
    failures: int = 0
    turns: int = 0
    tokens: int = 0


class EvaluationScore(Record):
    """One measure of an evaluation: 0 weak, 1 fair, 2 good, and why."""

    name: str
    points: int
    reason: str


class EvaluationCreated(Record):
    """The evaluation of one day, complete, so that its page can be rendered again."""

    day: str
    scores: tuple[EvaluationScore, ...]


class ProjectSeen(Record):
    """The folder of the scope's project on this machine."""

    root: str


class TrustedLine(Record):
    """A line of a fact file that a person accepted: the claim it was read as, and the hash of its bytes."""

    claim: str
    sha256: str


class RepositoryTrusted(Record):
    """A person accepted these lines of a repository's fact file, with its owner and writers at that time."""

    path: str
    owner: int
    writers: int
    lines: tuple[TrustedLine, ...]


class RepositoryDistrusted(Record):
    """The trust in a fact file ended, and why."""

    path: str
    reason: str


class LogSealed(Record):
    """A torn tail of the log was closed: its offset, length and hash."""

    offset: int
    length: int
    sha256: str


class Fingerprint(Record):
    """Recognizes a text without storing it: see `purge/fingerprint.py`."""

    salt: str
    length: int
    weak: int
    strong: str


class MemoryPurged(Record):
    """The tombstone of a purge: the changed events, the purged claims and fingerprints of the purged texts.

    `everywhere` is set if claims that contain a text were purged too. `moved` are claims whose scope contained it:
    (old id, new id). It applies to events before this one, or before the event `before`.
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
    """The body of a purged event. `was` is the type it had."""

    was: str


class UnknownBody(Record):
    """The body of an event whose type this version does not know. It is preserved and has no effect."""

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
    | MemoryChecked
    | TrialStarted
    | TrialEnded
    | TrialChecked
    | EvaluationCreated
    | HousekeepingBody
)
