"""Search: relevance first, in coarse steps; within a step kind, strength and recency as in a brief; ties by id."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tacit.core.claim import KIND_RANK, Scope
from tacit.core.ranking import Newest
from tacit.core.status import Status
from tacit.core.text import fold, query_words, words
from tacit.index.parts import AGENT, PERSON, run_of
from tacit.index.reader import Entry, Page, numbered
from tacit.recall.elsewhere import elsewhere
from tacit.recall.remembered import memories
from tacit.recall.retrieving import Scored, question_of
from tacit.recall.talks import in_sessions

if TYPE_CHECKING:  # loaded where the extra for it is
    from tacit.recall.closeness import Measure

# A page of the worklog or a candidate is worth less than what somebody has accepted.
_WEIGHT = {Status.ACTIVE: 1.0, Status.PENDING: 0.8, Status.RETIRED: 0.5, Status.DISMISSED: 0.5}
_PAGE_WEIGHT = 0.7
_SESSION_WEIGHT = 0.35  # of a session also what stands around it counts
# By whom it was said, where the question tells.
_MYSELF = frozenset("i me my mine myself".split())
_AGENTS = frozenset("agent assistant claude codex copilot cursor gemini opencode".split())
NOTHING_ADDED: Mapping[int, float] = {}
_COMPARED = 100  # memories and pages that words found, where meaning has a say: what is near may be far down
PAGE_KINDS = ("worklog", "evaluation", "session")


class Query(NamedTuple):
    """A question and what may answer it. `scopes` of nothing means all; `since` is a UTC timestamp."""

    text: str
    limit: int = 10
    kind: str | None = None
    scopes: frozenset[Scope] | None = None
    since: str | None = None
    everything: bool = False


class Found(NamedTuple):
    """Something that answers, and how well (more is better); `added` of that is for its meaning."""

    what: Entry | Page
    score: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    added: float = 0.0


class Matches(NamedTuple):
    """What was found, best first; `complete` when there is no more than was asked for."""

    found: list[Found]
    complete: bool


class Match(NamedTuple):
    """An answer and how well it fits, 0 to 1; the words of the question in it and near it, the rarest first, what they
    are worth together, what that was multiplied with for what kind of answer it is, and what of it meaning added."""

    what: Entry | Page
    relevance: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    score: float = 0.0
    weight: float = 1.0
    added: float = 0.0


def search(connection: sqlite3.Connection, query: Query, measure: "Measure | None" = None) -> list[Match]:
    """At most `limit` answers, each fact once. `measure` tells how near vectors are to the question by meaning."""
    telling, spoken = query_words(query.text), words(query.text[:4096])
    look = query.limit + 10  # some to choose from: what is nearly as relevant may be more important
    while True:
        apart = query.since is not None  # then not the best turn of a session may answer, but a later one
        matches = find(connection, telling, look, spoken=spoken, measure=measure, apart=apart)
        answers = list(_each_once(_ranked([found for found in matches.found if _fits(found.what, query)])))
        if matches.complete or len(answers) >= query.limit:
            return answers[: query.limit]
        look *= 8


def find(
    connection: sqlite3.Connection,
    telling: Sequence[str],
    limit: int,
    *,
    spoken: Sequence[str] = (),
    measure: "Measure | None" = None,
    apart: bool = False,
) -> Matches:
    """The best that hold any of these words; `spoken` are all words of the question in order. Of a session the best
    message, or each by itself."""
    question = question_of(connection, telling, spoken)
    if not question.words and measure is None:
        return Matches([], complete=True)
    others = elsewhere(connection, question, limit if measure is None else max(limit, _COMPARED))
    talks = in_sessions(connection, question, lambda _run: _voice(spoken), limit)
    if measure is not None:
        found = _by_meaning(connection, others.scored, talks.scored, measure, limit)
    else:
        said = talks.scored if apart else _best_of_each(talks.scored)
        found = _looked_up(connection, others.scored) + _looked_up(connection, said[: 2 * limit])
    found.sort(key=lambda one: -one.score)
    return Matches(found[:limit], others.complete and talks.complete and len(found) <= limit)


def _best_of_each(scored: Sequence[Scored]) -> list[Scored]:
    """The first message of each session."""
    best: dict[int, Scored] = {}
    for one in scored:
        best.setdefault(run_of(one.number), one)
    return list(best.values())


def _by_meaning(
    connection: sqlite3.Connection, others: Sequence[Scored], talks: Sequence[Scored], measure: "Measure", limit: int
) -> list[Found]:
    from tacit.recall.closeness import nearer_memories, nearer_messages

    nearer = nearer_memories(connection, others, measure) + nearer_messages(connection, talks, measure)[: 2 * limit]
    added = {one.scored.number: one.added for one in nearer}
    return _looked_up(connection, [one.scored for one in nearer], added)


def _looked_up(
    connection: sqlite3.Connection, scored: Sequence[Scored], added: Mapping[int, float] = NOTHING_ADDED
) -> list[Found]:
    there = numbered(connection, [one.number for one in scored])
    found = ((there.get(one.number), one) for one in scored)
    return [
        Found(what, one.score, one.own, one.near, added.get(one.number, 0.0)) for what, one in found if what is not None
    ]


def _voice(spoken: Sequence[str]) -> int | None:
    """Whose words are asked for, where it is told."""
    said = set(spoken)
    mine, theirs = not _MYSELF.isdisjoint(said), not _AGENTS.isdisjoint(said)
    return None if mine == theirs else PERSON if mine else AGENT


def relevance(connection: sqlite3.Connection, task: str, limit: int = 256) -> dict[str, float]:
    """How much each memory has to do with a task, in tenths; those that have nothing are not in it."""
    found = memories(connection, question_of(connection, query_words(task)), limit)
    best = max((score for _, score in found), default=0.0)
    return {entry.id: _step(score, best) for entry, score in found}


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
    weighed = [(match, _weight(match.what)) for match in found]
    best = max((match.score * weight for match, weight in weighed), default=0.0)
    told = (
        Match(match.what, _step(match.score * weight, best), match.own, match.near, match.score, weight, match.added)
        for match, weight in weighed
    )
    return sorted(told, key=_order)


def _weight(what: Entry | Page) -> float:
    if isinstance(what, Entry):
        return _WEIGHT[what.status]
    return _SESSION_WEIGHT if what.kind == "session" else _PAGE_WEIGHT


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
