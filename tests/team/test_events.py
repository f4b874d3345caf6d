"""What members and curators do on the server: propose, withdraw, decide, pull and purge."""

from __future__ import annotations

import threading
import time

import psycopg
import pytest

from tests.support.postgres import PROJECT, SENTENCE, TeamServer

A, B = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


@pytest.fixture
def server(team_server: TeamServer) -> TeamServer:
    team_server.add("alice", PROJECT)
    team_server.add("bob", PROJECT, curator=True)
    team_server.add("dave", PROJECT)
    team_server.add("carol", "github.com/acme/other")
    return team_server


def test_members_of_a_project_read_what_one_of_them_proposed(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("bob") as bob, server.session("carol") as carol:
        server.propose(alice, A)
        (event,) = server.pull(bob)
        assert (event.author, event.kind, event.memory, event.project) == ("alice", "proposed", A, PROJECT)
        assert event.body == {"sentence": SENTENCE, "kind": "rule", "tags": []}
        assert server.pull(alice) == [event]
        assert server.pull(carol) == []


def test_my_projects_says_where_one_is_a_curator(server: TeamServer) -> None:
    for name, expected in {
        "alice": [(PROJECT, False)],
        "bob": [(PROJECT, True)],
        "carol": [("github.com/acme/other", False)],
    }.items():
        with server.session(name) as connection:
            assert connection.execute("select * from tacit.my_projects()").fetchall() == expected
            assert connection.execute("select tacit.version()").fetchall() == [(1,)]


def test_an_event_that_is_sent_twice_is_there_once(server: TeamServer) -> None:
    with server.session("alice") as alice:
        event = server.propose(alice, A)
        statement = (
            "insert into tacit.event (id, project, kind, memory, body) values (%s, %s, 'proposed', %s, %s)"
            " on conflict do nothing"
        )
        done = alice.execute(statement, [event, PROJECT, A, '{"sentence": "x", "kind": "rule", "tags": []}'])
        assert done.rowcount == 0
        assert [row.body for row in server.pull(alice)] == [{"sentence": SENTENCE, "kind": "rule", "tags": []}]


@pytest.mark.parametrize("kind", ["accepted", "declined", "retired"])
def test_only_a_curator_of_the_project_decides(server: TeamServer, kind: str) -> None:
    server.add("erin", "github.com/acme/other", curator=True)
    with server.session("alice") as alice, server.session("bob") as bob, server.session("erin") as erin:
        server.propose(alice, A)
        for stranger in (alice, erin):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                server.insert(stranger, kind, A)
        server.insert(bob, kind, A)
        assert [(row.kind, row.author) for row in server.pull(alice)] == [("proposed", "alice"), (kind, "bob")]


def test_a_proposal_is_withdrawn_only_by_who_made_it(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("bob") as bob, server.session("dave") as dave:
        server.propose(alice, A)
        for other in (bob, dave):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                server.insert(other, "withdrawn", A)
        server.insert(alice, "withdrawn", A)
        assert [row.kind for row in server.pull(dave)] == ["proposed", "withdrawn"]


@pytest.mark.parametrize(
    ("kind", "memory", "body"),
    [
        ("proposed", A, None),
        ("proposed", A, {}),
        ("proposed", A, {"sentence": "", "kind": "rule", "tags": []}),
        ("proposed", A, {"sentence": "x" * 4001, "kind": "rule", "tags": []}),
        ("proposed", A, {"sentence": 7, "kind": "rule", "tags": []}),
        ("proposed", A, {"sentence": "x", "tags": []}),
        ("proposed", A, {"sentence": "x", "kind": "rule", "tags": ["t"] * 51}),
        ("proposed", A, {"sentence": "x", "kind": "rule", "tags": [], "evidence": "x" * 17000}),
        ("proposed", A, ["a list"]),
        ("proposed", "short", {"sentence": "x", "kind": "rule", "tags": []}),
        ("proposed", f"{A}; drop", {"sentence": "x", "kind": "rule", "tags": []}),
        ("purged", A, {"reason": "not by the function"}),
        ("forgotten", A, {}),
    ],
)
def test_what_is_no_event_is_refused(server: TeamServer, kind: str, memory: str, body: object) -> None:
    with server.session("bob") as bob:
        with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.InsufficientPrivilege)):
            server.insert(bob, kind, memory, PROJECT, body)
        assert server.pull(bob) == []


