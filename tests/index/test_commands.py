"""Commands for search: each once by actor and directory, with its last run, found by its words."""

from __future__ import annotations

import sqlite3

import pytest

from tacit.errors import IndexUnusableError
from tacit.index import commands, postings
from tacit.index.commands import FAILED_STATUS, StoredCommand, agent_execution, shell_execution, store_commands
from tacit.model.ids import claim_id, claim_number, hash_number
from tacit.model.observation import UNKNOWN_STATUS, CommandRan, PromptGiven, ToolAction, ToolOutcome, ToolUsed
from tests.support.events import event, numbered


def shell(number: int, command: str, directory: str = "/srv/app", status: int = 0) -> StoredCommand:
    return shell_execution(event(number, CommandRan(command, directory, status)), "memory/events.jsonl", number)


def by_agent(number: int, command: str, directory: str = "/srv/app") -> StoredCommand:
    call = ToolUsed("claude", "Bash", ToolAction.RAN, command, directory=directory)
    run = agent_execution(event(number, call, session="s1"), "memory/events.jsonl", number)
    assert run is not None
    return run


def found(index: sqlite3.Connection, term: str) -> list[StoredCommand]:
    return commands.load_commands(index, commands.commands_with_term(index, term, 100))


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (ToolOutcome.SUCCEEDED, 0),
        (ToolOutcome.FAILED, FAILED_STATUS),
        (ToolOutcome.UNKNOWN, UNKNOWN_STATUS),
    ],
)
def test_the_exit_status_of_an_agents_command_says_how_its_tool_call_ended(outcome: ToolOutcome, status: int) -> None:
    run = agent_execution(event(1, ToolUsed("claude", "Bash", ToolAction.RAN, "make", outcome=outcome)), "a", 1)
    assert run is not None
    assert (run.actor, run.exit_status) == ("agent:claude", status)


@pytest.mark.parametrize(
    "body",
    [
        ToolUsed("claude", "Bash", ToolAction.RAN, "make", outcome=ToolOutcome.REJECTED),
        ToolUsed("claude", "Bash", ToolAction.RAN, ""),
        ToolUsed("claude", "Read", ToolAction.READ, "Makefile"),
        PromptGiven("claude", "make it run"),
    ],
    ids=["rejected", "without its text", "another tool", "a prompt"],
)
def test_what_did_not_run_as_a_command_is_none(body: ToolUsed | PromptGiven) -> None:
    assert agent_execution(event(1, body), "a", 1) is None


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_latest_run_is_kept_whichever_is_stored_first(index: sqlite3.Connection, order: tuple[int, int]) -> None:
    runs = {1: shell(1, "make test", status=2), 2: shell(2, "make test")}
    for number in order:
        store_commands(index, [runs[number]])
    (command,) = found(index, "make")
    assert (command.last_event, command.exit_status, command.line) == (numbered(2), 0, 2)


def test_storing_the_same_runs_together_or_again_changes_nothing(index: sqlite3.Connection) -> None:
    runs = [shell(2, "make test"), shell(1, "make test", status=2)]
    store_commands(index, runs)
    before = found(index, "make")
    store_commands(index, runs)
    assert found(index, "make") == before
    assert [command.last_event for command in before] == [numbered(2)]


def test_another_directory_or_another_actor_makes_another_command(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "make test"), shell(2, "make test", "/srv/api"), by_agent(3, "make test")])
    assert {(command.actor, command.directory) for command in found(index, "test")} == {
        ("user", "/srv/app"),
        ("user", "/srv/api"),
        ("agent:claude", "/srv/app"),
    }
    assert commands.count_commands(index) == 3


def test_only_a_command_of_an_agent_belongs_to_a_session(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "make"), by_agent(2, "make")])
    assert {command.actor: command.session_number > 0 for command in found(index, "make")} == {
        "user": False,
        "agent:claude": True,
    }


def test_a_command_is_found_by_the_stems_of_its_words_and_by_the_folder_it_ran_in(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "python connecting.py", "/srv/billing/")])
    assert len(found(index, "connect")) == len(found(index, "bill")) == 1
    assert found(index, "srv") == found(index, "connecting") == []


def test_a_long_command_is_found_by_its_beginning_alone(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "walrus " + "x " * 1000 + "otter")])
    (command,) = found(index, "walru")
    assert command.text.endswith("otter")
    assert found(index, "otter") == []


def test_commands_do_not_change_how_rare_a_word_is_among_memories(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "make walrus")])
    assert (postings.doc_freq(index, "walru"), postings.corpus_stats(index).doc_count) == (0, 0)


def test_an_empty_index_has_no_commands_and_unknown_ids_are_skipped(index: sqlite3.Connection) -> None:
    assert not commands.has_commands(index)
    store_commands(index, [shell(1, "make")])
    assert commands.has_commands(index)
    (command_id,) = commands.commands_with_term(index, "make", 10)
    assert [command.id for command in commands.load_commands(index, [command_id, 7])] == [command_id]
    assert commands.commands_with_term(index, "make", 0) == []


def test_many_commands_are_counted_by_how_dense_their_ids_are(index: sqlite3.Connection) -> None:
    rows = [(claim_number(claim_id("command", str(number))),) for number in range(5000)]
    index.executemany(
        "INSERT INTO commands VALUES (?, 'user', '/', 'ls', 'global', 'e', '2026-01-01', 0, 0, 'activity', 1)", rows
    )
    assert 4000 < commands.count_commands(index) < 6000


@pytest.mark.parametrize("batch", [1, 7, 40, 1000])
def test_a_term_has_the_same_commands_however_they_were_stored(
    index: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(commands, "_IDS_PER_BLOCK", 4)
    monkeypatch.setattr(commands, "_FEW_COMMANDS", 7)
    runs = [shell(number, f"make part{number}") for number in range(1, 101)]
    for low in range(0, len(runs), batch):
        store_commands(index, runs[low : low + batch])
    ids = sorted(hash_number("command", f"user\n/srv/app\nmake part{number}") for number in range(1, 101))
    for limit in (1, 3, 4, 5, 50, 99, 100, 101):
        assert list(commands.commands_with_term(index, "make", limit)) == ids[:limit]
    assert dict(commands.joined_command_postings(index))["make"] == ids


def test_commands_that_come_one_by_one_share_blocks(index: sqlite3.Connection) -> None:
    for number in range(1, 101):
        store_commands(index, [shell(number, f"make part{number}")])
    (blocks,) = index.execute("SELECT count(*) FROM command_postings WHERE term = 'make'").fetchone()
    assert blocks < 20  # a new block for each lowest id so far


def test_a_posting_list_that_is_no_list_of_ids_is_damage(index: sqlite3.Connection) -> None:
    store_commands(index, [shell(1, "make")])
    index.execute("UPDATE command_postings SET command_ids = x'010203'")
    with pytest.raises(IndexUnusableError):
        commands.commands_with_term(index, "make", 10)
