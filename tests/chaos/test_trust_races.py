"""Somebody rewrites a repository's fact file while a person looks at it, accepts it and asks.

What is believed is always what was shown and accepted, never a line of the attacker's; and when the attacker rests,
the trust stands only if the file is a plain one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.log.codec import DamagedLine, decode
from tacit.model.claim import Status
from tacit.model.observation import RepositoryTrusted
from tacit.vault import Vault
from tests.chaos.apart import attacker, folder_in_memory
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together

_EVIL = "obey"
_HOME = 50
_RESTS = 5  # so many rounds between two looks while the attacker rests


def _line(text: str) -> str:
    return json.dumps({"canonical": text, "strength": 999, "source": "user_direct"}) + "\n"


GOOD = "".join(_line(f"never deploy {day}") for day in ("on fridays", "at nights", "by hand"))
# As long as the good one, so that only its bytes tell it apart.
SWAPPED = GOOD.replace("never deploy at", f"{_EVIL} deploys  at")
LONGER = GOOD + _line(f"{_EVIL} the page")


@dataclass(frozen=True, slots=True)
class Plan:
    """`careless` is the mutant: what lies there is accepted, whatever was shown."""

    folder: str
    rounds: int
    seed: int = 1
    careless: bool = False

    @property
    def project(self) -> Path:
        return Path(self.folder, "project")

    @property
    def facts(self) -> Path:
        return self.project / "docs" / "memory" / "memories.ndjson"


def races(folder: Path, rounds: int, *, careless: bool = False) -> Outcome:
    """In a home of their own every fifty: thousands of lines of trust would only make it slow."""
    seeds = range(-(-rounds // _HOME))
    plans = (Plan(str(folder / str(seed)), min(rounds, _HOME), seed, careless) for seed in seeds)
    return together(map(race, plans), until_caught=careless)


def race(plan: Plan) -> Outcome:
    for folder in (plan.project / ".git", plan.facts.parent, Path(plan.folder, "aside")):
        folder.mkdir(parents=True)
    plan.facts.write_text(GOOD)
    program = ("tests.chaos.test_trust_races", plan.folder, str(plan.seed))
    home = Home(Path(plan.folder, "home"), cwd=plan.project, environment={"HOME": plan.folder})
    with attacker(*program) as process, Vault(home) as vault:
        vault.memories.add("the tests live in tests", everywhere=True)
        found = Outcome()
        for number in range(plan.rounds):
            found += _round(plan, vault)
            if number % _RESTS == 0:
                with _resting(process):
                    found += _at_rest(plan, vault)
            if found.faults:
                break
        return found._replace(runs=plan.rounds)


def _round(plan: Plan, vault: Vault) -> Outcome:
    """Look, accept what is good, ask."""
    with suppress(TacitError):
        vault.repository.distrust()
    accepted = 0
    with suppress(TacitError):
        seen = vault.repository.inspect()
        if seen.waiting and not any(_EVIL in line.claim.sentence for line in seen.waiting if line.claim):
            vault.repository.trust(vault.repository.inspect() if plan.careless else seen)
            accepted = 1
    return Outcome(acknowledged=accepted, faults=tuple(_believed_evil(vault)))


def _believed_evil(vault: Vault) -> Iterator[str]:
    """The attacker's words in any answer, or their bytes in what was trusted."""
    told = [hit.text for hit in vault.search.recall("deploy page obey", everything=True, observe=False)]
    told += [one.memory.claim.sentence for one in vault.search.listing(status=None, scope="all")]
    told.append(vault.search.brief(task="deploy", observe=False).text)
    yield from (f"believed: {text!r}" for text in told if _EVIL in text)
    good = {sha256(line.encode()).hexdigest() for line in GOOD.splitlines()}
    for raw in Path(vault.home.root, "memory", "events.jsonl").read_bytes().splitlines()[-12:]:
        event = decode(raw)
        if not isinstance(event, DamagedLine) and isinstance(event.body, RepositoryTrusted):
            yield from (f"trusted: {line.sha256}" for line in event.body.lines if line.sha256 not in good)


def _at_rest(plan: Plan, vault: Vault) -> Outcome:
    """Nobody moves: lines that were accepted hold as they were read, and none of them behind a link."""
    said = [one.memory.claim.sentence for one in vault.search.listing(status=Status.ACTIVE)]
    believed = {_line(sentence) for sentence in said if sentence.startswith("never")}
    if believed and plan.facts.is_symlink():
        return Outcome(faults=(f"still believed behind a link: {len(believed)} facts",))
    if strange := believed.difference(GOOD.splitlines(keepends=True)):
        return Outcome(faults=(f"believed as nobody accepted it: {strange}",))
    return Outcome()


@contextmanager
def _resting(process: subprocess.Popen[bytes]) -> Iterator[None]:
    process.send_signal(signal.SIGSTOP)
    try:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def _rewrite_for_ever(plan: Plan) -> None:
    dice = random.Random(plan.seed)
    aside = Path(plan.folder, "aside")
    (aside / "evil").write_text(SWAPPED)
    attacks: list[Callable[[], None]] = [
        lambda: _in_place(plan.facts, LONGER),
        lambda: _in_place(plan.facts, SWAPPED),
        lambda: _renamed(plan.facts, SWAPPED, aside / "new"),
        lambda: _renamed(plan.facts, LONGER, aside / "new"),
        lambda: _linked(plan.facts, aside),
        lambda: os.truncate(plan.facts, len(GOOD) // 2),
    ]
    print("at work", flush=True)
    while True:
        with suppress(OSError):
            dice.choice(attacks)()
            time.sleep(dice.random() / 2_000)
        with suppress(OSError):
            _renamed(plan.facts, GOOD, aside / "new") if dice.random() < 0.5 else _in_place(plan.facts, GOOD)
            time.sleep(dice.random() / 200)


def _in_place(path: Path, text: str) -> None:
    """The same file with other bytes."""
    if path.is_symlink():
        path.unlink()
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(text.encode())
        file.truncate()


def _renamed(path: Path, text: str, new: Path) -> None:
    new.write_text(text)
    new.chmod(0o600)
    os.replace(new, path)


def _linked(path: Path, aside: Path) -> None:
    with suppress(FileNotFoundError):
        (aside / "link").unlink()
    os.symlink(aside / "evil", aside / "link")
    os.replace(aside / "link", path)


def test_only_what_was_shown_is_believed() -> None:
    with folder_in_memory() as folder:
        assert_held(races(folder, 25), acknowledged=1)


def rows(short: bool) -> Iterator[Row]:
    rounds = 50 if short else 1_000
    yield Row("T24 races for a fact file", lambda at: races(at, rounds), "looks that were accepted hold")
    # On a busy machine the attacker may need many tries to come between.
    yield mutant_row("T24 mutant: accepted unseen", lambda at: races(at, 4_000, careless=True))


if __name__ == "__main__":
    _rewrite_for_ever(Plan(sys.argv[1], 0, int(sys.argv[2])))
