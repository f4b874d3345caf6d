"""Deleted views and broken indexes come back by themselves, as they were."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.followers import wait_for_followers
from harness.homes import copy_home
from harness.person import Person, tree, wait_for_pages

from tacit.disk.files import OsDisk
from tacit.pages.view_store import ViewStore

TRUTH = (
    *("memory/events.jsonl", "activity/", "tacit.toml", "AGENTS.md", ".tacit/key", ".tacit/signed"),
    *(".tacit/log.lock", ".tacit/write.lock", ".tacit/spool"),
)
ANY_COMMAND = (
    *("recall build", "brief", "list", "show PUSH", "why PUSH", "status", "suggestions", "review", "conflicts", "init"),
    *("reindex", "evaluate", "improve", "recall nothing-like-it", "remember tea --evidence chat"),
)


class Lived:
    """A person with a home and a project in which everything happened, and the way back to that moment."""

    def __init__(self, folder: Path) -> None:
        self.person = Person(folder / "person")
        self.person.folder.mkdir()
        self.project = self.person.repository()
        self.facts = self.project / "docs/memory/memories.ndjson"
        self._live()
        self.push = self.person.id_of("never push the build")
        self.moment = folder / "moment"
        self.person.wait_for_pages()
        copy_home(self.person.folder, self.moment)

    def _live(self) -> None:
        self.person.tacit("init")
        with self.person.vault(cwd=self.project) as vault:
            for text in (
                "never push the build",
                "always sign the build",
                "global: I prefer npm",
                "global: I prefer pnpm",
            ):
                vault.add(text)
            vault.memories.remember("tea", evidence="chat")
            vault.memories.remember("tea", evidence="more chat")
            vault.add("never look back")
            vault.memories.forget("never look back", reason="superseded", evidence="today")
        self.person.tacit("log", "--task", "T-1", "--summary", "Made the build", cwd=self.project)
        self.person.tacit("improve", cwd=self.project)

    def again(self) -> Lived:
        wait_for_followers(30)
        shutil.rmtree(self.person.folder)
        copy_home(self.moment, self.person.folder)
        return self

    def views(self) -> dict[str, bytes]:
        """All that is drawn again by any command, the index aside."""
        view_store = ViewStore(str(self.person.home / ".tacit" / "written"), OsDisk())
        copy = os.path.basename(view_store.copy_path(str(self.facts)))
        views = tree(self.person.home).items()
        return {
            name: data
            for name, data in views
            if not name.startswith(TRUTH) and "index.sqlite" not in name and not name.endswith(copy)
        }

    def answers(self) -> list[str]:
        """What a person sees; the first answer comes from a real process."""
        first = self.ask("recall build --limit 50", process=True)
        lines = ("list --status all", "conflicts", "suggestions --json", "show PUSH --json", "recall build --json")
        return [first, *(self.ask(line) for line in lines)]

    def ask(self, line: str, *, process: bool = False) -> str:
        run = self.person.process if process else self.person.tacit
        said = run(*(word.replace("PUSH", self.push) for word in line.split()), cwd=self.project, code=None)
        assert said.code in (0, 1)
        return said.out


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    return Lived(tmp_path_factory.mktemp("lived"))


@pytest.fixture
def lived(life: Lived) -> Lived:
    return life.again()


def delete_views(lived: Lived) -> None:
    for path in sorted(lived.person.home.rglob("*"), reverse=True):
        name = str(path.relative_to(lived.person.home))
        if path.is_file() and not name.startswith(TRUTH):
            path.unlink()
    shutil.rmtree(lived.project / "docs")


@pytest.mark.parametrize("line", ANY_COMMAND)
def test_any_command_brings_deleted_views_back_byte_equal(lived: Lived, line: str) -> None:
    before = lived.views()
    assert len(before) >= 8
    delete_views(lived)
    lived.ask(line)
    assert lived.views() == before


def test_after_that_every_answer_is_the_same(lived: Lived) -> None:
    before = lived.answers()
    delete_views(lived)
    assert lived.answers() == before
    assert "The home is well." in lived.person.process("doctor").out


@pytest.mark.parametrize(
    "view", ["memory/long-term.md", "memory/memories.ndjson", "worklog/2026-03-02.md", "evaluations/2026-03-02.md"]
)
def test_one_deleted_page_comes_back_byte_equal(lived: Lived, view: str) -> None:
    before = lived.views()
    (lived.person.home / view).unlink()
    lived.ask("recall build")
    assert lived.views() == before


def test_the_folder_of_bookkeeping_is_no_truth_either(lived: Lived) -> None:
    before = lived.views()
    shutil.rmtree(lived.person.home / ".tacit")
    lived.ask("reindex")
    assert lived.views() == before


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda index: index.write_bytes(change(index.read_bytes()))


def queried(*queries: str) -> Callable[[Path], None]:
    def run(index: Path) -> None:
        with sqlite3.connect(index) as connection:
            for query in queries:
                connection.execute(query)
        connection.close()

    return run


def replace_with_foreign_database(index: Path) -> None:
    index.unlink()
    queried("CREATE TABLE bookmarks (url TEXT)")(index)


def replace_with_other_home(index: Path) -> None:
    other = Person(index.parent.parent / "other")
    other.folder.mkdir()
    other.tacit("add", "another life altogether")
    for path in (index, index.with_name("index.sqlite-wal"), index.with_name("index.sqlite-shm")):
        path.unlink(missing_ok=True)
    shutil.copyfile(other.home / "index.sqlite", index)


BREAKAGES: dict[str, Callable[[Path], object]] = {
    "garbage": rewritten(lambda _: b"this is not a database " * 4000),
    "cut in half": rewritten(lambda data: data[: len(data) // 2]),
    "emptied": rewritten(lambda _: b""),
    "a header of zeros": rewritten(lambda data: bytes(100) + data[100:]),
    "pages of zeros": rewritten(lambda data: data[:4096] + bytes(len(data) - 4096)),
    "noise in the middle": rewritten(lambda data: data[:8192] + b"\xa5" * (len(data) - 8192)),
    "a foreign database": replace_with_foreign_database,
    "another version": queried(
        "UPDATE meta SET value = '0'", "UPDATE memories SET sentence = 'as another version reads it'"
    ),
    "no words": queried("DROP TABLE postings"),
    "another home": replace_with_other_home,
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_broken_index_is_rebuilt_without_being_asked_and_keeps_no_change_out(lived: Lived, breakage: str) -> None:
    answers, views = lived.answers(), lived.views()
    BREAKAGES[breakage](lived.person.home / "index.sqlite")
    assert lived.answers() == answers
    assert lived.views() == views
    assert "The home is well." in lived.person.process("doctor").out
    lived.again()
    BREAKAGES[breakage](lived.person.home / "index.sqlite")
    lived.person.process("add", "never build on sand", cwd=lived.project)
    assert set(lived.person.texts("build", "--kind", "constraint", cwd=lived.project)) == {
        *("never push the build", "never build on sand")
    }


def test_a_folder_in_place_of_the_index_is_told_in_plain_words(lived: Lived) -> None:
    (lived.person.home / "index.sqlite").unlink()
    (lived.person.home / "index.sqlite").mkdir()
    for words in (("recall", "build"), ("add", "never build on sand")):
        said = lived.person.process(*words, cwd=lived.project, code=None)
        assert said.code == 0 or (said.code >= 3 and "index.sqlite" in said.err)


def test_rubbish_beside_the_index_does_no_harm(lived: Lived) -> None:
    answers = lived.answers()
    (lived.person.home / "index.sqlite-wal").write_bytes(b"rubbish" * 5000)
    (lived.person.home / "index.sqlite-shm").write_bytes(b"rubbish" * 5000)
    assert lived.answers() == answers


def test_an_index_that_is_not_what_the_log_says_is_found_and_mended(lived: Lived) -> None:
    answers = lived.answers()
    queried("UPDATE memories SET sentence = 'always trust strangers'")(lived.person.home / "index.sqlite")
    said = lived.person.process("doctor", code=3)
    assert "the index is not what the log says" in said.out
    assert "tacit doctor --reindex" in said.out
    lived.person.process("reindex", cwd=lived.project)
    assert lived.answers() == answers
    assert "The home is well." in lived.person.process("doctor").out


def test_a_log_set_back_to_an_earlier_state_is_noticed(lived: Lived) -> None:
    kept = lived.person.events.read_bytes().splitlines(keepends=True)[:2]
    lived.person.events.write_bytes(b"".join(kept))
    assert lived.person.process("list", "--status", "all", "--scope", "all").first == "Memories (2)"
    assert "I prefer" not in lived.person.facts.read_text()


def test_a_home_that_was_moved_still_knows_a_hand_edit_from_its_own_page(person: Person) -> None:
    person.tacit("add", "never force push")
    person.wait_for_pages()
    moved = person.home.with_name("moved")
    person.home.rename(moved)
    page = moved / "memory" / "long-term.md"
    before = page.read_text()
    person.tacit("add", "never force push", "--home", str(moved))
    wait_for_pages(moved)
    assert page.read_text() == before.replace("never force push ^", "never force push (seen 2 times) ^")


def test_an_index_that_is_a_copy_is_made_again(person: Person) -> None:
    """A copy of a home in use may have a torn index that no look at it can tell from a whole one."""
    person.tacit("add", "use pnpm")
    shutil.copytree(person.home, person.folder / "restored")
    queried("UPDATE memories SET sentence = 'use npm'")(person.folder / "restored" / "index.sqlite")
    assert person.tacit("--home", str(person.folder / "restored"), "recall", "use").out.count("use pnpm") == 1


def test_an_index_whose_tables_disagree_is_made_again(person: Person) -> None:
    person.tacit("log", "--task", "T-1", "--summary", "moved the parser")
    queried(
        "PRAGMA writable_schema = ON",
        "UPDATE pages SET event_id = '01a1ded1-f314-7a0f-96f1-0dba9e14cf44'",
        "DELETE FROM sqlite_schema WHERE name = 'pages_name'",  # now SQLite finds something wrong, too
    )(person.home / "index.sqlite")
    assert "moved the parser" in person.tacit("recall", "parser").out


@pytest.mark.parametrize("which", ["min", "max"])
def test_an_index_that_lost_an_event_it_speaks_of_is_made_again(person: Person, which: str) -> None:
    person.tacit("add", "use pnpm", "--evidence", "told in March")
    person.tacit("add", "use pnpm", "--evidence", "told in April")
    person.wait_for_pages()
    queried(f"DELETE FROM events WHERE id = (SELECT {which}(event_id) FROM claim_events)")(person.home / "index.sqlite")
    (memory,) = person.listed()
    assert (memory["strength"], len(memory["evidence"])) == (2, 2)
