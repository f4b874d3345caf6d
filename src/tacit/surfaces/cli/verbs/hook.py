"""tacit hook."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.hooks.snippet import SHELLS, snippet


def run(call: Call) -> int:
    name = call.one_word()
    if name not in SHELLS:
        raise WrongUse(f"tacit hook knows no {name!r}", f"one of: {', '.join(f'tacit hook {one}' for one in SHELLS)}")
    print(snippet(SHELLS[name]), end="")
    return 0


COMMAND = Command(
    name="hook",
    words="SHELL",
    help=(
        "Print what bash, zsh or fish loads so that Tacit learns from the commands you run. Load it by hand with\n"
        '  eval "$(tacit hook bash)"     eval "$(tacit hook zsh)"     tacit hook fish | source\n'
        "or for good with tacit install. Lines that begin with a blank are not recorded, secrets never are."
    ),
    example="tacit hook bash",
    run=run,
)
