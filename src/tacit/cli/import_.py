"""`tacit import`, `export` and `try`: move data in and out of a home, and see what histories would teach."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, ProgressBar, echo, echo_lines, echo_wrapped, pluralize, short_path, warn
from tacit.cli.show import reporting_conflicts
from tacit.errors import NotFoundError, UsageError
from tacit.home.home import Home
from tacit.hosts.capture import SOURCES, CapturedTranscript, TranscriptCapture, unknown_types
from tacit.model.observation import session_id
from tacit.shell.history_formats import FORMATS
from tacit.text.display import printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.rules.exchange import ImportedRules
    from tacit.shell.history_lines import ImportedHistory
    from tacit.vault import Vault

_MAX_PROBLEMS_SHOWN = 10
_SHELL_HELP = f"with --file: which shell wrote it ({', '.join(FORMATS)}); guessed if left out"
_HISTORY_OPTIONS = (
    Option("--file", "FILE", "with history: this one, instead of all that are found"),
    Option("--shell", "SHELL", _SHELL_HELP, choices=tuple(FORMATS)),
    Option("--dry-run", help="with history and rules: only show what would come in"),
)


def import_history(call: Invocation) -> int:
    if call.flag("--mine"):
        raise UsageError("--mine is about homes; a history is your own", "tacit import history")
    call.require_with(["--shell"], "--file", "tacit import history --file FILE --shell zsh")
    path, dry_run, histories = call.value("--file"), call.flag("--dry-run"), call.vault.histories
    if path is not None:
        from tacit.shell.history_import import HistoryFile

        files = [HistoryFile(os.path.abspath(os.path.expanduser(path)), call.value("--shell") or "")]
    elif not (files := histories.find_histories()):
        paths = ", ".join(map(short_path, histories.history_paths()))
        raise NotFoundError(f"no history was found at {paths}", "tacit import history --file FILE --shell zsh")
    suggestions = 0
    with ProgressBar() as bar:
        imported = histories.import_history(files, dry_run=dry_run, progress=bar)
        if any(history.new for history in imported) and not dry_run:
            bar.show_message("learning from them …")
            call.vault.suggestions.learn()  # now, so that the next question need not wait for it
            suggestions = call.vault.home.count_pending()
    if path is not None and imported[0].problem:
        raise imported[0].problem
    echo_lines(history_lines(imported))
    new = sum(history.new for history in imported)
    if dry_run:
        echo(f"{pluralize(new, 'command')} would come in. Nothing was changed.")
    else:
        echo(f"Imported {pluralize(new, 'command')}." if new else "Nothing new.")
    if suggestions:
        echo(f"{pluralize(suggestions, 'suggestion')} to decide on: tacit review")
    return 1 if all(history.problem for history in imported) else 0


def history_lines(imported: Sequence[ImportedHistory]) -> Iterator[str]:
    for history in imported:
        shell = f" ({history.shell})" if history.shell else ""
        if history.problem:
            summary = history.problem.message
        elif not history.commands:
            summary = "no commands"
        else:
            new = f"{history.new:,} new" if history.new else "nothing new"
            sessions = (
                f"in {pluralize(len(history.sessions) or 1, 'session')}" if history.has_times else "without timestamps"
            )
            summary = f"{pluralize(history.commands, 'command')}, {new}, {sessions}"
            if history.first and history.last:
                first, last = (datetime.fromtimestamp(at // 1_000_000).date() for at in (history.first, history.last))
                summary += f", from {first.isoformat()} to {last.isoformat()}"
        yield f"{printable(short_path(history.path))}{shell}: {summary}"
        if history.commands and not history.has_times:
            yield "  no times in this history: sessions cannot be told apart, and no day is known"
        elif history.undated:
            yield f"  {history.undated:,} before the first time in it: no day is known"
        if history.untimed:
            yield f"  {history.untimed} without a time that can be right: each stands beside the command before it"
        for title, counts in (("could not be read", history.unread), ("left out", history.left_out)):
            if counts:
                yield f"  {title}: {', '.join(f'{count} {reason}' for reason, count in counts.most_common())}"


def import_transcripts(call: Invocation, *named: str) -> int:
    """Capture the named transcripts, or all that are found. Raise NotFoundError if there are none."""
    with Home(call.value("--home")) as home, ProgressBar("things said and done") as bar:
        transcripts = TranscriptCapture(home)
        paths = [os.path.abspath(os.path.expanduser(arg)) for arg in named] or transcripts.transcript_paths()
        if not paths:
            hint = "name them: tacit import transcripts PATH…"
            raise NotFoundError("no transcripts of agents were found on this machine", hint)
        files = transcripts.transcripts_in(paths)
        if named and not files:
            hint = "name a transcript or a folder of them"
            raise NotFoundError(f"there are no transcripts in {', '.join(paths)}", hint)
        captured = transcripts.capture(files, progress=bar)
    if not call.shows_json(lambda: [_transcript_json(transcript) for transcript in captured]):
        echo_lines(capture_lines(captured))
        from tacit.cli.learn import judge_notice

        if notice := judge_notice(call.vault):
            echo_wrapped(notice)
    return 1 if captured and all(transcript.problem for transcript in captured) else 0


def capture_lines(captured: Sequence[CapturedTranscript]) -> Iterator[str]:
    """Yield a line for each agent, then what could not be read, then the total."""
    read = [transcript for transcript in captured if not transcript.problem]
    for agent in sorted({transcript.agent for transcript in read}):
        transcripts = [transcript for transcript in read if transcript.agent == agent]
        sessions = {session for transcript in transcripts for session in transcript.sessions}
        unchanged = sum(transcript.unchanged for transcript in transcripts)
        same = f", {pluralize(unchanged, 'file')} as before" if unchanged else ""
        prompts = pluralize(sum(transcript.prompts for transcript in transcripts), "prompt")
        content = f"{prompts} in {pluralize(len(sessions), 'session')}, " if sessions else ""
        new = sum(transcript.new for transcript in transcripts)
        count = f"{new:,} new" if new else "nothing new"
        yield f"{printable(agent)}: {pluralize(len(transcripts), 'file')}, {content}{count}{same}"
    problems = [(transcript.path, problem) for transcript in captured if (problem := transcript.problem)]
    for path, problem in problems[:_MAX_PROBLEMS_SHOWN]:
        yield f"  left out: {printable(problem.message.replace(path, short_path(path)))}"
    if len(problems) > _MAX_PROBLEMS_SHOWN:
        yield f"  left out: and {pluralize(len(problems) - _MAX_PROBLEMS_SHOWN, 'more file')}"
    if damaged := sum(sum(transcript.stats.damaged.values()) for transcript in captured):
        yield f"  left out: {pluralize(damaged, 'line')} that cannot be read"
    if unknown := unknown_types(captured):
        names = ", ".join(printable(name) for name, _ in unknown.most_common(5))
        records = pluralize(unknown.total(), "record")
        yield f"  left out: {records} of a kind that this version does not know ({names})"
    new = sum(transcript.new for transcript in read)
    yield f"Captured {pluralize(new, 'thing')} said and done: tacit sessions" if new else "Nothing new."


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


def import_rules(call: Invocation, *words: str) -> None:
    from tacit.rules.exchange import RuleImport

    if len(words) > 1:
        raise UsageError("tacit import rules takes one folder", "tacit import rules PATH")
    folder, dry_run = words[0] if words else os.curdir, call.flag("--dry-run")
    if not os.path.isdir(os.path.expanduser(folder)):
        raise NotFoundError(f"there is no folder {folder}", "tacit import rules PATH")
    imported = RuleImport(call.vault.home).import_rules(folder, dry_run=dry_run)
    if call.shows_json(lambda: _rules_json(imported)):
        return
    for statement in imported.new:
        echo(f"{printable(statement.place)}: {printable(statement.claim.sentence)}")
    for changed in imported.changed:
        instead = f", now “{printable(changed.instead)}”" if changed.instead else ""
        echo(f"no longer in {printable(changed.path)}: “{printable(changed.sentence)}”{instead}")
        echo(f"  → tacit forget {changed.id}")
    candidates, files = pluralize(len(imported.new), "candidate"), pluralize(imported.files, "file")
    if dry_run:
        echo(f"{candidates} of {files} would come in. Nothing was changed.")
    else:
        echo(f"{candidates} of {files} to decide on: tacit review" if imported.new else "Nothing new.")
    if imported.known:
        echo(f"  {imported.known} known already")
    _echo_refused((imported.refused, "with a secret, or too long"), (imported.purged, "that you have purged"))


def _echo_refused(*counts: tuple[int, str]) -> None:
    for count, reason in counts:
        if count:
            echo(f"  not taken: {count} {reason}")


def _rules_json(imported: ImportedRules) -> JsonObject:
    from tacit.cli.cards import reference_json

    return {
        "imported": [
            {**reference_json(statement.claim), "path": statement.file.path, "line": statement.line}
            for statement in imported.new
        ],
        "changed": [
            {"id": changed.id, "text": changed.sentence, "where": changed.path, "instead": changed.instead}
            for changed in imported.changed
        ],
        "known_count": imported.known,
        "refused_count": imported.refused + imported.purged,
    }


@command(
    "DIR | history | transcripts [PATH…] | rules [PATH]",
    "tacit import tacit-backup --mine",
    Option("--mine", help="it is a home of my own: believe it as it stands"),
    *_HISTORY_OPTIONS,
    JSON_OPTION,
    subcommands=(
        Subcommand("history", import_history, help="what your shells have kept"),
        Subcommand("transcripts", import_transcripts, more=True, help="what agents have written"),
        Subcommand("rules", import_rules, more=True, help="what CLAUDE.md, AGENTS.md and other rule files say"),
    ),
)
def run_import(call: Invocation) -> int | None:
    """Take in another home, an export, or a fact file. What somebody else remembers becomes candidates for you to
    decide on. With --mine you say that it is your own home, from another machine or a backup: its lines are
    taken as they stand, each once. What you purged does not come back, and what was purged there goes here too.

    The word history takes in the commands that bash, zsh, fish and Atuin have kept, each once however often you
    ask; their files are only read. Lines that begin with a blank, or have more than 8,000 characters, are left
    out, and secrets are hidden. (A folder of that name is ./history.)

    The word transcripts takes in what agents have written: files, or folders of them; without a path, all that
    are found where Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep theirs. They are only read.
    What was captured before is not captured again, secrets are hidden, and Tacit's own output is left out.

    The word rules takes in what CLAUDE.md, AGENTS.md and other rule files say, and memories that agents keep,
    for this folder or for PATH. Each statement becomes a candidate with its file and line; none becomes active
    by itself, and a second time adds nothing. tacit audit lists what is wrong in these files.
    """
    if call.args and call.args[0] in call.command.subcommands:
        return call.run_subcommand("")
    path, mine = call.single_arg(), call.flag("--mine")
    if history_options := [option.name for option in _HISTORY_OPTIONS if call.flag(option.name)]:
        raise UsageError(f"{history_options[0]} is about histories", "tacit import history --file FILE")
    with reporting_conflicts(call.vault):
        result = call.vault.exchange.import_(path, mine=mine)
    if mine:
        echo(f"Imported {pluralize(result.events, 'event')} of your own; {result.known} were here already.")
    else:
        candidates = pluralize(result.candidates, "candidate")
        echo(f"{candidates} to decide on: tacit review. {result.known} were known already.")
    refused = (result.refused, "with a secret, too long, or from a clock that is far ahead")
    _echo_refused((result.damaged, "that cannot be read"), refused, (result.purged, "that you have purged"))
    if not mine and result.candidates:
        echo("  If this is a home of your own, take it as it stands: tacit import DIR --mine")
    return 0


_RULE_FORM = "agents-md"


@command(
    "",
    "tacit export --to tacit-backup",
    Option("--to", "DIR", "a folder that is not there yet, or is empty; with --as, a file"),
    Option("--as", "FORM", f"{_RULE_FORM}: a block in a rule file of agents"),
    Option("--remove", help="with --as: take the block out"),
    Option("--yes", help="with --as: change the file without being asked"),
)
def run_export(call: Invocation) -> None:
    """Copy the log and the readable pages into a new folder, while others may go on writing. The folder is a home
    itself (tacit --home DIR works on it), and what tacit import reads.

    With --as agents-md, write accepted memories as a marked block into a file that agents read: AGENTS.md of
    the project, or the file that --to names (CLAUDE.md, GEMINI.md, a rule of Cursor). The change is shown
    first. A file in a repository gets only what you shared (tacit share), a file of your own what holds for
    all projects. Once more updates the block, and --remove takes out exactly what was added.
    """
    if (form := call.value("--as")) is not None:
        if form != _RULE_FORM:
            raise UsageError(f"no such form: {form!r}", f"tacit export --as {_RULE_FORM}")
        _export_rules(call)
        return
    for name in ("--remove", "--yes"):
        call.require_with([name], "--as", f"tacit export --as {_RULE_FORM} {name}")
    folder = call.value("--to")
    if not folder:
        raise call.usage_error("--to DIR")
    try:
        exported = call.vault.exchange.export(folder)
    except KeyboardInterrupt:
        call.close()
        warn(f"Interrupted: the copy in {printable(folder)} is not complete. Remove it, and try again.")
        raise
    events, files = pluralize(exported.events, "event"), pluralize(exported.files, "file")
    echo(f"Exported {events} in {files} to {printable(exported.to)}")
    echo(f"  on your other machine: tacit import {printable(exported.to)} --mine")
    echo("  It holds everything you told Tacit: keep it where only you can read it. tacit purge does not reach it.")


def _export_rules(call: Invocation) -> None:
    from tacit.cli.install import confirm_and_apply
    from tacit.rules.exchange import RuleExport

    remove = call.flag("--remove")
    plan = RuleExport(call.vault.home).plan(call.value("--to") or "", remove=remove)
    path = printable(short_path(plan.change.path))
    if plan.change.is_needed:
        if not confirm_and_apply(call, [plan.change]):
            return
        count = pluralize(plan.memory_count, "memory is", "memories are")
        echo(f"Taken out of {path}." if remove or not plan.memory_count else f"{count} in {path}.")
    elif remove:
        echo(f"Nothing of Tacit is in {path}.")
    else:
        echo(f"{path} is up to date." if plan.memory_count else "There is nothing to export.")
    if plan.private_count and not remove:
        private = pluralize(plan.private_count, "private memory", "private memories")
        echo(f"  left out: {private}. To put one into the repository: tacit share ID")
    if plan.memory_count and not remove:
        echo("  tacit purge does not reach this file.")


_MAX_FILES, _MAX_BYTES = 200, 200_000_000  # of transcripts: enough to see what it is, and soon done
_MAX_SESSIONS_SHOWN = 5
# Where programs keep histories and transcripts. Nothing else comes along: whoever looks only looks, and an agent may
# show a person what there is to learn.
_PASSED_VARIABLES = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"),
    *("XDG_DATA_HOME", "ZDOTDIR", "HISTFILE"),
)
_NEXT_STEP = """Nothing was kept: that home is gone, and your histories and transcripts are as they were. To keep it:

  tacit setup   # reads all of this into a home of your own, and goes on learning if you say so; asks first
