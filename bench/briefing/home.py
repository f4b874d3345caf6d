"""A home in which sessions are replayed. What happens in it is Tacit's part: it captures, learns and gives.

The one thing that a person would do is done for them: whatever is suggested is accepted, as soon as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple

from bench.briefing.recorded import Part, RecordedSession
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.home.project import Project
from tacit.home.settings import Settings
from tacit.hosts.capture import EventBuilder
from tacit.index import sessions
from tacit.index.sessions import SessionRow
from tacit.inject import AgentSession, Injector
from tacit.model.claim import Scope, Status
from tacit.model.ids import EventId
from tacit.model.observation import BriefInjected, PromptGiven, ToolAction
from tacit.text.words import estimate_tokens
from tacit.vault import Vault

_HOST = "replay"


class Item(NamedTuple):
    """A thing that is told: the id of a memory or a session, or the path of an edited file, and the line about it."""

    id: str
    line: str


class Given(NamedTuple):
    """What is told at one prompt or edit, and what all of it costs. Where a session stands is a cost and no item."""

    items: tuple[Item, ...] = ()
    tokens: int = 0


class ReplayHome:
    """One home with the projects of all sessions."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._root = os.path.join(folder, "home")
        self._now = datetime(1970, 1, 1, tzinfo=UTC)
        self._actor = Actor(lambda: self._now, host=_HOST)
        self._numbers = count(1)
        self._vault = Vault(self._opened("/"))
        self._seen_events: set[EventId] = set()
        self.builder = EventBuilder(_HOST, folder)

    def close(self) -> None:
        self._vault.close()

    def at(self, moment: datetime) -> None:
        self._now = moment

    def capture(self, part: Part) -> None:
        self._vault.home.store.append_chosen(lambda _connection, _unindexed: part.events, lambda _connection: None)
        self._vault.home.store.catch_up()

    def learn(self) -> None:
        for row in self._vault.learning.unlearned_sessions():
            self._vault.learning.learn_from_session(row)
        for one in self._vault.search.listing(status=Status.PENDING, scope="all"):
            self._vault.memories.accept(one.memory.id)

    def give(self, recorded: RecordedSession, part: Part, *, start: bool, source: str) -> Given:
        """What the hooks of this session's host would tell: at its start, where this is one, and at the prompt."""
        branch = next((event.body.branch for event in part.events if isinstance(event.body, PromptGiven)), "")
        agent_session = AgentSession(recorded.session.agent, recorded.session.host_session_id, source, branch=branch)
        with self._opened(recorded.root) as home:
            if not os.path.isdir(recorded.root):  # a project of another machine
                home.store.project = Project(recorded.root, (recorded.root,))
            text = Injector(home).inject(agent_session, start=start, prompt=part.prompt)
        return Given(tuple(self._items(text)), estimate_tokens(text))

    def edit(self, recorded: RecordedSession, part: Part, path: str) -> Given:
        """What the hook at the first edit of a file would tell: it knows the text of that edit, and of no later one."""
        agent_session = AgentSession(recorded.session.agent, recorded.session.host_session_id)
        with self._opened(recorded.root) as home:
            home.store.project = Project(recorded.folder, (recorded.folder,))
            changes = (call.change for call in part.turn.calls if call.act is ToolAction.CHANGED and path in call.files)
            text = Injector(home).at_edit(agent_session, [os.path.join(recorded.folder, path)], next(changes, ""))
        line = next((line for line in text.split("\n") if line.startswith("For reference")), "")
        self._new_injections()
        return Given((Item(path, line),) if line else (), estimate_tokens(text))

    def rows(self, scope: Scope) -> list[SessionRow]:
        """The sessions of a project, the latest first."""
        return self._vault.home.store.read(lambda connection: sessions.session_rows(connection, scope))

    def _opened(self, cwd: str) -> Home:
        """Chance is counted and the clock is set, so that every replay is the same."""
        return Home(
            self._root,
            cwd=cwd,
            environment={"HOME": self._folder},
            actor=self._actor,
            settings=Settings(),
            entropy=lambda: next(self._numbers).to_bytes(10, "big"),
        )

    def _items(self, text: str) -> Iterator[Item]:
        """By what was recorded of the giving; the line of each ends with its id."""
        lines = text.split("\n")
        for one in self._new_injections():
            for name in (*one.memories, *one.sessions):
                yield Item(name, next(line for line in lines if line.endswith(f"({name})")))

    def _new_injections(self) -> list[BriefInjected]:
        """Return what was recorded of the last giving, in its order."""
        new = [one.event for one in self._vault.sessions.injected(limit=2) if one.event.id not in self._seen_events]
        self._seen_events.update(event.id for event in new)
        return [event.body for event in reversed(new) if isinstance(event.body, BriefInjected)]
