"""tacit list."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.core.status import Status
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.show import say_entries

_STATUSES = {
    "active": Status.ACTIVE,
    "pending": Status.PENDING,
    "forgotten": Status.RETIRED,
    "dismissed": Status.DISMISSED,
}


def run(call: Call) -> int:
    call.no_words()
    name = call.value("--status") or "active"
    if name not in (*_STATUSES, "all"):
        raise WrongUse(f"no such status: {name!r}", "one of active, pending, forgotten, dismissed, all")
    memories = call.vault.entries(
        status=_STATUSES.get(name), kind=call.value("--kind"), scope=call.value("--scope"), tag=call.value("--tag")
    )
    say_entries(call, memories, "Memories")
    return 0


COMMAND = Command(
    name="list",
    words="",
    help="Memories, the latest first: those of this project and the global ones, or elsewhere all.",
    example="tacit list --kind constraint",
    run=run,
    options=(
        Option("--status", "STATUS", "active (default), pending, forgotten, dismissed or all"),
        Option("--kind", "KIND", "only this kind"),
        Option("--tag", "TAG", "only with this tag"),
        Option("--scope", "SCOPE", "local, global or all"),
        JSON,
    ),
)
