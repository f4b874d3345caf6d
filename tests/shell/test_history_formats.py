"""What holds of every format: junk is counted and never an error, memory has a bound, and a file tells its shell."""

from __future__ import annotations

import resource
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.shell.history_formats import FORMATS, MAX_COMMAND_CHARS, HistoryEntry, detect_shell
from tacit.shell.history_import import HistoryFile, existing_histories, possible_histories
from tacit.shell.history_lines import SessionAssigner, SessionSpan

TEXTS = [shell for shell in FORMATS if shell != "atuin"]
PIECES = [
    b"\n",
    b"\\\n",
    b"- cmd: ",
    b"  when: ",
    b"#1700000000",
    b": 1700000000:0;",
    b"\x83",
    b"\0",
    b"\xff",
    b"ls",
    b" ",
]
junk = st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=40).map(b"".join)


@pytest.mark.parametrize("shell", TEXTS)
@settings(max_examples=150, deadline=None)
@given(data=junk)
def test_whatever_is_read_can_be_stored_and_shown(shell: str, data: bytes) -> None:
    for one in FORMATS[shell].read(BytesIO(data)):
        if isinstance(one, HistoryEntry):
            assert one.command.strip() and len(one.command) <= MAX_COMMAND_CHARS
            one.command.encode("utf-8")
            assert one.command.replace("\n", "").replace("\t", "").isprintable() or not one.command.isascii()
            assert not any(sign < " " and sign not in "\n\t" for sign in one.command)


@pytest.mark.parametrize("shell", TEXTS)
@settings(max_examples=60, deadline=None)
@given(data=junk, size=st.integers(1, 7))
def test_it_does_not_matter_how_the_bytes_come(shell: str, data: bytes, size: int) -> None:
    class Slow(BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    assert list(FORMATS[shell].read(Slow(data))) == list(FORMATS[shell].read(BytesIO(data)))


@pytest.mark.parametrize("shell", TEXTS)
def test_a_line_without_end_costs_no_memory(shell: str) -> None:
    """A third of a gigabyte in one line, in a process that may have no more than the interpreter and a little."""
    program = f"""
from tacit.shell.history_formats import FORMATS
class Endless:
    left = 330
    def read(self, size):
        self.left -= 1
        return b"y" * (1 << 20) if self.left > 10 else b"\\nls\\n" if self.left == 10 else b""
print(len(list(FORMATS[{shell!r}].read(Endless()))))
"""
    limit = 160 << 20

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=bounded, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.parametrize(
    ("name", "head", "shell"),
    [
        ("x", b": 1700000000:0;ls\n", "zsh"),
        ("x", b"- cmd: ls\n  when: 17\n", "fish"),
        ("x", b"ls\n#1700000000\nls\n", "bash"),
        ("x.db", b"SQLite format 3\0", "atuin"),
        (".zsh_history", b"ls\n", "zsh"),
        (".histfile", b"ls\n", "zsh"),
        ("my_bash_history.old", b"ls\n", "bash"),
        (".bash_history", b": 1700000000:0;ls\n", "zsh"),
        ("history.txt", b"ls\n", None),
    ],
)
def test_a_file_tells_its_shell_by_what_it_holds_or_is_called(name: str, head: bytes, shell: str | None) -> None:
    assert detect_shell(f"/somewhere/{name}", head) == shell


def test_histories_are_looked_for_where_shells_keep_them(tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    (tmp_path / "z/.zsh_history").write_text("ls\n")
    (tmp_path / ".zsh_history").symlink_to("z/.zsh_history")
    (tmp_path / "elsewhere").write_text("ls\n")
    environment = {"ZDOTDIR": f"{tmp_path}/z", "HISTFILE": f"{tmp_path}/elsewhere", "XDG_DATA_HOME": f"{tmp_path}/d"}
    assert existing_histories(environment, str(tmp_path)) == [
        HistoryFile(f"{tmp_path}/z/.zsh_history", "zsh"),
        HistoryFile(f"{tmp_path}/elsewhere"),
    ]
    assert HistoryFile(f"{tmp_path}/d/fish/fish_history", "fish") in possible_histories(environment, str(tmp_path))
    assert HistoryFile(f"{tmp_path}/.local/share/atuin/history.db", "atuin") in possible_histories({}, str(tmp_path))


# Sessions

HOUR, AT = 3600, 1_700_000_000


def sat(seconds: list[int], known: tuple[SessionSpan, ...] = ()) -> list[str]:
    sessions = SessionAssigner("zsh", known)
    return [sessions.session_at(second) for second in seconds]


def test_a_pause_of_thirty_minutes_begins_a_new_session_and_less_does_not() -> None:
    first, second, third = sat([AT, AT + 1799, AT + 1799 + 1800])
    assert first == second != third


def test_a_pause_begins_when_a_command_has_ended() -> None:
    sessions = SessionAssigner("zsh")
    assert sessions.session_at(AT, 2 * HOUR * 1000) == sessions.session_at(AT + 2 * HOUR + 60)


def test_going_back_in_time_is_another_terminal() -> None:
    one, late, other = sat([AT, AT + HOUR, AT + 5])
    assert len({one, late, other}) == 3


def test_a_session_that_lost_its_beginning_is_still_the_same() -> None:
    assert sat([AT + 60], (SessionSpan(AT, AT + 30, "zsh:1"), SessionSpan(AT + 9 * HOUR, AT + 10 * HOUR, "zsh:2"))) == [
        "zsh:1"
    ]
    assert sat([AT + 5 * HOUR], (SessionSpan(AT, AT + 30, "zsh:1"),)) == [f"zsh:{AT + 5 * HOUR}"]
