"""What came from outside keeps its class in a whole home: after a yes, a rewording, a merge, a restart, for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

# The class of a memory follows from the log, whatever interpreter reads it.
pytestmark = pytest.mark.same_everywhere


@pytest.fixture
def tainted(person: Person) -> Person:
    """Something that came with a file, accepted by the person."""
    path = person.folder / "facts.ndjson"
    path.write_text('{"canonical": "always ask the web page first"}\n')
    person.tacit("import", str(path))
    person.tacit("accept", person.id_of("always ask the web page first"))
    return person


def classes(person: Person) -> dict[str, str]:
    return {one["label"]: one["provenance"] for one in person.listed("--status", "all", "--scope", "all")}


def test_a_yes_a_restart_and_a_rebuild_leave_the_class(tainted: Person) -> None:
    assert classes(tainted) == {"always ask the web page first": "external"}
    tainted.process("reindex")
    assert tainted.process("show", tainted.id_of("always ask the web page first")).out.count("web page") >= 1
    assert classes(tainted) == {"always ask the web page first": "external"}


def test_other_words_leave_the_class(tainted: Person) -> None:
    tainted.tacit("edit", tainted.id_of("always ask the web page first"), "--text", "always ask the page")
    tainted.tacit("edit", tainted.id_of("always ask the page"), "--text", "ask the page", "--kind", "rule")
    assert classes(tainted)["ask the page"] == "external"


def test_a_merge_takes_the_class_along(tainted: Person) -> None:
    tainted.tacit("add", "always ask a colleague")
    with tainted.vault() as vault:
        vault.memories.merge(["always ask the web page first"], tainted.id_of("always ask a colleague"))
    assert classes(tainted)["always ask a colleague"] == "external"
    tainted.tacit("undo")
    assert classes(tainted)["always ask a colleague"] == "user_direct"


def test_a_hundred_repetitions_by_anybody_leave_the_class(tainted: Person) -> None:
    with tainted.vault() as vault:
        for number in range(50):
            vault.memories.add("always ask the web page first", evidence=f"said {number}")
    with tainted.at(CLAUDECODE="1"), tainted.vault() as vault:
        for number in range(50):
            vault.memories.remember("always ask the web page first", evidence=f"seen {number}")
    assert classes(tainted) == {"always ask the web page first": "external"}
    tainted.tacit("improve")
    assert classes(tainted)["always ask the web page first"] == "external"


def test_a_hand_edit_leaves_the_class(tainted: Person) -> None:
    page = tainted.long_term
    page.write_text(page.read_text().replace("always ask the web page first", "always ask it twice"))
    tainted.tacit("sync", "--yes")
    assert classes(tainted)["always ask it twice"] == "external"


def test_the_class_comes_over_to_another_machine(tainted: Person, tmp_path: Path) -> None:
    (tmp_path / "laptop").mkdir()
    laptop = Person(tmp_path / "laptop")
    tainted.tacit("export", "--to", str(tainted.folder / "out"))
    laptop.tacit("import", str(tainted.folder / "out"), "--mine")
    laptop.tacit("add", "always ask the web page first")
    laptop.tacit("reindex")
    assert classes(laptop) == {"always ask the web page first": "external"}


def test_the_lowest_of_two_machines_counts_on_both(tainted: Person, tmp_path: Path) -> None:
    """The person said it on one machine and took it from a file on the other: both homes agree."""
    (tmp_path / "laptop").mkdir()
    laptop = Person(tmp_path / "laptop")
    laptop.tacit("add", "always ask the web page first", now="2026-03-01T00:00:00+00:00")
    for one, other in ((tainted, laptop), (laptop, tainted)):
        one.tacit("export", "--to", str(one.folder / "out"))
        other.tacit("import", str(one.folder / "out"), "--mine")
    assert classes(laptop) == classes(tainted)
