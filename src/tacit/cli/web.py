"""`tacit web`: serve a page of the home to the browser."""

from __future__ import annotations

import os
import sys

from tacit.cli.commands import Command, Invocation, Option
from tacit.cli.output import echo
from tacit.errors import StoreError, UsageError
from tacit.home.actor import current_actor
from tacit.home.home import current_folder

_MAX_PORT = 65535


def run_web(call: Invocation) -> int:
    call.refuse_args()
    port = call.number("--port", least=1024) or 0
    if port > _MAX_PORT:
        raise UsageError(f"--port wants a number of at most {_MAX_PORT}, not {port}")
    actor = current_actor(os.environ)
    actor.require_person("opens the page", "tacit web")
    call.vault.status()  # a home that cannot be read is an error here, not in the browser
    call.close()
    try:
        from tacit.web.app import PageOptions
        from tacit.web.server import IDLE_SECONDS, WebServer, can_open_browser
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "tacit":
            raise
        raise StoreError(
            f"tacit web needs {error.name}, which is not installed",
            "pip install 'tacit-memory[web]', or with uv: uv tool install 'tacit-memory[web]'",
        ) from None
    options = PageOptions(call.value("--home"), current_folder(), actor, call.flag("--read-only"))
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
    return 0


WEB = Command(
    name="web",
    usage="",
    help=(
        "Open a page of your home in the browser: the inbox, search, the timeline of sessions, what memory was worth,\n"
        "conflicts, trust, guards and settings. It listens on 127.0.0.1 only, and only the address that is printed\n"
        "opens it. Nothing leaves this machine. It stops with Ctrl-C, or after 30 minutes without a request.\n"
        "Needs the extra: pip install 'tacit-memory[web]'"
    ),
    example="tacit web --port 7777 --no-open",
    run=run_web,
    options=(
        Option("--port", "N", "listen on this port (default: any free one)"),
        Option("--no-open", help="print the address, and open no browser"),
        Option("--read-only", help="show everything, change nothing"),
    ),
)
