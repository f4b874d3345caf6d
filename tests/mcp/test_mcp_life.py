"""How the server begins, waits and ends."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.person import Person, tree

from tests.cli.test_commands import HEAVY, loaded
from tests.home.test_store_read_only import filled, nobody, read_only
from tests.support.mcp_client import answers, command, lines_of, request, stateless, tool, tool_text

__all__ = ["nobody"]  # a fixture


@contextmanager
def running(person: Person) -> Iterator[subprocess.Popen[bytes]]:
    """A server that has answered once."""
    server = subprocess.Popen(
        command(person),
        cwd=person.folder,
        env=person.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert ask(server, request("ping"))["result"] == {}
        yield server
    finally:
        server.kill()
        server.wait()
        for stream in (server.stdin, server.stdout, server.stderr):
            assert stream is not None
            stream.close()


def ask(server: subprocess.Popen[bytes], message: object) -> Any:
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def test_it_ends_when_the_client_stops_writing(person: Person) -> None:
    with running(person) as server:
        assert server.stdin and server.stderr
        server.stdin.close()
        assert server.wait(20) == 0
        assert server.stderr.read() == b""


def test_it_ends_when_nobody_reads_any_more(person: Person) -> None:
    with running(person) as server:
        assert server.stdout and server.stderr
        server.stdout.close()
        assert server.wait(20) == 0
        assert server.stderr.read() == b""


def test_it_ends_when_it_is_told_to(person: Person) -> None:
    with running(person) as server:
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == -signal.SIGTERM


def test_the_last_line_may_lack_its_end(person: Person) -> None:
    last = json.dumps(request("ping")).encode()
    done = subprocess.run(
        command(person), input=last, cwd=person.folder, env=person.environment(), capture_output=True, check=True
    )
    assert json.loads(done.stdout)["result"] == {}


def test_what_others_change_meanwhile_is_seen(person: Person) -> None:
    with running(person) as server:
        assert lines_of(ask(server, tool("recall", query="push"))["result"]) == []
        person.process("add", "never force push")
        assert len(lines_of(ask(server, tool("recall", query="push"))["result"])) == 1
        person.process("forget", "never force push", "--reason", "r", "--evidence", "e")
        assert lines_of(ask(server, tool("recall", query="push"))["result"]) == []


def test_between_two_requests_it_holds_no_file_of_the_home(person: Person) -> None:
    with running(person) as server:
        ask(server, tool("suggest", text="use pnpm", evidence="seen"))
        ask(server, tool("recall", query="pnpm"))
        while len(os.listdir(f"/proc/{server.pid}/task")) > 1:  # the follower, which ends when the pages are drawn
            time.sleep(0.01)
        open_files = [os.readlink(f"/proc/{server.pid}/fd/{one}") for one in os.listdir(f"/proc/{server.pid}/fd")]
        assert not [path for path in open_files if path.startswith(str(person.folder))]


def test_a_home_that_another_holds_is_not_waited_for_without_end(person: Person) -> None:
    person.tacit("add", "never force push")
    person.wait_for_pages()
    with running(person) as server, open(person.home / ".tacit" / "write.lock", "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert len(lines_of(ask(server, tool("recall", query="push"))["result"])) == 1
        refused = ask(server, tool("suggest", text="use pnpm", evidence="seen"))["result"]
        assert refused["isError"] is True and "is busy" in refused["content"][0]["text"]
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert ask(server, tool("suggest", text="use pnpm", evidence="seen"))["result"]["isError"] is False


def test_a_home_that_cannot_be_written_answers_and_refuses_changes(nobody: Person) -> None:
    filled(nobody)
    read_only(nobody.home)
    before = tree(nobody.home)
    asked = [
        tool("recall", query="force"),
        tool("brief"),
        tool("why", id="never force push"),
        request("resources/list"),
    ]
    found, brief, why, listed, *review = answers(nobody, *asked, request("prompts/get", {"name": "review"}))
    assert len(lines_of(found["result"])) == 1
    assert "always sign commits" in tool_text(brief["result"])
    assert why["result"]["isError"] is False
    assert len(listed["result"]["resources"]) == 4
    assert "Prefer tea" in json.dumps(review)
    changes = [tool("suggest", text="x", evidence="e"), tool("suggest", text="y", evidence="e")]
    for refused in answers(nobody, *changes, tool("log_work", task="t", summary="s")):
        assert refused["result"]["isError"] is True
        assert "cannot be written to" in refused["result"]["content"][0]["text"]
    assert tree(nobody.home) == before


# What it loads

SERVED = "import os, sys\nfrom tacit.cli import main\n"
SERVED += "reads, writes = os.pipe()\nos.write(writes, {lines!r})\nos.close(writes)\nos.dup2(reads, 0)\n"
SERVED += "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\nassert main(['mcp']) == 0"


def loaded_by(person: Person, *messages: object) -> set[str]:
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    return loaded(person, SERVED.format(lines=lines)) - loaded(person, "pass")


def test_it_starts_without_anything_heavy(person: Person) -> None:
    hello = request("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": "x"}})
    lists = ("tools/list", "prompts/list", "resources/templates/list")
    held = loaded_by(person, hello, *map(request, lists), stateless("server/discover"), request("ping"))
    assert "tacit.mcp.tools" in held
    assert held & (HEAVY | {"mcp", "anyio", "sqlite3", "unicodedata"}) == set()
    assert not [
        name
        for name in held
        if name.startswith(("tacit.vault", "tacit.home", "tacit.index", "tacit.search", "tacit.learn"))
    ]


def test_no_call_loads_a_loop_or_the_network(person: Person) -> None:
    asked = [tool("suggest", text="use pnpm", evidence="e"), tool("recall", query="pnpm"), tool("brief")]
    held = loaded_by(person, *asked, tool("why", id="use pnpm"), request("prompts/get", {"name": "review"}))
    assert "sqlite3" in held
    assert held & {"asyncio", "socket", "ssl", "http", "selectors", "tempfile", "subprocess"} == set()
    assert held & {"mcp", "anyio", "pydantic"} == set()
