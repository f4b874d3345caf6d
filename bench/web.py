"""What the page in the browser costs its server: CPU of its pages and of a keystroke in the search.

    python -m bench.web [--homes DIR] [--json]

The home has 100,000 memories and 1,000 sessions. The server is a process of its own and says how much CPU it has used;
the client is another. The first page is asked for in several processes, once each has loaded its templates; the other
pages are asked for again and again.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from bench.figures import Figure, against_target, amount, main_of, median, quantile
from bench.homes import copy_of, queries_of
from bench.hooks import add_sessions
from tacit.cli.web import JSON_FORMS
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.model.claim import Status
from tacit.vault import Vault
from tacit.web import PageOptions, WebServer

MEMORIES, SESSIONS, STARTS, ROUNDS, QUERIES = 100_000, 1_000, 5, 15, 40
NOW = datetime(2026, 2, 12, 18, tzinfo=UTC)  # the day after the last session
_SERVE = "--serve"


class Client:
    """A running server: asks for pages, and for what they cost."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        started = json.loads(self._stdout.readline())
        self._headers = {"Cookie": started["cookie"], "Sec-Fetch-Site": "same-origin"}
        self._connection = http.client.HTTPConnection(started["host"], timeout=60)

    def cpu(self) -> float:
        """Return the seconds of CPU that the server has used."""
        self._stdin.write("cpu\n")
        self._stdin.flush()
        return float(self._stdout.readline())

    def wait_until_idle(self) -> None:
        """Wait for what the server does by itself after its start: it loads the templates."""
        before, now = -1.0, self.cpu()
        while now > before + 0.01:
            time.sleep(0.5)
            before, now = now, self.cpu()

    def cost(self, path: str) -> float:
        """Ask for a page. Return the milliseconds of CPU that it cost."""
        before = self.cpu()
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:500])
        return (self.cpu() - before) * 1000


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        project = home.parent / "project"
        (project / ".git").mkdir(parents=True)
        add_sessions(home, project)
        with Vault(Home(home, cwd=project, actor=Actor(lambda: NOW))) as vault:
            paths = _page_paths(vault)
        yield _first_page(home, project)
        with _serving(home, project) as client:
            yield _slowest_page(client, paths)
            yield _keystrokes(client, queries_of(folder, MEMORIES)[:QUERIES])


def _page_paths(vault: Vault) -> dict[str, str]:
    memory = vault.search.latest(status=Status.ACTIVE, limit=1)[0][0].id
    candidate = vault.search.latest(status=Status.PENDING, limit=1)[0][0].id
    return {
        "inbox": "/",
        "inbox, one card": f"/?card={candidate}",
        "search without a query": "/search",
        "memory": f"/memories/{memory}",
        "session": f"/sessions/{vault.sessions.sessions(limit=1)[0].row.id}",
        "timeline": "/timeline",
        "habits": "/habits",
        "value": "/value",
        "conflicts": "/conflicts",
        "trust": "/trust",
        "guards": "/guards",
        "doctor": "/doctor",
        "settings": "/settings",
    }


def _first_page(home: Path, project: Path) -> Figure:
    costs = []
    for _ in range(STARTS):
        with _serving(home, project) as client:
            client.wait_until_idle()
            costs.append(client.cost("/"))
    name = f"web: CPU of the first page, {MEMORIES:,} memories and {SESSIONS:,} sessions"
    return against_target(name, median(costs), "ms", f"median of {STARTS} starts")


def _slowest_page(client: Client, paths: dict[str, str]) -> Figure:
    costs = {}
    for name, path in paths.items():
        client.cost(path)
        costs[name] = median([client.cost(path) for _ in range(ROUNDS)])
    slowest = max(costs, key=lambda name: costs[name])
    note = f"{slowest}; median of all {len(costs)} pages {amount(median(list(costs.values())))} ms"
    return against_target("web: CPU of the slowest other page", costs[slowest], "ms", note)


def _keystrokes(client: Client, queries: Sequence[str]) -> Figure:
    """Each query as it is typed: the answer after each of its letters."""
    costs = [
        client.cost(f"/search?fragment=1&q={quote(query[:end])}")
        for query in queries
        for end in range(1, len(query) + 1, 3)
        if query[:end].strip()
    ]
    note = f"p90 {amount(quantile(costs, 0.9))} ms, most {amount(max(costs))} ms, {len(costs)} keystrokes"
    return against_target("web: CPU of a keystroke in the search, p50", median(costs), "ms", note)


@contextmanager
def _serving(home: Path, project: Path) -> Iterator[Client]:
    command = [sys.executable, "-m", "bench.web", _SERVE, str(home), str(project)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Client(process)
    finally:
        process.kill()
        process.wait()


def _serve(home: str, project: str) -> None:
    """Serve the pages, and answer on the standard output what was used so far."""
    server = WebServer(PageOptions(home, project, Actor(lambda: NOW), JSON_FORMS))
    started = threading.Event()
    threading.Thread(target=server.run, args=(started.set,), daemon=True).start()
    started.wait()
    cookie = server.access.set_cookie().partition(";")[0]
    print(json.dumps({"host": server.access.host, "cookie": cookie}), flush=True)
    for _ in sys.stdin:
        print(time.process_time(), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == [_SERVE]:
        _serve(*sys.argv[2:])
    else:
        sys.exit(main_of("web", __doc__, measure))
