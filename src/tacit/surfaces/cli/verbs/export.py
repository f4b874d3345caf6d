"""tacit export."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import counted, say


def run(call: Call) -> int:
    call.no_words()
    done = call.vault.exchange.export(call.text_value("--to"))
    say(f"Exported {counted(done.events, 'event')} in {counted(done.files, 'file')} to {show(done.to)}")
    say(f"  on your other machine: tacit import {show(done.to)} --mine")
    say("  It holds everything you told Tacit: keep it where only you can read it. tacit purge does not reach it.")
    return 0


COMMAND = Command(
    name="export",
    words="",
    help=(
        "Copy the log and the readable pages into a new folder, while others may go on writing. The folder is a home\n"
        "itself (tacit --home DIR works on it), and what tacit import reads."
    ),
    example="tacit export --to tacit-backup",
    run=run,
    options=(Option("--to", "DIR", "a folder that is not there yet, or is empty", required=True),),
)
