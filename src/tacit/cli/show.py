"""Commands that list and show memories: `list`, `show`, `why` and `conflicts`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from shlex import quote

from tacit.cli import cards
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, ask, ask_key, bold, echo, echo_lines, pluralize, trust_hint
from tacit.errors import UsageError
from tacit.index.habits import RecordedCommand
from tacit.index.reader import has_trials
from tacit.model.claim import Status, scope_label
from tacit.model.conditions import State
from tacit.model.conflict import ConflictRule
from tacit.model.event import local_time, timestamp
from tacit.model.memory import HABIT_KINDS
from tacit.model.observation import UNKNOWN_STATUS, PromptGiven, ReplyGiven, ToolUsed
from tacit.text.display import clip, one_line, printable
from tacit.vault.evidence import describe_event, event_details, is_conclusion, is_quoting
from tacit.vault.listing import Listing

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.model.ids import ClaimId
    from tacit.pages.account import Account
    from tacit.vault import Vault
    from tacit.vault.evidence import EvidenceSource, MemoryConflict, MemoryEvent
    from tacit.vault.listing import ListedMemory
    from tacit.vault.sessions import AdherenceReport
    from tacit.vault.trials import TrialReport


@command(
    "",
    "tacit conflicts --keep 7k2m",
    Option("--keep", "ID", "this one is right: forget the others"),
    Option("--keep-both", "ID", "this one is about something else: let it stand beside the others"),
    *cards.LIMIT_OPTIONS,
    EXIT_CODE_OPTION,
    JSON_OPTION,
)
def run_conflicts(call: Invocation) -> int:
    """Memories that contradict each other, and the rule that decided: the newest wins, unless the older is a
    constraint; what no rule decides is kept and tagged conflict. Memories that only may contradict each other
    both hold. tacit review asks about both kinds.
    """
    if keep := call.value("--keep"):
        kept, forgotten = call.vault.memories.keep_instead(keep)
        for outcome in forgotten:
            echo(f"Forgot [{outcome.short}]: {printable(outcome.memory.claim.sentence)}")
        echo(f"Kept [{call.vault.search.show(kept.id).short}]: {printable(kept.claim.sentence)}")
        return 0
    if both := call.value("--keep-both"):
        echo(cards.outcome_line("Stands beside the others now", call.vault.memories.keep(both)))
        return 0
    conflicts = call.vault.search.conflicts(cards.list_limit(call))
    title = f"Conflicts ({conflicts.total})"
    return cards.show_list(call, conflicts, "conflict", conflict_json, _echo_conflict, title=title)


def ask_conflicts(vault: Vault) -> None:
    """Ask about each conflict that no rule decides. An answer ends the conflict."""
    skipped: set[frozenset[str]] = set()
    while True:
        undecided = vault.search.conflicts(len(skipped) + 1, decided=False).entries
        conflict = next((conflict for conflict in undecided if _conflict_ids(conflict) not in skipped), None)
        if conflict is None:
            return
        is_doubtful = conflict.rule is ConflictRule.MAY_CONTRADICT
        verb, same = ("may contradict", ", or say the same") if is_doubtful else ("contradict", "")
        where = printable(scope_label(conflict.scope))
        echo(f"Two memories {verb} each other{same} ({where}): {printable(conflict.difference)}")
        winner, loser = conflict.winner, conflict.loser
        for number, side in ((1, winner), (2, loser)):
            echo(f"   {number}  [{side.short}] {printable(side.memory.claim.sentence)} ({side.memory.shown_day})")
        match ask_key("   1 or 2 holds · b both hold · m they say the same · s skip · q quit"):
            case None | "q":
                return
            case "b":
                echo(cards.outcome_line("   Both hold", vault.memories.keep(loser.memory.id)))
            case "m":
                outcome = vault.memories.merge([winner.memory.id], loser.memory.id)
                echo(cards.outcome_line("   Merged into", outcome))
            case "1" | "2" as answer:
                kept, gone = (winner, loser) if answer == "1" else (loser, winner)
                vault.memories.forget(gone.memory.id, reason="contradicted", evidence=f"kept {kept.memory.id}")
                echo(f"   Kept [{kept.short}], forgot [{gone.short}].")
            case _:
                skipped.add(_conflict_ids(conflict))


@contextmanager
def reporting_conflicts(vault: Vault) -> Iterator[None]:
    """Print the conflicts that are new when a command has taken in what others wrote."""
    known = vault.search.rulings()
    yield
    conflicts = vault.search.load_rulings([ruling for ruling in vault.search.rulings() if ruling not in known])
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
        text = f"{printable(memory.claim.sentence)} ({memory.kind.label}, {memory.shown_day}{author})"
        echo(f"    {word:<8} [{side.short}] {text}")
    echo(f"    resolve: tacit conflicts --keep {dispute.winner.short}   or --keep {dispute.loser.short}")
    echo(f"    or, if both hold: tacit conflicts --keep-both {dispute.loser.short}")


def conflict_json(dispute: MemoryConflict) -> JsonObject:
    return {
        "difference": dispute.difference,
        "scope": dispute.scope,
        "rule": dispute.rule.name.lower(),
        "reason": dispute.rule.value,
        "winner": None if dispute.rule.is_open else dispute.winner.memory.id,
        "memories": [cards.memory_json(dispute.winner), cards.memory_json(dispute.loser)],
    }


_STATUSES = {
    "active": Status.ACTIVE,
    "pending": Status.PENDING,
    "forgotten": Status.RETIRED,
    "dismissed": Status.DISMISSED,
}


@command(
    "",
    "tacit list --kind constraint",
    Option("--pending", help="the candidates that wait for your decision, as cards"),
    Option("--forgotten", help="the memories that were forgotten"),
    Option("--status", "STATUS", "active (default), pending, forgotten, dismissed or all", choices=(*_STATUSES, "all")),
    cards.KIND_OPTION,
    Option("--tag", "TAG", "only with this tag"),
    Option("--scope", "SCOPE", "local, global or all"),
    Option("--check", "STATE", "only what the work tree shows as red, green or unknown", choices=tuple(State)),
    *cards.FILTER_OPTIONS,
    *cards.LIMIT_OPTIONS,
    EXIT_CODE_OPTION,
    JSON_OPTION,
)
def run_list(call: Invocation) -> int:
    """List memories, the latest first: those of this project and the global ones, or outside of projects all.
    --pending lists candidates as cards, in the order of tacit review: first the habits that say most about how
    you work, then what was said or proposed, the surest first.
    """
    if call.flag("--pending"):
        scope, kind, filters = call.value("--scope") or "all", call.value("--kind"), cards.parse_filters(call)
        pending = call.vault.suggestions.listing(scope, kind=kind, filters=filters, limit=cards.list_limit(call))
        empty = "No suggestions. They come from what you run (tacit install zsh) and from what agents propose."
        if any(call.flag(option.name) for option in (cards.KIND_OPTION, *cards.FILTER_OPTIONS)):
            empty = "No suggestions like that."
        numbers = count(1)

        def echo_candidate(listed: ListedMemory) -> None:
            cards.echo_card(listed, next(numbers), pending.total)

        return cards.show_list(call, pending, "suggestion", cards.memory_json, echo_candidate, empty=empty)
    name = call.value("--status") or ("forgotten" if call.flag("--forgotten") else "active")
    memories = call.vault.search.listing(
        status=_STATUSES.get(name),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        tag=call.value("--tag"),
        filters=cards.parse_filters(call),
        limit=None if call.flag("--check") else cards.list_limit(call),
    )
    memories = Listing(call.vault.conditions.marked(memories), memories.total)
    if state := call.value("--check"):
        entries = [each for each in memories if each.verdict and each.verdict.state == state]
        memories = Listing(entries[: cards.list_limit(call)], len(entries))
    title, echo_listed = bold(f"Memories ({memories.total})"), partial(cards.echo_memory, bullet="- ")
    code = cards.show_list(call, memories, "memory", cards.memory_json, echo_listed, title=title)
    if not call.flag("--json") and (untrusted := call.vault.home.count_untrusted()):
        echo(trust_hint(untrusted))
    return code


@command("ID", "tacit show 7k2m", JSON_OPTION)
def run_show(call: Invocation) -> None:
    """One memory, whole: by its id, its text, or words that no other has."""
    shown = call.vault.search.show(call.vault.search.meant(call.text()))
    (listed,) = call.vault.conditions.marked([shown])
    if call.shows_json(lambda: cards.memory_json(listed)):
        return
    memory = listed.memory
    cards.echo_memory(listed)
    echo(f"    id {memory.id}, source {printable(memory.source)}, confidence {memory.confidence:.2f}")
    learned_at = memory.first_at.astimezone(memory.said_at.tzinfo)
    if memory.said_at < learned_at:
        happened = "last run" if memory.is_habit else "said"
        echo(f"    {happened} {memory.said_at:%Y-%m-%d %H:%M}, learned {learned_at:%Y-%m-%d %H:%M}")
    echo(f"    says: {printable(' | '.join(memory.claim.triple))}")
    if memory.claim.tags:
        echo(f"    tags: {printable(', '.join(memory.claim.tags))}")
    for item in memory.evidence:
        label = "you said" if item.event in listed.quoting_events else f"evidence of {item.day}"
        echo(f"    {label}: {printable(item.text)}")
    if listed.concluded_by:
        echo(f"    {cards.conclusion_text(listed.concluded_by)}")
    if memory.reason and not memory.author:
        echo(f"    reason: {printable(memory.reason)}")
    if trial := _trial_of(call.vault, memory.id):
        echo(f"    trial: {next(trial.lines)}")
    if listed.verdict and listed.verdict.conditions:
        echo_lines(f"    {'work tree: ' * (not at)}{line}" for at, line in enumerate(cards.tree_lines(listed.verdict)))
    echo(f"    more: tacit why {listed.short}")


@command(
    "ID",
    "tacit why 7k2m",
    Option("--html", "FILE", "write a page that you can show to others; it asks which quotes may be in it"),
    Option("--include", "KEY", "with --html: the quote with this key, or all of them", repeatable=True),
    JSON_OPTION,
)
def run_why(call: Invocation) -> None:
    """Why a memory exists: every event it is made of, who said it when, and the line of the log it stands in;
    of a habit also the latest commands behind it. If agents were told it: in how many sessions, how many of
    them followed or violated it, with the command, and how many had nothing to do with it. What commands and
    changed files cannot show is not counted.

    With --html, the same as one page for others, for example to attach to a pull request: what happened and
    when. What people, agents and commands said is private: it is listed with a key each, and only what you
    choose is in the page. The page loads nothing and has no script.
    """
    call.require_with(["--include"], "--html", "tacit why ID --html FILE --include KEY")
    if path := call.value("--html"):
        _write_account(call, path)
        return
    found, reasons = call.vault.search.why(call.vault.search.meant(call.text()))
    (listed,) = call.vault.conditions.marked([found])
    is_habit = listed.memory.kind in HABIT_KINDS  # of other memories no commands: the lookup is slow to import
    behind = call.vault.suggestions.occurrences(listed.memory) if is_habit else []
    report, trial = call.vault.adherence.report(listed.memory.id), _trial_of(call.vault, listed.memory.id)
    if call.shows_json(lambda: why_json(listed, reasons, behind, report, trial)):
        return
    cards.echo_memory(listed)
    for line in (*cards.adherence_lines(report), *(trial.lines if trial else ())):
        echo(f"  {line}")
    for reason in reasons:
        origin = reason.event.origin
        undone = ", undone" if reason.undone else ""
        echo(f"  {local_time(origin):%Y-%m-%d %H:%M} {printable(origin.actor)}: {describe_event(reason)}{undone}")
        for label, text in event_details(reason):
            is_quote = label == "evidence" and is_quoting(reason.event)
            echo(f"      {'you said' if is_quote else label}: {printable(text)}")
        if is_conclusion(reason.event):
            echo(f"      {cards.conclusion_text(origin.actor.removeprefix('agent:'))}")
        echo(f"      {printable(str(reason.location))}")
        for source in reason.sources:
            by = source.event.origin
            echo(f"      {local_time(by):%Y-%m-%d %H:%M} {printable(by.actor)}: {_source_text(source)}")
            echo(f"        {printable(str(source.location))}")
    for ran in behind:
        where = f" in {printable(ran.command.directory)}" if ran.command.directory else ""
        when = f"{datetime.fromtimestamp(ran.at / 1000):%Y-%m-%d %H:%M}" if ran.at else "no time known"
        echo(f"  {when}{where}: {printable(clip(ran.command.command, 100))}")


def _trial_of(vault: Vault, claim: ClaimId) -> TrialReport | None:
    """Return the latest trial of a memory. Few homes have any, and the others need not load what reports it."""
    return vault.trials.latest(claim) if vault.home.store.read(has_trials) else None


def _write_account(call: Invocation, path: str) -> None:
    """Write the page of a memory with the words that the person chooses, and say what is left out."""
    if call.flag("--json"):
        raise UsageError("--html writes a page: leave out --json", "tacit why ID --html FILE")
    vault = call.vault
    reference = vault.search.meant(call.text())
    account = vault.accounts.account(reference)
    keys = {words.key for _, words in account.words}
    given = [key for value in call.all_values("--include") for key in value.replace(",", " ").split()]
    command = f"tacit why {quote(reference)} --html {quote(path)} --include"
    if not given and keys and sys.stdin.isatty() and sys.stdout.isatty() and vault.home.store.actor.is_person:
        echo("Words of yours and of others that can be in the page:")
        _echo_words(account, keys)
        with suppress(EOFError):
            given = ask("Which may be in it? Their keys, all, or Enter for none > ").replace(",", " ").split()
    chosen = keys if "all" in given else set(given)
    if unknown := sorted(chosen - keys):
        raise UsageError(f"nothing has the key {unknown[0]!r}", f"see the keys: {command.removesuffix(' --include')}")
    vault.accounts.write(account, chosen, path)
    echo(f"Wrote {printable(path)}, with {len(chosen)} of {pluralize(len(keys), 'quote')}.")
    if not given and keys and not sys.stdin.isatty():
        _echo_words(account, keys)
        echo(f"To include some: {command} KEY   (or all)")


def _echo_words(account: Account, keys: Collection[str]) -> None:
    for entry, words in account.words:
        if words.key in keys:
            day = f"{entry.at:%Y-%m-%d} " if entry.at else ""
            echo(f"  {words.key}  {day}{words.label}: {printable(one_line(words.text, 100))}")


def why_json(
    listed: ListedMemory,
    reasons: Sequence[MemoryEvent],
    behind: Sequence[RecordedCommand],
    report: AdherenceReport,
    trial: TrialReport | None,
) -> JsonObject:
    """Return a memory with what it is made of, the commands behind it, how often it was followed, and its trial."""
    if trial:
        from tacit.cli.trial import trial_json

    return {
        **cards.memory_json(listed),
        "events": [_event_json(reason) for reason in reasons],
        "commands": [_command_json(ran) for ran in behind],
        "adherence": cards.adherence_json(report),
        "trial": trial and trial_json(trial),
    }


def _source_text(source: EvidenceSource) -> str:
    """Return what was said or done, in short."""
    match source.event.body:
        case PromptGiven(text=text) | ReplyGiven(text=text):
            return printable(one_line(text, 160))
        case ToolUsed(tool=tool, input=given, outcome=outcome):
            ended = f" ({outcome.value})" if outcome.value else ""
            return printable(f"{tool}: {one_line(given, 120)}{ended}")
    return "…"


def _event_json(reason: MemoryEvent) -> JsonObject:
    event, details = reason.event, dict(event_details(reason))
    return {
        "id": event.id,
        "text": describe_event(reason),
        "at": timestamp(event.at),
        "actor": event.origin.actor,
        "provenance": event.origin.provenance.name.lower(),
        "undone": reason.undone,
        **reason.location._asdict(),
        "sources": [
            {"id": source.event.id, "text": _source_text(source), **source.location._asdict()}
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
