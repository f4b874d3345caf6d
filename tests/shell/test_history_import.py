"""The histories that shells have kept come in once, as far as they can be read, and nothing else changes."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, Said, tree
from harness.terminal import converse

from tacit.log.codec import decode
from tacit.shell import history_import
from tacit.shell.history_import import HistoryFile
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody

AT = 1_700_000_000  # 2023-11-14, long before the person's now
NOW = 1_772_452_800
ZSH = [(AT, "git status"), (AT + 5, "make test"), (AT + 5, "ls"), (AT + 7200, "git push")]


def extended(entries: list[tuple[int, str]]) -> bytes:
    return b"".join(b": %d:3;%s\n" % (at, text.encode()) for at, text in entries)


def keep(person: Person, data: bytes, name: str = ".zsh_history") -> Path:
    path = person.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def segments(person: Person) -> list[Path]:
    return sorted((person.home / "imported").glob("*.jsonl"))


def events(person: Person) -> list[dict[str, Any]]:
    """The commands in the order of their ids; every line must be whole."""
    found = [json.loads(line) for path in segments(person) for line in path.read_bytes().splitlines()]
    return sorted(found, key=lambda event: str(event["id"]))


def commands(person: Person) -> list[str]:
    return [event["body"]["command"] for event in events(person)]


def imported(person: Person, *words: str, code: int | None = 0, now: str | None = None, **environment: str) -> Said:
    return person.tacit("import", "history", *words, cwd=None, now=now, code=code, **environment)


def test_what_comes_in_is_told_and_has_the_form_of_the_log(person: Person) -> None:
    keep(person, extended(ZSH))
    said = imported(person).out
    assert "~/.zsh_history (zsh): 4 commands, 4 new, in 2 sessions, from 2023-11-1" in said
    assert [decode(line) for path in segments(person) for line in path.read_bytes().splitlines()]
    first, *_ = events(person)
    assert (first["type"], first["actor"], first["src"]) == ("command.ran", "user", "user_file")
    assert first["body"] == {"command": "git status", "milliseconds": 3000, "shell": "zsh", "status": -1}
    assert first["ts"] == "2023-11-14T22:13:20.000000Z"
    assert commands(person) == [text for _, text in ZSH]
    assert [event["sess"] for event in events(person)] == [f"zsh:{AT}"] * 3 + [f"zsh:{AT + 7200}"]
    assert person.tacit("verify").code == person.tacit("doctor").code == 0


def test_all_that_are_found_come_in(person: Person) -> None:
    keep(person, b"ls\nmake\n", ".bash_history")
    keep(person, extended([(AT, "git push")]))
    keep(person, b"- cmd: cargo build\n  when: 1700000500\n", ".local/share/fish/fish_history")
    said = imported(person).out
    assert "Imported 4 commands" in said
    assert sorted(commands(person)) == ["cargo build", "git push", "ls", "make"]
    assert [path.name.rsplit("-", 1)[0] for path in segments(person)] == ["history-bash", "history-fish", "history-zsh"]


def test_importing_again_brings_nothing_and_changes_no_file(person: Person) -> None:
    keep(person, extended(ZSH))
    keep(person, b"ls\nls\nmake\n", ".bash_history")
    imported(person)
    before = {path: path.read_bytes() for path in segments(person)}
    assert imported(person).out.count("othing new") == 3
    assert {path: path.read_bytes() for path in segments(person)} == before


def test_only_what_was_appended_comes_in_later(person: Person) -> None:
    path = keep(person, extended(ZSH))
    imported(person)
    path.write_bytes(extended([*ZSH, (AT + 7300, "git pull"), (AT + 7300, "git pull")]))
    assert "6 commands, 2 new" in imported(person).out
    assert commands(person) == [text for _, text in ZSH] + ["git pull", "git pull"]
    assert events(person)[-1]["sess"] == f"zsh:{AT + 7200}"


def test_a_history_that_lost_its_beginning_brings_only_what_is_new_in_the_session_it_had(person: Person) -> None:
    path = keep(person, extended(ZSH))
    imported(person)
    path.write_bytes(extended([(AT + 5, "ls"), (AT + 7200, "git push"), (AT + 7260, "git pull")]))
    assert "3 commands, 1 new" in imported(person).out
    path.write_bytes(extended([(AT + 7300, "git log")]))
    imported(person)
    assert [event["sess"] for event in events(person)][-3:] == [f"zsh:{AT + 7200}"] * 3
    assert len(events(person)) == 6


def test_two_halves_make_the_same_as_the_whole(person: Person, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Person(tmp_path / "other")
    many = [(AT + 60 * number, f"command {number % 7}") for number in range(100)]
    path = keep(person, extended(many[:50]))
    imported(person)
    path.write_bytes(extended(many[50:]))
    imported(person)
    keep(other, extended(many))
    imported(other)
    fields = ("id", "ts", "sess", "body")
    assert [[event[name] for name in fields] for event in events(person)] == [
        [event[name] for name in fields] for event in events(other)
    ]


def test_a_copy_of_a_history_is_the_same_history(person: Person) -> None:
    keep(person, extended(ZSH))
    imported(person)
    copy = keep(person, extended(ZSH), "copy")
    assert "nothing new" in imported(person, "--file", str(copy)).out


# Histories without times


def test_without_times_the_order_is_kept_in_one_session(person: Person) -> None:
    texts = [f"command {number}" for number in range(2500)]
    keep(person, "\n".join(texts).encode(), ".bash_history")
    said = imported(person).out
    assert "2,500 commands, 2,500 new, without timestamps\n" in said
    assert "no times in this history: sessions cannot be told apart, and no day is known" in said
    assert commands(person) == texts
    assert len({event["sess"] for event in events(person)}) == 1


@pytest.mark.parametrize("cut", [0, 1, 40, 99])
def test_without_times_only_what_follows_the_last_known_command_comes_in(person: Person, cut: int) -> None:
    texts = [f"command {number % 13}" for number in range(100)]
    path = keep(person, "\n".join([*texts, ""]).encode(), ".bash_history")
    imported(person)
    path.write_text("\n".join([*texts[cut:], "new one", "command 3", ""]))
    assert ", 2 new" in imported(person).out
    assert sorted(commands(person)) == sorted([*texts, "new one", "command 3"])
    assert "nothing new" in imported(person).out


def test_without_times_a_shell_that_erases_duplicates_does_not_bring_all_again(person: Person) -> None:
    texts = [f"command {number}" for number in range(80)]
    path = keep(person, "\n".join([*texts, ""]).encode(), ".bash_history")
    imported(person)
    path.write_text("\n".join([*texts[:60], *texts[61:], texts[60], "new one", ""]))
    assert ", 2 new" in imported(person).out


# Files that are not as they should be


def test_bad_input_is_counted_and_the_rest_comes_in(person: Person) -> None:
    keep(
        person,
        extended([(AT, "ls")])
        + os.urandom(300).replace(b"\n", b"\xff").replace(b"\\", b"\xff")
        + b"\n"
        + b": %d:0;%s\n" % (AT + 1, b"x" * 9000)
        + b": %d:0; hidden\n" % (AT + 2)
        + b"\0" * 5_000_000
        + b"\n"
        + extended([(AT + 9, "pwd")]),
    )
    said = imported(person).out
    assert "2 commands, 2 new" in said
    assert "could not be read: 2 longer than 8,000 characters, 1 not text" in said
    assert "left out: 1 began with a blank" in said
    assert commands(person) == ["ls", "pwd"]


def test_times_that_cannot_be_right_are_replaced_and_never_reach_the_order(person: Person) -> None:
    keep(person, extended([(0, "first"), (AT, "ls"), (12, "old clock"), (4_000_000_000, "new clock"), (AT + 9, "pwd")]))
    said = imported(person).out
    assert "5 commands, 5 new, in 1 session, from 2023-11-1" in said
    assert "1 before the first time in it: no day is known" in said
    assert "2 without a time that can be right" in said
    assert commands(person) == ["first", "ls", "old clock", "new clock", "pwd"]
    assert "nothing new" in imported(person).out


def test_a_time_of_tomorrow_is_no_later_than_now(person: Person) -> None:
    keep(person, extended([(NOW + 3600, "ls")]))
    imported(person)
    person.tacit("add", "use pnpm")
    (event,) = events(person)
    assert int(event["id"][:13].replace("-", ""), 16) <= NOW * 1000
    assert event["id"] < json.loads(person.events.read_text().splitlines()[0])["id"]
    assert "nothing new" in imported(person, now="2026-03-03T12:00:00+00:00").out


def test_a_history_that_cannot_be_opened_is_named(person: Person) -> None:
    folder = keep(person, b"", "dir/file").parent
    os.mkfifo(person.folder / "pipe")
    pipe = person.folder / "pipe"
    for path, told in ((folder, "is a folder"), (pipe, "is no plain file"), ("gone", "there is no file")):
        said = imported(person, "--file", str(path), "--shell", "zsh", code=1)
        assert told in said.err and "→" in said.err
    assert not segments(person)


def test_a_history_without_permission_is_named() -> None:
    with folder_of_nobody() as folder:
        person = Person(folder)
        person.prefix = becoming(NOBODY)
        path = keep(person, b"ls\n")
        path.chmod(0)
        said = person.process("import", "history", "--file", str(path), "--shell", "bash", code=1)
        assert "cannot be read: Permission denied" in said.err


def test_one_that_cannot_be_read_does_not_keep_the_others_out(person: Person) -> None:
    (person.folder / ".zsh_history").mkdir()
    keep(person, b"ls\n", ".bash_history")
    said = imported(person).out
    assert "~/.zsh_history is a folder" in said.replace(str(person.folder), "~")
    assert "Imported 1 command." in said


def test_a_link_to_a_history_is_followed(person: Person) -> None:
    keep(person, extended(ZSH), "dotfiles/zsh")
    (person.folder / ".zsh_history").symlink_to("dotfiles/zsh")
    assert "4 new" in imported(person).out


def test_where_there_is_none_it_says_where_it_looked_and_makes_no_home(person: Person) -> None:
    said = imported(person, code=1)
    assert "~/.zsh_history" in said.err and "fish_history" in said.err and "--file FILE --shell" in said.err
    assert not person.home.exists()


# The words of the command


def test_the_shell_is_guessed_or_asked_for(person: Person) -> None:
    path = keep(person, b"ls\n", "some-file")
    said = imported(person, "--file", str(path), code=2)
    assert "it cannot be told which shell wrote" in said.err and "--shell zsh" in said.err
    assert "1 new" in imported(person, "--file", str(path), "--shell", "bash").out
    assert "no such shell" in imported(person, "--file", str(path), "--shell", "csh", code=2).err


def test_options_of_histories_are_about_histories(person: Person) -> None:
    assert "is about histories" in person.tacit("import", "x", "--dry-run", code=2).err
    assert "about homes" in imported(person, "--mine", code=2).err
    assert "goes with --file" in imported(person, "--shell", "zsh", code=2).err


def test_a_dry_run_tells_the_same_and_changes_nothing(person: Person) -> None:
    keep(person, extended([*ZSH, (AT + 8000, "curl -u me:hunter2 https://example.org")]))
    assert "5 commands, 5 new, in 2 sessions" in imported(person, "--dry-run").out
    assert not person.home.exists()
    imported(person)
    before = tree(person.folder)
    assert "nothing new" in imported(person, "--dry-run").out
    assert tree(person.folder) == before


def test_an_agent_does_not_import_in_the_person_s_name(person: Person) -> None:
    keep(person, extended(ZSH))
    assert "only a person" in imported(person, code=1, TACIT_ACTOR="agent:x").err
    assert not segments(person)


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(person: Person) -> None:
    keep(person, extended(ZSH))
    assert "100%" in converse(person, "import", "history", answers=()).out
    said = person.process("import", "history")
    assert said.err == "" and "%" not in said.out


# What must not come in


def test_a_secret_in_a_history_is_nowhere_in_the_home(person: Person) -> None:
    told = [(AT, "ls"), (AT + 1, "mysql -u root -phunter2 app"), (AT + 2, "curl -u me:swordfish9 https://x.org")]
    keep(person, extended(told))
    imported(person)
    for name, data in tree(person.home).items():
        assert b"hunter2" not in data and b"swordfish9" not in data, name
    assert commands(person)[1].startswith("mysql -u root -p[redacted:")
    assert "nothing new" in imported(person).out


def test_what_was_purged_does_not_come_back(person: Person) -> None:
    path = keep(person, extended([*ZSH, (AT + 9000, "cd clients/acme-corp")]))
    imported(person)
    person.tacit("purge", "--text", "acme-corp", "--yes")
    path.write_bytes(extended([*ZSH, (AT + 9000, "cd clients/acme-corp"), (AT + 9001, "ls clients/acme-corp")]))
    assert "1 purged before" in imported(person).out
    assert "acme-corp" not in "".join(data.decode("utf-8", "replace") for data in tree(person.home).values())


def test_the_lines_of_a_key_that_was_pasted_into_a_shell_stay_out(person: Person) -> None:
    key = "4kJx0fQ9ZbR7tYvW2mNcLpSdHgAeUiOq1X3B5n7M"
    keep(person, extended([(AT, key), (AT + 1, "ls"), (AT + 2, key[::-1])]))
    assert "2 lines of a pasted key" in imported(person).out
    assert commands(person) == ["ls"]
    assert key not in "".join(data.decode("utf-8", "replace") for data in tree(person.home).values())


def test_a_command_that_told_what_to_take_out_stays_out_itself(person: Person) -> None:
    told = [(AT, "tacit purge --text swordfish"), (AT + 1, "tacit recall deploy"), (AT + 2, "make purge")]
    keep(person, extended(told))
    assert "1 told Tacit what to take out" in imported(person).out
    assert commands(person) == ["tacit recall deploy", "make purge"]


def test_what_atuin_and_zsh_both_kept_comes_in_once_and_with_all_that_atuin_knows(person: Person) -> None:
    path = person.folder / ".local/share/atuin/history.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE history (timestamp, duration, exit, command, cwd, session, deleted_at)")
        row = (AT * 10**9 + 5 * 10**8, 10**9, 2, "make test", "/src", "s1", None)
        connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    keep(person, extended([(AT + 1, "make test"), (AT + 9, "make test")]))
    assert "1 captured already" in imported(person).out
    first, second = events(person)
    assert (first["body"]["status"], first["body"]["directory"], first["sess"]) == (2, "/src", "s1")
    assert second["body"]["shell"] == "zsh"
    assert sorted(os.listdir(path.parent)) == ["history.db"]
    assert imported(person).out.count("othing new") == 3


# However large


def test_of_too_many_commands_the_last_ones_are_taken(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_import, "MAX_COMMANDS", 100)
    monkeypatch.setattr(history_import, "_LARGE_FILE_BYTES", 10)
    keep(person, extended([(AT + number, f"command {number}") for number in range(150)]))
    assert "100 commands, 100 new" in imported(person).out
    assert commands(person) == [f"command {number}" for number in range(50, 150)]


def test_a_crash_in_between_leaves_the_old_segment(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    path = keep(person, extended(ZSH))
    imported(person)
    before = {one: one.read_bytes() for one in segments(person)}
    path.write_bytes(extended([*ZSH, *((AT + 10_000 + number, f"command {number}") for number in range(2000))]))

    def stop(_path: str, commands: int, _share: float) -> None:
        if commands > 1000:
            raise KeyboardInterrupt

    with person.vault() as vault, pytest.raises(KeyboardInterrupt):
        vault.histories.import_history([HistoryFile(str(path), "zsh")], progress=stop)
    assert {one: one.read_bytes() for one in segments(person)} == before
    assert os.listdir(person.home / "imported") == [one.name for one in before]
    assert "2,000 new" in imported(person).out


def test_what_the_settings_leave_out_of_capture_is_left_out_of_histories(person: Person) -> None:
    person.tacit("init")
    with open(person.home / "tacit.toml", "a", encoding="utf-8") as settings:
        settings.write('\n[shell]\nignore = ["*password*"]\n')
    (person.folder / ".zsh_history").write_text(": 1700000000:0;make\n: 1700000001:0;show password now\n")
    said = person.tacit("import", "history").out
    assert "1 new" in said
    assert "left out: 1 ignored by your settings" in said
    assert commands(person) == ["make"]