def test_a_removed_member_sees_nothing_from_that_moment_on(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session(server.admin) as admin:
        server.propose(alice, A)
        admin.execute("select tacit.remove_member(%s, 'alice')", [PROJECT])
        assert server.pull(alice) == []
        assert alice.execute("select * from tacit.my_projects()").fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            server.propose(alice, B)
        admin.execute("select tacit.add_member(%s, 'alice')", [PROJECT])
        assert len(server.pull(alice)) == 1


def test_who_lost_the_role_sees_nothing_although_a_project_still_lists_them(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session(server.admin) as admin:
        server.propose(alice, A)
        admin.execute("select tacit.revoke_role('alice', false)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            server.pull(alice)


# Pulling


def test_pages_of_a_pull_join_without_a_gap_or_a_repetition(server: TeamServer) -> None:
    server.add("alice", "github.com/acme/second", "github.com/acme/third")
    with server.session("alice") as alice:
        projects = [PROJECT, "github.com/acme/second", "github.com/acme/third"]
        ids = [server.propose(alice, f"{number:012d}", projects[number % 3]) for number in range(20)]
        pulled, position = [], ("0", 0)
        while page := server.pull(alice, position, most=3):
            pulled += [row.id for row in page]
            position = page[-1].position
        assert pulled == ids


def test_a_late_commit_is_not_missed(server: TeamServer) -> None:
    """An earlier transaction that commits later would lie behind the position of who pulled in between."""
    with server.session("alice") as slow, server.session("dave") as quick, server.session("bob") as bob:
        slow.execute("begin")
        first = server.propose(slow, A)
        second = server.propose(quick, B)
        assert server.pull(bob) == []  # the second one is committed, but an earlier one is under way
        slow.execute("commit")
        assert [row.id for row in server.pull(bob)] == [first, second]


def test_random_commits_and_pulls_lose_nothing(server: TeamServer) -> None:
    """Eight writers commit transactions of a few events in any order while a reader pulls page by page."""
    done, sent = threading.Event(), []

    def write(writer: int) -> None:
        with server.session("alice") as connection:
            for number in range(12):
                with connection.transaction():
                    for part in range(1 + (writer + number) % 3):
                        sent.append(server.propose(connection, f"{writer:04d}{number:04d}{part:04d}"))

    def read(pulled: list[str]) -> None:
        position = ("0", 0)
        with server.session("bob") as connection:
            while True:
                was_done = done.is_set()
                page = server.pull(connection, position, most=5)
                pulled += [row.id for row in page]
                position = page[-1].position if page else position
                if was_done and not page:
                    return

    pulled: list[str] = []
    reader = threading.Thread(target=read, args=(pulled,))
    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert len(pulled) == len(set(pulled)) == len(sent)
    assert set(pulled) == set(sent)


# Purging


def test_a_purge_removes_all_texts_of_the_memory_and_leaves_a_tombstone(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("bob") as bob, server.session("dave") as dave:
        event = server.propose(alice, A)
        server.propose(dave, A, sentence="Use pnpm never npm")
        other = server.propose(alice, B)
        server.insert(bob, "accepted", A, body={"note": "agreed: pnpm"})
        alice.execute("select tacit.purge(%s, 'a customer is named')", [event])
        rows = server.pull(bob)
        assert [(row.kind, row.author, row.body) for row in rows if row.memory == A] == [
            ("proposed", "alice", None),
            ("proposed", "dave", None),
            ("accepted", "bob", None),
            ("purged", "alice", {"reason": "a customer is named"}),
        ]
        assert [row.body is not None for row in rows if row.id == other] == [True]


def test_a_purge_of_what_was_purged_changes_nothing(server: TeamServer) -> None:
    with server.session("bob") as bob:
        event = server.propose(bob, A)
        first = bob.execute("select tacit.purge(%s, 'once')", [event]).fetchone()
        assert bob.execute("select tacit.purge(%s, 'twice')", [event]).fetchone() == first
        assert [row.kind for row in server.pull(bob)] == ["proposed", "purged"]


def test_what_was_purged_is_not_brought_back_by_who_has_not_heard_of_it(server: TeamServer) -> None:
    with server.session("bob") as bob, server.session("dave") as dave:
        bob.execute("select tacit.purge(%s, '')", [server.propose(bob, A)])
        server.propose(dave, A)
        server.insert(bob, "accepted", A, body={"sentence": SENTENCE})
        assert [(row.kind, row.body) for row in server.pull(dave)] == [("proposed", None), ("purged", {"reason": ""})]


def test_an_insert_under_way_does_not_survive_a_purge(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("bob") as bob, server.session("dave") as dave:
        event = server.propose(bob, A)
        dave.execute("begin")
        server.propose(dave, A)
        purge = threading.Thread(target=bob.execute, args=("select tacit.purge(%s, '')", [event]))
        purge.start()
        _wait_for_a_lock(server)
        late = threading.Thread(target=server.propose, args=(alice, A))
        late.start()
        dave.execute("commit")
        purge.join()
        late.join()
        assert [(row.kind, row.author, row.body is None) for row in server.pull(alice)] == [
            ("proposed", "bob", True),
            ("proposed", "dave", True),
            ("purged", "bob", False),
        ]


def _wait_for_a_lock(server: TeamServer) -> None:
    with server.session(server.admin) as admin:
        for _ in range(3000):
            if admin.execute("select from pg_stat_activity where wait_event_type = 'Lock'").fetchall():
                return
            time.sleep(0.01)
    pytest.fail("nobody waits for a lock")


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_an_old_snapshot_that_cannot_see_a_purge_inserts_and_purges_nothing(server: TeamServer, level: str) -> None:
    with server.session("bob") as bob:
        event = server.propose(bob, A)
        for statement in ("select tacit.purge(%s, '')", "insert into tacit.event (id) values (%s)"):
            bob.isolation_level = psycopg.IsolationLevel[level.upper().replace(" ", "_")]
            with pytest.raises(psycopg.errors.InvalidTransactionState), bob.transaction():
                bob.execute(statement, [event])


def test_who_only_repeats_a_proposal_cannot_purge_it(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("dave") as dave, server.session("carol") as carol:
        event = server.propose(alice, A)
        again = server.propose(dave, A)
        for target in (event, again):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="who proposed this memory first"):
                dave.execute("select tacit.purge(%s, '')", [target])
            with pytest.raises(psycopg.errors.NoDataFound):
                carol.execute("select tacit.purge(%s, '')", [target])
        assert [row.body is not None for row in server.pull(alice)] == [True, True]


# Restoring


def test_after_a_restore_positions_of_clients_stay_valid(server: TeamServer) -> None:
    """In a new cluster transaction ids start again; clients have positions that are far beyond them."""
    with server.session("alice") as alice, server.session("postgres") as admin:
        server.propose(alice, A)
        # As a restore from a cluster that has seen more transactions leaves it.
        admin.execute("alter table tacit.event disable trigger keep_events")
        admin.execute("update tacit.event set xid = (xid::text::bigint + 5000000)::text::xid8")
        admin.execute("alter table tacit.event enable trigger keep_events")
        position = (str(admin.execute("select max(xid::text::bigint) from tacit.event").fetchall()[0][0]), 1)
        for work in (lambda: server.propose(alice, B), lambda: server.pull(alice)):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="restored from a backup"):
                work()
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="restored from a backup"):
            server.pull(alice, position)
        admin.execute("select tacit.restored()")
        new = server.propose(alice, B)
        assert [row.id for row in server.pull(alice, position)] == [new]
        assert len(server.pull(alice)) == 2
