"""A team's server of any size, made by a script: members, projects and a history, for `bench.team_scale`.

Everybody reads two projects, a fifth of the members a third one, which has a tenth of all events; the others have 5 to
50 members and share the rest, few of them most of it. Two more hold 100 and 10,000 events at every size. A transaction
is a push of ten events by one member of the project: six proposals, then decisions on four of them. A working day is
the same number of events at every size.

Rows are written in bulk with the numbers that they had if members had pushed them: triggers are off, indexes are made
afterwards, and as many transaction ids are used up as the rows name. The same history can be grown as people would do
it instead, row by row through triggers and policies, to see whether a made table behaves as a grown one.
"""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from harness.postgres import Cluster, Connection
from psycopg import sql

from tacit.postgres import connect
from tacit.team.events import Position, proposal_claim
from tacit.team.schema import MIGRATIONS, migrate

PUSH = 10
SLOTS = 10_000
SMALL, MIDDLE = 100, 10_000
SMALL_NAME, MIDDLE_NAME, LARGE_NAME = (f"github.com/acme/{name}" for name in ("small", "middle", "monorepo"))
_JOINED = [SMALL_NAME, MIDDLE_NAME, LARGE_NAME]
_CHUNK, _MAX_CHARS = 50_000, 1000
_VACUUM = "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0"
_NAMED = ("handbook", "news", "monorepo", "middle", "small")
_EVERYBODYS = 2
# How full the pages of indexes are that grow row by row, in percent; ids come in the order of time.
_FILL, _FILL_OF_KEY = 58, 70
# Of 10,000 pushes, those of the first three projects.
_SHARES = (150, 75, 1000)


