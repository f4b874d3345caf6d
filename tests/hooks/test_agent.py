"""Whatever happens, a hook ends well and soon, says nothing that is no answer, and leaves nothing running."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.homes import copy_home
from harness.person import tree

from tests.chaos.apart import namespace
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody, give
from tests.support.fake_client import FakeClient
from tests.support.hook_calls import CALLS, PROMPT, RULES, Call, Given, Running, Scene, faults

START, ASKED, STOP, END = CALLS
_LOCK = (
    "import fcntl, os, sys; fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600); fcntl.flock(fd, fcntl.LOCK_EX)"
)
_BEGUN = "import sqlite3, sys; one = sqlite3.connect(sys.argv[1], isolation_level=None); one.execute('BEGIN EXCLUSIVE')"
_SMALL_DISK = """
mount -t tmpfs -o size=8m,mode=0700 tmpfs "$1" && cp -a "$2" "$1/home" || exit 9
cat /dev/zero >"$1/ballast" 2>/dev/null
shift 2; exec "$@"
"""
_PRIVATE = "a sentence in a file that is no transcript"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = Scene(tmp_path_factory.mktemp("hooks").resolve() / "person")
    scene.prepare()
    return scene.folder


@pytest.fixture
def scene(prepared: Path, tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(copy_home(prepared, tmp_path.resolve() / "person"))
    yield scene
    scene.let_go()


# What goes wrong

# What needs nothing prepared, by name.
_PLAIN: dict[str, Given] = {
    "nothing": Given(),
    "bad JSON": Given(b'{"session_id": "x", '),
    "empty input": Given(b""),
    "no object": Given(b"[1, null]"),
    "no text": Given(b'{"session_id": "\xff\xfe\0", "cwd": "\0"}'),
    "wrong types": Given(changes={"session_id": 5, "transcript_path": ["x"], "cwd": {}, "prompt": 1.5, "source": None}),
    "odd texts": Given(changes={"session_id": "../\ud800\0", "cwd": "\0" + "/x" * 9000, "prompt": "\ud800\x1b]0;x\a"}),
    "deep JSON": Given(b'{"session_id": "x", "cwd": ' + b"[" * 200_000),
    "an endless number": Given(b'{"session_id": "x", "cwd": "/", "prompt": ' + b"9" * 1_000_000 + b"}"),
    "closed input": Given(to="<&-"),
    "closed output": Given(to=">&-"),
    "everything closed": Given(to="<&- >&- 2>&-"),
    "full output": Given(to=">/dev/full"),
    "full output and errors": Given(to=">/dev/full 2>&1"),
    "no room in any file": Given(prefix=("prlimit", "--fsize=0")),
    "few open files": Given(prefix=("prlimit", "--nofile=6")),
    "no home variable": Given(variables={"HOME": None}),
    "a home folder that is nowhere": Given(variables={"HOME": "/nowhere/at all", "TACIT_HOME": None}),
    "a file as home": Given(variables={"TACIT_HOME": __file__}),
    "a wrong variable": Given(variables={"TACIT_INJECT_MAX_CHARACTERS": "many"}),
    "a clock that is none": Given(variables={"TACIT_NOW": "tomorrow-ish"}),
    "a project that is gone": Given(changes={"cwd": "/nowhere/gone"}),
    "a folder as transcript": Given(changes={"transcript_path": "/"}),
    "a missing transcript": Given(changes={"transcript_path": "/nowhere/missing.jsonl"}),
    "a device as transcript": Given(changes={"transcript_path": "/dev/zero"}),
    "no path of a transcript": Given(changes={"transcript_path": "\0"}),
}


def huge_payload(scene: Scene) -> Given:
    file = scene.folder / "huge.json"
    if not file.exists():
        file.write_bytes(b'{"session_id": "x", "cwd": "/", "prompt": "' + b"force push " * 9_500_000 + b'"}')
    return Given(file.open("rb"))


def nobody_reads(scene: Scene) -> Given:
    reading, writing = os.pipe()
    os.close(reading)
    return Given(stdout=writing)


def full_disk(scene: Scene) -> Given:
    apart = namespace()
    if not apart:
        pytest.skip("nobody may mount here")
    disk = scene.folder / "disk"
    disk.mkdir(exist_ok=True)
    scene.settle()  # the home is copied, and no hook before this one may change it meanwhile
    prefix = (*apart, "sh", "-c", _SMALL_DISK, "sh", str(disk), str(scene.home))
    return Given(prefix=prefix, variables={"TACIT_HOME": str(disk / "home")})


def no_home_yet(scene: Scene) -> Given:
    shutil.rmtree(scene.home, ignore_errors=True)
    return Given()


def settings_that_are_broken(scene: Scene) -> Given:
    (scene.home / "tacit.toml").write_text("[autocapture\n")
    return Given()


def settings_that_are_a_folder(scene: Scene) -> Given:
    if not (scene.home / "tacit.toml").is_dir():
        (scene.home / "tacit.toml").unlink()
        (scene.home / "tacit.toml").mkdir()
    return Given()


def an_index_that_is_none(scene: Scene) -> Given:
    (scene.home / "index.sqlite").write_bytes(os.urandom(4096))
    return Given()


def a_folder_as_index(scene: Scene) -> Given:
    for path in scene.home.glob("index.sqlite*"):
        path.rmdir() if path.is_dir() else path.unlink()
    (scene.home / "index.sqlite").mkdir()
    return Given()


def a_log_that_is_none(scene: Scene) -> Given:
    (scene.home / "memory" / "events.jsonl").write_bytes(b"\xff\0" * 5000)
    return Given()


def a_pipe_as_transcript(scene: Scene) -> Given:
    path = scene.transcript.with_name("pipe.jsonl")
    if not path.exists():
        os.mkfifo(path)
    return Given(changes={"transcript_path": str(path)})


def a_link_to_a_device_as_transcript(scene: Scene) -> Given:
    path = scene.transcript.with_name("link.jsonl")
    if not path.is_symlink():
        path.symlink_to("/dev/zero")
    return Given(changes={"transcript_path": str(path)})


def noise_as_transcript(scene: Scene) -> Given:
    path = scene.transcript.with_name("noise.jsonl")
    path.write_bytes(b'{"type":"user","message":' + b"[" * 100_000 + b"\n\xff\0\n" + b"{}\n" * 1000)
    return Given(changes={"transcript_path": str(path)})


def _always(name: str, given: Given) -> Callable[[Scene], Given]:
    def wrong(scene: Scene) -> Given:
        return given

    wrong.__name__ = name
    return wrong


WRONG: tuple[Callable[[Scene], Given], ...] = (
    *(_always(name, given) for name, given in _PLAIN.items()),
    *(huge_payload, nobody_reads, full_disk, no_home_yet, settings_that_are_broken, settings_that_are_a_folder),
    *(an_index_that_is_none, a_folder_as_index, a_log_that_is_none),
    *(a_pipe_as_transcript, a_link_to_a_device_as_transcript, noise_as_transcript),
)


def found(running: Iterable[Running]) -> list[str]:
    """What would be noticed of these hooks."""
    return [f"{one.call.event}: {fault}" for one in running for fault in faults(one.end())]


def one_by_one(scene: Scene, wrong: Callable[[Scene], Given]) -> Iterator[Running]:
    for call in CALLS:
        given = wrong(scene)
        yield scene.start(call, given)
        if given.stdout != subprocess.PIPE:
            os.close(given.stdout)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_a_hook_ends_well_whatever_is_wrong(scene: Scene, wrong: Callable[[Scene], Given]) -> None:
    assert found(one_by_one(scene, wrong)) == []
    scene.settle()


def test_an_input_that_does_not_end_is_not_waited_for(scene: Scene) -> None:
    reading, writing = os.pipe()
    with open("/dev/zero", "rb") as endless:
        running = [scene.start(call, Given(stdin)) for call in CALLS for stdin in (reading, endless)]
        noticed = found(running)
    os.close(writing)
    os.close(reading)
    assert noticed == []
    scene.settle()


def test_what_somebody_holds_for_a_minute_is_not_waited_for(prepared: Path, tmp_path: Path) -> None:
    held = {".tacit/write.lock": _LOCK, ".tacit/log.lock": _LOCK, "index.sqlite": _BEGUN}
    scenes = {place: Scene(copy_home(prepared, tmp_path / str(at))) for at, place in enumerate(held)}
    for place, scene in scenes.items():
        scene.hold(held[place], str(scene.home / place))
    running = [(place, scene.start(call, Given())) for place, scene in scenes.items() for call in CALLS]
    assert [f"{place}: {fault}" for place, one in running for fault in found([one])] == []
    for scene in scenes.values():
        scene.settle()
        scene.let_go()
        scene.run(STOP)
    for place, scene in scenes.items():
        scene.settle()
        assert scene.holds(PROMPT), f"lost by {place}"


# People without rights


@pytest.fixture
def restricted(prepared: Path) -> Iterator[Scene]:
    """The same, of somebody who is not root."""
    with folder_of_nobody() as folder:
        scene = Scene(copy_home(prepared, folder / "person"))
        give(scene.folder, *scene.folder.rglob("*"))
        scene.transcript = scene.folder / ".claude" / "projects" / "-project" / scene.transcript.name
        yield scene


def read_only(scene: Scene) -> Given:
    for folder in (scene.home, *(path for path in scene.home.rglob("*") if path.is_dir())):
        folder.chmod(0o500)
    return Given()


def closed(scene: Scene) -> Given:
    scene.home.chmod(0)
    return Given()


def unreadable_transcript(scene: Scene) -> Given:
    scene.transcript.chmod(0)
    return Given()


def nowhere_at_all(scene: Scene) -> Given:
    if os.geteuid() != 0:
        pytest.skip("this would use the home of whoever runs the tests")
    return Given(variables={"HOME": None, "TACIT_HOME": None})


@pytest.mark.parametrize(
    "wrong", [read_only, closed, unreadable_transcript, nowhere_at_all], ids=lambda wrong: wrong.__name__
)
def test_a_hook_without_rights_ends_well(restricted: Scene, wrong: Callable[[Scene], Given]) -> None:
    given = wrong(restricted)._replace(prefix=becoming(NOBODY))
    assert found(restricted.start(call, given) for call in CALLS) == []
    restricted.settle()


# So that these tests can fail


def test_a_hook_that_is_well_gives_what_is_remembered(scene: Scene) -> None:
    answer = json.loads(scene.run(START).out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    assert all(rule in answer["additionalContext"] for rule in RULES[:2])


@pytest.mark.parametrize("call", [STOP, END], ids=lambda call: call.event)
def test_a_hook_that_is_well_captures_the_session(scene: Scene, call: Call) -> None:
    assert faults(scene.run(call)) == []
    scene.settle()
    assert scene.holds(PROMPT)


def test_a_home_can_be_named(scene: Scene) -> None:
    given = Given(variables={"TACIT_HOME": str(scene.folder / "another")})
    assert RULES[0] in scene.run(START, given, "--home", str(scene.home)).out.decode()
    scene.run(STOP, given, "--home", str(scene.home))
    scene.settle()
    assert scene.holds(PROMPT)
    assert not (scene.folder / "another").exists()


def test_nothing_is_captured_or_given_where_settings_cannot_be_read(scene: Scene) -> None:
    settings_that_are_broken(scene)
    assert [scene.run(call).out for call in CALLS] == [b""] * len(CALLS)
    scene.settle()
    assert not scene.holds(PROMPT)


def test_a_file_that_is_no_transcript_is_not_kept(scene: Scene) -> None:
    private = scene.folder / "diary.txt"
    private.write_text(f"{_PRIVATE}\n" * 3)
    for call in CALLS:
        assert faults(scene.run(call, Given(changes={"transcript_path": str(private)}))) == []
    scene.settle()
    assert not scene.holds(_PRIVATE)


def test_a_held_index_is_really_held(scene: Scene) -> None:
    scene.hold(_BEGUN, str(scene.home / "index.sqlite"))
    with closing(sqlite3.connect(scene.home / "index.sqlite", timeout=0)) as one, pytest.raises(sqlite3.Error):
        one.execute("BEGIN IMMEDIATE")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.event)
def test_in_a_client_that_judges_sessions_a_hook_ends_at_once_and_does_nothing(scene: Scene, call: Call) -> None:
    before = tree(scene.home)
    ended = scene.run(call, Given(variables={"TACIT_JUDGE": "1"}))
    scene.settle()
    assert ended == (0, b"", b"") and tree(scene.home) == before


def test_no_hook_asks_a_judge_not_even_the_one_that_the_person_chose(scene: Scene, tmp_path: Path) -> None:
    client = FakeClient(tmp_path / "bin")
    with (scene.home / "tacit.toml").open("a") as settings:
        settings.write('\n[learn]\nagent = "claude"\n')
    for call in CALLS:
        scene.run(call, Given(variables={"PATH": f"{client.folder}{os.pathsep}{os.environ['PATH']}"}))
    scene.settle()
    assert scene.holds(PROMPT) and client.calls == []
