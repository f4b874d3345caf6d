"""Anything at all into the MCP server: malformed, oversized, nested, mistaken, forbidden; and it goes on answering.

Every now and then a plain question is asked between; it must be answered, and before the one after it. At the end the
home holds nothing but proposals.
"""

from __future__ import annotations

import json
import queue
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from tests.chaos.apart import folder_in_memory
from tests.chaos.outcome import Outcome, Row, assert_held
from tests.chaos.program import environment, peak_memory, run, tacit
from tests.hostile.values import RAW, VALUES, mutated

_EVERY = 25  # messages between two plain questions
_HANGS = 20.0  # seconds without an answer: it will never come
_ROOM = 150  # MB (T34)
_LARGE = 3 << 20
_METHODS = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/list"),
    *("prompts/get", "resources/templates/list", "server/discover", "logging/setLevel", "completion/complete"),
    *("notifications/cancelled", "notifications/initialized", "subscriptions/listen", "tasks/get", "rpc.x", ""),
)
_TOOLS = ("remember", "suggest", "recall", "brief", "why", "log_work", "recent_sessions")
_FORBIDDEN = ("accept", "dismiss", "forget", "purge", "trust", "undo", "config", "edit", "promote", "restore", "add")
_ARGUMENTS = (
    *("text", "evidence", "query", "id", "limit", "kind", "scope", "since", "tags", "task", "summary", "everywhere"),
    *("next", "name"),
)
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "storm", "version": "1"},
}
_TOKENS = (
    *(b'"', b"{", b"}", b"[", b"]" * 50, b"[" * 2000, b'{"a":' * 2000, b"\\ud800", b"null", b":", b",", b"\r"),
    *(b"\xff", b"\0", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b" " * 300),
    *(raw for raw in RAW if len(raw) < 10_000),
)
_PROPOSALS = {"memory.candidate.created", "work.logged", "recall.asked", "brief.given"}


def storm(messages: int, seed: int) -> Outcome:
    """So many messages to one server."""
    with folder_in_memory() as folder:
        home = folder / "home"
        for text in ("never force push", "always sign commits", "always name the ticket"):
            run(tacit("add", text), home)
        run(tacit("remember", "prefer tea", "--evidence", "chat"), home)
        before, log = _active(home), _log(home)
        found = _storm(home, messages, random.Random(seed))
        new = _log(home) - log
        faults = [f"{type_} by {actor}" for _, type_, actor in new if not _may_be(type_, actor)]
        faults += ["what holds is not what held before"] * (_active(home) != before)
    return Outcome(messages, faults=(*found.faults, *faults), note=f"{found.note}, {len(new):,} events")


def _storm(home: Path, messages: int, dice: random.Random) -> Outcome:
    pipes: dict[str, int] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    server = subprocess.Popen(tacit("mcp"), cwd=home.parent, env=environment(home), **pipes)  # type: ignore[call-overload]
    assert server.stdin and server.stdout and server.stderr
    heard = _Ear(server)
    slowest, faults, peak = 0.0, list[str](), 0
    try:
        for number in range(0, messages, _EVERY):
            for _ in range(min(_EVERY, messages - number)):
                server.stdin.write(dice.choices(_SORTS, _OFTEN)[0](dice).replace(b"\n", b" ") + b"\n")
            name = f"plain {number}"
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": name, "method": "ping"}).encode() + b"\n")
            server.stdin.flush()
            slowest = max(slowest, heard.wait_for(name))
        peak = peak_memory(server.pid)
        server.stdin.close()
        if code := server.wait(_HANGS):
            faults.append(f"exit code {code}")
    except (OSError, TimeoutError, subprocess.TimeoutExpired) as error:
        faults.append(f"{type(error).__name__}: {error}; {server.poll()}")
    finally:
        server.kill()
        server.wait()
        heard.end()
    faults += [f"{peak} MB"] * (peak > _ROOM) + heard.faults
    note = f"slowest answer {slowest * 1000:.0f} ms, {peak} MB, {heard.answers:,} answers"
    return Outcome(faults=tuple(faults), note=note)


