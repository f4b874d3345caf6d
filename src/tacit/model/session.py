"""Sessions of a person and an agent, folded from their events.

A turn begins with a request. Answers to a question and reasons for a rejection belong to the turn they are given in.
Titles and outcomes are in `model/recap.py`.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from tacit.model.claim import Kind
from tacit.model.event import Event, local_time, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import (
    PromptGiven,
    PromptKind,
    ReplyGiven,
    SessionCompacted,
    SessionSummarized,
    SessionTitled,
    TitleAuthor,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
    session_id,
)
from tacit.record import Record

_OPENING_KINDS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.COMMAND)


class Turn(Record):
    """One request and what followed. `event` is its first event. Times are local."""

    number: int
    event: EventId
    started_at: datetime
    ended_at: datetime
    prompts: tuple[PromptGiven, ...]
    steps: tuple[ReplyGiven | ToolUsed, ...]  # of the agent, in order
    interrupted: bool = False
    compacted: bool = False

    @property
    def replies(self) -> list[str]:
        return [step.text for step in self.steps if isinstance(step, ReplyGiven)]

    @property
    def calls(self) -> list[ToolUsed]:
        return [step for step in self.steps if isinstance(step, ToolUsed)]

    @property
    def request(self) -> str:
        return self.prompts[0].text if self.prompts else ""

    @property
    def failed_calls(self) -> tuple[ToolUsed, ...]:
        return tuple(call for call in self.calls if call.outcome is ToolOutcome.FAILED)


class SessionSummary(Record):
    """A model's summary of a session, and how many turns ended after it."""

    event: EventId
    text: str
    model: str
    newer_turns: int


