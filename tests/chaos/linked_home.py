"""Every path of a used home is replaced in turn by a symbolic link that leads out of the home, and all sorts of
commands run. Whatever lies behind the link must stay as it is: bytes, names and times.

A link to a copy of what was there is the meanest one: everything behind it looks right, so that nothing but the link
itself can stop a command.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.homes import copy_home
from harness.person import Person

from tacit.disk import files
from tacit.hooks import record
from tests.chaos.outcome import Outcome, together
from tests.support.hook_calls import CALLS, Given, Scene

_RECORDER = Path(record.__file__)
_LATER = "2026-03-02T13:00:00+00:00"
# What a shell tells of a command: see the snippets.
_RECORD = ("tacit1", "bash", "4711.1", "0", "1772452800000000", "12", "/", "make test", "", "")
_LEFT_BY_HAND = {
    ".tacit/notice": b"tacit: 1 suggestion, `tacit review`\n",
    ".tacit/learned": b"",
    ".tacit/pending/0123456789abcdef01234567": b"claude\0gone\0/nowhere/gone.jsonl",
    ".tacit/unfinished/0123456789abcdef01234567": b"claude\0gone\0/nowhere/gone.jsonl",
}
# SQLite and interrupted writes leave these now and then.
_SOMETIMES = (
    "index.sqlite-wal",
    "index.sqlite-shm",
    "index.sqlite-journal",
    "index.sqlite.new",
    "index.sqlite.new-wal",
)
CHANGED = "behind the link"


class Command(NamedTuple):
    """Words of the command line; `in_project` says where one stands."""

    words: tuple[str, ...]
    in_project: bool = False
    session: str = ""


COMMANDS = {
    "recall": Command(("recall", "commits")),
    "add": Command(("add", "always look both ways"), in_project=True),
    "log": Command(("log", "--task", "T-2", "--summary", "looked at links")),
    "sync": Command(("sync", "--yes")),
    "learn": Command(("learn", "--all")),
    "reindex": Command(("reindex",)),
    "config": Command(("config", "set", "shell.notice", "off")),
    "autocapture": Command(("autocapture", "on", "--session"), session="other-session"),
    "workflow": Command(("workflow", "new", "again", "--in", ".", "--", "true")),
    "workflow run": Command(("workflow", "run", "check", "--yes")),
    "install": Command(("install", "claude", "--yes")),
    "uninstall": Command(("uninstall", "codex", "--yes")),
    "init": Command(("init",)),
    "improve": Command(("improve", "--force")),
    "import history": Command(("import", "history", "--file", "HISTORY", "--shell", "bash")),
    "import": Command(("import", "EXPORT", "--mine")),
    "capture": Command(("capture", "TRANSCRIPTS")),
    "mend": Command(("verify", "--mend")),
    "purge": Command(("purge", "--text", "violet lighthouse", "--yes")),
    "doctor": Command(("doctor",)),
    "export": Command(("export", "--to", "TO")),
}
RECORDER, HOOKS = "recorder", "hooks"
SORTS = (RECORDER, HOOKS, *COMMANDS)


class Home:
    """A home that was used in all sorts of ways, and a folder outside of it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._before = folder / "scene", folder / "before"
        self._scene = Scene(self._folder)
        self._person = Person(self._folder)
        self._outside = self._folder / "outside"
        self._scene.prepare()
        self._use()
        copy_home(self._folder, self._before)

    def _use(self) -> None:
        person, project = self._person, self._scene.project
        (project / ".git").mkdir()
        (self._folder / ".codex").mkdir()
        (self._folder / "history").write_bytes(b"make lint\nmake test\n")
        person.tacit("add", "always sign commits", "--tag", "git", cwd=project)
        person.tacit("remember", "the tests need docker", "--evidence", "chat")
        person.tacit("add", "never tell the forgotten word")
        person.tacit("log", "--task", "T-1", "--summary", "moved the parser")
        person.tacit("autocapture", "on", "--session", TACIT_SESSION="s-1")
        person.tacit("workflow", "new", "check", "--in", ".", "--", "true")
        person.tacit("install", "codex", "--yes")
        person.tacit("improve", "--force")
        person.tacit("import", "history", "--file", str(self._folder / "history"), "--shell", "bash")
        person.tacit("capture", str(self._scene.transcript))
        self._record()
        with person.events.open("ab") as file:
            file.write(b'{"body":"damaged","c":"00000000"}\n')
        person.tacit("verify", "--mend", code=None)
        other = Person(self._folder / "other")
        other.folder.mkdir()
        other.tacit("add", "this came from elsewhere")
        person.tacit("import", str(other.home), "--mine")
        other.tacit("add", "this will come from elsewhere")
        person.tacit("purge", "--text", "forgotten word", "--yes", code=None)
        for place, data in _LEFT_BY_HAND.items():
            path = person.home / place
            path.parent.mkdir(exist_ok=True, mode=0o700)
            path.write_bytes(data)
            path.chmod(0o600)
            os.utime(path, (0, 0))  # so that it is time to learn again

    def places(self) -> list[str]:
        """Every path of the used home, and what may lie there at times."""
        home = self._before / self._person.home.name
        there = (str(path.relative_to(home)) for path in sorted(home.rglob("*")))
        return list(dict.fromkeys([*there, *_SOMETIMES]))

    def one(self, place: str, sorts: Sequence[str], *, dangling: bool = False) -> Outcome:
        """The path is a link: to what was there before, or to nothing."""
        shutil.rmtree(self._folder)
        copy_home(self._before, self._folder)
        self._outside.mkdir()
        path, target = self._person.home / place, self._outside / "target"
        if not dangling and os.path.lexists(path):
            os.rename(path, target)
        elif not dangling:
            target.write_bytes(b"somebody else's words\n")
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        path.symlink_to(target)
        before = _told(self._outside)
        faults: list[str] = []
        for sort in sorts:
            faults += [f"{place}, {sort}: {fault}" for fault in self._ran(sort)]
            if after := list(_differences(before, _told(self._outside))):
                faults += [f"{place}, {sort}: {CHANGED} {one}" for one in after]
                break
        if not faults and path.is_symlink() and "doctor" in sorts:
            faults += [f"{place}: {fault}" for fault in self._unnamed(path)]
        return Outcome(len(sorts), 0, 0, tuple(faults))

    def _ran(self, sort: str) -> Iterator[str]:
        if sort == RECORDER:
            yield from (f"the recorder said {words!r}" for words in self._record() if words)
        elif sort == HOOKS:
            for call in CALLS:
                ended = self._scene.run(call, Given(changes={"source": "startup"}))
                if ended.code or ended.err:
                    yield f"a hook ended with {ended}"
            self._scene.settle()
        else:
            yield from self._typed(COMMANDS[sort])

    def _typed(self, command: Command) -> Iterator[str]:
        names = {
            "HISTORY": str(self._folder / "history"),
            "EXPORT": str(self._folder / "other" / ".agents"),
            "TRANSCRIPTS": str(self._scene.transcript),
            "TO": str(self._folder / "exported"),
        }
        words = [names.get(word, word) for word in command.words]
        more = {"TACIT_SESSION": command.session} if command.session else {}
        cwd = self._scene.project if command.in_project else None
        try:
            said = self._person.tacit(*words, cwd=cwd, now=_LATER, code=None, **more)
        except Exception as error:  # what would be a traceback for a person
            yield f"raised {type(error).__name__}: {error}"
            return
        if said.code > 2 and not said.err.startswith("tacit: ") and "✗" not in said.out:
            yield f"exit code {said.code} without a word"

    def _record(self) -> list[bytes]:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(_RECORDER)],
            input=b"".join(part.encode() + b"\0" for part in _RECORD),
            env=self._person.environment(),
            capture_output=True,
            check=False,
        )
        return [done.stdout, done.stderr]

    def _unnamed(self, path: Path) -> Iterator[str]:
        """A link that is still there is named, with what to type."""
        told = self._person.tacit("doctor", code=None, now=_LATER).out
        if str(path) not in told and str(path.relative_to(self._person.home)) not in told:
            yield f"doctor does not name the link: {told}"


