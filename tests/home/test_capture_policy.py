"""What is never captured: purges, and what the person excluded by line, folder or session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.home.capture_policy import (
    choice_file,
    encode_choice,
    ignore_filter,
    is_purge_command,
    is_session_captured,
    matching_ignore_entry,
    session_choice,
    without_blanks,
)
from tacit.home.paths import HomePaths
from tacit.home.settings import NO_MODE, Settings
from tacit.model.observation import CommandRan


@pytest.mark.parametrize(
    "line",
    [
        "tacit purge --text hunter2",
        "tacit redact hunter2",
        "/usr/local/bin/tacit  --home ~/other\tpurge --text=hunter2",
        "TACIT_HOME=/x sudo tacit purge --text hunter2",
        "python3 -m tacit purge --text hunter2",
        "cd /x;tacit purge --text hunter2",
        "make&&(tacit purge --text hunter2)",
        'yes|"tacit" purge --text hunter2',
    ],
)
def test_a_command_that_names_a_text_to_purge_is_recognised(line: str) -> None:
    assert is_purge_command(line)


@pytest.mark.parametrize("line", ["tacit recall hunter2", "docker system purge", "vim tacit/purge.py", "mytacit purge"])
def test_other_commands_are_not_taken_for_a_purge(line: str) -> None:
    assert not is_purge_command(line)


def test_without_entries_there_is_nothing_to_ask() -> None:
    assert ignore_filter(Settings(), "/home/ada") is None


def test_a_command_is_ignored_by_its_line_as_typed_as_expanded_and_as_planned() -> None:
    is_ignored = ignore_filter(Settings(shell_ignore=("*vpn*",)), "/home/ada")
    assert is_ignored is not None
    assert is_ignored(CommandRan("vpn up"))
    assert is_ignored(CommandRan("up", meant="openvpn --config x"))
    assert is_ignored(CommandRan("up", planned="vpn up"))
    assert not is_ignored(CommandRan("make vp", "/vpn"))


def test_a_command_is_ignored_by_its_folder_below_the_persons_own_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "private" / "notes").mkdir(parents=True)
    (tmp_path / "link").symlink_to("private/notes")
    (tmp_path / "alias").symlink_to("elsewhere")
    settings = Settings(shell_ignore_directories=("~/private", "~/alias"))
    is_ignored = ignore_filter(settings, str(tmp_path.resolve()))
    assert is_ignored is not None
    assert is_ignored(CommandRan("make", str(tmp_path / "elsewhere" / "sub")))
    for folder in ("private", "private/notes", "link"):
        assert is_ignored(CommandRan("ls", str(tmp_path / folder)))
    assert not is_ignored(CommandRan("ls", str(tmp_path / "private-not")))
    assert not is_ignored(CommandRan("ls"))


def test_the_entry_of_agents_that_applies_is_named_as_the_person_wrote_it(tmp_path: Path) -> None:
    (tmp_path / "disk" / "work").mkdir(parents=True)
    (tmp_path / "link").symlink_to("disk")
    settings = Settings(agents_ignore_directories=("/elsewhere/", "~/link/"))
    assert matching_ignore_entry(settings, str(tmp_path), str(tmp_path / "disk" / "work")) == "~/link/"
    assert matching_ignore_entry(settings, str(tmp_path), "/elsewhere") == "/elsewhere/"
    assert matching_ignore_entry(settings, str(tmp_path), str(tmp_path)) == ""


def test_two_forms_of_a_line_that_a_shell_prints_differently_compare_equal() -> None:
    typed, printed = "for f in *;do echo  $f;done", "for f in *\ndo\n\techo $f\ndone"
    assert without_blanks(typed) == without_blanks(printed)
    assert without_blanks("ls -l a") != without_blanks("ls -l b")


@pytest.mark.parametrize("on", [True, False])
def test_the_choice_for_a_session_is_read_back_and_holds_for_no_other(tmp_path: Path, on: bool) -> None:
    paths = HomePaths(str(tmp_path))
    assert session_choice(paths, "one") is None
    path = Path(choice_file(paths, "one"))
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_choice(on))
    assert [session_choice(paths, session) for session in ("one", "two", "")] == [on, None, None]


def test_modes_that_were_narrowed_to_none_capture_none_not_even_the_mode_of_that_name(tmp_path: Path) -> None:
    settings = Settings(autocapture_enabled=True, autocapture_on_modes=(NO_MODE,))
    assert not any(
        is_session_captured(settings, HomePaths(str(tmp_path)), "s", mode) for mode in ("", "default", NO_MODE)
    )
