"""Which home is meant: --home before or behind the verb, then TACIT_HOME, then ~/.agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

import tacit


@pytest.mark.parametrize(
    "words",
    [
        ("--home", "HOME", "add", "never force push"),
        ("add", "never force push", "--home", "HOME"),
        ("add", "--home", "HOME", "never force push"),
        ("add", "--home=HOME", "never force push"),
        ("--home=HOME", "add", "never force push"),
    ],
)
def test_home_may_stand_before_or_behind_the_verb(person: Person, tmp_path: Path, words: tuple[str, ...]) -> None:
    other = tmp_path / "other home"
    person.process(*(word.replace("HOME", str(other)) for word in words))
    assert (other / "memory" / "events.jsonl").exists()
    assert not person.home.exists()
    assert "never force push" in person.process("--home", str(other), "list").out


def test_the_option_beats_the_environment_and_that_beats_the_default(person: Person, tmp_path: Path) -> None:
    default = person.folder / ".agents"
    person.home = tmp_path / "from the environment"
    person.process("add", "never force push")
    assert person.events.exists()
    assert not default.exists()
    person.process("add", "never force push", TACIT_HOME="")
    assert (default / "memory" / "events.jsonl").exists()


def test_a_tilde_is_the_persons_own_folder(person: Person) -> None:
    person.process("add", "never force push", "--home", "~/elsewhere")
    assert (person.folder / "elsewhere" / "memory" / "events.jsonl").exists()


def test_the_library_opens_the_same_homes(person: Person, tmp_path: Path) -> None:
    with person.at(), tacit.open() as vault:
        vault.add("never force push")
        assert vault.home.root == str(person.home)
    with person.at(), tacit.open(tmp_path / "other") as vault:
        assert vault.recall("force") == []
    assert person.texts("force") == ["never force push"]
