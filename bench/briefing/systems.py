"""Who gives what at a prompt: Tacit as its hooks do, two baselines, and one that knows what will bear on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from bench.briefing.home import Given, Item, ReplayHome
from bench.briefing.recorded import Part, RecordedSession
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.text.display import clip
from tacit.text.words import estimate_tokens, tokenize

_LAST, _FOUND = 3, 5
_TITLE, _OUTCOME = 100, 160  # characters, as in what Tacit says of a session
_ASKED_FOR = 64  # words of a prompt


class Moment(NamedTuple):
    """A prompt, and what is known before it. `already` are the ids that this session was given by the same system and
    has not forgotten; `bearing` is for one system alone."""

    recorded: RecordedSession
    part: Part
    start: bool
    source: str
    sessions: Sequence[SessionRow]  # the latest first
    memories: Sequence[MemoryRow]
    texts: Mapping[str, str]  # all that was said in each session
    already: frozenset[str] = frozenset()
    bearing: Collection[str] = ()

    def items(self, names: Iterable[str]) -> Iterator[Item]:
        """Lines for memories and sessions, as short as they can be; nothing twice."""
        lines = {str(row.id): _session_line(row) for row in self.sessions}
        lines |= {str(entry.id): f"- {entry.sentence} ({entry.id})" for entry in self.memories}
        return (Item(name, lines[name]) for name in names if name not in self.already)


class System(Protocol):
    name: str

    def give(self, moment: Moment) -> Given: ...


class Tacit:
    """What the hooks at the start of a session and at a prompt would say."""

    name = "Tacit"

    def __init__(self, home: ReplayHome) -> None:
        self._home = home

    def give(self, moment: Moment) -> Given:
        return self._home.give(moment.recorded, moment.part, start=moment.start, source=moment.source)


class LastSessions:
    """At the start of a session, the last three of the project."""

    name = "last three sessions"

    def give(self, moment: Moment) -> Given:
        return _given(moment.items(row.id for row in moment.sessions[:_LAST])) if moment.start else Given()


class PlainSearch:
    """At every prompt, the first five that any of its words find."""

    name = "plain search"

    def give(self, moment: Moment) -> Given:
        texts = dict(moment.texts)
        texts.update((entry.id, entry.sentence) for entry in moment.memories)
        return _given(moment.items(found(moment.part.prompt, texts, _FOUND)))


class Oracle:
    """All that bears on the prompt and nothing else: what could be had at best."""

    name = "all that bears"

    def give(self, moment: Moment) -> Given:
        return _given(moment.items(moment.bearing))


def found(question: str, texts: Mapping[str, str], most: int) -> list[str]:
    """The names of texts by BM25 of SQLite, any word will do; what is equally good in the order of its name."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(name UNINDEXED, text, tokenize = 'porter')")
    connection.executemany("INSERT INTO texts VALUES (?, ?)", sorted(texts.items()))
    asked = " OR ".join(f'"{word}"' for word in _plain_words(question))
    query = "SELECT name FROM texts WHERE texts MATCH ? ORDER BY rank, rowid LIMIT ?"
    names = [str(name) for (name,) in connection.execute(query, (asked, most))] if asked else []
    connection.close()
    return names


def said_in(parts: Iterable[Part]) -> str:
    """What the person and the agent said."""
    said = [(*(prompt.text for prompt in part.turn.prompts), *part.turn.replies) for part in parts]
    return "\n".join(text for several in said for text in several)


def _plain_words(question: str) -> list[str]:
    kept = (word.replace('"', "") for word in tokenize(question.replace("\0", " ")))
    return list(dict.fromkeys(word for word in kept if word))[:_ASKED_FOR]


def _given(items: Iterable[Item]) -> Given:
    every = tuple(items)
    return Given(every, estimate_tokens("\n".join(item.line for item in every)))


def _session_line(row: SessionRow) -> str:
    outcome = f" Outcome: {clip(row.outcome, _OUTCOME)}" if row.outcome else ""
    return f"- [{row.ended_at[:10]}] {clip(row.title, _TITLE)}{outcome} ({row.id})"
