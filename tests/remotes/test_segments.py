"""Which lines a remote gets, and that neither the number nor the size of its files grows without bound."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from tacit.home.home import Home
from tacit.model.observation import WorkLogged
from tacit.vault.vault import Vault
from tests.remotes.test_machines import segment_paths
from tests.support.machines import Machine, connected

PLANTED = "Operation Walrus"


def test_many_syncs_leave_few_files(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    for number in range(30):
        laptop.add(f"rule number {number}")
        laptop.sync()
        assert len(segment_paths(laptop)) <= 10
    desktop.sync()
    assert len(desktop.known) == 30


def test_a_sync_sends_little_more_than_what_is_new(tmp_path: Path) -> None:
    laptop, _ = connected(tmp_path, 2)
    laptop.add(*(f"rule {number} {os.urandom(100).hex()}" for number in range(300)))
    laptop.sync()
    before = {path: path.stat().st_ino for path in segment_paths(laptop)}
    for number in range(3):
        laptop.add(f"rule number {number}")
        laptop.sync()
    assert {path: inode for path, inode in before.items() if path.stat().st_ino == inode} == before


def test_memories_only_unless_everything_is_asked_for(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    record_activity(laptop)
    assert laptop.sync().sent == 1  # the memory alone
    desktop.sync()
    assert "walked the dog" not in activity(desktop)


def test_with_everything_commands_and_the_worklog_come_too(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2, everything=True)
    record_activity(laptop)
    assert laptop.sync().sent > 1
    desktop.sync()
    assert "walked the dog" in activity(desktop)
    with desktop.vault() as vault:
        assert any("walked the dog" in hit.passage for hit in vault.recall("walked the dog"))


def test_what_is_true_of_one_machine_stays_there(tmp_path: Path) -> None:
    """Where projects lie, what was trusted there, and what a repository or a team says."""
    laptop, desktop = connected(tmp_path, 2, everything=True)
    project = tmp_path / "machine0" / "work"
    (project / ".git").mkdir(parents=True)
    with Vault(Home(laptop.home, cwd=project, environment={"HOME": str(tmp_path)})) as vault:
        vault.add("a rule of the project")
    laptop.sync()
    desktop.sync()
    assert "project.seen" in activity(laptop)
    assert "project.seen" not in activity(desktop)


def test_nothing_planted_is_on_the_remote(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2, everything=True)
    laptop.add(f"the plan for {PLANTED}", evidence=f"an e-mail about {PLANTED}")
    record_activity(laptop)
    for machine in (laptop, desktop, laptop):
        machine.sync()
    names = [laptop.home.parent.name, str(laptop.home), "walked the dog", "memory.added", "home"]
    for path in Path(laptop.remote).rglob("*"):
        data = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        for text in (PLANTED, *names):
            for form in forms(text):
                assert form not in data, (path, text)


def forms(text: str) -> list[bytes]:
    plain = text.encode()
    encoded = [base64.b64encode(plain), base64.b32encode(plain), plain.hex().encode(), text.encode("utf-16-le")]
    return [plain, plain.lower(), plain.upper(), plain[::-1], *encoded]


def record_activity(machine: Machine) -> None:
    with machine.vault() as vault:
        vault.memories.add("use pnpm", everywhere=True)
        vault.memories.log(WorkLogged("walked the dog", "walked the dog"))


def activity(machine: Machine) -> str:
    return "".join(path.read_text() for path in machine.home.rglob("*.jsonl"))
