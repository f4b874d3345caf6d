"""The context buffer of a conversation (C1): things wait until there is enough of them to be understood together.

They are looked at when there are 20, or when the first has waited for 60 seconds, or from 5 on when one of them looks
as if something is to be learnt. What is learnt does not depend on where the pieces end.
"""

from __future__ import annotations

import re

from tacit.core.conversation import How, Outcome, PromptGiven, ToolUsed
from tacit.learn.talk.learnt import Said
from tacit.record import Record

MOST_EVENTS = 20
MOST_MILLISECONDS = 60_000
LEAST_EVENTS = 5
_TRIGGER = re.compile(
    r"\b(?:never|always|don'?t|do not|prefer|instead|rather|decided|from now on|going forward|we use|let'?s use"
    r"|i told you"
    r"|on purpose|ask me|myself|must|nie|immer|nunca|siempre|sempre|jamais|toujours)\b|絶対|必ず|常に",
    re.IGNORECASE,
)
_LOOKED_AT = 4000


class Buffer(Record):
    """What waits, since when (milliseconds), and whether something in it looks like a lesson."""

    waiting: tuple[Said, ...] = ()
    since: int = 0
    fired: bool = False


class Step(Record):
    """The buffer afterwards, and what is to be looked at now (nothing: keep waiting)."""

    buffer: Buffer
    due: tuple[Said, ...] = ()


def add(buffer: Buffer, said: Said, at: int) -> Step:
    """One more thing at this time."""
    since = buffer.since if buffer.waiting else at
    full = Buffer((*buffer.waiting, said), since, buffer.fired or fires(said))
    return flush(full) if is_due(full, at) else Step(full)


def is_due(buffer: Buffer, at: int) -> bool:
    """Whether what waits is to be looked at; also asked when nothing new came."""
    count = len(buffer.waiting)
    if count >= MOST_EVENTS or (count and at - buffer.since >= MOST_MILLISECONDS):
        return True
    return count >= LEAST_EVENTS and buffer.fired


def flush(buffer: Buffer) -> Step:
    """Everything now: the session ended."""
    return Step(Buffer(), buffer.waiting)


def fires(said: Said) -> bool:
    """Whether a thing looks as if something is to be learnt from it."""
    match said.body:
        case PromptGiven(text=text, how=how):
            return how in (How.REJECTION, How.ANSWER) or _TRIGGER.search(text[:_LOOKED_AT]) is not None
        case ToolUsed(outcome=outcome):
            return outcome is Outcome.FAILED
    return False
