"""What people do at a team's server, for `bench.team_scale`: with the code of Tacit's client, again and again."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

from bench.crowd import Work
from bench.team_made import MadeServer
from tacit.postgres import connect
from tacit.team.client import TeamServer, open_server
from tacit.team.events import Position
from tacit.team.store import Outgoing, OutgoingVerb

_WORDS = "Run the build step before the deploy step: it writes what the other one reads, and number"


def person_of(server: MadeServer, nr: int) -> int:
    """One of those who are in the two projects of everybody and in two or three others."""
    members = server.team.members
    return members // 5 + nr * 97 % (members - members // 5)


def pulling(url: Callable[[int], str], after: Position, *, fresh: bool) -> Work:
    def person(nr: int) -> Callable[[], int]:
        if fresh:
            return lambda: pull_afresh(url(nr), after)
        server = TeamServer(connect(url(nr)))
        pages_after(server, after)
        return lambda: 1 if pages_after(server, after) >= 0 else 0

    return person


def pages_after(server: TeamServer, after: Position) -> int:
    return sum(map(len, server.events_after(after)))


def pull_afresh(url: str, after: Position) -> int:
    with open_server(url) as server:
        pages_after(server, after)
    return 1


def reading_pages(url: Callable[[int], str]) -> Work:
    """Read a large project from its beginning; a unit is a page of 1,000 events."""

    def person(nr: int) -> Callable[[], int]:
        server = TeamServer(connect(url(nr)))
        pages = iter(server.events_after(Position()))

        def turn() -> int:
            nonlocal pages
            if next(pages, None) is None:
                pages = iter(server.events_after(Position()))
                next(pages)
            return 1

        turn()
        return turn

    return person


def pushing(url: Callable[[int], str], project: Callable[[int], str], events: int, *, fresh: bool) -> Work:
    def person(nr: int) -> Callable[[], int]:
        if fresh:
            return lambda: push_afresh(url(nr), project(nr), events)
        server = TeamServer(connect(url(nr)))
        send(server, project(nr), events)
        return lambda: send(server, project(nr), events)

    return person


def push_afresh(url: str, project: str, events: int) -> int:
    with open_server(url) as server:
        return send(server, project, events)


def send(server: TeamServer, project: str, events: int) -> int:
    entries = [_proposal(project) for _ in range(events)]
    _, refused = server.send(entries)
    assert not refused, refused[0].problem
    return 1


def _proposal(project: str) -> Outgoing:
    chance = uuid.uuid4().hex
    made = f"{time.time_ns() // 1_000_000:012x}7{chance[1:4]}8{chance[5:20]}"
    sentence = f"{_WORDS} {chance} depends on it."
    entry = Outgoing(OutgoingVerb.PROPOSED, project, chance[:12], str(uuid.UUID(made)), sentence=sentence)
    return entry._replace(kind="rule", tags=("build", "deploy"))
