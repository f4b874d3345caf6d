"""What the server tells who runs it and its clients: limits, transactions that hold others up, numbers, and who did
what."""

from __future__ import annotations

import time

import psycopg
import pytest
from harness.postgres import SUPERUSER

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree

RULE = "never run the full build twice in a row"


def words(text: str) -> str:
    return " ".join(text.split())


def limit(server: TeamServer, a_day: int) -> None:
    with server.session(SUPERUSER) as admin:
        admin.execute("select tacit.limit_proposals(%s)", [a_day])


def test_more_proposals_than_a_day_may_have_wait_and_keep_nothing_else_back(alice: Teammate, bob: Teammate) -> None:
    limit(alice.server, 3)
    own = bob.share("ship on tuesdays")
    alice.server.cluster.stop(immediately=False)
    claims = [alice.add(f"own rule number {number}") for number in range(5)]
    alice.here("share", *claims)
    bob.accept(own)
    alice.server.cluster.start()
    said = words(alice.sync(code=1).out)
    assert "3 sent" in said and "not taken: proposal" in said and "not taken for the same reason: proposal" in said
    assert "may propose 3 memories a day" in said and "is kept here, and sent later" in said
    assert "2 events wait to be sent" in alice.here("team").out
    assert "1 sent" in words(bob.sync().out)  # deciding has no limit
    alice.sync(code=1)
    limit(alice.server, 5)
    assert "2 sent" in words(alice.sync().out)
    assert len(bob.here("team", "review", "--json").json) == 5


def test_yesterdays_proposals_do_not_count_today(team_server: TeamServer) -> None:
    team_server.add("alice", PROJECT)
    limit(team_server, 1)
    with team_server.session("alice") as alice, team_server.session(SUPERUSER) as admin:
        team_server.propose(alice, "aaaaaaaaaaaa")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            team_server.propose(alice, "bbbbbbbbbbbb")
        admin.execute("update tacit.activity set day = day - 1")
        team_server.propose(alice, "bbbbbbbbbbbb")


def test_withdrawals_are_no_way_around_the_limit(team_server: TeamServer) -> None:
    """Whatever is inserted reaches every member of the project."""
    team_server.add("alice", PROJECT)
    limit(team_server, 1)
    with team_server.session("alice") as alice:
        team_server.propose(alice, "aaaaaaaaaaaa")
        withdraw = (
            "insert into tacit.event (id, project, kind, memory)"
            " select gen_random_uuid(), %s, 'withdrawn', 'aaaaaaaaaaaa' from generate_series(1, %s)"
        )
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="nothing that you proposed waits there"):
            alice.execute(withdraw, [PROJECT, 2])
        alice.execute(withdraw, [PROJECT, 1])
        assert [row.kind for row in team_server.pull(alice)] == ["proposed", "withdrawn"]


def test_nobody_delays_a_decision_by_an_open_transaction(team_server: TeamServer) -> None:
    for name in ("alice", "bob"):
        team_server.add(name, PROJECT, curator=name == "bob")
    with team_server.session("alice") as alice, team_server.session("bob") as bob:
        team_server.propose(alice, "aaaaaaaaaaaa")
        alice.execute("begin")
        team_server.propose(alice, "aaaaaaaaaaaa")
        bob.execute("set lock_timeout = '1s'")
        team_server.insert(bob, "declined", "aaaaaaaaaaaa")
        alice.execute("rollback")
        assert [row.kind for row in team_server.pull(bob)] == ["proposed", "declined"]


