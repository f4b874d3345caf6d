"""Commands that list and show memories: `list`, `show`, `why` and `conflicts`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tacit.cli.adherence import adherence_json, adherence_lines
from tacit.cli.cards import (
    FILTER_OPTIONS,
    KIND_OPTION,
    LIMIT_OPTIONS,
    conclusion_text,
    echo_card,
    echo_memories,
    echo_memory,
    echo_remaining,
    list_limit,
    outcome_line,
    parse_filters,
)
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, memory_json
from tacit.cli.output import ask, echo, echo_json, echo_json_list, trust_hint
from tacit.errors import UsageError
from tacit.index.habits import RecordedCommand
from tacit.model.claim import Status, scope_label
from tacit.model.conflict import ConflictRule
from tacit.model.event import local_time, timestamp
from tacit.model.memory import HABIT_KINDS, Memory
from tacit.model.observation import UNKNOWN_STATUS, PromptGiven, ReplyGiven, ToolUsed
from tacit.text.display import clip, one_line, printable
from tacit.vault.evidence import describe_event, event_details, is_conclusion, is_quoting

if TYPE_CHECKING:
    from tacit.vault.evidence import EvidenceSource, MemoryEvent
    from tacit.vault.relations import MemoryConflict
    from tacit.vault.vault import Vault


# tacit conflicts


def run_conflicts(call: Invocation) -> int:
    call.refuse_args()
    if keep := call.value("--keep"):
        return _keep_memory(call, keep)
    if both := call.value("--keep-both"):
        echo(outcome_line("Stands beside the others now", call.vault.decisions.keep(both)))
        return 0
    conflicts = call.vault.queries.conflicts(list_limit(call))
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(_conflict_json(conflict) for conflict in conflicts.entries)
    else:
        echo(f"Conflicts ({conflicts.total})")
        for conflict in conflicts.entries:
            _echo_conflict(conflict)
            shown += 1
    echo_remaining(call, shown, conflicts.total, "conflict")
    return call.exit_code(found=bool(conflicts.total))


def _keep_memory(call: Invocation, reference: str) -> int:
    kept, forgotten = call.vault.decisions.keep_instead(reference)
    for outcome in forgotten:
        echo(f"Forgot [{outcome.short}]: {printable(outcome.memory.claim.sentence)}")
    echo(f"Kept [{call.vault.show(kept.id).short}]: {printable(kept.claim.sentence)}")
    return 0


def ask_conflicts(vault: Vault) -> int:
    """Ask about each conflict that no rule decides; returns how many were answered. An answer ends the conflict."""
    answered = 0
    skipped: set[frozenset[str]] = set()
    while True:
        undecided = vault.queries.conflicts(len(skipped) + 1, decided=False).entries
        conflict = next((conflict for conflict in undecided if _conflict_ids(conflict) not in skipped), None)
        if conflict is None:
            return answered
        verb = "may contradict" if conflict.rule is ConflictRule.MAY_CONTRADICT else "contradict"
        echo(
            f"Two memories {verb} each other ({printable(scope_label(conflict.scope))}): "
            f"{printable(conflict.difference)}"
        )
        for number, side in ((1, conflict.winner), (2, conflict.loser)):
            echo(f"   {number}  [{side.short}] {printable(side.memory.claim.sentence)} ({side.memory.day})")
        try:
            answer = ask("   1 or 2 holds · b both hold · s skip · q quit > ").strip().lower()[:1]
        except EOFError:
            return answered
        if answer == "q":
            return answered
        if answer == "b":
            echo(outcome_line("   Both hold", vault.decisions.keep(conflict.loser.memory.id)))
        elif answer in ("1", "2"):
            winner, loser = (conflict.winner, conflict.loser) if answer == "1" else (conflict.loser, conflict.winner)
            vault.forget(loser.memory.id, reason="contradicted", evidence=f"kept {winner.memory.id}")
            echo(f"   Kept [{winner.short}], forgot [{loser.short}].")
        else:
            skipped.add(_conflict_ids(conflict))
            continue
        answered += 1


@contextmanager
def reporting_conflicts(vault: Vault) -> Iterator[None]:
    """Print the conflicts that are new when a command has taken in what others wrote."""
    known = vault.queries.rulings()
    yield
    conflicts = vault.queries.load_rulings([ruling for ruling in vault.queries.rulings() if ruling not in known])
    if conflicts:
        echo("New conflicts:")
    for conflict in conflicts:
        _echo_conflict(conflict)


def _conflict_ids(dispute: MemoryConflict) -> frozenset[str]:
    return frozenset((dispute.winner.memory.id, dispute.loser.memory.id))


def _echo_conflict(dispute: MemoryConflict) -> None:
    first, second = ("between", "and") if dispute.rule.is_open else ("holds  ", "against")
    echo(f"- {printable(dispute.difference)} ({printable(scope_label(dispute.scope))}): {dispute.rule.value}")
    for word, side in ((first, dispute.winner), (second, dispute.loser)):
        memory = side.memory
        author = f", from the team: {printable(memory.author)}" if memory.author else ""
        text = f"{printable(memory.claim.sentence)} ({memory.kind.label}, {memory.day}{author})"
        echo(f"    {word:<8} [{side.short}] {text}")
    echo(f"    resolve: tacit conflicts --keep {dispute.winner.short}   or --keep {dispute.loser.short}")
    echo(f"    or, if both hold: tacit conflicts --keep-both {dispute.loser.short}")


def _conflict_json(dispute: MemoryConflict) -> JsonObject:
    return {
        "difference": dispute.difference,
        "scope": dispute.scope,
        "rule": dispute.rule.name.lower(),
        "reason": dispute.rule.value,
        "winner": None if dispute.rule.is_open else dispute.winner.memory.id,
        "memories": [memory_json(dispute.winner), memory_json(dispute.loser)],
    }


CONFLICTS = Command(
    name="conflicts",
    usage="",
    help=(
        "Memories that contradict each other, and the rule that decided: the newest wins, unless the older is a\n"
        "constraint; what no rule decides is kept and tagged conflict. Memories that only may contradict each other\n"
        "both hold. tacit review asks about both kinds."
    ),
    example="tacit conflicts --keep 7k2m",
    run=run_conflicts,
    options=(
        Option("--keep", "ID", "this one is right: forget the others"),
        Option("--keep-both", "ID", "this one is about something else: let it stand beside the others"),
        *LIMIT_OPTIONS,
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
)


# tacit list

_STATUSES = {
    "active": Status.ACTIVE,
    "pending": Status.PENDING,
    "forgotten": Status.RETIRED,
    "dismissed": Status.DISMISSED,
}


def run_list(call: Invocation) -> int:
    call.refuse_args()
    if call.flag("--pending"):
        return _list_candidates(call)
    name = call.value("--status") or ("forgotten" if call.flag("--forgotten") else "active")
    if name not in (*_STATUSES, "all"):
        raise UsageError(f"no such status: {name!r}", "one of active, pending, forgotten, dismissed, all")
    memories = call.vault.queries.listing(
        status=_STATUSES.get(name),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        tag=call.value("--tag"),
        filters=parse_filters(call),
        limit=list_limit(call),
    )
    echo_memories(call, memories, "Memories")
    if not call.flag("--json") and (untrusted := call.vault.home.count_untrusted()):
        echo(trust_hint(untrusted))
    return call.exit_code(found=bool(memories.total))


def _list_candidates(call: Invocation) -> int:
    """Print what waits for a decision as cards, in the order of `tacit review`."""
    pending = call.vault.pending.listing(
        call.value("--scope") or "all",
        kind=call.value("--kind"),
        filters=parse_filters(call),
        limit=list_limit(call),
    )
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(memory_json(listed) for listed in pending.entries)
    elif not pending.total and any(call.flag(option.name) for option in (KIND_OPTION, *FILTER_OPTIONS)):
        echo("No suggestions like that.")
    elif not pending.total:
        echo("No suggestions. They come from what you run (tacit install zsh) and from what agents propose.")
    else:
        for listed in pending.entries:
            shown += 1
            echo_card(listed, shown, pending.total)
    echo_remaining(call, shown, pending.total, "suggestion")
    return call.exit_code(found=bool(pending.total))


LIST = Command(
    name="list",
    usage="",
    help=(
        "List memories, the latest first: those of this project and the global ones, or outside of projects all.\n"
        "--pending lists candidates as cards, in the order of tacit review: first the habits that say most about how\n"
        "you work, then what was said or proposed, the surest first."
    ),
    example="tacit list --kind constraint",
    run=run_list,
    options=(
        Option("--pending", help="the candidates that wait for your decision, as cards"),
        Option("--forgotten", help="the memories that were forgotten"),
        Option("--status", "STATUS", "active (default), pending, forgotten, dismissed or all"),
        KIND_OPTION,
        Option("--tag", "TAG", "only with this tag"),
        Option("--scope", "SCOPE", "local, global or all"),
        *FILTER_OPTIONS,
        *LIMIT_OPTIONS,
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
)


# tacit show


def run_show(call: Invocation) -> int:
    listed = call.vault.queries.show(call.text())
    if call.flag("--json"):
        echo_json(memory_json(listed))
        return 0
    memory = listed.memory
    echo_memory(listed)
    echo(f"    id {memory.id}, source {printable(memory.source)}, confidence {memory.confidence:.2f}")
    echo(f"    says: {printable(' | '.join(memory.claim.triple))}")
    if memory.claim.tags:
        echo(f"    tags: {printable(', '.join(memory.claim.tags))}")
    for item in memory.evidence:
        label = "you said" if item.event in listed.quoting_events else f"evidence of {item.day}"
        echo(f"    {label}: {printable(item.text)}")
    if listed.concluded_by:
        echo(f"    {conclusion_text(listed.concluded_by)}")
    if memory.reason and not memory.author:
        echo(f"    reason: {printable(memory.reason)}")
    echo(f"    more: tacit why {listed.short}")
    return 0


SHOW = Command(
    name="show",
    usage="ID",
    help="One memory, whole.",
    example="tacit show 7k2m",
    run=run_show,
    options=(JSON_OPTION,),
)


# tacit why


def run_why(call: Invocation) -> int:
    listed, reasons = call.vault.queries.why(call.text())
    behind = _habit_runs(call, listed.memory)
    report = call.vault.adherence.report(listed.memory.id)
    if call.flag("--json"):
        events, commands = [_event_json(reason) for reason in reasons], [_command_json(ran) for ran in behind]
        adherence = adherence_json(report)
        echo_json({**memory_json(listed), "events": events, "commands": commands, "adherence": adherence})
        return 0
    echo_memory(listed)
    for line in adherence_lines(report):
        echo(f"  {line}")
    for reason in reasons:
        origin = reason.event.origin
        undone = ", undone" if reason.undone else ""
        echo(f"  {local_time(origin):%Y-%m-%d %H:%M} {printable(origin.actor)}: {describe_event(reason)}{undone}")
        for label, text in event_details(reason):
            is_quote = label == "evidence" and is_quoting(reason.event)
            echo(f"      {'you said' if is_quote else label}: {printable(text)}")
        if is_conclusion(reason.event):
            echo(f"      {conclusion_text(origin.actor.removeprefix('agent:'))}")
        echo(f"      {printable(str(reason.location))}")
        for source in reason.sources:
            by = source.event.origin
            echo(f"      {local_time(by):%Y-%m-%d %H:%M} {printable(by.actor)}: {_source_text(source)}")
            echo(f"        {printable(str(source.location))}")
    for ran in behind:
        where = f" in {printable(ran.command.directory)}" if ran.command.directory else ""
        echo(f"  {_format_run_time(ran)}{where}: {printable(clip(ran.command.command, 100))}")
    return 0


def _habit_runs(call: Invocation, memory: Memory) -> list[RecordedCommand]:
    """Return the latest commands of a habit; none for other memories, because the lookup is slow to import."""
    return call.vault.pending.occurrences(memory) if memory.kind in HABIT_KINDS else []


def _source_text(source: EvidenceSource) -> str:
    """Return what was said or done, in short."""
    match source.event.body:
        case PromptGiven(text=text) | ReplyGiven(text=text):
            return printable(one_line(text, 160))
        case ToolUsed(tool=tool, input=given, outcome=outcome):
            ended = f" ({outcome.value})" if outcome.value else ""
            return printable(f"{tool}: {one_line(given, 120)}{ended}")
    return "…"


def _format_run_time(ran: RecordedCommand) -> str:
    return f"{datetime.fromtimestamp(ran.at / 1000):%Y-%m-%d %H:%M}" if ran.at else "no time known"


def _event_json(reason: MemoryEvent) -> JsonObject:
    event, details = reason.event, dict(event_details(reason))
    return {
        "id": event.id,
        "text": describe_event(reason),
        "at": timestamp(event.at),
        "actor": event.origin.actor,
        "provenance": event.origin.provenance.name.lower(),
        "undone": reason.undone,
        "path": reason.location.path,
        "line": reason.location.line,
        "sources": [
            {
                "id": source.event.id,
                "text": _source_text(source),
                "path": source.location.path,
                "line": source.location.line,
            }
            for source in reason.sources
        ],
        "evidence": [details["evidence"]] if "evidence" in details else [],
        "reason": details.get("reason", ""),
        "instead": details.get("instead", ""),
    }


def _command_json(ran: RecordedCommand) -> JsonObject:
    command = ran.command
    return {
        "id": ran.event,
        "text": command.command,
        "at": timestamp(datetime.fromtimestamp(ran.at / 1000, UTC)) if ran.at else None,
        "directory": command.directory,
        "exit_status": None if command.status == UNKNOWN_STATUS else command.status,
        "milliseconds": command.milliseconds,
        "shell": command.shell,
        "meant": command.meant,
        "planned": command.planned,
    }


WHY = Command(
    name="why",
    usage="ID",
    help=(
        "Why a memory exists: every event it is made of, who said it when, and the line of the log it stands in;\n"
        "of a habit also the latest commands behind it. If agents were told it: in how many sessions, how many of\n"
        "them followed or violated it, with the command, and how many had nothing to do with it. What commands and\n"
        "changed files cannot show is not counted."
    ),
    example="tacit why 7k2m",
    run=run_why,
    options=(JSON_OPTION,),
)
