"""The brief: three to seven memories that an agent should know, within a budget, fenced as reference data (S14)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tacit.core.claim import is_local
from tacit.core.ids import ClaimId
from tacit.core.ranking import Rankable, brief_key, reading_key
from tacit.core.text import tokens
from tacit.index.reader import Entry
from tacit.recall.fence import fenced, harmless
from tacit.recall.nearest import nearest

FEWEST, MOST, BUDGET = 3, 7, 1200


class Brief(NamedTuple):
    """What was chosen, as text and by id. An empty brief has no text."""

    entries: tuple[Entry, ...]
    text: str
    tokens: int

    @property
    def ids(self) -> tuple[ClaimId, ...]:
        return tuple(entry.id for entry in self.entries)


def compose(
    candidates: Iterable[Entry],
    *,
    tags: frozenset[str],
    relevance: Mapping[str, float],
    nonce: str,
    most: int = MOST,
    budget: int = BUDGET,
) -> Brief:
    """Choose, order and fence. Nothing at all when fewer than three memories are worth saying."""
    near = nearest(candidates, lambda scope: 0 if is_local(scope) else 1)
    ranked = sorted(near, key=lambda entry: brief_key(_rankable(entry, relevance), tags))
    chosen = _within(ranked, min(most, MOST), budget - tokens(fenced((), nonce)))
    if len(chosen) < FEWEST:
        return Brief((), "", 0)
    chosen.sort(key=lambda entry: reading_key(_rankable(entry, relevance)))
    text = fenced([line_of(entry) for entry in chosen], nonce)
    return Brief(tuple(chosen), text, tokens(text))


def _within(ranked: Sequence[Entry], most: int, budget: int) -> list[Entry]:
    chosen: list[Entry] = []
    for entry in ranked:
        cost = tokens(line_of(entry)) + 1
        if len(chosen) < most and cost <= budget:
            chosen.append(entry)
            budget -= cost
    return chosen


def _rankable(entry: Entry, relevance: Mapping[str, float]) -> Rankable:
    return Rankable(entry.id, entry.kind, entry.tags, entry.strength, entry.last, relevance.get(entry.id, 0.0))


def line_of(entry: Entry) -> str:
    where = "project" if is_local(entry.scope) else "global"
    disputed = ", disputed" if entry.conflict else ""
    return f"- [{entry.kind.label}, {where}, {entry.at[:10]}{disputed}] {harmless(entry.sentence)} ({entry.id})"
