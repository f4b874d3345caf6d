"""tacit import history: the word `history` of `tacit import`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime

from tacit.capture.history import FORMATS
from tacit.capture.history.found import HistoryFile
from tacit.core.errors import NotFound, WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Option
from tacit.surfaces.cli.progress import Bar
from tacit.surfaces.cli.words import counted, say, short_path
from tacit.vault.history.importing import ImportedHistory

OPTIONS = (
    Option("--file", "FILE", "with history: this one, instead of all that are found"),
    Option("--shell", "SHELL", f"with --file: which shell wrote it ({', '.join(FORMATS)}); guessed if left out"),
    Option("--dry-run", help="with history: only show what would come in"),
)


def run(call: Call) -> int:
    named = call.value("--file")
    files = [_named(named, call.value("--shell"))] if named is not None else _found(call)
    bar = Bar()
    try:
        done = call.vault.histories.import_history(files, dry_run=call.flag("--dry-run"), progress=bar)
        waiting = _learned(call, bar) if any(one.new for one in done) and not call.flag("--dry-run") else 0
    finally:
        bar.wipe()
    if named is not None and done[0].problem:
        raise done[0].problem
    for line in _told(done, call.flag("--dry-run")):
        say(line)
    if waiting:
        say(f"{counted(waiting, 'suggestion')} to decide on: tacit review")
    return 1 if all(one.problem for one in done) else 0


def _learned(call: Call, bar: Bar) -> int:
    """At once, so that the next question need not wait for it; how many suggestions there are then."""
    bar.say("learning from them …")
    return call.vault.learn().waiting


def _named(path: str, shell: str | None) -> HistoryFile:
    if shell is not None and shell not in FORMATS:
        raise WrongUse(f"no such shell: {shell!r}", f"one of {', '.join(FORMATS)}")
    return HistoryFile(os.path.abspath(os.path.expanduser(path)), shell or "")


def _found(call: Call) -> list[HistoryFile]:
    if call.flag("--shell"):
        raise WrongUse("--shell goes with --file", "tacit import history --file FILE --shell zsh")
    found = call.vault.histories.histories()
    if not found:
        places = ", ".join(map(short_path, call.vault.histories.history_places()))
        raise NotFound(f"no history was found at {places}", "tacit import history --file FILE --shell zsh")
    return found


def told(done: Sequence[ImportedHistory], *, dry_run: bool) -> list[str]:
    """What came of histories, in words; the last line is about all of them."""
    return list(_told(done, dry_run))


def _told(done: Sequence[ImportedHistory], dry_run: bool) -> Iterator[str]:
    for one in done:
        yield f"{show(short_path(one.path))}{f' ({one.shell})' if one.shell else ''}: {_came(one)}"
        yield from (f"  {line}" for line in _besides(one))
    new = sum(one.new for one in done)
    if dry_run:
        yield f"{counted(new, 'command')} would come in. Nothing was changed."
    elif new:
        yield f"Imported {counted(new, 'command')}."
    else:
        yield "Nothing new."


def _came(one: ImportedHistory) -> str:
    if one.problem:
        return one.problem.message
    if not one.commands:
        return "no commands"
    new = f"{one.new:,} new" if one.new else "nothing new"
    when = f", from {_day(one.first)} to {_day(one.last)}" if one.first and one.last else ""
    sessions = f"in {counted(one.sessions, 'session')}" if one.has_times else "without timestamps"
    return f"{counted(one.commands, 'command')}, {new}, {sessions}{when}"


def _besides(one: ImportedHistory) -> Iterator[str]:
    if one.commands and not one.has_times:
        yield "no times in this history: sessions cannot be told apart"
    if one.untimed:
        yield f"{one.untimed} without a time that can be right: each stands beside the command before it"
    for title, counts in (("could not be read", one.unread), ("left out", one.left_out)):
        if counts:
            yield f"{title}: {', '.join(f'{count} {reason}' for reason, count in counts)}"


def _day(moment: datetime) -> str:
    return moment.astimezone().date().isoformat()
