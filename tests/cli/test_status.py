"""`tacit` alone shows the state of the home and one next step."""

from __future__ import annotations

import pytest
from harness.person import Person

from tacit.cli.status import next_step
from tacit.vault.status import HomeStatus


def step(person: Person) -> str:
    said = person.tacit()
    assert len(said.out.splitlines()) < 15
    return next(line for line in said.out.splitlines() if line.startswith("Next: "))


def test_each_state_has_its_next_step(person: Person) -> None:
    assert "tacit setup" in step(person)
    assert not person.home.exists()
    person.tacit("note", "use pnpm")
    assert "tacit review  (1 candidate to accept or dismiss)" in step(person)
    person.tacit("accept", person.id_of("use pnpm"))
    assert "tacit setup" in step(person)
    (person.folder / ".bashrc").write_text("")
    person.tacit("install", "bash", "--yes")
    assert "tacit recall" in step(person)
    assert "Connected  bash" in person.tacit().out


@pytest.mark.parametrize(
    ("counts", "command"),
    [
        ({"dropped": 1, "pending": 3}, "tacit doctor"),
        ({"untrusted": 2, "pending": 3}, "tacit trust"),
        ({"undecided": 2, "pending": 3}, "tacit conflicts"),
        ({"pending": 3}, "tacit review"),
    ],
)
def test_what_is_wrong_comes_first(counts: dict[str, int], command: str) -> None:
    now = HomeStatus("/home", None, 5, 0, 0, 0, (), 0, 0, 0, None, 0, 0, 0)
    for name, count in counts.items():
        now = now._replace(**{name: count})  # type: ignore[arg-type]
    assert next_step(now, has_installed=True)[0] == command


def test_another_home_can_be_named(person: Person) -> None:
    other = person.folder / "other"
    person.tacit("add", "never force push", "--global", "--home", str(other))
    assert "Memories   1 active" in person.tacit("--home", str(other)).out