def test_a_transaction_of_somebody_else_that_holds_events_back_is_named(
    alice: Teammate, bob: Teammate, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree(alice, bob, RULE)
    with alice.server.session(SUPERUSER) as other:
        other.execute("set application_name = 'nightly report'; begin; select pg_current_xact_id()")
        bob.share("ship on tuesdays")
        assert "cannot be read since" not in alice.sync().out  # it may end in a moment
        monkeypatch.setattr("tacit.team.exchange._HELD_SECONDS", 1)
        time.sleep(1.2)
        said = words(alice.sync().out)
        assert "1 event of your projects cannot be read since" in said
        assert f"(pid {other.info.backend_pid} of postgres, nightly report); nothing is lost." in said
        assert "select * from tacit.horizon" in said
        with alice.server.session(SUPERUSER) as admin:
            first = admin.execute("select pid, role, application, extract(epoch from age) > 1 from tacit.horizon")
            assert first.fetchone() == (other.info.backend_pid, "postgres", "nightly report", True)
        other.execute("rollback")
    assert "cannot be read since" not in alice.sync().out


def test_the_queue_counts_by_project_and_member(team_server: TeamServer) -> None:
    team_server.add("alice", PROJECT)
    team_server.add("bob", PROJECT, curator=True)
    columns = "member, events, waiting, proposals_today, dropped, refused"
    with team_server.session("alice") as alice, team_server.session("bob") as bob:
        first = team_server.propose(alice, "aaaaaaaaaaaa")
        second = team_server.propose(alice, "bbbbbbbbbbbb")
        team_server.propose(alice, "cccccccccccc")
        team_server.insert(bob, "accepted", "aaaaaaaaaaaa", body={"proposal": first})
        team_server.insert(bob, "accepted", "bbbbbbbbbbbb", body={"proposal": first})  # other words than were proposed
        with team_server.session(SUPERUSER) as admin:
            shown = f"select {columns} from tacit.queue order by member"
            assert admin.execute(shown).fetchall() == [("alice", 3, 2, 3, 0, 0), ("bob", 2, 0, 0, 0, 0)]
            alice.execute("select tacit.purge(%s, '')", [second])
            team_server.propose(alice, "bbbbbbbbbbbb")
            team_server.insert(alice, "withdrawn", "cccccccccccc")
            alice.execute("select tacit.report_refused(%s, 2)", [PROJECT])
            assert admin.execute(shown).fetchall()[0] == ("alice", 5, 0, 3, 1, 2)
            ((events, projects, members, waiting, table, index),) = admin.execute("select * from tacit.size")
            assert (events, projects, members, waiting) == (7, 1, 2, 0)
            assert table > 0 and index > 0  # type: ignore[operator]


def test_a_client_reports_what_was_refused(alice: Teammate, bob: Teammate) -> None:
    agree(alice, bob, RULE)
    bob.here("team", "retire", bob.listed("--scope", "all")[0]["id"])
    claim = alice.share("ship on tuesdays")
    bob.sync()
    with alice.server.session(SUPERUSER) as admin:
        admin.execute("select tacit.grant_role('bob', false), tacit.revoke_role('bob', true)")
        bob.here("team", "accept", claim, code=1)
        refused = admin.execute("select member, refused > 0 from tacit.queue where refused > 0").fetchall()
    assert refused == [("bob", True)]


def test_who_decided_what_is_on_record(alice: Teammate, bob: Teammate) -> None:
    claim = agree(alice, bob, RULE)
    bob.here("team", "retire", claim, "--reason", "we cache it now")
    alice.server.add("dave", PROJECT)
    with alice.server.session(SUPERUSER) as admin, alice.server.session("bob") as curator:
        admin.execute("select tacit.remove_member(%s, 'dave')", [PROJECT])
        admin.execute("select tacit.revoke_role('dave', false)")
        told = curator.execute("select by, change, memory, member, reason from tacit.changes(100)").fetchall()
        assert told == [
            ("postgres", "removed", None, "dave", None),
            ("postgres", "added", None, "dave", None),
            ("bob", "retired", claim, None, "we cache it now"),
            ("bob", "accepted", claim, None, None),
            ("postgres", "added", None, "bob", None),
            ("postgres", "added", None, "alice", None),
        ]
        shown = bob.here("team", "log", "--json").json
        assert {"actor": "bob", "action": "retired", "memory": claim}.items() <= shown[2].items()
        assert f"bob retired [{claim[:6]}] in {PROJECT}: we cache it now" in words(bob.here("team", "log").out)
        assert "only a curator may read who decided what" in alice.here("team", "log", code=1).err
        roles = "select by, change, member from tacit.membership_change where project is null order by number"
        assert admin.execute(roles).fetchall() == [
            ("postgres", "made member", "alice"),
            ("postgres", "made curator", "bob"),
            ("postgres", "made member", "dave"),
            ("postgres", "no member", "dave"),
        ]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            admin.execute("set role {}".format(f'"{alice.server.group("owner")}"'))
            admin.execute("delete from tacit.membership_change")
