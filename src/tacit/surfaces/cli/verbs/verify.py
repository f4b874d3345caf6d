"""tacit verify."""

from __future__ import annotations

from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.findings import report


def run(call: Call) -> int:
    call.no_words()
    return report(call, call.vault.verify(), "Every line of the log can be read.")


COMMAND = Command(
    name="verify",
    words="",
    help="Check the checksum and form of every line of the log. Exit code 3 when a line is damaged.",
    example="tacit verify",
    run=run,
    options=(JSON,),
)
