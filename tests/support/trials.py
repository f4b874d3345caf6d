"""A person who has a memory on trial, and sessions of which it is known how their coin falls."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from harness.person import NOW, Person
from harness.transcripts import Claude, Turn, lines, name_of, place

from tacit.model.coin import is_treated
from tests.support.hook_session import Sitting

RULE, OTHER = "never use npm here, use pnpm", "run the linter before each push"
GOOD, BAD = Turn("add zod", "pnpm add zod"), Turn("add zod", "npm install zod")
IDLE = Turn("what is in the readme?", "cat README.md")


class Trialist:
    """Somebody with one project and sessions of Claude Code in it. A session is an hour later than the one before."""

    def __init__(self, folder: Path, *rules: str, sessions: int = 40) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.person = Person(folder)
        self.work = self.person.repository("work", remote="git@example.org:kim/work.git")
        self.person.tacit("autocapture", "on")
        for rule in rules or (RULE, OTHER):
            self.person.tacit("add", rule, cwd=self.work)
        self.started = self.person.tacit(
            "trial", self.person.id_of((rules or (RULE,))[0]), "--sessions", str(sessions), "--json", cwd=self.work
        ).json
        self._names = {told: self._sessions(told) for told in (True, False)}
        self._hours = count(1)

    def beside(self, folder: Path) -> Trialist:
        """Another machine of the same person, which knows nothing yet."""
        other = copy(self)
        folder.mkdir()
        other.person = Person(folder)
        other.work = other.person.repository("work", remote="git@example.org:kim/work.git")
        other.person.tacit("autocapture", "on")
        other._names = {told: self._sessions(told, folder.name) for told in (True, False)}
        return other

    def _sessions(self, told: bool, *words: str) -> Iterator[str]:
        names = (name_of(number, *words) for number in count())
        return (name for name in names if is_treated(self.started["seed"], "claude", name) is told)

    def name(self, *, told: bool) -> str:
        """The next name of a session of which the coin falls so."""
        return next(self._names[told])

    def work_in(self, *turns: Turn, told: bool, source: str = "startup") -> str:
        """A session with these turns, captured and learned. Return what it was told at its start."""
        began = datetime.fromisoformat(NOW) + timedelta(hours=next(self._hours))
        session = self.name(told=told)
        heard = Sitting(self.person, session, self.work).start(source, TACIT_NOW=began.isoformat())
        writer = Claude(session, str(self.work), began + timedelta(minutes=1))
        for turn in turns:
            writer.turn(turn)
        self.end(session, writer, began)
        return heard

    def end(self, session: str, writer: Claude, began: datetime) -> None:
        file = place(self.person.folder, "claude", session)
        file.write_bytes(lines(writer.records))
        now = (began + timedelta(minutes=30)).isoformat()
        self.person.tacit("import", "transcripts", str(file), now=now)
        self.person.tacit("learn", now=now)

    @property
    def report(self) -> Any:
        """How the latest trial stands."""
        return self.person.tacit("trial", "--json").json[0]
