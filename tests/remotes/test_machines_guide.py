"""docs/guides/machines.md, followed word by word at two and at three machines."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person, Said
from harness.terminal import converse

from tests.support.schedulers import Schedulers

GUIDE = Path(__file__).parents[2] / "docs/guides/machines.md"
ADDRESS, FOLDER = "git@example.com:me/memory.git", "~/Sync/tacit"
# About a place that is lost or damaged; tests/cli/test_remotes.py and tests/chaos/test_machines.py are about these.
OTHER_SECTIONS = ("When something goes wrong", "A purge", "A lost machine")
ON, EVERY, SHOW, OFF = (f"tacit sync --timer {words}" for words in ("on", "on --every 15m", "show", "off"))
JOIN = "tacit remote add home git@example.com:me/memory.git --machine "
AGREE = "[y/N] "


def commands() -> Iterator[str]:
    """Every command of Tacit that the guide says to type, in its order."""
    for section in GUIDE.read_text(encoding="utf-8").split("\n## "):
        if not section.startswith(OTHER_SECTIONS):
            for block, inline in re.findall(r"```sh\n(.*?)```|`(tacit [^`\n]+)`", section, re.DOTALL):
                lines = block.splitlines() if block else [inline]
                yield from (line.partition("  #")[0].strip() for line in lines if line.startswith("tacit "))


class Follower:
    """Somebody who types what the guide says, with addresses of their own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.person = Person(folder / name)
        self.person.folder.mkdir()
        self.schedulers = Schedulers(folder / f"{name}-programs", cron=True)
        self._addresses = {ADDRESS: str(folder / "memory.git"), FOLDER: str(folder / "shared")}
        self.typed: set[str] = set()

    def types(self, command: str, *answers: str, code: int = 0) -> Said:
        self.typed.add(command)
        for name, address in self._addresses.items():
            command = command.replace(name, address)
        words = shlex.split(command)[1:]
        if answers:
            asked = [("(not shown): " if len(answer) > 1 else AGREE, answer) for answer in answers]
            said = converse(self.person, *words, answers=asked, cwd=None, **self.schedulers.environment)
        else:
            said = self.person.process(*words, cwd=None, now=None, code=None, **self.schedulers.environment)
        assert said.code == code, said.out + said.err
        return said


@pytest.mark.parametrize("names", [("laptop", "desktop"), ("laptop", "desktop", "server")])
def test_the_guide_is_what_happens(tmp_path: Path, names: tuple[str, ...]) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "memory.git")], check=True)
    (tmp_path / "shared").mkdir()
    laptop, *others = machines = [Follower(tmp_path, name) for name in names]
    shown = laptop.types(f"{JOIN}laptop").out
    phrase = " ".join(re.findall(r"^    (.*)$", shown, re.MULTILINE))
    for other in others:
        other.types(f"{JOIN}desktop", phrase)
    for machine in machines:
        machine.person.tacit("add", f"a rule of {machine.person.folder.name}")
    for _ in range(2):
        for machine in machines:
            machine.types("tacit sync")
    assert all(len(machine.person.listed("--scope", "all")) == len(names) for machine in machines)
    others[0].types("tacit remote name-machine tower")
    others[0].types("tacit sync")
    assert "nothing to send" in laptop.types("tacit sync --status").out
    laptop.types("tacit sync")
    assert "tower (" in laptop.types("tacit remote list").out
    # Another place, which this home has beside the first.
    assert "shown this once" in laptop.types(f"tacit remote add home {FOLDER}".replace("home", "stick")).out
    laptop.typed.add(f"tacit remote add home {FOLDER}")
    # The timer
    laptop.types(ON, "y")
    assert "on: every 15 minutes" in laptop.types(EVERY, "y").out
    assert "on: every 15 minutes" in laptop.types(SHOW).out
    assert "timer        on" in laptop.types("tacit setup --check").out
    laptop.types(OFF, "y")
    assert not laptop.schedulers.tab.exists()
    assert "timer" in laptop.types("tacit setup").out
    laptop.types("tacit setup --remove")
    assert laptop.types("tacit sync --unattended").out == ""
    assert laptop.types("tacit sync --unattended --json").json["pages"] is None
    assert len(laptop.types("tacit sync --json").json["remotes"]) == 2
    assert "Machines" not in laptop.types("tacit status").out
    assert "The home is well" in laptop.types("tacit doctor").out
    shown_only = {"tacit remote add", "tacit import --mine"}  # where the guide explains, and tells nobody to type
    assert set(commands()) - shown_only == set().union(*(machine.typed for machine in machines)) - {
        "tacit remote add stick ~/Sync/tacit"
    }
