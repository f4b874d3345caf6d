"""`tacit sync`, `trust` and `remote`: hand edits of pages, facts that a repository brought, and own machines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, ask, ask_unseen, bold, confirm, dim, echo, echo_lines, pluralize, warn
from tacit.cli.show import reporting_conflicts
from tacit.errors import UsageError
from tacit.home.repository import RepositoryFacts
from tacit.model.claim import Status
from tacit.model.event import timestamp
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, RedrawnLine, RemovedLine
from tacit.pages.facts import parse_fact
from tacit.pages.merge import Side
from tacit.remotes.keys import phrase_lines
from tacit.remotes.machines import KeysReport
from tacit.remotes.state import MachineReport, RemoteReport, short_id
from tacit.sync import UnreadEdit
from tacit.text.display import clip, printable

_MAX_EDIT_CHARS = 200


@command(
    "",
    "tacit sync",
    Option("--yes", help="take the edits in without being asked"),
    Option("--keep", "SIDE", "resolve conflicts of a merge: ours, theirs or both"),
    Option("--status", help="change nothing: say what waits, who was seen when, and which purges are unconfirmed"),
    Option("--only", "NAME", "sync with this remote only"),
    Option("--no-remotes", help="read the pages only; no remote and no team is asked"),
    JSON_OPTION,
)
def run_sync(call: Invocation) -> int:
    """Read what you changed by hand in memory/long-term.md, in memory/memories.ndjson and, of the lines Tacit
    wrote, in this repository's docs/memory/memories.ndjson. Reworded, moved, deleted and new lines become your
    judgements once you say yes. Without a terminal and without --yes, new words become candidates and nothing
    else changes. What others wrote into the repository's file is shown by tacit trust. A line that is missing
    there is a deletion only if the last commit or one before had it, or Tacit wrote it since: another branch, a
    stash or a rebase forgets nothing.

    If a git merge left conflicts in the repository's file, both sides are shown, and you choose.

    Then exchange what is new with your other machines, if you have remotes (tacit remote), and say for each
    machine what came and what is missing. A remote that cannot be reached stops nothing else.

    Then, if you joined a team (tacit team): send what you shared or decided, and fetch what curators accepted.
    A server that cannot be reached stops nothing else; what waits is sent the next time.
    """
    if call.flag("--status"):
        return show_status(call)
    call.require_with(["--json"], "--status", "tacit sync --status --json")
    code = 0
    with reporting_conflicts(call.vault):
        _resolve_conflicts(call)
        _sync_pages(call)
        if not call.flag("--no-remotes"):
            code = sync_remotes(call)
            if not call.value("--only") and call.vault.home.has_team:
                from tacit.cli.team import sync_team

                code = sync_team(call) or code
    return code


def _sync_pages(call: Invocation) -> None:
    """Show the hand edits of pages, and take them in: as the person's if they vouch for them, else as candidates."""
    vault = call.vault
    unread = vault.hand_edits.unread_edits()
    for page, edits in groupby(unread, key=lambda item: item.page.name):
        echo(printable(page))
        for item in edits:
            echo(f"  {_edit_line(item)}")
    count = sum(not isinstance(item.edit, IgnoredLine) for item in unread)
    if not count:
        echo("No unread edits." if not unread else "Nothing here that Tacit could take in; it stays as it is.")
        return
    may_ask, question = sys.stdin.isatty() and vault.home.is_person, f"Take in {pluralize(count, 'edit')} as yours?"
    if not call.flag("--yes") and not (may_ask and confirm(question)):
        candidates = pluralize(vault.hand_edits.sync(unread, vouched=False).candidates, "new candidate")
        echo("Nobody vouched for these edits: the pages stay as they are, and what is new in them is a candidate.")
        echo(f"  {candidates}: tacit review   to take the edits in as yours: tacit sync --yes")
        return
    result = vault.hand_edits.sync(unread, vouched=True)
    echo(f"Took in {pluralize(result.judgements, 'judgement')}. tacit undo takes them back together.")
    for item in result.skipped:
        assert isinstance(item.edit, IgnoredLine)
        page, line, reason = printable(item.page.name), _clipped(item.edit.line), printable(item.edit.reason)
        echo(f"  left as it is in {page}: {line} ({reason})")


