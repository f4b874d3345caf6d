"""A team whose members come and go: random work with proposals, decisions, kills of syncs and a server that is down.

After every sync that reached the server, a home holds what its person said, and what the team has accepted in the
projects that they joined and are a member of at that moment: nothing else, and nothing of it is missing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from harness.postgres import SUPERUSER, Cluster
from psycopg import sql

from tacit.errors import RefusedError
from tacit.model.event import EventsUndone
from tacit.postgres import connect
from tacit.team import exchange, schema
from tacit.team.client import TeamServer as Client
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, memory_id

_STEPS = 24
_PEOPLE = ("alice", "bob", "carol")
_CURATORS = ("bob",)
_PROJECTS = (PROJECT, "github.com/acme/web")
_MAX_KILL_SECONDS = 0.5
_REACHED = "Team /"  # what a sync says that had an answer


@dataclass(frozen=True, slots=True)
class Plan:
    folder: str
    first: int
    stories: int
    mutant: str = ""


class Story:
    """One story of one team with a database of its own."""

    def __init__(self, plan: Plan, number: int, cluster: Cluster) -> None:
        self.number, self.log, self.acknowledged = number, [f"seed {number}"], 0
        self._random = random.Random(number)
        self._cluster, self._server = cluster, TeamServer(cluster)
        for name in _PEOPLE:
            self._server.add(name, *_PROJECTS, curator=name in _CURATORS)
            cluster.execute(sql.SQL("alter role {} login").format(sql.Identifier(name)))  # roles outlive a story
        folder = Path(plan.folder) / f"story{number}"
        folder.mkdir(parents=True)
        self._people = [Teammate(folder / name, name, self._server) for name in _PEOPLE]
        self._folders: dict[tuple[str, str], Path] = {}
        self._own: dict[str, set[str]] = {name: set() for name in _PEOPLE}
        self._shared: list[tuple[str, str]] = []  # who, and the id of what was proposed and acknowledged
        for person in self._people:
            for project in _PROJECTS:
                name = project.rpartition("/")[2]
                self._folders[person.name, project] = person.repository(name, f"https://{project}.git")
            person.join()

    def run(self) -> list[str]:
        steps: list[Callable[[Teammate], Iterator[str]]] = [
            *(self._share, self._share, self._decide, self._decide, self._retire, self._remove, self._remove),
            *(
                self._add,
                self._revoke,
                self._join,
                self._kill,
                self._down,
                self._bar,
                self._sync,
                self._sync,
                self._sync,
            ),
        ]
        faults: list[str] = []
        for _ in range(_STEPS):
            step, person = self._random.choice(steps), self._random.choice(self._people)
            self.log.append(f"{step.__name__} {person.name}")
            faults += step(person)
        self.log.append("the end")
        self._cluster.start()
        for person in self._people:
            self._cluster.execute(sql.SQL("alter role {} login").format(sql.Identifier(person.name)))
        for person in [*self._people, *self._people]:
            faults += self._sync(person, must_reach=True)
        return faults + [
            f"{claim} of {name} is lost" for name, claim in self._shared if not self._is_known(name, claim)
        ]

    # What people do

    def _share(self, person: Teammate) -> Iterator[str]:
        project = self._random.choice(_PROJECTS)
        if project not in _joined(person):
            return
        text = f"rule {len(self._own[person.name])} of {person.name} for {project.rpartition('/')[2]}"
        cwd = self._folders[person.name, project]
        person.tacit("add", text, "--private", cwd=cwd)
        self._own[person.name].add(text)
        claim = memory_id(text, project)
        if person.tacit("share", claim, cwd=cwd, code=None).code in (0, 1):
            self._shared.append((person.name, claim))
            self.acknowledged += 1
        yield from ()

    def _decide(self, person: Teammate) -> Iterator[str]:
        yield from self._sync(curator := self._people[1])
        for proposal in curator.here("team", "review", "--json", code=None).json or []:
            verb = self._random.choice(("accept", "accept", "accept", "decline"))
            curator.here("team", verb, proposal["id"], code=None)

    def _retire(self, person: Teammate) -> Iterator[str]:
        accepted = [memory for memory in _team(self._people[1])["team_memories"] if memory["status"] == "accepted"]
        if accepted:
            self._people[1].here("team", "retire", self._random.choice(accepted)["id"], code=None)
        yield from ()

    def _join(self, person: Teammate) -> Iterator[str]:
        person.tacit("team", "join", person.url, "--yes", cwd=person.clone, code=None)
        yield from ()

    def _kill(self, person: Teammate) -> Iterator[str]:
        process = person.start("sync", cwd=person.clone)
        time.sleep(self._random.uniform(0.05, _MAX_KILL_SECONDS))
        process.kill()
        process.communicate()
        yield from ()

    def _sync(self, person: Teammate, *, must_reach: bool = False) -> Iterator[str]:
        said = person.sync(code=None).out
        if _REACHED not in said:
            if must_reach:
                yield f"story {self.number}: {person.name} gets no answer: {said}"
            return
        held, wanted = set(person.memories()), self._own[person.name] | self._accepted(person)
        for text in held - wanted:
            yield f"story {self.number}: {person.name} still holds {text!r} ({', '.join(sorted(_joined(person)))})"
        for text in wanted - held:
            yield f"story {self.number}: {person.name} misses {text!r}"
        if extra := _joined(person) - self._memberships(person.name):
            yield f"story {self.number}: {person.name} counts as a member of {extra}"

    # What the administrator does

    def _remove(self, person: Teammate) -> Iterator[str]:
        """From one project or from all, by the commands' own functions, which also take the role at the end."""
        projects = sorted(self._memberships(person.name, with_role=False))
        if projects and self._is_up():
            project = self._random.choice([*projects, None])
            with connect(self._server.url(SUPERUSER)) as admin:
                schema.remove_member(admin, person.name, project)
        yield from ()

    def _add(self, person: Teammate) -> Iterator[str]:
        if self._is_up():
            self._cluster.execute(sql.SQL("alter role {} login").format(sql.Identifier(person.name)))
            with connect(self._server.url(SUPERUSER)) as admin:
                project, curator = self._random.choice(_PROJECTS), person.name in _CURATORS
                schema.add_member(admin, person.name, project, curator=curator)
        yield from ()

    def _revoke(self, person: Teammate) -> Iterator[str]:
        if self._is_up():
            with self._server.session(SUPERUSER) as admin:
                for curator in (True, False):
                    admin.execute("select tacit.revoke_role(%s, %s)", [person.name, curator])
        yield from ()

    def _down(self, person: Teammate) -> Iterator[str]:
        """The server goes down, or comes up again."""
        if self._is_up():
            self._cluster.stop(immediately=False)  # this one keeps nothing on a disk: a crash would lose what is new
        else:
            self._cluster.start()
        yield from ()

    def _bar(self, person: Teammate) -> Iterator[str]:
        """The server refuses somebody's login, or lets them in again."""
        if self._is_up():
            statement = sql.SQL("alter role {} " + self._random.choice(("login", "nologin")))
            self._cluster.execute(statement.format(sql.Identifier(person.name)))
        yield from ()

    # What is true

    def _is_up(self) -> bool:
        return self._cluster.is_running

    def _memberships(self, name: str, *, with_role: bool = True) -> set[str]:
        if not self._is_up():
            return set()
        with self._server.session(SUPERUSER) as admin:
            rows = admin.execute(
                "select project from tacit.membership where member = %s and (not %s or tacit.has_role(%s, false))",
                [name, with_role, name],
            ).fetchall()
        return {str(project) for (project,) in rows}

    def _accepted(self, person: Teammate) -> set[str]:
        """What the table of events says, read by nobody's code but this."""
        with self._server.session(SUPERUSER) as admin:
            rows = admin.execute("select id::text, project, kind, memory, body from tacit.event order by xid, seq")
            proposed: dict[str, str] = {}
            accepted: dict[tuple[str, str], str] = {}
            for event, project, kind, memory, body in rows.fetchall():
                key = str(project), str(memory)
                if kind == "proposed":
                    proposed[str(event)] = dict(body)["sentence"]  # type: ignore[call-overload]
                elif kind == "accepted":
                    accepted[key] = proposed[dict(body)["proposal"]]  # type: ignore[call-overload]
                elif kind == "retired":
                    accepted.pop(key, None)
        joined = _joined(person) & self._memberships(person.name)
        return {text for (project, _), text in accepted.items() if project in joined}

    def _is_known(self, name: str, claim: str) -> bool:
        """Whether a proposal is on the server, or still in the queue of who made it."""
        with self._server.session(SUPERUSER) as admin:
            found = admin.execute("select from tacit.event where memory = %s and kind = 'proposed'", [claim]).fetchall()
        person = next(person for person in self._people if person.name == name)
        return bool(found) or any(entry["id"] == claim for entry in _team(person)["queued"])


