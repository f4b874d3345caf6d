"""tacit edit."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile

from tacit.core.errors import Refused, WrongUse
from tacit.surfaces.cli.command import Call, Command, Option, from_input
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.verbs.add import KINDS, kind_of, say_ruling
from tacit.surfaces.cli.words import say
from tacit.vault.project import FACTS


def run(call: Call) -> int:
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


COMMAND = Command(
    name="edit",
    words="ID [TEXT]",
    help=(
        "Change the words, kind or tags of a memory; without any of them, your editor opens. Other words make it\n"
        "another statement, which inherits strength and evidence."
    ),
    example='tacit edit 7k2m --text "never run the full build twice in a row"',
    run=run,
    options=(
        Option("--text", "TEXT", "what it should say"),
        Option("--kind", "KIND", f"one of {KINDS}"),
        Option("--tag", "TAG", "its tags from now on", many=True),
        Option("--into", "ID", "merge it into this other memory"),
    ),
)
