"""The brief: at most seven memories that an agent should know, within a budget, fenced (S14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from tacit.index.reader import Entry
from tacit.model.claim import Kind, Provenance, Rankable, Scope, brief_key, is_local, reading_key
from tacit.model.conflict import families, opposed
from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.text.fence import fenced, harmless
from tacit.text.words import tokens

# Of several answers to a question, the nearest: a project's before its parents', all of them before global ones.

# What a person decided for a place counts more there than what they like in general.
_DECIDED = (Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION)


def nearest(entries: Iterable[Entry], distance: Callable[[Scope], int]) -> list[Entry]:
    """Leave out what is farther where something nearer answers the same question; the order stays.

    A farther preference is also left out where something nearer that was decided speaks of the same choice in other
    words: "never run npm here, use pnpm" answers "I prefer yarn".
    """
    every = list(entries)
    answers: dict[str, list[Entry]] = {}
    for entry in every:
        if entry.stance.question:
            answers.setdefault(entry.stance.question, []).append(entry)
    settled = _settled(every, distance)
    return [
        entry
        for entry in every
        if not any(
            distance(own.scope) < distance(entry.scope) and _answers_it(own, entry)
            for own in answers.get(entry.stance.question, ())
        )
        and not any(settled.get(family, _FARTHEST) < distance(entry.scope) for family in _preferred(entry))
    ]


_FARTHEST = 1 << 30


def _answers_it(own: Entry, other: Entry) -> bool:
    return opposed(own.stance, other.stance) or own.stance == other.stance


def _settled(every: list[Entry], distance: Callable[[Scope], int]) -> dict[str, int]:
    """How near something was decided about each choice that a preference is about."""
    asked = {family for entry in every for family in _preferred(entry)}
    settled: dict[str, int] = {}
    for entry in every if asked else ():
        if entry.kind in _DECIDED:
            for family in asked & families(entry.sentence):
                settled[family] = min(settled.get(family, _FARTHEST), distance(entry.scope))
    return settled


def _preferred(entry: Entry) -> frozenset[str]:
    return families(entry.stance.answer) if entry.kind is Kind.PREFERENCE and entry.stance.answer else frozenset()


# The brief: at most seven memories that an agent should know, within a budget, fenced (S14).
#
# Constraints and rules are the person's standing rules. They come first and are introduced as rules, because they
# hold whatever the task is. Everything else is a note. A line says so where a memory is not in the person's own
# words.

MOST, BUDGET, CHARACTERS = 7, 1200, 10_000
# Facts rather than commands: Claude Code may take imperative text in its context for a prompt injection.
_RULES = "This person's standing rules. They set or accepted them, and they apply to all work here:"
_NOTES = "Other notes of this person (decisions, conventions, fixes, preferences):"


class Brief(Record):
    """What was chosen, as text and by id, and how many more standing rules hold. An empty brief has no text."""

    entries: tuple[Entry, ...]
    text: str
    tokens: int
    more: int = 0

    @property
    def ids(self) -> tuple[ClaimId, ...]:
        return tuple(entry.id for entry in self.entries)


def is_standing_rule(entry: Entry) -> bool:
    return entry.kind in (Kind.CONSTRAINT, Kind.RULE)


def compose(
    candidates: Iterable[Entry],
    *,
    tags: frozenset[str],
    relevance: Mapping[str, float],
    nonce: str,
    most: int = MOST,
    budget: int = BUDGET,
    characters: int = CHARACTERS,
    unread: int = 0,
) -> Brief:
    """Choose, order and fence memories that hold here.

    `relevance` is from 0 to 1 by id; `budget` is in tokens. `unread` counts standing rules that hold here and are not
    among the candidates. What does not fit is left out whole, and shorter memories behind it still get their place.
    """
    near = nearest(candidates, lambda scope: 0 if is_local(scope) else 1)
    ranked = _by_importance(near, tags, relevance)
    frame = _text_of((), 1, nonce, whole=True)
    chosen = _within(ranked, min(most, MOST), budget - tokens(frame), characters - len(frame))
    if not chosen:
        return Brief((), "", 0)
    chosen.sort(key=lambda entry: reading_key(_rankable(entry, relevance)))
    more = unread + sum(map(is_standing_rule, near)) - sum(map(is_standing_rule, chosen))
    text = _text_of(chosen, more, nonce)
    return Brief(tuple(chosen), text, tokens(text), more)


def _by_importance(entries: Iterable[Entry], tags: frozenset[str], relevance: Mapping[str, float]) -> list[Entry]:
    """The order in which memories get a place: the project's constraints; what has a tag that was asked for; then
    global constraints and the project's rules in turn, so that many of one leave room for the other; then the rest."""
    constraints: list[Entry] = []
    tagged: list[Entry] = []
    elsewhere: list[Entry] = []
    rules: list[Entry] = []
    rest: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: brief_key(_rankable(entry, relevance), tags)):
        is_here = is_local(entry.scope)
        if is_here and entry.kind is Kind.CONSTRAINT:
            constraints.append(entry)
        elif not tags.isdisjoint(entry.tags):
            tagged.append(entry)
        elif entry.kind is Kind.CONSTRAINT:
            elsewhere.append(entry)
        elif is_here and entry.kind is Kind.RULE:
            rules.append(entry)
        else:
            rest.append(entry)
    in_turn = (entry for pair in zip_longest(elsewhere, rules) for entry in pair if entry)
    return [*constraints, *tagged, *in_turn, *rest]


def _within(ranked: Sequence[Entry], most: int, budget: int, characters: int) -> list[Entry]:
    chosen: list[Entry] = []
    for entry in ranked:
        if len(chosen) == most:
            break
        line = line_of(entry)
        cost = tokens(line) + 1
        if cost <= budget and len(line) < characters:
            chosen.append(entry)
            budget -= cost
            characters -= len(line) + 1
    return chosen


def _rankable(entry: Entry, relevance: Mapping[str, float]) -> Rankable:
    return Rankable(entry.id, entry.kind, entry.tags, entry.strength, entry.last, relevance.get(entry.id, 0.0))


def _text_of(entries: Sequence[Entry], more: int, nonce: str, *, whole: bool = False) -> str:
    """The fenced text; `whole` is for measuring: every line that is no memory."""
    rules = [line_of(entry) for entry in entries if is_standing_rule(entry)]
    notes = [line_of(entry) for entry in entries if not is_standing_rule(entry)]
    if rules or whole:
        rules = [_RULES, *rules]
        if more > 0:
            rules.append(f"({more} more hold here; `tacit context` prints all of them.)")
    return fenced([*rules, *([_NOTES] if notes or whole else []), *notes], nonce)


def line_of(entry: Entry) -> str:
    marks = [entry.kind.label, "project" if is_local(entry.scope) else "global", entry.at[:10]]
    if entry.conflict:
        marks.append("disputed")
    if entry.provenance < Provenance.USER_FILE:  # an agent's words, or what a program concluded
        marks.append("learned, may be outdated")
    return f"- [{', '.join(marks)}] {harmless(entry.sentence)} ({entry.id})"
