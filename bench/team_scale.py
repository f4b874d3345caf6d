"""A team's server at scale, by simulation: 10,000 members, 1,000 projects and 10 million events.

    python -m bench.team_scale [--quick] [--parts PART …] [--json]

The server of bench/team_made.py, on a real disk with its own durability, kept on two cores; clients, and pgbouncer in
front of it, have the others where there are any. What people do is done with the code of Tacit's client, by 1, 8 and 32
people at once for some seconds each: on a connection that is open, and on a new one each time as `tacit sync` does.
CPU is that of all processes of the server. `--quick` is a small form, to see that it works.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from harness.postgres import PORT, Cluster
from psycopg import sql

from bench.crowd import Work, cores, crowd, run_on
from bench.figures import Figure, amount, median, print_figures, quantile
from bench.team_client import joining, paging, wire
from bench.team_made import LARGE_NAME, MIDDLE_NAME, SMALL_NAME, MadeServer, Team, joiner_of, name_of
from bench.team_work import pages_after, person_of, pulling, pushing, reading_pages
from tacit.postgres import connect
from tacit.team.client import open_server
from tacit.team.events import Position

_FOLDER = "/var/tmp"  # a disk
_DAYS_OF_THREE_MONTHS = 60
_PARTITIONS = 10
PARTS = ("likeness", "smaller", "full", "partitions")


class Plan(NamedTuple):
    """The sizes of a run."""

    team: Team
    smaller: int
    grown: int
    seconds: float
    crowds: tuple[int, ...]
    settings: dict[str, str]


_SETTINGS = {"max_connections": "200", "jit": "off", "max_wal_size": "8GB"}
FULL = Plan(Team(10_000_000, 10_000, 1000), 1_000_000, 100_000, 3.0, (1, 8, 32), {**_SETTINGS, "shared_buffers": "2GB"})
QUICK = Plan(Team(20_000, 300, 40), 10_000, 5_000, 0.5, (1, 2), {**_SETTINGS, "shared_buffers": "64MB"})


class Bench:
    """One server with its history, and what is measured on it."""

    def __init__(self, server: MadeServer, plan: Plan) -> None:
        self.server, self.plan, self.label = server, plan, f"{server.team.events:,}"
        self.alone: dict[str, float] = {}
        """CPU of the server, in milliseconds, for what one person does at a time."""

    def url(self, nr: int) -> str:
        return self.server.url(person_of(self.server, nr))

    def project(self, nr: int) -> str:
        """An ordinary project of this person."""
        with self.server.admin() as admin:
            row = admin.execute(
                "select min(m.project) from tacit.membership m where m.member = %s and m.project <> all (%s)",
                [f"member{person_of(self.server, nr)}", [name_of(0), name_of(1)]],
            ).fetchone()
        return str(row[0]) if row and row[0] else name_of(0)

    def figure(self, name: str, work: Work, crowds: tuple[int, ...] = (), unit: str = "") -> Figure:
        """How many a second; first the crowd that got most done."""
        _say(f"{self.label}: {name}")
        pid = self.server.cluster.pid
        runs = [(size, crowd(work, size, self.plan.seconds, pid)) for size in crowds or self.plan.crowds]
        best = max(run.rate for _, run in runs)
        self.alone[re.sub(r", [\d,]+ events", "", name)] = runs[0][1].cpu_each
        details = "; ".join(f"{size} at once: {run}" for size, run in runs)
        return Figure(f"{self.label}: {name}, {unit}a second", f"{amount(best)} ({details})")

    # Operations

    def pulls(self, *, short: bool = False) -> Iterator[Figure]:
        day, months = (days * self.server.team.events_a_day for days in (1, _DAYS_OF_THREE_MONTHS))
        after = {"with nothing new": self.server.position_before(0), "after a day": self.server.position_before(day)}
        if months < self.server.team.events and not short:
            after["after three months"] = self.server.position_before(months)
        for what, position in after.items():
            with open_server(self.url(0)) as server:
                found = pages_after(server, position)
            name = f"pulls {what}" + (f", {found:,} events" if found else "")
            yield self.figure(f"{name}, open connection", pulling(self.url, position, fresh=False))
            if not short and what != "after three months":
                yield self.figure(f"{name}, new connection", pulling(self.url, position, fresh=True))

    def joins(self, *, short: bool = False) -> Iterator[Figure]:
        for project in (SMALL_NAME, MIDDLE_NAME):
            url = self.server.url(joiner_of(project))
            with open_server(url) as server:
                found = pages_after(server, Position())
            work = pulling(lambda _, url=url: url, Position(), fresh=True)  # type: ignore[misc]
            yield self.figure(f"joins of {found:,} events, new connection", work, (1, 8) if short else ())
        url = self.server.url(joiner_of(LARGE_NAME))
        yield self.figure("join of the largest project", reading_pages(lambda _: url), (1, 8), "pages of 1,000 events ")

    def pushes(self, *, short: bool = False) -> Iterator[Figure]:
        projects = {nr: self.project(nr) for nr in range(max(self.plan.crowds))}
        for events in (1, 30):
            name = f"pushes of {events} events".replace(" 1 events", " 1 event")
            for fresh in (False,) if short else (False, True):
                how = "new" if fresh else "open"
                work = pushing(self.url, projects.__getitem__, events, fresh=fresh)
                before = self._written()
                yield self.figure(f"{name}, {how} connection", work)
                if not fresh:
                    wal, pages, inserted = (after - each for after, each in zip(self._written(), before, strict=True))
                    pushes = max(inserted / events, 1)
                    note = f"from a checkpoint on, {pushes:,.0f} of them; {pages / pushes:.2g} whole pages in each"
                    yield Figure(f"{self.label}: WAL of {name}, each", f"{amount(wal / 1e3 / pushes)} kB ({note})")

    def _written(self) -> tuple[float, float, float]:
        """Bytes of WAL, whole pages in it, and events that were numbered, after a checkpoint."""
        time.sleep(1.1)  # until the statistics are there
        with self.server.admin() as admin:
            row = admin.execute(
                "select wal_bytes, wal_fpi, pg_sequence_last_value('tacit.event_seq_seq'::regclass) from pg_stat_wal"
            ).fetchone()
            admin.execute("checkpoint")
        assert row
        wal, pages, events = (float(str(value)) for value in row)
        return wal, pages, events

    def pooled(self) -> Iterator[Figure]:
        """The same through pgbouncer: thousands of people, and a few whose sessions are kept."""
        limit = {"max_db_connections": "40", "max_client_conn": "2000"}
        with self.server.cluster.pooler(limit) as folder:
            now = self.server.position_before(0)

            def through(nr: int) -> str:
                return (
                    f"postgresql://member{person_of(self.server, nr)}@/{self.server.database}?host={folder}&port={PORT}"
                )

            turns = count()
            many = pulling(lambda nr: through(nr * 7919 + next(turns) * 31), now, fresh=True)
            few = pulling(through, now, fresh=True)
            yield self.figure("pulls with nothing new through pgbouncer, everybody in turn", many)
            yield self.figure("pulls with nothing new through pgbouncer, the same people", few)

    # What an administrator does

    def sizes(self) -> Iterator[Figure]:
        with self.server.admin() as admin:
            rows = admin.execute(
                "select case c.relkind when 'r' then 'table' else regexp_replace(c.relname, '_[0-9]+', '') end,"
                " sum(pg_relation_size(c.oid))"
                " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                " where n.nspname = 'tacit' and c.relname ~ '^event' and c.relkind in ('r', 'i') group by 1 order by 1"
            ).fetchall()
        events = self.server.team.events
        total = sum(float(str(size)) for _, size in rows)
        each = ", ".join(f"{name} {float(str(size)) / events:.0f}" for name, size in rows)
        yield Figure(
            f"{self.label}: bytes of an event on disk", f"{total / events:.0f} ({each}; {total / 1e9:.2g} GB in all)"
        )

    def upkeep(self, *, relation: str = "tacit.event") -> Iterator[Figure]:
        """Vacuum, an index more, and a dump, with everything on the server's cores."""
        server, label = self.server, self.label
        with server.admin() as admin:
            for what, option in (("vacuum", "auto"), ("vacuum that reads the indexes", "on")):
                statement = sql.SQL(f"vacuum (index_cleanup {option}) {relation}")
                yield _timed(f"{label}: {what}", lambda statement=statement: admin.execute(statement))  # type: ignore[misc]
            create = sql.SQL(f"create index made_later on {relation} (project, author)")
            yield _timed(f"{label}: one index more", lambda: admin.execute(create))
            admin.execute("drop index tacit.made_later")
        with tempfile.TemporaryDirectory(dir=_FOLDER) as folder:
            os.chmod(folder, 0o777)
            path = f"{folder}/dump"
            words = ["-Fc", "-Z1", "-t", relation] if relation != "tacit.event" else ["-Fc", "-Z1"]

            def dump() -> None:
                server.cluster.run("pg_dump", *words, "-d", server.database, "-f", path)

            with _on_the_servers_cores():
                figure = _timed(f"{label}: pg_dump", dump)
            size = Path(path).stat().st_size
            yield figure
            yield Figure(f"{label}: size of the dump", f"{size / 1e6:.0f} MB (compressed with -Z1)")

    def restored(self) -> Figure:
        with tempfile.TemporaryDirectory(dir=_FOLDER) as folder:
            os.chmod(folder, 0o777)
            path, name = f"{folder}/dump", f"{self.server.database}_back"
            self.server.cluster.run("pg_dump", "-Fc", "-Z1", "-d", self.server.database, "-f", path)
            self.server.cluster.create_database(name=name)
            with _on_the_servers_cores():
                figure = _timed(
                    f"{self.label}: pg_restore with 2 jobs",
                    lambda: self.server.cluster.run("pg_restore", "-j", "2", "-d", name, path),
                )
            self.server.cluster.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))
        return figure

    def purges(self) -> Iterator[Figure]:
        """How long inserts wait for purges."""
        projects = {nr: self.project(nr) for nr in range(max(self.plan.crowds))}
        work = pushing(self.url, projects.__getitem__, 1, fresh=False)
        people = min(8, max(self.plan.crowds))
        pid = self.server.cluster.pid
        with self.server.admin() as admin:
            rows = admin.execute(
                "select id::text from tacit.event where project = %s and kind = 'proposed'"
                " order by xid desc, seq desc limit 1000",
                [name_of(0)],
            ).fetchall()
        purger, over = connect(self.server.url(0)), threading.Event()
        spent: list[float] = []

        def purge() -> None:
            for (event,) in rows:
                if over.wait(0.1):
                    return
                start = time.perf_counter()
                with purger.transaction():
                    purger.execute("select tacit.purge(%s::uuid, 'a test')", [event])
                spent.append(1000 * (time.perf_counter() - start))

        alone = crowd(work, people, self.plan.seconds, pid)
        thread = threading.Thread(target=purge)
        thread.start()
        beside = crowd(work, people, self.plan.seconds, pid)
        over.set()
        thread.join()
        purger.close()
        yield Figure(
            f"{self.label}: a purge while {people} push",
            f"{amount(median(spent))} ms (p95 {amount(quantile(spent, 0.95))} ms, {len(spent)} purges;"
            f" pushes meanwhile {beside}, longest {amount(max(beside.milliseconds))} ms;"
            f" without purges {alone}, longest {amount(max(alone.milliseconds))} ms)",
        )


