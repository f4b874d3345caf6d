"""Commands that list and show memories: `list`, `show`, `why`, `suggestions` and `conflicts`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tacit.cli.cards import (
    KIND,
    LIMIT,
    OPTIONS,
    entry_line,
    filters_of,
    limited,
    outcome_line,
    say_card,
    say_entries,
    say_rest,
)
from tacit.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.cli.json_forms import Form, memory_form
from tacit.cli.output import say, say_json, waiting_for_trust
from tacit.cli.terminal import ask
from tacit.errors import WrongUse
from tacit.index.habits import Ran
from tacit.model.claim import Kind, Status, scope_label
from tacit.model.conflict import Rule
from tacit.model.event import local_time, timestamp
from tacit.model.memory import Memory
from tacit.model.observation import UNKNOWN_STATUS, PromptGiven, ReplyGiven, ToolUsed
from tacit.text.display import clip, show
from tacit.text.summarize import one_line
from tacit.vault.queries import Dispute, Reason, Source
from tacit.vault.wording import details, what

if TYPE_CHECKING:
    from tacit.vault.vault import Vault


# tacit conflicts.


def run_conflicts(call: Call) -> int:
    call.no_words()
    if keep := call.value("--keep"):
        return _keep(call, keep)
    if both := call.value("--keep-both"):
        say(outcome_line("Stands beside the others now", call.vault.decisions.keep(both)))
        return 0
    disputes = call.vault.queries.conflicts()
    if call.flag("--json"):
        say_json([_form(dispute) for dispute in disputes])
        return call.exit_code(found=bool(disputes))
    say(f"Conflicts ({len(disputes)})")
    for dispute in disputes:
        _say(dispute)
    return call.exit_code(found=bool(disputes))


def _keep(call: Call, reference: str) -> int:
    kept = call.vault.queries.show(reference)
    for dispute in call.vault.queries.conflicts():
        sides = {dispute.winner.memory.id: dispute.winner, dispute.loser.memory.id: dispute.loser}
        if sides.pop(kept.memory.id, None):
            for other in sides.values():
                call.vault.decisions.forget(other.memory.id, reason="contradicted", evidence=f"kept {kept.memory.id}")
                say(f"Forgot [{other.short}]: {show(other.memory.claim.sentence)}")
    say(f"Kept [{kept.short}]: {show(kept.memory.claim.sentence)}")
    return 0


def ask_undecided(vault: Vault) -> int:
    """Ask about each conflict that no rule decides; returns how many were answered. An answer ends the conflict."""
    answered = 0
    skipped: set[frozenset[str]] = set()
    while True:
        open_ones = [
            one for one in vault.queries.conflicts() if one.rule is Rule.UNDECIDED and _sides(one) not in skipped
        ]
        if not open_ones:
            return answered
        dispute = open_ones[0]
        say(f"Two memories contradict each other ({show(scope_label(dispute.scope))}): {show(dispute.difference)}")
        for number, side in ((1, dispute.winner), (2, dispute.loser)):
            say(f"   {number}  [{side.short}] {show(side.memory.claim.sentence)} ({side.memory.day})")
        try:
            answer = ask("   1 or 2 holds · b both hold · s skip · q quit > ").strip().lower()[:1]
        except EOFError:
            return answered
        if answer == "q":
            return answered
        if answer == "b":
            say(outcome_line("   Both hold", vault.decisions.keep(dispute.loser.memory.id)))
        elif answer in ("1", "2"):
            kept, other = (dispute.winner, dispute.loser) if answer == "1" else (dispute.loser, dispute.winner)
            vault.forget(other.memory.id, reason="contradicted", evidence=f"kept {kept.memory.id}")
            say(f"   Kept [{kept.short}], forgot [{other.short}].")
        else:
            skipped.add(_sides(dispute))
            continue
        answered += 1


def _sides(dispute: Dispute) -> frozenset[str]:
    return frozenset((dispute.winner.memory.id, dispute.loser.memory.id))


def _say(dispute: Dispute) -> None:
    first, second = ("between", "and") if dispute.rule is Rule.UNDECIDED else ("holds  ", "against")
    say(f"- {show(dispute.difference)} ({show(scope_label(dispute.scope))}): {dispute.rule.value}")
    for word, side in ((first, dispute.winner), (second, dispute.loser)):
        memory = side.memory
        say(f"    {word:<8} [{side.short}] {show(memory.claim.sentence)} ({memory.kind.label}, {memory.day})")
    say(f"    resolve: tacit conflicts --keep {dispute.winner.short}   or --keep {dispute.loser.short}")
    say(f"    or, if both hold: tacit conflicts --keep-both {dispute.loser.short}")


def _form(dispute: Dispute) -> Form:
    return {
        "difference": dispute.difference,
        "scope": dispute.scope,
        "rule": dispute.rule.name.lower(),
        "reason": dispute.rule.value,
        "winner": None if dispute.rule is Rule.UNDECIDED else dispute.winner.memory.id,
        "memories": [memory_form(dispute.winner), memory_form(dispute.loser)],
    }


CONFLICTS = Command(
    name="conflicts",
    words="",
    help=(
        "Memories that contradict each other, and the rule that decided: the newest wins, unless the older is a\n"
        "constraint; what no rule decides is kept and tagged conflict, and tacit review asks about it."
    ),
    example="tacit conflicts --keep 7k2m",
    run=run_conflicts,
    options=(
        Option("--keep", "ID", "this one is right: forget the others"),
        Option("--keep-both", "ID", "this one is about something else: let it stand beside the others"),
        EXIT_CODE,
        JSON,
    ),
)


# tacit list.

_STATUSES = {
    "active": Status.ACTIVE,
    "pending": Status.PENDING,
    "forgotten": Status.RETIRED,
    "dismissed": Status.DISMISSED,
}


def run_list(call: Call) -> int:
    call.no_words()
    name = call.value("--status") or "active"
    if name not in (*_STATUSES, "all"):
        raise WrongUse(f"no such status: {name!r}", "one of active, pending, forgotten, dismissed, all")
    memories = call.vault.queries.entries(
        status=_STATUSES.get(name),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        tag=call.value("--tag"),
        filters=filters_of(call),
    )
    say_entries(call, limited(call, memories), "Memories", len(memories))
    if not call.flag("--json") and (untrusted := call.vault.home.untrusted()):
        say(waiting_for_trust(untrusted))
    return call.exit_code(found=bool(memories))


LIST = Command(
    name="list",
    words="",
    help="Memories, the latest first: those of this project and the global ones, or elsewhere all.",
    example="tacit list --kind constraint",
    run=run_list,
    options=(
        Option("--status", "STATUS", "active (default), pending, forgotten, dismissed or all"),
        KIND,
        Option("--tag", "TAG", "only with this tag"),
        Option("--scope", "SCOPE", "local, global or all"),
        *OPTIONS,
        LIMIT,
        EXIT_CODE,
        JSON,
    ),
)


# tacit show.


def run_show(call: Call) -> int:
    listed = call.vault.queries.show(call.text())
    if call.flag("--json"):
        say_json(memory_form(listed))
        return 0
    memory = listed.memory
    say(entry_line(listed))
    say(f"    id {memory.id}, source {show(memory.source)}, confidence {memory.confidence:.2f}")
    say(f"    says: {show(' | '.join(memory.claim.triple))}")
    if memory.claim.tags:
        say(f"    tags: {show(', '.join(memory.claim.tags))}")
    for given in memory.evidence:
        say(f"    evidence of {given.day}: {show(given.text)}")
    if memory.reason:
        say(f"    reason: {show(memory.reason)}")
    say(f"    more: tacit why {listed.short}")
    return 0


SHOW = Command(
    name="show",
    words="ID",
    help="One memory, whole.",
    example="tacit show 7k2m",
    run=run_show,
    options=(JSON,),
)


# tacit suggestions.


def run_suggestions(call: Call) -> int:
    call.no_words()
    pending = call.vault.pending.suggestions(
        call.value("--scope") or "all", kind=call.value("--kind"), filters=filters_of(call)
    )
    shown = limited(call, pending)
    if call.flag("--json"):
        say_json([memory_form(one) for one in shown])
        return call.exit_code(found=bool(pending))
    if not pending and any(call.flag(option.name) for option in (KIND, *OPTIONS)):
        say("No suggestions like that.")
    elif not pending:
        say("No suggestions. They come from what you run (tacit install zsh) and from what agents propose.")
    for at, listed in enumerate(shown, 1):
        say_card(listed, at, len(pending))
    say_rest(call, len(shown), len(pending), "suggestion")
    return call.exit_code(found=bool(pending))


SUGGESTIONS = Command(
    name="suggestions",
    words="",
    help=(
        "What waits for your decision, as cards: first the habits that tell most about how you work, then what was\n"
        "said or proposed, the surest first. Also: tacit candidates."
    ),
    example="tacit suggestions",
    run=run_suggestions,
    options=(Option("--scope", "SCOPE", "local, global or all (default)"), KIND, *OPTIONS, LIMIT, EXIT_CODE, JSON),
)


# tacit why.

_HABITS = (Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN, Kind.PREFERENCE)


def run_why(call: Call) -> int:
    listed, reasons = call.vault.queries.why(call.text())
    behind = _occurrences(call, listed.memory)
    if call.flag("--json"):
        events, commands = [_event_form(reason) for reason in reasons], [_command_form(ran) for ran in behind]
        say_json({**memory_form(listed), "events": events, "commands": commands})
        return 0
    say(entry_line(listed))
    for reason in reasons:
        origin = reason.event.origin
        undone = ", undone" if reason.undone else ""
        say(f"  {local_time(origin):%Y-%m-%d %H:%M} {show(origin.actor)}: {what(reason)}{undone}")
        for label, text in details(reason):
            say(f"      {label}: {show(text)}")
        say(f"      {show(str(reason.place))}")
        for source in reason.sources:
            by = source.event.origin
            say(f"      {local_time(by):%Y-%m-%d %H:%M} {show(by.actor)}: {_words(source)}")
            say(f"        {show(str(source.place))}")
    for ran in behind:
        where = f" in {show(ran.command.directory)}" if ran.command.directory else ""
        say(f"  {_moment(ran)}{where}: {show(clip(ran.command.command, 100))}")
    return 0


def _occurrences(call: Call, memory: Memory) -> list[Ran]:
    """The latest commands behind a habit."""
    if memory.kind not in _HABITS:  # what looks them up takes long to load
        return []

    return call.vault.pending.occurrences(memory)


def _words(source: Source) -> str:
    """What was said or done, in short."""
    match source.event.body:
        case PromptGiven(text=text) | ReplyGiven(text=text):
            return show(one_line(text, 160))
        case ToolUsed(tool=tool, input=given, outcome=outcome):
            ended = f" ({outcome.value})" if outcome.value else ""
            return show(f"{tool}: {one_line(given, 120)}{ended}")
    return "…"


def _moment(ran: Ran) -> str:
    return f"{datetime.fromtimestamp(ran.at / 1000):%Y-%m-%d %H:%M}"


def _event_form(reason: Reason) -> Form:
    event, told = reason.event, dict(details(reason))
    return {
        "id": event.id,
        "text": what(reason),
        "at": timestamp(event.at),
        "actor": event.origin.actor,
        "provenance": event.origin.provenance.name.lower(),
        "undone": reason.undone,
        "path": reason.place.path,
        "line": reason.place.line,
        "sources": [
            {"id": one.event.id, "text": _words(one), "path": one.place.path, "line": one.place.line}
            for one in reason.sources
        ],
        "evidence": [told["evidence"]] if "evidence" in told else [],
        "reason": told.get("reason", ""),
        "instead": told.get("instead", ""),
    }


def _command_form(ran: Ran) -> Form:
    command = ran.command
    return {
        "id": ran.event,
        "text": command.command,
        "at": timestamp(datetime.fromtimestamp(ran.at / 1000, UTC)),
        "directory": command.directory,
        "exit_status": None if command.status == UNKNOWN_STATUS else command.status,
        "milliseconds": command.milliseconds,
        "shell": command.shell,
        "meant": command.meant,
        "planned": command.planned,
    }


WHY = Command(
    name="why",
    words="ID",
    help=(
        "Why a memory exists: every event it is made of, who said it when, and the line of the log it stands in;\n"
        "of a habit also the latest commands behind it."
    ),
    example="tacit why 7k2m",
    run=run_why,
    options=(JSON,),
)
