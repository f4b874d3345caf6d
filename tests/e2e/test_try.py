"""Looking at what one's own histories would teach, without keeping anything."""

from __future__ import annotations

from pathlib import Path

from .person import Person, tree

DAY = 24 * 60 * 60


def write_history(person: Person) -> Path:
    path = person.folder / ".zsh_history"
    told = [
        f": {1_700_000_000 + day * DAY + at * 60}:0;{command}\n"
        for day in range(4)
        for at, command in enumerate(("git pull", "npm ci", "npm test", "npm t"))
    ]
    path.write_text("".join(told))
    return path


def test_it_shows_what_would_be_learned_and_leaves_everything_as_it_was(person: Person) -> None:
    write_history(person)
    before = tree(person.folder)
    said = person.process("try", TMPDIR=str(person.folder.parent)).out
    assert "runs `git pull`, then `npm ci`, then `npm test`" in said
    assert "often runs `npm test`" in said
    assert "tacit import history" in said
    assert "tacit install zsh" in said
    assert tree(person.folder) == before
    assert not person.home.exists()


def test_without_a_history_it_says_where_it_looked(person: Person) -> None:
    said = person.process("try").out
    assert "There is no shell history to learn from" in said
    assert ".zsh_history" in said


def test_an_agent_may_show_it_too(person: Person) -> None:
    write_history(person)
    assert "often runs `npm test`" in person.process("try", CLAUDECODE="1").out
