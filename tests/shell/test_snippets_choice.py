"""What a person chose: not here, not this, not now; and the one quiet line."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.desk import Desk


def settings(desk: Desk, text: str) -> None:
    desk.person.home.mkdir(mode=0o700, exist_ok=True)
    (desk.person.home / "tacit.toml").write_text(text)


def notice(desk: Desk, text: str) -> Path:
    path = desk.person.home / ".tacit" / "notice"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_pause_and_resume_are_for_one_terminal(desk: Desk) -> None:
    left, right = desk.open(), desk.open()
    left.run("true before")
    assert "tacit resume" in left.run("tacit pause")
    left.run("true unseen")
    right.run("true elsewhere")
    assert "Capturing" in left.run("tacit resume")
    left.run("true after")
    assert sorted(desk.lines()) == ["true after", "true before", "true elsewhere"]


def test_the_program_still_gets_all_other_words(desk: Desk) -> None:
    terminal = desk.open()
    assert "usage: tacit pause" in terminal.run(
        "NO_COLOR=1 tacit pause --help" if desk.shell != "fish" else "env NO_COLOR=1 tacit pause --help"
    )
    terminal.run("tacit add 'the setting is `two  blanks`' --tag one")
    assert desk.person.id_of("the setting is `two  blanks`")
    assert "has not loaded Tacit" in terminal.run("command tacit pause")
    assert terminal.run("tacit pause now || echo 'ref''used'").count("refused") == 1


def test_ignored_lines_and_directories_are_not_captured(desk: Desk) -> None:
    settings(desk, '[shell]\nignore = ["*vpn*", "true p?ss *"]\nignore_directories = ["~/private", "/usr/"]\n')
    (desk.folder / "private" / "deep").mkdir(parents=True)
    (desk.folder / "privateer").mkdir()
    (desk.folder / "way").symlink_to(desk.folder / "private")
    terminal = desk.open()
    for line in ("true the vpn", "true pass x", "true passing", "cd private/deep", "true hidden"):
        terminal.run(line)
    for line in (
        "cd ../../privateer",
        "true shown",
        "cd ../way",
        "true behind a link",
        "cd /usr/lib",
        "true also",
        "cd /",
    ):
        terminal.run(line)
    terminal.run("true root")
    shown = ["true passing", "cd private/deep", "true shown", "cd ../way", "true root"]
    assert desk.lines() == shown


def test_capture_can_be_switched_off(desk: Desk) -> None:
    settings(desk, "[shell]\ncapture = false\n")
    desk.open().run("true one")
    assert desk.captured() == []


def test_a_notice_is_shown_once_in_one_terminal(desk: Desk) -> None:
    terminal = desk.open()
    path = notice(desk, "tacit: 1 suggestion, `tacit review`\nand more\n")
    assert "tacit: 1 suggestion, `tacit review`" in terminal.run("true one")
    assert not path.exists()
    assert "suggestion" not in terminal.run("true two")
    path.write_text("tacit: \x1b]0;evil\x07\x1b[31mred")
    assert "tacit: ]0;evil[31mred" in terminal.run("true three")
    assert "and more" not in terminal.shown


@pytest.mark.parametrize("place", ["notice", ".tacit"])
def test_a_notice_behind_a_link_is_neither_told_nor_emptied_nor_removed(desk: Desk, place: str) -> None:
    path = notice(desk, "somebody else's words\n")
    foreign = desk.folder / "foreign"
    linked = path if place == "notice" else path.parent
    linked.rename(foreign)
    linked.symlink_to(foreign)
    terminal = desk.open()
    assert "somebody" not in terminal.run("true one") + terminal.run("true two")
    assert (foreign if place == "notice" else foreign / "notice").read_text() == "somebody else's words\n"


def test_a_notice_can_be_silenced_in_a_shell(desk: Desk) -> None:
    terminal = desk.open(TACIT_NOTICE="off")
    path = notice(desk, "tacit: 1 suggestion\n")
    assert "suggestion" not in terminal.run("true one")
    assert path.read_text() == "tacit: 1 suggestion\n"


def test_the_home_of_another_name_is_honoured(desk: Desk) -> None:
    desk.person.home = desk.folder / "elsewhere"
    terminal = desk.open(TACIT_HOME=str(desk.person.home))
    notice(desk, "from elsewhere\n")
    assert "from elsewhere" in terminal.run("true one")
    assert desk.lines() == ["true one"]
    assert not (desk.folder / ".agents").exists()
