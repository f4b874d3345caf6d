"""tacit status."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.forms import SCHEMA, Form, counts
from tacit.surfaces.cli.words import counted, say, say_json, waiting_for_trust
from tacit.vault.tending import Overview


def run(call: Call) -> int:
    call.no_words()
    now = call.vault.maintenance.status()
    if call.flag("--json"):
        say_json(_form(now))
        return 0
    say(f"Home      {show(now.home)} ({now.log_bytes:,} bytes of log)")
    say(f"Project   {show(now.project) if now.project else 'none here; what you add is global'}")
    say(f"Memories  {now.active} active, {now.forgotten} forgotten")
    if now.kinds:
        say("          " + ", ".join(f"{number} {kind}" for kind, number in now.kinds))
    waiting = counted(now.pending, "candidate")
    say(f"Review    {waiting} to decide{': tacit review' if now.pending else ''}, {now.dismissed} dismissed")
    if now.untrusted:
        say(f"Trust     {waiting_for_trust(now.untrusted)}")
    if now.undecided:
        say(f"Conflicts {now.undecided} memories no rule decides on: tacit conflicts")
    say(f"Worklog   {now.worklog} {'entry' if now.worklog == 1 else 'entries'}")
    say(f"Sessions  {now.sessions:,}{': tacit sessions' if now.sessions else ''}")
    if now.spooled or now.dropped:
        say(f"Commands  {now.spooled:,} wait to be recorded, {now.dropped:,} lost: tacit doctor")
    say(f"Recall    {counted(now.asked, 'question')}, {now.missed} without an answer")
    say(f"Evaluated {now.evaluated or 'never: tacit improve'}")
    return 0


def _form(now: Overview) -> Form:
    numbers = ("active", "pending", "forgotten", "dismissed", "worklog", "undecided", "asked", "missed", "log_bytes")
    return {
        "schema": SCHEMA,
        "home": now.home,
        "project": now.project,
        **{name: getattr(now, name) for name in (*numbers, "spooled", "dropped", "untrusted")},
        "kinds": counts(now.kinds, "kind"),
        "session_count": now.sessions,
        "evaluated": now.evaluated,
    }


COMMAND = Command(
    name="status",
    words="",
    help="One screen: what is remembered, what waits for you, how it is doing.",
    example="tacit status",
    run=run,
    options=(JSON,),
)
