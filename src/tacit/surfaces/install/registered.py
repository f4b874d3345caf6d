"""What is registered with a host: the command of a hook, the server, and the target that they make together."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable

from tacit.surfaces.hooks.hosts.host import Hook, Host, Moment
from tacit.surfaces.install.change import Change
from tacit.surfaces.install.part import Part
from tacit.surfaces.install.receipt import kept
from tacit.surfaces.install.target import Place, Target

_AGENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hooks", "agent.py")
_ANSWERED = (Moment.START, Moment.PROMPT)


def hook_words(place: Place, host: Host, hook: Hook) -> list[str]:
    """This interpreter without its packages, and one file."""
    verb = "inject" if hook.moment in _ANSWERED else "capture"
    return [place.interpreter, "-I", "-S", _AGENT, host.name, verb, hook.event, *place.home_words]


def hook_command(place: Place, host: Host, hook: Hook) -> str:
    return shlex.join(hook_words(place, host, hook))


def server_words(place: Place) -> list[str]:
    return [*place.program, "mcp", *place.home_words]


def server_value(place: Place, **more: object) -> dict[str, object]:
    """As most hosts spell it."""
    first, *rest = server_words(place)
    return {"command": first, "args": rest, **more}


def agent_target(
    name: str,
    parts: Callable[[Place], tuple[Part, ...]],
    afterwards: str,
    doubt: Callable[[Place], str] = lambda _place: "",
) -> Target:
    def installed(place: Place) -> tuple[Change, ...]:
        receipts = kept(place.home, name)
        return tuple(part.installed(receipts.get(part.path)) for part in parts(place))

    def removed(place: Place) -> tuple[Change, ...]:
        receipts = kept(place.home, name)
        return tuple(part.removed(receipts.get(part.path)) for part in parts(place))

    return Target(name, installed, removed, afterwards, is_agent=True, doubt=doubt)
