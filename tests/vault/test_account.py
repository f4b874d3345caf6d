"""The page about a memory that can be shown to others: what is in it, and that nothing private is by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.example_home import END, make_example_home
from harness.person import Person
from harness.terminal import converse

from tacit.pages.account import Account, Chapter, Entry, Words

SHIP = "we deploy with make ship, never by hand"


@pytest.fixture
def shared(person: Person) -> Person:
    """Somebody who shared a memory in a commit, reworded it, and committed that."""
    root = person.repository("work")
    person.tacit("add", SHIP, "--evidence", "Anna broke <b>production</b> & said so", cwd=root)
    person.commit(root)
    person.tacit("edit", person.id_of(SHIP, cwd=root), "--text", f"{SHIP}, on Mondays", cwd=root)
    person.commit(root)
    return person


def test_it_tells_the_whole_history_and_only_the_words_that_were_chosen(shared: Person) -> None:
    root, file = shared.folder / "work", shared.folder / "why.html"
    memory = shared.id_of(f"{SHIP}, on Mondays", cwd=root)
    told = shared.tacit("why", memory, "--html", str(file), cwd=root).out
    page = file.read_text()
    assert re.findall(r"> (Added|Reworded) by the person\.", page) == ["Added", "Reworded"]
    assert page.count("changed its line in the repository") == 2
    assert "Anna" not in page and "4 quotes are not shown" in page
    keys = dict(re.findall(r"^  (\w{6})  (.*)$", told, re.MULTILINE))
    anna = next(key for key, text in keys.items() if "Anna" in text)
    shared.tacit("why", memory, "--html", str(file), "--include", anna, cwd=root)
    page = file.read_text()
    assert "Anna broke &lt;b&gt;production&lt;/b&gt; &amp; said so" in page and "3 quotes are not shown" in page
    shared.tacit("why", memory, "--html", str(file), "--include", "all", cwd=root)
    assert "not shown" not in file.read_text()


def test_nothing_in_it_names_a_session_a_folder_or_words_that_were_not_chosen(tmp_path: Path) -> None:
    example, file = make_example_home(tmp_path), tmp_path / "why.html"
    seen: set[str] = set()
    with example.vault(END) as vault:
        sessions = [listed.row.id for listed in vault.sessions.sessions()]
        for row in vault.search.latest(status=None)[0]:
            account = vault.accounts.account(row.id)
            vault.accounts.write(account, (), str(file))
            page, private = file.read_text(), [each for _, each in account.words if each.text not in row.sentence]
            seen.update(each.label for each in private)
            assert [text for text in (*(each.text for each in private), str(tmp_path), *sessions) if text in page] == []
            assert not re.search(r"<script|<link|src=|https?://", page)
    assert seen >= {"the person said", "the other memory", "evidence"}


def test_two_quotes_with_one_key_are_both_listed_before_either_is_shown() -> None:
    said, ran = Words("aaaaaa", "the person said", "one thing"), Words("aaaaaa", "the agent ran", "another thing")
    entries = tuple(Entry("Added.", None, (words,)) for words in (said, ran, said))
    account = Account("use pnpm", (), (Chapter("How it was decided", entries),))
    assert [words for _, words in account.words] == [said, ran]


def test_it_says_since_which_commit_the_work_tree_says_otherwise(person: Person) -> None:
    root, file = person.repository("work"), person.folder / "why.html"
    (root / "docs").mkdir()
    (root / "docs" / "plan.md").write_text("first this\n")
    person.commit(root)
    person.tacit("add", "read docs/plan.md before you start", cwd=root)
    person.tacit("why", "read docs/plan.md before you start", "--html", str(file), cwd=root)
    assert "It confirms this." in file.read_text()
    (root / "docs" / "plan.md").unlink()
    person.commit(root)
    commit = person.git(root, "rev-parse", "--short", "HEAD").strip()
    person.tacit("why", "read docs/plan.md before you start", "--html", str(file), cwd=root)
    page = file.read_text()
    assert f"It says otherwise, since commit {commit}" in page and "does not exist" not in page


def test_at_a_terminal_it_asks_and_without_an_answer_nothing_private_is_written(shared: Person) -> None:
    root, file = shared.folder / "work", shared.folder / "why.html"
    words = ("why", shared.id_of(f"{SHIP}, on Mondays", cwd=root), "--html", str(file))
    shown = converse(shared, *words, answers=[("none > ", "")], cwd=root).out
    assert "Anna broke" in shown and "with 0 of 4 quotes" in shown
    assert "Anna" not in file.read_text()
    assert "with 4 of 4 quotes" in converse(shared, *words, answers=[("none > ", "all")], cwd=root).out
    assert "Anna" in file.read_text()


def test_a_file_of_somebody_else_stays_and_wrong_keys_are_named(shared: Person) -> None:
    root, file = shared.folder / "work", shared.folder / "notes.html"
    file.write_text("mine")
    words = ("why", shared.id_of(f"{SHIP}, on Mondays", cwd=root), "--html")
    said = shared.tacit(*words, str(file), cwd=root, code=1)
    assert "is no page of tacit why" in said.err and file.read_text() == "mine"
    said = shared.tacit(*words, str(root / "no" / "such" / "folder.html"), cwd=root, code=1)
    assert "cannot be written: No such file or directory" in said.err
    said = shared.tacit(*words, "why.html", "--include", "zzzz", cwd=root, code=2)
    assert "nothing has the key 'zzzz'" in said.err
    assert "goes with --html" in shared.tacit(*words[:2], "--include", "all", cwd=root, code=2).err
