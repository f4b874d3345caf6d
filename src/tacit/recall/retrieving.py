"""What is asked: the words of a question that tell, how rare they are, and where they stand.

The cost does not grow with what is kept: of a word that is everywhere only the latest places are looked at, and words
that are rare decide.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tacit.core.roots import root
from tacit.core.text import query_words, words
from tacit.index import postings
from tacit.recall import weighing
from tacit.record import Record

_WORDS = 24  # of a question
_OTHER = 0.5  # what another word for one of the question's is worth, against that one


class Scored(Record):
    """The number of a part, how well it answers, and the words of the question in it; of a message, also those near."""

    number: int
    score: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


class Candidates(Record):
    """The best first; `complete` when there is nothing else that holds a word of the question."""

    scored: list[Scored]
    complete: bool


class Word(Record):
    """A word of the question, its root, in how many texts it is and how rare that makes it. One that stands for another
    word of the question is not `asked`."""

    text: str
    root: str
    texts: int
    weight: float
    asked: bool = True


class Question(Record):
    """What is asked: the words that tell, the rarest first, and what two roots are worth that follow each other as they
    do in it. `usual` is how many words a text has on the average, `unheard` how many of those asked for are nowhere."""

    words: tuple[Word, ...]
    runs: Mapping[tuple[str, str], float]
    usual: float
    unheard: int = 0


def asked(connection: sqlite3.Connection, text: str) -> Question:
    return question_of(connection, query_words(text), words(text[:4096]))


def question_of(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str] = (), *, widely: bool = False
) -> Question:
    """Each root once, those that are there at all; `spoken` are all words in order, where some do not tell. `widely`
    also looks for other words that may have been used instead; they count less."""
    stock = postings.stock(connection)
    found = []
    roots = {root(word): word for word in reversed(telling[: 4 * _WORDS])}
    for name, word in roots.items():
        if count := postings.count(connection, name):
            found.append(Word(word, name, count, weighing.rarity(count, stock.texts)))
    unheard = len(roots) - len(found)
    if widely:
        found += _others(connection, telling, spoken, {word.root for word in found}, stock.texts)
    found.sort(key=lambda word: (-word.weight, word.text))
    found = found[:_WORDS]
    return Question(tuple(found), _runs([root(word) for word in spoken or telling], found), stock.usual, unheard)


def _others(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str], known: set[str], texts: int
) -> list[Word]:
    """Other words for those of a question; none is worth more than the one it stands for would be."""
    from tacit.core.synonyms import other_words

    found: dict[str, Word] = {}
    for other, word in other_words(telling, spoken):
        name = root(other)
        if name not in known and name not in found and (count := postings.count(connection, name)):
            rarest = weighing.rarity(max(count, postings.count(connection, root(word))), texts)
            found[name] = Word(other, name, count, _OTHER * rarest, asked=False)
    return list(found.values())


def _runs(roots: Sequence[str], found: Sequence[Word]) -> dict[tuple[str, str], float]:
    weights = {word.root: word.weight for word in found}
    worth = {pair: weights.get(pair[0], 0.0) + weights.get(pair[1], 0.0) for pair in pairwise(roots)}
    return {pair: weight for pair, weight in worth.items() if weight}


def side_by_side(roots: Sequence[str], question: Question) -> float:
    """What words are worth that follow each other as they do in the question."""
    if not question.runs:
        return 0.0
    there = set(pairwise(roots))
    return sum(weight for pair, weight in question.runs.items() if pair in there)
