"""Styles and wrapping are for terminals; pipes and files get plain lines."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.cli import output


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def screen() -> Iterator[Screen]:
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(Screen()) as shown:
        patch.delenv("NO_COLOR", raising=False)
        patch.setenv("TERM", "xterm")
        yield shown


def test_a_terminal_shows_styles() -> None:
    with screen():
        assert output.bold("a") == "\x1b[1ma\x1b[0m"
        assert output.dim("    a") == "    \x1b[2ma\x1b[0m"
        assert output.red("") == ""


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_styles_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    with screen():
        monkeypatch.setenv(name, value)
        assert output.bold("a") == "a"


def test_a_pipe_shows_none(person: Person) -> None:
    person.tacit("add", "never force push", "--global")
    for words in (("list",), ("recall", "push"), ("status",), ("--help",), (), ("doctor",), ("show", "nothing")):
        said = person.process(*words, code=None, TERM="xterm")
        assert said.out or said.err
        assert "\x1b" not in said.out + said.err


def test_prose_is_wrapped_between_words_and_indented() -> None:
    assert output.wrap("  - " + "word " * 6 + "end", 20) == ["  - word word word", "    word word word", "    end"]
    assert output.wrap("short", 20) == ["short"]
    assert output.wrap("a " + "x" * 30, 20) == ["a", "  " + "x" * 30]


def test_styles_take_no_room() -> None:
    styled = "\x1b[1mword\x1b[0m word word word"
    assert output.wrap(styled, 14) == ["\x1b[1mword\x1b[0m word word", "  word"]


def test_long_sentences_are_wrapped_only_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = ("never " + "push " * 40).strip()
    with screen() as shown:
        output.echo_wrapped(sentence)
    assert len(shown.getvalue().splitlines()) > 1
    assert max(map(len, shown.getvalue().splitlines())) <= 80
    output.echo_wrapped(sentence)
    assert capsys.readouterr().out == sentence + "\n"


def test_styles_are_all_that_a_terminal_shows_besides(person: Person) -> None:
    person.tacit("add", "never force \x1b[1mpush", "--global")
    person.tacit("note", "use \x1b]0;title\x07 pnpm")
    for words in (("list",), ("list", "--pending"), ("status",), ("recall", "push"), ("--help",), ("show", "nothing")):
        plain = converse(person, *words, answers=()).out
        styled = converse(person, *words, answers=(), NO_COLOR="").out
        assert "\x1b" not in plain and "\x1b[" in styled
        assert re.sub(r"\x1b\[(?:0|1|2|31|36)m", "", styled) == plain