def _resolve_conflicts(call: Invocation) -> None:
    """Show the conflicts that a merge left in the project's fact file, and write what the person chooses."""
    keep = call.value("--keep")
    if keep is not None and keep not in [side.value for side in Side]:
        raise UsageError(f"--keep takes ours, theirs or both, not {keep!r}", "tacit sync --keep both")
    file = call.vault.hand_edits.conflicted_file()
    if file is None:
        if keep:
            echo("No conflicts of a merge.")
        return
    if not file.conflicts and not keep:
        echo(f"{printable(file.name)}: a conflict marker that belongs to nothing; remove it: tacit sync --keep both")
        return
    echo(f"{printable(file.name)}: {pluralize(len(file.conflicts), 'conflict')} of a merge")
    may_ask = keep is None and sys.stdin.isatty() and call.vault.home.is_person
    choices: list[Side | None] = []
    for conflict in file.conflicts:
        for name, side in (("ours", conflict.ours), ("theirs", conflict.theirs)):
            echo(f"  {name + ':':7} {'; '.join(map(_sentence, side)) or 'no such fact'}")
        choices.append(_ask_side() if may_ask else Side(keep) if keep else None)
    resolved = sum(choice is not None for choice in choices)
    if resolved or (keep and not choices):
        call.vault.hand_edits.resolve(file, choices)
        echo(f"Resolved {resolved} of {len(choices)}. Next: git add {printable(file.name)}")
    if resolved < len(choices):
        echo("  until you choose, Tacit reads both sides and writes nothing there: tacit sync --keep ours|theirs|both")


def _ask_side() -> Side | None:
    """Return the side to keep; None if the person leaves the conflict as it is."""
    sides = {side.value[0]: side for side in Side}
    while True:
        try:
            answer = ask("  Keep [o]urs, [t]heirs or [b]oth? Enter leaves it: ").strip().lower()
        except EOFError:
            return None
        if not answer or answer[0] in sides:
            return sides[answer[0]] if answer else None


def _sentence(line: str) -> str:
    """Return what a line of a fact file states; the line itself if it is no fact."""
    sentence = (parse_fact(line) or {}).get("canonical")
    return _clipped(sentence if isinstance(sentence, str) else line)


def _edit_line(item: UnreadEdit) -> str:
    """Return an edit in one line: what it does, and to what."""
    memory = item.memory
    before = _clipped(memory.claim.sentence) if memory else ""
    match item.edit:
        case AddedLine(text=added, is_active=holds):
            line = f"+ {'add' if holds else 'note'}: {_clipped(added)}"
        case RemovedLine() | ChangedLine(status=Status.RETIRED):
            verb = "dismiss" if memory and memory.status is Status.PENDING else "forget"
            is_committed = isinstance(item.edit, RemovedLine) and item.edit.is_committed
            line = f"- {verb}: {before}{' (a commit took it out)' if is_committed else ''}"
        case ChangedLine(text=str(text)):
            line = f"~ reword: {before}\n        as: {_clipped(text)}"
        case ChangedLine(status=Status.ACTIVE):
            line = f"~ accept: {before}"
        case ChangedLine(kind=kind):
            line = f"~ make it a {kind.label}: {before}" if kind else f"~ note on: {before}"
        case IgnoredLine(line=same, reason=why):
            line = f"· stays: {_clipped(same)} ({printable(why)})"
        case RedrawnLine(line=drawn, reason=why):
            line = f"· redraw: {_clipped(drawn)} ({printable(why)})"
    return line


def _clipped(text: str) -> str:
    return printable(clip(text, _MAX_EDIT_CHARS))


_MAX_FACT_CHARS = 300


@command(
    "",
    "tacit trust --show",
    Option("--show", help="only look"),
    Option("--yes", help="accept what waits without being asked"),
    Option("--revoke", help="take the trust back: what came in by it counts as not said"),
    JSON_OPTION,
)
def run_trust(call: Invocation) -> None:
    """See the facts that a cloned repository brought in docs/memory/memories.ndjson, and accept them or not.
    Nothing in that file is believed before. Lines that come later wait again, and so do lines that change: what
    you accepted holds as you read it, on every branch. Without a terminal nothing is asked.
    """
    call.only_one(("--show", "--yes", "--revoke"), "tacit trust --show")
    if call.flag("--revoke"):
        count = call.vault.repository.distrust()
        echo(f"No longer trusted: {pluralize(count, 'line')} count as not said. tacit undo takes that back.")
        return
    repository = call.vault.repository.inspect()
    if call.shows_json(lambda: repository_json(repository)):
        return
    echo_lines(_repository_lines(repository))
    if not repository.waiting or call.flag("--show"):
        return
    question = f"Accept {pluralize(len(repository.waiting), 'fact')} as if you had said so?"
    if not (call.flag("--yes") or sys.stdin.isatty()):
        echo("Nothing was accepted. To accept what is shown: tacit trust --yes")
        return
    if not (call.flag("--yes") or confirm(question)):
        echo("Nothing was accepted.")
        return
    with reporting_conflicts(call.vault):
        memories = call.vault.repository.trust(repository)
        echo(f"Accepted {pluralize(len(memories), 'fact')}. Lines that change or come later wait for you again.")
        echo("  take back: tacit trust --revoke")
    if repository.accepted is None:
        from tacit.cli.setup import register_with_first_fact

        register_with_first_fact(call, is_tracked=False)


