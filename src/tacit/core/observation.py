"""What the world did. Observations carry no verdict; learners and views read them."""

from __future__ import annotations

from tacit.core.conversation import Conversation, SummedUp, Titled
from tacit.core.ids import EventId
from tacit.record import Record


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
    def went_well(self) -> bool:
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


class Recalled(Record):
    """Someone asked; this many facts answered."""

    query: str
    hits: int


class Injected(Record):
    """A brief was handed out, or put into the prompt of an agent: which memories and why each, which earlier sessions,
    and how large it was. `moment` is when: at the start of a session, at a prompt, after a compaction."""

    memories: tuple[str, ...]
    tokens: int
    task: str = ""
    agent: str = ""
    moment: str = ""
    reasons: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class Score(Record):
    """One measure of an evaluation: 0 weak, 1 fair, 2 good, and why."""

    name: str
    points: int
    reason: str


class Evaluated(Record):
    """The evaluation of one day, whole, so that its page can be drawn again."""

    day: str
    scores: tuple[Score, ...]


class ProjectSeen(Record):
    """On this machine the scope's project lies here."""

    root: str


class TrustedLine(Record):
    """A line of a fact file that a person accepted: the claim it was read as, and the hash of its bytes."""

    claim: str
    sha256: str


class Trusted(Record):
    """A person accepted these lines of a repository's fact file, as they were then: path, owner, writers, content."""

    path: str
    owner: int
    writers: int
    lines: tuple[TrustedLine, ...]


class Distrusted(Record):
    """The trust in a fact file ended, and why."""

    path: str
    reason: str


class Sealed(Record):
    """A torn tail was closed: where it began, how long it was, and its hash."""

    offset: int
    length: int
    sha256: str


class Print(Record):
    """What a text can be known again by, without being stored: see core/prints.py."""

    salt: str
    length: int
    weak: int
    strong: str


class Purged(Record):
    """The tombstone of what a person purged: which events were changed, which claims are gone, prints of the texts.

    `everywhere` says that claims which hold a text went too. `moved` are claims whose scope held it: old id, new id.
    It speaks of events before it, or before the one it names.
    """

    reason: str = ""
    events: tuple[EventId, ...] = ()
    claims: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    prints: tuple[Print, ...] = ()
    everywhere: bool = False
    damaged: int = 0
    before: str = ""


class Stub(Record):
    """What is left of an event that was purged: its envelope, and the type it had."""

    was: str


class Unknown(Record):
    """A line of a type this version does not know: kept, never obeyed."""

    type: str


Shell = CommandRan | WorkflowSaved | WorkflowDropped | WorkflowRan
About = Trusted | Distrusted | ProjectSeen | Sealed | Purged | Stub | Unknown
Observation = WorkLogged | Shell | Conversation | Titled | SummedUp | Recalled | Injected | Evaluated | About
