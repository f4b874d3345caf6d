"""`tacit doctor --mend`: lines that cannot be read are moved, byte for byte; all others stay as they are."""

from __future__ import annotations

import re

import pytest
from harness.person import Person

from tests.log.conftest import TEXTS
from tests.log.test_verify import DAMAGES, lines


def aside(person: Person) -> list[bytes]:
    return [path.read_bytes() for path in sorted((person.home / "quarantine").iterdir())]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_is_moved_and_the_home_is_well(three: Person, damage: str) -> None:
    first, second, third = lines(three)
    bad = DAMAGES[damage](second)
    three.events.write_bytes(first + bad + third)
    assert "tacit doctor --mend" in three.tacit("verify", code=3).out
    said = three.tacit("verify", "--mend")
    assert "Set aside memory/events.jsonl:2" in said.out
    assert said.out.splitlines()[-1] == "Every line of the log can be read."
    assert three.events.read_bytes() == first + third
    assert aside(three) == [bad]
    assert three.tacit("doctor").out.splitlines()[-1] == "The home is well."
    assert {memory["label"] for memory in three.listed()} == {TEXTS[0], TEXTS[2]}


def test_it_is_kept_where_only_the_person_can_read_it_under_a_telling_name(three: Person) -> None:
    three.events.write_bytes(lines(three)[0] + b"rubbish\n")
    three.tacit("verify", "--mend")
    (path,) = (three.home / "quarantine").iterdir()
    assert path.name == "memory-events-2-2026-03-02.bad"
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


def test_conflict_markers_of_a_merge_are_set_aside_and_both_sides_stay(three: Person) -> None:
    first, second, third = lines(three)
    three.events.write_bytes(first + b"<<<<<<< ours\n" + second + b"=======\n" + third + b">>>>>>> theirs\n")
    three.tacit("verify", "--mend")
    assert lines(three) == [first, second, third]
    assert sorted(aside(three)) == [b"<<<<<<< ours\n", b"=======\n", b">>>>>>> theirs\n"]
    assert {memory["label"] for memory in three.listed()} == set(TEXTS)


def test_the_same_place_damaged_again_gets_a_file_of_its_own(three: Person) -> None:
    for rubbish in (b"rubbish\n", b"more rubbish\n", b"rubbish\n"):
        three.events.write_bytes(lines(three)[0] + rubbish + lines(three)[-1])
        three.tacit("verify", "--mend")
    assert sorted(aside(three)) == [b"more rubbish\n", b"rubbish\n"]


def test_fragments_that_a_seal_explains_and_unfinished_ends_stay(three: Person) -> None:
    with three.events.open("ab") as file:
        file.write(b'{"actor":"user","body":{"cl')
    three.tacit("add", "never look back")
    whole = lines(three)
    with three.events.open("ab") as file:
        file.write(b"unfinished")
    three.events.write_bytes(b"rubbish\n" + three.events.read_bytes())
    three.tacit("verify", "--mend")
    assert three.events.read_bytes() == b"".join(whole) + b"unfinished"
    assert aside(three) == [b"rubbish\n"]
    said = three.tacit("verify").out
    assert "interrupted and never acknowledged" in said and "unfinished write" in said
    three.tacit("add", "always look ahead")
    three.tacit("verify")
    assert three.texts("look ahead") == ["always look ahead", "never look back"]


def test_a_healthy_log_is_left_as_it_is(three: Person) -> None:
    before = three.events.read_bytes()
    assert three.tacit("verify", "--mend").out == "Every line of the log can be read.\n"
    assert three.events.read_bytes() == before
    assert not (three.home / "quarantine").exists()


def test_lines_of_the_activity_are_set_aside_too(three: Person) -> None:
    three.tacit("log", "--task", "T-1", "--summary", "Moved the parser")
    (segment,) = (three.home / "activity").iterdir()
    good = segment.read_bytes()
    segment.write_bytes(b"rubbish\n" + good)
    three.tacit("verify", "--mend")
    assert segment.read_bytes() == good
    assert re.fullmatch(r"activity-2026-03-1-.*\.bad", next((three.home / "quarantine").iterdir()).name)


def test_without_a_home_nothing_is_made(person: Person) -> None:
    person.tacit("verify", "--mend", code=1)
    assert not person.home.exists()
