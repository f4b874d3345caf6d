"""`tacit import`, `export` and `capture`: taking data in and out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.json_forms import Form
from tacit.cli.output import counted, say, say_json, short_path
from tacit.cli.terminal import Bar
from tacit.errors import NotFound, WrongUse
from tacit.home.home import Home
from tacit.hosts.capture import Transcript, TranscriptCapture, unknown_types
from tacit.model.observation import session_id
from tacit.shell.histories import FORMATS
from tacit.shell.history_import import HistoryFile, ImportedHistory
from tacit.text.display import show
from tacit.vault.exchange import Imported

# tacit import history: the word `history` of `tacit import`.

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


# tacit capture.

_SHOWN = 10


def run_capture(call: Call) -> int:
    done = _captured(call)
    if call.flag("--json"):
        say_json([_form(one) for one in done])
    else:
        for line in captured_lines(done):
            say(line)
    return 1 if done and all(one.problem for one in done) else 0


def _captured(call: Call) -> list[Transcript]:
    """With only that part of the vault that is needed: there may be thousands of files."""
    bar = Bar("things said and done")
    with Home(call.value("--home")) as home:
        transcripts = TranscriptCapture(home)
        named = [os.path.abspath(os.path.expanduser(word)) for word in call.words]
        paths = named or transcripts.transcript_places()
        if not paths:
            raise NotFound("no transcripts of agents were found on this machine", "name them: tacit capture PATH…")
        files = transcripts.transcripts_in(paths)
        if call.words and not files:
            raise NotFound(f"there are no transcripts in {', '.join(paths)}", "name a transcript or a folder of them")
        try:
            return transcripts.capture(files, progress=bar)
        finally:
            bar.wipe()


def captured_lines(done: Sequence[Transcript]) -> Iterator[str]:
    """What came of transcripts: a line an agent, then what could not be read."""
    read = [one for one in done if not one.problem]
    for agent in sorted({one.agent for one in read}):
        yield _of_agent(agent, [one for one in read if one.agent == agent])
    yield from (f"  left out: {line}" for line in _left_out(done))
    new = sum(one.new for one in read)
    yield f"Captured {counted(new, 'thing')} said and done: tacit sessions" if new else "Nothing new."


def _of_agent(agent: str, read: Sequence[Transcript]) -> str:
    sessions = {name for one in read for name in one.sessions}
    unchanged = sum(one.unchanged for one in read)
    same = f", {counted(unchanged, 'file')} as before" if unchanged else ""
    prompts = counted(sum(one.prompts for one in read), "prompt")
    looked_at = f"{prompts} in {counted(len(sessions), 'session')}, " if sessions else ""
    new = sum(one.new for one in read)
    return f"{show(agent)}: {counted(len(read), 'file')}, {looked_at}{f'{new:,} new' if new else 'nothing new'}{same}"


def _left_out(done: Sequence[Transcript]) -> Iterator[str]:
    problems = [one for one in done if one.problem]
    for one in problems[:_SHOWN]:
        assert one.problem
        yield show(one.problem.message.replace(one.path, short_path(one.path)))
    if len(problems) > _SHOWN:
        yield f"and {counted(len(problems) - _SHOWN, 'more file')}"
    damaged = sum(sum(one.tally.damaged.values()) for one in done)
    if damaged:
        yield f"{counted(damaged, 'line')} that cannot be read"
    if unknown := unknown_types(done):
        names = ", ".join(show(name) for name, _ in unknown.most_common(5))
        yield f"{counted(unknown.total(), 'record')} of a kind that this version does not know ({names})"


def _form(one: Transcript) -> Form:
    return {
        "path": one.path,
        "agent": one.agent,
        "session_ids": sorted(session_id(one.agent, name) for name in one.sessions),
        "prompt_count": one.prompts,
        "read_count": one.heard,
        "new_count": one.new,
        "unchanged": one.unchanged,
        "unknown": dict(one.tally.unknown),
        "damaged": dict(one.tally.damaged),
        "problem": one.problem.message if one.problem else None,
    }


CAPTURE = Command(
    name="capture",
    words="[PATH…]",
    help=(
        "Take in transcripts that agents have written: files, or folders of them; without a path, all that are found\n"
        "where Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep theirs. They are only read. What was\n"
        "captured before is not captured again, secrets are hidden, and what Tacit itself had said is left out."
    ),
    example="tacit capture ~/.claude/projects",
    run=run_capture,
    options=(JSON,),
)


# tacit export.


def run_export(call: Call) -> int:
    call.no_words()
    done = call.vault.exchange.export(call.text_value("--to"))
    say(f"Exported {counted(done.events, 'event')} in {counted(done.files, 'file')} to {show(done.to)}")
    say(f"  on your other machine: tacit import {show(done.to)} --mine")
    say("  It holds everything you told Tacit: keep it where only you can read it. tacit purge does not reach it.")
    return 0


EXPORT = Command(
    name="export",
    words="",
    help=(
        "Copy the log and the readable pages into a new folder, while others may go on writing. The folder is a home\n"
        "itself (tacit --home DIR works on it), and what tacit import reads."
    ),
    example="tacit export --to tacit-backup",
    run=run_export,
    options=(Option("--to", "DIR", "a folder that is not there yet, or is empty", required=True),),
)


# tacit import.


def run_import(call: Call) -> int:
    mine = call.flag("--mine")
    of_history = [option.name for option in OPTIONS if call.flag(option.name)]
    if call.one_word() == "history":
        if mine:
            raise WrongUse("--mine is about homes; a history is your own", "tacit import history")
        return run(call)
    if of_history:
        raise WrongUse(f"{of_history[0]} is about histories", "tacit import history --file FILE")
    done = call.vault.exchange.import_(call.one_word(), mine=mine)
    if mine:
        say(f"Imported {counted(done.events, 'event')} of your own; {done.known} were here already.")
    else:
        say(f"{counted(done.candidates, 'candidate')} to decide on: tacit review. {done.known} were known already.")
    for line in _not_taken(done):
        say(f"  not taken: {line}")
    if not mine and done.candidates:
        say("  If this is a home of your own, take it as it stands: tacit import DIR --mine")
    return 0


def _not_taken(done: Imported) -> list[str]:
    reasons = (
        (done.damaged, "that cannot be read"),
        (done.refused, "with a secret, too long, or from a clock that is far ahead"),
        (done.purged, "that you have purged"),
    )
    return [f"{count} {why}" for count, why in reasons if count]


IMPORT = Command(
    name="import",
    words="DIR | history",
    help=(
        "Take in another home, an export, or a fact file. What somebody else remembers becomes candidates for you to\n"
        "decide on. With --mine you say that it is your own home, from another machine or a backup: its lines are\n"
        "taken as they stand, each once. What you purged does not come back, and what was purged there goes here too.\n"
        "\n"
        "The word history takes in the commands that bash, zsh, fish and Atuin have kept, each once however often you\n"
        "ask; their files are only read. Lines that begin with a blank, or have more than 8,000 characters, are left\n"
        "out, and secrets are hidden. (A folder of that name is ./history.)"
    ),
    example="tacit import tacit-backup --mine",
    run=run_import,
    options=(Option("--mine", help="it is a home of my own: believe it as it stands"), *OPTIONS),
)
