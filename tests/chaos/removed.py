"""Tacit is removed, in parts or whole, and what it registered with hosts stays behind: no command of it does any harm.

Each command is started as hosts start them: by several shells, or split into words. The installation lies in a folder
whose name no shell likes, and the host writes more than a pipe holds.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tacit.install.entries import has_our_hook
from tests.chaos.outcome import Outcome
from tests.support.removable import REMOVALS, Removable

HOSTS = (
    "claude",
    "codex",
    "gemini",
    "cursor",
    "copilot",
)  # OpenCode runs a plugin: tests/hosts/test_registration_opencode.py
SHELLS = ("sh", "bash", "dash", "zsh", "fish", "words")
MEMORIES = ("Invoices are rounded half to even", "Feature flags live in flags.yaml", "Two people review migrations")
_PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
_ODD = 'it\'s "mine" $HOME \\ too'
_GIVEN = {"session_id": "s1", "sessionId": "s1", "conversation_id": "s1", "cwd": "/", "source": "startup"}


def removed(folder: Path, hosts: Iterable[str] = HOSTS, *, guarded: bool = True) -> Outcome:
    """What hosts would notice, of each removal. Without the guard, commands are as earlier versions wrote them."""
    own = Removable(folder / _ODD / "tacit")
    commands = dict(_installed(own, folder, hosts))
    if not guarded:
        commands = {name: [_unguarded(one) for one in lines] for name, lines in commands.items()}
    found = [f"no answer by {shell}" for shell in _shells() if not _is_answered(commands, shell, folder)]
    kept, runs = shutil.copytree(own.folder, folder / "kept", symlinks=True), 0
    for removal, remove in REMOVALS.items():
        remove(own)
        for host, lines in commands.items():
            for shell in _shells():
                noticed = _noticed(shell, lines[runs % len(lines)], folder)
                found += [f"{host} by {shell}, without {removal}: {fault}" for fault in noticed]
                runs += 1
        shutil.rmtree(own.folder, ignore_errors=True)
        shutil.copytree(kept, own.folder, symlinks=True)
    return Outcome(runs, runs, 0, tuple(found))


def _shells() -> list[str]:
    return [shell for shell in SHELLS if shell == "words" or shutil.which(shell)]


def _environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"]}


def _installed(own: Removable, folder: Path, hosts: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The commands that each host has afterwards."""
    for memory in MEMORIES:
        own.tacit("add", memory, "--global", cwd=folder, environment=_environment(folder))
    for host in hosts:
        before = set(folder.rglob("*.json"))
        own.tacit("install", host, "--yes", cwd=folder, environment=_environment(folder))
        made = [path for path in folder.rglob("*.json") if path not in before and ".agents" not in path.parts]
        yield host, [one for path in made for one in _strings(json.loads(path.read_bytes())) if has_our_hook(one)]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _unguarded(command: str) -> str:
    """Without `/bin/sh -c GUARD`."""
    return shlex.join(shlex.split(command)[3:])


def _is_answered(commands: Mapping[str, list[str]], shell: str, folder: Path) -> bool:
    command = next(one for lines in commands.values() for one in lines if " inject " in one)
    given = json.dumps({**_GIVEN, "session_id": f"answered by {shell}"}).encode()
    process = subprocess.Popen(_words(shell, command), env=_environment(folder), cwd="/", **_PIPES)
    out, _ = process.communicate(given)
    return process.returncode == 0 and MEMORIES[0] in out.decode() and isinstance(json.loads(out), dict)


def _words(shell: str, command: str) -> list[str]:
    return shlex.split(command) if shell == "words" else [shell, "-c", command]


def _noticed(shell: str, command: str, folder: Path) -> Iterator[str]:
    given = json.dumps({**_GIVEN, "prompt": "please " * 50_000}).encode()
    try:
        process = subprocess.Popen(_words(shell, command), env=_environment(folder), cwd="/", **_PIPES)
    except OSError as error:
        yield str(error)
        return
    assert process.stdin is not None
    try:
        process.stdin.write(given)
        process.stdin.close()
    except BrokenPipeError:
        yield "nobody read what it was given"
    process.stdin = None
    out, err = process.communicate()
    if (process.returncode, out, err) != (0, b"", b""):
        yield f"exit code {process.returncode}, {(out + err)[-200:]!r}"
