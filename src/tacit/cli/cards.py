"""How lists are printed, and memories in them: as lines and cards, or as JSON; and how often agents followed a memory.

`printable` escapes what could fool a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.cli import output
from tacit.cli.commands import Invocation, Option
from tacit.cli.output import JsonObject, bold, dim, echo, echo_json_list, echo_wrapped, first_lines, pluralize, warn
from tacit.model.claim import is_project_scope, project_name
from tacit.model.conditions import State, TreeVerdict
from tacit.model.event import timestamp
from tacit.model.memory import Memory
from tacit.text.display import clip, printable
from tacit.vault.listing import HABIT_LABELS, STATUS_LABELS, Filters, provenance_label

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    from tacit.index.reader import MemoryRow
    from tacit.model.claim import Claim
    from tacit.vault.listing import ListedMemory, Listing
    from tacit.vault.memories import DecisionOutcome
    from tacit.vault.review import Card
    from tacit.vault.sessions import AdherenceReport

    T = TypeVar("T")

DEFAULT_LIMIT = 50  # entries of a list, without --limit and --all
_MAX_EVIDENCE = 3  # violations and corrections that are shown

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
    example = f"for example: tacit {call.command.name} --limit 100"
    call.only_one(("--limit", "--all"), example, "exclude each other")
    return None


def show_list(
    call: Invocation,
    listing: Listing[T],
    noun: str,
    as_json: Callable[[T], object],
    echo_entry: Callable[[T], None],
    *,
    title: str = "",
    empty: str = "",
) -> int:
    """Print a list, as lines or as JSON, and how many more there are. Return the exit code.

    `title` is printed before the entries, `empty` if there are none.
    """
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(map(as_json, listing.entries))
    elif empty and not listing.total:
        echo(empty)
    else:
        if title:
            echo(title)
        for entry in listing.entries:
            echo_entry(entry)
            shown += 1
    echo_remaining(call, shown, listing.total, noun)
    return call.exit_code(found=bool(listing.total))


def echo_remaining(call: Invocation, shown: int, total: int, noun: str) -> None:
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
    rest = pluralize(total - shown, f"more {noun}", "more memories" if noun == "memory" else "")
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
    if listed.verdict and listed.verdict.conditions:
        marks.append(listed.verdict.state.value)
    if listed.overruled_by:
        marks.append(f"overruled by {listed.overruled_by}")
    echo_wrapped(f"{bullet}{output.cyan(f'[{listed.short}]')} {printable(memory.claim.sentence)}")
    echo(dim(f"    {', '.join(marks)}, {memory.shown_day.isoformat()}"))


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
    day = "" if listed.counts else f", {memory.shown_day.isoformat()}"
    lines = [f"── {number} ── {output.cyan(f'[{listed.short}]')} {kind}, {where}{day}"]
    if listed.counts and listed.counts.steps:
        lines.append(bold(f"   {printable(listed.counts.label)}"))
        lines += [f"     {number}. {printable(clip(step, 100))}" for number, step in enumerate(listed.counts.steps, 1)]
    else:
        lines.append(bold(f"   “{printable(memory.claim.sentence)}”"))
    runs = pluralize(listed.counts.runs, "run") if listed.counts else ""
    if listed.counts and not listed.counts.has_times:
        basis = f"{runs} in a history without timestamps (sessions unknown)"
    elif listed.counts:
        basis = f"{runs} in {pluralize(listed.counts.sessions, 'session')}"
    else:
        basis = f"{pluralize(max(memory.strength, 1), 'observation')} in {pluralize(len(memory.sessions), 'session')}"
    sure = f", confidence {memory.confidence:.2f}" if memory.is_confidence_measured else ""
    lines.append(f"   based on {basis}{sure}")
    if listed.counts:
        last = f", the last time on {listed.counts.last_day}" if listed.counts.last_day else ""
        return [*lines, f"   learned from your shell{last}", f"   accepting {printable(listed.counts.effect)}"]
    lines.append(f"   source: {printable(memory.source)}, {provenance_label(memory)}")
    for evidence in memory.evidence[:3]:
        label = "you said" if evidence.event in listed.quoting_events else "evidence"
        lines.append(f"   {label}: {printable(clip(evidence.text, 300))}")
    if listed.concluded_by:
        lines.append(f"   {conclusion_text(listed.concluded_by)}")
    if listed.reason:
        lines.append(f"   why: {printable(clip(listed.reason, 200))}")
    lines += [f"   may contradict {row.id[:6]}: {printable(clip(row.sentence, 160))}" for row in listed.contradicts]
    lines += [f"   says the same as {row.id[:6]}? {printable(clip(row.sentence, 160))}" for row in listed.may_be_same]
    return lines


def echo_card(listed: ListedMemory, at: int, of: int | None) -> None:
    """Print a candidate, and the commands that decide on it."""
    echo_wrapped(*card_lines(listed, at, of))
    merge = f"   tacit edit {listed.short} --into {listed.may_be_same[0].id[:6]}" if listed.may_be_same else ""
    echo(f"   tacit accept {listed.short}   tacit dismiss {listed.short}{merge}")


# Memories as JSON


def memory_json(listed: ListedMemory) -> JsonObject:
    """Return a memory with all its fields."""
    memory, counts = listed.memory, listed.counts
    return {
        **reference_json(memory.claim),
        "short": listed.short,
        "key": counts.label if counts else memory.claim.key,
        "label": memory.claim.sentence,
        "confidence": memory.confidence,
        "status": memory.status.value,
        "evidence": [evidence.text for evidence in memory.evidence],
        "shared": memory.is_in_fact_file,
        "triple": memory.claim.triple._asdict(),
        "tags": list(memory.claim.tags),
        "strength": memory.strength,
        "run_count": counts.runs if counts else memory.strength,
        "session_count": counts.sessions if counts else len(memory.sessions),
        "has_times": counts.has_times if counts else True,
        "steps": list(counts.steps) if counts else [],
        "effect": counts.effect if counts else "",
        "source": memory.source,
        "author": memory.author,
        "provenance": memory.provenance.name.lower(),
        "first_at": timestamp(memory.first_at),
        "at": timestamp(memory.last_at),
        "said_at": timestamp(memory.said_at),
        "conflict": listed.conflict,
        "overruled_by": listed.overruled_by,
        "reason": memory.reason or listed.reason,
        "contradicts": [row.id for row in listed.contradicts],
        "may_be_same": [row.id for row in listed.may_be_same],
        "work_tree": tree_json(listed.verdict),
    }


def reference_json(claim: Claim | MemoryRow) -> JsonObject:
    """Return the few fields of a memory that is part of another object."""
    return {"id": claim.id, "kind": claim.kind.label, "scope": claim.scope, "text": claim.sentence}


def missing_json(conditions: Iterable[tuple[str, str]]) -> list[JsonObject]:
    """Return what is not true of the work tree, each with the reason, without commits and sessions."""
    return [{"text": text, "reason": why, "commit": None, "last_change": None} for text, why in conditions]


def tree_json(verdict: TreeVerdict | None) -> JsonObject | None:
    """Return what the work tree says of a memory; None if it was not asked."""
    if verdict is None:
        return None
    return {
        "state": verdict.state.value,
        "reason": verdict.why,
        "conditions": [
            {
                "text": one.condition.text,
                "state": one.outcome.state.value,
                "reason": one.outcome.why,
                "kept": one.is_kept,
            }
            for one in verdict.conditions
        ],
    }


def tree_lines(verdict: TreeVerdict) -> Iterator[str]:
    """Yield what the work tree says of a memory, with what it asks for."""
    why = f": {printable(verdict.why)}" if verdict.why and verdict.state is not State.GREEN else ""
    yield f"{tree_mark(verdict.state)}{why}"
    for one in verdict.conditions if len(verdict.conditions) > 1 else ():
        kept = ", kept by you" if one.is_kept else ""
        yield f"    {one.outcome.state.value}{kept}: {printable(one.condition.text)}"


def tree_mark(state: State) -> str:
    """Return a state of a memory in its color."""
    return {State.RED: output.red, State.GREEN: output.green, State.UNKNOWN: dim}[state](state.value)


# How often a memory was told and followed


def adherence_lines(report: AdherenceReport) -> Iterator[str]:
    """Yield how often a memory was told and what came of it; nothing if no agent was told."""
    counts = report.counts
    if not counts.injected and not counts.checked:
        return
    parts = [f"told {pluralize(counts.injected, 'time')}"]
    if counts.checked:
        stopped = f", stopped {counts.stopped}" if counts.stopped else ""
        parts.append(
            f"followed {counts.followed}, violated {counts.violated}{stopped}, not applicable {counts.not_applicable}"
        )
    if counts.unknown:
        parts.append(f"unknown {counts.unknown}")
    yield ", ".join(parts)
    for label, items in (
        ("violated", report.violations),
        ("stopped by your rule", report.stops),
        ("corrected", report.corrections),
    ):
        lines = [
            f"    {label} on {item.at[:10]} in session {item.short}"
            + (f": {printable(item.text)}" if item.text else "")
            for item in items
        ]
        yield from first_lines(lines, _MAX_EVIDENCE, "    ")


def adherence_json(report: AdherenceReport) -> JsonObject:
    counts = report.counts
    violations, stops, corrections = (
        [{"id": item.event, "session": item.session, "at": item.at, "text": item.text} for item in items]
        for items in (report.violations, report.stops, report.corrections)
    )
    return {
        "injected_count": counts.injected,
        "followed_count": counts.followed,
        "violated_count": counts.violated,
        "not_applicable_count": counts.not_applicable,
        "stopped_count": counts.stopped,
        "unknown_count": counts.unknown,
        "violations": violations,
        "stopped_calls": stops,
        "corrections": corrections,
    }
