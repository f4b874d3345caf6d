"""What a hook could not read waits, and the next hook of any session takes it along."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.home.paths import HomePaths
from tacit.home.store import Store
from tacit.hooks.dispatch import drain_now
from tacit.hosts import queue
from tacit.hosts.queue import CaptureRequest, drain, enqueue, grown_transcripts, has_pending, queued_requests
from tests.support.hook_calls import AGENT, PROMPT, SESSION, Call, Given, Scene

STOP, END, ASK = Call("capture", "Stop"), Call("capture", "SessionEnd"), Call("inject", "UserPromptSubmit")
HOST = "import subprocess, sys, time; subprocess.run(sys.argv[1:]); print('done', flush=True); time.sleep(60)"
SLOWLY = """
import os, sys, time
from tacit.hooks import agent
begin = os.setsid
os.setsid = lambda: (time.sleep(0.3), begin())
if agent._fork_detached():
    open(sys.argv[1], "w").close()
"""
LOCKED = "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.flock(file, fcntl.LOCK_EX)"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path)
    made.prepare()
    return made


def wait_until(holds: Callable[[], object]) -> None:
    until = time.monotonic() + 5
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)


def waiting(scene: Scene) -> list[str]:
    folder = scene.home / ".tacit" / "pending"
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def test_what_was_not_read_because_somebody_held_the_home_is_read_by_the_next_hook(scene: Scene) -> None:
    """Whoever waits for the home too long is ended; here it is killed, so that nobody waits for that."""
    scene.hold(LOCKED, str(scene.home / ".tacit" / "write.lock"))
    scene.run(STOP)
    wait_until(lambda: scene.left() and waiting(scene))
    time.sleep(0.3)  # now it waits for the lock
    for process in scene.left():
        os.kill(process, signal.SIGKILL)
    assert len(waiting(scene)) == 1 and not scene.holds(PROMPT)
    scene.let_go()
    scene.run(ASK, Given(changes={"session_id": "another", "prompt": "hello"}))
    scene.settle()

    assert scene.holds(PROMPT)
    assert waiting(scene) == []


def test_the_end_of_a_session_is_captured_although_its_host_dies_with_all_its_children(scene: Scene) -> None:
    hook = [sys.executable, "-I", "-S", str(AGENT), "claude", END.what, END.event]
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, *hook],
        env=scene._environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert host.stdin is not None and host.stdout is not None
    host.stdin.write(scene.payload(END))
    host.stdin.close()
    assert host.stdout.readline() == b"done\n"
    os.killpg(host.pid, signal.SIGKILL)
    host.wait()
    host.stdout.close()
    scene.settle()

    assert scene.holds(PROMPT)


def test_a_hook_ends_only_when_what_it_leaves_behind_is_on_its_own(scene: Scene) -> None:
    """However long the system takes to let it: until then the host's end would be its end, too."""
    there = scene.folder / "there"
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, sys.executable, "-c", SLOWLY, str(there)],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert host.stdout is not None and host.stdout.readline() == b"done\n"
    os.killpg(host.pid, signal.SIGKILL)
    host.communicate()
    wait_until(there.exists)

    assert there.exists()


# The notes


@pytest.fixture
def home(tmp_path: Path) -> HomePaths:
    return HomePaths(str(tmp_path))


def test_a_note_that_came_while_its_transcript_was_read_is_read_again(home: HomePaths) -> None:
    note, seen = CaptureRequest("claude", SESSION, "/x.jsonl"), list[CaptureRequest]()

    def capture(one: CaptureRequest) -> None:
        seen.append(one)
        if len(seen) == 1:
            enqueue(home, note)  # the next Stop

    enqueue(home, note)
    drain(home, capture)
    assert seen == [note, note]
    assert list(queued_requests(home.capture_queue)) == []


def test_whoever_dies_at_a_transcript_leaves_its_note_and_others_come_first_then(home: HomePaths) -> None:
    bad, good = CaptureRequest("claude", "bad", "/bad.jsonl"), CaptureRequest("claude", "good", "/good.jsonl")
    enqueue(home, bad)

    def dies(_request: CaptureRequest) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drain(home, dies)
    assert [note for _, note in queued_requests(home.capture_queue)] == [bad]
    enqueue(home, good)
    seen: list[CaptureRequest] = []
    drain(home, seen.append)

    assert seen == [good, bad]
    assert list(queued_requests(home.capture_queue)) == []


