"""A team's server under load: 1,000 members, 101 projects and a history that grows to a million events.

    python -m bench.team [--sizes 10000 100000 1000000] [--json]

The server is a cluster of its own on a real disk, with its own durability, reached by a unix socket without passwords
or TLS. History is what a team writes in two years, in transactions of thirty events, so that a week is the same number
of events at every size. Each size is a database; every round does the same work in each in turn, so that their ratios
hold on a busy machine. Clients run on the same machine; what the server spends is the CPU of its process for the
session that is measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.postgres import Cluster
from psycopg import sql

from bench.figures import Figure, against_target, amount, median, print_figures, quantile
from tacit.postgres import connect, transaction
from tacit.team.schema import migrate

if TYPE_CHECKING:
    from tacit.postgres import Connection

SIZES = (10_000, 100_000, 1_000_000)
MEMBERS, PROJECTS, PROJECTS_OF_A_MEMBER, BATCH = 1000, 100, 3, 30
EVENTS_A_WEEK = 9_600
ROUNDS = 100
_PAGE = 1000
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
            superuser.execute("select tacit.limit_proposals(2147483647)")  # the history is made in one day
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
        yield against_target(f"{name}, {sizes[-1]:,} against {sizes[0]:,} events", value / base, "×", note)


def measure(sizes: Sequence[int]) -> Iterator[Figure]:
    cluster = Cluster(_SETTINGS, folder=_FOLDER)
    try:
        yield from grown([Server(cluster, size) for size in sorted(sizes)])
    finally:
        cluster.remove()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="events (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    return print_figures(measure(given.sizes), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
