"""tacit doctor."""

from __future__ import annotations

from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.findings import report


def run(call: Call) -> int:
    call.no_words()
    return report(call, call.vault.doctor(), "The home is well.")


COMMAND = Command(
    name="doctor",
    words="",
    help=(
        "Check the log line by line, the index against a fresh replay, the views against a fresh drawing, and who\n"
        "may read the files. Says what to type for each finding; changes nothing. Exit code 3 when unwell."
    ),
    example="tacit doctor",
    run=run,
    options=(JSON,),
)
