"""A damaged line is reported with its place and what to do, and harms nothing else."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.person import Person, Said, facts_in, tree

from tests.chaos.test_damage_sweep import INSERTS
from tests.log.conftest import TEXTS


def lines(person: Person) -> list[bytes]:
    return person.events.read_bytes().splitlines(keepends=True)


def put(person: Person, changed: list[bytes]) -> None:
    person.events.write_bytes(b"".join(changed))


def advice(said: Said, word: str) -> str:
    """The first command of this sort that is printed to type."""
    line = next(line for line in said.out.splitlines() if line.startswith("    → ") and word in line)
    return line[line.index(word) :].split(";")[0]


def typed(person: Person, command: str) -> Said:
    """Type a command into a shell, standing where the person stands."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=person.folder, env=person.environment(), capture_output=True, text=True, check=False
    )
    return Said(done.returncode, done.stdout, done.stderr)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a changed letter": lambda line: line.replace(b"sign", b"sing"),
    "cut off": lambda line: line[:40] + b"\n",
    "not json": lambda line: b"this is no line of ours\n",
    "binary": lambda line: b"\x00\xff\xfe" * 50 + b"\n",
    "very long": lambda line: b"x" * (3 << 20) + b"\n",
    "without its checksum": lambda line: line.split(b',"c":"')[0] + b"}\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("verb", ["verify", "doctor"])
def test_a_damaged_line_is_reported_with_file_line_and_advice(three: Person, damage: str, verb: str) -> None:
    first, second, third = lines(three)
    put(three, [first, DAMAGES[damage](second), third])
    said = three.tacit(verb, code=3)
    assert "memory/events.jsonl:2: this line cannot be read" in said.out
    assert "all other lines are unharmed" in said.out
    assert "events.jsonl:1:" not in said.out and "events.jsonl:3:" not in said.out
    assert "to mend." in said.out


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_harms_nothing_else(three: Person, damage: str) -> None:
    first, second, third = lines(three)
    put(three, [first, DAMAGES[damage](second), third])
    three.tacit("reindex")
    assert {fact["canonical"] for fact in facts_in(three.facts)} == {"never force push", "always name the ticket"}
    three.tacit("add", "never look back")
    assert set(three.texts("never force push look back ticket")) == {
        *("never force push", "always name the ticket", "never look back")
    }
    three.tacit("forget", "--text", "never force push", "--reason", "r", "--evidence", "e")
    three.tacit("undo")
    assert three.texts("force") == ["never force push"]
    assert lines(three)[1] == DAMAGES[damage](second)


@pytest.mark.parametrize("home", [".agents", "my notes/home"])
def test_the_advice_shows_the_damaged_line(person: Person, home: str) -> None:
    person.home = person.folder / home
    person.tacit("add", "always sign commits")
    put(person, [lines(person)[0].replace(b"sign", b"sing")])
    shown = typed(person, advice(person.tacit("verify", code=3), "sed "))
    assert shown.code == 0, shown.err
    assert "always sing commits" in shown.out


def test_a_damaged_line_put_right_is_whole_again(three: Person) -> None:
    good = lines(three)
    put(three, [good[0], good[1].replace(b"sign", b"sing"), good[2]])
    three.tacit("reindex")
    put(three, good)
    three.tacit("reindex")
    assert "Every line of the log can be read." in three.tacit("verify").out
    assert {fact["canonical"] for fact in facts_in(three.facts)} == set(TEXTS)


def test_a_damaged_last_line_is_no_end_of_the_log(three: Person) -> None:
    *rest, last = lines(three)
    put(three, [*rest, last.replace(b"ticket", b"tikcet")])
    three.tacit("add", "never look back")
    assert "events.jsonl:3" in three.tacit("verify", code=3).out
    assert three.texts("look back") == ["never look back"]


def test_damage_in_the_activity_is_reported_too(three: Person) -> None:
    three.tacit("log", "--task", "T-1", "--summary", "Moved the parser")
    (segment,) = (three.home / "activity").iterdir()
    segment.write_bytes(segment.read_bytes().replace(b"parser", b"praser"))
    assert "activity/2026-03.jsonl:1" in three.tacit("verify", code=3).out
    assert three.texts("force") == ["never force push"]


def test_empty_lines_are_no_damage(three: Person) -> None:
    put(three, [b"\n", *lines(three), b"\n\n"])
    assert "Every line of the log can be read." in three.tacit("verify").out
    three.tacit("reindex")
    assert len(facts_in(three.facts)) == 3


def test_lines_that_came_twice_count_once(three: Person) -> None:
    put(three, lines(three) * 2)
    three.tacit("reindex")
    assert {fact["strength"] for fact in facts_in(three.facts)} == {1}
    assert "Every line of the log can be read." in three.tacit("verify").out


@pytest.mark.parametrize("torn", [b'{"actor":"user","body":{"cl', b"\x00\x00\x00", b"x" * 20_000])
def test_a_torn_tail_is_closed_by_the_next_write(three: Person, torn: bytes) -> None:
    put(three, [*lines(three), torn])
    assert f"{len(torn)} bytes of an unfinished write" in three.tacit("verify").out
    assert len(three.texts("force sign ticket")) == 3
    three.tacit("add", "never look back")
    assert three.texts("look back") == ["never look back"]
    assert torn in three.events.read_bytes()
    said = three.tacit("verify")
    assert "interrupted and never acknowledged" in said.out
    assert "Every line of the log can be read." in said.out
    three.tacit("reindex")
    assert len(facts_in(three.facts)) == 4