def test_a_note_that_is_being_written_is_not_thrown_away(home: HomePaths, monkeypatch: pytest.MonkeyPatch) -> None:
    note, moved = CaptureRequest("claude", SESSION, "/x.jsonl"), OsDisk.rename

    def meanwhile(disk: OsDisk, source: str, target: str) -> None:
        assert not has_pending(home) and list(queued_requests(home.capture_queue)) == []  # another process looks
        moved(disk, source, target)

    monkeypatch.setattr(OsDisk, "rename", meanwhile)
    enqueue(home, note)
    assert has_pending(home) and [one for _, one in queued_requests(home.capture_queue)] == [note]


def test_while_somebody_captures_others_leave_their_notes_to_them(home: HomePaths) -> None:
    note, seen = CaptureRequest("claude", SESSION, "/x.jsonl"), list[CaptureRequest]()
    enqueue(home, note)
    with FileLock(home.capture_lock, 0).acquire():
        assert not drain(home, seen.append)

    assert seen == []
    assert drain(home, seen.append)
    assert seen == [note]


def test_only_whoever_captured_files_what_was_captured(home: HomePaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """All others would keep them from the home's lock."""
    filed: list[str] = []
    monkeypatch.setattr(Store, "catch_up", lambda store: filed.append(store.paths.root))
    enqueue(home, CaptureRequest("claude", SESSION, "/x.jsonl"))
    with FileLock(home.capture_lock, 0).acquire():
        drain_now(home)
    assert filed == []
    drain_now(home)
    assert filed == [home.root]


def test_what_is_no_note_is_thrown_away(home: HomePaths) -> None:
    enqueue(home, CaptureRequest("claude", SESSION, "/x.jsonl"))
    Path(home.capture_queue, "zzz").write_bytes(b"nonsense")
    Path(home.capture_queue, "folder").mkdir()
    assert drain(home, lambda _note: None)

    assert os.listdir(home.capture_queue) == ["folder"]  # cannot be read, and is not waited for


def test_a_hundred_notes_of_one_transcript_are_one(home: HomePaths) -> None:
    for _ in range(100):
        enqueue(home, CaptureRequest("claude", SESSION, "/x.jsonl"))

    assert len(list(queued_requests(home.capture_queue))) == 1


def test_a_request_that_a_killed_process_did_not_finish_is_removed_and_one_being_written_is_not(scene: Scene) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    folder = scene.home / ".tacit" / "pending"
    folder.mkdir(exist_ok=True)
    for process in (ended.pid, os.getpid()):
        (folder / f".{'0' * 24}.{process}.tacit-new").write_text("half a req")
    scene.run(STOP)
    scene.settle()
    assert waiting(scene) == [f".{'0' * 24}.{os.getpid()}.tacit-new"] and scene.holds(PROMPT)


# A session whose host died without a word: what it wrote last is captured when the next session starts


START = Call("inject", "SessionStart")
LATE = "one more thing: paint the amber gate"
OTHER = Given(changes={"session_id": "another", "transcript_path": ""})


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
    queue.mark_unfinished(home, note)
    os.utime(transcript, (1, 1))
    assert list(grown_transcripts(home)) == []

    (mark,) = os.listdir(home.unfinished_captures)
    long_ago = time.time() - 60
    os.utime(Path(home.unfinished_captures, mark), (long_ago, long_ago))
    os.utime(transcript, (long_ago + 30, long_ago + 30))
    assert list(grown_transcripts(home)) == [note]
    assert list(grown_transcripts(home)) == []

    queue.mark_ended(home, note)
    assert os.listdir(home.unfinished_captures) == []


def test_what_is_gone_or_a_week_old_is_forgotten(tmp_path: Path) -> None:
    home, old = HomePaths(str(tmp_path)), tmp_path / "old.jsonl"
    old.write_text("")
    queue.mark_unfinished(home, CaptureRequest("claude", "gone", str(tmp_path / "gone.jsonl")))
    queue.mark_unfinished(home, CaptureRequest("claude", "old", str(old)))
    for name in os.listdir(home.unfinished_captures):
        os.utime(Path(home.unfinished_captures, name), (1, 1))

    assert list(grown_transcripts(home)) == []
    assert os.listdir(home.unfinished_captures) == []
