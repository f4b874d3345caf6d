"""A session: what a person and an agent said and did together, folded from its events. Nothing is invented.

A turn begins with a request. What the person says within it, when a call is turned down or a question is asked, belongs
to it. `core/recap.py`, which tells of it in a line, is loaded where that is asked for: it has many patterns.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property

from tacit.model.claim import Scope
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
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
    session_id,
)
from tacit.record import Record

_OPENING_KINDS = (PromptKind.TYPED, PromptKind.QUEUED, PromptKind.COMMAND)


class Turn(Record):
    """One request and what came of it. `event` is the first of it; `at` is the time on the wall where it happened,
    `ended` that of the last thing in it."""

    number: int
    event: EventId
    at: datetime
    ended: datetime
    prompts: tuple[PromptGiven, ...]
    steps: tuple[ReplyGiven | ToolUsed, ...]  # what the agent said and did, in order
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
    def title(self) -> str:
        from tacit.model import recap

        return recap.turn_title(self) or "(nothing was asked)"

    @property
    def outcome(self) -> str:
        """How it ended: the last result the agent told, or that it was stopped."""
        from tacit.model import recap

        return recap.turn_outcome(self)

    @property
    def failed_calls(self) -> tuple[ToolUsed, ...]:
        return tuple(call for call in self.calls if call.outcome is ToolOutcome.FAILED)


class SessionSummary(Record):
    """What a model said of a session, and how many of its turns went on or came after that."""

    event: EventId
    text: str
    model: str
    newer_turns: int


class Session:
    """One session. `scope` is the project that most of its requests were made in."""

    def __init__(self, agent: str, name: str, every: Sequence[Event]) -> None:
        events = [event for event in every if not isinstance(event.body, SessionSummarized | SessionTitled)]
        self.agent = agent
        self.name = name
        self.id = session_id(agent, name)
        self.turns = tuple(_split_turns(events))
        self.scope = _main_scope(events)
        self.directory = _first_field(events, "directory")
        self.branch = _first_field(events, "branch")
        self.began = local_time(events[0].origin)
        self.ended = local_time(events[-1].origin)
        self.last_compacted_at = max(
            (event.at for event in events if isinstance(event.body, SessionCompacted)), default=None
        )
        self.summary = _newest_summary(every, self.turns)
        self.host_title = _host_title(every)

    @property
    def page_name(self) -> str:
        """What its page is called: by its day, so that a folder of them is in order."""
        return f"{self.began:%Y-%m-%d}-{_slug(self.agent)}-{self.id}"

    @cached_property
    def title(self) -> str:
        """The name it has in its host, else what it was about (see `core/recap.py`)."""
        from tacit.model import recap

        return recap.session_title(self.host_title, self.turns)

    @cached_property
    def outcome(self) -> str:
        """How it ended, and whether something was left open."""
        from tacit.model import recap

        return recap.session_outcome(self.turns)

    @property
    def searchable_parts(self) -> list[Turn | SessionSummary]:
        """What a question can find: its turns, and what a model said of them all."""
        return [*self.turns, *([self.summary] if self.summary else [])]

    @property
    def requests(self) -> list[str]:
        return [turn.request for turn in self.turns if turn.prompts]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """What was changed, in the order of the first change, as seen from where the session began."""
        named = (
            self.relative_path(file, call.directory)
            for turn in self.turns
            for call in turn.calls
            for file in call.files
        )
        return tuple(dict.fromkeys(named))

    @cached_property
    def tools(self) -> tuple[tuple[str, int], ...]:
        """The tools and how often each was used, the most used first."""
        counts = Counter(call.tool for turn in self.turns for call in turn.calls)
        return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    @property
    def compactions(self) -> int:
        return sum(turn.compacted for turn in self.turns)

    @property
    def commits(self) -> list[str]:
        """The subjects of commits that were made; empty where the command does not tell it."""
        from tacit.model import recap

        return recap.commit_subjects(self.turns)

    @property
    def pull_requests(self) -> list[str]:
        """The titles of pull requests that were opened."""
        from tacit.model import recap

        return recap.pull_request_titles(self.turns)

    def calls_of(self, act: ToolAction) -> Iterator[ToolUsed]:
        return (call for turn in self.turns for call in turn.calls if call.act is act)

    def relative_path(self, file: str, directory: str = "") -> str:
        """A path relative to where the session began, if it lies below; else whole."""
        whole = posixpath.normpath(posixpath.join(directory or self.directory, file))
        here = self.directory.rstrip("/")
        return whole[len(here) + 1 :] if here and whole.startswith(here + "/") else whole


def fold_session(agent: str, name: str, events: Iterable[Event]) -> Session:
    """The session of these events, whatever order they come in. Something must have been said in it."""
    return Session(agent, name, sorted(events, key=_event_order))


def _event_order(event: Event) -> tuple[datetime, bool, EventId]:
    """By when it was; of one moment, a request comes before what it led to."""
    return event.at, not isinstance(event.body, PromptGiven), event.id


def _split_turns(events: Sequence[Event]) -> Iterator[Turn]:
    gathered: list[Event] = []
    number = 0
    for event in events:
        if gathered and isinstance(event.body, PromptGiven) and event.body.how in _OPENING_KINDS:
            number += 1
            yield _make_turn(number, gathered)
            gathered = []
        gathered.append(event)
    if gathered:
        yield _make_turn(number + 1, gathered)


def _make_turn(number: int, events: Sequence[Event]) -> Turn:
    bodies = [event.body for event in events]
    marks = [body for body in bodies if isinstance(body, TurnInterrupted | ReplyGiven)]
    return Turn(
        number,
        events[0].id,
        local_time(events[0].origin),
        local_time(events[-1].origin),
        tuple(body for body in bodies if isinstance(body, PromptGiven)),
        tuple(body for body in bodies if isinstance(body, ReplyGiven | ToolUsed)),
        bool(marks) and isinstance(marks[-1], TurnInterrupted),
        any(isinstance(body, SessionCompacted) for body in bodies),
    )


def _newest_summary(events: Sequence[Event], turns: Sequence[Turn]) -> SessionSummary | None:
    """The newest that has words."""
    told = {event.id: event.body for event in events if isinstance(event.body, SessionSummarized) and event.body.text}
    if not told:
        return None
    newest = max(told)
    body = told[newest]
    behind = sum(timestamp(turn.ended) > body.until for turn in turns)
    return SessionSummary(newest, body.text, body.model, behind)


def _host_title(events: Sequence[Event]) -> str:
    """The newest title that the person gave it, else the newest by its host."""
    titles = [event.body for event in events if isinstance(event.body, SessionTitled) and event.body.text.strip()]
    by_person = [body for body in titles if body.by is TitleAuthor.PERSON]
    return (by_person or titles or [SessionTitled("", "")])[-1].text


def _main_scope(events: Sequence[Event]) -> Scope:
    asked = [event.scope for event in events if isinstance(event.body, PromptGiven)]
    counts = Counter(asked or [event.scope for event in events])
    return max(counts, key=counts.__getitem__)  # the first of those that are equally frequent


def _first_field(events: Sequence[Event], field: str) -> str:
    return next((found for event in events if (found := getattr(event.body, field, ""))), "")


def _slug(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isascii() and letter.isalnum()) or "agent"
