"""On a disk without a free byte, everything that is known can be read, and a memory is taken if the log has room."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person, Said

from tests.chaos.apart import apart, filled, namespace, small_disk

READS = (
    *("recall tool", "list", "brief", "status", "suggestions", "conflicts", "why RULE", "show RULE"),
    *("list --all", "stats"),
)
RULES = [f"never use the tool number {number} on fridays" for number in range(1, 6)]
BLOCK = 4096

pytestmark = pytest.mark.skipif(not namespace(), reason="nobody may mount a file system here")


def _person(folder: str) -> Person:
    disk = small_disk(folder)
    person = Person(disk / "person")
    person.folder.mkdir()
    for rule in RULES:
        person.process("add", rule)
    person.wait_for_pages()
    return person


def _fill(person: Person) -> Path:
    ballast = filled(person.folder.parent, 0)
    with (person.folder.parent / "rest").open("wb", buffering=0) as rest:
        try:
            while True:
                rest.write(bytes(BLOCK))
        except OSError:
            return ballast


def read_all(folder: str) -> list[tuple[str, Said]]:
    person = _person(folder)
    rule = person.id_of(RULES[0])
    _fill(person)
    return [(line, person.process(*line.replace("RULE", rule).split(), code=None)) for line in READS]


def add_and_ask(folder: str) -> list[Said]:
    """Add a memory, which fits into the last block of the log, and ask before and after there is room again."""
    person = _person(folder)
    ballast = _fill(person)
    said = [person.process("add", "look both ways", code=None), person.process("recall", "both ways", code=None)]
    ballast.unlink()
    return [*said, person.process("list"), person.process("doctor", code=None)]


def test_everything_can_be_read(tmp_path: Path) -> None:
    answers = apart(read_all, str(tmp_path), within=namespace())
    for line, said in answers:
        assert said.code == 0, f"{line}: {said.err}"
    assert all(rule in dict(answers)["list"].out for rule in RULES)


def test_a_memory_is_taken_while_the_log_has_room(tmp_path: Path) -> None:
    added, asked, listed, checked = apart(add_and_ask, str(tmp_path), within=namespace())
    assert added.code == 0, added.err
    assert "look both ways" in asked.out
    assert "look both ways" in listed.out and all(rule in listed.out for rule in RULES)
    assert "index" not in checked.out


def record_first(folder: str) -> tuple[int, int]:
    """The first command of a shell, in a home in which none was recorded before."""
    from tests.chaos.test_spooling import commands, dropped, record, waiting

    person = _person(folder)
    _fill(person)
    assert record(person.home, "make first") == []
    return len(waiting(person.home)) + len(commands(person.home)), dropped(person.home)


def test_the_first_command_of_a_shell_is_kept(tmp_path: Path) -> None:
    assert apart(record_first, str(tmp_path), within=namespace()) == (1, 0)
