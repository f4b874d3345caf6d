"""The story of a team, told by real commands, several homes and a real server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness.person import tree

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree, memory_id

RULE = "never run the full build twice in a row"
OTHER = "use pnpm for packages"
WHY = "we lost a day to this"


def server_events(server: TeamServer) -> list[tuple[object, ...]]:
    with server.session(server.admin) as connection:
        return connection.execute("select kind, author::text, body from tacit.event order by seq").fetchall()


def test_joining_says_what_one_is_and_what_would_come_and_sends_nothing(
    tmp_path: Path, alice: Teammate, bob: Teammate
) -> None:
    agree(alice, bob, RULE)
    before = server_events(alice.server)
    alice.server.add("dave", PROJECT, "github.com/acme/web")
    dave = Teammate(tmp_path / "dave", "dave", alice.server)
    asked = dave.tacit("team", "join", dave.url).out
    assert "github.com/acme/api  member" in asked and "github.com/acme/web  member" in asked
    assert RULE in asked and "alice, accepted by bob" in asked and "Nothing was changed" in asked
    assert dave.memories() == {} and not (dave.home / ".tacit" / "team").exists()
    dave.join()
    assert dave.memories()[RULE]["author"] == "alice, accepted by bob"
    assert server_events(alice.server) == before


def test_what_a_curator_accepts_holds_for_everybody_with_its_author(alice: Teammate, bob: Teammate) -> None:
    claim = alice.share(RULE, "--evidence", WHY)
    card = bob.here("team", "review").out
    assert RULE in card and "proposed by alice" in card and WHY in card
    assert RULE not in bob.memories()
    assert "Accepted for everyone" in bob.accept(claim[:4]).out
    assert (bob.memories()[RULE]["status"], bob.memories()[RULE]["author"]) == ("active", "alice, accepted by bob")
    for words in (("list",), ("show", claim), ("recall", "full build"), ("brief",)):
        assert "from the team: alice, accepted by bob" in bob.here(*words).out
    why = bob.here("why", claim).out
    assert "team:alice: memory.added (team)" in why and "accepted by bob" in why and WHY in why
    assert "yours; the team accepted it" in alice.sync().out
    assert alice.memories()[RULE]["author"] == ""


def test_a_memory_is_private_until_it_is_shared_and_then_only_its_sentence_leaves_the_home(alice: Teammate) -> None:
    alice.add("the staging password rotates on mondays", "--evidence", "planted-evidence")
    claim = alice.add(RULE, "--tag", "speed", "--evidence", f"seen in {alice.clone}/planted-path.log")
    alice.here("log", "--task", "planted-task", "--summary", "planted-summary")
    alice.sync()
    assert server_events(alice.server) == []
    alice.here("share", claim)
    body = {"sentence": RULE, "kind": "constraint", "tags": ["speed"]}
    assert server_events(alice.server) == [("proposed", "alice", body)]
    dump = alice.server.cluster.run("pg_dump", alice.server.database)
    assert RULE.encode() in dump
    for planted in (b"planted", b"staging", str(alice.folder).encode(), b"user_direct"):
        assert planted not in dump


def test_a_declined_proposal_stays_its_authors_own(alice: Teammate, bob: Teammate) -> None:
    claim = alice.share(RULE)
    bob.sync()
    bob.here("team", "decline", claim, "--reason", "too slow anyway")
    said = alice.sync().out
    assert "declined by bob (too slow anyway)" in said and "stays yours" in said
    assert RULE in alice.memories() and RULE not in bob.memories()
    assert "Nothing waits" in bob.here("team", "review").out


def test_a_proposal_is_withdrawn_before_it_is_accepted_and_belongs_to_the_team_afterwards(
    alice: Teammate, bob: Teammate
) -> None:
    first, second = alice.share(RULE), alice.share(OTHER)
    alice.here("share", "--withdraw", first)
    assert "1 of 1" in bob.here("team", "review").out
    bob.accept(second)
    alice.sync()
    refused = alice.here("unshare", second, code=1).err
    assert "accepted by bob" in refused and f"tacit team retire {second}" in refused
    assert bob.memories().keys() == {OTHER}


def test_what_is_retired_is_taken_back_from_everybody_and_can_be_accepted_again(
    alice: Teammate, bob: Teammate, tmp_path: Path
) -> None:
    alice.server.add("dave", PROJECT)
    dave = Teammate(tmp_path / "dave", "dave", alice.server)
    claim = agree(alice, bob, RULE)
    alice.sync()
    dave.join()
    bob.here("team", "retire", claim, "--reason", "we cache it now")
    assert "taken back by bob (we cache it now)" in dave.sync().out
    assert "it stays yours" in alice.sync().out
    assert RULE not in dave.memories() and RULE not in bob.memories() and RULE in alice.memories()
    alice.here("share", claim)
    bob.sync()
    bob.accept(claim)
    dave.sync()
    assert dave.memories()[RULE]["strength"] == 1


def test_a_person_overrules_the_team_for_themselves(alice: Teammate, bob: Teammate) -> None:
    forgotten, reworded, undone = (alice.share(text) for text in (RULE, OTHER, "keep functions short"))
    bob.sync()
    bob.accept(forgotten, reworded)
    bob.accept(undone)
    bob.here("forget", forgotten, "--reason", "not for me")
    bob.here("edit", reworded, "--text", "use yarn for packages")
    bob.here("undo", undone)
    mine = {"use yarn for packages"}
    assert bob.memories().keys() == mine
    bob.sync()
    assert bob.memories().keys() == mine
    (bob.home / ".tacit" / "team" / "team.json").unlink()
    bob.join()
    assert bob.memories().keys() == mine
    bob.here("team", "retire", reworded)
    assert bob.memories().keys() == mine


def test_a_contradiction_between_ones_own_and_the_teams_is_shown_and_not_decided(
    alice: Teammate, bob: Teammate
) -> None:
    bob.add("use npm for packages")
    agree(alice, bob, OTHER)
    (conflict,) = bob.here("conflicts", "--json").json
    assert (conflict["rule"], conflict["winner"]) == ("undecided", None)
    assert {memory["author"] for memory in conflict["memories"]} == {"", "alice, accepted by bob"}
    assert "from the team: alice, accepted by bob" in bob.here("conflicts").out
    bob.here("conflicts", "--keep", memory_id("use npm for packages"))
    bob.sync()
    assert bob.memories().keys() == {"use npm for packages"}


def test_members_of_other_projects_neither_see_nor_get_it(tmp_path: Path, alice: Teammate, bob: Teammate) -> None:
    alice.server.add("carol", "github.com/acme/web")
    carol = Teammate(tmp_path / "carol", "carol", alice.server, "github.com/acme/web")
    agree(alice, bob, RULE, "--evidence", WHY)
    carol.join()
    carol.sync()
    assert carol.memories() == {} and "no memories yet" in carol.here("team").out
    assert not [name for name, data in tree(carol.home).items() if RULE.encode() in data or WHY.encode() in data]


def test_a_membership_that_ended_takes_the_project_back_and_a_new_one_has_to_be_joined(
    alice: Teammate, bob: Teammate
) -> None:
    agree(bob, bob, RULE)
    alice.sync()
    own = alice.add(OTHER)
    with alice.server.session(alice.server.admin) as admin:
        admin.execute("select tacit.remove_member(%s, 'alice')", [PROJECT])
    said = alice.sync().out
    assert "You are no member of the team's projects any more: 1 memory of the team was taken back." in said
    assert alice.memories().keys() == {OTHER}
    alice.here("share", own, code=0)  # into the project's file, as without a team
    assert (alice.clone / "docs" / "memory" / "memories.ndjson").exists()
    with alice.server.session(alice.server.admin) as admin:
        admin.execute("select tacit.add_member(%s, 'alice')", [PROJECT])
    assert f"You were added to {PROJECT}" in alice.sync().out
    assert alice.memories().keys() == {OTHER}
    alice.join()
    assert alice.memories().keys() == {OTHER, RULE}


def test_a_project_that_the_administrator_adds_brings_nothing_before_it_is_joined(
    alice: Teammate, bob: Teammate
) -> None:
    web = "github.com/acme/web"
    for name in ("alice", "bob"):
        alice.server.add(name, web)
    with alice.server.session("bob") as session:
        claim = memory_id(RULE, web)
        proposal = alice.server.propose(session, claim, web, RULE)
        alice.server.insert(session, "accepted", claim, web, {"proposal": proposal})
    assert f"You were added to {web}" in alice.sync().out
    assert alice.memories() == {} and f"You were added to {web}" in alice.here("team").out
    assert "added" not in alice.join().out
    assert alice.memories()[RULE]["scope"] == f"project:{web}"


def test_leaving_takes_back_what_came_from_the_team_and_nothing_else(alice: Teammate, bob: Teammate) -> None:
    agree(alice, bob, RULE)
    bob.add(OTHER)
    assert "1 memory that it accepted went" in bob.here("team", "leave").out.replace("memories", "memory")
    assert bob.memories().keys() == {OTHER}
    assert not (bob.home / ".tacit" / "team").exists()
    assert "belongs to no team" in bob.here("team").out


def test_lines_of_the_team_are_not_taken_to_another_machine(alice: Teammate, bob: Teammate, tmp_path: Path) -> None:
    agree(alice, bob, RULE)
    bob.add(OTHER)
    other = Teammate(tmp_path / "laptop", "bob", bob.server)
    other.here("import", str(bob.home), "--mine")
    assert other.memories().keys() == {OTHER}


def test_an_agent_neither_joins_nor_shares_nor_reviews_nor_syncs_with_the_team(alice: Teammate) -> None:
    claim = alice.add(RULE)
    for words in (("team", "join", alice.url, "--yes"), ("share", claim), ("team", "review"), ("team", "leave")):
        said = alice.tacit(*words, cwd=alice.clone, code=1, TACIT_ACTOR="agent:claude")
        assert "only a person" in said.err
    synced = alice.tacit("sync", cwd=alice.clone, TACIT_ACTOR="agent:claude")
    assert "only a person syncs with it" in synced.out
    assert server_events(alice.server) == []


def test_reading_and_adding_load_nothing_of_the_team(alice: Teammate) -> None:
    script = (
        "import sys; from tacit.cli import main\n"
        "for words in (['add', 'keep functions short'], ['list'], ['brief'], ['recall', 'functions']):\n"
        "    assert main(words) == 0\n"
        "assert not [name for name in sys.modules if name.startswith(('psycopg', 'tacit.team', 'tacit.postgres'))]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=alice.clone, env=alice.environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