def sweep(folder: Path, *, only: Callable[[str], bool] = lambda _place: True, sorts: Sequence[str] = SORTS) -> Outcome:
    home = Home(folder)
    places = [place for place in home.places() if only(place)]
    assert places, "nothing to replace: this would show nothing"
    return together(home.one(place, sorts, dangling=dangling) for place in places for dangling in (False, True))


def followed(folder: Path) -> Outcome:
    """Mutant: folders are reached through links, as they were once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files.OsDisk, "_is_below_root", lambda _self, _folder: False)
        patch.setattr(files, "open_folder", _wherever_it_leads)
        return sweep(folder, only=lambda place: place == "memory", sorts=("add",))


def _wherever_it_leads(path: str, *_more: object) -> int:
    os.makedirs(path, 0o700, exist_ok=True)
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def _told(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every file and folder with its bytes, mode and time."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path.relative_to(folder))] = (data, status.st_mode, status.st_mtime_ns)
    return found


def _differences(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> Iterator[str]:
    yield from (f"{name} is new" for name in after.keys() - before.keys())
    yield from (f"{name} is gone" for name in before.keys() - after.keys())
    for name in before.keys() & after.keys():
        what = [
            word
            for word, one, two in zip(("bytes", "mode", "time"), before[name], after[name], strict=True)
            if one != two
        ]
        if what:
            yield f"{name} has other {' and '.join(what)}"


if __name__ == "__main__":
    outcome = sweep(Path(sys.argv[1]), only=lambda place: not sys.argv[2:] or place in sys.argv[2:])
    print(outcome.runs, *outcome.faults, sep="\n")
