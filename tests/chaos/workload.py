"""Random work on a home by several processes, and whether two indexes of one log are the same."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from tacit.disk.files import OsDisk
from tacit.errors import NotFoundError, RefusedError
from tacit.home.actor import current_actor
from tacit.home.home import Home
from tacit.home.paths import HomePaths
from tacit.home.store import Store, StoreOptions
from tacit.index.compare import dump_rows
from tacit.model.claim import Status
from tacit.model.observation import WorkLogged
from tacit.vault import Vault
from tests.chaos.writers import Acknowledge, finish, start

_THINGS = "pnpm npm tox nox ruff black docker podman make just".split()
_REDO_ATTEMPTS = 5
_PURPOSES = "installs tests formatting containers releases scripts".split()
_SHAPES = (
    "use {thing} for {purpose}",
    "always run {thing} before {purpose}",
    "never run {thing} before {purpose}",
    "we use {thing}",
    "I prefer {thing}",
    "the {purpose} config is {thing}.toml",
    "global: never commit {thing} files",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Every second process stands in the project. `verbs` may narrow what is done."""

    home: str
    project: str
    processes: int
    operations: int
    seed: int = 1
    verbs: tuple[str, ...] = ()


def live(plan: Plan) -> Counter[str]:
    """Do it all; how often each verb was carried out (some are refused, as in life)."""
    os.makedirs(os.path.join(plan.project, ".git"))
    _vault(plan, 0).setup.init()
    index = _index_file(plan)
    writers = [start(partial(_work, plan, number)) for number in range(plan.processes)]
    codes = finish(writers)
    assert codes == [0] * plan.processes, f"a process failed: {codes}"
    assert _index_file(plan) == index, "the index was rebuilt on the way: this would compare nothing"
    return Counter(line for writer in writers for line in writer.acknowledged)


def _index_file(plan: Plan) -> int:
    return os.stat(os.path.join(plan.home, "index.sqlite")).st_ino


def _vault(plan: Plan, number: int) -> Vault:
    return Vault(Home(plan.home, cwd=plan.project if number % 2 else plan.home, environment={"HOME": plan.home}))


def _work(plan: Plan, number: int, acknowledge: Acknowledge) -> None:
    rng = random.Random(f"{plan.seed} {number}")
    verbs = plan.verbs or tuple(VERBS)
    with _vault(plan, number) as vault:
        for verb in rng.choices(verbs, weights=[VERBS[verb].weight for verb in verbs], k=plan.operations):
            try:
                VERBS[verb].act(vault, rng)
            except (NotFoundError, RefusedError):  # nothing there to do it to, or another process was faster
                continue
            acknowledge(verb)


def sentence(rng: random.Random) -> str:
    """Few enough of them that the same is said again and contradicted."""
    return rng.choice(_SHAPES).format(thing=rng.choice(_THINGS), purpose=rng.choice(_PURPOSES))


def question(rng: random.Random) -> str:
    return " ".join(rng.choices([*_THINGS, *_PURPOSES, "use", "never", "config", "prefer", "told", "nowhere"], k=3))


def _any(vault: Vault, rng: random.Random, status: Status) -> str:
    found = list(vault.search.listing(status=status, scope="all"))
    if not found:
        raise NotFoundError("none yet")
    return rng.choice(found).memory.id


def _of_project(vault: Vault, rng: random.Random, *, shared: bool) -> str:
    here = list(vault.search.listing(status=Status.ACTIVE, scope="all"))
    found = [
        one.memory.id for one in here if "project" in one.memory.claim.scope and one.memory.is_in_fact_file is shared
    ]
    if not found:
        raise NotFoundError("none yet")
    return rng.choice(found)


def _log_work(vault: Vault, rng: random.Random) -> None:
    vault.memories.log(WorkLogged(f"T-{rng.randrange(9)}", sentence(rng), changes=rng.choice(_THINGS)))


def _forget(vault: Vault, rng: random.Random) -> None:
    vault.memories.forget(_any(vault, rng, Status.ACTIVE), reason=rng.choice(_PURPOSES), evidence="told so")


def _undo_and_redo(vault: Vault, _rng: random.Random) -> None:
    """Where another process changes something in between, there is nothing to redo, and it is tried again."""
    for _ in range(_REDO_ATTEMPTS):
        vault.changes.undo()
        with suppress(NotFoundError, RefusedError):
            vault.changes.redo()
            return
    raise NotFoundError("others were faster each time")


class Verb(NamedTuple):
    weight: int
    act: Callable[[Vault, random.Random], object]


VERBS = {
    "remember": Verb(8, lambda vault, rng: vault.memories.remember(sentence(rng), evidence=f"told {rng.randrange(9)}")),
    "add": Verb(8, lambda vault, rng: vault.memories.add(sentence(rng), tags=[rng.choice(_PURPOSES)])),
    "log": Verb(4, _log_work),
    "accept": Verb(4, lambda vault, rng: vault.memories.accept(_any(vault, rng, Status.PENDING))),
    "dismiss": Verb(3, lambda vault, rng: vault.memories.dismiss(_any(vault, rng, Status.PENDING))),
    "forget": Verb(3, _forget),
    "restore": Verb(4, lambda vault, rng: vault.memories.restore(_any(vault, rng, Status.RETIRED))),
    "edit": Verb(3, lambda vault, rng: vault.memories.edit(_any(vault, rng, Status.ACTIVE), text=sentence(rng))),
    "undo": Verb(4, lambda vault, _rng: vault.changes.undo()),
    "redo": Verb(3, _undo_and_redo),
    "share": Verb(3, lambda vault, rng: vault.memories.share(_of_project(vault, rng, shared=False))),
    "unshare": Verb(3, lambda vault, rng: vault.memories.unshare(_of_project(vault, rng, shared=True))),
    "recall": Verb(2, lambda vault, rng: vault.recall(question(rng))),
    "list": Verb(2, lambda vault, _rng: list(vault.search.listing(status=None, scope="all"))),
    "improve": Verb(2, lambda vault, _rng: vault.maintenance.improve(force=True)),
}


_INLINE = StoreOptions()


def open_store(home: str, options: StoreOptions = _INLINE) -> Store:
    """Log, index and notes of a home, outside of any project."""
    return Store(HomePaths(home), OsDisk(), current_actor({}), None, lambda: os.urandom(10), options=options)


def catch_up(store: Store) -> None:
    """File everything, also what nobody waits for."""
    with store.change():
        pass


def fingerprint(connection: sqlite3.Connection) -> str:
    """A hash of the logical dump."""
    digest = sha256()
    for row in dump_rows(connection):
        digest.update(repr(row).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
