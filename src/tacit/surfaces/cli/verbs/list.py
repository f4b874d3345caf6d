"""tacit list."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.core.status import Status
from tacit.surfaces.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.surfaces.cli.narrowing import KIND, LIMIT, OPTIONS, filters_of, limited
from tacit.surfaces.cli.show import say_entries
from tacit.surfaces.cli.words import say, waiting_for_trust

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
    memories = call.vault.queries.entries(
        status=_STATUSES.get(name),
        kind=call.value("--kind"),
        scope=call.value("--scope"),
        tag=call.value("--tag"),
        filters=filters_of(call),
    )
    say_entries(call, limited(call, memories), "Memories", len(memories))
    if not call.flag("--json") and (untrusted := call.vault.home.untrusted()):
        say(waiting_for_trust(untrusted))
    return call.exit_code(found=bool(memories))


COMMAND = Command(
    name="list",
    words="",
    help="Memories, the latest first: those of this project and the global ones, or elsewhere all.",
    example="tacit list --kind constraint",
    run=run,
    options=(
        Option("--status", "STATUS", "active (default), pending, forgotten, dismissed or all"),
        KIND,
        Option("--tag", "TAG", "only with this tag"),
        Option("--scope", "SCOPE", "local, global or all"),
        *OPTIONS,
        LIMIT,
        EXIT_CODE,
        JSON,
    ),
)
