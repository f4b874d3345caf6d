"""Every reader of ours that takes bytes somebody else may have written, and a way to try them all with anything."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from harness.transcripts import RECORDS, lines, name_of, opencode, story

from tacit.commandline.names import parse_commands
from tacit.errors import RefusedError, UsageError
from tacit.home.project import find_project
from tacit.home.settings import read_settings
from tacit.home.settings_file import SETTINGS_TEMPLATE
from tacit.hosts import HOSTS
from tacit.hosts.capture import SOURCES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.install.entries import HOOK_SCRIPT_PATHS, DesiredConfig, HookEntry, json_config_file
from tacit.learn.judge.answer import parse_answer
from tacit.log import codec
from tacit.log.reader import read_lines
from tacit.mcp import protocol
from tacit.pages import facts, long_term, workflows
from tacit.pages.long_term import escape, unescape
from tacit.shell import history_formats, parse_record
from tests.chaos.program import slowdown
from tests.hostile.values import mutated
from tests.support.events import added, event, says
from tests.support.pages import parse_entries

SLOW = 1.0  # seconds of the processor; no input may take so long
_NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Reader(NamedTuple):
    """`refusals` are the errors it is documented to raise; anything else is a finding."""

    name: str
    sound: tuple[bytes, ...]
    tokens: tuple[bytes, ...]
    read: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = ()


# What is sound, and what is put into it.
_LINE = codec.encode(event(1, added(says("sort the imports 日本", tags=("a",)), "e")))
_FACT = (
    '{"id": "0123456789ab", "ts": "2026-03-02T12:00:00.000000Z", "scope": "local", "kind": "rule", "triple":'
    ' {"subject": "agent", "predicate": "run", "object": "tests"}, "canonical": "run the tests é", "strength": 3,'
    ' "source": "user_direct", "tags": ["ci"], "dedupe_key": "agent|run|tests"}'
)
_PAGE = (
    "\n".join(long_term.HEADER) + "\n\n## Rules\n\n"
    "- 2026-03-02: run the tests \\u{202E} \\< (evidence: a; b; seen 3 times; project: x) ^0123456789ab\n"
    "- 2026-03-02: plain\nmy own words\n## Promotion Candidates\n- 2026-03-02: sort (reason: r) ^0123456789ac"
)
_CONFIG = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:team/app.git\n[branch "main"]\n\tx = y'
_TOML = "[recall]\nlimit = 20\n[brief]\nentries = 5\ntokens = 900\n[limits]\ntext = 100\n"
_BASH = b"#1700000000\nmake lint\n#1700000060\nfor f in *; do\necho $f\ndone\nls\n"
_ZSH = b": 1700000000:3;make lint\n: 1700000060:0;echo a\\\nb\nplain \x83\xb4 line\n"
_FISH = b"- cmd: make lint\n  when: 1700000000\n  paths:\n    - src\n- cmd: echo a\\nb\n  when: 1700000060\n"
_RECORD = b"tacit1\0zsh\x001.2.3\x000\x001700000000000000\x0012\0/srv\0gst\0git status\0\0"
_FORM = b"name: check\ndirectory: /srv\nstep:\n    make lint\nstep:\n    cat <<X\n    a\n    X\n"
_COMMANDS = (
    *(b"git add -A && git commit -m 'a b' | tee log", b"sudo env A=1 make -C x test > log 2>&1 &", b"cat <<X\na\nX\n"),
)
_ANSWER = (
    b'{"question": "m", "memories": [{"quote": "x", "statement": "x", "kind": "rule", "why": "x", "where": "project"}],'
    b' "summaries": {"s": "s"}}'
)
_MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"x"}}}'
_CALL = {"session_id": "s", "sessionId": "s", "conversation_id": "s", "cwd": "/", "prompt": "p", "source": "startup"}
_AGENT_SETTINGS = b'{\n  "hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}, // a word\n  "b": [1,],\n}\n'
_WANTED = DesiredConfig(entries=(HookEntry("Stop", {"command": f"py {HOOK_SCRIPT_PATHS} x capture Stop"}),))
_BYTES = (
    *(b"\0", b"\n", b"\r", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xf0\x9f", b"\xef\xbb\xbf", b" " * 300),
    b"\\",
)
_JSON = (
    *_BYTES,
    *(b'"', b"{", b"}", b"[", b"]" * 50, b"[" * 2000, b'{"a":' * 2000, b"1" * 5000, b"NaN", b"1e400", b"\\ud800"),
    *(b"null", b":", b"[]", b'"type":"user"', b'"content":[{"type":"text"}]', b'"timestamp":5', b'"message":null'),
    *(b'{"$set":{"messages":7}}\n', b'"payload":[]', b'"data":"x"', b"//", b"/*", b",]", b'"toolCalls":{}'),
)
_MARKS = (
    *_BYTES,
    *(b"## ", b"- ", b" (evidence: ", b")", b"\\u{", b"D800}", b"110000}", b"^", b"^0123456789ab", b"(" * 99),
)
_INI = (
    *_BYTES,
    *(b"[", b"]", b"=", b'"', b"url = ", b"://", b"@", b":", b"/" * 99, b"gitdir: ", b"..", b"\n" * 999, b"~"),
)
_SETTINGS = (
    *_BYTES,
    *(b"[", b"]", b"=", b'"""', b"'", b"#", b"9" * 5000, b"1e400", b"nan", b"[" * 2000, b"2024-01-01", b"{"),
)
_SHELL = (
    *_BYTES,
    *(b"'", b'"', b"$(", b"`", b"((", b"<<X\n", b"&&", b"|", b";", b"{", b"\\\n", b"$((" * 40, b"(" * 300),
    *(b"; a" * 200, b": 1700000000:0;", b"#99999999999999999999", b"- cmd: ", b"  when: -1", b"\x83", b"\x83\x83"),
    *(b"step:", b"    "),
)