def _repository_lines(repository: RepositoryFacts) -> Iterator[str]:
    yield printable(repository.path)
    if accepted := repository.accepted:
        yield f"  accepted {pluralize(len(accepted.trusted.lines), 'line')}, last on {accepted.event.day.isoformat()}"
    if repository.trust_ended:
        yield f"  the trust in it ended on {printable(repository.trust_ended)}"
    if repository.known_count:
        yield f"  {pluralize(repository.known_count, 'line')} said what you know or have decided on already"
    for line in repository.invalid:
        yield f"! line {line.number}: {printable(line.problem)}"
    for line in repository.waiting:
        assert line.claim is not None
        tags = f"  [{', '.join(map(printable, line.claim.tags))}]" if line.claim.tags else ""
        strength = f", strength {line.strength}" if line.strength > 1 else ""
        sentence = printable(clip(line.claim.sentence, _MAX_FACT_CHARS))
        yield f"+ line {line.number} ({line.claim.kind.label}{strength}): {sentence}{tags}"
    if not repository.waiting:
        yield "Nothing waits to be accepted."
    elif not repository.accepted:
        yield "Until you accept them, none of these is recalled, briefed or counted."


def repository_json(repository: RepositoryFacts) -> JsonObject:
    accepted = repository.accepted
    return {
        "path": repository.path,
        "accepted_count": len(accepted.trusted.lines) if accepted else 0,
        "waiting": [
            {
                "line": line.number,
                "kind": line.claim.kind.label,
                "text": line.claim.sentence,
                "strength": line.strength,
                "tags": list(line.claim.tags),
            }
            for line in repository.waiting
            if line.claim
        ],
        "unfit": [{"line": line.number, "problem": line.problem} for line in repository.invalid],
    }


# Remotes: the person's own machines

