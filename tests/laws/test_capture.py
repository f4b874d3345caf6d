"""Transcripts give the same events, sessions and pages, however often, in whatever order and pieces they are read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.transcripts import Claude, Turn, claude, line, lines, name_of, opencode, place, story, written
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chaos.apart import folder_in_memory
from tests.laws.kept import Kept, capture, captured, difference, kept

EXAMPLES = 10
_GROWN = (".jsonl",)


class Desk(NamedTuple):
    """A person's folder with transcripts of every host, and what capturing them once gives."""

    folder: Path
    files: list[Path]
    once: Kept

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def check(self) -> None:
        assert list(difference(self.once, kept(self.home))) == []


@contextmanager
def own_folder() -> Iterator[Path]:
    """The folder of a person. The directory of the sessions is nowhere, so that it has one name in every example."""
    with folder_in_memory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        yield folder


@contextmanager
def desk() -> Iterator[Desk]:
    with own_folder() as folder:
        yield Desk(folder, written(folder, "/nowhere/work"), _once())


@cache
def _once() -> Kept:
    with own_folder() as folder:
        return captured(folder / "home", *written(folder, "/nowhere/work"))


def test_every_prompt_of_every_host_is_there_once() -> None:
    asked = [turn.asked for host in ("claude", "codex", "gemini", "copilot", "opencode") for turn in story(host, 3)]
    found = _once().prompts

    assert set(found.values()) == {1}
    assert set(asked) < set(found)
    assert {turn.asked for turn in story("damaged", 3)} < set(found)
    assert len(_once().rows) == len(_once().pages) == 7


@settings(max_examples=EXAMPLES, deadline=None)
@given(chosen=st.data())
def test_order_repetition_and_copies_change_nothing(chosen: st.DataObject) -> None:
    with desk() as here:
        copied = chosen.draw(st.sampled_from([file for file in here.files if file.suffix in _GROWN]))
        copy = copied.with_name(f"copy of {copied.name}")
        shutil.copyfile(copied, copy)
        order = chosen.draw(st.permutations([*here.files, copy, *here.files[:2]]))
        parts = chosen.draw(st.integers(1, 3))
        for start in range(parts):
            capture(here.home, *order[start::parts])
        here.check()
        assert sum(one.new for one in capture(here.home, *reversed(here.files))) == 0


@settings(max_examples=EXAMPLES, deadline=None)
@given(chosen=st.data())
def test_files_that_grow_while_they_are_captured_give_the_same(chosen: st.DataObject) -> None:
    """Each is cut at any byte, captured, and goes on from there."""
    with desk() as here:
        grown = {file: file.read_bytes() for file in here.files if file.suffix in _GROWN}
        cuts = {file: sorted(chosen.draw(st.lists(st.floats(0, 1), min_size=2, max_size=2))) for file in grown}
        for nth in range(2):
            for file, whole in grown.items():
                file.write_bytes(whole[: round(cuts[file][nth] * len(whole))])
            capture(here.home, *chosen.draw(st.permutations(here.files)))
            if chosen.draw(st.booleans()):
                kept(here.home)  # somebody asks in between
        for file, whole in grown.items():
            file.write_bytes(whole)
        capture(here.home, *here.files)
        here.check()


@settings(max_examples=EXAMPLES, deadline=None)
@given(chosen=st.data())
def test_files_that_were_rewritten_give_the_same(chosen: st.DataObject) -> None:
    """Another file in its place, or the same one shortened and written again: no tracked place holds any more."""
    with desk() as here:
        capture(here.home, *here.files)
        if chosen.draw(st.booleans()):
            kept(here.home)  # then it is known from the index, else from the log
        for file in [file for file in here.files if file.suffix in _GROWN]:
            whole = file.read_bytes()
            match chosen.draw(st.sampled_from(("replaced", "shortened", "same size", "as it is"))):
                case "replaced":
                    file.with_suffix(".new").write_bytes(whole)
                    os.replace(file.with_suffix(".new"), file)
                case "shortened":
                    file.write_bytes(whole[: chosen.draw(st.integers(0, len(whole)))])
                    capture(here.home, file)
                    file.write_bytes(whole)
                case "same size":
                    file.write_bytes(b"\n" * len(whole))
                    capture(here.home, file)
                    file.write_bytes(whole)
        assert sum(one.new for one in capture(here.home, *here.files)) == 0
        here.check()


@settings(max_examples=EXAMPLES, deadline=None)
@given(captured_turns=st.integers(1, 5), gone=st.integers(0, 5), elsewhere=st.booleans())
def test_a_file_whose_first_records_are_gone_gives_what_is_new_and_nothing_twice(
    captured_turns: int, gone: int, elsewhere: bool
) -> None:
    """The host has thrown the beginning away, with it the record up to which we had read."""
    told = claude(name_of("long"), "/nowhere/work", story("long", 6))
    begins = [number for number, record in enumerate(told) if _is_typed(record)]
    with own_folder() as folder:
        file = place(folder, "claude", name_of("long"))
        file.write_bytes(lines(told))
        once = captured(folder / "once", file)
        file.write_bytes(lines(told[: begins[captured_turns]]))
        capture(folder / "home", file)
        rest = lines(told[begins[min(gone, captured_turns)] :])
        other = file.with_name("rewritten.jsonl")
        other.write_bytes(rest)
        if not elsewhere:
            os.replace(other, file)
        capture(folder / "home", other if elsewhere else file)

        assert list(difference(once, kept(folder / "home"))) == []


