"""The three-way merge of fact files by example."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness.person import Person

from tacit.model.claim import project_scope
from tacit.pages.facts import merge_facts, resolve_conflicts, with_own_id, without_copies
from tacit.pages.merge import Side


def fact(name: str, words: str, strength: int = 1, **more: object) -> str:
    return json.dumps({"id": name * 12, "canonical": words, "strength": strength, "dedupe_key": words, **more})


A, B, C = fact("a", "run a"), fact("b", "run b"), fact("c", "run c")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ([A], [A, C], [A, B], [A, B, C]),
        ([A, B], [A], [A, B, C], [A, C]),
        ([A], [fact("a", "run a", 2)], [fact("a", "run a", 3)], [fact("a", "run a", 3)]),
        ([], [fact("a", "run a", 2)], [A], [fact("a", "run a", 2)]),
        ([A], [fact("a", "run a", 2)], [fact("a", "run a quickly")], [fact("a", "run a quickly")]),
        ([A], [fact("a", "run a quickly")], [A], [fact("a", "run a quickly")]),
        ([A, "# old"], [A, "# old", "# mine"], ["# theirs", A], [A, "# mine", "# theirs"]),
        (['{"id": "aaaaaaaaaaaa", "ts": "20'], [B], [A, B], [A, B]),
        ([C, A, B], [C, A, B], [C, A, B], [A, B, C]),
    ],
    ids=[
        "both add",
        "one removes",
        "both restate",
        "both add one",
        "restated, reworded",
        "reworded",
        "texts",
        "torn",
        "sorted",
    ],
)
def test_what_does_not_conflict(base: list[str], ours: list[str], theirs: list[str], merged: list[str]) -> None:
    assert merge_facts(base, ours, theirs) == (merged, 0)


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ([A], [fact("a", "run x")], [fact("a", "run y")]),
        ([], [fact("a", "run x")], [fact("a", "run y")]),
        ([A], [], [fact("a", "run y")]),
        ([A], [fact("a", "run a", 2)], []),
        ([A], [fact("a", "run a", tags=["x"])], [fact("a", "run a", tags=["y"])]),
    ],
    ids=["reworded", "added", "removed, reworded", "restated, removed", "tags"],
)
def test_what_conflicts_is_marked_in_its_place(base: list[str], ours: list[str], theirs: list[str]) -> None:
    merged = merge_facts([*base, C], [*ours, C], [*theirs, C], 9)
    assert merged == (["<" * 9 + " ours", *ours, "=" * 9, *theirs, ">" * 9 + " theirs", C], 1)


def test_a_version_with_markers_counts_with_both_sides() -> None:
    marked = merge_facts([A], [fact("a", "run x")], [fact("a", "run y")]).lines
    merged = merge_facts([A], [*marked, C], [A, B])
    assert merged.conflicts == 0  # theirs did not touch it: both wordings of ours stay
    assert merged.lines == [fact("a", "run x"), fact("a", "run y"), B, C]
    assert merge_facts([A], [*marked, C], [fact("a", "run z"), B]).conflicts == 1


def test_with_both_sides_the_second_wording_gets_an_id_of_its_own() -> None:
    marked = merge_facts([A], [fact("a", "run x")], [fact("a", "run y")]).lines
    kept = resolve_conflicts(marked, [Side.BOTH], lambda line: with_own_id(line, project_scope("app")))
    fields = {json.loads(line)["canonical"]: json.loads(line)["id"] for line in kept}
    assert fields["run x"] == "a" * 12
    assert len(set(fields.values())) == 2
    assert resolve_conflicts(marked, [None]) == marked


def test_of_copies_the_newest_stays_or_the_one_that_was_accepted() -> None:
    again, other = fact("a", "run a", 2), fact("a", "run x")
    assert without_copies([A, B, again, other, B, "# text", "# text"], lambda _line: False) == [
        B,
        again,
        other,
        "# text",
        "# text",
    ]
    assert without_copies([A, again], lambda line: line == A) == [A]
    assert without_copies([A, again], lambda _line: True) == [A, again]


# The command that git runs


def versions(folder: Path, *contents: str) -> list[str]:
    paths = [folder / name for name in ("base", "ours", "theirs")]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return [str(path) for path in paths]


def test_the_command_writes_ours_and_exits_with_1_on_a_conflict(person: Person) -> None:
    paths = versions(person.folder, f"{A}\n", f"{A}\n{C}\n", f"{A}\n{B}")
    said = person.process("merge-facts", *paths)
    assert (Path(paths[1]).read_text(), said.out, said.err) == (f"{A}\n{B}\n{C}\n", "", "")
    paths = versions(person.folder, f"{A}\n", fact("a", "run x") + "\n", fact("a", "run y") + "\n")
    said = person.process("merge-facts", *paths, "8", code=1)
    assert Path(paths[1]).read_text().startswith("<<<<<<<< ours\n")
    assert "to choose: tacit sync" in said.err
    assert not person.home.exists()


@pytest.mark.parametrize("what", ["missing", "pipe", "link", "words"])
def test_the_command_refuses_what_is_no_file_and_writes_nothing(person: Person, what: str) -> None:
    paths = versions(person.folder, "", f"{A}\n", f"{B}\n")
    theirs = Path(paths[2])
    theirs.rename(person.folder / "elsewhere")
    if what == "pipe":
        os.mkfifo(theirs)
    elif what == "link":
        theirs.symlink_to(person.folder / "elsewhere")
    said = person.process("merge-facts", *(paths[:2] if what == "words" else paths), code=None)
    assert said.code > 1
    assert Path(paths[1]).read_text() == f"{A}\n"
