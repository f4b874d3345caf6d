"""The brief: at most seven memories that an agent should know, within a budget, fenced (S14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from tacit.index.reader import MemoryRow
from tacit.model.claim import Kind, Provenance, Rankable, Scope, brief_key, display_key, is_project_scope
from tacit.model.conflict import are_opposed, mentioned_families
from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.text.fence import fenced, harmless
from tacit.text.words import estimate_tokens

# Of several answers to a question, the nearest: a project's before its parents', all of them before global ones.

# What a person decided for a place counts more there than what they like in general.
_DECIDED_KINDS = (Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION)


def most_specific(entries: Iterable[MemoryRow], distance: Callable[[Scope], int]) -> list[MemoryRow]:
    """Leave out what is farther where something nearer answers the same question; the order stays.

    A farther preference is also left out where something nearer that was decided speaks of the same choice in other
    words: "never run npm here, use pnpm" answers "I prefer yarn".
    """
    every = list(entries)
    answers: dict[str, list[MemoryRow]] = {}
    for entry in every:
        if entry.stance.question:
            answers.setdefault(entry.stance.question, []).append(entry)
    settled = _decided_distances(every, distance)
    return [
        entry
        for entry in every
        if not any(
            distance(own.scope) < distance(entry.scope) and _is_same_choice(own, entry)
            for own in answers.get(entry.stance.question, ())
        )
        and not any(
            settled.get(family, _MAX_DISTANCE) < distance(entry.scope) for family in _preference_families(entry)
        )
    ]


_MAX_DISTANCE = 1 << 30


def _is_same_choice(own: MemoryRow, other: MemoryRow) -> bool:
    return are_opposed(own.stance, other.stance) or own.stance == other.stance


def _decided_distances(every: list[MemoryRow], distance: Callable[[Scope], int]) -> dict[str, int]:
    """How near something was decided about each choice that a preference is about."""
    asked = {family for entry in every for family in _preference_families(entry)}
    settled: dict[str, int] = {}
    for entry in every if asked else ():
        if entry.kind in _DECIDED_KINDS:
            for family in asked & mentioned_families(entry.sentence):
                settled[family] = min(settled.get(family, _MAX_DISTANCE), distance(entry.scope))
    return settled


def _preference_families(entry: MemoryRow) -> frozenset[str]:
    return (
        mentioned_families(entry.stance.answer)
        if entry.kind is Kind.PREFERENCE and entry.stance.answer
        else frozenset()
    )


# The brief: at most seven memories that an agent should know, within a budget, fenced (S14).
#
# Constraints and rules are the person's standing rules. They come first and are introduced as rules, because they
# hold whatever the task is. Everything else is a note. A line says so where a memory is not in the person's own
# words.

MAX_MEMORIES, MAX_TOKENS, MAX_CHARACTERS = 7, 1200, 10_000
# Facts rather than commands: Claude Code may take imperative text in its context for a prompt injection.
_RULES_HEADER = "This person's standing rules. They set or accepted them, and they apply to all work here:"
_NOTES_HEADER = "Other notes of this person (decisions, conventions, fixes, preferences):"


class Brief(Record):
    """What was chosen, as text and by id, and how many more standing rules hold. An empty brief has no text."""

    entries: tuple[MemoryRow, ...]
    text: str
    tokens: int
    more: int = 0

    @property
    def ids(self) -> tuple[ClaimId, ...]:
        return tuple(entry.id for entry in self.entries)


def is_standing_rule(entry: MemoryRow) -> bool:
    return entry.kind in (Kind.CONSTRAINT, Kind.RULE)


def compose_brief(
    candidates: Iterable[MemoryRow],
    *,
    tags: frozenset[str],
    relevance: Mapping[str, float],
    nonce: str,
    most: int = MAX_MEMORIES,
    budget: int = MAX_TOKENS,
    characters: int = MAX_CHARACTERS,
    unread: int = 0,
) -> Brief:
    """Choose, order and fence memories that hold here.

    `relevance` is from 0 to 1 by id; `budget` is in tokens. `unread` counts standing rules that hold here and are not
    among the candidates. What does not fit is left out whole, and shorter memories behind it still get their place.
    """
    near = most_specific(candidates, lambda scope: 0 if is_project_scope(scope) else 1)
    ranked = _by_importance(near, tags, relevance)
    frame = _render_brief((), 1, nonce, whole=True)
    chosen = _fit_budget(ranked, min(most, MAX_MEMORIES), budget - estimate_tokens(frame), characters - len(frame))
    if not chosen:
        return Brief((), "", 0)
    chosen.sort(key=lambda entry: display_key(_rankable(entry, relevance)))
    more = unread + sum(map(is_standing_rule, near)) - sum(map(is_standing_rule, chosen))
    text = _render_brief(chosen, more, nonce)
    return Brief(tuple(chosen), text, estimate_tokens(text), more)


def _by_importance(
    entries: Iterable[MemoryRow], tags: frozenset[str], relevance: Mapping[str, float]
) -> list[MemoryRow]:
    """The order in which memories get a place: the project's constraints; what has a tag that was asked for; then
    global constraints and the project's rules in turn, so that many of one leave room for the other; then the rest."""
    constraints: list[MemoryRow] = []
    tagged: list[MemoryRow] = []
    elsewhere: list[MemoryRow] = []
    rules: list[MemoryRow] = []
    rest: list[MemoryRow] = []
    for entry in sorted(entries, key=lambda entry: brief_key(_rankable(entry, relevance), tags)):
        is_here = is_project_scope(entry.scope)
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


def _fit_budget(ranked: Sequence[MemoryRow], most: int, budget: int, characters: int) -> list[MemoryRow]:
    chosen: list[MemoryRow] = []
    for entry in ranked:
        if len(chosen) == most:
            break
        line = memory_line(entry)
        cost = estimate_tokens(line) + 1
        if cost <= budget and len(line) < characters:
            chosen.append(entry)
            budget -= cost
            characters -= len(line) + 1
    return chosen


def _rankable(entry: MemoryRow, relevance: Mapping[str, float]) -> Rankable:
    return Rankable(entry.id, entry.kind, entry.tags, entry.strength, entry.last, relevance.get(entry.id, 0.0))


def _render_brief(entries: Sequence[MemoryRow], more: int, nonce: str, *, whole: bool = False) -> str:
    """The fenced text; `whole` is for measuring: every line that is no memory."""
    rules = [memory_line(entry) for entry in entries if is_standing_rule(entry)]
    notes = [memory_line(entry) for entry in entries if not is_standing_rule(entry)]
    if rules or whole:
        rules = [_RULES_HEADER, *rules]
        if more > 0:
            rules.append(f"({more} more hold here; `tacit context` prints all of them.)")
    return fenced([*rules, *([_NOTES_HEADER] if notes or whole else []), *notes], nonce)


def memory_line(entry: MemoryRow) -> str:
    marks = [entry.kind.label, "project" if is_project_scope(entry.scope) else "global", entry.at[:10]]
    if entry.conflict:
        marks.append("disputed")
    if entry.provenance < Provenance.USER_FILE:  # an agent's words, or what a program concluded
        marks.append("learned, may be outdated")
    return f"- [{', '.join(marks)}] {harmless(entry.sentence)} ({entry.id})"