def test_a_session_whose_first_day_is_captured_last_has_one_page(tmp_path: Path) -> None:
    """Its page is named by the day it began, which is known only then."""
    teller = Claude(name_of("days"), "/nowhere/work")
    for turn in story("days", 2):
        teller.turn(turn)
        teller.clock(2 * 86_400)
    second = [number for number, record in enumerate(teller.records) if _is_typed(record)][1]
    file = place(tmp_path, "claude", teller.session)
    file.write_bytes(lines(teller.records[second:]))
    (late,) = captured(tmp_path / "home", file).pages
    file.write_bytes(lines(teller.records))
    (page,) = captured(tmp_path / "home", file).pages

    assert page < late
    assert list(difference(captured(tmp_path / "once", file), kept(tmp_path / "home"))) == []


@pytest.mark.parametrize("in_place", [True, False])
def test_another_session_in_the_place_of_one_that_was_read_is_read_from_its_beginning(
    tmp_path: Path, in_place: bool
) -> None:
    """Of the same size, with lines at the same places: only what it says is different."""
    one, other = (lines(claude(name_of(name), "/nowhere/work", story(name, 3))) for name in ("aaa", "bbb"))
    assert len(one) == len(other)
    file = tmp_path / "session.jsonl"
    file.write_bytes(one)
    capture(tmp_path / "home", file)
    new = file if in_place else file.with_suffix(".new")
    new.write_bytes(other)
    os.replace(new, file)

    assert capture(tmp_path / "home", file)[0].new > 0
    assert {turn.asked for name in ("aaa", "bbb") for turn in story(name, 3)} < set(kept(tmp_path / "home").prompts)


def _is_typed(record: dict[str, object]) -> bool:
    message = record.get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), str) and "isCompactSummary" not in record


@settings(max_examples=EXAMPLES, deadline=None)
@given(steps=st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_a_database_that_grows_gives_the_same(steps: list[int]) -> None:
    turns = story("growing", 6)
    with own_folder() as folder:
        opencode(folder / "whole" / "opencode.db", "ses_1", "/nowhere/work", turns)
        once = captured(folder / "once", folder / "whole" / "opencode.db")
        for many in (*sorted(steps), 6):
            opencode(folder / "opencode.db", "ses_1", "/nowhere/work", turns[:many])
            capture(folder / "home", folder / "opencode.db")

        assert list(difference(once, kept(folder / "home"))) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(chosen=st.data())
def test_a_session_that_was_captured_at_every_turn_is_that_of_the_finished_file(chosen: st.DataObject) -> None:
    """Its page too, byte for byte, also where a question or a rebuilt index came in between."""
    teller = Claude(name_of("live"), "/nowhere/work")
    with own_folder() as folder:
        file = place(folder, "claude", name_of("live"))
        for turn in story("live", 4):
            teller.turn(turn)
            if chosen.draw(st.booleans()):
                teller.call("Bash", {"command": "sleep 9"}, "x")
                teller.compact()
            file.write_bytes(lines(teller.records))
            capture(folder / "home", file)
            match chosen.draw(st.sampled_from(("asked", "index gone", "pages gone", "nothing"))):
                case "asked":
                    kept(folder / "home")
                case "index gone":
                    (folder / "home" / "index.sqlite").unlink(missing_ok=True)
                case "pages gone":
                    shutil.rmtree(folder / "home" / "sessions")

        assert list(difference(captured(folder / "once", file), kept(folder / "home"))) == []


def test_a_call_whose_result_comes_late_is_told_once(tmp_path: Path) -> None:
    """The person went on before the result was there; it came behind the next prompt."""
    teller = Claude(name_of("late"), "/nowhere/work")
    teller.turn(Turn("start the server in the background", "make serve"))
    call, result = teller.records[2], teller.records[3]
    rest = [record for record in teller.records if record is not result]
    teller.records = rest
    teller.ask("is the server up, by the way?")
    late = [*teller.records, result]
    file = place(tmp_path, "claude", teller.session)
    file.write_bytes(lines(rest[: rest.index(call) + 1]))
    capture(tmp_path / "home", file)
    for record in late[rest.index(call) + 1 :]:
        with file.open("ab") as grown:
            grown.write(line(record))
        capture(tmp_path / "home", file)
    file.write_bytes(lines(late))

    assert list(difference(captured(tmp_path / "once", file), kept(tmp_path / "home"))) == []
