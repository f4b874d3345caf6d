"""Machines of a person on one remote, each with a home, a replica of the remote and a clock.

They share keys from the beginning; tests/remotes/test_machines_keys.py is about how they get them.
"""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tacit.home.actor import Actor
from tacit.home.home import Home
from tacit.remotes.keys import Ring, decrypt, make_machine, make_ring
from tacit.remotes.machines import KeysReport
from tacit.remotes.manifests import RemoteReport
from tacit.remotes.state import RemoteState, RemoteStore
from tacit.vault import Vault

REMOTE = "home"
BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)
LOCKED_RING = b"a file that a recovery phrase would open"


class Machine:
    """A home with a remote. `clock` is how far it is ahead."""

    def __init__(self, home: Path, remote: str, clock: timedelta = timedelta()) -> None:
        self.home = home
        self.remote = remote
        self.clock = clock
        self.minutes = 0
        self._store: RemoteStore | None = None

    def vault(self) -> Vault:
        now = BEGIN + timedelta(minutes=self.minutes) + self.clock
        environment = {"HOME": str(self.home.parent), "PATH": os.environ["PATH"]}
        actor = Actor(lambda: now, host=self.home.parent.name)
        return Vault(Home(self.home, cwd=self.home.parent, environment=environment, actor=actor))

    def join(self, ring: Ring, *, everything: bool = False, locked_ring: bytes = LOCKED_RING) -> None:
        store = self.store()
        store.save_machine(make_machine())
        store.save(RemoteState(REMOTE, self.remote, everything, ring, locked_ring))

    def add_remote(self, phrase: str) -> KeysReport:
        """Join with a phrase, or type another one."""
        with self.vault() as vault:
            machines = vault.exchange.machines
            return machines.add(REMOTE, self.remote, everything=False, ask_phrase=lambda: phrase)

    def store(self) -> RemoteStore:
        if self._store is None:
            with self.vault() as vault:
                self._store = RemoteStore(vault.home.store.paths)
        return self._store

    @property
    def area(self) -> str:
        return self.store().machine().id

    @property
    def state(self) -> RemoteState:
        return self.store().load(REMOTE)

    def add(self, *sentences: str, evidence: str = "") -> None:
        self.minutes += 1
        with self.vault() as vault:
            for sentence in sentences:
                vault.memories.add(sentence, everywhere=True, evidence=evidence)

    def forget(self, sentence: str) -> None:
        self.minutes += 1
        with self.vault() as vault:
            vault.memories.forget(sentence, by_text=True, reason="no longer")

    def purge(self, text: str) -> None:
        self.minutes += 1
        with self.vault() as vault:
            vault.purger.purge(text=text)

    def sync(self) -> RemoteReport:
        """Sync, which must work."""
        self.minutes += 1
        report = self.try_sync()
        assert report.problem is None, report.problem
        return report

    def try_sync(self) -> RemoteReport:
        """Sync, which may fail."""
        with self.vault() as vault:
            (report,) = vault.exchange.machines.sync()
        return report

    def rotate(self) -> KeysReport:
        with self.vault() as vault:
            return vault.exchange.machines.rotate(REMOTE)

    def forget_machine(self, reference: str) -> KeysReport:
        with self.vault() as vault:
            (changed,) = vault.exchange.machines.forget_machine(reference)
        return changed

    def status(self) -> RemoteReport:
        with self.vault() as vault:
            (report,) = vault.exchange.machines.status()
        return report

    @property
    def known(self) -> set[str]:
        """Sentences of active memories."""
        with self.vault() as vault:
            return {listed.memory.claim.sentence for listed in vault.search.listing(scope="all")}

    @property
    def everything_known(self) -> set[tuple[str, str, int]]:
        with self.vault() as vault:
            listed = [listed.memory for listed in vault.search.listing(status=None, scope="all")]
        return {(memory.claim.sentence, memory.status.value, memory.strength) for memory in listed}


def sync_all(*machines: Machine) -> None:
    for machine in machines:
        machine.sync()


def plain_text(ring: Ring, data: bytes) -> bytes:
    """Return what a file of a remote says; b"" if it is not encrypted to the ring."""
    plain = decrypt(ring, data) or b""
    try:
        return zlib.decompress(plain)
    except zlib.error:  # a manifest
        return plain


def connected(folder: Path, count: int, remote: str = "", *, everything: bool = False) -> list[Machine]:
    """Return so many machines on one remote, by default a folder."""
    ring = make_ring()
    shared = remote or str(folder / "remote")
    if not remote:
        (folder / "remote").mkdir()
    machines = [Machine(folder / f"machine{number}" / "home", shared) for number in range(count)]
    for machine in machines:
        machine.home.parent.mkdir()
        machine.join(ring, everything=everything)
    return machines
