"""How memories look: plain lines for people, JSON for programs. All content passes `show`, which is not fooled."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from tacit.cli.command import Call, Option
from tacit.cli.json_forms import memory_form
from tacit.cli.output import counted, say, say_json
from tacit.model.claim import is_local, project_name
from tacit.model.memory import Memory
from tacit.text.display import clip, show
from tacit.vault.queries import Filters
from tacit.vault.wording import HABIT_WORDS, PROVENANCE_WORDS, STATUS_WORDS

if TYPE_CHECKING:
    from tacit.vault.decisions import Outcome
    from tacit.vault.queries import Listed

# The options that narrow a list of memories, and how much of a list is shown.

SHOWN = 50  # entries, unless --limit says otherwise
T = TypeVar("T")

KIND = Option("--kind", "KIND", "only this kind, for example constraint or workflow_pattern")
LIMIT = Option("--limit", "N", f"show at most so many (default {SHOWN}; with --json all)")
OPTIONS = (
    Option("--project", "NAME|DIR", "only those of this project: its name, or a folder in it"),
    Option("--agent", "AGENT", "only what this agent proposed or its sessions showed, for example claude"),
    Option("--since", "TIME", "only what was last touched since, for example 7d or 2026-11-15"),
    Option("--before", "TIME", "only what was last touched before, for example 30d"),
)


def filters_of(call: Call) -> Filters:
    return Filters(call.value("--project"), call.value("--agent"), call.value("--since"), call.value("--before"))


def limited(call: Call, entries: Sequence[T]) -> Sequence[T]:
    """The entries to show: as many as --limit says; else 50 for people, and all for programs."""
    limit = call.number("--limit")
    if limit is None and call.flag("--json"):
        return entries
    return entries[: limit or SHOWN]


def say_rest(call: Call, shown: int, total: int, noun: str, plural: str = "") -> None:
    """How many entries were not shown, and what to type to see them."""
    if total > shown:
        typed = [
            word
            for name, values in call.values.items()
            if name not in ("--limit", "--home")
            for value in values
            for word in ([name, value] if value else [name])
        ]
        command = shlex.join(["tacit", call.command.name, *typed, "--limit", str(total)])
        rest = counted(total - shown, f"more {noun}", f"more {plural or noun + 's'}")
        say(f"… and {rest}. To see all: {command}")


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
