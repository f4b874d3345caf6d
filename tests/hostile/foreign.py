"""Readers of what agents and other programs write: transcripts of every host, calls of hooks, messages, settings."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path

from harness.transcripts import RECORDS, lines, name_of, opencode, story

from tacit.errors import RefusedError
from tacit.hosts import HOSTS
from tacit.hosts.capture import SOURCES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.install.entries import HOOK_SCRIPT_PATHS, DesiredConfig, HookEntry, json_config_file
from tacit.learn.judge.answer import parse_answer
from tacit.mcp import protocol
from tacit.mcp.protocol import RpcError
from tacit.shell import history_formats
from tests.hostile.reader import Reader

_BYTES = (b"\0", b"\n", b"\r", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b" " * 300, b"\\")
_JSON = (
    *_BYTES,
    *(b'"', b"{", b"}", b"[", b"]" * 50, b"[" * 2000, b'{"a":' * 2000, b"1" * 5000, b"NaN", b"1e400", b"\\ud800"),
    *(b"null", b":", b"[]", b'"type":"user"', b'"content":[{"type":"text"}]', b'"timestamp":5', b'"message":null'),
    *(b'{"$set":{"messages":7}}\n', b'"payload":[]', b'"data":"x"', b"//", b"/*", b",]", b'"toolCalls":{}'),
)
_ANSWER = (
    b'{"question": "m", "memories": [{"quote": "x", "statement": "x", "kind": "rule", "why": "x", "where": "project"}],'
    b' "summaries": {"s": "s"}}'
)
_MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"x"}}}'
_CALL = {"session_id": "s", "sessionId": "s", "conversation_id": "s", "cwd": "/", "prompt": "p", "source": "startup"}
_SETTINGS = b'{\n  "hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}, // a word\n  "b": [1,],\n}\n'
_WANTED = DesiredConfig(entries=(HookEntry("Stop", {"command": f"py {HOOK_SCRIPT_PATHS} x capture Stop"}),))


def foreign(folder: str) -> Iterator[Reader]:
    """All of them; databases lie in `folder`."""
    for name, tell in RECORDS.items():
        told = lines(tell(name_of("fuzz", name), "/work", story(name, 2)))
        yield Reader(f"transcript of {name}", (told, told[: len(told) // 3]), _JSON, partial(_transcript, name))
    yield _database(folder, "transcript of opencode", _opencode, partial(_transcript, "opencode"))
    yield _database(folder, "history of Atuin", _atuin, lambda file: list(history_formats.read_atuin(file)))
    calls = (json.dumps({**_CALL, "workspace_roots": ["/"], "transcript_path": "/x"}).encode(),)
    yield Reader("calls of hooks", calls, _JSON, _called, (ValueError, RecursionError))
    yield Reader("messages of a client", (_MESSAGE,), _JSON, protocol.parse_message, (RpcError,))
    yield Reader("settings of an agent", (_SETTINGS, b"{}\n"), _JSON, _merged, (RefusedError,))
    yield Reader("answer of a model", (_ANSWER,), _JSON, lambda data: parse_answer(data.decode("utf-8", "replace")))


def _transcript(name: str, data: bytes | BytesIO) -> None:
    stream = BytesIO(data) if isinstance(data, bytes) else data
    detect_source("x.jsonl", stream.read(65_536))
    for _ in SOURCES[name].read(stream, 0, CaptureLimits(), ReadStats()):
        pass


def _called(data: bytes) -> None:
    """What is no JSON is refused by whoever calls this, and so is what nests without end."""
    payload = json.loads(data)
    for known in HOSTS.values() if isinstance(payload, dict) else ():
        for hook in known.hooks:
            known.parse_input(hook.event, payload)


def _merged(data: bytes) -> None:
    part = json_config_file("settings.json", _WANTED)
    done = part.insert(data, None)
    assert done.content is not None
    if part.remove(done.content, done.receipt) != data:
        raise AssertionError("not taken out byte for byte")


def _database(folder: str, name: str, make: Callable[[Path], None], read: Callable[[BytesIO], object]) -> Reader:
    """A file of SQLite whose bytes are changed; its reader opens it by its name."""
    place = Path(folder) / f"{name}.db"
    make(place)
    return Reader(name, (place.read_bytes(),), _BYTES, partial(_by_name, str(place), read))


def _by_name(path: str, read: Callable[[BytesIO], object], data: bytes) -> None:
    for beside in ("-wal", "-shm", "-journal"):
        if os.path.exists(path + beside):
            os.unlink(path + beside)
    with open(path, "wb") as file:
        file.write(data)
    with open(path, "rb") as file:
        read(file)  # type: ignore[arg-type]


def _opencode(place: Path) -> None:
    opencode(place, "ses_fuzz", "/work", story("opencode", 2))


def _atuin(place: Path) -> None:
    columns = "command TEXT, timestamp INTEGER, duration INTEGER, exit INTEGER, cwd TEXT, session TEXT, hostname TEXT"
    with closing(sqlite3.connect(place)) as database, database:
        database.execute(f"CREATE TABLE history (id TEXT PRIMARY KEY, {columns})")
        rows = [(str(at), f"make {at}", 1_700_000_000 * 10**9 + at, 5, 0, "/srv", "s", "h") for at in range(20)]
        database.executemany("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
