"""What the page in the browser costs its server: CPU of each page and of a keystroke in the search, and memory.

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

from bench.figures import Figure, amount, at_most, median, quantile, show
from bench.homes import copy_of, queries_of
from bench.hooks import add_sessions
from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.model.claim import Status
from tacit.vault.vault import Vault
from tacit.web.app import PageOptions, WebServer

MEMORIES, SESSIONS, STARTS, ROUNDS, QUERIES = 100_000, 1_000, 5, 15, 40
FIRST_TARGET, PAGE_TARGET, SEARCH_TARGET, MEMORY_TARGET = 150, 100, 60, 120
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

    def usage(self) -> tuple[float, float]:
        """Return the seconds of CPU that the server has used, and its resident memory in megabytes."""
        self._stdin.write("usage\n")
        self._stdin.flush()
        answer = json.loads(self._stdout.readline())
        return answer["cpu"], answer["memory"]

    def wait_until_idle(self) -> None:
        """Wait for what the server does by itself after its start: it loads the templates."""
        before, (now, _) = -1.0, self.usage()
        while now > before + 0.01:
            time.sleep(0.5)
            before, (now, _) = now, self.usage()

    def cost(self, path: str) -> float:
        """Ask for a page. Return the milliseconds of CPU that it cost."""
        before, _ = self.usage()
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:500])
        return (self.usage()[0] - before) * 1000


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        project = home.parent / "project"
        (project / ".git").mkdir(parents=True)
        add_sessions(home, project)
        with Vault(Home(home, cwd=project, actor=Actor(lambda: NOW))) as vault:
            paths = _page_paths(vault)
        yield _first_page(home, project)
        with _serving(home, project) as client:
            yield from (_page(client, name, path) for name, path in paths.items())
            yield _keystrokes(client, queries_of(folder, MEMORIES)[:QUERIES])
            yield at_most("web: resident memory after all of it", client.usage()[1], MEMORY_TARGET, " MB")


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
    return at_most(name, median(costs), FIRST_TARGET, " ms", f"median of {STARTS} starts")


def _page(client: Client, name: str, path: str) -> Figure:
    client.cost(path)
    costs = [client.cost(path) for _ in range(ROUNDS)]
    return at_most(f"web: CPU of {name}", median(costs), PAGE_TARGET, " ms", f"most {amount(max(costs))} ms")


def _keystrokes(client: Client, queries: Sequence[str]) -> Figure:
    """Each query as it is typed: the answer after each of its letters."""
    costs = [
        client.cost(f"/search?fragment=1&q={quote(query[:end])}")
        for query in queries
        for end in range(1, len(query) + 1, 3)
        if query[:end].strip()
    ]
    note = f"p90 {amount(quantile(costs, 0.9))} ms, most {amount(max(costs))} ms, {len(costs)} keystrokes"
    return at_most("web: CPU of a keystroke in the search, p50", median(costs), SEARCH_TARGET, " ms", note)


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
    server = WebServer(PageOptions(home, project, Actor(lambda: NOW)))
    started = threading.Event()
    threading.Thread(target=server.run, args=(started.set,), daemon=True).start()
    started.wait()
    cookie = server.access.set_cookie().partition(";")[0]
    print(json.dumps({"host": server.access.host, "cookie": cookie}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({"cpu": time.process_time(), "memory": _resident_megabytes()}), flush=True)


def _resident_megabytes() -> float:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == [_SERVE]:
        _serve(*sys.argv[2:])
    else:
        show("What the page in the browser costs its server.", measure)
