"""How memories look: plain lines for people, JSON for programs. All content passes `show`, which is not fooled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.claim import is_local, project_name
from tacit.core.memory import Memory
from tacit.core.text import clip, show
from tacit.surfaces.cli.command import Call
from tacit.surfaces.cli.forms import memory_form
from tacit.surfaces.cli.narrowing import say_rest
from tacit.surfaces.cli.words import HABIT_WORDS, PROVENANCE_WORDS, STATUS_WORDS, counted, say, say_json

if TYPE_CHECKING:
    from tacit.vault.judging import Outcome
    from tacit.vault.reading import Listed


def scope_words(memory: Memory) -> str:
    return f"project {project_name(memory.claim.scope)}" if is_local(memory.claim.scope) else "global"


def outcome_line(verb: str, outcome: Outcome) -> str:
    memory = outcome.memory
    return f"{verb} ({show(scope_words(memory))}, {memory.kind.label}) [{outcome.short}]: {show(memory.claim.sentence)}"


def entry_line(listed: Listed) -> str:
    memory = listed.memory
    marks = [memory.kind.label, STATUS_WORDS.get(memory.status.value, memory.status.value), show(scope_words(memory))]
    if memory.in_fact_file:
        marks.append("shared")
    if memory.strength > 1:
        marks.append(f"seen {memory.strength} times")
    if listed.conflict:
        marks.append("conflict")
    if listed.overruled_by:
        marks.append(f"overruled by {listed.overruled_by}")
    return f"[{listed.short}] {show(memory.claim.sentence)}\n    {', '.join(marks)}, {memory.day.isoformat()}"


def say_entries(call: Call, listed: Sequence[Listed], title: str, total: int | None = None) -> None:
    """A list, for people or as JSON. `total` is how many there are where only some are listed."""
    if call.flag("--json"):
        say_json([memory_form(one) for one in listed])
        return
    say(f"{title} ({len(listed) if total is None else total})")
    for one in listed:
        say(f"- {entry_line(one)}")
    if total is not None:
        say_rest(call, len(listed), total, "memory", "memories")


def _basis(listed: Listed) -> str:
    memory = listed.memory
    if listed.counted and not listed.counted.has_times:
        return f"{counted(listed.counted.runs, 'run')} in a history without timestamps (sessions unknown)"
    if listed.counted:
        return f"{counted(listed.counted.runs, 'run')} in {counted(listed.counted.sessions, 'session')}"
    return f"{counted(max(memory.strength, 1), 'observation')} in {counted(len(memory.sessions), 'session')}"


def card(listed: Listed, at: int, of: int) -> Sequence[str]:
    """A candidate as a person decides on it."""
    memory = listed.memory
    kind = HABIT_WORDS[memory.kind.label] if listed.counted else memory.kind.label
    lines = [f"── {at} of {of} ── [{listed.short}] {kind}, {show(scope_words(memory))}"]
    if listed.counted and listed.counted.steps:
        lines.append(f"   {show(listed.counted.label)}")
        lines += [f"     {number}. {show(clip(step, 100))}" for number, step in enumerate(listed.counted.steps, 1)]
    else:
        lines.append(f"   “{show(memory.claim.sentence)}”")
    lines.append(f"   based on {_basis(listed)}, confidence {memory.confidence:.2f}")
    if listed.counted:
        last = f", the last time on {listed.counted.last}" if listed.counted.last else ""
        return [*lines, f"   learned from your shell{last}"]
    lines.append(f"   source: {show(memory.source)}, {PROVENANCE_WORDS[memory.provenance]}")
    lines += [f"   evidence: {show(clip(given.text, 300))}" for given in memory.evidence[:3]]
    if listed.why:
        lines.append(f"   why: {show(clip(listed.why, 200))}")
    lines += [f"   contradicts {entry.id[:6]}: {show(clip(entry.sentence, 160))}" for entry in listed.against]
    return lines


def say_card(listed: Listed, at: int, of: int) -> None:
    """A candidate, and what to type about it."""
    for line in card(listed, at, of):
        say(line)
    say(f"   tacit accept {listed.short}   tacit dismiss {listed.short}")
