"""A home can be taken along and taken in: one's own lines whole, others' as candidates, nothing twice or purged."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from harness.person import Person, tree

from tacit.log.codec import with_checksum

PNPM, TABS = "use pnpm", "I prefer tabs"


@pytest.fixture
def laptop(tmp_path: Path) -> Person:
    """The same person at another machine."""
    folder = tmp_path / "laptop"
    folder.mkdir()
    return Person(folder)


@pytest.fixture
def filled(person: Person) -> Person:
    person.tacit("add", PNPM)
    person.tacit("add", PNPM, "--evidence", "said again")
    person.tacit("remember", "think about caching", "--evidence", "a talk")
    person.tacit("add", TABS)
    person.tacit("forget", person.id_of(TABS), "--reason", "r", "--evidence", "e")
    person.tacit("log", "--task", "t", "--summary", "moved the cache")
    return person


def exported(person: Person, name: str = "out") -> Path:
    person.tacit("export", "--to", str(person.folder / name))
    return person.folder / name


def known(person: Person) -> list[tuple[object, ...]]:
    found = person.listed("--status", "all", "--scope", "all")
    return sorted((one["label"], one["status"], one["strength"], one["kind"], tuple(one["evidence"])) for one in found)


def test_one_s_own_home_comes_over_whole(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    assert "Imported 6 events" in laptop.tacit("import", str(source), "--mine").out
    assert known(laptop) == known(filled)
    assert "t: moved the cache" in laptop.texts("moved the cache")
    assert laptop.tacit("doctor").code == 0


def test_taking_it_in_twice_changes_nothing(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    laptop.tacit("import", str(source), "--mine")
    before = {name: data for name, data in tree(laptop.home).items() if name.endswith(".jsonl")}
    assert "Imported 0 events" in laptop.tacit("import", str(source), "--mine").out
    assert {name: data for name, data in tree(laptop.home).items() if name.endswith(".jsonl")} == before


def test_what_one_says_after_an_import_is_later_than_all_of_it(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    laptop.tacit("import", str(source), "--mine")
    laptop.tacit("forget", laptop.id_of(PNPM), "--reason", "r", "--evidence", "e", now="2026-01-01T00:00:00+00:00")
    assert (PNPM, "retired") in {one[:2] for one in known(laptop)}
    laptop.tacit("undo")
    assert (PNPM, "active") in {one[:2] for one in known(laptop)}


def test_another_s_home_only_brings_candidates(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    said = laptop.tacit("import", str(source)).out
    assert "2 candidates to decide on" in said
    for one in laptop.listed("--status", "all"):
        assert (one["status"], one["strength"], one["provenance"]) == ("pending", 1, "external")
        assert one["evidence"][0].startswith("imported from out")
    assert laptop.tacit("brief", code=None).out.count(PNPM) == 0
    before = laptop.events.read_bytes()
    assert "0 candidates" in laptop.tacit("import", str(source)).out
    assert laptop.events.read_bytes() == before


def test_what_was_dismissed_here_is_not_proposed_again(filled: Person, laptop: Person) -> None:
    laptop.tacit("remember", PNPM, "--evidence", "e")
    laptop.tacit("dismiss", laptop.id_of(PNPM))
    laptop.tacit("import", str(exported(filled)))
    assert [one["status"] for one in laptop.listed("--status", "all") if one["label"] == PNPM] == ["dismissed"]


def test_what_was_purged_does_not_come_back(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    laptop.tacit("import", str(source), "--mine")
    laptop.tacit("purge", "--text", "pnpm", "--yes")
    for flags in ((), ("--mine",)):
        laptop.tacit("import", str(source), *flags)
        assert "pnpm" not in "".join(data.decode("utf-8", "replace") for data in tree(laptop.home).values())


def test_a_stranger_s_tombstones_purge_nothing(filled: Person, laptop: Person) -> None:
    laptop.tacit("import", str(exported(filled)), "--mine")
    filled.tacit("purge", "--text", "pnpm", "--yes")
    laptop.tacit("import", str(exported(filled, "later")))
    assert PNPM in {one["label"] for one in laptop.listed()}


def forge(source: Path, old: str = "\0", new: str = "", **changes: object) -> None:
    """Give every line of an export another text or other fields, and a good checksum."""
    path = source / "memory" / "events.jsonl"
    lines = [json.loads(line) for line in path.read_text().replace(old, new).splitlines()]
    whole = [{**{name: value for name, value in line.items() if name != "c"}, **changes} for line in lines]
    raw = [json.dumps(line, sort_keys=True, separators=(",", ":")).encode() for line in whole]
    path.write_bytes(b"".join(with_checksum(line) for line in raw))


def test_lines_from_the_far_future_stay_out(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    forge(source, id="ffffffff-ffff-7fff-bfff-ffffffffffff")
    assert "clock" in laptop.tacit("import", str(source), "--mine").out
    laptop.tacit("add", TABS)
    assert laptop.tacit("verify").code == 0


def test_damaged_lines_are_counted_and_the_rest_comes_in(filled: Person, laptop: Person) -> None:
    source = exported(filled)
    path = source / "memory" / "events.jsonl"
    path.write_bytes(b"<<<<<<< HEAD\n\x00\xff\n" + path.read_bytes() + b'{"half')
    said = laptop.tacit("import", str(source), "--mine").out
    assert "2 that cannot be read" in said
    assert known(laptop) == known(filled)


@pytest.mark.parametrize("flags", [(), ("--mine",)])
def test_a_secret_in_another_home_reaches_no_disk(filled: Person, laptop: Person, flags: tuple[str, ...]) -> None:
    secret = "AKIA" + "Z2Y3X4W5V6U7T2S3"
    source = exported(filled)
    forge(source, "said again", f"key {secret}")
    laptop.tacit("import", str(source), *flags)
    assert all(secret.encode() not in data for data in tree(laptop.home).values())


def test_a_fact_file_of_another_tool_brings_candidates(person: Person) -> None:
    file = person.folder / "facts.ndjson"
    file.write_text('{"canonical": "use pnpm", "strength": 99}\nnonsense\n')
    said = person.tacit("import", str(file)).out
    assert "1 candidate to decide on" in said and "not taken: 1" in said
    assert [one["status"] for one in person.listed("--status", "all")] == ["pending"]


def test_bad_places_are_told(filled: Person) -> None:
    full = exported(filled)
    assert "not empty" in filled.tacit("export", "--to", str(full), code=1).err
    assert "no Tacit home" in filled.tacit("import", str(filled.folder / "nowhere"), code=1).err
    assert "this very home" in filled.tacit("import", str(filled.home), code=1).err


def test_an_export_is_private_and_a_home_itself(filled: Person) -> None:
    source = exported(filled)
    for path in [source, *source.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    listed = filled.tacit("list", "--json", "--status", "all", "--home", str(source)).json
    assert {one["label"] for one in listed} == {PNPM, TABS, "think about caching"}


def test_what_was_purged_here_stays_out_of_a_home_that_never_heard_of_it(filled: Person, laptop: Person) -> None:
    laptop.tacit("add", "always use pnpm at work")
    laptop.tacit("purge", "--text", "pnpm", "--yes")
    said = laptop.tacit("import", str(exported(filled)), "--mine").out
    assert "that you have purged" in said
    assert "pnpm" not in "".join(data.decode("utf-8", "replace") for data in tree(laptop.home).values())
    assert "think about caching" in {one["label"] for one in laptop.listed("--status", "all")}


def test_an_export_counts_different_lines_and_leaves_out_what_was_never_acknowledged(person: Person) -> None:
    for text in ("use pnpm", "never force push"):
        person.tacit("add", text)
    lines = person.events.read_bytes()
    person.events.write_bytes(lines + lines + b"torn")
    said = person.tacit("export", "--to", str(person.folder / "copy")).out
    assert "Exported 2 events" in said
    assert (person.folder / "copy/memory/events.jsonl").read_bytes() == lines + lines
