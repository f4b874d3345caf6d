"""Installing and taking out again, over and over, into settings of every sort; and killed at any moment of it."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.person import Person

from tacit.cli.install import TARGETS
from tacit.install.entries import has_our_hook
from tests.chaos.kills import Scene, changes, looked, sweep
from tests.chaos.outcome import Outcome, Row, assert_held
from tests.chaos.program import Ended
from tests.chaos.strace import Call
from tests.install.test_entries_merging import BEFORE, FILES, SERVERS
from tests.support.removable import REMOVALS, Removable

_TEXTS = (b"", b"# mine\n", b"export A=1\nalias x='y z'", b"\xff\xfe no text \xed\n", b"a\r\nb\r\n")
_SHELLS = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
_BROKEN = (b"{", b'{"hooks": 5}', b'{"hooks": {"Stop": {}}}', b"\xff\xfe", b"[" * 3000)


def again(folder: Path, rounds: int, seed: int = 1) -> Outcome:
    """Each round another target, other settings, another state of the file: afterwards it is what it was."""
    folder.mkdir(parents=True, exist_ok=True)
    dice, found, refused = random.Random(seed), list[str](), 0
    for number in range(rounds):
        name = dice.choice(list(TARGETS))
        person = Person(folder / str(number))
        person.folder.mkdir()
        _settings(dice, person.folder, name)
        before = _look(person.folder)
        words = [name, "--yes", *(["--mcp"] if name in SERVERS and dice.random() < 0.5 else [])]
        done = person.tacit("install", *words, code=None)
        refused += bool(done.code)
        if done.code and _look(person.folder) != before:
            found.append(f"{number}: {name} was refused and changed something: {done.err}")
        person.tacit("uninstall", name, "--yes", code=None)
        found += [f"{number}: {name}: {fault}" for fault in changes(before, _look(person.folder))]
        shutil.rmtree(person.folder)
    return Outcome(rounds, rounds - refused, 0, tuple(found), f"{refused} broken ones were refused")


def _settings(dice: random.Random, folder: Path, name: str) -> None:
    """A file as people have it; one in eight is broken, and two of three lie elsewhere, as with people who keep such
    files in a repository."""
    if name not in _SHELLS | FILES:
        return
    file = folder / (_SHELLS | FILES)[name]
    sorts = _BROKEN if dice.random() < 1 / 8 else [one for one in BEFORE.values() if one is not None]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(dice.choice(_TEXTS if name in _SHELLS else sorts))
    file.chmod(dice.choice((0o600, 0o644, 0o640)))
    if dice.random() < 2 / 3:
        place = file.parent / "dotfiles" / file.name
        place.parent.mkdir(exist_ok=True)
        os.replace(file, place)
        file.symlink_to(place)


def _look(folder: Path) -> dict[str, tuple[bytes | str, int]]:
    """Every file of the person that is none of the home, with what it holds and its mode; links as such."""
    ours = (".agents", "home", "project")
    found = {name: (held, mode) for name, (held, mode, _) in looked(folder).items() if not stat.S_ISDIR(mode)}
    return {name: one for name, one in found.items() if Path(name).parts[0] not in ours}


AGENTS = [name for name, target in TARGETS.items() if target.is_agent]


def killed(folder: Path, name: str, most: int = 0) -> Outcome:
    """Installing an agent, killed at moments of it: each file is old or new, and doing it again ends well. Shells get
    theirs by the same replacement of a whole file."""
    scene = Scene(folder / "person", ("install", name, "--yes"))
    file = scene.folder / FILES.get(name, SERVERS[name])
    file.parent.mkdir(parents=True)
    file.write_bytes(BEFORE["hooks of others"] or b"")
    scene.prepare()
    old = _look(scene.folder)
    scene.finish()
    new = _look(scene.folder)

    def is_theirs(call: Call) -> bool:
        """About a file of the host, or about the receipt of what was put there."""
        return "/installed" in call.words or (str(scene.folder) in call.words and str(scene.home) not in call.words)

    def look(_ended: Ended) -> Iterator[str]:
        now = _look(scene.folder)
        mixed = [file for file in old.keys() | new.keys() if now.get(file) not in (old.get(file), new.get(file))]
        yield from (f"{file} is mixed" for file in mixed)
        for verb in ("install", "uninstall"):
            if (ended := scene.run(verb, name, "--yes")).code:
                yield f"then {verb} fails: {ended}"
        yield from changes(old, _look(scene.folder))

    return sweep(scene, look, most=most, since=is_theirs)


# OpenCode runs a plugin: tests/hosts/test_registration_opencode.py
HOSTS = ("claude", "codex", "gemini", "cursor", "copilot")
SHELLS = ("sh", "bash", "dash", "zsh", "fish", "words")
MEMORIES = ("Invoices are rounded half to even", "Feature flags live in flags.yaml", "Two people review migrations")
_PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
_ODD = 'it\'s "mine" $HOME \\ too'
_GIVEN = {"session_id": "s1", "sessionId": "s1", "conversation_id": "s1", "cwd": "/", "source": "startup"}


def removed(folder: Path, hosts: Iterable[str] = HOSTS, *, guarded: bool = True) -> Outcome:
    """What hosts would notice, of each removal. Without the guard `/bin/sh -c GUARD`, commands are as earlier versions
    wrote them."""
    own = Removable(folder / _ODD / "tacit")
    commands = dict(_installed(own, folder, hosts))
    if not guarded:
        commands = {name: [shlex.join(shlex.split(one)[3:]) for one in lines] for name, lines in commands.items()}
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


def _is_answered(commands: Mapping[str, list[str]], shell: str, folder: Path) -> bool:
    command = next(one for lines in commands.values() for one in lines if " inject " in one)
    given = json.dumps({**_GIVEN, "session_id": f"answered by {shell}"}).encode()
    words = _words(shell, command)
    done = subprocess.run(words, input=given, env=_environment(folder), cwd="/", capture_output=True, check=False)
    return done.returncode == 0 and MEMORIES[0] in done.stdout.decode() and isinstance(json.loads(done.stdout), dict)


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


def test_taking_out_leaves_what_was_there(tmp_path: Path) -> None:
    assert_held(again(tmp_path, 25), acknowledged=15)


def test_a_kill_while_installing_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    assert_held(killed(tmp_path / "person", "gemini", most=1))


def rows(short: bool) -> Iterator[Row]:
    rounds, kills, hosts = (20, 1, HOSTS[:1]) if short else (300, 0, HOSTS)
    yield Row("T49 installed and taken out", lambda at: again(at, rounds))
    yield Row("T49 installed, then removed", lambda at: removed(at, hosts))
    for name in AGENTS:
        yield Row(f"T49 install killed, {name}", partial(killed, name=name, most=kills))