def _timed(name: str, act: Callable[[], object]) -> Figure:
    _say(name)
    start = time.perf_counter()
    act()
    return Figure(name, f"{amount(time.perf_counter() - start)} s")


@contextmanager
def _on_the_servers_cores() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores().server)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


# Whether a made table behaves as a grown one


def likeness(made: MadeServer, grown: MadeServer, plan: Plan) -> Iterator[Figure]:
    """The same history, made and grown: what a pull reads of it, and how large it is."""
    yield from Bench(made, plan).sizes()
    yield from (Figure(f"{one.name}, grown", one.measured) for one in Bench(grown, plan).sizes())
    asked: dict[str, Callable[[MadeServer], Position]] = {
        "a pull with nothing new": lambda server: server.position_before(0),
        "a pull of a day": lambda server: server.position_before(server.team.events_a_day),
        "a page of 1,000 from the beginning": lambda _: Position(),
    }
    for name, position_of in asked.items():
        found = [_explained(server, position_of(server)) for server in (made, grown)]
        texts = [f"{amount(time)} ms, {buffers} pages, {rows:.0f} events" for time, buffers, rows, _ in found]
        plans = "the same plan" if found[0][3] == found[1][3] else f"plans {found[0][3]} and {found[1][3]}"
        measured = f"{found[0][1] / max(found[1][1], 1):.2f} × (made: {texts[0]}; grown: {texts[1]}; {plans})"
        yield Figure(f"pages of {name}, made against grown, {made.team.events:,} events", measured)


