"""How lists of memories are printed: as lines and cards, or as JSON. `printable` escapes what could fool a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.cli.commands import Invocation, Option
from tacit.cli.json_output import memory_json
from tacit.cli.output import bold, cyan, dim, echo, echo_json_list, echo_wrapped, pluralize, warn
from tacit.errors import UsageError
from tacit.model.claim import is_project_scope, project_name
from tacit.model.memory import Memory
from tacit.text.display import clip, printable
from tacit.vault.filters import Filters
from tacit.vault.listing import HABIT_LABELS, PROVENANCE_LABELS, STATUS_LABELS

if TYPE_CHECKING:
    from tacit.vault.decisions import DecisionOutcome
    from tacit.vault.listing import ListedMemory, Listing
    from tacit.vault.review import Card

DEFAULT_LIMIT = 50  # entries of a list, without --limit and --all

KIND_OPTION = Option("--kind", "KIND", "only this kind, for example constraint or workflow_pattern")
LIMIT_OPTIONS = (
    Option("--limit", "N", f"show at most so many (default {DEFAULT_LIMIT})", short="-n"),
    Option("--all", help="show all"),
)
FILTER_OPTIONS = (
    Option("--project", "NAME|DIR", "only those of this project: its name, or a folder in it"),
    Option("--agent", "AGENT", "only what this agent proposed or its sessions showed, for example claude"),
    Option("--since", "TIME", "only what was last touched since, for example 7d or 2026-11-15"),
    Option("--before", "TIME", "only what was last touched before, for example 30d"),
)


def parse_filters(call: Invocation) -> Filters:
    return Filters(call.value("--project"), call.value("--agent"), call.value("--since"), call.value("--before"))


def list_limit(call: Invocation) -> int | None:
    """Return how many entries of a list to show: --limit, DEFAULT_LIMIT without it, None for --all."""
    if not call.flag("--all"):
        return call.number("--limit") or DEFAULT_LIMIT
    if call.flag("--limit"):
        raise UsageError("--limit and --all exclude each other", f"for example: tacit {call.command.name} --limit 100")
    return None


def echo_remaining(call: Invocation, shown: int, total: int, noun: str, plural: str = "") -> None:
    """Print how many entries were not shown, and what to type to see them; beside JSON, as a warning."""
    if total <= shown:
        return
    from shlex import join

    options = [
        word
        for name, values in call.values.items()
        if name != "--limit"
        for value in values
        for word in ([name, value] if value else [name])
    ]
    command = join(["tacit", call.command.name, *options, "--all"])
    rest = pluralize(total - shown, f"more {noun}", f"more {plural or noun + 's'}")
    (warn if call.flag("--json") else echo)(f"… and {rest}. To see all: {command}")


def scope_text(memory: Memory) -> str:
    return f"project {project_name(memory.claim.scope)}" if is_project_scope(memory.claim.scope) else "global"


def outcome_line(verb: str, outcome: DecisionOutcome) -> str:
    memory = outcome.memory
    sentence, scope = printable(memory.claim.sentence), printable(scope_text(memory))
    return f"{verb} ({scope}, {memory.kind.label}) [{outcome.short}]: {sentence}"


def echo_memory(listed: ListedMemory, bullet: str = "") -> None:
    """Print a memory in two lines: its id and sentence, then what is known about it."""
    memory = listed.memory
    marks = [
        memory.kind.label,
        STATUS_LABELS.get(memory.status.value, memory.status.value),
        printable(scope_text(memory)),
    ]
    if memory.is_in_fact_file:
        marks.append("shared")
    if memory.author:
        marks.append(f"from the team: {printable(memory.author)}")
    if memory.strength > 1:
        marks.append(f"seen {memory.strength} times")
    if listed.conflict:
        marks.append("conflict")
    if listed.overruled_by:
        marks.append(f"overruled by {listed.overruled_by}")
    echo_wrapped(f"{bullet}{cyan(f'[{listed.short}]')} {printable(memory.claim.sentence)}")
    echo(dim(f"    {', '.join(marks)}, {memory.day.isoformat()}"))


def echo_memories(call: Invocation, memories: Listing[ListedMemory], title: str) -> None:
    """Print a list, as lines or as JSON, and how many more there are."""
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(memory_json(listed) for listed in memories.entries)
    else:
        echo(bold(f"{title} ({memories.total})"))
        for shown, listed in enumerate(memories.entries, 1):  # noqa: B007
            echo_memory(listed, "- ")
    echo_remaining(call, shown, memories.total, "memory", "memories")


def _basis(listed: ListedMemory) -> str:
    """Return how often a candidate was observed, in words."""
    memory = listed.memory
    if listed.counts and not listed.counts.has_times:
        return f"{pluralize(listed.counts.runs, 'run')} in a history without timestamps (sessions unknown)"
    if listed.counts:
        return f"{pluralize(listed.counts.runs, 'run')} in {pluralize(listed.counts.sessions, 'session')}"
    return f"{pluralize(max(memory.strength, 1), 'observation')} in {pluralize(len(memory.sessions), 'session')}"


def conclusion_text(agent: str) -> str:
    """Return that an agent concluded something without words of the person."""
    return f"concluded by {printable(agent)}; no words of yours"


def card_scopes(card: Card) -> str:
    """Return where a card holds: `project a`, or `in 3 projects: a, b, c`."""
    scopes = [listed.memory.claim.scope for listed in card.candidates]
    if len(scopes) == 1:
        return scope_text(card.candidates[0].memory)
    names = [project_name(scope) for scope in scopes if is_project_scope(scope)]
    projects = f"in {pluralize(len(names), 'project')}: {', '.join(names)}"
    return projects if len(names) == len(scopes) else f"global, and {projects}"


def card_lines(listed: ListedMemory, at: int, of: int | None, scopes: str = "") -> Sequence[str]:
    """Return the lines that show a candidate for a decision. It is number `at` of `of`, None if that is unknown.

    `scopes` says where it holds if that is more than the scope of the candidate.
    """
    memory = listed.memory
    kind = HABIT_LABELS[memory.kind.label] if listed.counts else memory.kind.label
    where = printable(scopes or scope_text(memory))
    number = f"{at} of {of}" if of is not None else f"{at}"
    lines = [f"── {number} ── {cyan(f'[{listed.short}]')} {kind}, {where}"]
    if listed.counts and listed.counts.steps:
        lines.append(bold(f"   {printable(listed.counts.label)}"))
        lines += [f"     {number}. {printable(clip(step, 100))}" for number, step in enumerate(listed.counts.steps, 1)]
    else:
        lines.append(bold(f"   “{printable(memory.claim.sentence)}”"))
    lines.append(f"   based on {_basis(listed)}, confidence {memory.confidence:.2f}")
    if listed.counts:
        last = f", the last time on {listed.counts.last_day}" if listed.counts.last_day else ""
        return [*lines, f"   learned from your shell{last}"]
    lines.append(f"   source: {printable(memory.source)}, {PROVENANCE_LABELS[memory.provenance]}")
    for evidence in memory.evidence[:3]:
        label = "you said" if evidence.event in listed.quoting_events else "evidence"
        lines.append(f"   {label}: {printable(clip(evidence.text, 300))}")
    if listed.concluded_by:
        lines.append(f"   {conclusion_text(listed.concluded_by)}")
    if listed.reason:
        lines.append(f"   why: {printable(clip(listed.reason, 200))}")
    lines += [f"   may contradict {row.id[:6]}: {printable(clip(row.sentence, 160))}" for row in listed.contradicts]
    return lines


def echo_card(listed: ListedMemory, at: int, of: int | None) -> None:
    """Print a candidate, and the commands that decide on it."""
    for line in card_lines(listed, at, of):
        echo_wrapped(line)
    echo(f"   tacit accept {listed.short}   tacit dismiss {listed.short}")


def echo_group(card: Card, at: int, of: int | None) -> None:
    """Print the candidates that a card has, and the commands that decide on all of them."""
    if len(card.candidates) == 1:
        echo_card(card.merged, at, of)
        return
    for line in card_lines(card.merged, at, of, card_scopes(card)):
        echo_wrapped(line)
    shorts = " ".join(listed.short for listed in card.candidates)
    echo(f"   tacit accept {shorts}   tacit dismiss {shorts}")
    echo(f"   for all projects: tacit accept {card.merged.short} --global")