class Session:
    """One session. `scope` is that of most of its requests; `host_title` the newest by the person, else by the host."""

    def __init__(self, agent: str, host_session_id: str, all_events: Sequence[Event]) -> None:
        events = [event for event in all_events if not isinstance(event.body, SessionSummarized | SessionTitled)]
        self.agent = agent
        self.host_session_id = host_session_id
        self.id = session_id(agent, host_session_id)
        self.turns = tuple(_split_turns(events))
        scopes = Counter(event.scope for event in events if isinstance(event.body, PromptGiven))
        scopes = scopes or Counter(event.scope for event in events)
        self.scope = max(scopes, key=scopes.__getitem__)  # the first of equally frequent ones
        self.directory = _first_field(events, "directory")
        self.branch = _first_field(events, "branch")
        self.started_at = local_time(events[0].origin)
        self.ended_at = local_time(events[-1].origin)
        compactions = [event.at for event in events if isinstance(event.body, SessionCompacted)]
        self.last_compacted_at = max(compactions, default=None)
        self.summary = _newest_summary(all_events, self.turns)
        titles = [
            event.body for event in all_events if isinstance(event.body, SessionTitled) and event.body.text.strip()
        ]
        by_person = [title for title in titles if title.by is TitleAuthor.PERSON]
        self.host_title = next((title.text for title in reversed(by_person or titles)), "")

    @property
    def page_name(self) -> str:
        """The name of its page. It begins with the day, so that a folder of pages is sorted."""
        slug = "".join(letter for letter in self.agent.lower() if letter.isascii() and letter.isalnum()) or "agent"
        return f"{self.started_at:%Y-%m-%d}-{slug}-{self.id}"

    @property
    def searchable_parts(self) -> list[Turn | SessionSummary]:
        """What a query can find: the turns, and the summary by a model."""
        return [*self.turns, *([self.summary] if self.summary else [])]

    @property
    def requests(self) -> list[str]:
        return [turn.request for turn in self.turns if turn.prompts]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The changed files in the order of their first change, relative to where the session began."""
        calls = [call for turn in self.turns for call in turn.calls]
        return tuple(dict.fromkeys(self.relative_path(file, call.directory) for call in calls for file in call.files))

    @cached_property
    def tools(self) -> tuple[tuple[str, int], ...]:
        """The tools with their number of calls, the most used first."""
        counts = Counter(call.tool for turn in self.turns for call in turn.calls)
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def compactions(self) -> int:
        return sum(turn.compacted for turn in self.turns)

    def relative_path(self, file: str, directory: str = "") -> str:
        """Return the path relative to where the session began if it is below, else the whole path."""
        whole = posixpath.normpath(posixpath.join(directory or self.directory, file))
        start = self.directory.rstrip("/")
        return whole[len(start) + 1 :] if start and whole.startswith(start + "/") else whole


def fold_session(agent: str, host_session_id: str, events: Iterable[Event]) -> Session:
    """Return the session of these events, which may be in any order.

    At least one must be something else than a title or a summary. A request sorts before what else has the same time.
    """

    def order(event: Event) -> tuple[datetime, bool, EventId]:
        return event.at, not isinstance(event.body, PromptGiven), event.id

    return Session(agent, host_session_id, sorted(events, key=order))


def _split_turns(events: Sequence[Event]) -> Iterator[Turn]:
    turn: list[Event] = []
    number = 1
    for event in events:
        if turn and isinstance(event.body, PromptGiven) and event.body.how in _OPENING_KINDS:
            yield _make_turn(number, turn)
            number += 1
            turn = []
        turn.append(event)
    if turn:
        yield _make_turn(number, turn)


def _make_turn(number: int, events: Sequence[Event]) -> Turn:
    bodies = [event.body for event in events]
    ends = [body for body in bodies if isinstance(body, TurnInterrupted | ReplyGiven)]  # a reply after it goes on
    return Turn(
        number,
        events[0].id,
        local_time(events[0].origin),
        local_time(events[-1].origin),
        tuple(body for body in bodies if isinstance(body, PromptGiven)),
        tuple(body for body in bodies if isinstance(body, ReplyGiven | ToolUsed)),
        bool(ends) and isinstance(ends[-1], TurnInterrupted),
        any(isinstance(body, SessionCompacted) for body in bodies),
    )


def _newest_summary(events: Sequence[Event], turns: Sequence[Turn]) -> SessionSummary | None:
    bodies = {event.id: event.body for event in events if isinstance(event.body, SessionSummarized) and event.body.text}
    if not bodies:
        return None
    newest = max(bodies)
    body = bodies[newest]
    newer_turns = sum(timestamp(turn.ended_at) > body.until for turn in turns)
    return SessionSummary(newest, body.text, body.model, newer_turns)


def _first_field(events: Sequence[Event], field: str) -> str:
    return next((value for event in events if (value := getattr(event.body, field, ""))), "")


# Whether what an agent was told was followed. Only memories about commands, their order and files can be checked
# (`learn/adherence.py`). The result of every other memory is unknown, and unknown is never counted.

MIN_VIOLATIONS = 2  # sessions that violated a memory before the person is asked about it
MAX_RANK_CHANGE = 0.15
_PRIOR_CHECKS = 4  # sessions without effect on the rank: a single session moves it little


class Adherence(StrEnum):
    """What the tool calls of one session show about a memory that the agent was told before them."""

    UNKNOWN = ""
    FOLLOWED = "followed"
    VIOLATED = "violated"
    STOPPED = "stopped"  # a guard of the person stopped what would have violated it
    NOT_APPLICABLE = "not_applicable"  # the session did nothing that the memory is about


class Outcome(StrEnum):
    """What a figure counts sessions by."""

    TOLD = "told"
    FOLLOWED = "followed"
    VIOLATED = "violated"
    STOPPED = "stopped"
    SPARED = "spared"  # a memory that came from a correction was told and followed


class AdherenceCounts(Record):
    """In how many sessions a memory was told, followed, violated, not applicable, stopped by a guard, and corrected."""

    injected: int = 0
    followed: int = 0
    violated: int = 0
    not_applicable: int = 0
    stopped: int = 0
    corrected: int = 0

    @property
    def checked(self) -> int:
        return self.followed + self.violated + self.not_applicable + self.stopped

    @property
    def unknown(self) -> int:
        """The sessions without a result. A session that was purged or not captured has none."""
        return max(self.injected - self.checked, 0)


def combined(results: Iterable[Adherence]) -> Adherence:
    """Return the result of several expectations together: one violation is a violation, one that a guard stopped is
    not followed, whatever the agent did then, and one that is not known leaves the rest unknown."""
    present = set(results)
    order = (
        *(Adherence.VIOLATED, Adherence.STOPPED, Adherence.UNKNOWN),
        *(Adherence.FOLLOWED, Adherence.NOT_APPLICABLE),
    )
    return next((result for result in order if result in present), Adherence.UNKNOWN)


def rank_factor(counts: AdherenceCounts, kind: Kind) -> float:
    """Return what the relevance of a memory is multiplied with: 1 without checks, at most MAX_RANK_CHANGE away from it.

    A memory rises if it was followed, and falls if it did not apply or was corrected. Violations change nothing: the
    memory applied, and telling it was not enough. Constraints never fall.
    """
    gain = counts.followed - counts.not_applicable - counts.corrected
    if kind is Kind.CONSTRAINT:
        gain = max(gain, 0)
    return 1 + MAX_RANK_CHANGE * gain / (counts.checked + counts.corrected + _PRIOR_CHECKS)
