"""`tacit remote`, and the remotes of `tacit sync`: the machines of the person."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, ask_unseen, bold, dim, echo, echo_lines, pluralize, warn
from tacit.errors import KeysError
from tacit.model.event import timestamp
from tacit.remotes.keys import phrase_lines
from tacit.remotes.machines import KeysReport
from tacit.remotes.manifests import MachineReport, RemoteReport, short_id
from tacit.remotes.state import add_command
from tacit.text.display import printable

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
    added = call.vault.exchange.machines.add(
        name, url, everything=everything, ask_phrase=read_phrase, machine_name=call.value("--machine") or ""
    )
    echo(f"Added {bold(name)}: {printable(added.report.url)}")
    if added.phrase:
        echo("Nobody has used this remote before. Its recovery phrase is shown this once:")
        _echo_phrase(added.phrase)
        echo(f"On your other machines: {printable(add_command(name, added.report.url))}")
    return echo_reports(call, [added.report])


def _echo_phrase(phrase: str) -> None:
    echo()
    for line in phrase_lines(phrase):
        echo(f"    {bold(line)}")
    echo()
    echo("Write it down and keep it apart from your machines. It is needed to add a machine, and when all are lost.")


def list_remotes(call: Invocation) -> None:
    remotes = call.vault.exchange.machines.remotes()
    if call.shows_json(lambda: [remote_json(report) for report in remotes]):
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
        for line in _failure_lines(report):
            warn(line)


def remove_remote(call: Invocation, name: str) -> None:
    url = call.vault.exchange.machines.remove(name)
    echo(f"Removed {name}. What this machine wrote to {printable(url) or 'it'} stays there, encrypted.")
    echo("  Your other machines go on without this one: tacit remote forget-machine ID, on one of them.")


def name_machine(call: Invocation, machine: str) -> None:
    name = call.vault.exchange.machines.name_machine(machine)
    echo(f"This machine is {bold(printable(name))} from now on. The others see it after the next tacit sync.")


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
    else:
        echo(f"The keys of {bold(report.name)} were not changed:")
    code = echo_reports(call, [report])
    lack = [machine for machine in report.machines if machine.has_old_keys]
    if changed.phrase and (lack or report.unmet):
        now, count = call.vault.home.store.actor.origin().at, len(lack) + len(report.unmet)
        echo(f"Still to sync: {pluralize(count, 'machine')}. Type tacit sync on each, to get the new keys:")
        for machine in lack:
            echo(f"  {printable(machine.name)} ({short_id(machine.id)}), last seen {_ago(machine.last_seen, now)}")
        for member in report.unmet:
            echo(f"  {printable(member.name)} ({short_id(member.id)})")
        echo("Until then it reads nothing that is new here, and nothing new of it is read. Nothing is lost meanwhile,")
        echo(f"and afterwards it shows the same number, {report.fingerprint}. tacit remote list says who is missing.")
    return code


@command(
    "[list | add NAME URL | remove NAME | rotate NAME | forget-machine ID | name-machine NAME]",
    "tacit remote add home git@example.com:me/memory.git",
    Option("--machine", "NAME", "with add: what your other machines call this one; without it, its host name"),
    Option("--everything", help="with add: also send commands, prompts and sessions of this machine"),
    Option("--phrase-file", "FILE", "with add: read the recovery phrase from this file"),
    JSON_OPTION,
    subcommands=(
        Subcommand("list", list_remotes),
        Subcommand("add", add_remote, 2),
        Subcommand("remove", remove_remote, 1),
        Subcommand("rotate", rotate_keys, 1),
        Subcommand("forget-machine", forget_machine, 1),
        Subcommand("name-machine", name_machine, 1),
    ),
)
def run_remote(call: Invocation) -> int | None:
    """Connect your machines: a laptop, a desktop, a server. They meet at a folder (Syncthing, a network share, a
    stick), a git repository or a PostgreSQL database; tacit sync exchanges what is new. Everything there is
    encrypted with age: whoever keeps the remote sees sizes and times, no text and no names.

    add prints a recovery phrase for a new remote, and asks for it on the next machine. Memories, decisions and
    workflows are sent, no commands, prompts or sessions; --everything on a machine sends those of it, too.
    rotate makes new keys and a new phrase. forget-machine does so for a machine that was lost: it can read
    nothing that is written from then on, and nothing that it writes is taken. Both end with who still has to
    sync. name-machine says what your other machines call this one; forget-machine takes such a name, too.
    Needs the extra: pip install 'tacit-memory[remotes]'
    """
    return call.run_subcommand("list")


# The remotes of tacit sync


def sync_remotes(call: Invocation) -> int:
    """Sync with remotes, and print a report for each. Return the exit code."""
    return echo_reports(call, exchange_with_remotes(call) or [])


def exchange_with_remotes(call: Invocation, *, wait: bool = True) -> list[RemoteReport] | None:
    """Sync with all remotes, or with the one that --only names: [] if there are none, for an agent or --no-remotes.

    If another process syncs, wait for it, or return None at once.
    """
    machines, only = call.vault.exchange.machines, call.value("--only")
    if call.flag("--no-remotes") or (only is None and (not machines.is_used or not call.vault.home.is_person)):
        return []
    return machines.sync(only) if wait else machines.sync_if_free(only)


def show_status(call: Invocation) -> int:
    """Print what a sync would find, without changing anything."""
    reports = call.vault.exchange.machines.status(call.value("--only"))
    if call.shows_json(lambda: [remote_json(report) for report in reports]):
        return exit_code_of(reports)
    if not reports:
        echo(_NO_REMOTES)
    return echo_reports(call, reports, asked=True)


def echo_reports(call: Invocation, reports: Sequence[RemoteReport], *, asked: bool = False) -> int:
    """Print a report for each remote. Return the exit code."""
    now = call.vault.home.store.actor.origin().at
    for report in reports:
        echo(f"{bold(report.name)}  {dim(printable(report.url))}")
        if isinstance(report.problem, KeysError):
            echo("  nothing sent, nothing taken")
        elif report.problem is not None:
            echo(f"  failed{'; what is known from before:' if report.machines else ''}")
        elif asked:
            echo(f"  {pluralize(report.unsent, 'line')} to send" if report.unsent else "  nothing to send")
        else:
            echo(f"  sent {pluralize(report.sent, 'line')}" if report.sent else "  nothing to send")
        if report.applied_purges:
            echo(f"  did {pluralize(report.applied_purges, 'purge')} of another machine here, too")
        echo_lines(f"  {line}" for line in _machine_lines(report, now, asked=asked))
        echo_lines(f"  {line}" for line in _warning_lines(report))
        for line in _failure_lines(report):
            warn(line)
    return exit_code_of(reports)


def _warning_lines(report: RemoteReport) -> Iterator[str]:
    for note in report.notes:
        yield f"! {printable(note)}"
    if report.foreign and report.problem is None:
        machines, ids = pluralize(len(report.foreign), "machine"), ", ".join(map(short_id, report.foreign))
        yield f"! {machines} that this one cannot read: {ids}"
        yield "  Their files are still arriving, or the keys were changed. If so, with the new phrase:"
        yield f"  {printable(add_command(report.name, report.url))}"


def _failure_lines(report: RemoteReport) -> Iterator[str]:
    damaged = [machine for machine in report.machines if machine.damaged]
    if names := ", ".join(f"{printable(machine.name)} ({short_id(machine.id)})" for machine in damaged):
        yield f"tacit: {report.name}: files of {names} are damaged or lost"
        yield "  tacit sync there sends what was asked for, and the next one here takes it"
    if report.problem is not None:
        yield f"tacit: {report.name}: {printable(report.problem.message)}"
        for line in (report.problem.hint or "").splitlines():
            yield f"  {printable(line.strip())}"


def problem_lines(reports: Sequence[RemoteReport]) -> Iterator[str]:
    """Yield only what a person has to do something about."""
    for report in reports:
        if warnings := list(_warning_lines(report)):
            yield f"{report.name}  {printable(report.url)}"
            yield from (f"  {line}" for line in warnings)
        yield from _failure_lines(report)


def exit_code_of(reports: Sequence[RemoteReport]) -> int:
    """Return the exit code of the last problem, 1 for damage, 0 if there is neither."""
    codes = [report.problem.exit_code for report in reports if report.problem]
    return codes[-1] if codes else int(any(report.damaged for report in reports))


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
        if machine.has_old_keys and not isinstance(report.problem, KeysError):
            yield "  does not have the keys of now: it gets them with its next sync"
    for member in report.unmet:
        yield f"{printable(member.name)} ({short_id(member.id)})  not met here yet: it gets the keys with its next sync"


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


def remote_json(report: RemoteReport) -> JsonObject:
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
