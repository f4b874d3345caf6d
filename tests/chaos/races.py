"""Somebody swaps folders, files and links in a shared project while Tacit writes there. Nothing outside is touched.

Under root, Tacit runs as one person without rights and the attacker as another, who may write in the project and
nowhere else. What lies outside belongs to the first: a link that were followed would be written through.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tacit.disk import files as disk_files
from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.vault.vault import Vault
from tests.chaos.apart import apart
from tests.chaos.nobody import NOBODY, STRANGER, becoming, folder_of_nobody, give
from tests.chaos.outcome import Outcome
from tests.chaos.rebuild import open_store

_VICTIM = b"somebody else's words\n"
_ROOT = Path(__file__).resolve().parents[2]
_DAYS = 50  # a memory said too often, or too many of them, would make this a test of how long lists are drawn
OUTSIDE = "outside the project"


@dataclass(frozen=True, slots=True)
class Plan:
    """So many commands, or as many files replaced. `followed` is the mutant: paths are believed, links followed."""

    folder: str
    writes: int
    files: bool = False
    followed: bool = False

    @property
    def project(self) -> Path:
        return Path(self.folder, "project")

    @property
    def outside(self) -> Path:
        return Path(self.folder, "outside")


def race(writes: int, *, files: bool = False, followed: bool = False) -> Outcome:
    with folder_of_nobody() as folder:
        plan = Plan(str(folder), writes, files, followed)
        _prepare(plan)
        with _attacker(plan):
            return apart(_replace if files else _write, plan, within=becoming(NOBODY))


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


# The one who writes


def _write(plan: Plan) -> Outcome:
    home = Path(plan.folder, "home")
    done, refused, faults = 0, 0, []
    if plan.followed:
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
    store = open_store(str(home))
    recorded = sum(1 for _ in store.log.read("memory/events.jsonl"))
    store.close()
    lost = max(done + 1 - recorded, 0)
    return Outcome(plan.writes, done, lost, tuple(faults), f"{refused} refused")


def _replace(plan: Plan) -> Outcome:
    """The fact file alone, as often as one can."""
    if plan.followed:
        _follow_links()
    path, done = str(plan.project / "docs" / "memory" / "memories.ndjson"), 0
    for number in range(plan.writes):
        with suppress(OSError):
            disk_files.replace_file(disk_files.OsDisk(), path, b"%d\n" % number, 0o666, below=str(plan.project))
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

    vars(disk_files)["pinned_folder"] = believed
    os.O_NOFOLLOW = 0  # type: ignore[misc]
    vars(disk_files)["_require_plain"] = lambda *_args, **_more: None


# The one who swaps


@contextmanager
def _attacker(plan: Plan) -> Iterator[None]:
    command = [*becoming(STRANGER), sys.executable, "-m", "tests.chaos.races", plan.folder]
    process = subprocess.Popen(command, cwd=_ROOT)
    try:
        time.sleep(0.3)  # until it is at work
        yield
        assert process.poll() is None, "the attacker has given up: this shows nothing"
    finally:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        process.wait()


def _swap_for_ever(plan: Plan) -> None:
    rng = random.Random(1)
    aside = Path(tempfile.mkdtemp(dir=plan.project))
    docs, memory = plan.project / "docs", plan.project / "docs" / "memory"
    swaps: list[Callable[[], None]] = [
        lambda: _in_place(docs, plan.outside, aside),
        lambda: _in_place(memory, plan.outside, aside),
        lambda: _in_place(memory, plan.outside / "memory", aside),
        lambda: _in_place(memory / "memories.ndjson", plan.outside / "memories.ndjson", aside),
        lambda: _planted(memory / ".memories.ndjson.tacit-new", plan.outside / "memories.ndjson"),
        lambda: os.mkfifo(memory / ".memories.ndjson.tacit-new"),
    ]
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


def _planted(path: Path, target: Path) -> None:
    os.symlink(target, path)


if __name__ == "__main__":
    _swap_for_ever(Plan(sys.argv[1], 0))
