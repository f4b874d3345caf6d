"""Changing existing memories: `edit`, `forget`, `restore`, `undo`, `redo`, `share`, `unshare`; and `log`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from datetime import datetime

from tacit.cli.add import KINDS, kind_of, say_ruling, say_sharing
from tacit.cli.cards import outcome_line
from tacit.cli.command import JSON, Call, Command, Option, from_input
from tacit.cli.json_forms import Form, utc
from tacit.cli.output import say, say_json
from tacit.cli.terminal import ask
from tacit.errors import Refused, WrongUse
from tacit.home.project import FACTS
from tacit.model.event import REPOSITORY
from tacit.model.observation import WorkLogged
from tacit.text.display import show
from tacit.vault.undo import Step

# tacit edit.


def run_edit(call: Call) -> int:
    if not call.words:
        call.one_word()
    reference, text = call.words[0], _text(call)
    if into := call.value("--into"):
        say(outcome_line("Merged into", call.vault.decisions.merge(reference, into)))
        return 0
    tags = call.all_values("--tag") if call.flag("--tag") else None
    if text is None and tags is None and not call.flag("--kind"):
        text = in_editor(call.vault.queries.show(reference).memory.claim.sentence)
    outcome = call.vault.decisions.edit(reference, text=text, kind=kind_of(call), tags=tags)
    say(outcome_line("Revised", outcome))
    if outcome.in_file and outcome.memory.shared:
        say(f"  also in {FACTS}")
    say_ruling(outcome)
    return 0


def _text(call: Call) -> str | None:
    given, rest = call.value("--text"), " ".join(call.words[1:])
    if given and rest:
        raise WrongUse("the text was given twice, as words and with --text")
    return from_input(given or rest) or None


def in_editor(text: str) -> str:
    """Let a person change a text in their editor."""
    if not sys.stdin.isatty():
        raise WrongUse("what should it say?", "tacit edit ID --text '…'")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile("w+", suffix=".txt", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        if subprocess.run([*shlex.split(editor), file.name], check=False).returncode != 0:
            raise Refused(f"{editor} ended with an error; nothing was changed")
        with open(file.name, encoding="utf-8") as edited:
            return edited.read().strip()


EDIT = Command(
    name="edit",
    words="ID [TEXT]",
    help=(
        "Change the words, kind or tags of a memory; without any of them, your editor opens. Other words make it\n"
        "another statement, which inherits strength and evidence."
    ),
    example='tacit edit 7k2m --text "never run the full build twice in a row"',
    run=run_edit,
    options=(
        Option("--text", "TEXT", "what it should say"),
        Option("--kind", "KIND", f"one of {KINDS}"),
        Option("--tag", "TAG", "its tags from now on", many=True),
        Option("--into", "ID", "merge it into this other memory"),
    ),
)


# tacit forget.


def run_forget(call: Call) -> int:
    reference, by_text = call.text(), call.flag("--text")
    reason, evidence = call.text_value("--reason"), call.text_value("--evidence")
    is_asked = not call.flag("--reason") and not call.flag("--evidence") and sys.stdin.isatty()
    if is_asked:
        say(f"Forget: {show(call.vault.queries.show(reference, by_text=by_text).memory.claim.sentence)}")
        reason = _asked("  why? (Enter to skip) ")
        evidence = _asked("  what shows it? (Enter to skip) ")
    outcome = call.vault.decisions.forget(reference, reason=reason, evidence=evidence, by_text=by_text)
    say(f"Memory pruned or revised: {show(outcome.memory.claim.sentence)}")
    if outcome.memory.shared or outcome.memory.source == REPOSITORY:
        say(f"  taken out of {FACTS}, too")
    say(f"  take it back: tacit undo   or later: tacit restore {outcome.short}")
    return 0


def _asked(question: str) -> str:
    try:
        return ask(question).strip()
    except EOFError:
        say()
        return ""


FORGET = Command(
    name="forget",
    words="ID",
    help=(
        "Retire a memory or candidate: it disappears from recall, briefs and fact files at once. Its history stays,\n"
        "and it can be restored. On a terminal you are asked for a reason and for evidence; both may be left out."
    ),
    example="tacit forget 7k2m",
    run=run_forget,
    options=(
        Option("--text", "TEXT", "the memory that says just this, instead of an id"),
        Option("--reason", "TEXT", "why it no longer holds"),
        Option("--evidence", "TEXT", "what shows it"),
    ),
)


# tacit log.


def run_log(call: Call) -> int:
    call.no_words()
    for name in ("--task", "--summary"):
        if not call.text_value(name).strip():
            raise WrongUse(f"{name} is empty", f"for example: {call.command.example}")
    entry = WorkLogged(
        task=call.text_value("--task"),
        summary=call.text_value("--summary"),
        changes=call.text_value("--changes"),
        evidence=call.text_value("--evidence"),
        next=call.text_value("--next"),
    )
    path = call.vault.decisions.log(entry)
    say(f"Logged: {show(entry.task)}: {show(entry.summary)}")
    say(f"  {show(path)}")
    return 0


LOG = Command(
    name="log",
    words="",
    help="Write an entry of the worklog: what was done, what shows it, what comes next.",
    example='tacit log --task PROJ-12 --summary "Validated recall" --evidence "tests/test_recall.py"',
    run=run_log,
    options=(
        Option("--task", "T", "the task or ticket", required=True),
        Option("--summary", "S", "what was done", required=True),
        Option("--changes", "C", "what changed"),
        Option("--evidence", "E", "what shows it: a test, a file, a message"),
        Option("--next", "N", "what comes next"),
    ),
)


# tacit restore.


def run_restore(call: Call) -> int:
    outcome = call.vault.decisions.restore(call.text(), reason=call.text_value("--reason"))
    say(outcome_line("Restored", outcome))
    if outcome.in_file and outcome.memory.shared:
        say(f"  also in {FACTS}")
    return 0


RESTORE = Command(
    name="restore",
    words="ID",
    help="Make a forgotten or dismissed memory active again.",
    example="tacit restore 7k2m",
    run=run_restore,
    options=(
        Option("--text", "TEXT", "the memory that says just this, instead of an id"),
        Option("--reason", "TEXT", "why it holds after all"),
    ),
)


# tacit undo.


def run_undo(call: Call) -> int:
    if call.flag("--list"):
        call.no_words()
        return _list(call)
    if call.flag("--json"):
        raise WrongUse("--json goes with --list", "tacit undo --list --json")
    say(f"Undone: {show(call.vault.undo_redo.undo(call.one_word() if call.words else None))}")
    say("  bring it back: tacit redo")
    return 0


def _list(call: Call) -> int:
    stack = call.vault.undo_redo.undo_stack()
    if call.flag("--json"):
        say_json([_form(step) for step in stack.steps])
        return 0
    say("tacit undo takes these back, one each time:" if stack.steps else "Nothing to undo.")
    for at, step in enumerate(stack.steps, 1):
        by = "" if step.actor == "user" else f" ({show(step.actor)})"
        say(f"{at:>3}  {datetime.fromisoformat(step.at).astimezone():%Y-%m-%d %H:%M}  {show(step.label)}{by}")
    if stack.more:
        say("     and more before that")
    if stack.redo:
        say("tacit redo brings these back, one each time:")
        for at, label in enumerate(stack.redo, 1):
            say(f"{at:>3}  {show(label)}")
    return 0


def _form(step: Step) -> Form:
    return {
        "id": step.operation,
        "at": utc(step.at),
        "actor": step.actor,
        "text": step.label,
        "memory_ids": list(step.memories),
    }


UNDO = Command(
    name="undo",
    words="[ID]",
    help=(
        "Take back the latest operation; again, the one before it. With an ID, the latest operation on that memory.\n"
        "Nothing is deleted: tacit redo brings back what was undone last, until something else is changed."
    ),
    example="tacit undo --list",
    run=run_undo,
    options=(
        Option("--list", help="show what undo would take back, the latest first; change nothing"),
        JSON,
    ),
)


# tacit redo.


def run_redo(call: Call) -> int:
    call.no_words()
    say(f"Redone: {show(call.vault.undo_redo.redo())}")
    say("  take it back: tacit undo")
    return 0


REDO = Command(
    name="redo",
    words="",
    help="Do again what tacit undo took back last; again, what it took back before that. A new change ends this.",
    example="tacit redo",
    run=run_redo,
)


# tacit share.


def run_share(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.share_all(call.words):
        say(outcome_line("Shared", outcome))
        say_sharing(outcome)
        say_ruling(outcome)
    return 0


SHARE = Command(
    name="share",
    words="ID…",
    help=(
        "Put memories of this project into docs/memory/memories.ndjson, which is made to be committed. All of them or\n"
        "none. Other people who clone the repository see them after tacit trust."
    ),
    example="tacit share 7k2m",
    run=run_share,
)


# tacit unshare.


def run_unshare(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.unshare_all(call.words):
        say(outcome_line("Private again", outcome))
    say(f"  no longer in {FACTS}; commit that file if it was committed before")
    return 0


UNSHARE = Command(
    name="unshare",
    words="ID…",
    help=(
        "Take memories out of docs/memory/memories.ndjson. They stay active in your home. What was committed before\n"
        "stays in the history of the repository."
    ),
    example="tacit unshare 7k2m",
    run=run_unshare,
)
