"""Files beside the log: ours are scrubbed, those of the person are left and named."""

from __future__ import annotations

from harness.person import Person

from tests.purge.conftest import SECRET
from tests.support.planting import traces


def test_a_hand_edit_of_a_purged_memory_stays_as_the_persons_own_line(person: Person) -> None:
    person.tacit("add", "use pnpm")
    name = person.id_of("use pnpm")
    page = person.long_term.read_text()
    person.long_term.write_text(page.replace("use pnpm", "choose yarn wisely"))
    person.tacit("purge", name, "--yes")
    assert "choose yarn wisely" in person.long_term.read_text() and name not in person.long_term.read_text()


def test_files_of_the_person_are_told_and_not_changed(planted: Person) -> None:
    theirs = planted.home / "skills" / "notes.md"
    theirs.parent.mkdir()
    theirs.write_text(f"my own {SECRET}\n")
    settings = planted.home / "tacit.toml"
    settings.write_text(f"# {SECRET}\n")
    said = planted.tacit("purge", "--text", SECRET, "--yes", code=1)
    assert f"✗ {theirs} still holds it" in said.out and f"✗ {settings} still holds it" in said.out
    assert SECRET in theirs.read_text() and SECRET in settings.read_text()


def test_a_page_that_is_read_in_blocks_loses_it_everywhere(planted: Person) -> None:
    lines = [f"- my own line {number} about nothing" for number in range(4000)]
    lines[10], lines[2000] = f"- first {SECRET}", "- second Hunter q999x\n\n  MAGIC\n  word, and more"
    planted.long_term.write_text(planted.long_term.read_text() + "\n".join(lines) + f"\n- last {SECRET}")
    planted.tacit("purge", "--text", SECRET, "--yes")
    page = planted.long_term.read_text()
    assert traces(planted.folder, SECRET) == []
    assert (
        "- first [purged]\n" in page and "- second [purged], and more\n" in page and page.endswith("- last [purged]\n")
    )
    assert all(line in page for line in lines[11:2000])
