"""tacit verify."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.log.rewrite import Aside
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.findings import report
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.no_words()
    if call.flag("--quarantine-unsigned") and call.flag("--accept-unsigned"):
        raise WrongUse("either set aside what this home did not write, or vouch for it", "tacit verify")
    if call.flag("--mend"):
        _tell(call, call.vault.purger.mend())
    if call.flag("--quarantine-unsigned") and _may(call, "Set these aside?"):
        _tell(call, call.vault.doctor.quarantine_unsigned())
    if call.flag("--accept-unsigned") and _may(call, "Are these, and all other lines of the log, yours?"):
        call.vault.doctor.accept_unsigned()
    return report(call, call.vault.doctor.verify(), "Every line of the log can be read.")


def _tell(call: Call, moved: Sequence[Aside]) -> None:
    if not call.flag("--json"):
        for aside in moved:
            say(f"Set aside {aside.segment}:{aside.number} as it was: {show(aside.path)}")


def _may(call: Call, question: str) -> bool:
    """Whether a person agrees, who is shown what it is about."""
    if call.flag("--yes") or not call.vault.home.is_person:  # an agent is refused by the vault
        return True
    found = call.vault.doctor.unvouched()
    if not sys.stdin.isatty():
        raise WrongUse(
            f"{len(found)} decisions are concerned, and there is nobody to ask", "look at them, then add --yes"
        )
    for one in found:
        say(f"{show(one.segment)}:{one.number}: {show(one.decides)}")
    return agreed(question)


COMMAND = Command(
    name="verify",
    words="",
    help=(
        "Check the checksum and form of every line of the log, and whether this home wrote it. Exit code 3 when a\n"
        "line is damaged, or a decision was written by something else. Only a person sets such decisions aside."
    ),
    example="tacit verify",
    run=run,
    options=(
        Option("--mend", help="first move lines that cannot be read to quarantine/, byte for byte; all others stay"),
        Option(
            "--quarantine-unsigned", help="move decisions that this home did not write to quarantine/, byte for byte"
        ),
        Option("--accept-unsigned", help="vouch for all lines that are in the log now: they count as this home's"),
        Option("--yes", help="do not ask"),
        JSON,
    ),
)
