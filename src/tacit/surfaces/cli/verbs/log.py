"""tacit log."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.core.observation import WorkLogged
from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
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


COMMAND = Command(
    name="log",
    words="",
    help="Write an entry of the worklog: what was done, what shows it, what comes next.",
    example='tacit log --task PROJ-12 --summary "Validated recall" --evidence "tests/test_recall.py"',
    run=run,
    options=(
        Option("--task", "T", "the task or ticket", required=True),
        Option("--summary", "S", "what was done", required=True),
        Option("--changes", "C", "what changed"),
        Option("--evidence", "E", "what shows it: a test, a file, a message"),
        Option("--next", "N", "what comes next"),
    ),
)
