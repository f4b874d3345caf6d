"""What a person and an agent said and did together, as far as it is kept. `agent` is the host: claude, codex, …"""

from __future__ import annotations

from enum import StrEnum

from tacit.core.ids import ClaimId, claim_id
from tacit.record import Record


class How(StrEnum):
    """How words of the person reached the agent."""

    TYPED = ""
    QUEUED = "queued"  # typed while the agent was working
    REJECTION = "rejection"  # said when a tool call was turned down
    ANSWER = "answer"  # chosen or written when the agent asked
    COMMAND = "command"  # a slash command with its arguments
    SHELL = "shell"  # a command that the person ran from within the agent


class Act(StrEnum):
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


class Outcome(StrEnum):
    """How a call ended."""

    WELL = ""
    FAILED = "failed"
    REJECTED = "rejected"  # the person, or a rule of theirs, did not let it run
    UNKNOWN = "unknown"  # the transcript does not tell


class PromptGiven(Record):
    """Words of the person. `about` is what they answer: the call that was turned down, the question that was asked."""

    agent: str
    text: str
    how: How = How.TYPED
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
    act: Act = Act.OTHER
    input: str = ""
    result: str = ""
    outcome: Outcome = Outcome.WELL
    files: tuple[str, ...] = ()
    directory: str = ""
    aside: bool = False
    change: str = ""


class Interrupted(Record):
    """The person stopped the agent."""

    agent: str


class Compacted(Record):
    """The host replaced the conversation so far by a summary."""

    agent: str


class SummedUp(Record):
    """What a session came to, in the words of a model that was asked about it. `until` is the time of the last thing in
    the session that it was shown."""

    agent: str
    text: str
    model: str
    until: str


class By(StrEnum):
    """Who gave a session its title."""

    HOST = ""  # a model of the host, mostly
    PERSON = "person"


class Titled(Record):
    """The title that a session has in its host from then on."""

    agent: str
    text: str
    by: By = By.HOST


Conversation = PromptGiven | ReplyGiven | ToolUsed | Interrupted | Compacted
SAID = (PromptGiven, ReplyGiven, ToolUsed, Interrupted, Compacted)
HEARD = (*SAID, Titled)  # what a transcript tells
OF_SESSIONS = (*HEARD, SummedUp)  # what was said in a session, and what was said about it


def session_id(agent: str, name: str) -> ClaimId:
    """What a session is called here; `name` is what its host calls it."""
    return claim_id("session", f"{agent}\n{name}")