"""


@command("", "tacit try")
def run_try(_call: Invocation) -> None:
    """See what Tacit would learn from your shell histories, and how it would remember your last sessions with
    agents, without keeping anything: they are read as they are, into a home that is thrown away. Of transcripts
    at most the latest 200 are read, and 200 MB.
    """
    from tempfile import TemporaryDirectory

    from tacit.vault import Vault

    bare = {"HOME": os.path.expanduser("~")}
    bare |= {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    with (
        TemporaryDirectory(prefix="tacit-try-") as folder,
        Vault(Home(os.path.join(folder, "home"), cwd=folder, environment=bare)) as vault,
    ):
        has_history, has_sessions = _try_histories(vault), _try_transcripts(vault)
        if not has_history and not has_sessions:
            places = [path for source in SOURCES.values() for path in source.paths(bare, bare["HOME"])]
            shown = ", ".join(printable(short_path(path)) for path in (*vault.histories.history_paths(), *places))
            echo(f"There is no shell history and no transcript of an agent to learn from; looked for {shown}.")
            return
    echo(_NEXT_STEP)


def _try_histories(vault: Vault) -> bool:
    """Print what can be learned from the histories. Return whether there is one."""
    from tacit.cli.cards import card_lines
    from tacit.cli.status import statistics_lines

    if not (histories := vault.histories.find_histories()):
        return False
    with ProgressBar() as bar:
        done = vault.histories.import_history(histories, progress=bar)
    pending = list(vault.suggestions.listing())
    echo("What Tacit would learn from your shell histories, read in a home that is thrown away:\n")
    echo_lines(statistics_lines(vault.suggestions.statistics()))
    first = f"It would suggest, first of all, {pluralize(len(pending), 'thing')}:"
    echo(f"\n{first if pending else 'It would suggest nothing yet.'}")
    for at, listed in enumerate(pending, 1):
        echo_lines(card_lines(listed, at, len(pending)))
    echo()
    echo_lines(history_lines(done))
    echo()
    return True


def _try_transcripts(vault: Vault) -> bool:
    """Print the last sessions as Tacit would record them. Return whether there is one."""
    from tacit.cli.sessions import echo_session

    paths = vault.transcripts.transcripts_in(vault.transcripts.transcript_paths())
    chosen = _latest_files(paths)
    with ProgressBar("things said and done") as bar:
        vault.transcripts.capture_transcripts(chosen, progress=bar)
    listed = vault.sessions.sessions()
    if not listed:
        return False
    echo(f"Your last sessions with agents, as Tacit would remember them ({len(listed):,} in all):\n")
    for session in listed[:_MAX_SESSIONS_SHOWN]:
        echo_session(session)
    if len(chosen) < len(paths):
        echo(f"Read for this: {len(chosen):,} of {len(paths):,} transcripts, the latest, and none that is too large.")
    echo()
    return True


def _latest_files(files: Sequence[str]) -> list[str]:
    """Return the latest transcripts; one that is too large makes room for others."""
    dated, chosen, room = [], list[str](), _MAX_BYTES
    for path in files:
        with suppress(OSError):  # an agent tidies up meanwhile
            status = os.stat(path)
            dated.append((status.st_mtime_ns, status.st_size, path))
    for _, size, path in sorted(dated, reverse=True):
        if size <= room and len(chosen) < _MAX_FILES:
            chosen.append(path)
            room -= size
    return chosen
