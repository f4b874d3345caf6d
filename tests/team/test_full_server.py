"""A server whose disk is full: what is to be sent waits, nothing is half written, and all of it arrives once there is
room."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from harness.postgres import Cluster

from tests.chaos.apart import apart, filled, namespace
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate

_SIZE = 160 << 20
_ROOM = 48 << 10
_MOST = 40  # pushes until it must be full
MAY_MOUNT = pytest.mark.skipif(
    not namespace() or os.geteuid() != 0, reason="nobody may mount a file system for another account here"
)


class Told(NamedTuple):
    """What a member shared, what the server has before and after there is room, and what was said meanwhile."""

    shared: list[str]
    before: list[str]
    after: list[str]
    said: str
    left: int


def _on_small_disk(plan: tuple[str, str]) -> Told:
    folder, what = Path(plan[0]), plan[1]
    disk = Path("/mnt")  # of this name space; another account must be able to reach it
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SIZE},mode=0755", "tmpfs", str(disk)], check=True)
    cluster = Cluster({"max_wal_size": "32MB", "min_wal_size": "32MB", "wal_recycle": "off"}, folder=str(disk))
    try:
        return _story(cluster, disk, folder, what)
    finally:
        cluster.remove()


def _story(cluster: Cluster, disk: Path, folder: Path, what: str) -> Told:
    server = TeamServer(cluster)
    server.add("alice", PROJECT)
    alice = Teammate(folder / "alice", "alice", server)
    alice.join()
    shared: list[str] = []
    said = ""
    ballast = filled(disk, _ROOM)
    while "queued" not in said and len(shared) < _MOST:
        if what == "the write-ahead log" and len(shared) == 2:
            _begin_another_file(cluster)
        sentence = f"rule number {len(shared)} takes up room " + "and says no more than that " * 60
        shared.append(sentence.strip())
        said = alice.here("share", alice.add(sentence)).out
    before = _stored(cluster, server) if what == "tables" else []
    ballast.unlink()
    cluster.stop()
    cluster.start()
    before = before or _stored(cluster, server)
    alice.sync()
    queued = alice.here("team", "--json").json["queued"]
    return Told(shared, before, _stored(cluster, server), said, len(queued))


def _begin_another_file(cluster: Cluster) -> None:
    """Begin another file of the write-ahead log; there is no room for one, and the server ends."""
    with suppress(psycopg.Error), cluster.connect() as admin:
        admin.execute("select pg_switch_wal()")
        admin.execute("create temporary table more as select generate_series(1, 100000)")


def _stored(cluster: Cluster, server: TeamServer) -> list[str]:
    with cluster.connect(server.database) as admin:
        rows = admin.execute("select body->>'sentence' from tacit.event order by seq")
        return [str(text) for (text,) in rows]


@MAY_MOUNT
@pytest.mark.parametrize("what", ["tables", "the write-ahead log"])
def test_what_a_full_disk_does_not_take_waits_and_arrives(tmp_path: Path, what: str) -> None:
    found = apart(_on_small_disk, (str(tmp_path), what), within=namespace())
    # A server that has no room for its log ends, unless a table needed room first.
    told = ["has no room left"] if what == "tables" else ["cannot be reached", "has no room left"]
    assert any(words in found.said for words in told) and "queued: tacit sync sends it" in found.said
    assert found.before == found.shared[: len(found.before)] and len(found.before) < len(found.shared)
    assert found.after == found.shared and found.left == 0
