"""`tacit pick`: what one sees while one types, what is printed in the end, and a terminal that is left as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest
from harness.person import Person
from hypothesis import given
from hypothesis import strategies as st

from tacit.cli.pick import own_screen, split_keys
from tests.support.screens import Picking
from tests.support.talking import capture

UP, DOWN, PAGE_UP, PAGE_DOWN, TAB, BACK_TAB = "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\t", "\x1b[Z"
ESCAPE, ENTER = "\x1b", "\r"


def ran(person: Person, *commands: str) -> None:
    """Commands that the person ran, the last one of them latest, a minute apart, until noon of the second of March."""
    start = 1772452800 - 60 * len(commands)
    lines = (
        f": {start + 60 * at}:0;{line}\n".replace("\n", "\\\n", line.count("\n")) for at, line in enumerate(commands)
    )
    file = person.folder / "history"
    file.write_text("".join(lines))
    person.tacit("import", "history", "--file", str(file), "--shell", "zsh")


@pytest.fixture(autouse=True)
def _no_picker_is_left() -> Iterator[None]:
    yield
    while Picking.opened:
        Picking.opened.pop().close()


@pytest.fixture
def worker(person: Person) -> Person:
    """Somebody with commands, memories and a session."""
    ran(person, "git fetch", "docker compose up -d", "docker compose logs -f web", "git push origin main")
    person.tacit("add", "never run docker compose down on the shop")
    (person.folder / "shop").mkdir()
    capture(person, person.folder / "shop", 1, "Why does docker compose restart the importer at night?")
    return person


def rows(lines: list[str]) -> list[str]:
    """The rows of what was found, without the pointer."""
    shown = lines[2 : next((at for at, line in enumerate(lines) if line.startswith("─")), 0)]
    return [row[2:] for row in shown if row.strip()]


def found(picking: Picking, kind: str) -> list[str]:
    """What is shown as soon as a row is of this kind."""
    return picking.wait(lambda screen: any(row.startswith(kind) for row in rows(screen.lines)))


def kinds(lines: list[str]) -> set[str]:
    return {row.split()[0] for row in rows(lines)}


def test_commands_come_first_and_then_memories_and_sessions(worker: Person) -> None:
    picking = Picking(worker)
    assert rows(picking.screen.lines)[0].startswith("command")
    lines = picking.type("docker comp")
    assert [row.split()[0] for row in rows(lines)] == ["command", "command", "memory", "session"]
    assert "docker compose logs -f web" in rows(lines)[0] and "docker compose up -d" in rows(lines)[1]
    assert picking.end(ENTER) == (0, "docker compose logs -f web\n")


def test_a_part_of_a_word_is_enough_also_of_a_word_of_a_session(worker: Person) -> None:
    picking = Picking(worker, "imp")
    lines = found(picking, "session")
    assert "restart the importer at night?" in rows(lines)[0]
    picking.end(ESCAPE)


def test_the_selected_hit_is_shown_with_who_and_when(worker: Person) -> None:
    picking = Picking(worker, "docker")
    found(picking, "session")
    lines = picking.wait_for("you ran this, 2026-03-02 11:58")
    assert any("$ docker compose logs -f web" in line for line in lines[15:])
    picking.press(DOWN + DOWN)
    picking.wait_for("constraint, active, global")
    picking.press(DOWN)
    picking.wait_for("open: tacit sessions ")
    picking.end(ESCAPE)


def test_of_a_memory_and_a_session_the_command_that_opens_it_is_printed(worker: Person) -> None:
    for row, begin in ((2, "tacit show "), (3, "tacit sessions ")):
        picking = Picking(worker, "docker")
        found(picking, "session")
        code, printed = picking.end(DOWN * row + ENTER)
        assert code == 0 and printed.startswith(begin)
        assert "docker compose" in worker.tacit(*printed.split()[1:]).out


def test_the_selected_row_stays_selected_when_more_is_found(worker: Person) -> None:
    picking = Picking(worker)
    picking.press("docker")
    picking.wait_for("> docker")
    picking.press(DOWN)
    found(picking, "session")
    assert picking.end(ENTER)[1] == "docker compose up -d\n"


def test_tab_goes_through_the_kinds_and_back(worker: Person) -> None:
    picking = Picking(worker, "docker")
    found(picking, "session")
    for key, tab in ((TAB, "command"), (TAB, "session"), (TAB, "memory"), (BACK_TAB, "session"), (BACK_TAB, "command")):
        picking.press(key)
        picking.wait_for(f"[{tab.removesuffix('y')}")
        lines = picking.wait(lambda screen, kind=tab: kinds(screen.lines) == {kind})  # type: ignore[misc]
        assert rows(lines)
    picking.press(BACK_TAB)
    picking.wait(lambda screen: kinds(screen.lines) == {"command", "session", "memory"})
    picking.end(ESCAPE)


def test_without_a_query_the_latest_of_each_kind_is_shown(worker: Person) -> None:
    picking = Picking(worker)
    assert "git push origin main" in rows(picking.screen.lines)[0]
    picking.press(TAB + TAB)
    assert len(rows(found(picking, "session"))) == 1
    picking.press(TAB)
    assert "never run docker" in rows(found(picking, "memory"))[0]
    picking.end(ESCAPE)


def test_keys_move_clear_and_delete(person: Person) -> None:
    ran(person, *(f"echo number {number}" for number in range(40)))
    picking = Picking(person)
    found(picking, "command")
    picking.press(UP + "\x0e" * 3 + "\x10" + PAGE_DOWN)
    lines = picking.wait(lambda screen: any(line.startswith("> c") and "number 24" in line for line in screen.lines))
    assert "echo number 24" in lines[14]
    picking.press(PAGE_UP + PAGE_UP)
    picking.wait(lambda screen: screen.lines[2].startswith("> command") and "number 39" in screen.lines[2])
    picking.press("number 12x\x7f")
    picking.wait(lambda screen: len(rows(screen.lines)) == 1 and "number 12" in rows(screen.lines)[0])
    picking.press("\x17\x17")
    picking.wait(lambda screen: screen.lines[0] == ">")
    picking.press("zz\x153\x157")
    picking.wait(lambda screen: screen.lines[0] == "> 7")
    assert picking.end(ENTER)[1] == "echo number 37\n"


def test_nothing_is_printed_when_one_leaves_and_when_there_is_nothing_to_choose(worker: Person) -> None:
    for keys in (ESCAPE, "\x03", "\x04", "\x07"):
        assert Picking(worker, "docker").end(keys) == (1, "")
    picking = Picking(worker, "no such thing at all")
    picking.wait_for("No matches.")
    picking.press(ENTER)
    assert picking.end(ESCAPE) == (1, "")


def test_what_was_purged_is_not_shown(worker: Person) -> None:
    worker.tacit("purge", "--text", "compose", "--yes")
    picking = Picking(worker)
    lines = picking.type("docker")
    assert rows(lines) and not any("compose" in line for line in lines)
    picking.end(ESCAPE)


# What does not go onto a line


@pytest.mark.parametrize(
    "command", ["echo \x1b[31mred", "echo \u202etxt.exe", "echo a\x07b", "echo \u200bx", "echo a\rb"]
)
def test_a_command_with_characters_that_do_not_show_is_shown_and_refused(person: Person, command: str) -> None:
    ran(person, "true", command)
    picking = Picking(person)
    lines = picking.wait_for("$ echo")
    assert command not in "\n".join(lines)
    picking.press(ENTER)
    picking.wait_for("it has characters that do not show")
    picking.press(DOWN)
    assert picking.end(ENTER) == (0, "true\n")


def test_a_command_of_several_lines_is_printed_whole(person: Person) -> None:
    ran(person, "for i in 1 2\ndo\techo $i\ndone")
    picking = Picking(person)
    picking.wait_for("for i in 1 2⏎do echo $i⏎done")
    assert picking.end(ENTER) == (0, "for i in 1 2\ndo\techo $i\ndone\n")


@pytest.mark.parametrize("keys", ["one\ntwo", "\x1b[200~one\n\x1b[201~two", "\x1b[200~one\ttwo\x1b[201~"])
def test_pasted_line_ends_are_blanks(worker: Person, keys: str) -> None:
    picking = Picking(worker)
    picking.press(keys)
    picking.wait_for("> one two")
    assert picking.end(ESCAPE) == (1, "")


# The terminal


@pytest.mark.parametrize("end", [ESCAPE, ENTER, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_terminal_is_left_as_it_was(worker: Person, end: str | signal.Signals) -> None:
    picking = Picking(worker)
    if isinstance(end, str):
        picking.end(end)
    else:
        os.kill(picking.program.pid, end)
        code, printed = picking.end()
        assert (code, printed) == (128 + end, "")
    assert not picking.screen.is_other and picking.screen.is_cursor_shown
    assert picking.settings_after == picking.settings


def test_it_is_left_as_it_was_when_something_fails() -> None:
    ours, theirs = os.openpty()
    settings, handler = termios.tcgetattr(theirs), signal.getsignal(signal.SIGTERM)
    with pytest.raises(ZeroDivisionError), own_screen(theirs):
        assert termios.tcgetattr(theirs) != settings
        raise ZeroDivisionError
    assert termios.tcgetattr(theirs) == settings and signal.getsignal(signal.SIGTERM) is handler
    shown = b""
    while not shown.endswith(b"\x1b[?1049l"):
        shown += os.read(ours, 1000)
    os.close(ours)
    os.close(theirs)


WIDE = [
    "echo 日本語のコマンド" + "漢字" * 40,
    "echo e\u0301" * 60,
    "echo 👩‍👩‍👧 ❤️ 🇩🇪 " + "🎉" * 60,
    "echo " + "ﾊﾝｶｸ" * 30,
]


@pytest.mark.parametrize(("columns", "height"), [(80, 24), (40, 24), (40, 9), (20, 4), (200, 60)])
def test_every_row_fits_whatever_is_in_it(person: Person, columns: int, height: int) -> None:
    ran(person, *WIDE, "echo " + "long " * 100)
    person.tacit("add", "write errors in 日本語 " + "漢字" * 60)
    picking = Picking(person, columns=columns, rows=height)
    for query in ("echo", "\x15漢字", "\x15" + "q" * 100):
        picking.press(query)
        picking.wait_for(query.strip("\x15")[-5:])
        picking.wait(lambda screen: screen.cursor[0] == 1 and screen.is_cursor_shown)  # all of it is drawn
        assert picking.screen.overflows == 0
    assert picking.screen.cursor[1] <= columns
    picking.end(ESCAPE)


def test_a_terminal_that_changes_its_size_is_drawn_anew(worker: Person) -> None:
    picking = Picking(worker, "docker")
    found(picking, "session")
    lines = picking.resize(40, 16)
    assert rows(lines)[0].startswith("c ") and picking.screen.overflows == 0
    lines = picking.resize(100, 30)
    assert rows(lines)[0].startswith("command") and lines[-1].startswith("Enter")
    picking.end(ESCAPE)


def test_no_color_means_no_styles(worker: Person) -> None:
    for no_color in ("", "1"):
        picking = Picking(worker, "docker", NO_COLOR=no_color)
        found(picking, "session")
        picking.end(ESCAPE)
        assert ("\x1b[7m" in picking.raw) is not bool(no_color)


# Where it cannot be used


def alone(person: Person, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it without a terminal."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "tacit", "pick", *words],
        cwd=person.folder,
        env=person.environment(**{"TERM": "xterm", **environment}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )


def test_without_a_terminal_it_says_what_to_type(person: Person) -> None:
    done = alone(person, "--query", "docker compose")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is none" in done.stderr and "tacit recall 'docker compose'" in done.stderr
    assert "tacit recall QUERY" in alone(person).stderr


@pytest.mark.parametrize("terminal", ["dumb", ""])
def test_a_terminal_that_cannot_be_drawn_on_is_told(person: Person, terminal: str) -> None:
    done = alone(person, "--query", "docker", TERM=terminal)
    assert done.returncode == 1 and "cannot draw" in done.stderr and "tacit recall docker" in done.stderr


def test_an_agent_is_not_shown_what_a_person_typed(person: Person) -> None:
    refused = person.tacit("pick", code=1, CLAUDECODE="1")
    assert "tacit pick" in refused.err


# Keys


@given(st.lists(st.sampled_from([UP, DOWN, PAGE_UP, TAB, "a", "ü", "日", "\x1bi", "\x1b[1;5C", "\x1bOA"]), max_size=8))
def test_keys_are_the_same_however_they_arrive(keys: list[str]) -> None:
    whole, rest = split_keys("".join(keys))
    assert rest == ""
    for cut in range(len("".join(keys)) + 1):
        first, pending = split_keys("".join(keys)[:cut])
        second, rest = split_keys(pending + "".join(keys)[cut:])
        assert first + second == whole and rest == ""


def test_an_escape_is_kept_until_it_is_known_what_it_begins() -> None:
    assert split_keys("a\x1b") == (["a"], "\x1b")
    assert split_keys("\x1b[") == ([], "\x1b[")
    assert split_keys("\x1b\x1b[A") == (["cancel", "up"], "")