def readers(folder: str) -> list[Reader]:
    """All of them; those that read files and databases read them in `folder`."""
    repository, worktree = os.path.join(folder, "repository"), os.path.join(folder, "worktree")
    os.makedirs(os.path.join(repository, ".git"))
    os.makedirs(worktree)
    settings, pointer = os.path.join(folder, "tacit.toml"), os.path.join(worktree, ".git")
    config = os.path.join(repository, ".git", "config")
    configs = (_CONFIG.encode(), _CONFIG.replace("git@example.org:", "https://u:p@example.org/").encode())
    gitdirs = tuple(f"gitdir: {place}\n".encode() for place in (f"{repository}/.git", "../repository/.git", "x" * 300))
    return [
        Reader("lines of the log", (_LINE, _LINE * 3), _JSON, _read_log),
        Reader("lines of the log, sealed again", (_LINE[:-16] + b"}",), _JSON, _read_log_sealed_again),
        Reader("fact lines", (_FACT.encode(), f"{_FACT}\n{_FACT}\n".encode()), _JSON, _read_facts),
        Reader("long-term.md", (_PAGE.encode(),), _MARKS, _read_page),
        Reader("escapes", (escape("a\n\u202e<b>```\\(evidence: x").encode(),), _MARKS, _of_text(unescape)),
        Reader(
            "settings",
            (_TOML.encode(), SETTINGS_TEMPLATE.encode()),
            _SETTINGS,
            _in_file(settings, lambda: read_settings(settings)),
            (UsageError,),
        ),
        Reader(".git/config", configs, _INI, _in_file(config, lambda: find_project(repository, folder))),
        Reader(".git pointer", gitdirs, _INI, _in_file(pointer, lambda: find_project(worktree, folder))),
        Reader("history of bash", (_BASH,), _SHELL, lambda data: list(history_formats.read_bash(BytesIO(data)))),
        Reader("history of zsh", (_ZSH,), _SHELL, lambda data: list(history_formats.read_zsh(BytesIO(data)))),
        Reader("history of fish", (_FISH,), _SHELL, lambda data: list(history_formats.read_fish(BytesIO(data)))),
        Reader("record of a shell", (_RECORD,), _SHELL, lambda data: parse_record(data, _NOW)),
        Reader("command lines", _COMMANDS, _SHELL, _of_text(parse_commands)),
        Reader("form of a workflow", (_FORM,), _SHELL, _of_text(workflows.parse_form), (UsageError, RefusedError)),
        *_foreign(folder),
    ]


