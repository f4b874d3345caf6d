"""Search: relevance first, in coarse steps; within a step kind, strength and recency as in a brief; ties by id.

An accepted memory that holds most of a question comes before all sessions. Weights are applied before anything is cut
off, and what is looked at does not depend on how many answers are wanted: fewer answers are the first of more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.index.commands import Kept
from tacit.index.doc_ids import AGENT, PAGES, PERSON, run_of
from tacit.index.reader import Decode, Entry, Page, learned_from, numbered, statuses
from tacit.model.claim import KIND_RANK, Newest, Scope, Status, is_local
from tacit.model.event import USER
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record
from tacit.search.bm25 import Candidates, Scored, question_of
from tacit.search.memories import elsewhere, is_asked_for, memories, ran_commands
from tacit.search.sessions import in_sessions
from tacit.text.words import fold, query_words, words

if TYPE_CHECKING:
    from tacit.search.passages import Passage, Passages
    from tacit.search.semantic import Measure

# A page of the worklog or a candidate is worth less than what somebody has accepted.
_WEIGHT = {Status.ACTIVE: 1.0, Status.PENDING: 0.8, Status.RETIRED: 0.5, Status.DISMISSED: 0.5}
_WEIGHT_OF = {status.value: weight for status, weight in _WEIGHT.items()}
_PAGE_WEIGHT = 0.7
_SESSION_WEIGHT = 0.35  # of a session also what stands around it counts
# By whom it was said, where the question tells.
_MYSELF = frozenset("i me my mine myself".split())
_AGENTS = frozenset("agent assistant claude codex copilot cursor gemini opencode".split())
_COMPARED = 100  # memories and pages that words found, where meaning has a say: what is near may be far down
PAGE_KINDS = ("worklog", "evaluation", "session")
COMMAND = "command"
_POOL = (
    20  # memories and pages that are looked at first, whatever the limit; eight times as many where they are too few
)
_FURTHER = 8
_FEW_COMMANDS = 3  # among other answers, where no command is asked for
_CLOSELY = 4  # answers whose sessions are read closely; who reads further looks for another session, not for a line
_ANSWERS = 0.6  # of a question, by weight, that a memory holds which answers it
_COMMAND_WEIGHT, _ASKED_COMMAND_WEIGHT = 0.9, 1.2  # of one that holds the whole question, against the best other answer


class Query(Record):
    """A question and what may answer it. `scopes` of nothing means all; `since` is a UTC timestamp. `accepted` leaves
    out memories that nobody has accepted, also where `everything` is asked for. `folders` are those of the project:
    commands belong to where they ran. An agent is not told what the person typed in a shell."""

    text: str
    limit: int = 10
    kind: str | None = None
    scopes: frozenset[Scope] | None = None
    since: str | None = None
    everything: bool = False
    accepted: bool = False
    folders: tuple[str, ...] = ()
    by_person: bool = True


class Found(Record):
    """Something that answers, and how well (more is better); `added` of that is for its meaning. `share` is how much of
    the question it holds, by weight; `messages` are the best of a session."""

    what: Entry | Page | Kept
    score: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    added: float = 0.0
    share: float = 0.0
    messages: tuple[Scored, ...] = ()


class Matches(Record):
    """What was found; `complete` when there is no more than was asked for."""

    found: list[Found]
    complete: bool


class Match(Record):
    """An answer and how well it fits, 0 to 1; the words of the question in it and near it, the rarest first, what they
    are worth together, what that was multiplied with for what kind of answer it is, and what of it meaning added.
    `passage` is what was said in a session."""

    what: Entry | Page | Kept
    relevance: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    score: float = 0.0
    weight: float = 1.0
    added: float = 0.0
    messages: tuple[Scored, ...] = ()
    passage: Passage | None = None


def search(
    connection: sqlite3.Connection, query: Query, measure: Measure | None = None, decode: Decode | None = None
) -> list[Match]:
    """At most `limit` answers, each fact once. `measure` tells how near vectors are to the question by meaning; with
    `decode` the passages of sessions are read from the log."""
    asked = _Asked(connection, query, measure, decode)
    answers: list[Match] = []
    seen: set[str] = set()
    look = _POOL
    while True:
        pool = asked.pool(look)
        ranked = _ranked(pool.found, asks_command=asked.asks_command)
        for match in _told(connection, ranked, asked, seen):
            last = answers[-1].relevance if answers else 1.0
            answers.append(match._replace(relevance=min(match.relevance, last)))
            if len(answers) == query.limit:
                return answers
        if pool.complete:
            return answers
        look *= _FURTHER


def find(connection: sqlite3.Connection, telling: Sequence[str], limit: int) -> Matches:
    """The best that hold any of these words, whatever they are; of a session the best message."""
    return _Asked(connection, Query(" ".join(telling), limit, everything=True)).pool(limit)


class _Asked:
    """A question that is asked of one index."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        query: Query,
        measure: Measure | None = None,
        decode: Decode | None = None,
    ) -> None:
        self._connection = connection
        self._query = query
        self._measure = measure
        self._decode = decode
        self._passages: Passages | None = None
        self._telling, spoken = query_words(query.text), words(query.text[:4096])
        self.question = question_of(connection, self._telling, spoken, widely=True)
        self.voice = _voice(spoken)
        self.asks_command = query.kind == COMMAND or is_asked_for(self._telling)
        self._weights = {word.text: word.weight for word in self.question.words}
        self._whole = sum(word.weight for word in self.question.words if word.asked) or 1.0
        self._looked_up: dict[int, Entry | Page] = {}

    @property
    def passages(self) -> Passages | None:
        """What reads passages of sessions; nothing where the log is not at hand."""
        if self._passages is None and self._decode is not None:
            from tacit.search.passages import Passages

            self._passages = Passages(self._connection, self.question, self._decode, self.voice)
        return self._passages

    def pool(self, look: int) -> Matches:
        """About so many memories and pages, as many sessions, and some commands, all of which fit."""
        kind = self._query.kind
        others = talks = Candidates([], complete=True)
        is_asked = bool(self.question.words) or self._measure is not None
        if is_asked and kind not in (COMMAND, "session"):
            most = look if self._measure is None else max(look, _COMPARED)
            others = elsewhere(self._connection, self.question, most, worth=self._worth)
        if is_asked and kind in (None, "session"):
            talks = in_sessions(self._connection, self.question, lambda _run: self.voice, look)
        ran = self._commands(look) if kind in (None, COMMAND) else Matches([], complete=True)
        found = self._found(others.scored, talks.scored) + ran.found
        fitting = [one for one in found if isinstance(one.what, Kept) or _fits(one.what, self._query)]
        return Matches(fitting, others.complete and talks.complete and ran.complete)

    def _worth(self, numbers: Sequence[int]) -> Mapping[int, float]:
        """What counts for each candidate because of what it is: nothing for what does not fit."""
        query = self._query
        found = statuses(
            self._connection,
            numbers,
            scopes=query.scopes,
            kind=query.kind,
            since=query.since,
            everything=query.everything,
        )
        left_out = (Status.PENDING, Status.DISMISSED) if query.accepted else ()
        worth = {number: _WEIGHT_OF[status] for number, status in found.items() if status not in left_out}
        if pages := [number for number in numbers if number >= PAGES]:
            there = self._there(pages)
            fitting = (number for number in pages if number in there and _fits(there[number], self._query))
            worth.update(dict.fromkeys(fitting, _PAGE_WEIGHT))
        return worth

    def _commands(self, look: int) -> Matches:
        most = look if self.asks_command else max(_FEW_COMMANDS, look // _FURTHER)
        ran = ran_commands(self._connection, self._telling, most, lambda kept: _fits_command(kept, self._query))
        found = [Found(one.kept, one.share, one.own, share=one.share) for one in ran]
        return Matches(found, complete=len(found) < most)

    def _found(self, others: Sequence[Scored], said: Sequence[Scored]) -> list[Found]:
        added: dict[int, float] = {}
        if self._measure is not None:
            from tacit.search.semantic import nearer_memories, nearer_messages

            nearer = nearer_memories(self._connection, others, self._measure)
            talks = nearer_messages(self._connection, said, self._measure)
            added = {one.scored.number: one.added for one in (*nearer, *talks)}
            others, said = [one.scored for one in nearer], [one.scored for one in talks]
        there = self._there([one.number for one in others])
        found = [self._made(there[one.number], one, added) for one in others if one.number in there]
        sessions: dict[int, list[Scored]] = {}
        for one in said:
            sessions.setdefault(run_of(one.number), []).append(one)
        return found + [made for messages in sessions.values() if (made := self._of_session(messages, added))]

    def _there(self, numbers: Sequence[int]) -> Mapping[int, Entry | Page]:
        unknown = [number for number in numbers if number not in self._looked_up]
        self._looked_up.update(numbered(self._connection, unknown) if unknown else {})
        return self._looked_up

    def _of_session(self, messages: Sequence[Scored], added: Mapping[int, float]) -> Found | None:
        """A session by its best message; of one that began before `since`, by the best that came later."""
        since = self._query.since
        if since is not None:
            there = self._there([one.number for one in messages])
            messages = [one for one in messages if one.number in there and there[one.number].at >= since]
        if not messages:
            return None
        best = messages[0]
        page = self._there([best.number]).get(best.number)
        return self._made(page, best, added)._replace(messages=tuple(messages)) if page else None

    def _made(self, what: Entry | Page, one: Scored, added: Mapping[int, float]) -> Found:
        share = sum(self._weights[word] for word in one.own) / self._whole
        return Found(what, one.score, one.own, one.near, added.get(one.number, 0.0), share)


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
    if query.accepted and what.status in (Status.PENDING, Status.DISMISSED):
        return False
    return query.everything or (what.status in (Status.ACTIVE, Status.PENDING) and what.overruled_by is None)


def _fits_command(kept: Kept, query: Query) -> bool:
    if kept.actor == USER and not query.by_person:
        return False
    if query.since is not None and kept.at < query.since:
        return False
    if query.scopes is None or (is_local(kept.scope) and kept.scope in query.scopes):
        return True
    return any(f"{kept.directory}/".startswith(f"{folder.rstrip('/')}/") for folder in query.folders)


def _ranked(found: Sequence[Found], *, asks_command: bool = False) -> list[Match]:
    """The best first. How well a command answers is told against the best of all others."""
    weighed = [(one, one.score * _weight(one.what)) for one in found if not isinstance(one.what, Kept)]
    best = max((worth for _, worth in weighed), default=0.0) or 1.0
    factor = best * (_ASKED_COMMAND_WEIGHT if asks_command else _COMMAND_WEIGHT)
    weighed += [(one, factor * one.share**2) for one in found if isinstance(one.what, Kept)]
    best = max((worth for _, worth in weighed), default=0.0)
    weighed.sort(key=lambda one: _order(one[0], one[1], best))
    return [_match(one, _step(worth, best)) for one, worth in weighed]


def _match(one: Found, step: float) -> Match:
    relevance = max(step, round(one.share, 1)) if _answers(one) else step
    weight = _weight(one.what)
    return Match(one.what, relevance, one.own, one.near, one.score, weight, one.added, one.messages)


def _answers(found: Found) -> bool:
    """Whether it is an accepted memory that holds most of the question."""
    what = found.what
    return isinstance(what, Entry) and what.status is Status.ACTIVE and found.share >= _ANSWERS


def _weight(what: Entry | Page | Kept) -> float:
    if isinstance(what, Entry):
        return _WEIGHT[what.status]
    if isinstance(what, Kept):
        return 1.0
    return _SESSION_WEIGHT if what.kind == "session" else _PAGE_WEIGHT


def _step(score: float, best: float) -> float:
    return max(round(score / best, 1), 0.1) if best > 0 else 0.1


def _order(found: Found, worth: float, best: float) -> tuple[bool, float, int, int, float, Newest, str]:
    """Memories that are about as relevant come in the order of a brief; what is no memory, just by its relevance."""
    what, step = found.what, -_step(worth, best)
    if isinstance(what, Entry):
        return (not _answers(found), step, KIND_RANK[what.kind], -what.strength, 0.0, Newest(what.last), what.id)
    name, at = (what.text, what.last) if isinstance(what, Kept) else (what.event, what.event)
    return (True, step, len(KIND_RANK), 0, -worth, Newest(at), name)


def _told(connection: sqlite3.Connection, ranked: Sequence[Match], asked: _Asked, seen: set[str]) -> Iterator[Match]:
    """Each fact once: of the turns of one session the best, and a memory with the line of a session that it was learned
    from, at the place of the better of the two."""
    by_claim = {match.what.id: match for match in ranked if isinstance(match.what, Entry)}
    learned: Mapping[EventId, ClaimId] | None = None
    for one in ranked:
        match = one
        if _fact(match.what) in seen:
            continue
        if isinstance(match.what, Page) and match.what.kind == "session" and (passages := asked.passages):
            seen.add(_fact(match.what))
            match = _with_passage(connection, match, passages, closely=len(seen) < _CLOSELY)
            if learned is None:
                learned = learned_from(connection, list(by_claim))
            claim = learned.get(match.passage.event) if match.passage else None
            if claim is not None:
                match = by_claim[claim]._replace(relevance=match.relevance)
            if claim is not None and _fact(match.what) in seen:
                continue
        seen.add(_fact(match.what))
        yield match


def _with_passage(connection: sqlite3.Connection, match: Match, passages: Passages, *, closely: bool) -> Match:
    passage = passages.best(match.messages, closely=closely)
    if passage is None:
        return match
    page = numbered(connection, [passage.number]).get(passage.number, match.what)
    return match._replace(what=page, passage=passage)


def _fact(what: Entry | Page | Kept) -> str:
    if isinstance(what, Entry):
        return fold(what.sentence)
    if isinstance(what, Kept):
        return f"$ {what.text}"
    return what.day if what.kind == "session" else what.event
