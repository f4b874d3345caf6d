"""A team's server under load: 1,000 members, 101 projects and a history that grows to a million events.

    python -m bench.team [--sizes 10000 100000 1000000] [--connections 10000] [--json]

The server is a cluster of its own on a real disk, with its own durability, reached by a unix socket without passwords
or TLS. History is what a team writes in two years, in transactions of thirty events, so that a week is the same number
of events at every size. Each size is a database; every round does the same work in each in turn, so that their ratios
hold on a busy machine. Clients run on the same machine; what the server spends is its own CPU, of the session that is
measured or of all its processes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from harness.postgres import Cluster
from psycopg import sql

from bench.figures import Figure, amount, at_most, encoded, median, quantile, table
from tacit.postgres import connect, transaction
from tacit.team.schema import migrate

if TYPE_CHECKING:
    from tacit.postgres import Connection

SIZES = (10_000, 100_000, 1_000_000)
GROWTH = 1.5  # how much more a pull may cost at the largest history than at the smallest
CONNECTIONS, DIRECT_CONNECTIONS = 10_000, 2_000
MEMBERS, PROJECTS, PROJECTS_OF_A_MEMBER, BATCH = 1000, 100, 3, 30
EVENTS_A_WEEK = 9_600
ROUNDS = 100
_PAGE = 1000
_WORKERS, _POOL = 4, 40
_FOLDER = "/var/tmp"  # a disk
_SETTINGS = {"shared_buffers": "128MB", "max_connections": "100"}
_EVERYBODYS = "github.com/acme/handbook"
# One transaction for each batch, with the transaction ids that it had if members had pushed it.
_LOAD = """
do $$
declare
  project text;
  words constant text[] := array['build', 'deploy', 'review', 'test', 'release', 'cache', 'queue', 'schema', 'index'];
begin
  for batch in {first}..{last} loop
    project := case when batch % 50 = 0 then '{everybodys}' else 'github.com/acme/p' || batch % {projects} end;
    insert into tacit.event (id, project, author, kind, memory, body)
      select gen_random_uuid(), project, 'member' || (batch * 31 + n) % {members},
        case n % 3 when 0 then 'accepted' else 'proposed' end,
        lpad(to_hex(batch), 6, '0') || lpad(to_hex(n / 3), 6, '0'),
        case n % 3 when 0 then '{{}}'::jsonb else jsonb_build_object(
          'sentence', 'Run the ' || words[1 + (batch + n) % 9] || ' step before the ' || words[1 + (batch * n) % 9] ||
            ' step, because number ' || batch || ' depends on what it has written.',
          'kind', 'rule', 'tags', jsonb_build_array(words[1 + n % 9], words[1 + batch % 9])) end
      from generate_series(1, {batch_size}) n;
    commit;
  end loop;
end $$
"""
_INSERT = "INSERT INTO tacit.event (id, project, kind, memory, body) VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
_PULL = "SELECT xid::text, seq, id, project, author, at, kind, memory, body FROM tacit.events_after(%s::xid8, %s, %s)"


class Cost:
    """What rounds of one operation took: milliseconds by the clock and of the server's CPU, and events."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self.events: list[int] = []

    def __str__(self) -> str:
        return f"p50 {amount(quantile(self.wall, 0.5))} ms, p99 {amount(quantile(self.wall, 0.99))} ms by the clock"


class Server:
    """A database with the schema, members and history."""

    def __init__(self, cluster: Cluster, events: int) -> None:
        self.cluster = cluster
        self.events = events
        self.database = cluster.create_database(name=f"acme{events}")
        with connect(cluster.url(self.database)) as admin:
            migrate(admin)
        with cluster.connect(self.database) as superuser:
            superuser.execute(sql.SQL(_CREATE_MEMBERS))
        self._load()
        self.week = self._position_a_week_ago()

    def _load(self) -> None:
        with self.cluster.connect(self.database) as admin:
            admin.execute("set synchronous_commit = off")
            admin.execute("alter table tacit.event disable trigger stamp_event")
            text = _LOAD.format(
                first=1,
                last=self.events // BATCH,
                everybodys=_EVERYBODYS,
                projects=PROJECTS,
                members=MEMBERS,
                batch_size=BATCH,
            )
            admin.execute(sql.SQL(text))
            admin.execute("alter table tacit.event enable trigger stamp_event")
            admin.execute("vacuum analyze tacit.event")
            admin.execute("checkpoint")

    def _position_a_week_ago(self) -> tuple[str, int]:
        with self.cluster.connect(self.database) as admin:
            row = admin.execute(
                "select xid::text, seq from tacit.event order by seq desc offset %s limit 1", [EVENTS_A_WEEK]
            ).fetchone()
        return (str(row[0]), int(str(row[1]))) if row else ("0", 0)

    def position_now(self) -> tuple[str, int]:
        with self.cluster.connect(self.database) as admin:
            row = admin.execute("select pg_snapshot_xmin(pg_current_snapshot())::text").fetchone()
        assert row
        return str(row[0]), 0

    def connect(self, member: int) -> Connection:
        return connect(self.cluster.url(self.database, f"member{member}"))

    def size(self) -> tuple[int, int]:
        """Bytes of the table and of its indexes."""
        with self.cluster.connect(self.database) as admin:
            row = admin.execute("select pg_table_size('tacit.event'), pg_indexes_size('tacit.event')").fetchone()
        assert row
        return int(str(row[0])), int(str(row[1]))

    def wal_position(self) -> int:
        with self.cluster.connect(self.database) as admin:
            row = admin.execute("select pg_current_wal_insert_lsn() - '0/0'").fetchone()
        assert row
        return int(str(row[0]))

    def cpu(self) -> float:
        """Seconds of CPU that all processes of the server have used, those that ended included."""
        return cpu_with_children(self.cluster.pid)


