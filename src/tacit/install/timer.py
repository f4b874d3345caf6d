"""The timer of `tacit sync` that a person may switch on: a systemd user timer, a launch agent, or a line for cron.

All of it is planned as changes that are shown first, and taken out again byte for byte. What it starts asks nothing,
leaves hand edits alone, gives up while another sync runs, and has ended when its process has.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256

from tacit.errors import RefusedError
from tacit.install import (
    BlockMarkers,
    ConfigFile,
    FileChange,
    InstallContext,
    owned_file,
    read_receipts,
    with_block,
    without_block,
)
from tacit.record import Record
from tacit.text.display import one_line, printable

RECEIPTS = "timer"  # the name of the receipts in the home
INTERVALS = {"15m": 900, "30m": 1800, "1h": 3600, "3h": 10800, "6h": 21600, "12h": 43200, "1d": 86400}
DEFAULT_INTERVAL = "1h"
_ENDING = "taken out by: tacit sync --timer off"
_OWNER_MARK = b"taken out by: tacit sync"
_SYSTEM_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
_PROGRAM_SECONDS = 30
_CALENDAR = {
    "15m": "*:0/15",
    "30m": "*:0/30",
    "1h": "hourly",
    "3h": "0/3:00",
    "6h": "0/6:00",
    "12h": "0/12:00",
    "1d": "daily",
}
_DELAYS = 12  # a timer starts up to this part of its interval later, so that not all machines come at once
_PLAIN_WORD = re.compile(r"[\w@:,./+=-]+", re.ASCII)

Words = tuple[str, ...]
TYPE_CHECKING = False

if TYPE_CHECKING:
    from subprocess import CompletedProcess


class Scheduler(Record):
    """What can run a timer. `start` are commands for when its files are there, `stop` for before they go, `ended` for
    after that. `check` succeeds if the timer runs."""

    name: str
    where: str
    is_here: Callable[[InstallContext], bool]
    plan_install: Callable[[InstallContext, str], tuple[FileChange, ...]]
    plan_removal: Callable[[InstallContext], tuple[FileChange, ...]]
    start: Callable[[InstallContext], tuple[Words, ...]] = lambda _context: ()
    stop: Callable[[InstallContext], tuple[Words, ...]] = lambda _context: ()
    ended: tuple[Words, ...] = ()
    check: Callable[[InstallContext], tuple[Words, ...]] = lambda _context: ()


def find_scheduler(context: InstallContext) -> Scheduler:
    """Return the scheduler of this machine. Raise RefusedError if there is none that Tacit knows."""
    for scheduler in SCHEDULERS.values():
        if scheduler.is_here(context):
            return scheduler
    raise RefusedError(
        "there is no systemd user manager, no launchd and no crontab here",
        f"let what you have run, as you: {shlex.join(timer_argv(context))}",
    )


def timer_argv(context: InstallContext) -> Words:
    """Return the command that a timer runs. A module of that name in the current folder must not take its place."""
    program, *words = context.program
    words = ["-P", *words] if words else words
    return (program, *words, "sync", "--unattended", *context.home_options)


def run_programs(commands: tuple[Words, ...], context: InstallContext) -> str:
    """Run commands, and return what the first one that fails says; "" if none does."""
    for command in commands:
        done = _run(command, context)
        if done.returncode:
            output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            return f"{shlex.join(command)}: {printable(one_line(output, 200)) or f'exit code {done.returncode}'}"
    return ""


def _run(command: Words, context: InstallContext, content: bytes = b"") -> CompletedProcess[bytes]:
    import subprocess

    environment = {**context.environment, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command, input=content, capture_output=True, env=environment, timeout=_PROGRAM_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RefusedError(f"{command[0]} cannot be run: {error}", f"{command[0]} --help") from None


def _which(program: str, context: InstallContext) -> str:
    import shutil

    return shutil.which(program, path=context.environment.get("PATH", os.defpath)) or ""


def _search_path(context: InstallContext) -> str:
    """Return the folders in which a timer finds git and ssh: schedulers know few of those of a person."""
    folder = os.path.dirname(_which("git", context))
    return ":".join(dict.fromkeys(filter(os.path.isabs, (folder, *_SYSTEM_FOLDERS))))


def _unit_name(context: InstallContext) -> str:
    """Return the name of the timer. Another home than the usual one has a timer of its own."""
    is_usual = context.home == os.path.join(context.user_folder, ".agents")
    return "tacit-sync" if is_usual else f"tacit-sync-{sha256(os.fsencode(context.home)).hexdigest()[:8]}"


def _plain_words(context: InstallContext) -> Words:
    if any(not word.isprintable() for word in timer_argv(context)):
        raise RefusedError("a path of this installation has characters that no timer can hold")
    return timer_argv(context)


# systemd


def _systemd_files(context: InstallContext, every: str) -> Iterator[ConfigFile]:
    folder = os.path.join(context.config_folder("XDG_CONFIG_HOME", ".config"), "systemd", "user")
    name = _unit_name(context)
    words, seconds = " ".join(map(_systemd_word, _plain_words(context))), INTERVALS[every] // _DELAYS
    service = (
        f"# {name}.service, {_ENDING}\n[Unit]\nDescription=tacit sync: exchange what is new with your other machines\n"
        f"\n[Service]\nType=oneshot\nEnvironment={_systemd_word('PATH=' + _search_path(context))}\nExecStart={words}\n"
    )
    timer = (
        f"# {name}.timer, {_ENDING}\n[Unit]\nDescription=tacit sync\n\n[Timer]\nOnCalendar={_CALENDAR[every]}\n"
        f"RandomizedDelaySec={seconds}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    for ending, text in (("service", service), ("timer", timer)):
        yield owned_file(os.path.join(folder, f"{name}.{ending}"), text, _OWNER_MARK)


def _systemd_word(word: str) -> str:
    """Quote a word for a unit file: `%` and `$` are expanded even within quotes."""
    word = word.replace("%", "%%").replace("$", "$$")
    return word if _PLAIN_WORD.fullmatch(word) else '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _has_user_manager(context: InstallContext) -> bool:
    folder = context.environment.get("XDG_RUNTIME_DIR", "")
    return bool(folder and os.path.exists(os.path.join(folder, "systemd", "private")) and _which("systemctl", context))


def _systemctl(*words: str) -> Words:
    return ("systemctl", "--user", *words)


# launchd


def _launchd_label(context: InstallContext) -> str:
    return f"org.tacit.{_unit_name(context).removeprefix('tacit-')}"


def _launchd_files(context: InstallContext, every: str) -> Iterator[ConfigFile]:
    import plistlib

    label, nowhere = _launchd_label(context), os.devnull
    agent = {
        "Label": label,
        "ProgramArguments": [*_plain_words(context)],
        "EnvironmentVariables": {"PATH": _search_path(context)},
        "StartInterval": INTERVALS[every],
        "ProcessType": "Background",
        "StandardOutPath": nowhere,
        "StandardErrorPath": nowhere,
    }
    declaration, _, rest = plistlib.dumps(agent, sort_keys=False).decode("utf-8").partition("\n")
    text = f"{declaration}<!-- {_ENDING.replace('--', '')} -->\n{rest}"  # no comment of XML may have two dashes
    path = os.path.join(context.user_folder, "Library", "LaunchAgents", f"{label}.plist")
    yield owned_file(path, text, _OWNER_MARK)


def _launchd_target(context: InstallContext) -> str:
    return f"gui/{os.getuid()}/{_launchd_label(context)}"


def _launchd_path(context: InstallContext) -> str:
    return next(_launchd_files(context, next(iter(INTERVALS)))).path


# Files of both


def _plan_files(
    files: Callable[[InstallContext, str], Iterator[ConfigFile]],
) -> tuple[Callable[[InstallContext, str], tuple[FileChange, ...]], Callable[[InstallContext], tuple[FileChange, ...]]]:
    def plan_install(context: InstallContext, every: str) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, RECEIPTS)
        return tuple(file.plan_install(receipts.get(file.path)) for file in files(context, every))

    def plan_removal(context: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, RECEIPTS)
        return tuple(file.plan_removal(receipts.get(file.path)) for file in files(context, next(iter(INTERVALS))))

    return plan_install, plan_removal


# cron


def _cron_line(context: InstallContext, every: str) -> str:
    """Return the line. The minute depends on the home, so that not all machines come at once."""
    minutes = INTERVALS[every] // 60
    offset = zlib.crc32(os.fsencode(f"{os.uname().nodename}:{context.home}")) % min(minutes, 60)
    if minutes < 60:
        when = f"{offset}-59/{minutes} * * * *"
    else:
        hours = minutes // 60
        when = f"{offset} {'*' if hours == 1 else f'*/{hours}' if hours < 24 else '4'} * * *"
    words = shlex.join([f"PATH={_search_path(context)}", *_plain_words(context)]).replace("%", r"\%")
    return f"{when} {words} >/dev/null 2>&1\n"


def _cron_markers(context: InstallContext) -> BlockMarkers:
    name = _unit_name(context)
    return BlockMarkers(
        f"# >>> {name} (",
        f") >>> {_ENDING}",
        f"# <<< {name} <<<",
        "tacit sync --timer on",
        f"take these lines out with crontab -e, from “# >>> {name}” on",
    )


def _read_crontab(context: InstallContext) -> bytes | None:
    """Return the crontab of this account, None if there is none. Raise RefusedError if cron does not allow one."""
    done = _run(("crontab", "-l"), context)
    if done.returncode == 0:
        return done.stdout
    output = done.stderr.decode("utf-8", "replace")
    if "no crontab for" in output:
        return None
    raise RefusedError(f"crontab -l: {printable(one_line(output, 200))}", "crontab -l")


def _crontab_change(context: InstallContext, after: Callable[[bytes | None], bytes | None]) -> FileChange:
    before = _read_crontab(context)

    def store(change: FileChange) -> None:
        if _read_crontab(context) != change.before:
            raise RefusedError("the crontab was changed meanwhile", "look at it with crontab -l, and try again")
        command = ("crontab", "-r") if change.after is None else ("crontab", "-")
        done = _run(command, context, change.after or b"")
        if done.returncode:
            raise RefusedError(f"{shlex.join(command)}: {printable(one_line(done.stderr.decode(), 200))}", "crontab -l")

    return FileChange("crontab", before, after(before), store=store)


def _plan_cron(context: InstallContext, every: str) -> tuple[FileChange, ...]:
    line = _cron_line(context, every)
    return (_crontab_change(context, lambda before: with_block(before, _cron_markers(context), line)),)


def _plan_cron_removal(context: InstallContext) -> tuple[FileChange, ...]:
    if not _which("crontab", context):
        return ()
    try:
        return (_crontab_change(context, lambda before: without_block(before, _cron_markers(context))),)
    except RefusedError:  # who may have no crontab has no timer in it
        return ()


SCHEDULERS = {
    scheduler.name: scheduler
    for scheduler in (
        Scheduler(
            "launchd",
            "launchd",
            lambda _context: sys.platform == "darwin",
            *_plan_files(_launchd_files),
            start=lambda context: (("launchctl", "bootstrap", f"gui/{os.getuid()}", _launchd_path(context)),),
            stop=lambda context: (("launchctl", "bootout", _launchd_target(context)),),
            check=lambda context: (("launchctl", "print", _launchd_target(context)),),
        ),
        Scheduler(
            "systemd",
            "systemd, while you are logged in (always, after: loginctl enable-linger)",
            _has_user_manager,
            *_plan_files(_systemd_files),
            start=lambda context: (
                _systemctl("daemon-reload"),
                _systemctl("enable", "--now", f"{_unit_name(context)}.timer"),
            ),
            stop=lambda context: (_systemctl("disable", "--now", f"{_unit_name(context)}.timer"),),
            ended=(_systemctl("daemon-reload"),),
            check=lambda context: (_systemctl("is-active", "--quiet", f"{_unit_name(context)}.timer"),),
        ),
        Scheduler(
            "cron",
            "cron",
            lambda context: bool(_which("crontab", context)),
            _plan_cron,
            _plan_cron_removal,
        ),
    )
}
