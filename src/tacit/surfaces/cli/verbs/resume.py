"""tacit resume: the snippet does it, in the shell itself. Who comes here has no snippet."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.hooks.absent import no_snippet


def run(call: Call) -> int:
    call.no_words()
    raise no_snippet("resume")


COMMAND = Command(
    name="resume",
    words="",
    help=("Record the commands of this terminal again, after tacit pause."),
    example="tacit resume",
    run=run,
)