_CREATE_MEMBERS = f"""
do $$
begin
  for n in 0..{MEMBERS - 1} loop
    if to_regrole('member' || n) is null then
      execute format('create role %I login', 'member' || n);
    end if;
    perform tacit.grant_role(('member' || n)::name, n % 10 = 0);
    for m in 0..{PROJECTS_OF_A_MEMBER - 1} loop
      perform tacit.add_member('github.com/acme/p' || (n + 37 * m) % {PROJECTS}, ('member' || n)::name);
    end loop;
    perform tacit.add_member('{_EVERYBODYS}', ('member' || n)::name);
  end loop;
end $$
"""


def cpu_with_children(pid: int) -> float:
    """Seconds of CPU of a process, of its children that ended, and of those that run."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended
                continue
            if int(folder.name) == pid:
                total += sum(map(int, fields[11:15])) / ticks
            elif int(fields[1]) == pid:
                total += sum(map(int, fields[11:13])) / ticks
    return total


def cpu_of_session(connection: Connection) -> float:
    """Seconds of CPU of the server's process for this connection, to the microsecond."""
    nanoseconds = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9


# One person at work


def pull(connection: Connection, after: tuple[str, int]) -> int:
    """Pull everything after a position, page by page, and return the number of events."""
    rows = 0
    with transaction(connection) as cursor:
        while True:
            page = cursor.execute(_PULL, (*after, _PAGE)).fetchall()
            rows += len(page)
            if len(page) < _PAGE:
                return rows
            after = str(page[-1][0]), int(str(page[-1][1]))


def push(connection: Connection, member: int) -> int:
    """Insert a day's events in one transaction."""
    project = f"github.com/acme/p{member % PROJECTS}"
    body = {"sentence": "Run the build step before the deploy step: it writes what the other one reads."}
    body |= {"kind": "rule", "tags": ["build"]}  # type: ignore[dict-item]
    memories = (uuid.uuid4().hex[:12] for _ in range(BATCH))
    rows = [(uuid.uuid4(), project, "proposed", memory, json.dumps(body)) for memory in memories]
    with transaction(connection) as cursor:
        cursor.executemany(_INSERT, rows)
    return len(rows)


def cost_of(server: Server, member: int, work: Callable[[Connection], int], cost: Cost) -> None:
    """Do the work once as a member, in a session that is open already."""
    with server.connect(member) as connection:
        with transaction(connection) as cursor:  # the first use of the schema in a session reads its catalog
            cursor.execute("SELECT FROM tacit.my_projects()")
        before, start = cpu_of_session(connection), time.perf_counter()
        cost.events.append(work(connection))
        cost.wall.append((time.perf_counter() - start) * 1000)
        cost.cpu.append((cpu_of_session(connection) - before) * 1000)


def rounds(servers: list[Server]) -> dict[tuple[int, str], Cost]:
    """Each operation on each server in turn, by different members."""
    found: dict[tuple[int, str], Cost] = {}
    for turn in range(ROUNDS):
        member = turn * 7 % MEMBERS
        for server in servers if turn % 2 else servers[::-1]:
            now = server.position_now()
            works: dict[str, Callable[[Connection], int]] = {
                "pull with nothing new": lambda connection: pull(connection, now),  # noqa: B023 (at once)
                "pull after a week": lambda connection: pull(connection, server.week),  # noqa: B023
                f"push of {BATCH} events": lambda connection: push(connection, member),  # noqa: B023
            }
            for name, work in works.items():
                cost_of(server, member, work, found.setdefault((server.events, name), Cost()))
    return found


