"""Every path of a used home is replaced in turn by a symbolic link that leads out of the home, and all sorts of
commands run. Whatever lies behind the link must stay as it is: bytes, names and times.

A link to a copy of what was there is the meanest one: everything behind it looks right, so that nothing but the link
itself can stop a command.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.followers import wait_for_followers
from harness.homes import copy_home
from harness.person import Person

from tacit.disk import files
from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.hooks import record
from tacit.vault import Vault
from tests.chaos.apart import apart, attacker
from tests.chaos.kills import changes, looked
from tests.chaos.nobody import NOBODY, STRANGER, becoming, folder_of_nobody, give
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced, together
from tests.chaos.workload import open_store
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
_SOMETIMES = tuple(f"index.sqlite{end}" for end in ("-wal", "-shm", "-journal", ".new", ".new-wal"))
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


class UsedHome:
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
        before, faults = looked(self._outside), list[str]()
        for sort in sorts:
            faults += [f"{place}, {sort}: {fault}" for fault in self._ran(sort)]
            wait_for_followers(10)  # what goes on in the background may touch nothing either
            if after := list(changes(before, looked(self._outside))):
                faults += [f"{place}, {sort}: {CHANGED}: {one}" for one in after]
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
    home = UsedHome(folder)
    places = [place for place in home.places() if only(place)]
    assert places, "nothing to replace: this would show nothing"
    return together(home.one(place, sorts, dangling=dangling) for place in places for dangling in (False, True))


def followed(folder: Path) -> Outcome:
    """Mutant: folders are reached through links, as they were once."""

    def wherever_it_leads(path: str, *_more: object) -> int:
        os.makedirs(path, 0o700, exist_ok=True)
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    above = replaced(files.OsDisk, "_is_below_root", lambda _self, _folder: False)
    with above, replaced(files, "open_folder", wherever_it_leads):
        return sweep(folder, only=lambda place: place == "memory", sorts=("add",))


_VICTIM = b"somebody else's words\n"
_DAYS = 50  # a memory said too often, or too many of them, would make this a test of how long lists are drawn
OUTSIDE = "outside the project"


@dataclass(frozen=True, slots=True)
class Plan:
    """So many commands, or as many files replaced. `believed` is the mutant: paths are believed, links followed."""

    folder: str
    writes: int
    believed: bool = False

    @property
    def project(self) -> Path:
        return Path(self.folder, "project")

    @property
    def outside(self) -> Path:
        return Path(self.folder, "outside")


def race(writes: int, *, only_files: bool = False, believed: bool = False) -> Outcome:
    with folder_of_nobody() as folder:
        plan = Plan(str(folder), writes, believed)
        _prepare(plan)
        with attacker("tests.chaos.test_links", plan.folder, within=becoming(STRANGER)):
            return apart(_replace if only_files else _write, plan, within=becoming(NOBODY))


def _prepare(plan: Plan) -> None:
    """The project is open to all, as a folder shared by a team is."""
    shared = [plan.project, plan.project / "docs", plan.project / "docs" / "memory"]
    for folder in (*shared, plan.project / ".git", plan.outside, plan.outside / "memory"):
        folder.mkdir()
        give(folder)
    for folder in shared:
        folder.chmod(0o777)
    for victim in (plan.outside / "memories.ndjson", plan.outside / "memory" / "memories.ndjson"):
        victim.write_bytes(_VICTIM)
        give(victim)
    os.chmod(plan.folder, 0o755)


def _write(plan: Plan) -> Outcome:
    home = Path(plan.folder, "home")
    done, refused, faults = 0, 0, []
    if plan.believed:
        _follow_links()
    with Vault(Home(home, cwd=plan.project, environment={"HOME": plan.folder})) as vault:
        vault.add("never deploy on a friday")
        for number in range(plan.writes):
            try:
                vault.memories.add(f"never deploy on day {number % _DAYS}", evidence=f"said {number // _DAYS}")
                done += 1
            except TacitError:
                refused += 1
            if (fault := _touched(plan)) is not None:
                faults.append(f"after {number} writes: {fault}")
                break
    with closing(open_store(str(home))) as store:
        recorded = sum(1 for _ in store.log.read("memory/events.jsonl"))
    lost = max(done + 1 - recorded, 0)
    return Outcome(plan.writes, done, lost, tuple(faults), f"{refused} refused")


def _replace(plan: Plan) -> Outcome:
    """The fact file alone, as often as one can."""
    if plan.believed:
        _follow_links()
    path, done = str(plan.project / "docs" / "memory" / "memories.ndjson"), 0
    for number in range(plan.writes):
        with suppress(OSError):
            files.replace_file(files.OsDisk(), path, b"%d\n" % number, 0o666, below=str(plan.project))
            done += 1
        if (fault := _touched(plan)) is not None:
            return Outcome(number + 1, done, 0, (f"after {number} writes: {fault}",))
    return Outcome(plan.writes, done, 0, (), f"{plan.writes - done} refused")


def _touched(plan: Plan) -> str | None:
    there = {str(path.relative_to(plan.outside)): path for path in plan.outside.rglob("*")}
    if set(there) != {"memories.ndjson", "memory", "memory/memories.ndjson"}:
        return f"{OUTSIDE} there are now {sorted(there)}"
    victims = (there["memories.ndjson"], there["memory/memories.ndjson"])
    return None if all(path.read_bytes() == _VICTIM for path in victims) else f"{OUTSIDE} a file was changed"


def _follow_links() -> None:
    """Mutant: a path is looked at first and believed afterwards."""

    @contextmanager
    def believed(folder: str, below: str) -> Iterator[str]:
        yield folder

    vars(files)["pinned_folder"] = believed
    os.O_NOFOLLOW = 0  # type: ignore[misc]


def _swap_for_ever(plan: Plan) -> None:
    rng = random.Random(1)
    aside = Path(tempfile.mkdtemp(dir=plan.project))
    docs, memory = plan.project / "docs", plan.project / "docs" / "memory"
    swaps: list[Callable[[], None]] = [
        lambda: _in_place(docs, plan.outside, aside),
        lambda: _in_place(memory, plan.outside, aside),
        lambda: _in_place(memory, plan.outside / "memory", aside),
        lambda: _in_place(memory / "memories.ndjson", plan.outside / "memories.ndjson", aside),
        lambda: os.symlink(plan.outside / "memories.ndjson", memory / ".memories.ndjson.tacit-new"),
        lambda: os.mkfifo(memory / ".memories.ndjson.tacit-new"),
    ]
    print("at work", flush=True)
    while True:
        with suppress(OSError):
            rng.choice(swaps)()


def _in_place(path: Path, target: Path, aside: Path) -> None:
    """A link for a moment, and then what was there before."""
    kept = aside / "kept"
    os.rename(path, kept)
    try:
        os.symlink(target, path)
        time.sleep(random.random() / 2_000)
        os.unlink(path)
    finally:
        if path.is_dir() and not path.is_symlink():  # Tacit was faster: its folder is as good
            shutil.rmtree(kept, ignore_errors=True)
            path.chmod(0o777)
        else:
            os.rename(kept, path)


@pytest.mark.parametrize(
    ("places", "sorts"),
    [
        (("activity", ".tacit", "memory", "tacit.toml"), ("recorder", "add", "purge", "doctor")),
        ((".tacit/pending", ".tacit/unfinished"), ("hooks",)),
    ],
    ids=["written", "thrown away"],
)
def test_nothing_behind_a_link_is_touched(tmp_path: Path, places: Sequence[str], sorts: Sequence[str]) -> None:
    assert_held(sweep(tmp_path, only=lambda place: place in places, sorts=sorts))


def test_folders_swapped_for_links_while_tacit_writes_lead_nowhere() -> None:
    assert_held(race(40), acknowledged=1)


def test_a_file_is_replaced_in_its_own_folder_whatever_takes_its_place() -> None:
    assert_held(race(500, only_files=True), acknowledged=1)


def rows(short: bool) -> Iterator[Row]:
    some = ("activity", "memory", ".tacit", ".tacit/pending", "tacit.toml")
    files_replaced, raced = (300, 20) if short else (10_000, 300)
    yield Row("T29 every path of a home a link", lambda at: sweep(at, only=lambda place: not short or place in some))
    yield mutant_row("T29 mutant: folders followed", followed, CHANGED)
    yield Row("T29 links swapped, files", lambda _at: race(files_replaced, only_files=True))
    yield Row("T29 links swapped, commands", lambda _at: race(raced))
    yield mutant_row("T29 mutant: paths believed", lambda _at: race(20_000, only_files=True, believed=True), OUTSIDE)


if __name__ == "__main__":
    _swap_for_ever(Plan(sys.argv[1], 0))
