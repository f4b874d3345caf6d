"""What somebody recorded and did not file: whoever has the home open finds it as soon as that is possible."""

from __future__ import annotations

import os

from harness.person import Person

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.home.home import Home
from tacit.home.paths import HomePaths
from tacit.home.store import StoreOptions
from tacit.log import Log
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Verdict
from tacit.model.observation import RecallAsked
from tacit.model.statement import claim_from
from tacit.purge.tombstones import load_tombstones
from tacit.vault import Vault

KNOWN, NEW = "deploys happen on tuesdays", "deploys are announced a day before"


def recorded(person: Person, vault: Vault, *texts: str) -> None:
    """As by somebody who is killed before anything is filed; a question that was asked stands behind it."""
    home = HomePaths(str(person.home))
    log = Log(home.root, OsDisk(), FileLock(home.log_lock, 10.0), lambda: os.urandom(10), load_purges=load_tombstones)
    added = [Draft(ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL) for text in texts]
    log.append([*added, Draft(RecallAsked("deploys", 1), GLOBAL)], vault.home.store.actor.origin())


def found(vault: Vault) -> set[str]:
    return {hit.text for hit in vault.search.recall("deploys", observe=False)}


def test_a_question_files_it(person: Person) -> None:
    person.tacit("add", KNOWN)
    with person.vault() as vault:
        assert found(vault) == {KNOWN}
        recorded(person, vault, NEW)
        assert found(vault) == {KNOWN, NEW}


def test_a_question_that_had_to_do_without_does_not_forget_that_it_is_there(person: Person) -> None:
    person.tacit("add", KNOWN)
    person.wait_for_pages()
    with person.at(), Vault(Home(person.home, options=StoreOptions(hurry_seconds=0.05))) as vault:
        assert found(vault) == {KNOWN}
        recorded(person, vault, NEW)
        with FileLock(HomePaths(str(person.home)).write_lock, 10.0).acquire():
            assert found(vault) == {KNOWN}
        assert found(vault) == {KNOWN, NEW}
