"""Putting Tacit into the file a shell reads, and taking it out: every other byte stays, whatever the file was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.desk import FILES, Desk
from harness.person import Person
from harness.terminal import converse

BEFORE = {
    "no file": None,
    "an empty file": b"",
    "a file": b"alias ll='ls -l'\n",
    "a file that does not end": b"alias ll='ls -l'",
    "a file that ends twice": b"# mine\n\n\n",
    "a file that is no text": b"# \xff\xfe\x00 gr\xfc\xdfe\r\n",
    "a file that speaks of us": b"# >>> tacit install all >>>\neval tacit\n",
}


@pytest.fixture
def person(tmp_path: Path) -> Person:
    folder = tmp_path.resolve() / "person"
    folder.mkdir()
    return Person(folder)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def test_install_takes_it_out_too(person: Person, shell: str) -> None:
    person.tacit("install", shell, "--yes")
    assert "Taken out." in person.tacit("install", shell, "--uninstall", "--yes").out
    assert "Nothing of Tacit is in" in person.tacit("uninstall", shell).out


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE.keys())
def test_what_was_installed_is_taken_out_byte_for_byte(person: Person, shell: str, before: bytes | None) -> None:
    file = person.folder / FILES[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    if before is not None:
        file.write_bytes(before)
    told = person.tacit("install", shell, "--yes").out
    installed = file.read_bytes()
    assert installed.startswith(before or b"") and f"hook {shell}".encode() in installed
    assert str(file) in told and f"+# <<< tacit install {shell} <<<" in told
    assert "already" in person.tacit("install", shell, "--yes").out
    assert file.read_bytes() == installed
    person.tacit("uninstall", shell, "--yes")
    assert content(file) == before
    assert "Nothing of Tacit" in person.tacit("uninstall", shell, "--yes").out
    assert content(file) == before


def test_what_was_written_around_it_stays(person: Person, shell: str) -> None:
    file = person.folder / FILES[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"first")
    person.tacit("install", shell, "--yes")
    file.write_bytes(b"# above\n" + file.read_bytes() + b"last\n")
    person.tacit("install", shell, "--yes")
    person.tacit("uninstall", shell, "--yes")
    assert file.read_bytes() == b"# above\nfirst\nlast\n"


def test_a_file_we_made_is_kept_once_a_person_wrote_in_it(person: Person, shell: str) -> None:
    person.tacit("install", shell, "--yes")
    file = person.folder / FILES[shell]
    file.write_bytes(file.read_bytes() + b"mine\n")
    person.tacit("uninstall", shell, "--yes")
    assert file.read_bytes() == b"mine\n"


def test_lines_that_lost_their_end_are_left_alone(person: Person, shell: str) -> None:
    person.tacit("install", shell, "--yes")
    file = person.folder / FILES[shell]
    damaged = file.read_bytes().replace(b"# <<< tacit", b"# tacit") + b"mine\n"
    file.write_bytes(damaged)
    for verb in ("install", "uninstall"):
        assert "by hand" in person.tacit(verb, shell, "--yes", code=1).err
    assert file.read_bytes() == damaged


def test_a_linked_file_changes_where_it_lies_and_keeps_its_mode(person: Person, shell: str) -> None:
    kept = person.folder / "dotfiles" / "rc"
    kept.parent.mkdir()
    kept.write_bytes(b"mine\n")
    kept.chmod(0o640)
    file = person.folder / FILES[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(kept)
    before = os.umask(0o077)
    try:
        person.tacit("install", shell, "--yes")
    finally:
        os.umask(before)
    assert file.is_symlink() and b"tacit" in kept.read_bytes()
    assert kept.stat().st_mode & 0o777 == 0o640
    person.tacit("uninstall", shell, "--yes")
    assert file.is_symlink() and kept.read_bytes() == b"mine\n"
    assert [path.name for path in kept.parent.iterdir()] == ["rc"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_stays_theirs(person: Person) -> None:
    file = person.folder / ".bashrc"
    file.write_bytes(b"mine\n")
    os.chown(file, 1234, 1235)
    person.tacit("install", "bash", "--yes")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1235)


def test_the_folders_that_variables_name_are_used(person: Person) -> None:
    person.tacit("install", "zsh", "--yes", ZDOTDIR=str(person.folder / "z"))
    person.tacit("install", "fish", "--yes", XDG_CONFIG_HOME=str(person.folder / "c"))
    assert (person.folder / "z" / ".zshrc").exists() and (person.folder / "c" / "fish" / "config.fish").exists()
    assert not (person.folder / ".zshrc").exists() and not (person.folder / ".config").exists()


def test_a_person_is_asked_first(person: Person, shell: str) -> None:
    file = person.folder / FILES[shell]
    told = converse(person, "install", shell, answers=[("Change this file? [y/N] ", "n")])
    assert "Nothing was changed" in told.out and not file.exists()
    told = converse(person, "install", shell, answers=[("Change this file? [y/N] ", "y")])
    assert "Installed" in told.out and file.exists()
    told = converse(person, "uninstall", shell, answers=[("Change this file? [y/N] ", "y")])
    assert "Taken out" in told.out and not file.exists()


def test_without_a_terminal_nothing_is_changed_unasked(person: Person, shell: str) -> None:
    told = person.process("install", shell, code=1)
    assert f"tacit install {shell} --yes" in told.err and "hook" in told.out
    assert not (person.folder / FILES[shell]).exists()


@pytest.mark.parametrize("verb", ["hook", "install", "uninstall"])
def test_an_unknown_shell_is_answered_with_the_known_ones(person: Person, verb: str) -> None:
    told = person.tacit(verb, "tcsh", code=2).err
    assert all(f"tacit {verb} {shell}" in told for shell in ("bash", "zsh", "fish"))


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_outside_such_a_shell_one_is_told_what_to_type(person: Person, verb: str) -> None:
    told = person.tacit(verb, code=1).err
    assert "tacit hook" in told and f"tacit {verb}" in told


def test_the_shell_that_starts_next_captures(desk: Desk) -> None:
    desk.write(hook="")
    desk.person.process("install", desk.shell, "--yes")
    terminal = desk.open()
    terminal.run("true one")
    assert desk.lines() == ["true one"]
    desk.person.process("uninstall", desk.shell, "--yes")
    desk.open().run("true two")
    assert desk.lines() == ["true one"]
