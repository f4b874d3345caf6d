"""Search: relevance first, in coarse steps; within a step kind, strength and recency as in a brief; ties by id."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tacit.core.claim import KIND_RANK, Scope
from tacit.core.ranking import Newest
from tacit.core.status import Status
from tacit.core.text import fold, query_words
from tacit.index.reader import Entry, Found, Page, find

# A page of the worklog or a candidate is worth less than what somebody has accepted.
_WEIGHT = {Status.ACTIVE: 1.0, Status.PENDING: 0.8, Status.RETIRED: 0.5, Status.DISMISSED: 0.5}
_PAGE_WEIGHT = 0.7
PAGE_KINDS = ("worklog", "evaluation", "session")


class Query(NamedTuple):
    """A question and what may answer it. `scopes` of nothing means all; `since` is a UTC timestamp."""

    text: str
    limit: int = 10
    kind: str | None = None
    scopes: frozenset[Scope] | None = None
    since: str | None = None
    everything: bool = False


class Match(NamedTuple):
    """An answer and how well it fits, 0 to 1."""

    what: Entry | Page
    relevance: float


def search(connection: sqlite3.Connection, query: Query) -> list[Match]:
    """At most `limit` answers, each fact once."""
    words = query_words(query.text)
    look = query.limit + 10  # some to choose from: what is nearly as relevant may be more important
    while True:
        matches = find(connection, words, look)
        answers = list(_each_once(_ranked([found for found in matches.found if _fits(found.what, query)])))
        if matches.complete or len(answers) >= query.limit:
            return answers[: query.limit]
        look *= 8


def relevance(connection: sqlite3.Connection, task: str, limit: int = 256) -> dict[str, float]:
    """How much each memory has to do with a task, in tenths; those that have nothing are not in it."""
    found = find(connection, query_words(task), limit, memories=True).found
    best = max((match.score for match in found), default=0.0)
    return {match.what.id: _step(match.score, best) for match in found if isinstance(match.what, Entry)}


def _fits(what: Entry | Page, query: Query) -> bool:
    if query.scopes is not None and what.scope not in query.scopes:
        return False
    if query.since is not None and what.at < query.since:
        return False
    if isinstance(what, Page):
        return query.kind in (None, what.kind)
    if query.kind not in (None, what.kind.label):
        return False
    return query.everything or (what.status in (Status.ACTIVE, Status.PENDING) and what.overruled_by is None)


def _ranked(found: Sequence[Found]) -> list[Match]:
    weighed = [Match(match.what, match.score * _weight(match.what)) for match in found]
    best = max((match.relevance for match in weighed), default=0.0)
    return sorted((Match(what, _step(score, best)) for what, score in weighed), key=_order)


def _weight(what: Entry | Page) -> float:
    return _WEIGHT[what.status] if isinstance(what, Entry) else _PAGE_WEIGHT


def _step(score: float, best: float) -> float:
    return max(round(score / best, 1), 0.1) if best > 0 else 0.1


def _order(match: Match) -> tuple[float, int, int, Newest, str]:
    what = match.what
    if isinstance(what, Entry):
        return (-match.relevance, KIND_RANK[what.kind], -what.strength, Newest(what.last), what.id)
    return (-match.relevance, len(KIND_RANK), 0, Newest(what.event), what.event)


def _each_once(matches: Sequence[Match]) -> Iterator[Match]:
    seen: set[str] = set()
    for match in matches:
        fact = fold(match.what.sentence) if isinstance(match.what, Entry) else _page_once(match.what)
        if fact not in seen:
            seen.add(fact)
            yield match


def _page_once(page: Page) -> str:
    """Of the turns of one session, the best one answers for all."""
    return page.day if page.kind == "session" else page.event
