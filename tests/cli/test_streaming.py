"""JSON lists are written entry by entry: nobody waits for the last one, and what was written can be read."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from harness.person import Person

from tacit.cli.output import echo_json, echo_json_list
from tests.support.events import added, event, says, write_home

MEMORIES = 400  # more JSON than a pipe holds


@pytest.fixture
def owner(person: Person) -> Person:
    claims = (says(f"always check the number {number} twice") for number in range(MEMORIES))
    write_home(person.home, (event(number, added(claim)) for number, claim in enumerate(claims, 1)))
    assert person.tacit("list").out.startswith(f"Memories ({MEMORIES})\n")
    return person


@pytest.mark.parametrize("values", [[], [{}], [{"a": [1, {"b": "x\ny"}]}, {"c": frozenset("z")}]])
def test_a_list_that_is_written_entry_by_entry_has_the_same_bytes(
    values: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    echo_json(values)
    whole = capsys.readouterr().out
    assert echo_json_list(iter(values)) == len(values)
    assert capsys.readouterr().out == whole


def test_an_entry_is_written_before_the_next_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    def entries() -> Iterator[int]:
        yield 1
        assert capsys.readouterr().out == "[\n  1"
        yield 2

    echo_json_list(entries())
    assert capsys.readouterr().out == ",\n  2\n]\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_list_is_closed_if_it_is_interrupted(error: type[BaseException], capsys: pytest.CaptureFixture[str]) -> None:
    def entries() -> Iterator[int]:
        yield 1
        raise error

    with pytest.raises(error):
        echo_json_list(entries())
    assert json.loads(capsys.readouterr().out) == [1]


def _start_all(owner: Person) -> subprocess.Popen[str]:
    started = owner.start("list", "--json", "--all")
    assert started.stdout is not None
    assert started.stdout.read(1) == "["  # it waits for somebody who reads the rest
    return started


def test_ctrl_c_leaves_json_that_can_be_read(owner: Person) -> None:
    started = _start_all(owner)
    started.send_signal(signal.SIGINT)
    with started:
        assert started.stdout is not None and started.stderr is not None
        listed = json.loads("[" + started.stdout.read())
        assert "Traceback" not in started.stderr.read()
    # On a busy machine the command may have ended before the signal reached it.
    assert (started.returncode, len(listed) == MEMORIES) in ((130, False), (0, True))
    assert listed


def test_a_reader_that_has_seen_enough_is_no_error(owner: Person) -> None:
    started = _start_all(owner)
    assert started.stdout is not None and started.stderr is not None
    started.stdout.close()
    assert started.wait(60) == 0 and started.stderr.read() == ""
    started.stderr.close()


def test_the_number_of_the_others_is_told_beside_the_json(owner: Person) -> None:
    said = owner.process("list", "--json")
    assert len(said.json) == 50
    assert said.err == f"… and {MEMORIES - 50} more memories. To see all: tacit list --json --all\n"
    assert len(owner.process("list", "--json", "--all").json) == MEMORIES
    assert owner.process("list", "--json", "--all").err == ""
    said = owner.tacit("list", "--limit", "2", "--all", code=2)
    assert "--limit and --all exclude each other" in said.err
