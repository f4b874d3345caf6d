"""What was found red reaches hooks, which do not look it up, for as long as the work tree is the same."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

RULE = "no `console.log` in src/"


def test_a_hook_is_told_what_was_red_until_the_file_changes(person: Person) -> None:
    root = person.repository("shop")
    (root / "src").mkdir()
    file = root / "src" / "a.ts"
    file.write_text("console.log(1)\n")
    person.tacit("add", RULE, cwd=root)
    assert remark(person, root) == ""  # nobody has looked
    person.tacit("check", cwd=root, code=None)
    assert remark(person, root) == "(not true here: the text is there)"
    assert all(RULE not in path.read_text() for path in (person.home / ".tacit" / "red").iterdir())
    file.write_text("console.log(22)\n")
    assert remark(person, root) == ""  # unknown again
    person.tacit("check", cwd=root, code=None)
    assert remark(person, root) != ""
    file.write_text("")
    person.tacit("check", cwd=root, code=None)
    assert remark(person, root) == ""


def test_notes_that_are_damaged_are_none(person: Person) -> None:
    root = person.repository("shop")
    (root / "src").mkdir()
    (root / "src" / "a.ts").write_text("console.log(1)\n")
    person.tacit("add", RULE, cwd=root)
    person.tacit("check", cwd=root, code=None)
    (note,) = (person.home / ".tacit" / "red").iterdir()
    for text in ("", "{", "[]", '{"head": 1}', '{"head": "", "red": [1], "never": 2}'):
        note.write_text(text)
        assert remark(person, root) == ""


def remark(person: Person, root: Path) -> str:
    shown = person.tacit("brief", cwd=root).out
    assert RULE in shown
    return "(not true" + shown.partition("(not true")[2].partition(")")[0] + ")" if "(not true" in shown else ""
