"""How memories look: plain lines for people, JSON for programs. All content passes `show`, which is not fooled."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from tacit.cli.command import Invocation, Option
from tacit.cli.json_output import memory_json
from tacit.cli.output import echo, echo_json, pluralize
from tacit.model.claim import is_project_scope, project_name
from tacit.model.memory import Memory
from tacit.text.display import clip, printable
from tacit.vault.labels import HABIT_LABELS, PROVENANCE_LABELS, STATUS_LABELS
from tacit.vault.queries import Filters

if TYPE_CHECKING:
    from tacit.vault.decisions import DecisionOutcome
    from tacit.vault.queries import ListedMemory

# The options that narrow a list of memories, and how much of a list is shown.

DEFAULT_LIMIT = 50  # entries, unless --limit says otherwise
T = TypeVar("T")

KIND_OPTION = Option("--kind", "KIND", "only this kind, for example constraint or workflow_pattern")
LIMIT_OPTION = Option("--limit", "N", f"show at most so many (default {DEFAULT_LIMIT}; with --json all)")
FILTER_OPTIONS = (
    Option("--project", "NAME|DIR", "only those of this project: its name, or a folder in it"),
    Option("--agent", "AGENT", "only what this agent proposed or its sessions showed, for example claude"),
    Option("--since", "TIME", "only what was last touched since, for example 7d or 2026-11-15"),
    Option("--before", "TIME", "only what was last touched before, for example 30d"),
)


def parse_filters(call: Invocation) -> Filters:
    return Filters(call.value("--project"), call.value("--agent"), call.value("--since"), call.value("--before"))


def limited(call: Invocation, entries: Sequence[T]) -> Sequence[T]:
    """The entries to show: as many as --limit says; else 50 for people, and all for programs."""
    limit = call.number("--limit")
    if limit is None and call.flag("--json"):
        return entries
    return entries[: limit or DEFAULT_LIMIT]


def echo_remaining(call: Invocation, shown: int, total: int, noun: str, plural: str = "") -> None:
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
        rest = pluralize(total - shown, f"more {noun}", f"more {plural or noun + 's'}")
        echo(f"… and {rest}. To see all: {command}")


def scope_text(memory: Memory) -> str:
    return f"project {project_name(memory.claim.scope)}" if is_project_scope(memory.claim.scope) else "global"


def outcome_line(verb: str, outcome: DecisionOutcome) -> str:
    memory = outcome.memory
    sentence, scope = printable(memory.claim.sentence), printable(scope_text(memory))
    return f"{verb} ({scope}, {memory.kind.label}) [{outcome.short}]: {sentence}"


def memory_line(listed: ListedMemory) -> str:
    memory = listed.memory
    marks = [
        memory.kind.label,
        STATUS_LABELS.get(memory.status.value, memory.status.value),
        printable(scope_text(memory)),
    ]
    if memory.is_in_fact_file:
        marks.append("shared")
    if memory.strength > 1:
        marks.append(f"seen {memory.strength} times")
    if listed.conflict:
        marks.append("conflict")
    if listed.overruled_by:
        marks.append(f"overruled by {listed.overruled_by}")
    return f"[{listed.short}] {printable(memory.claim.sentence)}\n    {', '.join(marks)}, {memory.day.isoformat()}"


def echo_memories(call: Invocation, listed: Sequence[ListedMemory], title: str, total: int | None = None) -> None:
    """A list, for people or as JSON. `total` is how many there are where only some are listed."""
    if call.flag("--json"):
        echo_json([memory_json(one) for one in listed])
        return
    echo(f"{title} ({len(listed) if total is None else total})")
    for one in listed:
        echo(f"- {memory_line(one)}")
    if total is not None:
        echo_remaining(call, len(listed), total, "memory", "memories")


def _basis(listed: ListedMemory) -> str:
    memory = listed.memory
    if listed.counts and not listed.counts.has_times:
        return f"{pluralize(listed.counts.runs, 'run')} in a history without timestamps (sessions unknown)"
    if listed.counts:
        return f"{pluralize(listed.counts.runs, 'run')} in {pluralize(listed.counts.sessions, 'session')}"
    return f"{pluralize(max(memory.strength, 1), 'observation')} in {pluralize(len(memory.sessions), 'session')}"


def card_lines(listed: ListedMemory, at: int, of: int) -> Sequence[str]:
    """A candidate as a person decides on it."""
    memory = listed.memory
    kind = HABIT_LABELS[memory.kind.label] if listed.counts else memory.kind.label
    lines = [f"── {at} of {of} ── [{listed.short}] {kind}, {printable(scope_text(memory))}"]
    if listed.counts and listed.counts.steps:
        lines.append(f"   {printable(listed.counts.label)}")
        lines += [f"     {number}. {printable(clip(step, 100))}" for number, step in enumerate(listed.counts.steps, 1)]
    else:
        lines.append(f"   “{printable(memory.claim.sentence)}”")
    lines.append(f"   based on {_basis(listed)}, confidence {memory.confidence:.2f}")
    if listed.counts:
        last = f", the last time on {listed.counts.last_day}" if listed.counts.last_day else ""
        return [*lines, f"   learned from your shell{last}"]
    lines.append(f"   source: {printable(memory.source)}, {PROVENANCE_LABELS[memory.provenance]}")
    lines += [f"   evidence: {printable(clip(given.text, 300))}" for given in memory.evidence[:3]]
    if listed.reason:
        lines.append(f"   why: {printable(clip(listed.reason, 200))}")
    lines += [f"   contradicts {entry.id[:6]}: {printable(clip(entry.sentence, 160))}" for entry in listed.contradicts]
    return lines


def echo_card(listed: ListedMemory, at: int, of: int) -> None:
    """A candidate, and what to type about it."""
    for line in card_lines(listed, at, of):
        echo(line)
    echo(f"   tacit accept {listed.short}   tacit dismiss {listed.short}")