def _team(person: Teammate) -> Any:
    return person.here("team", "--json").json


def _joined(person: Teammate) -> set[str]:
    return {project["scope"].removeprefix("project:") for project in _team(person)["team_projects"]}


def stories(plan: Plan) -> Outcome:
    """With a server of their own."""
    if plan.mutant:
        MUTANTS[plan.mutant](pytest.MonkeyPatch())  # never undone: this process is for the mutant alone
    cluster, faults, acknowledged = Cluster(), [], 0
    try:
        for number in range(plan.first, plan.first + plan.stories):
            cluster.start()
            story = Story(plan, number, cluster)
            try:
                wrong = story.run()
            except Exception as error:
                wrong = [f"story {number}: {type(error).__name__}: {error}"]
            if wrong:
                faults += [*wrong, f"story {number}: {', '.join(story.log)}"]
            acknowledged += story.acknowledged
            if wrong and plan.mutant:
                break
    finally:
        cluster.remove()
    return Outcome(plan.stories, acknowledged, sum("is lost" in fault for fault in faults), tuple(faults))


# Mutants: programs that leave out one step


def _keep(patch: pytest.MonkeyPatch) -> None:
    """What was accepted is added, and never taken back."""
    whole = exchange.reconcile

    def adding(*given: Any) -> list[Any]:
        return [draft for draft in whole(*given) if not isinstance(draft.body, EventsUndone)]

    patch.setattr(exchange, "reconcile", adding)


