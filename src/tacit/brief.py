"""The brief: at most seven memories that an agent should know (S14), chosen, ordered and fenced within limits.

Constraints and rules are the person's standing rules. They come first and are introduced as rules, because they hold
whatever the task is. Everything else is a note. A line says so if a memory is not in the person's own words (ADR 35).
The text is empty if nothing is worth telling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from tacit.index.reader import MemoryRow
from tacit.model.claim import (
    MISSPELLED_TAG,
    Kind,
    Provenance,
    Rankable,
    Scope,
    brief_key,
    display_key,
    is_project_scope,
)
from tacit.model.conflict import are_opposed, mentioned_families
from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.text.display import fenced, harmless
from tacit.text.words import estimate_tokens

MAX_MEMORIES, MAX_TOKENS, MAX_CHARACTERS = 7, 1200, 10_000
# Facts rather than commands: Claude Code may take imperative text in its context for a prompt injection.
_RULES_HEADER = "This person's standing rules. They set or accepted them, and they apply to all work here:"
_NOTES_HEADER = "Other notes of this person (decisions, conventions, fixes, preferences):"
# What a person decided for a place counts more there than what they like in general.
_DECIDED_KINDS = (Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION)
_MAX_DISTANCE = 1 << 30
_NOTHING_MISSING: Mapping[ClaimId, Sequence[str]] = {}


class BriefLimits(Record):
    """The maximum size of a brief: memories, tokens, and the length of its text."""

    memories: int = MAX_MEMORIES
    tokens: int = MAX_TOKENS
    characters: int = MAX_CHARACTERS


_DEFAULT_LIMITS = BriefLimits()


class Brief(Record):
    """The chosen memories and their text. `more` counts other standing rules that hold. An empty brief has no text."""

    entries: tuple[MemoryRow, ...]
    text: str
    tokens: int
    more: int = 0

    @property
    def ids(self) -> tuple[ClaimId, ...]:
        return tuple(memory.id for memory in self.entries)


def is_standing_rule(memory: MemoryRow) -> bool:
    return memory.kind in (Kind.CONSTRAINT, Kind.RULE)


def project_before_global(scope: Scope) -> int:
    return 0 if is_project_scope(scope) else 1


def most_specific(
    memories: Iterable[MemoryRow], distance: Callable[[Scope], int] = project_before_global
) -> list[MemoryRow]:
    """Leave out memories if one of a nearer scope answers the same question, and what no agent needs; the order stays.

    A preference is also left out if something decided in a nearer scope mentions the same choice in other words: "never
    run npm here, use pnpm" answers "I prefer yarn".
    """
    every = [memory for memory in memories if MISSPELLED_TAG not in memory.tags]
    answers: dict[str, list[MemoryRow]] = {}
    for memory in every:
        if memory.stance.question:
            answers.setdefault(memory.stance.question, []).append(memory)
    # The distance of the nearest decision about each choice that a preference is about.
    families = {family for memory in every for family in _preference_families(memory)}
    decided: dict[str, int] = {}
    for memory in every if families else ():
        if memory.kind in _DECIDED_KINDS:
            for family in families & mentioned_families(memory.sentence):
                decided[family] = min(decided.get(family, _MAX_DISTANCE), distance(memory.scope))

    def is_answered_nearer(memory: MemoryRow) -> bool:
        own_distance = distance(memory.scope)
        return any(
            distance(other.scope) < own_distance
            and (are_opposed(other.stance, memory.stance) or other.stance == memory.stance)
            for other in answers.get(memory.stance.question, ())
        ) or any(decided.get(family, _MAX_DISTANCE) < own_distance for family in _preference_families(memory))

    return [memory for memory in every if not is_answered_nearer(memory)]


def _preference_families(memory: MemoryRow) -> frozenset[str]:
    is_preference = memory.kind is Kind.PREFERENCE and memory.stance.answer
    return mentioned_families(memory.stance.answer) if is_preference else frozenset()


def compose_brief(
    candidates: Iterable[MemoryRow],
    *,
    tags: frozenset[str],
    relevance: Mapping[str, float],
    nonce: str,
    limits: BriefLimits = _DEFAULT_LIMITS,
    unread: int = 0,
    missing: Mapping[ClaimId, Sequence[str]] = _NOTHING_MISSING,
) -> Brief:
    """Choose, order and fence memories that hold here.

    Memories that do not fit are left out whole, and shorter ones after them are still tried.

    Args:
        relevance: from 0 to 1, by id.
        nonce: the number in the fence.
        unread: the number of standing rules that hold here and are not among the candidates.
        missing: what memories name that is not in the work tree; their lines say so.
    """
    memories = most_specific(candidates)
    frame = _render_brief((), 1, nonce, {}, whole=True)
    tokens, characters = limits.tokens - estimate_tokens(frame), limits.characters - len(frame)
    chosen: list[MemoryRow] = []
    lines: dict[ClaimId, str] = {}
    for memory in _by_importance(memories, tags, relevance):
        if len(chosen) == min(limits.memories, MAX_MEMORIES):
            break
        line = memory_line(memory, missing.get(memory.id, ()))
        cost = estimate_tokens(line) + 1
        if cost <= tokens and len(line) < characters:
            chosen.append(memory)
            lines[memory.id] = line
            tokens, characters = tokens - cost, characters - len(line) - 1
    if not chosen:
        return Brief((), "", 0)
    chosen.sort(key=lambda memory: display_key(_rankable(memory, relevance)))
    more = unread + sum(map(is_standing_rule, memories)) - sum(map(is_standing_rule, chosen))
    text = _render_brief(chosen, more, nonce, lines)
    return Brief(tuple(chosen), text, estimate_tokens(text), more)


def _by_importance(
    memories: Iterable[MemoryRow], tags: frozenset[str], relevance: Mapping[str, float]
) -> list[MemoryRow]:
    """Return memories in the order in which they get a place in the brief.

    First the project's constraints; then memories with a requested tag; then global constraints and the project's rules
    in turn, so that many of one leave room for the other; then the rest.
    """
    constraints: list[MemoryRow] = []
    tagged: list[MemoryRow] = []
    global_constraints: list[MemoryRow] = []
    rules: list[MemoryRow] = []
    rest: list[MemoryRow] = []
    for memory in sorted(memories, key=lambda memory: brief_key(_rankable(memory, relevance), tags)):
        is_here = is_project_scope(memory.scope)
        if is_here and memory.kind is Kind.CONSTRAINT:
            constraints.append(memory)
        elif not tags.isdisjoint(memory.tags):
            tagged.append(memory)
        elif memory.kind is Kind.CONSTRAINT:
            global_constraints.append(memory)
        elif is_here and memory.kind is Kind.RULE:
            rules.append(memory)
        else:
            rest.append(memory)
    in_turn = (memory for pair in zip_longest(global_constraints, rules) for memory in pair if memory)
    return [*constraints, *tagged, *in_turn, *rest]


def _rankable(memory: MemoryRow, relevance: Mapping[str, float]) -> Rankable:
    return Rankable(
        memory.id, memory.kind, memory.tags, memory.strength, memory.last_event, relevance.get(memory.id, 0.0)
    )


def _render_brief(
    memories: Sequence[MemoryRow], more: int, nonce: str, lines: Mapping[ClaimId, str], *, whole: bool = False
) -> str:
    """Return the fenced text. With `whole`, all lines besides the memories are included: their size is measured."""
    rules = [lines[memory.id] for memory in memories if is_standing_rule(memory)]
    notes = [lines[memory.id] for memory in memories if not is_standing_rule(memory)]
    if rules or whole:
        rules = [_RULES_HEADER, *rules]
        if more > 0:
            rules.append(f"({more} more hold here; `tacit context` prints all of them.)")
    return fenced([*rules, *([_NOTES_HEADER] if notes or whole else []), *notes], nonce)


def memory_line(memory: MemoryRow, missing: Sequence[str] = ()) -> str:
    """Return the line of a memory. `missing` is what it names that is not in the work tree."""
    marks = [memory.kind.label, "project" if is_project_scope(memory.scope) else "global", memory.said_at[:10]]
    if memory.is_conflicting:
        marks.append("disputed")
    if memory.author:
        marks.append(f"from the team: {harmless(memory.author)}")
    if memory.provenance < Provenance.USER_FILE:  # an agent's words, or what a program concluded
        marks.append("learned, may be outdated")
    return f"- [{', '.join(marks)}] {harmless(memory.sentence)}{missing_remark(missing)} ({memory.id})"


def missing_remark(missing: Sequence[str]) -> str:
    """Return what is put behind a sentence that is not true of the work tree; "" if it is."""
    return f" (not true here: {harmless(', '.join(missing))})" if missing else ""