class Team(NamedTuple):
    events: int
    members: int
    projects: int

    @property
    def events_a_day(self) -> int:
        """Two for each member."""
        return 2 * self.members

    @property
    def seats(self) -> tuple[int, ...]:
        """Members of each project."""
        ordinary = (5 + nr * 37 % 46 for nr in range(self.projects - len(_NAMED)))
        return (self.members, self.members, self.members // 5, 300, 50, *ordinary)

    @property
    def slots(self) -> list[int]:
        """The project of each of so many pushes."""
        found = [project for project, share in enumerate(_SHARES) for _ in range(share)]
        ordinary = range(len(_NAMED), self.projects)
        weights = [1 / (20 + nr - len(_NAMED)) for nr in ordinary]
        rest, before = SLOTS - len(found), 0.0
        for nr, weight in zip(ordinary, weights, strict=True):
            after = before + rest * weight / sum(weights)
            found += [nr] * (round(after) - round(before))
            before = after
        return found


def name_of(project: int) -> str:
    return f"github.com/acme/{_NAMED[project] if project < len(_NAMED) else f'p{project}'}"


def joiner_of(project: str) -> str:
    """Who is a member of this project only."""
    return f"joiner_{project.rpartition('/')[2]}"


# Numbers that stand for chance are the same for the same push. `of` is the proposal that an event is about.
_ROWS = """
select n, ((%(base)s + n / 10)::text)::xid8 xid, made.id(n) id, p.name project, 'member' || s.member author,
  timestamptz '2024-01-01' + n * interval '4 seconds' as at,
  case when n = of then 'proposed' when n %% 10 < 9 then 'accepted' else 'declined' end kind,
  coalesce((select c.memory from made.claim c where c.n = of), substr(md5(of::text), 1, 12)) memory,
  case when n = of then made.body(n) when n %% 10 < 9 then jsonb_build_object('proposal', made.id(of)) end body
from generate_series(%(first)s::bigint, %(last)s::bigint) n
cross join lateral (select hashint8(n / 10) & 2147483647 push, n / 10 * 10 + n %% 10 %% 6 of) r
join made.slot on slot.nr = case
  when n / 10 %% %(small)s = 7 then -2 when n / 10 %% %(middle)s = 3 then -1 else push %% 10000 end
join made.project p on p.nr = slot.project
join made.seat s on s.project = p.nr and s.nr = (push / 10000) %% p.seats
"""
_SCHEMA = """
create schema made;
create table made.project (nr int primary key, name text, seats int);
create table made.slot (nr int primary key, project int);
create table made.seat (project int, nr int, member int, primary key (project, nr));
create table made.claim (n bigint primary key, memory text);
create function made.id(n bigint) returns uuid language sql immutable as $$
  select (lpad(to_hex(1700000000000 + n * 100), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
    substr(md5(n::text), 4, 15))::uuid
$$;
create function made.body(n bigint) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'sentence', 'Run step ' || n || ' of the ' || words[1 + n % 9] || ' before that of the ' ||
      words[1 + (n * 7) % 9] || ', because it depends on what the other one has written.',
    'kind', 'rule', 'tags', jsonb_build_array(words[1 + n % 7], words[1 + n / 10 % 9]))
  from (select array['build', 'deploy', 'review', 'test', 'release', 'cache', 'queue', 'schema', 'index'] words) w
$$;
grant usage on schema made to public;
"""
_MAKE = "insert into tacit.event (seq, xid, id, project, author, at, kind, memory, body) overriding system value"
_GROW = "insert into tacit.event (id, project, kind, memory, body) values (%s, %s, %s, %s, %s::jsonb)"
_MAKE_IDS = "insert into tacit.event_id select made.id(n) from generate_series(%(first)s::bigint, %(last)s::bigint) n"
_USE_UP = """
do $$ begin for i in 1..{count} loop perform pg_current_xact_id(); commit; end loop; end $$
"""


class MadeServer:
    """A database with the schema and members; `fill` or `grow` gives it a history."""

    def __init__(self, cluster: Cluster, team: Team, name: str, *, partitions: int = 0) -> None:
        self.cluster, self.team, self.partitions = cluster, team, partitions
        self.database = cluster.create_database(name=name)
        with _migrations(partitions) as folder, connect(cluster.url(self.database)) as admin:
            migrate(admin, 1 if partitions else None, folder=folder)
        with self.admin() as admin:
            if not partitions:
                admin.execute("select tacit.limit_proposals(2147483647)")  # a day of these people is a second long
            self.base = _number(admin, "select pg_current_xact_id()::text")
            self._add_members(admin)

    def admin(self) -> Connection:
        return self.cluster.connect(self.database)

    def url(self, member: int | str) -> str:
        return self.cluster.url(self.database, f"member{member}" if isinstance(member, int) else member)

    def _add_members(self, admin: Connection) -> None:
        admin.execute(sql.SQL(_SCHEMA))
        with admin.cursor() as cursor:
            with cursor.copy("copy made.project from stdin") as copy:
                for nr, seats in enumerate(self.team.seats):
                    copy.write_row((nr, name_of(nr), seats))
            with cursor.copy("copy made.slot from stdin") as copy:
                for slot in (*enumerate(self.team.slots), (-1, _NAMED.index("middle")), (-2, _NAMED.index("small"))):
                    copy.write_row(slot)
            with cursor.copy("copy made.seat from stdin") as copy:
                next_member = 0
                for project, seats in enumerate(self.team.seats):
                    for nr in range(seats):
                        member = nr if project <= _EVERYBODYS else (next_member + nr) * 7919 % self.team.members
                        copy.write_row((project, nr, member))
                    next_member += seats if project > _EVERYBODYS else 0
        admin.execute("grant select on all tables in schema made to public")
        admin.execute("analyze made.project, made.slot, made.seat")
        with admin.transaction():
            for person in [*(f"member{nr}" for nr in range(self.team.members)), *map(joiner_of, _JOINED)]:
                _add_role(admin, person)
            admin.execute(
                "insert into tacit.membership (project, member)"
                " select p.name, 'member' || s.member from made.seat s join made.project p on p.nr = s.project"
                " on conflict do nothing"
            )
            for name in _JOINED:
                row = name, joiner_of(name)
                admin.execute("insert into tacit.membership (project, member) values (%s, %s)", row)
        admin.execute("analyze tacit.membership")

    def _values(self, first: int, last: int) -> dict[str, int]:
        pushes = self.team.events // PUSH
        small, middle = (max(pushes // (size // PUSH), 10) for size in (SMALL, MIDDLE))
        return {"base": self.base, "first": first, "last": last, "small": small, "middle": middle}

    def fill(self, workers: int, *, for_homes: bool = False) -> None:
        """Write the history in bulk; for homes with ids of memories that they believe, which takes longer."""
        if for_homes:
            self._name_claims(workers)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(self._use_up, [self.team.events // PUSH // workers + 1] * workers))
        with self.admin() as admin:
            admin.execute("set synchronous_commit = off")
            definitions = self._without_indexes(admin)
            chunks = [(first, first + _CHUNK - 1) for first in range(0, self.team.events, _CHUNK)]
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(self._fill, chunks))
            admin.execute("set maintenance_work_mem = '1GB'")
            admin.execute(sql.SQL(f"set max_parallel_maintenance_workers = {workers}"))
            for definition in definitions:
                admin.execute(sql.SQL(definition))
            admin.execute("select setval('tacit.event_seq_seq', %s)", [self.team.events])
        self.settle()

    def _name_claims(self, workers: int) -> None:
        """Give the memories of the projects that a home joins the ids that a home computes."""
        query = f"select n, project, body ->> 'sentence', body -> 'tags' from ({_ROWS}) r where kind = 'proposed' and"
        values = self._values(0, self.team.events - 1)
        with self.admin() as admin:
            rows = admin.execute(f"{query} project = any (%(joined)s)", {**values, "joined": _JOINED}).fetchall()
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                named = pool.map(_named, rows, chunksize=1000)
            with admin.cursor() as cursor, cursor.copy("copy made.claim from stdin") as copy:
                for row in named:
                    copy.write_row(row)
            admin.execute("analyze made.claim")

    def _use_up(self, numbers: int) -> None:
        with self.admin() as admin:
            admin.execute("set synchronous_commit = off")
            admin.execute(sql.SQL(_USE_UP.format(count=numbers)))

    def _fill(self, chunk: tuple[int, int]) -> None:
        first, last = chunk[0], min(chunk[1], self.team.events - 1)
        with self.admin() as admin:
            admin.execute("set synchronous_commit = off")
            admin.execute("set session_replication_role = replica")  # no triggers
            values = self._values(first, last)
            if self.partitions:  # what the trigger does
                admin.execute(sql.SQL(_MAKE_IDS), values)
            admin.execute(f"{_MAKE} {_ROWS} order by n", values)

    def _without_indexes(self, admin: Connection) -> list[str]:
        """Drop the indexes, make the partitions, and return the statements that make the indexes again."""
        query = (
            "select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index"
            " where indrelid = 'tacit.event'::regclass and not indisprimary"
        )
        rows = [(str(name), str(text)) for name, text in admin.execute(query)]
        for name, _ in rows:
            admin.execute(sql.SQL(f"drop index {name}"))
        definitions = [f"{text.replace(' ON ONLY ', ' ON ')} with (fillfactor = {_FILL})" for _, text in rows]
        if not self.partitions:
            admin.execute("alter table tacit.event drop constraint event_pkey")
            key = f"primary key (id) with (fillfactor = {_FILL_OF_KEY})"
            definitions.append(f"alter table tacit.event add constraint event_pkey {key}")
        span = self.team.events // PUSH // max(self.partitions, 1)
        for nr in range(self.partitions):
            low = "minvalue" if nr == 0 else f"'{self.base + nr * span}'"
            high = "maxvalue" if nr == self.partitions - 1 else f"'{self.base + (nr + 1) * span}'"
            name = f"tacit.event_{nr}"
            values = f"for values from ({low}) to ({high})"
            admin.execute(sql.SQL(f"create table {name} partition of tacit.event {values}"))
            admin.execute(sql.SQL(f"alter table {name} set ({_VACUUM})"))
        return definitions

    def grow(self, workers: int) -> None:
        """Let the members push the same history, one transaction after another."""
        pushes = range(self.team.events // PUSH)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(self._grow, (pushes[nr::workers] for nr in range(workers))))
        self.settle()

    def _grow(self, pushes: range) -> None:
        with self.admin() as admin:
            admin.execute("set synchronous_commit = off")
            for push in pushes:
                values = self._values(push * PUSH, push * PUSH + PUSH - 1)
                query = f"select author, id, project, kind, memory, body::text from ({_ROWS}) r order by n"
                found = admin.execute(query, values).fetchall()
                with admin.transaction():
                    admin.execute(
                        sql.SQL("set local session authorization {}").format(sql.Identifier(str(found[0][0])))
                    )
                    with admin.cursor() as cursor:
                        cursor.executemany(_GROW, [row[1:] for row in found])

    def settle(self) -> None:
        with self.admin() as admin:
            admin.execute("vacuum analyze tacit.event")
            admin.execute("checkpoint")

    def position_before(self, events: int) -> Position:
        """Where somebody stands who has read all but the last so many events; with 0 who has read everything."""
        with self.admin() as admin:
            if not events:
                return Position(_number(admin, "select pg_snapshot_xmin(pg_current_snapshot())::text"), 0)
            query = "select xid::text, seq from tacit.event where seq = %s"
            row = admin.execute(query, [self.team.events - events]).fetchone()
        return Position(int(str(row[0])), int(str(row[1]))) if row else Position()


def _add_role(admin: Connection, name: str) -> None:
    if admin.execute("select to_regrole(%s)", [name]).fetchone() == (None,):
        admin.execute(sql.SQL("create role {} login").format(sql.Identifier(name)))
    admin.execute("select tacit.grant_role(%s::name, true)", [name])


def _named(row: tuple[object, ...]) -> tuple[object, str]:
    n, project, sentence, tags = row
    return n, proposal_claim(str(project), str(sentence), "rule", tags, _MAX_CHARS).id


def _number(admin: Connection, query: str) -> int:
    row = admin.execute(sql.SQL(query)).fetchone()
    assert row
    return int(str(row[0]))


# The step of ADR 67 that is tried here and nowhere else: the table in ranges of transaction ids.
_PARTITIONED = (
    ("id uuid primary key,", "id uuid not null,"),
    (
        ");\n-- One range of this index",
        ") partition by range (xid);\n"
        "create table tacit.event_id (id uuid primary key);\n"
        "create index event_by_id on tacit.event (id);\n-- One range of this index",
    ),
    (f"alter table tacit.event set ({_VACUUM});", ""),
    # A transaction id that is compared by itself, so that partitions before it are left out.
    ("p.name and (e.xid, e.seq) > ", "p.name and e.xid >= after_xid and (e.xid, e.seq) > "),
    (
        "  -- One statement, so that both sides",
        "  insert into tacit.event_id (id) values (new.id) on conflict do nothing;\n"
        "  if not found then\n    return null;\n  end if;\n  -- One statement, so that both sides",
    ),
)  # fmt: skip


@contextmanager
def _migrations(partitions: int) -> Iterator[str]:
    if not partitions:
        yield MIGRATIONS
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in Path(MIGRATIONS).glob("0001_*"):
            shutil.copy(path, folder)
        (path,) = Path(folder).glob("*.up.sql")
        text = path.read_text("utf-8")
        for before, after in _PARTITIONED:
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        path.write_text(text, "utf-8")
        yield folder
