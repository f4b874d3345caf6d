"""What a snippet sends is read as it was meant, and whatever else arrives harms nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.desk import Desk
from harness.person import Person
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.home.capture_policy import ignore_filter
from tacit.home.home import Home
from tacit.home.settings import Settings
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tacit.shell import CapturedCommand, RecordOutcome, ShellRecorder, parse_record
from tests.chaos.test_spooling import lock_held

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FIELDS = {
    "form": "tacit1",
    "shell": "zsh",
    "session": "7.8.9",
    "status": "3",
    "start": "1772452800250000",
    "milliseconds": "1500",
    "directory": "/work",
    "command": "make test",
    "meant": "",
    "planned": "",
}


def sent(**fields: str) -> bytes:
    return b"".join(value.encode() + b"\0" for value in {**FIELDS, **fields}.values())


def read(**fields: str) -> CapturedCommand:
    captured = parse_record(sent(**fields), NOW)
    assert captured is not None
    return captured


def test_a_record_is_read_field_by_field() -> None:
    assert read(meant="gmake test", planned="make tset") == CapturedCommand(
        datetime(2026, 3, 2, 12, 0, 0, 250000, UTC),
        "7.8.9",
        CommandRan("make test", "/work", 3, 1500, "zsh", "gmake test", "make tset"),
    )


@pytest.mark.parametrize("command", ["", " make", "\tmake", "\nmake", "   "])
def test_a_line_that_begins_with_a_blank_is_none(command: str) -> None:
    assert parse_record(sent(command=command), NOW) is None


@pytest.mark.parametrize("body", ["4kJx0fQ9ZbR7tYvW2mNcLpSdHgAeUiOq1X3B5n7M", "0/wsDqUEJMSLKhJHcZh9I5x+Mcqw=="])
def test_a_line_of_a_key_that_was_pasted_into_a_shell_is_none(body: str) -> None:
    assert parse_record(sent(command=body), NOW) is None
    assert read(planned=body).observation.planned == ""
    for command in (f"export NAME={body}", "./scripts/MakeReleaseNotes2", "8c3f1e0d9b2a4c5d6e7f8091a2b3c4d5e6f70819"):
        assert parse_record(sent(command=command), NOW) is not None


@pytest.mark.parametrize(
    "command", ["tacit purge --text X", "cd / && tacit --home x purge X", "/usr/bin/tacit redact X", "X | tacit redact"]
)
def test_what_is_to_be_taken_out_is_not_taken_in(command: str) -> None:
    assert parse_record(sent(command=command), NOW) is None
    assert read(command="git purge X").observation.command == "git purge X"


def test_a_line_that_is_only_written_out_differently_means_nothing_else() -> None:
    assert read(command="for i in 1; do echo $i; done", meant="for i in 1\ndo\n\techo $i\ndone").observation.meant == ""
    assert read(command="ll", meant="ls -l").observation.meant == "ls -l"


def test_a_line_that_was_fetched_and_not_edited_was_not_planned() -> None:
    assert read(planned="make test").observation.planned == ""
    assert read(planned=" make secret").observation.planned == ""


@pytest.mark.parametrize("start", ["", "0", "12", "never", "9" * 30, "-5", "9999999999999999", "1772452700250000", "٣"])
def test_without_a_clock_the_start_is_reckoned_back_from_now(start: str) -> None:
    assert read(start=start).at == NOW - timedelta(milliseconds=1500)


def test_a_status_nobody_knows_is_unknown() -> None:
    assert read(status="").observation.status == UNKNOWN_STATUS
    assert read(milliseconds="-4").observation.milliseconds == 0


def test_another_form_is_not_guessed_at() -> None:
    assert parse_record(sent(form="tacit2"), NOW) is None


def test_a_record_that_was_cut_is_read_as_far_as_it_goes() -> None:
    captured = parse_record(sent(command="make " + "x" * 90_000)[:65536], NOW)
    assert captured is not None and captured.observation.command.startswith("make xxx")


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=300)
    | st.lists(st.binary(max_size=20), max_size=14).map(lambda parts: b"tacit1\0" + b"\0".join(parts))
)
def test_whatever_arrives_is_read_or_refused(record: bytes) -> None:
    captured = parse_record(record, NOW)
    if captured is not None:
        assert captured.observation.command.encode() and not captured.observation.command[0].isspace()
        assert captured.at.tzinfo is UTC


def test_patterns_are_about_the_whole_line_and_directories_about_all_below() -> None:
    def is_ignored(directory: str, *patterns: str, below: str = "") -> bool:
        settings = Settings(shell_ignore=patterns, shell_ignore_directories=(below,) if below else ())
        is_excluded = ignore_filter(settings, "/home/ada")
        return is_excluded is not None and is_excluded(
            CommandRan("pass show mail", directory, meant="gopass show mail")
        )

    assert is_ignored("/a", "pass *") and is_ignored("/a", "gopass*") and not is_ignored("/a", "pass", "show *")
    assert is_ignored("/a/b", below="/a") and is_ignored("/a", below="/a/") and not is_ignored("/ab", below="/a")


def test_the_first_command_makes_the_home_and_is_filed_where_it_ran(tmp_path: Path) -> None:
    person = Person(tmp_path)
    root = person.repository("work", remote="git@example.org:team/work.git")
    with person.at(root), Home(person.home, cwd=root) as home:
        assert ShellRecorder(home).capture(read(directory=str(root))) is RecordOutcome.APPENDED
    with person.vault() as opened:
        (event,) = list(opened.home.store.log.events())
    assert event.scope == "project:example.org/team/work"
    assert (event.origin.session, event.origin.actor) == ("7.8.9", "user")
    assert event.at == datetime(2026, 3, 2, 12, 0, 0, 250000, UTC)


def test_a_long_line_is_cut_behind_its_secrets(tmp_path: Path) -> None:
    person = Person(tmp_path)
    secret = "gh" + "p_" + "k3Jd9sQ2mX7vB4nT8wL1zR6yF5hC0aGpEiUo"
    with person.at(), Home(person.home) as home:
        captured = read(command="true " + "x" * 7980 + " " + secret + " y" * 40)
        assert ShellRecorder(home).capture(captured) is RecordOutcome.APPENDED
    (path,) = person.home.glob("activity/*.jsonl")
    assert secret[:12] not in path.read_text()


@pytest.mark.parametrize("line", ["capture = 1", "ignore = 'x'", "ignore_directories = [1]", "notice = []"])
def test_a_setting_of_another_kind_is_refused(tmp_path: Path, line: str) -> None:
    person = Person(tmp_path)
    person.tacit("init")
    (person.home / "tacit.toml").write_text(f"[shell]\n{line}\n")
    assert "shell." in person.tacit("status", code=2).err


# A command that cannot be recorded at once waits, in every shell


def test_a_shell_loses_no_command_while_another_process_holds_the_log(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run("true first")
    assert desk.lines() == ["true first"]
    typed = [f"true held{at}" for at in range(20)]

    with lock_held(desk.person.home):
        for line in typed:
            terminal.run(line)
        assert desk.lines() == ["true first"]  # waits until no recorder is left
    terminal.run("true after")

    assert desk.lines() == ["true first", *typed, "true after"]
