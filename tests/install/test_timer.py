"""The exact bytes that a timer writes, and what is left when it is taken out."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.errors import RefusedError
from tacit.install import FileChange, InstallContext, apply_change
from tacit.install.timer import INTERVALS, SCHEDULERS, find_scheduler, timer_argv
from tests.support.schedulers import Schedulers


@pytest.fixture
def context(place: InstallContext, tmp_path: Path) -> InstallContext:
    schedulers = Schedulers(tmp_path / "schedulers", cron=True, systemd=True)
    return place._replace(environment={**place.environment, **schedulers.environment}, is_home_explicit=True)


def contents(changes: tuple[FileChange, ...]) -> list[str]:
    return [(change.after or b"").decode() for change in changes]


def test_a_systemd_timer_is_two_files(context: InstallContext, tmp_path: Path) -> None:
    changes = SCHEDULERS["systemd"].plan_install(context, "1h")
    folder = tmp_path / ".config" / "systemd" / "user"
    assert [change.path for change in changes] == [str(folder / f"tacit-sync.{end}") for end in ("service", "timer")]
    path = f"{tmp_path}/schedulers/bin:/usr/local/bin:/usr/bin:/bin"
    assert contents(changes) == [
        "# tacit-sync.service, taken out by: tacit sync --timer off\n"
        "[Unit]\nDescription=tacit sync: exchange what is new with your other machines\n\n"
        f"[Service]\nType=oneshot\nEnvironment=PATH={path}\n"
        f"ExecStart=/opt/tacit/bin/tacit sync --unattended --home {context.home}\n",
        "# tacit-sync.timer, taken out by: tacit sync --timer off\n"
        "[Unit]\nDescription=tacit sync\n\n[Timer]\nOnCalendar=hourly\nRandomizedDelaySec=300\nPersistent=true\n\n"
        "[Install]\nWantedBy=timers.target\n",
    ]
    start = SCHEDULERS["systemd"].start(context)
    assert start[-1] == ("systemctl", "--user", "enable", "--now", "tacit-sync.timer")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("every", INTERVALS)
def test_systemd_takes_these_files(context: InstallContext, tmp_path: Path, every: str) -> None:
    context = context._replace(program=(sys.executable, "-m", "tacit"), home=str(tmp_path / 'a %h $HOME "home"'))
    changes = SCHEDULERS["systemd"].plan_install(context, every)
    for change in changes:
        apply_change(change)
    paths = [change.path for change in changes]
    done = subprocess.run(["systemd-analyze", "--user", "verify", *paths], capture_output=True, text=True, check=False)
    assert "tacit-sync" not in done.stderr, done.stderr


def test_words_of_a_unit_are_not_expanded(context: InstallContext) -> None:
    service, _ = contents(SCHEDULERS["systemd"].plan_install(context._replace(home='/a %h $HOME "b"'), "1h"))
    assert '--home "/a %%h $$HOME \\"b\\""' in service


def test_a_launch_agent_is_a_property_list(context: InstallContext, tmp_path: Path) -> None:
    (change,) = SCHEDULERS["launchd"].plan_install(context, "3h")
    assert change.path == str(tmp_path / "Library" / "LaunchAgents" / "org.tacit.sync.plist")
    agent = plistlib.loads(change.after or b"")
    assert agent["Label"] == "org.tacit.sync" and agent["StartInterval"] == 3 * 3600
    assert agent["ProgramArguments"] == list(timer_argv(context))
    assert (change.after or b"").splitlines()[0].startswith(b'<?xml version="1.0" encoding="UTF-8"?><!-- taken out by')
    (command,) = SCHEDULERS["launchd"].start(context)
    assert command[:2] == ("launchctl", "bootstrap") and command[-1] == change.path


@pytest.mark.parametrize(
    ("every", "times"),
    [
        ("15m", "N-59/15 * * * *"),
        ("30m", "N-59/30 * * * *"),
        ("1h", "N * * * *"),
        ("6h", "N */6 * * *"),
        ("1d", "N 4 * * *"),
    ],
)
def test_a_crontab_gets_a_line_that_a_shell_reads_as_it_is_meant(
    context: InstallContext, every: str, times: str
) -> None:
    context = context._replace(program=("/opt/it's here/tacit",), home="/home/me/100%")
    (change,) = SCHEDULERS["cron"].plan_install(context, every)
    _, line, _, rest = contents((change,))[0].split("\n")
    minute, when = int(line.partition(" ")[0].partition("-")[0]), line.partition("PATH=")[0].strip()
    assert when == times.replace("N", str(minute)) and 0 <= minute < min(INTERVALS[every] // 60, 60)
    assert rest == "" and "%" not in line.replace(r"\%", "")
    words = shlex.split(line.removeprefix(when).replace(r"\%", "%"))
    assert tuple(words[1:-2]) == timer_argv(context) and words[-2:] == [">/dev/null", "2>&1"]


@pytest.mark.parametrize("before", [None, b"", b"MAILTO=me\n0 1 * * * true\n", b"0 1 * * * true"])
def test_a_crontab_is_as_it_was_byte_for_byte(context: InstallContext, tmp_path: Path, before: bytes | None) -> None:
    tab = tmp_path / "schedulers" / "crontab.txt"
    if before is not None:
        tab.write_bytes(before)
    for every in ("1h", "1d"):
        for change in SCHEDULERS["cron"].plan_install(context, every):
            apply_change(change)
    assert tab.read_bytes().startswith(before or b"") and tab.read_bytes().count(b"sync --unattended") == 1
    for change in SCHEDULERS["cron"].plan_removal(context):
        apply_change(change)
    assert (tab.read_bytes() if tab.exists() else None) == before


def test_a_crontab_that_changed_meanwhile_is_not_overwritten(context: InstallContext, tmp_path: Path) -> None:
    (change,) = SCHEDULERS["cron"].plan_install(context, "1h")
    (tmp_path / "schedulers" / "crontab.txt").write_text("0 1 * * * true\n")
    with pytest.raises(RefusedError, match="changed meanwhile"):
        apply_change(change)
    assert (tmp_path / "schedulers" / "crontab.txt").read_text() == "0 1 * * * true\n"


@pytest.mark.parametrize(("has", "found"), [({"systemd", "cron"}, "systemd"), ({"cron"}, "cron"), (set(), "")])
def test_what_is_there_decides_who_runs_it(
    place: InstallContext, tmp_path: Path, has: set[str], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    schedulers = Schedulers(tmp_path / "schedulers", **{name: name in has for name in ("systemd", "cron")})
    place = place._replace(environment={**place.environment, **schedulers.environment})
    if found:
        assert find_scheduler(place).name == found
    else:
        with pytest.raises(RefusedError) as caught:
            find_scheduler(place)
        assert "/opt/tacit/bin/tacit sync --unattended" in caught.value.hint
    monkeypatch.setattr(sys, "platform", "darwin")
    assert find_scheduler(place).name == "launchd"


def test_another_home_has_a_timer_of_its_own(context: InstallContext) -> None:
    other = context._replace(home="/srv/other")
    for scheduler in ("systemd", "launchd"):
        one, two = (SCHEDULERS[scheduler].plan_install(each, "1h")[0].path for each in (context, other))
        assert one != two
    for each in (context, other):
        for change in SCHEDULERS["cron"].plan_install(each, "1h"):
            apply_change(change)
    (change,) = SCHEDULERS["cron"].plan_removal(other)
    assert b"/srv/other" in (change.before or b"") and context.home.encode() in (change.after or b"")