def test_a_line_whose_line_feed_is_missing_is_not_glued_to_the_next(three: Person) -> None:
    put(three, [b"".join(lines(three)).rstrip(b"\n")])
    three.tacit("add", "never look back")
    assert three.texts("look back") == ["never look back"]
    three.tacit("reindex")
    assert "never look back" in {fact["canonical"] for fact in facts_in(three.facts)}


def test_a_healthy_home_is_said_to_be_well(three: Person) -> None:
    said = three.tacit("doctor")
    assert said.out.splitlines()[-1] == "The home is well."
    assert "✗" not in said.out
    assert three.tacit("verify").out == "Every line of the log can be read.\n"


@pytest.mark.parametrize("insert", INSERTS)
def test_foreign_lines_are_counted_and_looking_leaves_them_where_they_are(three: Person, insert: str) -> None:
    first, *rest = lines(three)
    put(three, [first, INSERTS[insert], *rest])
    three.long_term.unlink()
    before = tree(three.home), three.events.stat().st_mtime_ns, three.events.stat().st_ino
    count = INSERTS[insert].count(b"\n")
    for verb in ("verify", "doctor"):
        told = three.tacit(verb, code=3).out.splitlines()
        assert sum(line.startswith("✗ memory/events.jsonl:") for line in told) == count
        assert told[-1].endswith(" to mend.")
    assert (tree(three.home), three.events.stat().st_mtime_ns, three.events.stat().st_ino) == before
    assert set(three.texts("force sign ticket")) == set(TEXTS)


@pytest.mark.parametrize("name", ["memory/events.jsonl", "memory", "index.sqlite", "memory/long-term.md", "."])
def test_a_stray_permission_is_found_and_the_advice_mends_it(three: Person, name: str) -> None:
    stray_permission_is_mended(three, three.home / name)


def test_the_advice_can_be_typed_where_a_folder_has_a_blank_in_its_name(person: Person) -> None:
    person.home = person.folder / "my notes" / "home"
    person.tacit("add", "always sign commits")
    stray_permission_is_mended(person, person.events)


def stray_permission_is_mended(person: Person, path: Path) -> None:
    path.chmod(0o755 if path.is_dir() else 0o644)
    said = person.tacit("doctor", code=3)
    while said.code:  # what lies beside the index takes its mode from it
        assert "others can read or write it" in said.out
        mended = typed(person, advice(said, "chmod "))
        assert mended.code == 0, mended.err
        said = person.tacit("doctor", code=None)
    assert said.out.splitlines()[-1] == "The home is well."


def test_files_of_other_programs_in_the_home_are_none_of_our_business(three: Person) -> None:
    """`~/.agents` is a folder that others use too; only our files have to be private."""
    theirs = three.home / "skills" / "notes.md"
    theirs.parent.mkdir(mode=0o755)
    theirs.write_text("not ours\n")
    theirs.chmod(0o644)
    assert three.tacit("doctor").out.splitlines()[-1] == "The home is well."


def test_a_planted_link_is_found(three: Person) -> None:
    target = three.folder / "target.md"
    target.write_text("mine\n")
    three.long_term.unlink()
    three.long_term.symlink_to(target)
    assert "a symbolic link" in three.tacit("doctor", code=3).out
    three.tacit("add", "never look back")
    assert target.read_text() == "mine\n"


@pytest.mark.parametrize("view", ["memory/long-term.md", "memory/memories.ndjson"])
def test_a_missing_view_is_found_and_the_advice_mends_it(three: Person, view: str) -> None:
    before = (three.home / view).read_bytes()
    (three.home / view).unlink()
    said = three.tacit("doctor", code=3)
    assert "this view is missing" in said.out and "tacit doctor --reindex" in said.out
    three.tacit("reindex")
    assert (three.home / view).read_bytes() == before
    assert three.tacit("doctor").code == 0


def test_a_hand_edit_is_no_illness(three: Person) -> None:
    three.long_term.write_text(three.long_term.read_text() + "\nMy own words.\n")
    said = three.tacit("doctor")
    assert "edited by hand" in said.out
    assert said.out.splitlines()[-1] == "The home is well."
    three.tacit("reindex")
    assert "My own words." in three.long_term.read_text()


def test_without_a_home_the_doctor_says_how_to_make_one(person: Person) -> None:
    said = person.tacit("doctor")
    assert "tacit init" in said.out
    assert not person.home.exists()


def test_an_event_of_the_future_is_kept_and_no_illness(three: Person, tmp_path: Path) -> None:
    from tacit.log.codec import with_checksum

    fields = {**json.loads(lines(three)[-1]), "type": "memory.dreamt", "body": {"about": "sheep"}, "v": 1}
    fields.pop("c")
    fields["id"] = fields["op"] = "0" + fields["id"][1:]
    line = with_checksum(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
    put(three, [*lines(three), line])
    said = three.tacit("verify")
    assert "an event this version does not know (memory.dreamt)" in said.out
    three.tacit("add", "never look back")
    assert lines(three)[3] == line
    three.tacit("reindex")
    assert len(facts_in(three.facts)) == 4


def test_a_line_that_changed_places_with_another_is_not_taken_for_it(person: Person) -> None:
    """The index knows where lines stand; two of the same length, put the other way round, it has to tell apart."""
    for text in ("I prefer vim", "I prefer git"):
        person.tacit("add", text)
    known = {text: person.tacit("show", text).out for text in ("I prefer vim", "I prefer git")}
    first, second = lines(person)
    assert len(first) == len(second)
    status = person.events.stat()
    put(person, [second, first])
    os.utime(person.events, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert {text: person.tacit("show", text).out for text in known} == known
