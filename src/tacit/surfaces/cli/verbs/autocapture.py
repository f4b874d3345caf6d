"""tacit autocapture."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.settings.origins import Origin
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.verbs.config import ignored_variable
from tacit.surfaces.cli.words import say, say_json, warn
from tacit.vault.configuring import Standing


def run(call: Call) -> int:
    word = call.one_word() if call.words else "status"
    if word not in ("on", "off", "status"):
        raise WrongUse(f"tacit autocapture has no {word!r}", "one of on, off, status")
    if word == "status":
        return _status(call)
    return _session(call, word == "on") if call.flag("--session") else _home(call, word == "on")


def _home(call: Call, on: bool) -> int:
    done = call.vault.configuration.autocapture(on)
    if on:
        _say_what()
    else:
        say("Sessions with agents are not captured any more; what was captured stays. On again: tacit autocapture on")
    if done and done.overruled_by:
        warn(f"! {done.overruled_by} is set in this shell and overrules it: unset {done.overruled_by}")
    return 0


def _session(call: Call, on: bool) -> int:
    session = call.vault.configuration.session_here()
    if not session:
        raise WrongUse(
            "there is no session here: no agent runs this, and TACIT_SESSION is not set",
            f"TACIT_SESSION=ID tacit autocapture {'on' if on else 'off'} --session",
        )
    call.vault.configuration.autocapture(on, session)
    if on:
        _say_what(f"session {show(session)}")
    else:
        say(f"Nothing more of session {show(session)} is captured; other sessions go on as they were.")
    return 0


def _say_what(which: str = "your sessions with agents") -> None:
    again = " --session" if which.startswith("session") else ""
    say(f"Captured from now on, of {which}: what is said, commands and how they ended, names of changed files.")
    say(f"Never: secrets, the agent's thinking, what files hold that it read. To stop: tacit autocapture off{again}")


def _status(call: Call) -> int:
    found = call.vault.configuration.autocapture_here(_folder())
    if call.flag("--json"):
        told = found._asdict()
        reasons, name = list(_reasons(found)), told.pop("session")
        say_json({**told, "name": name, "enabled": found.enabled._asdict(), "reasons": reasons})
        return 0
    say(f"Sessions with agents are {'' if found.captures else 'not '}captured here:")
    for reason in _reasons(found):
        say(f"  {show(reason)}")
    return 0


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted under us
        return ""


def _reasons(found: Standing) -> Iterator[str]:
    """What decides, the strongest first."""
    where = found.enabled.where if found.enabled.origin is not Origin.DEFAULT else "the default"
    if found.left_out:
        yield f"this folder is in agents.ignore_directories: {found.left_out}"
    if found.said is not None:
        yield f"session {found.session} was turned {'on' if found.said else 'off'}"
    yield f"autocapture.enabled is {'true' if found.enabled.value else 'false'}, from {where}"
    if found.enabled.ignored:
        yield ignored_variable(found.enabled)
    if found.modes:
        yield f"only in these modes of the agent (autocapture.on_modes): {', '.join(found.modes)}"


COMMAND = Command(
    name="autocapture",
    words="on | off | status",
    help=(
        "Whether sessions with coding agents are captured: off until you turn it on, for all sessions or for the one\n"
        "you are in. It works with agents that tacit install set up. Whoever is in a session may turn it off for that\n"
        "session; only a person turns it on. status says what holds here, and why."
    ),
    example="tacit autocapture on",
    run=run,
    options=(Option("--session", help="only for the session one is in"), JSON),
)
