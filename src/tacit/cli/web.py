"""`tacit web`: the page in the browser, and what it gives as JSON.

The pages are below the command line and do not import it, so they are handed what commands print with `--json`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.cards import memory_json, reference_json
from tacit.cli.commands import Invocation, Option, command
from tacit.cli.guard import guard_json
from tacit.cli.output import echo
from tacit.cli.recall import hit_json
from tacit.cli.review import card_json
from tacit.cli.sessions import counted_session_json, full_session_json, session_json
from tacit.cli.show import conflict_json, why_json
from tacit.cli.status import status_json
from tacit.cli.sync import repository_json
from tacit.cli.workflow import workflow_json
from tacit.errors import StoreError, UsageError

if TYPE_CHECKING:
    from tacit.record import Record


def _each(as_json: Callable[[Any], object]) -> Callable[[Iterable[Any]], object]:
    return lambda entries: list(map(as_json, entries))


def _fields(entry: Record) -> object:
    return entry._asdict()


# What commands print, by their names
JSON_FORMS: Mapping[str, Callable[..., object]] = {
    "review": _each(card_json),
    "list": _each(memory_json),
    "rows": _each(reference_json),
    "recall": _each(hit_json),
    "why": why_json,
    "conflicts": _each(conflict_json),
    "sessions": _each(session_json),
    "counted sessions": _each(counted_session_json),
    "session": full_session_json,
    "workflows": _each(workflow_json),
    "workflow": workflow_json,
    "guards": _each(guard_json),
    "trust": repository_json,
    "status": status_json,
    "doctor": _each(_fields),
    "config": _each(_fields),
}

_MAX_PORT = 65535


@command(
    "",
    "tacit web --port 7777 --no-open",
    Option("--port", "N", "listen on this port (default: any free one)", least=1024),
    Option("--no-open", help="print the address, and open no browser"),
    Option("--read-only", help="show everything, change nothing"),
)
def run_web(call: Invocation) -> None:
    """Open a page of your home in the browser: the inbox, search, the timeline of sessions, what memory was worth,
    conflicts, trust, guards and settings. It listens on 127.0.0.1 only, and only the address that is printed
    opens it. Nothing leaves this machine. It stops with Ctrl-C, or after 30 minutes without a request.
    Needs the extra: pip install 'tacit-memory[web]'
    """
    from tacit.home.actor import current_actor
    from tacit.home.home import current_folder

    port = call.number("--port") or 0
    if port > _MAX_PORT:
        raise UsageError(f"--port wants a number of at most {_MAX_PORT}, not {port}")
    actor = current_actor(os.environ)
    actor.require_person("opens the page", "tacit web")
    call.vault.status()  # a home that cannot be read is an error here, not in the browser
    call.close()
    try:
        from tacit.web import IDLE_SECONDS, PageOptions, WebServer, can_open_browser
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "tacit":
            raise
        hint = "pip install 'tacit-memory[web]', or with uv: uv tool install 'tacit-memory[web]'"
        raise StoreError(f"tacit web needs {error.name}, which is not installed", hint) from None
    options = PageOptions(call.value("--home"), current_folder(), actor, JSON_FORMS, call.flag("--read-only"))
    server = WebServer(options, port=port)

    def opened() -> None:
        if not call.flag("--no-open") and can_open_browser():
            import webbrowser

            webbrowser.open(server.access.single_use_address())

    echo(f"Tacit is at {server.access.address}")
    echo(f"  The address is yours alone. Stop with Ctrl-C, or after {IDLE_SECONDS // 60} minutes without a request.")
    sys.stdout.flush()  # a program that started this waits for the address
    server.run(opened)
    echo("Stopped: nobody used the page." if server.is_idle else "Stopped.")
