"""The memories of a random log as the readable views see them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import strategies as st

from tacit.core.conflict import Answer, Rule, settle
from tacit.core.event import Event
from tacit.core.ids import ClaimId
from tacit.core.memory import Memory, recollect
from tacit.core.stance import stance
from tacit.core.status import Status
from tacit.notes.noted import Noted

Ruled = tuple[ClaimId | None, bool]


def noted(log: Iterable[Event]) -> dict[ClaimId, Noted]:
    memories = recollect(log)
    ruled = rulings(memories.values())
    return {claim: Noted(memory, *ruled[claim]) for claim, memory in memories.items()}


def rulings(memories: Iterable[Memory]) -> dict[ClaimId, Ruled]:
    """By whom each memory is overruled, and whether it stands in a conflict that nothing has decided."""
    known = list(memories)
    rulings = [ruling for answers in _by_question(known).values() for ruling in settle(answers)]
    overruled = {ruling.loser: ruling.winner for ruling in rulings if ruling.rule is not Rule.UNDECIDED}
    open_pairs = [
        {ruling.winner, ruling.loser}
        for ruling in rulings
        if ruling.rule is Rule.UNDECIDED and not {ruling.winner, ruling.loser} & set(overruled)
    ]
    return {one.id: (overruled.get(one.id), any(one.id in pair for pair in open_pairs)) for one in known}


def _by_question(memories: Iterable[Memory]) -> dict[tuple[str, str], list[Answer]]:
    questions: dict[tuple[str, str], list[Answer]] = {}
    for memory in memories:
        if memory.status is Status.ACTIVE and not memory.independent:
            claim, answer = memory.claim, stance(memory.claim)
            given = Answer(memory.id, answer, claim.kind, memory.provenance, memory.last)
            questions.setdefault((claim.scope, answer.question), []).append(given)
    return questions


def steps(log: list[Event]) -> st.SearchStrategy[list[list[Event]]]:
    """A log in pieces, in its order."""
    cuts = st.lists(st.integers(0, len(log)), max_size=4).map(sorted)
    return cuts.map(lambda at: [log[start:end] for start, end in pairwise([0, *at, len(log)])])
