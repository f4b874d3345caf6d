"""The bar of long work: on a terminal after a second, with rate and remaining time; nothing anywhere else."""

from __future__ import annotations

import io

import pytest

from tacit.cli.output import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    return stream


def test_what_is_done_within_a_second_shows_no_bar(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    bar = ProgressBar()
    for done in (10, 50, 100):
        clock[0] += 0.3
        bar.show_bytes("reading", done, 100)
    bar.clear()
    assert terminal.getvalue() == ""


def test_a_long_task_has_rate_and_remaining_time_and_leaves_no_bar(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = on_terminal(monkeypatch)
    bar = ProgressBar()
    bar.show_bytes("reading the log", 0, 100_000_000)
    clock[0] += 10
    bar.show_bytes("reading the log", 25_000_000, 100_000_000)
    assert "reading the log [######" in terminal.getvalue()
    assert " 25% 2.5 MB/s, 0:30 left" in terminal.getvalue()
    bar.show_bytes("reading the log", 100_000_000, 100_000_000)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_things_are_counted_with_their_noun(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    bar = ProgressBar("commands")
    clock[0] += 4
    bar("/home/someone/.zsh_history", 2_000, 0.5)
    assert ".zsh_history [############            ]  50% 2,000 commands, 500/s, 0:04 left" in terminal.getvalue()


def test_nothing_is_written_into_a_pipe(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    bar = ProgressBar()
    clock[0] += 10
    bar.show_bytes("reading", 1, 100)
    bar("file", 1, 0.1)
    bar.show_message("learning …")
    bar.clear()
    assert stream.getvalue() == ""
