"""What a member's machine sends, receives and needs, for `bench.team_scale`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.postgres import PORT

from bench.figures import Figure
from bench.team_made import MadeServer, joiner_of
from bench.team_work import pages_after, person_of, pull_afresh, send
from tacit.team.client import open_server

# What a client sends, receives and needs


@contextmanager
def relay(folder: Path, target: str) -> Iterator[list[int]]:
    """A socket in a folder that hands everything on and counts the bytes: those sent, and those received."""
    counted = [0, 0]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{folder}/.s.PGSQL.{PORT}")
    listener.listen()

    def copy(source: socket.socket, sink: socket.socket, which: int) -> None:
        while data := source.recv(65536):
            counted[which] += len(data)
            sink.sendall(data)
        sink.close()

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{target}/.s.PGSQL.{PORT}")
            for way in ((client, server, 0), (server, client, 1)):
                threading.Thread(target=copy, args=way, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield counted
    finally:
        listener.close()


_SYNCS_A_DAY = 8


def wire(server: MadeServer, project: str) -> Figure:
    """A day: a sync each hour for eight hours, everything that is new since yesterday, and two events of one's own."""
    day = server.position_before(server.team.events_a_day)
    with tempfile.TemporaryDirectory() as folder, relay(Path(folder), str(server.cluster.folder)) as counted:
        url = f"postgresql://member{person_of(server, 0)}@/{server.database}?host={folder}&port={PORT}"

        def bytes_of(act: Callable[[], object]) -> tuple[int, int]:
            before = tuple(counted)
            act()
            time.sleep(0.3)
            return counted[0] - before[0], counted[1] - before[1]

        nothing = bytes_of(lambda: pull_afresh(url, server.position_before(0)))
        news = bytes_of(lambda: pull_afresh(url, day))
        with open_server(url) as session:
            found = pages_after(session, day)
            pushed = bytes_of(lambda: send(session, project, 2))
    total = _SYNCS_A_DAY * sum(nothing) + (sum(news) - sum(nothing)) + sum(pushed)
    note = (
        f"{_SYNCS_A_DAY} syncs of {nothing[0] / 1e3:.1f} kB sent and {nothing[1] / 1e3:.1f} kB received,"
        f" {found} new events of {(sum(news) - sum(nothing)) / max(found, 1):.0f} bytes, 2 events sent with"
        f" {sum(pushed) / 1e3:.1f} kB; without TLS and passwords"
    )
    return Figure(f"{server.team.events:,}: on the wire for a member and a day", f"{total / 1e3:.0f} kB ({note})")


# Seconds of CPU and the most kB of memory. Not `ru_maxrss`, which counts what the process was forked from.
_SPENT = """
import re, sys, time
from pathlib import Path
def spent():
    peak = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())
    return time.process_time(), peak[1]
"""
_TACIT = """
from tacit.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(code or 0, *spent(), file=sys.stderr)
"""
_PAGES = """
from tacit.team.client import open_server
from tacit.team.events import Position
with open_server(sys.argv[1]) as server:
    events = sum(map(len, server.events_after(Position())))
print(events, *spent(), file=sys.stderr)
"""


def paging(server: MadeServer, project: str) -> Figure:
    """What reading a project from its beginning costs a client, without what it makes of it."""
    events, cpu, memory = _measured(_PAGES, server.url(joiner_of(project)))
    name = f"memory of a client that reads {events:,.0f} events, a page at a time"
    return Figure(f"{server.team.events:,}: {name}", f"{memory / 1e3:.0f} MB ({cpu:.1f} s of its CPU)")


def joining(server: MadeServer, project: str) -> Figure:
    """What the first join of a project costs the machine of who joins, and a sync after it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as home:
        _, cpu, memory = _measured(_TACIT, "team", "join", server.url(joiner_of(project)), "--yes", home=home)
        size = sum(path.stat().st_size for path in Path(home).rglob("team*/*.json"))
        _, again, peak = _measured(_TACIT, "sync", home=home)
    with server.admin() as admin:
        row = admin.execute("select count(*) from tacit.event where project = %s", [project]).fetchone()
    assert row
    name = f"{server.team.events:,}: memory of `tacit team join` of {row[0]:,} events"
    after = f"a sync with nothing new after it {again:.2f} s of CPU and {peak / 1e3:.0f} MB"
    return Figure(name, f"{memory / 1e3:.0f} MB ({cpu:.1f} s of CPU; file of the team {size / 1e6:.1f} MB; {after})")


def _measured(program: str, *words: str, home: str = "") -> tuple[float, float, float]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= (
        {"HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "XDG_STATE_HOME": f"{home}/state"} if home else {}
    )
    command = [sys.executable, "-c", _SPENT + program, *words]
    done = subprocess.run(command, env=environment, cwd=home or "/", capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1].split() if done.stderr else []
    if done.returncode or len(last) != 3:
        raise RuntimeError(f"{words}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
    return float(last[0]), float(last[1]), float(last[2])
