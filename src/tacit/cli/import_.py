"""`tacit import`, `export` and `capture`: taking data in and out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject
from tacit.cli.output import echo, echo_json, pluralize, short_path
from tacit.cli.terminal import ProgressBar
from tacit.errors import NotFoundError, UsageError
from tacit.home.home import Home
from tacit.hosts.capture import CapturedTranscript, TranscriptCapture, unknown_types
from tacit.model.observation import session_id
from tacit.shell.history_formats import FORMATS
from tacit.shell.history_import import HistoryFile, ImportedHistory
from tacit.text.display import printable
from tacit.vault.exchange import Imported

# tacit import history: the word `history` of `tacit import`.

HISTORY_OPTIONS = (
    Option("--file", "FILE", "with history: this one, instead of all that are found"),
    Option("--shell", "SHELL", f"with --file: which shell wrote it ({', '.join(FORMATS)}); guessed if left out"),
    Option("--dry-run", help="with history: only show what would come in"),
)


def run_import_history(call: Invocation) -> int:
    named = call.value("--file")
    files = [_history_file(named, call.value("--shell"))] if named is not None else _found_histories(call)
    bar = ProgressBar()
    try:
        done = call.vault.histories.import_history(files, dry_run=call.flag("--dry-run"), progress=bar)
        waiting = _learn_and_count(call, bar) if any(one.new for one in done) and not call.flag("--dry-run") else 0
    finally:
        bar.clear()
    if named is not None and done[0].problem:
        raise done[0].problem
    for line in _history_report_lines(done, call.flag("--dry-run")):
        echo(line)
    if waiting:
        echo(f"{pluralize(waiting, 'suggestion')} to decide on: tacit review")
    return 1 if all(one.problem for one in done) else 0


def _learn_and_count(call: Invocation, bar: ProgressBar) -> int:
    """At once, so that the next question need not wait for it; how many suggestions there are then."""
    bar.show_message("learning from them …")
    return call.vault.learn().pending


def _history_file(path: str, shell: str | None) -> HistoryFile:
    if shell is not None and shell not in FORMATS:
        raise UsageError(f"no such shell: {shell!r}", f"one of {', '.join(FORMATS)}")
    return HistoryFile(os.path.abspath(os.path.expanduser(path)), shell or "")


def _found_histories(call: Invocation) -> list[HistoryFile]:
    if call.flag("--shell"):
        raise UsageError("--shell goes with --file", "tacit import history --file FILE --shell zsh")
    found = call.vault.histories.find_histories()
    if not found:
        places = ", ".join(map(short_path, call.vault.histories.history_paths()))
        raise NotFoundError(f"no history was found at {places}", "tacit import history --file FILE --shell zsh")
    return found


def history_report(done: Sequence[ImportedHistory], *, dry_run: bool) -> list[str]:
    """What came of histories, in words; the last line is about all of them."""
    return list(_history_report_lines(done, dry_run))


def _history_report_lines(done: Sequence[ImportedHistory], dry_run: bool) -> Iterator[str]:
    for one in done:
        yield f"{printable(short_path(one.path))}{f' ({one.shell})' if one.shell else ''}: {_history_summary(one)}"
        yield from (f"  {line}" for line in _history_notes(one))
    new = sum(one.new for one in done)
    if dry_run:
        yield f"{pluralize(new, 'command')} would come in. Nothing was changed."
    elif new:
        yield f"Imported {pluralize(new, 'command')}."
    else:
        yield "Nothing new."


def _history_summary(one: ImportedHistory) -> str:
    if one.problem:
        return one.problem.message
    if not one.commands:
        return "no commands"
    new = f"{one.new:,} new" if one.new else "nothing new"
    when = f", from {_format_day(one.first)} to {_format_day(one.last)}" if one.first and one.last else ""
    sessions = f"in {pluralize(one.sessions, 'session')}" if one.has_times else "without timestamps"
    return f"{pluralize(one.commands, 'command')}, {new}, {sessions}{when}"


def _history_notes(one: ImportedHistory) -> Iterator[str]:
    if one.commands and not one.has_times:
        yield "no times in this history: sessions cannot be told apart"
    if one.untimed:
        yield f"{one.untimed} without a time that can be right: each stands beside the command before it"
    for title, counts in (("could not be read", one.unread), ("left out", one.left_out)):
        if counts:
            yield f"{title}: {', '.join(f'{count} {reason}' for reason, count in counts)}"


def _format_day(moment: datetime) -> str:
    return moment.astimezone().date().isoformat()


# tacit capture.

_MAX_PROBLEMS_SHOWN = 10


def run_capture(call: Invocation) -> int:
    done = _capture_transcripts(call)
    if call.flag("--json"):
        echo_json([_transcript_json(one) for one in done])
    else:
        for line in capture_report(done):
            echo(line)
    return 1 if done and all(one.problem for one in done) else 0


def _capture_transcripts(call: Invocation) -> list[CapturedTranscript]:
    """With only that part of the vault that is needed: there may be thousands of files."""
    bar = ProgressBar("things said and done")
    with Home(call.value("--home")) as home:
        transcripts = TranscriptCapture(home)
        named = [os.path.abspath(os.path.expanduser(word)) for word in call.args]
        paths = named or transcripts.transcript_paths()
        if not paths:
            raise NotFoundError("no transcripts of agents were found on this machine", "name them: tacit capture PATH…")
        files = transcripts.transcripts_in(paths)
        if call.args and not files:
            raise NotFoundError(
                f"there are no transcripts in {', '.join(paths)}", "name a transcript or a folder of them"
            )
        try:
            return transcripts.capture(files, progress=bar)
        finally:
            bar.clear()


def capture_report(done: Sequence[CapturedTranscript]) -> Iterator[str]:
    """What came of transcripts: a line an agent, then what could not be read."""
    read = [one for one in done if not one.problem]
    for agent in sorted({one.agent for one in read}):
        yield _agent_line(agent, [one for one in read if one.agent == agent])
    yield from (f"  left out: {line}" for line in _skipped_lines(done))
    new = sum(one.new for one in read)
    yield f"Captured {pluralize(new, 'thing')} said and done: tacit sessions" if new else "Nothing new."


def _agent_line(agent: str, read: Sequence[CapturedTranscript]) -> str:
    sessions = {name for one in read for name in one.sessions}
    unchanged = sum(one.unchanged for one in read)
    same = f", {pluralize(unchanged, 'file')} as before" if unchanged else ""
    prompts = pluralize(sum(one.prompts for one in read), "prompt")
    looked_at = f"{prompts} in {pluralize(len(sessions), 'session')}, " if sessions else ""
    new = sum(one.new for one in read)
    count = f"{new:,} new" if new else "nothing new"
    return f"{printable(agent)}: {pluralize(len(read), 'file')}, {looked_at}{count}{same}"


def _skipped_lines(done: Sequence[CapturedTranscript]) -> Iterator[str]:
    problems = [one for one in done if one.problem]
    for one in problems[:_MAX_PROBLEMS_SHOWN]:
        assert one.problem
        yield printable(one.problem.message.replace(one.path, short_path(one.path)))
    if len(problems) > _MAX_PROBLEMS_SHOWN:
        yield f"and {pluralize(len(problems) - _MAX_PROBLEMS_SHOWN, 'more file')}"
    damaged = sum(sum(one.stats.damaged.values()) for one in done)
    if damaged:
        yield f"{pluralize(damaged, 'line')} that cannot be read"
    if unknown := unknown_types(done):
        names = ", ".join(printable(name) for name, _ in unknown.most_common(5))
        yield f"{pluralize(unknown.total(), 'record')} of a kind that this version does not know ({names})"


def _transcript_json(one: CapturedTranscript) -> JsonObject:
    return {
        "path": one.path,
        "agent": one.agent,
        "session_ids": sorted(session_id(one.agent, name) for name in one.sessions),
        "prompt_count": one.prompts,
        "read_count": one.event_count,
        "new_count": one.new,
        "unchanged": one.unchanged,
        "unknown": dict(one.stats.unknown),
        "damaged": dict(one.stats.damaged),
        "problem": one.problem.message if one.problem else None,
    }


CAPTURE = Command(
    name="capture",
    usage="[PATH…]",
    help=(
        "Take in transcripts that agents have written: files, or folders of them; without a path, all that are found\n"
        "where Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep theirs. They are only read. What was\n"
        "captured before is not captured again, secrets are hidden, and what Tacit itself had said is left out."
    ),
    example="tacit capture ~/.claude/projects",
    run=run_capture,
    options=(JSON_OPTION,),
)


# tacit export.


def run_export(call: Invocation) -> int:
    call.refuse_args()
    done = call.vault.exchange.export(call.text_value("--to"))
    echo(f"Exported {pluralize(done.events, 'event')} in {pluralize(done.files, 'file')} to {printable(done.to)}")
    echo(f"  on your other machine: tacit import {printable(done.to)} --mine")
    echo("  It holds everything you told Tacit: keep it where only you can read it. tacit purge does not reach it.")
    return 0


EXPORT = Command(
    name="export",
    usage="",
    help=(
        "Copy the log and the readable pages into a new folder, while others may go on writing. The folder is a home\n"
        "itself (tacit --home DIR works on it), and what tacit import reads."
    ),
    example="tacit export --to tacit-backup",
    run=run_export,
    options=(Option("--to", "DIR", "a folder that is not there yet, or is empty", required=True),),
)


# tacit import.


def run_import(call: Invocation) -> int:
    mine = call.flag("--mine")
    of_history = [option.name for option in HISTORY_OPTIONS if call.flag(option.name)]
    if call.single_arg() == "history":
        if mine:
            raise UsageError("--mine is about homes; a history is your own", "tacit import history")
        return run_import_history(call)
    if of_history:
        raise UsageError(f"{of_history[0]} is about histories", "tacit import history --file FILE")
    done = call.vault.exchange.import_(call.single_arg(), mine=mine)
    if mine:
        echo(f"Imported {pluralize(done.events, 'event')} of your own; {done.known} were here already.")
    else:
        echo(f"{pluralize(done.candidates, 'candidate')} to decide on: tacit review. {done.known} were known already.")
    for line in _rejected_lines(done):
        echo(f"  not taken: {line}")
    if not mine and done.candidates:
        echo("  If this is a home of your own, take it as it stands: tacit import DIR --mine")
    return 0


def _rejected_lines(done: Imported) -> list[str]:
    reasons = (
        (done.damaged, "that cannot be read"),
        (done.refused, "with a secret, too long, or from a clock that is far ahead"),
        (done.purged, "that you have purged"),
    )
    return [f"{count} {why}" for count, why in reasons if count]


IMPORT = Command(
    name="import",
    usage="DIR | history",
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
    options=(Option("--mine", help="it is a home of my own: believe it as it stands"), *HISTORY_OPTIONS),
)
