"""Commands that change memories: `edit`, `forget`, `restore`, `undo`, `redo`, `share`; and `log`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile

from tacit.cli.add import KINDS, echo_conflicts, echo_sharing
from tacit.cli.cards import outcome_line
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command, text_or_stdin
from tacit.cli.output import ask, echo, local_minute, utc_timestamp
from tacit.cli.setup import drop_with_last_fact, register_with_first_fact
from tacit.errors import RefusedError, UsageError
from tacit.home.project import FACT_FILE
from tacit.model.event import REPOSITORY
from tacit.model.observation import WorkLogged
from tacit.text.display import printable


@command(
    "ID [TEXT]",
    'tacit edit 7k2m --text "never run the full build twice in a row"',
    Option("--text", "TEXT", "what it should say"),
    Option("--kind", "KIND", f"one of {KINDS}"),
    Option("--tag", "TAG", "its tags from now on", repeatable=True),
    Option("--into", "ID", "merge it into this other memory"),
)
def run_edit(call: Invocation) -> None:
    """Change the words, kind or tags of a memory; without any of them, your editor opens. Other words make it
    another statement, which inherits strength and evidence.
    """
    if not call.args:
        raise call.usage_error()
    reference, words, option = call.args[0], " ".join(call.args[1:]), call.value("--text")
    if option and words:
        raise UsageError("the text was given twice, as words and with --text")
    text = text_or_stdin(option or words) or None
    if into := call.value("--into"):
        echo(outcome_line("Merged into", call.vault.memories.merge([reference], into)))
        return
    tags = call.all_values("--tag") if call.flag("--tag") else None
    if text is None and tags is None and not call.flag("--kind"):
        text = edit_text(call.vault.search.show(reference).memory.claim.sentence)
    outcome = call.vault.memories.edit(reference, text=text, kind=call.value("--kind"), tags=tags)
    echo(outcome_line("Revised", outcome))
    if outcome.in_fact_file and outcome.memory.shared:
        echo(f"  also in {FACT_FILE}")
    echo_conflicts(outcome)


def open_editor(path: str, hint: str = "") -> None:
    """Let the person change a file in their editor. Raise RefusedError if it fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    if subprocess.run([*shlex.split(editor), path], check=False).returncode != 0:
        raise RefusedError(f"{editor} ended with an error; nothing was changed", hint)