def _foreign(folder: str) -> Iterator[Reader]:
    """Of what agents and other programs write: transcripts of every host, calls of hooks, messages, settings."""
    for name, tell in RECORDS.items():
        told = lines(tell(name_of("fuzz", name), "/work", story(name, 2)))
        yield Reader(f"transcript of {name}", (told, told[: len(told) // 3]), _JSON, partial(_transcript, name))
    yield _database(folder, "transcript of opencode", _opencode, partial(_transcript, "opencode"))
    yield _database(folder, "history of Atuin", _atuin, lambda file: list(history_formats.read_atuin(file)))
    calls = (json.dumps({**_CALL, "workspace_roots": ["/"], "transcript_path": "/x"}).encode(),)
    yield Reader("calls of hooks", calls, _JSON, _called, (ValueError, RecursionError))
    yield Reader("messages of a client", (_MESSAGE,), _JSON, protocol.parse_message, (protocol.RpcError,))
    yield Reader("settings of an agent", (_AGENT_SETTINGS, b"{}\n"), _JSON, _merged, (RefusedError,))
    yield Reader("answer of a model", (_ANSWER,), _JSON, lambda data: parse_answer(data.decode("utf-8", "replace")))


def _of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def _in_file(path: str, read: Callable[[], object]) -> Callable[[bytes], object]:
    def written_and_read(data: bytes) -> object:
        with open(path, "wb") as file:
            file.write(data)
        return read()

    return written_and_read


def _read_log(data: bytes) -> None:
    for line in read_lines(BytesIO(data)):
        decoded = codec.decode(line.data)
        codec.id_in_line(line.data)
        if not isinstance(decoded, codec.DamagedLine):
            codec.encode(decoded)


def _read_log_sealed_again(data: bytes) -> None:
    _read_log(codec.with_checksum(data))


def _read_facts(data: bytes) -> None:
    page = data.decode("utf-8", "surrogateescape").split("\n")
    facts.sort_facts(page)
    facts.update_facts(page, [], [])
    for line in page:
        facts.reconcile_fact(_FACT, _FACT, line)


def _read_page(data: bytes) -> None:
    page = data.decode("utf-8", "surrogateescape").split("\n")
    list(parse_entries(page))
    long_term.update_long_term(page, [])


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


class Finding(NamedTuple):
    """An input that raised what it should not, or took too long."""

    reader: str
    what: str
    data: bytes


class Trial(NamedTuple):
    """`answered` counts inputs that something was found for; `grown` is in MB, where it was measured."""

    runs: int
    findings: list[Finding]
    slowest: float
    answered: int = 0
    grown: int = 0


def try_readers(folder: str, cases: int, seed: int = 1) -> Trial:
    """So many inputs, each reader in turn."""
    dice = random.Random(seed)
    every = readers(folder)
    findings: list[Finding] = []
    slowest = 0.0
    for number in range(cases):
        reader = every[number % len(every)]
        data = mutated(dice, reader.sound, reader.tokens)
        found, took = tried_and_timed(reader, data)
        findings += found
        slowest = max(slowest, took)
    return Trial(cases, findings, slowest)


def tried_and_timed(reader: Reader, data: bytes) -> tuple[list[Finding], float]:
    began = time.process_time()
    try:
        reader.read(data)
    except reader.refusals:
        pass
    except Exception as error:  # whatever else comes out is what is looked for
        return [Finding(reader.name, f"{type(error).__name__}: {error}"[:120], data)], 0.0
    took = time.process_time() - began
    if took > SLOW:  # measured only now: few inputs come near it
        took /= slowdown()
    return [Finding(reader.name, f"{took:.1f} s", data)] if took > SLOW else [], took


def distinct(findings: list[Finding]) -> Iterator[str]:
    """One of each sort, as a person wants to see them."""
    seen: set[tuple[str, str]] = set()
    for finding in findings:
        sort = (finding.reader, finding.what[:30])
        if sort not in seen:
            seen.add(sort)
            yield f"{finding.reader}: {finding.what} on {finding.data[:200]!r}"
