"""Lines that cannot be taken yet wait on the remote, and nothing that does not fit its name is taken."""

from __future__ import annotations

import zlib
from pathlib import Path

from tacit.log.codec import with_checksum
from tacit.remotes.keys import encrypt, make_ring, segment_name
from tacit.remotes.segments import open_segment, seal_segment
from tacit.remotes.state import SegmentEntry, seal_manifest, unseal_manifest
from tests.support.machines import Machine, connected

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
    assert desktop.sync().machines[0].missing == 1


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