def _explained(server: MadeServer, after: Position) -> tuple[float, int, float, str]:
    """The least time of five and its buffers, and the nodes of the plan of the statement inside."""
    call = "explain (analyze, buffers, format json) select * from tacit.events_after(%s::text::xid8, %s, 1000)"
    inner = (
        "explain (format json) select e.* from unnest(tacit.readable_projects()) p (name), lateral ("
        " select * from tacit.event e where e.project = p.name and (e.xid, e.seq) > (%s::text::xid8, %s)"
        " and e.xid < pg_snapshot_xmin(pg_current_snapshot()) order by e.xid, e.seq limit 1000) e"
        " order by e.xid, e.seq limit 1000"
    )
    values = (str(after.xid), after.seq)
    best: tuple[float, int, float] = (1e9, 0, 0)
    with closing(connect(server.url(person_of(server, 3)))) as connection:
        for _ in range(5):
            row = connection.execute(call, values).fetchone()
            assert row
            plan = row[0][0]["Plan"]  # type: ignore[index]
            time = plan["Actual Total Time"]
            best = min(best, (time, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], plan["Actual Rows"]))
    with server.admin() as admin:
        row = admin.execute(sql.SQL(inner), values).fetchone()
        assert row
        nodes: list[str] = []
        _nodes(row[0][0]["Plan"], nodes)  # type: ignore[index]
    return *best, " > ".join(nodes)


