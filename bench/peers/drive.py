"""Runs inside a peer's own interpreter: fill its store and ask it everything, or ask one thing.

Only the standard library and the peer are imported here. What was measured goes to a file, because peers print.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from bench.peers.cpu import cpu
from bench.peers.known import peer
from bench.peers.peer import Memory, Peer, Place

_SET_FLAGS, _UP = 0x8914, 1


class Job(NamedTuple):
    documents: list[str]
    queries: list[str]
    limit: int


class Done(NamedTuple):
    version: str
    add_cpu: float
    add_wall: float
    waits: list[float]
    """Seconds of each search by the clock."""
    found: list[list[str]]


def main() -> None:
    """`drive NAME ENVIRONMENT HOME JOB RESULT` for all of it, `drive NAME ENVIRONMENT HOME QUERY` for one answer."""
    name, environment, home, *rest = sys.argv[1:]
    raise_loopback()
    place = Place(Path(environment), Path(sys.executable), Path(home))
    one = peer(name)
    with closing(one.open(place)) as memory:
        if len(rest) == 1:
            memory.search(rest[0], 5)
        else:
            job = Job(*json.loads(Path(rest[0]).read_text("utf-8")))
            done = _measured(memory, job, version_of(one, place))
            Path(rest[1]).write_text(json.dumps(done), "utf-8")


def _measured(memory: Memory, job: Job, version: str) -> Done:
    began, spent = time.perf_counter(), cpu()
    memory.add(job.documents)
    add_wall, add_cpu = time.perf_counter() - began, cpu() - spent
    waits, found = [], []
    for query in job.queries:
        began = time.perf_counter()
        found.append(memory.search(query, job.limit)[: job.limit])
        waits.append(time.perf_counter() - began)
    return Done(version, add_cpu, add_wall, waits, found)


def version_of(one: Peer, place: Place) -> str:
    from importlib.metadata import version  # dear, and one answer does not need it

    needs = one.needs
    if one.version:
        return one.version()
    if needs.npm:
        described = place.environment / "node_modules" / needs.npm[0] / "package.json"
        return str(json.loads(described.read_text("utf-8"))["version"])
    return version(needs.pip[0].partition("[")[0])


def raise_loopback() -> None:
    """A namespace of its own has a loopback that is down; some peers talk to themselves through it."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
