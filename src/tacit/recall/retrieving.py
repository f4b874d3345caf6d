"""From a question to what may answer it: candidates by where its words stand, then the best of them read closely.

The cost does not grow with what is kept: of a word that is everywhere only the latest places are looked at, and words
that are rare decide.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import combinations, pairwise
from typing import NamedTuple

from tacit.core.stems import stem
from tacit.core.text import query_words, words
from tacit.index import postings
from tacit.index.parts import RUN, message_of, run_of, voice_of
from tacit.index.reader import A_MEMORY
from tacit.recall import weighing
from tacit.recall.weighing import Ruler, Standing

_WORDS = 24  # of a question
_IN_SESSIONS, _ELSEWHERE = 1500, 300  # places of one word that are looked at
_SESSIONS = 40  # that are looked at closely
_MEASURED = 4  # times as many whose length is looked at first
_BEST = 6  # messages of one of them, with their neighbours
_READ = 3  # of those, word by word
_OTHERS = 20  # memories and pages that are read word by word
_USUAL = 20.0  # words of a memory
_BESIDE = 0.5  # what a word is worth that stands in the evidence and not in the sentence
_CLOSE, _PAIRS, _VOICE, _WHOLE = 0.7, 0.4, 0.35, 0.3
_COMMON = 3  # words that are everywhere of which pairs are looked for

Voices = Callable[[int], int | None]


class Scored(NamedTuple):
    """The number of a part, how well it answers, and the words of the question in it; of a message, also those near."""

    number: int
    score: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


class Word(NamedTuple):
    """A word of the question, its root and how rare it is."""

    text: str
    root: str
    weight: float


class Question(NamedTuple):
    """What is asked: the words that tell, the rarest first, where they stand, and what two roots are worth that follow
    each other as they do in it."""

    words: tuple[Word, ...]
    runs: Mapping[tuple[str, str], float]
    in_sessions: Mapping[Word, list[int]]
    elsewhere: Mapping[Word, list[int]]
    most_in_sessions: int  # places of one word that were looked at
    most_elsewhere: int


class Candidates(NamedTuple):
    """The best first; `complete` when there is nothing else that holds a word of the question."""

    scored: list[Scored]
    complete: bool


def asked(connection: sqlite3.Connection, text: str) -> Question:
    return question_of(connection, query_words(text), words(text[:4096]))


def question_of(
    connection: sqlite3.Connection,
    telling: Sequence[str],
    spoken: Sequence[str],
    *,
    memories: bool = False,
    most: int = 0,
) -> Question:
    """Each root once, those that are there at all; in all that is kept, or in memories alone. Who wants many answers
    has more places looked at, and in the end all."""
    most_in_sessions, most_elsewhere = max(_IN_SESSIONS, most), max(_ELSEWHERE, most)
    total = postings.stock(connection).texts
    only = f"{postings.phrase(A_MEMORY)} AND " if memories else ""
    found: list[tuple[Word, list[int], list[int]]] = []
    for word in {stem(word): word for word in reversed(telling[: 4 * _WORDS])}.values():
        talked = [] if memories else postings.in_sessions(connection, word, most_in_sessions)
        others = postings.elsewhere(connection, only + postings.phrase(word), most_elsewhere)
        if talked or others:
            is_cut = len(talked) == most_in_sessions or len(others) == most_elsewhere
            count = postings.count(connection, word) if is_cut else len(talked) + len(others)
            found.append((Word(word, stem(word), weighing.rarity(count, total)), talked, others))
    found.sort(key=lambda one: (-one[0].weight, one[0].text))
    found = found[:_WORDS]
    return Question(
        tuple(word for word, _, _ in found),
        _runs([stem(word) for word in spoken], {word.root: word.weight for word, _, _ in found}),
        {word: talked for word, talked, _ in found},
        {word: others for word, _, others in found},
        most_in_sessions,
        most_elsewhere,
    )


def _runs(roots: Sequence[str], weights: Mapping[str, float]) -> dict[tuple[str, str], float]:
    worth = {pair: weights.get(pair[0], 0.0) + weights.get(pair[1], 0.0) for pair in pairwise(roots)}
    return {pair: weight for pair, weight in worth.items() if weight}


# Memories and pages


def elsewhere(connection: sqlite3.Connection, question: Question, most: int, *, memories: bool = False) -> Candidates:
    """Memories and pages, or memories alone, that answer best."""
    only = f"{postings.phrase(A_MEMORY)} AND " if memories else ""
    stands = {word: set(numbers) for word, numbers in question.elsewhere.items()}
    common = [word for word, numbers in stands.items() if len(numbers) == question.most_elsewhere]
    for together in _together(question.words, common):
        match = " AND ".join(postings.phrase(word.text) for word in together)
        for number in postings.elsewhere(connection, only + match, question.most_elsewhere):
            for word in together:
                stands[word].add(number)
    promise: dict[int, float] = defaultdict(float)
    for word, numbers in stands.items():
        for number in numbers:
            promise[number] += word.weight
    heaviest = nsmallest(max(most, _OTHERS), ((-promised, number) for number, promised in promise.items()))
    best = [number for _, number in heaviest]
    read = postings.texts(connection, best)
    scored = [
        Scored(number, _read(read[number], question, stands, number), _holding(stands, number))
        for number in best
        if number in read
    ]
    scored.sort(key=lambda one: (-one.score, one.number))
    return Candidates(scored[:most], complete=not common and len(promise) <= most)


def _holding(stands: Mapping[Word, Container[int]], number: int) -> tuple[str, ...]:
    return tuple(word.text for word, numbers in stands.items() if number in numbers)


def _together(every: Sequence[Word], common: Sequence[Word]) -> Iterable[Sequence[Word]]:
    """Words that are everywhere tell something only together."""
    if not common or len(every) < 2:
        return ()
    pairs = combinations(sorted(common, key=lambda word: -word.weight)[:_COMMON], 2)
    return dict.fromkeys((tuple(every), *pairs))


def _read(text: tuple[str, str], question: Question, stands: dict[Word, set[int]], number: int) -> float:
    """Word by word: what stands in the sentence counts more than what stands beside it."""
    own, beside = ([stem(token) for token in part.split()] for part in text)
    counts = [
        (word.weight, own.count(word.root) + _BESIDE * beside.count(word.root) or _BESIDE * (number in stands[word]))
        for word in question.words
    ]
    score = weighing.alone(counts, (len(own) + _BESIDE * len(beside)) / _USUAL)
    return score + _PAIRS * _side_by_side(own, question)


# Sessions


def in_sessions(connection: sqlite3.Connection, question: Question, voices: Voices, most: int = 0) -> Candidates:
    """The messages of sessions that answer best, of each session its best ones."""
    places = question.in_sessions
    sessions = _by_session(places)
    looked_at = max(_SESSIONS, most)
    first = sorted(sessions, key=lambda run: (-_promise(sessions[run]), run))[: _MEASURED * looked_at]
    lengths = {run: _length(connection, run) for run in first}
    usual = sum(lengths.values()) / max(len(lengths), 1)
    rare = _rare_among(sessions, places)
    wholes = {run: weighing.whole(_in_whole(sessions[run], rare), lengths[run] / usual) for run in first}
    best = sorted(first, key=lambda run: (-wholes[run] - _single(sessions[run]), run))[:looked_at]
    per_text = postings.stock(connection).usual
    found = []
    for run in best:
        _complete(connection, run, sessions[run], question)
        for one in _messages(connection, run, sessions[run], question, voices(run), per_text):
            found.append(one._replace(score=one.score + _WHOLE * wholes[run]))
    found.sort(key=lambda one: (-one.score, one.number))
    complete = len(sessions) <= looked_at and all(
        len(numbers) < question.most_in_sessions for numbers in places.values()
    )
    return Candidates(found, complete)


_Stood = dict[Word, list[int]]


def _by_session(places: Mapping[Word, list[int]]) -> dict[int, _Stood]:
    sessions: dict[int, _Stood] = defaultdict(dict)
    for word, numbers in places.items():
        for number in numbers:
            sessions[run_of(number)].setdefault(word, []).append(number)
    return sessions


def _promise(stood: _Stood) -> float:
    """What a session may be worth: all that it holds of the question, and the best single message."""
    return weighing.whole(_standing(stood)) + _single(stood)


def _single(stood: _Stood) -> float:
    """As much of the question as one message holds at most."""
    single: dict[int, float] = defaultdict(float)
    for word, numbers in stood.items():
        for number in numbers:
            single[number] += word.weight
    return max(single.values())


def _standing(stood: _Stood) -> list[Standing]:
    return [Standing(word.weight, [message_of(number) for number in numbers]) for word, numbers in stood.items()]


def _rare_among(sessions: dict[int, _Stood], places: Mapping[Word, list[int]]) -> dict[Word, float]:
    """How rare each word is among the sessions that hold any."""
    counts = {word: sum(word in stood for stood in sessions.values()) for word in places}
    return {word: weighing.rarity(count, len(sessions)) for word, count in counts.items()}


def _in_whole(stood: _Stood, rare: dict[Word, float]) -> list[Standing]:
    return [Standing(rare[word], [message_of(number) for number in numbers]) for word, numbers in stood.items()]


def _complete(connection: sqlite3.Connection, run: int, stood: _Stood, question: Question) -> None:
    """Of words that are everywhere, not all places were looked at."""
    for word, numbers in question.in_sessions.items():
        is_cut = len(numbers) == question.most_in_sessions and run >= run_of(numbers[-1])
        if is_cut and (here := postings.within(connection, word.text, run, run + RUN - 1)):
            stood[word] = here


def _messages(
    connection: sqlite3.Connection, run: int, stood: _Stood, question: Question, voice: int | None, usual: float
) -> list[Scored]:
    """The messages of one session that hold words of the question, and their neighbours."""
    own: dict[int, float] = defaultdict(float)
    for word, here in stood.items():
        for number in here:
            own[message_of(number)] += word.weight
    middle = sorted(own, key=lambda message: (-own[message], message))[:_BEST]
    near = sorted({at for message in middle for at in (message - 1, message, message + 1) if at >= 0})
    first, last = max(near[0] - 8, 0), near[-1] + 8
    there = postings.sizes_between(connection, run + 2 * first, run + 2 * last + 1)
    numbers = {message_of(number): number for number, _ in there}
    sizes = {message_of(number): size for number, size in there}
    ruler = Ruler(first, (sizes.get(at, 0) for at in range(first, last + 1)), usual)
    standing, all_of_it = _standing(stood), sum(word.weight for word in stood)
    scores = {message: weighing.around(standing, message, ruler) for message in near if message in numbers}
    for message in scores:
        if voice is not None and voice_of(numbers[message]) == voice:
            scores[message] += _VOICE * all_of_it
    read = sorted(scores, key=lambda message: (-scores[message], message))[:_READ]
    texts = postings.texts(connection, [numbers[message] for message in read])
    for message in read:
        scores[message] += _closely(" ".join(texts[numbers[message]]), stood, numbers[message], question, usual)
    holding = {message: _holding(stood, numbers[message]) for message in scores}
    every = tuple(word.text for word in stood)
    return [
        Scored(numbers[message], score, holding[message], tuple(word for word in every if word not in holding[message]))
        for message, score in scores.items()
    ]


def _length(connection: sqlite3.Connection, run: int) -> int:
    """How many messages a session has."""
    query = "SELECT max(id) FROM words_docsize WHERE id BETWEEN ? AND ?"
    row = connection.execute(query, (run, run + RUN - 3)).fetchone()
    return message_of(row[0]) + 1 if row[0] is not None else 1


def _closely(text: str, stood: _Stood, number: int, question: Question, usual: float) -> float:
    """Word by word: how often each is there, and which stand side by side as in the question."""
    roots = [stem(token) for token in text.split()]
    counts = [(word.weight, roots.count(word.root) or int(number in here)) for word, here in stood.items()]
    return _CLOSE * weighing.alone(counts, len(roots) / usual) + _PAIRS * _side_by_side(roots, question)


def _side_by_side(roots: list[str], question: Question) -> float:
    """What words are worth that follow each other as they do in the question."""
    if not question.runs:
        return 0.0
    there = set(pairwise(roots))
    return sum(weight for pair, weight in question.runs.items() if pair in there)