_MAX_PHRASE_BYTES = 4096
_NO_REMOTES = "No remotes. To connect your machines: tacit remote add NAME URL-OR-FOLDER"
_LONG_ABSENCE = timedelta(days=30)
_UNITS = (("year", 365 * 86400), ("month", 30 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


def add_remote(call: Invocation, name: str, url: str) -> int:
    def read_phrase() -> str:
        """Return the phrase from a file, from standard input, or typed unseen at a terminal: never from an argument."""
        if call.value("--phrase-file"):
            return call.file_value("--phrase-file", _MAX_PHRASE_BYTES).decode("utf-8", "replace")
        if sys.stdin.isatty():
            return ask_unseen("Other machines use this remote. Its recovery phrase")
        return sys.stdin.buffer.read(_MAX_PHRASE_BYTES).decode("utf-8", "replace")

    everything = call.flag("--everything")
    added = call.vault.exchange.machines.add(name, url, everything=everything, ask_phrase=read_phrase)
    echo(f"Added {bold(name)}: {printable(added.report.url)}")
    if added.phrase:
        echo("Nobody has used this remote before. Its recovery phrase is shown this once:")
        _echo_phrase(added.phrase)
        echo(f"On your other machines: tacit remote add {name} {printable(added.report.url)}")
    return echo_reports(call, [added.report])


def _echo_phrase(phrase: str) -> None:
    echo()
    for line in phrase_lines(phrase):
        echo(f"    {bold(line)}")
    echo()
    echo("Write it down and keep it apart from your machines. It is needed to add a machine, and when all are lost.")


def list_remotes(call: Invocation) -> None:
    remotes = call.vault.exchange.machines.remotes()
    if call.shows_json(lambda: [_remote_json(report) for report in remotes]):
        return
    if not remotes:
        echo(_NO_REMOTES)
        return
    own, name = call.vault.exchange.machines.own_machine()
    now = call.vault.home.store.actor.origin().at
    echo(f"This machine is {bold(printable(name))} ({short_id(own)}).")
    for report in remotes:
        synced = f"last sync {_ago(report.synced_at, now)}" if report.synced_at else "never synced"
        echo(f"{bold(report.name)}  {printable(report.url)}  {dim(f'keys {report.fingerprint}, {synced}')}")
        echo_lines(f"  {line}" for line in _machine_lines(report, now, asked=False))


def remove_remote(call: Invocation, name: str) -> None:
    state = call.vault.exchange.machines.remove(name)
    echo(f"Removed {state.name}. What this machine wrote to {printable(state.url)} stays there, encrypted.")
    echo("  Your other machines go on without this one: tacit remote forget-machine ID, on one of them.")


def rotate_keys(call: Invocation, name: str) -> int:
    return _echo_new_keys(call, call.vault.exchange.machines.rotate(name))


def forget_machine(call: Invocation, machine: str) -> int:
    codes = [_echo_new_keys(call, changed) for changed in call.vault.exchange.machines.forget_machine(machine)]
    echo("What it had sent stays yours. Take its access to the remote away, too: an ssh key, an account, a share.")
    return max(codes)


def _echo_new_keys(call: Invocation, changed: KeysReport) -> int:
    report = changed.report
    if changed.phrase:
        echo(f"{bold(report.name)} has new keys ({report.fingerprint}). The old recovery phrase is worth nothing now:")
        _echo_phrase(changed.phrase)
        echo("Machines that stay get the keys with their next tacit sync, and show the same number.")
    else:
        echo(f"The keys of {bold(report.name)} were not changed:")
    return echo_reports(call, [report])


@command(
    "[list | add NAME URL | remove NAME | rotate NAME | forget-machine ID]",
    "tacit remote add home git@example.com:me/memory.git",
    Option("--everything", help="with add: also send commands, prompts and sessions of this machine"),
    Option("--phrase-file", "FILE", "with add: read the recovery phrase from this file"),
    JSON_OPTION,
    subcommands=(
        Subcommand("list", list_remotes),
        Subcommand("add", add_remote, 2),
        Subcommand("remove", remove_remote, 1),
        Subcommand("rotate", rotate_keys, 1),
        Subcommand("forget-machine", forget_machine, 1),
    ),
)
def run_remote(call: Invocation) -> int | None:
    """Connect your machines: a laptop, a desktop, a server. They meet at a folder (Syncthing, a network share, a
    stick), a git repository or a PostgreSQL database; tacit sync exchanges what is new. Everything there is
    encrypted with age: whoever keeps the remote sees sizes and times, no text and no names.

    add prints a recovery phrase for a new remote, and asks for it on the next machine. Memories, decisions and
    workflows are sent, no commands, prompts or sessions; --everything on a machine sends those of it, too.
    rotate makes new keys and a new phrase. forget-machine does so for a machine that was lost: it can read
    nothing that is written from then on, and nothing that it writes is taken.
    Needs the extra: pip install 'tacit-memory[remotes]'
    """
    return call.run_subcommand("list")


# The remotes of tacit sync


def sync_remotes(call: Invocation) -> int:
    """Sync with all remotes, or with the one that --only names. Do nothing if there are none, or for an agent."""
    machines = call.vault.exchange.machines
    only = call.value("--only")
    if only is None and (not machines.is_used or not call.vault.home.is_person):
        return 0
    return echo_reports(call, machines.sync(only))


def show_status(call: Invocation) -> int:
    """Print what a sync would find, without changing anything."""
    reports = call.vault.exchange.machines.status(call.value("--only"))
    if call.shows_json(lambda: [_remote_json(report) for report in reports]):
        return 1 if any(report.problem or report.damaged for report in reports) else 0
    if not reports:
        echo(_NO_REMOTES)
    return echo_reports(call, reports, asked=True)


def echo_reports(call: Invocation, reports: Sequence[RemoteReport], *, asked: bool = False) -> int:
    """Print a report for each remote. Return the exit code: that of the last problem, 1 for damage, else 0."""
    code, now = 0, call.vault.home.store.actor.origin().at
    for report in reports:
        echo(f"{bold(report.name)}  {dim(printable(report.url))}")
        if report.problem is not None:
            echo(f"  not reached{'; what is known from before:' if report.machines else ''}")
        elif asked:
            echo(f"  {pluralize(report.unsent, 'line')} to send" if report.unsent else "  nothing to send")
        else:
            echo(f"  sent {pluralize(report.sent, 'line')}" if report.sent else "  nothing to send")
        if report.applied_purges:
            echo(f"  did {pluralize(report.applied_purges, 'purge')} of another machine here, too")
        echo_lines(f"  {line}" for line in _machine_lines(report, now, asked=asked))
        for note in report.notes:
            echo(f"  ! {printable(note)}")
        if report.foreign:
            machines, ids = pluralize(len(report.foreign), "machine"), ", ".join(map(short_id, report.foreign))
            echo(f"  ! {machines} that this one cannot read: {ids}")
            echo("    Their files are still arriving, or the keys were changed. If so, with the new phrase:")
            echo(f"    tacit remote add {report.name} {printable(report.url)}")
        if report.damaged:
            code = code or 1
            warn(f"tacit: {report.name}: files of other machines are damaged or lost")
        if report.problem is not None:
            code = report.problem.exit_code
            warn(f"tacit: {report.name}: {printable(report.problem.message)}")
            if report.problem.hint:
                warn(f"  {printable(report.problem.hint)}")
    return code


def _machine_lines(report: RemoteReport, now: datetime, *, asked: bool) -> Iterator[str]:
    for machine in report.machines:
        count = machine.waiting if asked else machine.new
        new = f"{count:,} new" if count else "nothing new"
        yield f"{printable(machine.name)} ({short_id(machine.id)})  {new}, last seen {_ago(machine.last_seen, now)}"
        if machine.missing:
            are = "is" if machine.missing == 1 else "are"
            yield f"  {pluralize(machine.missing, 'file')} of it {are} not there yet"
        yield from _damage_lines(machine, now)
        if machine.held:
            yield f"  {pluralize(machine.held, 'line')} held back: from a newer Tacit, or a clock that is years ahead"
        if machine.unconfirmed:
            yield f"  has not confirmed {pluralize(machine.unconfirmed, 'purge')}: it does with its next sync"
        if machine.clock_seconds:
            where = "ahead of" if machine.clock_seconds > 0 else "behind"
            yield f"  its clock is at least {_duration(abs(machine.clock_seconds))} {where} this one"
        if machine.has_old_keys:
            yield "  does not have the keys of now: it gets them with its next sync"


def _damage_lines(machine: MachineReport, now: datetime) -> Iterator[str]:
    """Yield what is wrong with the files of a machine, and who mends it."""
    if machine.damaged:
        are = "is" if machine.damaged == 1 else "are"
        files = f"{pluralize(machine.damaged, 'file')} of it {are} damaged or lost on the way"
        yield f"  {files}: its next tacit sync sends what this one asked for"
    if machine.is_rolled_back:
        yield "  its part of the remote is older than what was seen before: its next tacit sync repairs it"
    if machine.is_incomplete:
        yield "  another machine has seen more of it: what is here may be incomplete until its next tacit sync"
    needs_it = machine.damaged or machine.is_rolled_back or machine.is_incomplete
    if needs_it and now - machine.last_seen > _LONG_ABSENCE:
        yield "  if it never comes back, on a machine that has what it had sent:"
        yield f"    tacit remote forget-machine {short_id(machine.id)}"


def _ago(at: datetime, now: datetime) -> str:
    seconds = (now - at).total_seconds()
    return f"{_duration(seconds)} ago" if seconds >= _UNITS[-1][1] else "just now"


def _duration(seconds: float) -> str:
    for unit, length in _UNITS:
        if seconds >= length:
            return pluralize(int(seconds // length), unit)
    return pluralize(int(seconds), "second")


def _remote_json(report: RemoteReport) -> JsonObject:
    return {
        "name": report.name,
        "url": report.url,
        "fingerprint": report.fingerprint,
        "synced_at": timestamp(report.synced_at) if report.synced_at else None,
        "sent_count": report.sent,
        "unsent_count": report.unsent,
        "purged_count": report.applied_purges,
        "machines": [
            {
                "machine": machine.id,
                "name": machine.name,
                "last_seen": timestamp(machine.last_seen),
                "received_count": machine.new,
                "waiting_count": machine.waiting,
                "missing_count": machine.missing,
                "held_count": machine.held,
                "unconfirmed_count": machine.unconfirmed,
                "clock_seconds": machine.clock_seconds,
                "has_old_keys": machine.has_old_keys,
                "damaged_count": machine.damaged,
                "is_rolled_back": machine.is_rolled_back,
                "is_incomplete": machine.is_incomplete,
            }
            for machine in report.machines
        ],
        "foreign": list(report.foreign),
        "notes": list(report.notes),
        "problem": report.problem.message if report.problem else None,
    }
