"""Which lines a remote gets, and that neither the number nor the size of its files grows without bound."""

from __future__ import annotations

import base64
import os
import zlib
from pathlib import Path

from tacit.home.home import Home
from tacit.log.codec import with_checksum
from tacit.model.observation import WorkLogged
from tacit.remotes.keys import encrypt, make_ring, segment_name
from tacit.remotes.manifests import SegmentEntry, seal_manifest, unseal_manifest
from tacit.remotes.segments import open_segment, seal_segment
from tacit.vault import Vault
from tests.remotes.test_machines import segment_paths
from tests.support.machines import Machine, connected, sync_all

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
    laptop.add(*(f"rule {number} {os.urandom(100).hex()}" for number in range(30)))
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
    sync_all(laptop, desktop)
    assert "project.seen" in activity(laptop)
    assert "project.seen" not in activity(desktop)


def test_nothing_planted_is_on_the_remote(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2, everything=True)
    laptop.add(f"the plan for {PLANTED}", evidence=f"an e-mail about {PLANTED}")
    record_activity(laptop)
    sync_all(laptop, desktop, laptop)
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


# What is taken of a segment, and what waits

PNPM = "use pnpm"


def plant(machine: Machine, content: bytes, *, name: str = "") -> None:
    """Put a segment into a machine's area, and into its manifest."""
    ring, area = machine.state.ring, Path(machine.remote, machine.area)
    manifest = unseal_manifest(ring, (area / "manifest.age").read_bytes())
    assert manifest is not None
    data = seal_segment(ring, content)
    entry = SegmentEntry(name or segment_name(ring, machine.area, content), len(data), content.count(b"\n"))
    (area / entry.file).write_bytes(data)
    changed = manifest._replace(segments=(*manifest.segments, entry), sequence=manifest.sequence + 1)
    (area / "manifest.age").write_bytes(seal_manifest(ring, changed))


def line(kind: str, body: str = "{}", actor: str = "user") -> bytes:
    """A line of the log as another version of Tacit may write it."""
    fields = (
        f'{{"actor":"{actor}","body":{body},"host":"x","id":"019cadd0-0000-7000-8000-000000000001",'
        f'"op":"019cadd0-0000-7000-8000-000000000001","scope":"global","sess":"","src":"user_direct",'
        f'"ts":"2026-03-02T12:00:00.000000Z","type":"{kind}","tz":0,"v":1}}'
    )
    return with_checksum(fields.encode("ascii"))


def test_a_line_of_a_newer_version_waits_and_the_rest_comes(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(PNPM)
    laptop.sync()
    plant(laptop, line("memory.dreamt", '{"text":"something new"}'))
    for _ in range(2):
        report = desktop.sync().machines[0]
        assert report.held == 1
    assert desktop.known == {PNPM}
    assert all(b"memory.dreamt" not in path.read_bytes() for path in desktop.home.rglob("*.jsonl"))


def test_a_line_that_is_no_line_waits_too(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.sync()
    plant(laptop, b"no line at all\n" + line("x" * 300_000))
    assert desktop.sync().machines[0].held == 2


def test_a_segment_whose_content_has_another_name_is_not_taken(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.sync()
    plant(laptop, line("work.logged", '{"task":"t","summary":"s"}'), name="e" * 32)
    assert desktop.sync().machines[0].damaged == 1


def test_what_others_send_as_a_repository_or_a_team_is_not_taken(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.sync()
    body = '{"task":"t","summary":"s"}'
    for actor in ("repository", "team", "team:alice"):
        plant(laptop, line("work.logged", body, actor))
    report = desktop.sync().machines[0]
    assert (report.new, report.held, report.missing) == (0, 0, 0)
    plant(laptop, line("work.logged", body))
    assert desktop.sync().machines[0].new == 1


def test_a_segment_is_opened_by_its_ring_machine_and_name_alone() -> None:
    ring, content = make_ring(), b"lines\n"
    data, name = seal_segment(ring, content), segment_name(ring, "a" * 32, content)
    assert open_segment(ring, "a" * 32, name, data) == content
    assert open_segment(ring, "b" * 32, name, data) is None
    assert open_segment(ring, "a" * 32, "f" * 32, data) is None
    assert open_segment(make_ring(), "a" * 32, name, data) is None
    assert open_segment(ring, "a" * 32, name, data[:-1]) is None


def test_what_is_no_segment_or_larger_than_any_is_none() -> None:
    ring, content = make_ring(), bytes(20 << 20)
    plain = zlib.compress(b"x" * 100)
    for data in (b"", b"no such file", plain[:-3]):
        assert open_segment(ring, "a" * 32, segment_name(ring, "a" * 32, b"x" * 100), encrypt(ring, data)) is None
    name = segment_name(ring, "a" * 32, content[: 16 << 20])
    assert open_segment(ring, "a" * 32, name, seal_segment(ring, content)) is None
