"""A real browser on a running `tacit web`: Debian's chromium, driven by playwright.

Nothing is downloaded: `make test` installs the system's chromium, and tests that need it are skipped without it.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.web import JSON_FORMS
from tacit.home.actor import Actor
from tacit.model.claim import Kind, Status
from tacit.vault import Vault
from tacit.web import PageOptions, WebServer
from tacit.web.security import ADDRESS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

CHROMIUM = shutil.which("chromium")
PAGE_NAMES = (
    "inbox card bulk search results memory candidate session timeline habits workflow value conflicts trust guards"
    " guard doctor settings error"
).split()
# Its own sandbox needs privileges that a container does not give; only our own pages are opened.
_ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serve_home(home: Path, cwd: Path, now: datetime, *, read_only: bool = False) -> Iterator[WebServer]:
    """Serve the pages of a home in a thread of this process. `now` is the time that the pages see."""
    server = WebServer(PageOptions(str(home), str(cwd), Actor(lambda: now), JSON_FORMS, read_only))
    started = threading.Event()
    thread = threading.Thread(target=server.run, args=(started.set,))
    thread.start()
    try:
        assert started.wait(20)
        yield server
    finally:
        server.stop()
        thread.join(20)


def sign_in(context: BrowserContext, server: WebServer) -> None:
    """Give the browser the cookie of the server, which it gets otherwise from the address in the terminal."""
    name, _, value = server.access.set_cookie().partition(";")[0].partition("=")
    context.add_cookies(
        [{"name": name, "value": value, "domain": ADDRESS, "path": "/", "httpOnly": True, "sameSite": "Strict"}]
    )


def page_paths(vault: Vault) -> dict[str, str]:
    """Return the path of every page by a name, with a card, memory, session and workflow of an example home."""
    candidates, _ = vault.search.latest(status=Status.PENDING, limit=50)
    candidate = next((row for row in candidates if row.kind is Kind.CONSTRAINT), candidates[0])
    replaced, _ = vault.search.latest(status=Status.ACTIVE, kinds=["constraint"], limit=1)
    session = vault.sessions.sessions(limit=3)[-1].row.id
    guarded = vault.guard.entries()[0].rule.id
    return {
        "inbox": "/",
        "card": f"/?card={candidate.id}",
        "bulk": "/bulk?action=accept",
        "search": "/search",
        "results": "/search?q=tests",
        "memory": f"/memories/{replaced[0].id}",
        "candidate": f"/memories/{candidate.id}",
        "session": f"/sessions/{session}",
        "timeline": "/timeline",
        "habits": "/habits",
        "workflow": f"/habits/{vault.workflows.workflows()[0].name}?as=just",
        "value": "/value",
        "sessions": "/sessions?result=told",
        "conflicts": "/conflicts",
        "trust": "/trust",
        "guards": "/guards",
        "guard": f"/guards?memory={guarded}",
        "doctor": "/doctor",
        "settings": "/settings",
        "error": "/memories/none",
    }
