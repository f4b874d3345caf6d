"""A server that is down, slow or restarted, and processes that are killed: nothing waits for it and nothing is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.postgres import Cluster

from tacit.team.store import Outgoing, OutgoingVerb
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, memory_id

RULE = "never run the full build twice in a row"
OTHER = "use pnpm for packages"
Pair = tuple[Teammate, Teammate]


@pytest.fixture
def own_server() -> Iterator[Cluster]:
    """A cluster that a test may stop."""
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def own_team(own_server: Cluster, tmp_path: Path) -> Pair:
    server = TeamServer(own_server)
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    alice, bob = (Teammate(tmp_path / name, name, server) for name in ("alice", "bob"))
    alice.join()
    bob.join()
    return alice, bob


def test_without_the_server_everything_else_works_and_what_is_shared_waits(own_server: Cluster, own_team: Pair) -> None:
    alice, bob = own_team
    shared = alice.share(OTHER)
    bob.sync()
    own_server.stop(immediately=False)
    claim = alice.add(RULE)
    said = alice.here("share", claim).out
    assert "queued: tacit sync sends it" in said and "cannot be reached" in said
    assert "1 event waits to be sent" in alice.here("team").out
    assert "1 to send: tacit sync" in alice.here("status").out
    assert alice.here("status", "--json").json["team"]["queued_count"] == 1
    assert "1 wait to be sent" in alice.here("doctor").out
    assert "cannot be reached" in alice.sync(code=1).out
    alice.long_term.write_text(alice.long_term.read_text().replace(RULE, f"{RULE} again"))
    assert "Took in" in alice.here("sync", "--yes", code=1).out  # hand edits do not wait for it
    assert "1 decision queued" in bob.accept(shared).out
    assert OTHER in alice.here("brief").out
    own_server.start()
    assert "1 sent" in alice.sync().out
    assert "1 came, 0 taken back, 1 sent" in bob.sync().out
    assert RULE in bob.here("team", "review").out
    assert "waits to be sent" not in alice.here("team").out
    assert alice.here("status", "--json").json["team"]["problem"] is None


def test_a_queued_proposal_can_be_taken_back_without_the_server(own_server: Cluster, own_team: Pair) -> None:
    alice, bob = own_team
    own_server.stop(immediately=False)
    claim = alice.share(RULE)
    assert RULE in alice.here("share", "--withdraw", claim).out
    assert alice.here("team", "--json").json["queued"] == []
    own_server.start()
    alice.sync()
    assert "Nothing waits" in bob.here("team", "review").out


def test_a_server_that_hangs_is_given_up(own_server: Cluster, own_team: Pair) -> None:
    alice, _ = own_team
    os.kill(own_server.pid, signal.SIGSTOP)
    try:
        assert "cannot be reached" in alice.sync(code=1).out
    finally:
        os.kill(own_server.pid, signal.SIGCONT)


def test_a_kill_before_the_position_is_written_reads_the_same_again_and_adds_nothing_twice(
    alice: Teammate, bob: Teammate
) -> None:
    claims = [alice.share(text) for text in (RULE, OTHER)]
    bob.sync()
    state = bob.home / ".tacit" / "team" / "team.json"
    before = state.read_bytes()
    bob.accept(*claims)
    lines = bob.events.read_bytes()
    state.write_bytes(before)  # as if it had been killed after the log and before the position
    bob.sync()
    assert bob.events.read_bytes() == lines
    bob.here("team", "retire", claims[0])
    lines = bob.events.read_bytes()
    state.write_bytes(before)
    bob.sync()
    assert bob.events.read_bytes() == lines
    assert bob.memories().keys() == {OTHER}


def test_kills_in_the_middle_of_a_sync_lose_nothing(alice: Teammate, bob: Teammate) -> None:
    texts = [f"rule number {number} of the team" for number in range(6)]
    claims = [alice.share(text) for text in texts]
    bob.sync()
    bob.accept(*claims)
    own = [alice.add(f"own rule number {number}") for number in range(4)]
    alice.server.cluster.stop(immediately=False)
    alice.here("share", *own)
    alice.server.cluster.start()
    for milliseconds in range(150, 750, 100):
        process = alice.start("sync", cwd=alice.clone)
        time.sleep(milliseconds / 1000)
        process.kill()
        process.communicate()
    alice.sync()
    team = alice.here("team", "--json").json
    assert team["queued"] == [] and len(team["team_memories"]) == 10
    additions = [line for line in alice.events.read_bytes().splitlines() if b'"actor":"team:alice"' in line]
    assert len(additions) == len(texts)
    bob.sync()
    assert len(bob.here("team", "review", "--json").json) == len(own)


def test_a_page_of_events_after_the_other_is_read(
    alice: Teammate, bob: Teammate, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [alice.share(f"rule number {number}") for number in range(5)]
    monkeypatch.setattr("tacit.team.client.PAGE_ROWS", 2)
    bob.sync()
    bob.accept(*claims)
    alice.sync()
    assert len(alice.here("team", "--json").json["team_memories"]) == 5


def test_what_the_server_refuses_keeps_nothing_else_back_and_is_reported(own_server: Cluster, own_team: Pair) -> None:
    alice, bob = own_team
    web = "github.com/acme/web"
    alice.server.add("alice", web)
    alice.join()
    other = alice.repository("web", f"https://{web}.git")
    alice.tacit("add", OTHER, "--private", cwd=other)
    claim = alice.add(RULE)
    own_server.stop(immediately=False)
    alice.tacit("share", memory_id(OTHER, web), cwd=other)
    alice.here("share", claim)
    own_server.start()
    with alice.server.session(alice.server.admin) as admin:
        admin.execute("select tacit.remove_member(%s, 'alice')", [web])
    said = alice.sync(code=1).out
    assert f"not taken: proposal [{memory_id(OTHER, web)[:6]}] {OTHER}" in said and "1 sent" in said
    assert RULE in bob.here("team", "review").out
    assert "1 event waits to be sent" in alice.here("team").out
    alice.here("share", "--withdraw", memory_id(OTHER, web))
    assert "0 sent" in alice.sync().out


def test_what_has_not_come_back_yet_is_withdrawn_or_purged_on_the_server(alice: Teammate, bob: Teammate) -> None:
    with alice.server.session(alice.server.admin) as older, older.transaction():
        older.execute("select pg_current_xact_id()")  # what is newer than this transaction is not returned yet
        withdrawn, purged = alice.share(RULE), alice.share(OTHER)
        assert len(alice.here("team", "--json").json["queued"]) == 2
        alice.here("share", "--withdraw", withdrawn)
        alice.here("purge", purged, "--yes")
        alice.sync()
    alice.sync()
    assert alice.here("team", "--json").json["queued"] == []
    assert "Nothing waits" in bob.here("team", "review").out
    assert OTHER.encode() not in alice.server.cluster.run("pg_dump", alice.server.database)


def test_withdrawing_and_purging_what_never_arrived_is_done(alice: Teammate) -> None:
    with alice.vault(alice.clone) as vault:
        team = vault.exchange.team
        for number, verb in enumerate((OutgoingVerb.WITHDRAWN, OutgoingVerb.PURGE)):
            event = f"0190a000-0000-7000-8000-00000000000{number}"
            team.files.queue(Outgoing(verb, PROJECT, memory_id(RULE), event, target=event))
    assert "2 sent" in alice.sync().out
    assert alice.here("team", "--json").json["queued"] == []


def test_a_pooler_in_transaction_mode_may_stand_between(postgres: Cluster, tmp_path: Path) -> None:
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    alice, bob = (Teammate(tmp_path / name, name, server) for name in ("alice", "bob"))
    with postgres.pooler() as folder:
        for person in (alice, bob):
            url = person.url.replace(str(postgres.folder), str(folder))
            person.tacit("team", "join", url, "--yes", cwd=person.clone)
        claim = alice.share(RULE)
        bob.sync()
        bob.accept(claim)
        alice.sync()
    assert bob.memories()[RULE]["author"] == "alice, accepted by bob"
    assert alice.here("team", "--json").json["team_memories"][0]["accepted_by"] == "bob"
