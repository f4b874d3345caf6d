"""What the person chose over what, in so many words, and who chose the same again: a preference."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.core.ids import EventId
from tacit.learn.talk.learnt import Learnt
from tacit.learn.talk.phrase import Phrase
from tacit.record import Record

LEAST = 2  # times that the same was chosen over the same
MOST_KEPT = 200  # choices of a conversation that are kept in mind
_NAME = r"[`\"']?([\w@$./+-]{2,40})[`\"']?"
_CHOSEN = re.compile(
    rf"\b(?:use|used|using|with|want|prefer|choose|take|try|run|do|to)\s{_NAME},?\s(?:instead of|rather than|over"
    rf"|and not|not)\s(?:an?\s|the\s)?{_NAME}"
)
_TURNED = re.compile(rf"\binstead of\s{_NAME},?\s(?:please\s|let's\s|just\s)?(?:use|take|try|run)\s{_NAME}")
_NO_NAMES = frozenset(
    "it this that them the an what how just only do does be is use using have just being doing all some any".split()
)


class Choice(Record):
    """One thing taken, another left."""

    taken: str
    left: str


class Chosen(Record):
    """A choice, the event it was made in and the words."""

    choice: Choice
    event: EventId
    quote: str


def chosen(phrase: Phrase, event: EventId) -> Iterator[Chosen]:
    """The choices that a sentence makes; a question makes none."""
    if "?" in phrase.plain:
        return
    pairs = [(found[1], found[2]) for found in _CHOSEN.finditer(phrase.plain)]
    pairs += [(found[2], found[1]) for found in _TURNED.finditer(phrase.plain)]
    for taken, left in pairs:
        choice = Choice(taken.strip("."), left.strip("."))
        if _NO_NAMES.isdisjoint(choice) and choice.taken != choice.left:
            yield Chosen(choice, event, phrase.text)


def learn(known: tuple[Chosen, ...], new: tuple[Chosen, ...]) -> Iterator[Learnt]:
    """What was chosen again, and never the other way round."""
    for choice in dict.fromkeys(one.choice for one in new):
        times = list({one.event: one for one in (*known, *new) if one.choice == choice}.values())
        opposed = any(one.choice == Choice(choice.left, choice.taken) for one in (*known, *new))
        if len(times) >= LEAST and not opposed:
            yield _preference(choice, times)


def _preference(choice: Choice, times: list[Chosen]) -> Learnt:
    return Learnt(
        Kind.PREFERENCE,
        f"Prefer {choice.taken} over {choice.left}.",
        times[0].quote,
        tuple(one.event for one in times),
        f"chosen {len(times)} times",
        min(0.5 + 0.1 * len(times), 0.85),
    )
