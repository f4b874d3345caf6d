"""People with homes and clones of one repository, and a record of all they do as a script for the shell."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.lives.launcher import Ended, Launcher
from tests.lives.model import Mind, compare_files, facts, read_lines, sentence_of

T = TypeVar("T")
_GIT_QUESTIONS = ("status", "rev-parse", "merge-base", "show", "branch")
FACTS = "docs/memory/memories.ndjson"
_SCRIPT_HEAD = r"""#!/bin/bash
# What led to it, with the programs of the installation in PATH and an empty folder W.
W=${W:-$(mktemp -d)}; cd "$W"; export GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8
id_of() { tacit list --all --status all --scope all --json | python3 -c 'import json, sys
print(*[one["id"] for one in json.load(sys.stdin) if one["text"] == sys.argv[1]])' "$1"; }
git init -q --bare --template= --initial-branch=main origin.git
for who in ann bob; do
  mkdir $who; export HOME=$W/$who
  printf '[user]\nname=%s\nemail=%s@example.org\n[pull]\nrebase=false\n' $who $who >$who/.gitconfig
  git clone -q --template= origin.git $who/work 2>/dev/null; cd $who/work
  if [ $who = ann ]; then echo "# Work" >README.md; git add -A; git commit -qm First; git push -q origin HEAD:main; fi
  cd "$W"; git clone -q --template= origin.git $who/second
done
"""


class Id(str):
    """The id of a memory; a script asks for it by its sentence."""

    text: str

    def __new__(cls, value: str, text: str) -> Id:
        made = super().__new__(cls, value)
        made.text = text
        return made


class Person:
    """Somebody with a home in the usual place, and a mind that says what they must see."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.folder = world.root / name
        self.home = self.folder / ".agents"
        self.work, self.second = self.folder / "work", self.folder / "second"
        self.mind = Mind()
        self._kills_rest: float | None = None
        self.unfinished: set[str] = set()  # killed commands stated these; later ones write their lines
        self.lazy = False  # whether what a command leaves behind begins after the command has returned
        self.accepted: dict[Path, set[str]] = {}  # lines of a clone's file that the person trusts

    def __repr__(self) -> str:
        return self.name

    def environment(self, **more: str) -> dict[str, str]:
        git = {"GIT_CONFIG_NOSYSTEM": "1"}
        return {"PATH": self.world.path, "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **git, **more}

    # Commands

    def tacit(
        self,
        *words: str,
        cwd: Path | None = None,
        code: int | None = 0,
        changes: Iterable[str] | Callable[[str], Iterable[str]] | None = (),
    ) -> Ended:
        """Run a command that ends with this code.

        `changes` are the sentences that the command may change in shared files, or how they follow from what it prints;
        None if it may change any of the person's.
        """
        ended = self.run(["tacit", *words], cwd)
        self.world.expect(code is None or ended.code == code, f"exit code {ended.code}\n{ended.out}{ended.err}")
        changes = changes(ended.out) if callable(changes) else changes
        self._last_changes = None if changes is None else set(changes)
        return ended

    def run(self, words: list[str], cwd: Path | None = None, given: str = "", kill_after: float | None = None) -> Ended:
        """Run a program, and wait for what it left behind, which changes nothing below a work tree."""
        cwd, launcher = cwd or self.work, self.world.launcher
        self.world.write_down(self, cwd, words, given, kill_after)
        self._last_lines = {clone: read_lines(clone / FACTS) for clone in self.world.clones(self)}
        is_lazy = self.lazy and kill_after is None and words[0] == "tacit"
        pid = launcher.start(words, cwd, self.environment(), given.encode(), lazy=is_lazy)
        ended = launcher.wait(pid, kill_after)
        returned = self.world.trees(self)
        if self._kills_rest is None:
            launcher.settle()
        else:
            time.sleep(self._kills_rest)
            launcher.kill_rest()
        is_same = self.world.trees(self) == returned
        self.world.expect(is_same, "a file of the repository changed after the command returned")
        self.world.expect("Traceback" not in ended.err, ended.err)
        return ended

    def compare_shared(self) -> None:
        """Compare the shared files with how they were before the last command, once the mind knows of it."""
        # Lines of sentences that contradict each other are marked, which the answer has told; with one of them the mark
        # goes.
        opposed = (pair for pair in self.mind.opposing if not pair.isdisjoint(self._last_changes or ()))
        also = self.unfinished.union(self.mind.told_now, *opposed)
        changed = None if self._last_changes is None else self._last_changes | also
        for clone, before in self._last_lines.items():
            after = read_lines(clone / FACTS)
            found = compare_files(before, after, self.mind.may_lose, lambda text: changed is None or text in changed)
            self.world.expect(not found, "; ".join(found))
            self.world.edited |= {sentence_of(line) for name, line in before.items() if after.get(name) != line}
            if clone in self.accepted:
                self.accepted[clone] = {
                    after[name] for name, line in before.items() if line in self.accepted[clone] and name in after
                }

    def json(self, *words: str, cwd: Path | None = None) -> Any:
        return json.loads(self.tacit(*words, "--json", cwd=cwd).out)

    def git(self, *words: str, cwd: Path | None = None, code: int | None = 0) -> Ended:
        cwd = cwd or self.work
        if words[0] not in _GIT_QUESTIONS:
            self.world.write_down(self, cwd, ["git", *words])
        done = subprocess.run(
            ["git", *words], cwd=cwd, env=self.environment(), capture_output=True, text=True, check=False
        )
        self.world.expect(code is None or done.returncode == code, f"git: {done.stdout}{done.stderr}")
        return Ended(done.returncode, done.stdout, done.stderr)

    def write(self, path: Path, text: str) -> None:
        """Save a file by hand."""
        lines = text.replace(str(self.world.root), "@W@").removesuffix("\n")
        where = self.world.shown(path)
        self.world.script.append(f"mkdir -p {where.rpartition('/')[0]}; sed s,@W@,$W,g >{where} <<'END'\n{lines}\nEND")
        path.write_text(text)

    def make_home(self) -> None:
        self.world.script.append(f"umask 077; mkdir -p {self.world.shown(self.home)}/memory")
        for folder in (self.home, self.home / "memory"):
            folder.mkdir(mode=0o700)

    def remove(self, *patterns: str) -> None:
        """Remove files of the home."""
        for pattern in patterns:
            self.world.script.append(f"rm -rf {self.world.shown(self.home)}/{pattern}")
            for path in self.home.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def save_with_crlf(self, name: str) -> None:
        """Save a file of the home in an editor that ends lines with CR and LF."""
        path = self.home / name
        self.world.script.append(f"sed -i 's/$/\\r/' {self.world.shown(path)}")
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    def truncate(self, path: Path, size: int) -> None:
        self.world.script.append(f"truncate -s {size} {self.world.shown(path)}")
        os.truncate(path, size)

    def sqlite(self, path: Path, statement: str) -> None:
        self.world.script.append(f"sqlite3 {self.world.shown(path)} {shlex.quote(statement)}")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    @contextmanager
    def killing_the_rest(self, seconds: float) -> Iterator[None]:
        """What commands leave behind is killed so long after they have returned."""
        self._kills_rest = seconds
        self.world.script.append(f"# what the next command leaves behind is killed {seconds} s after it returned")
        try:
            yield
        finally:
            self._kills_rest = None

    # What they see

    def listed(self, cwd: Path | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.json("list", "--all", "--status", "all", "--scope", "all", cwd=cwd)
        return found

    def row(self, text: str) -> dict[str, Any]:
        found = [row for row in self.quietly(self.listed) if row["text"] == text]
        self.world.expect(len(found) == 1, f"“{text}” is listed {len(found)} times")
        return found[0]

    def id_of(self, text: str) -> Id:
        return Id(self.row(text)["id"], text)

    def quietly(self, look: Callable[[], T]) -> T:
        """Look at something that the script does without."""
        length = len(self.world.script)
        found = look()
        del self.world.script[length:]
        return found

    def facts(self, clone: Path | None = None) -> dict[str, dict[str, Any]]:
        return facts((clone or self.work) / FACTS)


class World:
    """All people, and the repository they share. `expect` ends a story with the script that leads there."""

    def __init__(self, launcher: Launcher, root: Path, names: tuple[str, ...] = ("ann", "bob")) -> None:
        self.launcher, self.root = launcher, root
        self.path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.script: list[str] = []
        self.failed = False
        self.edited: set[str] = set()  # sentences whose line somebody changed or took out
        self.people = [Person(self, name) for name in names]
        _make_repository(root)

    def clones(self, person: Person) -> list[Path]:
        return [person.work, person.second]

    def trees(self, person: Person) -> dict[str, bytes]:
        """Every file of a person's clones, apart from git's own."""
        found = {}
        for clone in self.clones(person):
            for folder, folders, files in os.walk(clone):
                folders[:] = [name for name in folders if name != ".git"]
                for name in files:
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        found[path] = file.read()
        return found

    def write_down(
        self, person: Person, cwd: Path, words: list[str], given: str = "", kill_after: float | None = None
    ) -> None:
        command = " ".join(map(self._word, words))
        if words[0].endswith(".py"):
            command = f"python {command}"
        if kill_after is not None:
            command = f"timeout -s KILL {kill_after:.3f} {command}"
        if given:
            text = given.replace("%", "%%").replace("\0", "\\0").replace(str(self.root), "@W@")
            command = f"printf {shlex.quote(text)} | sed s,@W@,$W,g | {command}"
        self.script.append(f"(cd {self.shown(cwd)} && export HOME={self.shown(person.folder)} && {command})")

    def _word(self, word: str) -> str:
        if isinstance(word, Id):
            return f'"$(id_of {shlex.quote(word.text)})"'
        return f'"{word.replace(str(self.root), "$W")}"' if str(self.root) in word else shlex.quote(word)

    def shown(self, path: Path) -> str:
        return f"$W/{path.relative_to(self.root)}"

    def expect(self, holds: bool, otherwise: str | Callable[[], str]) -> None:
        if not holds:
            self.failed = True
            said = otherwise if isinstance(otherwise, str) else otherwise()
            raise AssertionError("\n".join([said, "", _SCRIPT_HEAD + "\n".join(self.script)]))


def _make_repository(root: Path) -> None:
    """A repository with one commit, and two clones for each of three people: copied, since git takes its time."""
    template = root.with_name(root.name + "-template")
    if not template.exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        environment = {**os.environ, "W": str(root), "GIT_CONFIG_GLOBAL": ""}
        environment.pop("GIT_CONFIG_GLOBAL")
        subprocess.run(["bash", "-e"], input=_SCRIPT_HEAD, text=True, env=environment, check=True, capture_output=True)
        shutil.copytree(root, template, symlinks=True)
    shutil.rmtree(root)
    subprocess.run(["cp", "-a", template, root], check=True)
