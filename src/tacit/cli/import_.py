"""`tacit import` and `export`: move data in and out of a home."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject
from tacit.cli.output import echo, echo_json, pluralize, short_path, warn
from tacit.cli.progress import ProgressBar
from tacit.cli.show import reporting_conflicts
from tacit.errors import NotFoundError, UsageError
from tacit.home.home import Home
from tacit.hosts.capture import CapturedTranscript, TranscriptCapture, unknown_types
from tacit.model.observation import session_id
from tacit.shell.history_formats import FORMATS
from tacit.shell.history_import import HistoryFile, ImportedHistory
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.rules.exchange import ImportedRules

_MAX_PROBLEMS_SHOWN = 10
HISTORY_OPTIONS = (
    Option("--file", "FILE", "with history: this one, instead of all that are found"),
    Option("--shell", "SHELL", f"with --file: which shell wrote it ({', '.join(FORMATS)}); guessed if left out"),
    Option("--dry-run", help="with history and rules: only show what would come in"),
)


# tacit import history


def run_import_history(call: Invocation) -> int:
    path, dry_run = call.value("--file"), call.flag("--dry-run")
    files = [_history_file(path, call.value("--shell"))] if path is not None else _found_histories(call)
    bar, suggestions = ProgressBar(), 0
    try:
        imported = call.vault.histories.import_history(files, dry_run=dry_run, progress=bar)
        if any(history.new for history in imported) and not dry_run:
            bar.show_message("learning from them …")
            suggestions = call.vault.learn().pending  # now, so that the next question need not wait for it
    finally:
        bar.clear()
    if path is not None and imported[0].problem:
        raise imported[0].problem
    for line in history_report(imported, dry_run=dry_run):
        echo(line)
    if suggestions:
        echo(f"{pluralize(suggestions, 'suggestion')} to decide on: tacit review")
    return 1 if all(history.problem for history in imported) else 0


def _history_file(path: str, shell: str | None) -> HistoryFile:
    if shell is not None and shell not in FORMATS:
        raise UsageError(f"no such shell: {shell!r}", f"one of {', '.join(FORMATS)}")
    return HistoryFile(os.path.abspath(os.path.expanduser(path)), shell or "")


def _found_histories(call: Invocation) -> list[HistoryFile]:
    if call.flag("--shell"):
        raise UsageError("--shell goes with --file", "tacit import history --file FILE --shell zsh")
    files = call.vault.histories.find_histories()
    if not files:
        paths = ", ".join(map(short_path, call.vault.histories.history_paths()))
        raise NotFoundError(f"no history was found at {paths}", "tacit import history --file FILE --shell zsh")
    return files


def history_report(imported: Sequence[ImportedHistory], *, dry_run: bool) -> list[str]:
    """Return the lines about imported histories. The last line is about all of them."""
    lines = []
    for history in imported:
        shell = f" ({history.shell})" if history.shell else ""
        lines.append(f"{printable(short_path(history.path))}{shell}: {_history_summary(history)}")
        lines += [f"  {line}" for line in _history_notes(history)]
    new = sum(history.new for history in imported)
    if dry_run:
        lines.append(f"{pluralize(new, 'command')} would come in. Nothing was changed.")
    else:
        lines.append(f"Imported {pluralize(new, 'command')}." if new else "Nothing new.")
    return lines


def _history_summary(history: ImportedHistory) -> str:
    if history.problem:
        return history.problem.message
    if not history.commands:
        return "no commands"
    new = f"{history.new:,} new" if history.new else "nothing new"
    first, last = history.first, history.last
    when = f", from {_format_day(first)} to {_format_day(last)}" if first and last else ""
    sessions = f"in {pluralize(history.sessions, 'session')}" if history.has_times else "without timestamps"
    return f"{pluralize(history.commands, 'command')}, {new}, {sessions}{when}"


def _history_notes(history: ImportedHistory) -> Iterator[str]:
    if history.commands and not history.has_times:
        yield "no times in this history: sessions cannot be told apart, and no day is known"
    elif history.undated:
        yield f"{history.undated:,} before the first time in it: no day is known"
    if history.untimed:
        yield f"{history.untimed} without a time that can be right: each stands beside the command before it"
    for title, counts in (("could not be read", history.unread), ("left out", history.left_out)):
        if counts:
            yield f"{title}: {', '.join(f'{count} {reason}' for reason, count in counts)}"


def _format_day(at: datetime) -> str:
    return at.astimezone().date().isoformat()


# tacit import transcripts


def _import_transcripts(call: Invocation, paths: Sequence[str]) -> int:
    captured = _capture_transcripts(call, paths)
    if call.flag("--json"):
        echo_json([_transcript_json(transcript) for transcript in captured])
    else:
        for line in capture_report(captured):
            echo(line)
    return 1 if captured and all(transcript.problem for transcript in captured) else 0


def _capture_transcripts(call: Invocation, named: Sequence[str]) -> list[CapturedTranscript]:
    """Capture the named transcripts, or all that are found. Raise NotFoundError if there are none."""
    bar = ProgressBar("things said and done")
    with Home(call.value("--home")) as home:
        transcripts = TranscriptCapture(home)
        paths = [os.path.abspath(os.path.expanduser(arg)) for arg in named] or transcripts.transcript_paths()
        if not paths:
            raise NotFoundError(
                "no transcripts of agents were found on this machine", "name them: tacit import transcripts PATH…"
            )
        files = transcripts.transcripts_in(paths)
        if named and not files:
            raise NotFoundError(
                f"there are no transcripts in {', '.join(paths)}", "name a transcript or a folder of them"
            )
        try:
            return transcripts.capture(files, progress=bar)
        finally:
            bar.clear()


def capture_report(captured: Sequence[CapturedTranscript]) -> Iterator[str]:
    """Yield a line for each agent, then what could not be read, then the total."""
    read = [transcript for transcript in captured if not transcript.problem]
    for agent in sorted({transcript.agent for transcript in read}):
        yield _agent_line(agent, [transcript for transcript in read if transcript.agent == agent])
    yield from (f"  left out: {line}" for line in _skipped_lines(captured))
    new = sum(transcript.new for transcript in read)
    yield f"Captured {pluralize(new, 'thing')} said and done: tacit sessions" if new else "Nothing new."


def _agent_line(agent: str, transcripts: Sequence[CapturedTranscript]) -> str:
    sessions = {session for transcript in transcripts for session in transcript.sessions}
    unchanged = sum(transcript.unchanged for transcript in transcripts)
    same = f", {pluralize(unchanged, 'file')} as before" if unchanged else ""
    prompts = pluralize(sum(transcript.prompts for transcript in transcripts), "prompt")
    content = f"{prompts} in {pluralize(len(sessions), 'session')}, " if sessions else ""
    new = sum(transcript.new for transcript in transcripts)
    count = f"{new:,} new" if new else "nothing new"
    return f"{printable(agent)}: {pluralize(len(transcripts), 'file')}, {content}{count}{same}"


def _skipped_lines(captured: Sequence[CapturedTranscript]) -> Iterator[str]:
    problems = [(transcript.path, problem) for transcript in captured if (problem := transcript.problem)]
    for path, problem in problems[:_MAX_PROBLEMS_SHOWN]:
        yield printable(problem.message.replace(path, short_path(path)))
    if len(problems) > _MAX_PROBLEMS_SHOWN:
        yield f"and {pluralize(len(problems) - _MAX_PROBLEMS_SHOWN, 'more file')}"
    damaged = sum(sum(transcript.stats.damaged.values()) for transcript in captured)
    if damaged:
        yield f"{pluralize(damaged, 'line')} that cannot be read"
    if unknown := unknown_types(captured):
        names = ", ".join(printable(name) for name, _ in unknown.most_common(5))
        yield f"{pluralize(unknown.total(), 'record')} of a kind that this version does not know ({names})"


def _transcript_json(transcript: CapturedTranscript) -> JsonObject:
    return {
        "path": transcript.path,
        "agent": transcript.agent,
        "session_ids": sorted(session_id(transcript.agent, name) for name in transcript.sessions),
        "prompt_count": transcript.prompts,
        "read_count": transcript.event_count,
        "new_count": transcript.new,
        "unchanged": transcript.unchanged,
        "unknown": dict(transcript.stats.unknown),
        "damaged": dict(transcript.stats.damaged),
        "problem": transcript.problem.message if transcript.problem else None,
    }


# tacit import rules


def _import_rules(call: Invocation, words: Sequence[str]) -> int:
    if len(words) > 1:
        raise UsageError("tacit import rules takes one folder", "tacit import rules PATH")
    folder, dry_run = words[0] if words else os.curdir, call.flag("--dry-run")
    if not os.path.isdir(os.path.expanduser(folder)):
        raise NotFoundError(f"there is no folder {folder}", "tacit import rules PATH")
    imported = call.vault.exchange.import_rules(folder, dry_run=dry_run)
    if call.flag("--json"):
        echo_json(_rules_json(imported))
        return 0
    for statement in imported.new:
        echo(f"{printable(statement.place)}: {printable(statement.claim.sentence)}")
    for changed in imported.changed:
        instead = f", now “{printable(changed.instead)}”" if changed.instead else ""
        echo(f"no longer in {printable(changed.path)}: “{printable(changed.sentence)}”{instead}")
        echo(f"  → tacit forget {changed.id}")
    for line in _rules_summary(imported, dry_run=dry_run):
        echo(line)
    return 0


def _rules_summary(imported: ImportedRules, *, dry_run: bool) -> Iterator[str]:
    """Yield the totals of an import of rule files."""
    candidates, files = pluralize(len(imported.new), "candidate"), pluralize(imported.files, "file")
    if dry_run:
        yield f"{candidates} of {files} would come in. Nothing was changed."
    elif imported.new:
        yield f"{candidates} of {files} to decide on: tacit review"
    else:
        yield "Nothing new."
    if imported.known:
        yield f"  {imported.known} known already"
    for count, reason in ((imported.refused, "with a secret, or too long"), (imported.purged, "that you have purged")):
        if count:
            yield f"  not taken: {count} {reason}"


def _rules_json(imported: ImportedRules) -> JsonObject:
    return {
        "imported": [
            {
                "id": statement.claim.id,
                "kind": statement.claim.kind.label,
                "scope": statement.claim.scope,
                "text": statement.claim.sentence,
                "path": statement.file.path,
                "line": statement.line,
            }
            for statement in imported.new
        ],
        "changed": [
            {"id": changed.id, "text": changed.sentence, "where": changed.path, "instead": changed.instead}
            for changed in imported.changed
        ],
        "known_count": imported.known,
        "refused_count": imported.refused + imported.purged,
    }


# tacit export

_RULE_FORM = "agents-md"


def run_export(call: Invocation) -> int:
    call.refuse_args()
    if (form := call.value("--as")) is not None:
        if form != _RULE_FORM:
            raise UsageError(f"no such form: {form!r}", f"tacit export --as {_RULE_FORM}")
        return _export_rules(call)
    if options := [name for name in ("--remove", "--yes") if call.flag(name)]:
        raise UsageError(f"{options[0]} goes with --as", f"tacit export --as {_RULE_FORM} {options[0]}")
    if not call.value("--to"):
        raise UsageError("tacit export wants --to DIR", f"for example: {EXPORT.example}")
    try:
        exported = call.vault.exchange.export(call.text_value("--to"))
    except KeyboardInterrupt:
        call.close()
        warn(
            f"Interrupted: the copy in {printable(call.text_value('--to'))} is not complete. Remove it, and try again."
        )
        raise
    events, files = pluralize(exported.events, "event"), pluralize(exported.files, "file")
    echo(f"Exported {events} in {files} to {printable(exported.to)}")
    echo(f"  on your other machine: tacit import {printable(exported.to)} --mine")
    echo("  It holds everything you told Tacit: keep it where only you can read it. tacit purge does not reach it.")
    return 0


def _export_rules(call: Invocation) -> int:
    from tacit.cli.install import confirm_and_apply

    remove = call.flag("--remove")
    plan = call.vault.exchange.plan_rule_export(call.value("--to") or "", remove=remove)
    path = printable(short_path(plan.change.path))
    private = pluralize(plan.private_count, "private memory", "private memories")
    if plan.change.is_needed:
        if not confirm_and_apply(call, [plan.change]):
            return 0
        is_removed = remove or not plan.memory_count
        echo(f"Taken out of {path}." if is_removed else f"{_exported_count(plan.memory_count)} in {path}.")
    elif remove:
        echo(f"Nothing of Tacit is in {path}.")
    else:
        echo(f"{path} is up to date." if plan.memory_count else "There is nothing to export.")
    if plan.private_count and not remove:
        echo(f"  left out: {private}. To put one into the repository: tacit share ID")
    if plan.memory_count and not remove:
        echo("  tacit purge does not reach this file.")
    return 0


def _exported_count(count: int) -> str:
    return pluralize(count, "memory is", "memories are")


EXPORT = Command(
    name="export",
    usage="",
    help=(
        "Copy the log and the readable pages into a new folder, while others may go on writing. The folder is a home\n"
        "itself (tacit --home DIR works on it), and what tacit import reads.\n"
        "\n"
        "With --as agents-md, write accepted memories as a marked block into a file that agents read: AGENTS.md of\n"
        "the project, or the file that --to names (CLAUDE.md, GEMINI.md, a rule of Cursor). The change is shown\n"
        "first. A file in a repository gets only what you shared (tacit share), a file of your own what holds for\n"
        "all projects. Once more updates the block, and --remove takes out exactly what was added."
    ),
    example="tacit export --to tacit-backup",
    run=run_export,
    options=(
        Option("--to", "DIR", "a folder that is not there yet, or is empty; with --as, a file"),
        Option("--as", "FORM", f"{_RULE_FORM}: a block in a rule file of agents"),
        Option("--remove", help="with --as: take the block out"),
        Option("--yes", help="with --as: change the file without being asked"),
    ),
)


# tacit import


def run_import(call: Invocation) -> int:
    mine = call.flag("--mine")
    if call.args[:1] == ["transcripts"]:
        return _import_transcripts(call, call.args[1:])
    if call.args[:1] == ["rules"]:
        return _import_rules(call, call.args[1:])
    if call.single_arg() == "history":
        if mine:
            raise UsageError("--mine is about homes; a history is your own", "tacit import history")
        return run_import_history(call)
    if history_options := [option.name for option in HISTORY_OPTIONS if call.flag(option.name)]:
        raise UsageError(f"{history_options[0]} is about histories", "tacit import history --file FILE")
    with reporting_conflicts(call.vault):
        result = call.vault.exchange.import_(call.single_arg(), mine=mine)
    if mine:
        echo(f"Imported {pluralize(result.events, 'event')} of your own; {result.known} were here already.")
    else:
        candidates = pluralize(result.candidates, "candidate")
        echo(f"{candidates} to decide on: tacit review. {result.known} were known already.")
    for count, reason in (
        (result.damaged, "that cannot be read"),
        (result.refused, "with a secret, too long, or from a clock that is far ahead"),
        (result.purged, "that you have purged"),
    ):
        if count:
            echo(f"  not taken: {count} {reason}")
    if not mine and result.candidates:
        echo("  If this is a home of your own, take it as it stands: tacit import DIR --mine")
    return 0


IMPORT = Command(
    name="import",
    usage="DIR | history | transcripts [PATH…] | rules [PATH]",
    help=(
        "Take in another home, an export, or a fact file. What somebody else remembers becomes candidates for you to\n"
        "decide on. With --mine you say that it is your own home, from another machine or a backup: its lines are\n"
        "taken as they stand, each once. What you purged does not come back, and what was purged there goes here too.\n"
        "\n"
        "The word history takes in the commands that bash, zsh, fish and Atuin have kept, each once however often you\n"
        "ask; their files are only read. Lines that begin with a blank, or have more than 8,000 characters, are left\n"
        "out, and secrets are hidden. (A folder of that name is ./history.)\n"
        "\n"
        "The word transcripts takes in what agents have written: files, or folders of them; without a path, all that\n"
        "are found where Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep theirs. They are only read.\n"
        "What was captured before is not captured again, secrets are hidden, and Tacit's own output is left out.\n"
        "\n"
        "The word rules takes in what CLAUDE.md, AGENTS.md and other rule files say, and memories that agents keep,\n"
        "for this folder or for PATH. Each statement becomes a candidate with its file and line; none becomes active\n"
        "by itself, and a second time adds nothing. tacit audit lists what is wrong in these files."
    ),
    example="tacit import tacit-backup --mine",
    run=run_import,
    options=(Option("--mine", help="it is a home of my own: believe it as it stands"), *HISTORY_OPTIONS, JSON_OPTION),
)