class _Ear:
    """Hears what the server says while others write to it, and what must never be said."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self.faults: list[str] = []
        self.answers = 0
        self._server = server
        self._plain: queue.Queue[str] = queue.Queue()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._out, self._err)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, name: str) -> float:
        """How long the answer to a plain question takes, with all that was asked before it."""
        began = time.monotonic()
        try:
            heard = self._plain.get(timeout=_HANGS)
        except queue.Empty:
            raise TimeoutError(f"no answer to {name}") from None
        if heard != name:
            self.faults.append(f"answered {heard} where {name} was asked")
        return time.monotonic() - began

    def end(self) -> None:
        for thread in self._threads:
            thread.join()
        for stream in (self._server.stdin, self._server.stdout, self._server.stderr):
            assert stream
            with suppress(BrokenPipeError):
                stream.close()

    def _out(self) -> None:
        assert self._server.stdout
        for line in self._server.stdout:
            self.answers += 1
            for answer in self._read(line):
                name = answer.get("id")
                if isinstance(name, str) and name.startswith("plain "):
                    self._plain.put(name)

    def _read(self, line: bytes) -> Iterator[dict[str, object]]:
        try:
            told = json.loads(line, parse_constant=_refuse)
        except ValueError:
            self.faults.append(f"no line of JSON: {line[:80]!r}")
            return
        for answer in told if isinstance(told, list) else [told]:
            if answer.get("jsonrpc") != "2.0" or ("result" in answer) == ("error" in answer) or "id" not in answer:
                self.faults.append(f"no answer: {line[:80]!r}")
            elif answer.get("error", {}).get("code") == -32603:
                self.faults.append(f"went wrong inside: {answer['error']['message']}")
            yield answer

    def _err(self) -> None:
        assert self._server.stderr
        if said := self._server.stderr.read():
            self.faults.append(f"on standard error: {said[-300:]!r}")


def _refuse(name: str) -> None:
    raise ValueError(name)


def _request(dice: random.Random) -> dict[str, object]:
    """A request that is nearly right."""
    method = dice.choice(_METHODS)
    params: object = dice.choice(({}, _call(dice), {"uri": dice.choice(VALUES)}, {"cursor": dice.choice(VALUES)}))
    if dice.random() < 0.3:
        params = dice.choice(VALUES)
    elif dice.random() < 0.3:
        assert isinstance(params, dict)
        params = {**params, "_meta": {**_ENVELOPE, dice.choice(list(_ENVELOPE)): dice.choice((*VALUES, "2026-07-28"))}}
    name: object = dice.choice((dice.randrange(1000), "name", None, 1.5, [], True))
    return {"jsonrpc": dice.choice(("2.0", "2.0", "2.0", 2, None)), "id": name, "method": method, "params": params}


def _call(dice: random.Random) -> dict[str, object]:
    """A call of a tool, an argument or more of which is wrong; of those that write, few are right."""
    chosen = dice.sample(_ARGUMENTS, dice.randrange(4))
    return {
        "name": dice.choice((*_TOOLS, *_TOOLS, *_FORBIDDEN, *(one for one in VALUES if isinstance(one, str)))),
        "arguments": {name: dice.choice((*VALUES, "x", 3)) for name in chosen},
    }


def _near(dice: random.Random) -> bytes:
    return json.dumps(_request(dice)).encode()


def _asked(dice: random.Random) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _call(dice)}).encode()


def _sound(dice: random.Random) -> bytes:
    """A call that is right; those of tools that write are written."""
    given = {"text": f"use tool {dice.randrange(50)}", "evidence": "e", "task": "t", "summary": "s"}
    name, wanted = dice.choice(
        (("remember", ("text", "evidence")), ("suggest", ("text", "evidence")), ("log_work", ("task", "summary")))
    )
    call = {"name": name, "arguments": {one: given[one] for one in wanted}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()


def _broken(dice: random.Random) -> bytes:
    return mutated(dice, [_near(dice), _asked(dice)], _TOKENS)


def _nested(dice: random.Random) -> bytes:
    deep = dice.choice((10, 900, 5_000, 100_000))
    opening, closing = dice.choice(((b"[", b"]"), (b'{"a":', b"}")))
    value = opening * deep + b"1" + closing * dice.choice((deep, deep - 1))
    return dice.choice((value, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + value + b"}"))


def _oversized(dice: random.Random) -> bytes:
    body = dice.choice((b"x", b"[", b"\\u0000", b"\xf0\x9f\x98\x80")) * (_LARGE // 4)
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + body + b'"}}'


def _batch(dice: random.Random) -> bytes:
    return json.dumps([_request(dice) for _ in range(dice.choice((0, 1, 3, 101)))]).encode()


_SORTS: tuple[Callable[[random.Random], bytes], ...] = (_near, _asked, _sound, _broken, _nested, _oversized, _batch)
_OFTEN = (30, 19, 1, 40, 5, 0.5, 4.5)


def _active(home: Path) -> str:
    return run(tacit("list", "--status", "active"), home).out


def _log(home: Path) -> set[tuple[str, str, str]]:
    """The id, type and actor of each event."""
    lines = (line for path in home.rglob("*.jsonl") for line in path.read_bytes().split(b"\n")[:-1])
    return {(event["id"], event["type"], event["actor"]) for event in map(json.loads, lines)}


def _may_be(type_: str, actor: str) -> bool:
    """Whether an agent may cause such an event."""
    return type_ in _PROPOSALS and actor.startswith("agent:")


def test_no_message_crashes_the_server_or_makes_it_hang() -> None:
    assert_held(storm(2_000, seed=1))


def rows(short: bool) -> Iterator[Row]:
    yield Row("T34 anything into the MCP server", lambda _at: storm(1_000 if short else 20_000, seed=2))