def edit_text(text: str) -> str:
    """Return a text as the person changed it in their editor. Raise UsageError without a terminal."""
    if not sys.stdin.isatty():
        raise UsageError("what should it say?", "tacit edit ID --text '…'")
    with tempfile.NamedTemporaryFile("w+", suffix=".txt", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        open_editor(file.name)
        with open(file.name, encoding="utf-8") as edited:
            return edited.read().strip()


@command(
    "ID",
    "tacit forget 7k2m",
    Option("--text", "TEXT", "the memory that says just this, instead of an id"),
    Option("--reason", "TEXT", "why it no longer holds"),
    Option("--evidence", "TEXT", "what shows it"),
)
def run_forget(call: Invocation) -> None:
    """Retire a memory or candidate: it disappears from recall, briefs and fact files at once. Its history stays,
    and it can be restored. On a terminal you are asked for a reason and for evidence; both may be left out.
    """
    reference, by_text = call.text(), call.flag("--text")
    reason, evidence = call.text_value("--reason"), call.text_value("--evidence")
    if not call.flag("--reason") and not call.flag("--evidence") and sys.stdin.isatty():
        echo(f"Forget: {printable(call.vault.search.show(reference, by_text=by_text).memory.claim.sentence)}")
        reason = _ask_optional("  why? (Enter to skip) ")
        evidence = _ask_optional("  what shows it? (Enter to skip) ")
    outcome = call.vault.memories.forget(reference, reason=reason, evidence=evidence, by_text=by_text)
    echo(f"Memory pruned or revised: {printable(outcome.memory.claim.sentence)}")
    if outcome.memory.shared or outcome.memory.source == REPOSITORY:
        echo(f"  taken out of {FACT_FILE}, too")
    echo(f"  take it back: tacit undo   or later: tacit restore {outcome.short}")
    drop_with_last_fact(call)


def _ask_optional(question: str) -> str:
    try:
        return ask(question).strip()
    except EOFError:
        echo()
        return ""


@command(
    "",
    'tacit log --task PROJ-12 --summary "Validated recall" --evidence "tests/test_recall.py"',
    Option("--task", "T", "the task or ticket", required=True),
    Option("--summary", "S", "what was done", required=True),
    Option("--changes", "C", "what changed"),
    Option("--evidence", "E", "what shows it: a test, a file, a message"),
    Option("--next", "N", "what comes next"),
)
def run_log(call: Invocation) -> None:
    """Write an entry of the worklog: what was done, what shows it, what comes next."""
    for name in ("--task", "--summary"):
        if not call.text_value(name).strip():
            raise UsageError(f"{name} is empty", f"for example: {call.command.example}")
    entry = WorkLogged(**{name: call.text_value(f"--{name}") for name in WorkLogged._fields})
    path = call.vault.memories.log(entry)
    echo(f"Logged: {printable(entry.task)}: {printable(entry.summary)}")
    echo(f"  {printable(path)}")


@command(
    "ID",
    "tacit restore 7k2m",
    Option("--text", "TEXT", "the memory that says just this, instead of an id"),
    Option("--reason", "TEXT", "why it holds after all"),
)
def run_restore(call: Invocation) -> None:
    """Make a forgotten or dismissed memory active again."""
    outcome = call.vault.memories.restore(call.text(), reason=call.text_value("--reason"), by_text=call.flag("--text"))
    echo(outcome_line("Restored", outcome))
    echo_conflicts(outcome)
    if outcome.in_fact_file and outcome.memory.shared:
        echo(f"  also in {FACT_FILE}")


@command(
    "[ID]",
    "tacit undo --list",
    Option("--list", help="show what undo would take back, the latest first; change nothing"),
    JSON_OPTION,
)
def run_undo(call: Invocation) -> None:
    """Take back the latest operation; again, the one before it. With an ID, the latest operation on that memory.
    Nothing is deleted: tacit redo brings back what was undone last, until something else is changed.
    """
    if not call.flag("--list"):
        call.require_with(["--json"], "--list", "tacit undo --list --json")
        echo(f"Undone: {printable(call.vault.changes.undo(call.single_arg() if call.args else None))}")
        echo("  bring it back: tacit redo")
        drop_with_last_fact(call)
        return
    call.refuse_args()
    stack = call.vault.changes.undo_stack()
    steps = [
        {
            "id": step.operation,
            "at": utc_timestamp(step.at),
            "actor": step.actor,
            "text": step.label,
            "memory_ids": list(step.memories),
        }
        for step in stack.steps
    ]
    if call.shows_json(lambda: steps):
        return
    echo("tacit undo takes these back, one each time:" if stack.steps else "Nothing to undo.")
    for at, step in enumerate(stack.steps, 1):
        by = "" if step.actor == "user" else f" ({printable(step.actor)})"
        echo(f"{at:>3}  {local_minute(step.at)}  {printable(step.label)}{by}")
    if stack.has_more:
        echo("     and more before that")
    if stack.redo_labels:
        echo("tacit redo brings these back, one each time:")
        for at, label in enumerate(stack.redo_labels, 1):
            echo(f"{at:>3}  {printable(label)}")


@command("", "tacit redo")
def run_redo(call: Invocation) -> None:
    """Do again what tacit undo took back last; again, what it took back before that. A new change ends this."""
    is_first = not call.vault.setup.has_written_facts
    echo(f"Redone: {printable(call.vault.changes.redo())}")
    echo("  take it back: tacit undo")
    if is_first:
        register_with_first_fact(call)


@command(
    "ID…",
    "tacit share 7k2m",
    Option("--remove", help="take them out of the fact file again; or, what the team was proposed, back"),
    Option("--file", help="the project's fact file, also where a team has the project"),
    Option("--evidence", "TEXT", "for the team: what shows it; nothing else of its evidence is sent"),
    Option("--withdraw", help="take a proposal to the team back"),
    Option("--yes", help="for the team: send it without being asked"),
)
def run_share(call: Invocation) -> int:
    """Put memories of this project into docs/memory/memories.ndjson, which is made to be committed. All of them or
    none. Other people who clone the repository see them after tacit trust. --remove takes them out again: they
    stay active in your home, and what was committed before stays in the history of the repository.

    In a project of a team that you joined (tacit team), propose them to the team instead: the sentence, kind
    and tags, and evidence only if you write some here. If a sentence names a path, a mail address or a host,
    you see exactly what would be sent and are asked. They hold for others once a curator accepts them. Without
    a connection they wait for tacit sync. --file means the fact file.
    """
    if call.vault.home.has_team and not call.flag("--file"):
        from tacit.cli.team import share_with_team

        if (code := share_with_team(call)) is not None:
            return code
    for name in ("--evidence", "--withdraw"):
        if call.flag(name):
            raise UsageError(f"{name} is for a team that has this project", "tacit team join URL, or leave it out")
    if call.flag("--remove"):
        for outcome in call.vault.memories.unshare_all(call.args):
            echo(outcome_line("Private again", outcome))
        echo(f"  no longer in {FACT_FILE}; commit that file if it was committed before")
        drop_with_last_fact(call)
        return 0
    is_first = not call.vault.setup.has_written_facts
    for outcome in call.vault.memories.share_all(call.args):
        echo(outcome_line("Shared", outcome))
        echo_sharing(outcome)
        echo_conflicts(outcome)
    if is_first:
        register_with_first_fact(call)
    return 0
