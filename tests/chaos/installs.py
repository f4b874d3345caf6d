"""Installing and taking out again, over and over, into settings of every sort; and killed at any moment of it."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.person import Person

from tacit.cli.install import TARGETS
from tests.chaos.outcome import Outcome
from tests.chaos.program import run, tacit
from tests.chaos.strace import Call, killed_at, moments
from tests.install.test_entries_merging import BEFORE, FILES, SERVERS

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
        files = _settings(dice, person.folder, name)
        state = dice.choice((_as_it_is, _linked, _linked))
        for file in files:
            state(file)
        before = _look(person.folder)
        words = [name, "--yes", *(["--mcp"] if name in SERVERS and dice.random() < 0.5 else [])]
        done = person.tacit("install", *words, code=None)
        refused += bool(done.code)
        if done.code and _look(person.folder) != before:
            found.append(f"{number}: {name} was refused and changed something: {done.err}")
        person.tacit("uninstall", name, "--yes", code=None)
        found += [f"{number}: {name}: {fault}" for fault in _changed(before, _look(person.folder))]
        shutil.rmtree(person.folder)
    return Outcome(rounds, rounds - refused, 0, tuple(found), f"{refused} broken ones were refused")


def _settings(dice: random.Random, folder: Path, name: str) -> list[Path]:
    """Files as people have them; one in eight is broken."""
    if name in _SHELLS:
        files = {folder / _SHELLS[name]: dice.choice(_TEXTS)}
    else:
        sorts = _BROKEN if dice.random() < 1 / 8 else [one for one in BEFORE.values() if one is not None]
        files = {folder / FILES[name]: dice.choice(sorts)} if name in FILES else {}
    for file, data in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(dice.choice((0o600, 0o644, 0o640)))
    return list(files)


def _as_it_is(_file: Path) -> None:
    pass


def _linked(file: Path) -> None:
    """The file lies elsewhere, as with people who keep such files in a repository."""
    place = file.parent / "dotfiles" / file.name
    place.parent.mkdir(exist_ok=True)
    os.replace(file, place)
    file.symlink_to(place)


def _look(folder: Path) -> dict[str, tuple[bytes | str, int]]:
    """Every file of the person that is none of the home, with what it holds and its mode; links as such."""
    found: dict[str, tuple[bytes | str, int]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_relative_to(folder / ".agents") or (path.is_dir() and not path.is_symlink()):
            continue
        held = os.readlink(path) if path.is_symlink() else path.read_bytes()
        found[str(path.relative_to(folder))] = (held, path.lstat().st_mode)
    return found


def _changed(before: dict[str, tuple[bytes | str, int]], after: dict[str, tuple[bytes | str, int]]) -> Iterator[str]:
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            yield f"{name} was {before.get(name)} and is {after.get(name)}"


# Kills. Shells get theirs by the same replacement of a whole file.

AGENTS = [name for name, target in TARGETS.items() if target.is_agent]


def killed(folder: Path, name: str, most: int = 0, seed: int = 7) -> Outcome:
    """Installing an agent, killed at moments of it: each file is old or new, and doing it again ends well."""
    words = tacit("install", name, "--yes")
    home = _prepared(folder, name)
    old = _look(folder)
    when = [call for call in moments(words, home) if _is_theirs(call, folder)]
    new = _look(folder)
    chosen = when if not most else random.Random(seed).sample(when, min(most, len(when)))
    found, hit = list[str](), 0
    for moment in chosen:
        home = _prepared(folder, name)
        hit += killed_at(moment, words, home).killed
        now = _look(folder)
        mixed = [file for file in old.keys() | new.keys() if now.get(file) not in (old.get(file), new.get(file))]
        found += [f"killed at {moment.name} {moment.number}: {file} is mixed" for file in mixed]
        ended = [run(tacit(verb, name, "--yes"), home).code for verb in ("install", "uninstall")]
        found += [f"killed at {moment.name} {moment.number}: then {ended}"] * (ended != [0, 0])
        found += [f"killed at {moment.name} {moment.number}: {fault}" for fault in _changed(old, _look(folder))]
    found += [] if hit else ["no kill has hit: this shows nothing"]
    return Outcome(len(chosen), hit, 0, tuple(found), f"{name}: {hit} kills of {len(when)} moments")


def _prepared(folder: Path, name: str) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder / FILES.get(name, SERVERS[name])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(BEFORE["hooks of others"] or b"")
    return folder / ".agents"


def _is_theirs(call: Call, folder: Path) -> bool:
    """About a file of the host, or about the receipt of what was put there."""
    return "/installed" in call.words or (str(folder) in call.words and f"{folder}/.agents" not in call.words)
