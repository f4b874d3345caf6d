"""tacit pause: the snippet does it, in the shell itself. Who comes here has no snippet."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.hooks.absent import no_snippet


def run(call: Call) -> int:
    call.no_words()
    raise no_snippet("pause")


COMMAND = Command(
    name="pause",
    words="",
    help=(
        "Record no commands of this terminal until tacit resume; other terminals go on. It works in a shell that\n"
        "loads Tacit (tacit install, tacit hook), and ends with that shell."
    ),
    example="tacit pause",
    run=run,
)
