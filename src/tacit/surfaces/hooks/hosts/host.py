"""What a host is to a hook: the moments it tells of, how it says so, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from tacit.record import Record


class Moment(StrEnum):
    """When a hook runs, whatever the host calls it."""

    START = "start"
    PROMPT = "prompt"
    STOP = "stop"
    TOOL = "tool"
    COMPACTING = "compacting"
    END = "end"


class Told(Record):
    """What a host said when it ran a hook. What it did not say is empty."""

    moment: Moment
    session: str
    transcript: str = ""
    directory: str = ""
    prompt: str = ""
    source: str = ""  # startup, resume, clear, compact
    mode: str = ""
    agent_id: str = ""


class Hook(Record):
    """A hook as it is registered with the host."""

    event: str
    moment: Moment
    timeout: int  # seconds
    matcher: str = ""


class Host(Record):
    """`read` takes the event and what came with it, and returns None for a call that is not ours. `say` takes the event
    and a text for the model and formats the answer; it returns "" where the host ignores a text at this event.
    `notify` takes the answer of `say` and a line for the person, and adds the line so that the model does not see it;
    None where the host shows no such line. `replaces` says that what is told at a resumption takes the place of what
    was told at the start."""

    name: str
    hooks: tuple[Hook, ...]
    read: Callable[[str, Mapping[str, object]], Told | None]
    say: Callable[[str, str], str]
    replaces: bool = False
    notify: Callable[[str, str], str] | None = None