def _nodes(plan: dict[str, Any], found: list[str]) -> None:
    found.append(f"{plan['Node Type']} {plan.get('Index Name', '')}".strip())
    for below in plan.get("Plans", []):
        _nodes(below, found)


# All of it


def measure(plan: Plan, parts: Sequence[str] = PARTS) -> Iterator[Figure]:
    everywhere, workers = frozenset(os.sched_getaffinity(0)), max(len(cores().others), 2)
    cluster = Cluster(plan.settings, folder=_FOLDER)

    def filled(team: Team, name: str, *, partitions: int = 0, for_homes: bool = False) -> MadeServer:
        _say(f"filling {name}")
        run_on(cluster.pid, everywhere)
        server = MadeServer(cluster, team, name, partitions=partitions)
        server.fill(workers, for_homes=for_homes)
        run_on(cluster.pid, cores().server)
        return server

    try:
        os.sched_setaffinity(0, cores().others)
        if "likeness" in parts:
            small = plan.team._replace(events=plan.grown)
            yield from likeness(filled(small, "made"), grown(cluster, small, workers), plan)
        of: dict[int, Bench] = {}
        for part, events, figures in (("smaller", plan.smaller, smaller), ("full", plan.team.events, full)):
            if part in parts:
                server = filled(plan.team._replace(events=events), part, for_homes=part == "smaller")
                of[events] = Bench(server, plan)
                yield from figures(of[events])
        if len(of) > 1:
            yield from against(*of.values())
        if "partitions" in parts:
            yield from partitioned(Bench(filled(plan.team, "parted", partitions=_PARTITIONS), plan))
    finally:
        cluster.remove()


def smaller(bench: Bench) -> Iterator[Figure]:
    """What the full size is compared with, and what only a smaller one is asked for."""
    yield from bench.sizes()
    yield from bench.pulls(short=True)
    yield from bench.joins(short=True)
    yield from bench.pushes(short=True)
    yield from bench.purges()
    yield from bench.upkeep()
    yield bench.restored()
    for project in (SMALL_NAME, MIDDLE_NAME, LARGE_NAME):
        yield joining(bench.server, project)


def full(bench: Bench) -> Iterator[Figure]:
    yield from bench.sizes()
    yield from bench.pulls()
    yield from bench.joins()
    yield from bench.pooled()
    yield wire(bench.server, bench.project(0))
    yield from bench.pushes()
    yield from bench.purges()
    yield from bench.upkeep()
    yield paging(bench.server, LARGE_NAME)


def against(smaller: Bench, full: Bench) -> Iterator[Figure]:
    for name in (name for name in smaller.alone if name in full.alone):
        base, value = smaller.alone[name], full.alone[name]
        note = f"{amount(value)} ms against {amount(base)} ms"
        yield Figure(f"{name}, CPU with {full.label} against {smaller.label} events", f"{value / base:.2f} × ({note})")


def grown(cluster: Cluster, team: Team, workers: int) -> MadeServer:
    _say("growing")
    server = MadeServer(cluster, team, "grown")
    server.grow(workers)
    return server


def partitioned(bench: Bench) -> Iterator[Figure]:
    """The same history in ranges of transaction ids, the last of which is one that does not change any more."""
    bench.label += f" in {_PARTITIONS} partitions"
    yield from bench.sizes()
    yield from bench.pulls(short=True)
    yield from bench.joins(short=True)
    yield from bench.pushes(short=True)
    yield from bench.purges()
    bench.label += ", one of them"
    yield from bench.upkeep(relation=f"tacit.event_{_PARTITIONS - 2}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.team_scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small form, to see that it works")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="of it (default: all)")
    given = parser.parse_args()
    figures = measure(QUICK if given.quick else FULL, given.parts)
    if given.json:  # each as soon as it is measured
        return max(print_figures([figure], as_json=True) for figure in figures)
    return print_figures(figures, as_json=False)


if __name__ == "__main__":
    sys.exit(main())
