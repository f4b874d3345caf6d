"""What the fact file of a repository says before anything of it is believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness.person import Person
from harness.secret_examples import written

from tacit.errors import RefusedError
from tacit.home.repository import RepositoryFacts, count_waiting, inspect_repository, require_project

LIMIT = 100
LINT, FORCE = "always lint before a push", "never force push to main"


def fact(text: str) -> str:
    return json.dumps({"canonical": text}) + "\n"


@pytest.fixture
def clone(person: Person) -> Path:
    """A repository with a fact file of two lines."""
    root = person.folder / "clone"
    (root / ".git").mkdir(parents=True)
    fact_file(root).parent.mkdir(parents=True)
    fact_file(root).write_text(fact(LINT) + fact(FORCE))
    return root


def fact_file(root: Path) -> Path:
    return root / "docs" / "memory" / "memories.ndjson"


def inspect(person: Person, root: Path) -> RepositoryFacts:
    with person.vault(root) as vault:
        store = vault.home.store
        return store.read(lambda connection: inspect_repository(store, connection, LIMIT)[0])


def waiting(person: Person, root: Path) -> list[str]:
    return [line.claim.sentence for line in inspect(person, root).waiting if line.claim]


def count(person: Person, root: Path) -> int:
    with person.vault(root) as vault:
        store = vault.home.store
        return store.read(lambda connection: count_waiting(store, connection, LIMIT))


def test_lines_wait_in_the_order_of_the_file_and_a_claim_waits_once(person: Person, clone: Path) -> None:
    fact_file(clone).write_text(fact(FORCE) + "\n" + fact(LINT) + fact(LINT.upper()))
    assert [(line.number, line.claim and line.claim.sentence) for line in inspect(person, clone).waiting] == [
        (1, FORCE),
        (3, LINT),
    ]
    assert count(person, clone) == 2


def test_without_a_fact_file_nothing_waits(person: Person, clone: Path) -> None:
    fact_file(clone).unlink()
    assert inspect(person, clone) == RepositoryFacts(str(fact_file(clone)), None)


def test_outside_of_a_repository_there_is_nothing_to_inspect(person: Person) -> None:
    with person.vault() as vault, pytest.raises(RefusedError, match="this is no repository"):
        require_project(vault.home.store)


def test_lines_that_hold_no_acceptable_claim_are_listed_with_the_reason(person: Person, clone: Path) -> None:
    token = written("ghp_<a36>")
    fact_file(clone).write_text(fact(LINT) + "no JSON\n" + fact("x" * (LIMIT + 1)) + fact(f"the token is {token}"))
    found = inspect(person, clone)
    assert [(line.number, line.problem.split(" (")[0]) for line in found.invalid] == [
        (2, "not a fact that can be read"),
        (3, f"longer than {LIMIT} characters"),
        (4, "holds a secret"),
    ]
    assert token not in "".join(line.problem for line in found.invalid)
    assert waiting(person, clone) == [LINT]


def test_a_line_whose_claim_is_known_does_not_wait_even_if_it_was_forgotten(person: Person, clone: Path) -> None:
    with person.vault(clone) as vault:
        vault.add(LINT)
        vault.memories.forget(LINT, reason="it is slow", evidence="today")
    found = inspect(person, clone)
    assert (waiting(person, clone), found.known_count) == ([FORCE], 1)


def test_lines_that_this_home_wrote_are_no_lines_of_others(person: Person, clone: Path) -> None:
    fact_file(clone).unlink()
    person.tacit("add", LINT, cwd=clone)
    assert LINT in fact_file(clone).read_text()
    found = inspect(person, clone)
    assert (found.waiting, found.known_count) == ((), 0)


def test_accepted_lines_do_not_wait_and_an_end_of_trust_is_told(person: Person, clone: Path) -> None:
    with person.vault(clone) as vault:
        vault.repository.trust(vault.repository.inspect())
    fact_file(clone).write_text(fact_file(clone).read_text() + fact("name the ticket"))
    found = inspect(person, clone)
    assert found.accepted is not None and found.trust_ended == ""
    assert waiting(person, clone) == ["name the ticket"]
    with person.vault(clone) as vault:
        vault.repository.distrust()
    found = inspect(person, clone)
    assert found.accepted is None and found.trust_ended == "2026-03-02: ended by the person"


@pytest.mark.parametrize("what", ["link", "linked folder", "pipe", "too large"])
def test_a_file_that_must_not_be_read_is_refused_and_counts_as_nothing(person: Person, clone: Path, what: str) -> None:
    path = fact_file(clone)
    if what == "linked folder":
        path.parent.rename(person.folder / "elsewhere")
        path.parent.symlink_to(person.folder / "elsewhere")
    elif what == "too large":
        os.truncate(path, (4 << 20) + 1)
    else:
        path.rename(person.folder / "elsewhere")
        path.symlink_to(person.folder / "elsewhere") if what == "link" else os.mkfifo(path)
    with pytest.raises(RefusedError, match="symbolic link" if "link" in what else "no plain file of at most 4 MiB"):
        inspect(person, clone)
    assert count(person, clone) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_the_file_of_another_user_is_refused(person: Person, clone: Path) -> None:
    os.chown(fact_file(clone), 12345, 12345)
    with pytest.raises(RefusedError, match="belongs to another user"):
        inspect(person, clone)


def test_a_folder_whose_name_is_no_text_cannot_be_trusted(person: Person, clone: Path) -> None:
    odd = clone.rename(person.folder / os.fsdecode(b"odd\xff"))
    with pytest.raises(RefusedError, match="name is no text"):
        inspect(person, odd)
