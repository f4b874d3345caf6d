"""`tacit sync --timer`, and the timer in `tacit setup`: nothing runs by itself before the person has said so."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from harness.person import Person, Said, tree
from harness.terminal import converse

from tests.cli.test_remotes import PNPM, TABS, connect, machines, phrase_in, remote_of
from tests.support.schedulers import Schedulers

__all__ = ["machines"]  # a fixture
BEFORE = "MAILTO=me\n0 1 * * * true\n"
AGREE = "Change this file? [y/N] "


@pytest.fixture
def cron(tmp_path: Path) -> Schedulers:
    schedulers = Schedulers(tmp_path / "schedulers", cron=True)
    schedulers.tab.write_text(BEFORE)
    return schedulers


@pytest.fixture
def systemd(tmp_path: Path) -> Schedulers:
    return Schedulers(tmp_path / "schedulers", systemd=True)


@pytest.fixture
def laptop(machines: tuple[Person, Person]) -> Person:
    machines[0].tacit("remote", "add", "home", remote_of(machines[0]))
    return machines[0]


def typed(person: Person, schedulers: Schedulers, *words: str, code: int | None = 0, agent: str = "") -> Said:
    """Type a command where there are these schedulers."""
    return person.tacit(*words, cwd=None, now=None, code=code, **schedulers.environment, CLAUDECODE=agent)


def run_as_cron(person: Person, line: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command of a line as cron does: with few variables, no terminal, and in a session of its own."""
    command = line.split(" ", 5)[5].replace(r"\%", "%")
    given = {"HOME": str(person.folder), "LOGNAME": "me", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
    started = subprocess.Popen(
        ["/bin/sh", "-c", command.removesuffix(" >/dev/null 2>&1")],
        cwd=person.folder,
        env=given,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    output, _ = started.communicate(timeout=60)
    assert not any(f"HOME={person.folder}\0".encode() in each for each in _environments()), "a process was left behind"
    return subprocess.CompletedProcess(command, started.returncode, output)


def _environments() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield path.read_bytes()


def our_line(schedulers: Schedulers) -> str:
    (line,) = (line for line in schedulers.tab.read_text().splitlines() if "--unattended" in line)
    return line


def test_it_is_shown_and_asked_about_and_taken_out_byte_for_byte(laptop: Person, cron: Schedulers) -> None:
    before = tree(laptop.folder)
    assert "off: nothing syncs by itself" in typed(laptop, cron, "sync", "--timer", "show").out
    said = converse(laptop, "sync", "--timer", "on", answers=[(AGREE, "n")], cwd=None, **cron.environment)
    assert "Nothing was changed" in said.out and cron.tab.read_text() == BEFORE
    said = converse(
        laptop, "sync", "--timer", "on", "--every", "3h", answers=[(AGREE, "y")], cwd=None, **cron.environment
    )
    assert said.out.count(our_line(cron)) == 1 and "on: every 3 hours, by cron" in said.out
    assert "on: every 3 hours" in typed(laptop, cron, "sync", "--timer", "show").out
    assert "It is there already" in typed(laptop, cron, "sync", "--timer", "on", "--every", "3h").out
    typed(laptop, cron, "sync", "--timer", "off", "--yes")
    assert cron.tab.read_text() == BEFORE and tree(laptop.folder).keys() == before.keys()
    assert "There is no timer" in typed(laptop, cron, "sync", "--timer", "off").out


def test_what_cron_runs_syncs_as_the_person_and_leaves_nothing_behind(
    machines: tuple[Person, Person], cron: Schedulers
) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    typed(laptop, cron, "sync", "--timer", "on", "--yes")
    laptop.tacit("add", PNPM)
    desktop.tacit("add", TABS)
    desktop.tacit("sync")
    done = run_as_cron(laptop, our_line(cron))
    assert (done.returncode, done.stdout) == (0, b"")
    assert TABS in (laptop.home / "memory" / "long-term.md").read_text(), "pages are left to another process"
    assert "1 new" in desktop.tacit("sync").out
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    assert run_as_cron(laptop, our_line(cron)).returncode == 1
    assert "the last sync failed" in laptop.tacit("status").out


def test_what_programs_run_has_drawn_its_pages_when_it_ends(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("add", PNPM)
    page = laptop.home / "memory" / "long-term.md"
    page.write_text(page.read_text().replace(PNPM, "use npm"))
    command = (sys.executable, "-m", "tacit", "sync", "--yes", "--json", "--home", str(laptop.home))
    done = run_as_cron(laptop, f"* * * * * {shlex.join(command)}")
    assert done.returncode == 0 and json.loads(done.stdout)["pages"]["accepted_count"] == 1
    assert "use npm" in (laptop.home / "memory" / "memories.ndjson").read_text()


def test_a_timer_that_an_agent_started_is_refused(laptop: Person, cron: Schedulers) -> None:
    said = typed(laptop, cron, "sync", "--timer", "on", "--yes", code=1, agent="1")
    assert "only a person" in said.err and cron.tab.read_text() == BEFORE
    assert laptop.tacit("sync", "--unattended", "--json", CLAUDECODE="1").json["remotes"] == []


def test_systemd_is_asked_to_start_and_to_stop_it(laptop: Person, systemd: Schedulers) -> None:
    before = tree(laptop.folder)
    said = typed(laptop, systemd, "sync", "--timer", "on", "--yes").out
    assert "Then this runs: systemctl --user enable --now tacit-sync.timer" in said
    assert systemd.commands[:2] == ["--user daemon-reload", "--user enable --now tacit-sync.timer"]
    assert (laptop.folder / ".config/systemd/user/tacit-sync.timer").exists()
    typed(laptop, systemd, "sync", "--timer", "off", "--yes")
    assert systemd.commands[-2:] == ["--user disable --now tacit-sync.timer", "--user daemon-reload"]
    assert tree(laptop.folder).keys() == before.keys() and not (laptop.folder / ".config").exists()


def test_a_scheduler_that_refuses_is_said_with_what_to_type(laptop: Person, systemd: Schedulers) -> None:
    systemd.fail()
    said = typed(laptop, systemd, "sync", "--timer", "on", "--yes", code=1).err
    assert "no such bus" in said and "tacit sync --timer off" in said
    assert "off:" in typed(laptop, systemd, "sync", "--timer", "show").out
    typed(laptop, systemd, "sync", "--timer", "off", "--yes")
    assert not (laptop.folder / ".config").exists()


def test_nothing_to_sync_with_no_scheduler_and_wrong_words_are_errors(
    machines: tuple[Person, Person], cron: Schedulers, tmp_path: Path
) -> None:
    laptop, _ = machines
    assert "nothing to sync with" in typed(laptop, cron, "sync", "--timer", "on", code=1).err
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    none = Schedulers(tmp_path / "none")
    assert "no crontab here" in typed(laptop, none, "sync", "--timer", "on", "--yes", code=1).err
    assert "one of 15m, 30m" in typed(laptop, cron, "sync", "--timer", "on", "--every", "2h", code=2).err
    assert "--timer" in laptop.tacit("sync", "--every", "3h", code=2).err
    assert cron.tab.read_text() == BEFORE


# In setup, doctor and status


def test_setup_offers_it_and_it_can_be_declined_checked_and_removed(laptop: Person, cron: Schedulers) -> None:
    ask = "or the numbers to leave out > "
    said = converse(laptop, "setup", answers=[(ask, "1")], cwd=None, **cron.environment)
    assert "1  timer" in said.out and "--unattended" in said.out and cron.tab.read_text() == BEFORE
    assert "timer        off" in typed(laptop, cron, "setup", "--check", code=None).out
    typed(laptop, cron, "setup", "--yes", "--without", "timer")
    assert cron.tab.read_text() == BEFORE
    assert "timer: on: every hour" in converse(laptop, "setup", answers=[(ask, "")], cwd=None, **cron.environment).out
    assert "timer        on: every hour" in typed(laptop, cron, "setup", "--check", code=None).out
    assert "  timer " not in typed(laptop, cron, "setup").out
    typed(laptop, cron, "setup", "--remove", "--yes")
    assert cron.tab.read_text() == BEFORE
    assert "timer        off" in typed(laptop, cron, "setup", "--check", code=None).out


def test_setup_says_nothing_of_a_timer_without_a_remote(machines: tuple[Person, Person], cron: Schedulers) -> None:
    laptop, _ = machines
    assert "timer" not in typed(laptop, cron, "setup").out
    assert "timer" not in typed(laptop, cron, "setup", "--check", code=None).out


def test_a_timer_whose_program_moved_or_that_somebody_took_out_is_told(laptop: Person, cron: Schedulers) -> None:
    typed(laptop, cron, "sync", "--timer", "on", "--yes")
    cron.tab.write_text(cron.tab.read_text().replace("-m tacit", "-m tacit_of_yesterday"))
    told = typed(laptop, cron, "setup", "--check", code=1).out
    assert "timer        broken: it starts another installation" in told
    assert "another installation" in typed(laptop, cron, "doctor", "--quick").out
    typed(laptop, cron, "setup", "--yes")
    assert "on: every hour" in typed(laptop, cron, "sync", "--timer", "show").out
    cron.tab.write_text(BEFORE)
    told = typed(laptop, cron, "sync", "--timer", "show", code=1).out
    assert "cron does not have it any more: tacit sync --timer on" in told


def test_status_tells_an_old_sync_sooner_if_there_is_a_timer(laptop: Person, cron: Schedulers) -> None:
    def machines_line(day: int) -> str:
        lines = laptop.tacit("status", now=f"2026-03-{day:02}T13:00:00+00:00").out.splitlines()
        return next((line for line in lines if line.startswith("Machines")), "")

    assert machines_line(3) == machines_line(8) == ""
    assert "home: last sync 2026-03-02" in machines_line(10) and "tacit sync" in machines_line(10)
    assert laptop.tacit("status", "--json").json["remote_syncs"][0]["overdue"] is False
    typed(laptop, cron, "sync", "--timer", "on", "--yes")
    assert "home: last sync 2026-03-02" in machines_line(4)
    assert "Next: tacit sync" in laptop.tacit(now="2026-03-04T13:00:00+00:00").out


def test_status_tells_why_the_last_sync_failed_until_one_succeeds(laptop: Person) -> None:
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    laptop.tacit("sync", code=1)
    assert "not mounted" in laptop.tacit("status", "--json").json["remote_syncs"][0]["problem"]
    (laptop.folder / "elsewhere").rename(remote_of(laptop))
    laptop.tacit("sync")
    assert "Machines" not in laptop.tacit("status").out
    assert os.listdir(remote_of(laptop))


def test_a_state_of_an_earlier_version_has_no_problem(laptop: Person) -> None:
    path = laptop.home / ".tacit" / "remotes" / "home.json"
    path.write_text(path.read_text().replace('"problem": "", ', ""))
    assert '"problem"' not in path.read_text()
    assert "Machines" not in laptop.tacit("status").out
    assert phrase_in(laptop.tacit("remote", "rotate", "home").out)
