"""tacit verify."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.findings import report
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.no_words()
    if call.flag("--mend"):
        for aside in call.vault.mend():
            if not call.flag("--json"):
                say(f"Set aside {aside.segment}:{aside.number} as it was: {show(aside.path)}")
    return report(call, call.vault.verify(), "Every line of the log can be read.")


COMMAND = Command(
    name="verify",
    words="",
    help="Check the checksum and form of every line of the log. Exit code 3 when a line is damaged.",
    example="tacit verify",
    run=run,
    options=(
        Option("--mend", help="first move lines that cannot be read to quarantine/, byte for byte; all others stay"),
        JSON,
    ),
)
