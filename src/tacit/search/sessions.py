"""The messages of sessions that answer a question: candidates by where its words stand, the best of them read."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence

from tacit.index import postings
from tacit.index.doc_ids import AGENT, PERSON, RUN, message_of, run_of, voice_of
from tacit.index.postings import Places
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import Candidates, Question, Ruler, Scored, Standing, Word, side_by_side
from tacit.text.words import ROOTS

_PLACES = 1500  # of one word that are looked at
_SESSIONS = 40  # that are looked at closely
_FEWEST, _MESSAGES = 20, 3000  # or fewer, where they are long: so many messages in all
_MEASURED = 4  # times as many whose length is looked at first
_BEST = 8  # messages of one of them, with their neighbours
_READ = 3  # of those, word by word
_FAR = 8  # messages around another that count for it
_CLOSE, _PAIRS, _VOICE = 0.7, 0.4, 0.35
# What a session adds to each of its messages, against the best message of all: for all that was said in it, for its
# best reply, its best prompt and the best run of words, each against that of the best session.
_MERITS = (0.2, 0.2, 0.08, 0.06)

Voices = Callable[[int], int | None]
_Stood = dict[Word, Places]
_Often = tuple[Word, dict[int, int]]  # how often a word is in each message


class _Merits(Record):
    """What speaks for a session."""

    whole: float
    reply: float
    prompt: float
    run: float


class _Talk(Record):
    """A session that was looked at closely: its messages, what speaks for all of it, and in how many it was looked."""

    scored: list[Scored]
    merits: _Merits
    messages: int


def in_sessions(connection: sqlite3.Connection, question: Question, voices: Voices, most: int = 0) -> Candidates:
    """The messages of sessions that answer best, of each session its best ones."""
    most_places, looked_at = max(_PLACES, most), max(_SESSIONS, most)
    places = {word: postings.in_sessions(connection, word.root, most_places) for word in question.words}
    sessions = _by_session(places)
    cut = {word: found.numbers[-1] for word, found in places.items() if len(found.counts) == most_places}
    talks: list[_Talk] = []
    room = _MESSAGES
    for run, whole in _best_sessions(connection, sessions, places, looked_at):
        if room <= 0 and len(talks) >= max(_FEWEST, most):
            break
        _complete(connection, run, sessions[run], cut)
        talks.append(_looked_at(connection, run, sessions[run], question, voices(run), whole))
        room -= talks[-1].messages
    found = _added_up(talks)
    found.sort(key=lambda one: (-one.score, one.number))
    return Candidates(found, complete=len(talks) == len(sessions) and not cut)


def _by_session(places: dict[Word, Places]) -> dict[int, _Stood]:
    sessions: dict[int, _Stood] = defaultdict(dict)
    for word, found in places.items():
        for run, there in found.by_session():
            sessions[run][word] = there
    return sessions


def _best_sessions(
    connection: sqlite3.Connection, sessions: dict[int, _Stood], places: dict[Word, Places], most: int
) -> list[tuple[int, float]]:
    """So many that promise most, each with what it is worth as a whole."""
    promises = {
        run: weighing.whole([(word.weight, len(there.counts)) for word, there in stood.items()]) + _single(stood)
        for run, stood in sessions.items()
    }
    first = sorted(sessions, key=lambda run: (-promises[run], run))[: _MEASURED * most]
    lengths = {run: postings.length(connection, run) for run in first}
    usual = sum(lengths.values()) / max(len(lengths), 1)
    rare = _rare_among(sessions, places)
    wholes = {
        run: weighing.whole(
            [(rare[word], sum(there.counts)) for word, there in sessions[run].items()], lengths[run] / usual
        )
        for run in first
    }
    best = sorted(first, key=lambda run: (-wholes[run] - _single(sessions[run]), run))[:most]
    return [(run, wholes[run]) for run in best]


def _single(stood: _Stood) -> float:
    """As much of the question as one message holds at most."""
    return next(iter(stood)).weight if len(stood) == 1 else max(_own_words(stood).values())


def _own_words(stood: _Stood) -> dict[int, float]:
    """What the words in each message are worth, however often they are there."""
    own: dict[int, float] = defaultdict(float)
    for word, there in stood.items():
        for number in there.numbers:
            own[number] += word.weight
    return own


def _rare_among(sessions: dict[int, _Stood], places: dict[Word, Places]) -> dict[Word, float]:
    """How rare each word is among the sessions that hold any."""
    counts = {word: sum(word in stood for stood in sessions.values()) for word in places}
    return {word: weighing.rarity(count, len(sessions)) for word, count in counts.items()}


def _complete(connection: sqlite3.Connection, run: int, stood: _Stood, cut: dict[Word, int]) -> None:
    """Of words that are everywhere, not all places were looked at."""
    for word, last in cut.items():
        if run >= run_of(last):
            here = postings.within(connection, word.root, run, run + RUN - 1)
            if here.counts:
                stood[word] = here


def _looked_at(
    connection: sqlite3.Connection, run: int, stood: _Stood, question: Question, voice: int | None, whole: float
) -> _Talk:
    """The messages of one session that hold words of the question, and their neighbours."""
    own = _own_words(stood)
    middle = _first(own, _BEST)
    near = sorted({message_of(number) + step for number in middle for step in (-1, 0, 1)} - {-1})
    first, last = max(near[0] - _FAR, 0), near[-1] + _FAR
    sizes = postings.sizes_between(connection, run + 2 * first, run + 2 * last + 1)
    often = [(word, dict(zip(there.numbers, there.counts, strict=True))) for word, there in stood.items()]
    scores = _around(near, first, last, sizes, stood, question)
    alone = {number: _alone(number, size, often, question) for number, size in sizes if number in scores}
    for number in scores:
        if voice is not None and voice_of(number) == voice:
            scores[number] += _VOICE * sum(word.weight for word in stood)
    best = _first(scores, _READ)
    runs = _runs_of_words(connection, best, question)
    for number in best:
        scores[number] += _CLOSE * alone[number] + _PAIRS * runs.get(number, 0.0)
    merits = _Merits(whole, _best_of(alone, AGENT), _best_of(alone, PERSON), max(runs.values(), default=0.0))
    return _Talk([_told(number, score, often) for number, score in scores.items()], merits, len(sizes))


def _around(
    near: Sequence[int], first: int, last: int, sizes: Sequence[tuple[int, int]], stood: _Stood, question: Question
) -> dict[int, float]:
    """What stands in and around each of these messages is worth, by number."""
    by_message, spread = {}, [0] * (last - first + 1)
    for number, size in sizes:
        at = message_of(number)
        by_message[at], spread[at - first] = number, size
    ruler = Ruler(first, spread, question.usual)
    standing = [Standing(word.weight, [message_of(one) for one in there.numbers]) for word, there in stood.items()]
    there = [at for at in near if at in by_message]
    return dict(zip((by_message[at] for at in there), weighing.around(standing, there, ruler), strict=True))


def _alone(number: int, size: int, often: Sequence[_Often], question: Question) -> float:
    """What the words of a message are worth by themselves."""
    counts = [(word.weight, there[number]) for word, there in often if number in there]
    return weighing.alone(counts, size / question.usual)


def _first(worth: dict[int, float], most: int) -> list[int]:
    """The numbers that are worth most."""
    return sorted(worth, key=lambda number: (-worth[number], number))[:most]


def _runs_of_words(connection: sqlite3.Connection, numbers: Sequence[int], question: Question) -> dict[int, float]:
    """What words are worth that follow each other as in the question: these messages are read."""
    return {
        number: side_by_side(list(map(ROOTS.__getitem__, " ".join(texts).split())), question)
        for number, texts in postings.texts(connection, numbers).items()
    }


def _best_of(alone: dict[int, float], voice: int) -> float:
    return max((worth for number, worth in alone.items() if voice_of(number) == voice), default=0.0)


def _told(number: int, score: float, often: Sequence[_Often]) -> Scored:
    own = tuple([word.text for word, there in often if number in there])
    near = tuple([word.text for word, there in often if number not in there])
    return Scored(number, score, own, near)


def _added_up(talks: Sequence[_Talk]) -> list[Scored]:
    """The messages of all, each with what its session adds."""
    most = [max(column) or 1.0 for column in zip(*(talk.merits for talk in talks), strict=True)]
    best = max((one.score for talk in talks for one in talk.scored), default=0.0)
    found = []
    for talk in talks:
        adds = sum(weight * part / whole for weight, part, whole in zip(_MERITS, talk.merits, most, strict=True))
        found += [one._replace(score=one.score + best * adds) for one in talk.scored]
    return found
