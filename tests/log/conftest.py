"""A home of three lines, and a log that signs or not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.person import Person

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.log import Log
from tacit.log.signing import LineSigner
from tacit.purge.tombstones import load_tombstones

TEXTS = ("never force push", "always sign commits", "always name the ticket")


@pytest.fixture
def three(person: Person) -> Person:
    with person.vault() as vault:
        for text in TEXTS:
            vault.add(text)
    return person


def log_of(home: Path, signer: LineSigner | None = None) -> Log:
    lock = FileLock(str(home / ".tacit" / "log.lock"), 1.0)
    return Log(str(home), OsDisk(), lock, lambda: os.urandom(10), signer=signer, load_purges=load_tombstones)
