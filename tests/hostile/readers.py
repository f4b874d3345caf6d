"""Every reader of ours that takes bytes somebody else may have written, and a way to try them all with anything."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import NamedTuple

from tacit.commandline.names import parse_commands
from tacit.errors import RefusedError, UsageError
from tacit.home.project import find_project
from tacit.home.settings import SETTINGS_TEMPLATE, read_settings
from tacit.log import codec
from tacit.log.reader import read_lines
from tacit.pages import facts, long_term, workflows
from tacit.pages.long_term import escape, unescape
from tacit.shell import history_formats, record
from tests.chaos.program import slowdown
from tests.hostile.foreign import foreign
from tests.hostile.reader import Reader
from tests.hostile.values import mutated
from tests.support.pages import parse_entries

_NOW = datetime(2026, 3, 2, tzinfo=UTC)
SLOW = 1.0  # seconds of the processor; no input may take so long
_ID = "019cae6b-6600-7ccf-8136-6b4a96c335e7"
_LINE = codec.with_checksum(
    json.dumps(
        {
            "actor": "user",
            "body": {
                "claim": {
                    "kind": "rule",
                    "scope": "global",
                    "sentence": "sort the imports 日本",
                    "tags": ["a"],
                    "triple": {"subject": "agent", "predicate": "sort", "object": "the imports"},
                },
                "source": "user_direct",
                "evidence": "e",
                "confidence": 0.5,
            },
            "host": "h",
            "id": _ID,
            "op": _ID,
            "scope": "global",
            "sess": "",
            "src": "user_direct",
            "ts": "2026-03-02T12:00:00.000000Z",
            "type": "memory.added",
            "tz": 0,
            "v": 1,
        },
        separators=(",", ":"),
        sort_keys=True,
    ).encode()
)
_FACT = (
    '{"id": "0123456789ab", "ts": "2026-03-02T12:00:00.000000Z", "scope": "local", "kind": "rule", "triple":'
    ' {"subject": "agent", "predicate": "run", "object": "tests"}, "canonical": "run the tests é", "strength": 3,'
    ' "source": "user_direct", "tags": ["ci"], "dedupe_key": "agent|run|tests"}'
)
_PAGE = "\n".join(
    [
        *long_term.HEADER,
        "",
        "## Rules",
        "",
        "- 2026-03-02: run the tests \\u{202E} \\< (evidence: a; b; seen 3 times; project: x) ^0123456789ab",
        "- 2026-03-02: plain",
        "my own words",
        "## Promotion Candidates",
        "- 2026-03-02: sort (reason: r) ^0123456789ac",
    ]
)
_CONFIG = "\n".join(
    (
        "[core]",
        "\tbare = false",
        '[remote "origin"]',
        "\turl = git@example.org:team/app.git",
        '[branch "main"]',
        "\tx = y",
    )
)
_TOML = "[recall]\nlimit = 20\n[brief]\nentries = 5\ntokens = 900\n[limits]\ntext = 100\n"
_BYTES = (
    b"\0",
    b"\n",
    b"\r",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\xf0\x9f",
    b"\xef\xbb\xbf",
    b" " * 300,
    b"\\",
)
_JSON = (
    *_BYTES,
    *(b'"', b"{", b"}", b"[", b"]" * 50, b"[" * 2000, b"1" * 5000, b"NaN", b"1e400", b"\\ud800", b"null", b":"),
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


_BASH = b"#1700000000\nmake lint\n#1700000060\nfor f in *; do\necho $f\ndone\nls\n"
_ZSH = b": 1700000000:3;make lint\n: 1700000060:0;echo a\\\nb\nplain \x83\xb4 line\n"
_FISH = b"- cmd: make lint\n  when: 1700000000\n  paths:\n    - src\n- cmd: echo a\\nb\n  when: 1700000060\n"
_RECORD = b"\0".join(
    (b"tacit1", b"zsh", b"1.2.3", b"0", b"1700000000000000", b"12", b"/srv", b"gst", b"git status", b"", b"")
)
_FORM = b"name: check\ndirectory: /srv\nstep:\n    make lint\nstep:\n    cat <<X\n    a\n    X\n"
_LINES = (
    b"git add -A && git commit -m 'a b' | tee log",
    b"sudo env A=1 make -C x test > log 2>&1 &",
    b"cat <<X\na\nX\n",
)
_SHELL = (
    *_BYTES,
    *(b"'", b'"', b"$(", b"`", b"((", b"<<X\n", b"&&", b"|", b";", b"{", b"\\\n", b"$((" * 40, b"(" * 300),
    *(b"; a" * 200, b": 1700000000:0;", b"#99999999999999999999", b"- cmd: ", b"  when: -1", b"\x83", b"\x83\x83"),
    *(b"step:", b"    "),
)


def readers(folder: str) -> list[Reader]:
    """All of them; those that read files read them in `folder`."""
    repository, worktree = os.path.join(folder, "repository"), os.path.join(folder, "worktree")
    os.makedirs(os.path.join(repository, ".git"))
    os.makedirs(worktree)
    settings = os.path.join(folder, "tacit.toml")
    config, pointer = os.path.join(repository, ".git", "config"), os.path.join(worktree, ".git")
    gitdirs = tuple(f"gitdir: {place}\n".encode() for place in (f"{repository}/.git", "../repository/.git", "x" * 300))
    return [
        Reader("lines of the log", (_LINE, _LINE * 3), _JSON, _read_log),
        Reader(
            "lines of the log, sealed again",
            (_LINE[:-16] + b"}",),
            _JSON,
            lambda data: _read_log(codec.with_checksum(data)),
        ),
        Reader("fact lines", (_FACT.encode(), f"{_FACT}\n{_FACT}\n".encode()), _JSON, _read_facts),
        Reader("long-term.md", (_PAGE.encode(),), _MARKS, _read_page),
        Reader(
            "escapes", (escape("a\n\u202e<b>```\\(evidence: x").encode(),), _MARKS, lambda data: unescape(_text(data))
        ),
        Reader(
            "settings",
            (_TOML.encode(), SETTINGS_TEMPLATE.encode()),
            _SETTINGS,
            lambda data: _in_file(settings, data, lambda: read_settings(settings)),
            (UsageError,),
        ),
        Reader(
            ".git/config",
            (_CONFIG.encode(), _CONFIG.replace("git@example.org:", "https://u:p@example.org/").encode()),
            _INI,
            lambda data: _in_file(config, data, lambda: find_project(repository, folder)),
        ),
        Reader("history of bash", (_BASH,), _SHELL, lambda data: list(history_formats.read_bash(BytesIO(data)))),
        Reader("history of zsh", (_ZSH,), _SHELL, lambda data: list(history_formats.read_zsh(BytesIO(data)))),
        Reader("history of fish", (_FISH,), _SHELL, lambda data: list(history_formats.read_fish(BytesIO(data)))),
        Reader("record of a shell", (_RECORD,), _SHELL, lambda data: record.parse_record(data, _NOW)),
        Reader("command lines", _LINES, _SHELL, lambda data: parse_commands(_text(data))),
        Reader(
            "form of a workflow",
            (_FORM,),
            _SHELL,
            lambda data: workflows.parse_form(_text(data)),
            (UsageError, RefusedError),
        ),
        Reader(
            ".git pointer", gitdirs, _INI, lambda data: _in_file(pointer, data, lambda: find_project(worktree, folder))
        ),
        *foreign(folder),
    ]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _read_log(data: bytes) -> None:
    for line in read_lines(BytesIO(data)):
        event = codec.decode(line.data)
        codec.id_in_line(line.data)
        if not isinstance(event, codec.DamagedLine):
            codec.encode(event)


def _read_facts(data: bytes) -> None:
    page = _text(data).split("\n")
    facts.sort_facts(page)
    facts.update_facts(page, [], [])
    for line in page:
        facts.reconcile_fact(_FACT, _FACT, line)


def _read_page(data: bytes) -> None:
    page = _text(data).split("\n")
    list(parse_entries(page))
    long_term.update_long_term(page, [])


def _in_file(path: str, data: bytes, read: Callable[[], object]) -> object:
    with open(path, "wb") as file:
        file.write(data)
    return read()


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
