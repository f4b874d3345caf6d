"""A session whose host died without a word: what it wrote last is captured when the next session starts."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tacit.home.paths import HomePaths
from tacit.hosts.queue import CaptureRequest, grown_transcripts, mark_ended, mark_unfinished
from tests.support.hook_calls import SESSION, Call, Given, Scene

START, STOP, END = Call("inject", "SessionStart"), Call("capture", "Stop"), Call("capture", "SessionEnd")
LATE = "one more thing: paint the amber gate"
OTHER = Given(changes={"session_id": "another", "transcript_path": ""})


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path)
    made.prepare()
    return made


def say_late(scene: Scene) -> None:
    asked = {"role": "user", "content": LATE}
    record = {"sessionId": SESSION, "cwd": str(scene.project), "isSidechain": False, "userType": "external"}
    record |= {"type": "user", "uuid": "u-9", "timestamp": "2026-03-02T12:00:00.000Z", "message": asked}
    with scene.transcript.open("a") as file:
        file.write(json.dumps(record) + "\n")
    os.utime(scene.transcript, (time.time() + 5, time.time() + 5))


def test_what_a_session_wrote_before_its_host_died_is_captured_when_the_next_one_starts(scene: Scene) -> None:
    scene.run(STOP)
    scene.settle()
    say_late(scene)
    assert not scene.holds(LATE)

    scene.run(START, OTHER)
    scene.settle()
    assert scene.holds(LATE)


def test_a_session_that_was_never_captured_is_not_looked_after(scene: Scene) -> None:
    say_late(scene)
    scene.run(START, OTHER)
    scene.settle()

    assert not scene.holds(LATE)


def test_a_session_that_was_turned_off_since_is_left_alone(scene: Scene) -> None:
    scene.run(STOP)
    scene.settle()
    say_late(scene)
    scene.run(START, OTHER._replace(variables={"TACIT_AUTOCAPTURE_ENABLED": "0"}))
    scene.settle()

    assert not scene.holds(LATE)


def test_a_session_that_has_ended_is_done_with(scene: Scene) -> None:
    scene.run(STOP)
    scene.settle()
    scene.run(END)
    scene.settle()

    assert os.listdir(scene.home / ".tacit" / "unfinished") == []


def test_one_that_grew_is_told_once_until_it_grows_again(tmp_path: Path) -> None:
    home, transcript = HomePaths(str(tmp_path)), tmp_path / "x.jsonl"
    note = CaptureRequest("claude", SESSION, str(transcript))
    transcript.write_text("")
    mark_unfinished(home, note)
    os.utime(transcript, (1, 1))
    assert list(grown_transcripts(home)) == []

    (mark,) = os.listdir(home.unfinished_captures)
    long_ago = time.time() - 60
    os.utime(Path(home.unfinished_captures, mark), (long_ago, long_ago))
    os.utime(transcript, (long_ago + 30, long_ago + 30))
    assert list(grown_transcripts(home)) == [note]
    assert list(grown_transcripts(home)) == []

    mark_ended(home, note)
    assert os.listdir(home.unfinished_captures) == []


def test_what_is_gone_or_a_week_old_is_forgotten(tmp_path: Path) -> None:
    home, old = HomePaths(str(tmp_path)), tmp_path / "old.jsonl"
    old.write_text("")
    mark_unfinished(home, CaptureRequest("claude", "gone", str(tmp_path / "gone.jsonl")))
    mark_unfinished(home, CaptureRequest("claude", "old", str(old)))
    for name in os.listdir(home.unfinished_captures):
        os.utime(Path(home.unfinished_captures, name), (1, 1))

    assert list(grown_transcripts(home)) == []
    assert os.listdir(home.unfinished_captures) == []