def _unanswered(patch: pytest.MonkeyPatch) -> None:
    """That one has no role is a failure, as when the server is down."""
    whole = Client._ask_standing

    def standing(self: Client) -> Any:
        if not (found := whole(self))[-1].projects:
            raise RefusedError("the server has no team's schema that you may use")
        return found

    patch.setattr(Client, "_ask_standing", standing)


def _dropped(patch: pytest.MonkeyPatch) -> None:
    """What waits for a project that ended is thrown away."""
    whole = exchange.TeamExchange._exchange

    def dropping(self: Any, *given: Any) -> Any:
        result = whole(self, *given)
        for refused in result.refused:
            self._files.unqueue(refused.entry.id)
        return result

    patch.setattr(exchange.TeamExchange, "_exchange", dropping)


MUTANTS = {"keep": _keep, "unanswered": _unanswered, "dropped": _dropped}
_WORDS = {"keep": "still holds", "unanswered": "gets no answer", "dropped": "is lost"}


def test_after_any_story_homes_hold_what_the_team_accepted_where_one_is_a_member(tmp_path: Path) -> None:
    assert_held(apart(stories, Plan(str(tmp_path), first=0, stories=2)), acknowledged=2)


def rows(short: bool) -> Iterator[Row]:
    def some(at: Path, first: int, count: int, **more: Any) -> Outcome:
        return apart(stories, Plan(str(at), first, count, **more))

    for part, count in enumerate((6,) if short else (150, 150)):
        yield Row(f"M4 members come and go {part + 1}", partial(some, first=part * count, count=count))
    for mutant in MUTANTS:
        yield mutant_row(f"M4 mutant: {mutant}", partial(some, first=1000, count=30, mutant=mutant), _WORDS[mutant])