def grown(servers: list[Server]) -> Iterator[Figure]:
    """What a person waits for, and what it costs the server, as history grows."""
    found = rounds(servers)
    for (size, name), cost in sorted(found.items(), key=lambda item: item[0][0]):
        events = f", {median(cost.events):.0f} events" if "week" in name else ""
        yield Figure(f"{size:,}: {name}, CPU of the server", f"{amount(median(cost.cpu))} ms ({cost}{events})")
    sizes = sorted(server.events for server in servers)
    for name in dict.fromkeys(name for _, name in found) if len(sizes) > 1 else ():
        base, value = (median(found[size, name].cpu) for size in (sizes[0], sizes[-1]))
        note = f"{amount(value)} ms against {amount(base)} ms"
        yield at_most(f"{name}, {sizes[-1]:,} against {sizes[0]:,} events", value / base, GROWTH, " ×", note)


def stored(server: Server) -> Iterator[Figure]:
    """What an event takes on disk, and what a push writes ahead."""
    of_table, of_indexes = server.size()
    note = f"{of_table >> 20} MB of table, {of_indexes >> 20} MB of indexes"
    each = (of_table + of_indexes) / server.events
    yield Figure(f"{server.events:,}: bytes on disk for each event", f"{each:.0f} ({note})")
    before = server.wal_position()
    with server.connect(1) as connection:
        for _ in range(20):
            push(connection, 1)
    written = (server.wal_position() - before) / 20
    yield Figure(f"WAL of a push of {BATCH} events", f"{written / 1024:.0f} kB")


# Many people at once


def short_connections(urls: list[str], position: tuple[str, int]) -> list[float]:
    """Connect, ask whether there is something new, and go; once for each URL. Returns milliseconds."""
    took = []
    for url in urls:
        start = time.perf_counter()
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
            connection.execute(_PULL, (*position, 1)).fetchall()
        took.append((time.perf_counter() - start) * 1000)
    return took


def crowd(server: Server, host: Path, number: int, people: int) -> tuple[list[float], float, float]:
    """Return milliseconds of each connection, seconds of all, and seconds of the server's CPU."""
    url = server.cluster.url(server.database, "{}").replace(str(server.cluster.folder), str(host))
    urls = [url.format(f"member{turn % people}") for turn in range(number)]
    position = server.position_now()
    with multiprocessing.Pool(_WORKERS) as pool:
        cpu, start = server.cpu(), time.perf_counter()
        parts = pool.starmap(short_connections, [(urls[each::_WORKERS], position) for each in range(_WORKERS)])
        seconds = time.perf_counter() - start
    return [value for part in parts for value in part], seconds, server.cpu() - cpu


def connections(server: Server, number: int) -> Iterator[Figure]:
    """Short connections through pgbouncer, by everybody and by few, beside direct ones."""
    direct = min(number, DIRECT_CONNECTIONS)
    found = {f"{direct:,} short connections, direct": (direct, *crowd(server, server.cluster.folder, direct, MEMBERS))}
    pool = {"max_db_connections": str(_POOL), "default_pool_size": "2", "max_client_conn": "5000"}
    for people in (MEMBERS, 20):
        with server.cluster.pooler(pool) as folder:
            name = f"{number:,} short connections through pgbouncer, {people:,} people"
            found[name] = (number, *crowd(server, folder, number, people))
    for name, (total, took, seconds, cpu) in found.items():
        p50, p99 = (amount(quantile(took, share)) for share in (0.5, 0.99))
        each = f"p50 {p50} ms, p99 {p99} ms by the clock; {total / seconds:.0f} a second"
        yield Figure(f"{name}: CPU of the server for each", f"{amount(cpu / total * 1000)} ms ({each})")


def measure(sizes: tuple[int, ...], number: int) -> Iterator[Figure]:
    cluster = Cluster(_SETTINGS, folder=_FOLDER)
    try:
        servers = [Server(cluster, size) for size in sizes]
        yield from stored(servers[-1])
        yield from grown(servers)
        yield from connections(servers[-1], number)
    finally:
        cluster.remove()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="events (default: %(default)s)")
    parser.add_argument("--connections", type=int, default=CONNECTIONS, help="short connections (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    missed = False
    figures = []
    for figure in measure(tuple(sorted(given.sizes)), given.connections):
        missed = missed or figure.ok is False
        figures.append(figure)
        if given.json:
            print(encoded(figure), flush=True)
    if not given.json:
        print("\n".join(table(figures)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
