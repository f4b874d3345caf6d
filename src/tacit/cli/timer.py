"""`tacit sync --timer`: switch the timer of `tacit sync` on and off, and say how it stands. `tacit setup` offers it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tacit.cli.commands import Invocation
from tacit.cli.install import confirm_and_apply, install_place, store_receipts
from tacit.cli.output import echo, pluralize
from tacit.errors import RefusedError, TacitError, UsageError
from tacit.home.home import Home
from tacit.home.sync_timer import SyncTimer, read_timer, write_timer
from tacit.install import FileChange, InstallContext, delete_receipts
from tacit.install.timer import (
    DEFAULT_INTERVAL,
    INTERVALS,
    RECEIPTS,
    SCHEDULERS,
    Scheduler,
    Words,
    find_scheduler,
    run_programs,
)
from tacit.record import Record
from tacit.text.display import printable

SWITCH_ON = "tacit sync --timer on"
_UNITS = {"m": "minute", "h": "hour", "d": "day"}


class TimerPlan(Record):
    """A timer that can be switched on, and the changes that this takes, also of what an earlier one left."""

    timer: SyncTimer
    changes: tuple[FileChange, ...]

    @property
    def scheduler(self) -> Scheduler:
        return SCHEDULERS[self.timer.scheduler]


def run_timer(call: Invocation) -> int:
    """Do what --timer says. Return the exit code: 1 if a timer was switched on that does not run."""
    call.only_one(("--timer", "--json"), "tacit sync --timer show")
    state, home, place = call.value("--timer"), call.vault.home, install_place(call.value("--home"))
    if call.flag("--every") and state != "on":
        raise UsageError("--every goes with --timer on", f"{SWITCH_ON} --every 3h")
    if state == "on":
        _switch_on(call, place)
    elif state == "off":
        _switch_off(call, place)
    else:
        text, is_well = timer_text(home, place)
        echo(text)
        return 0 if is_well else 1
    return 0


def _switch_on(call: Invocation, place: InstallContext) -> None:
    home = call.vault.home
    if not can_sync(home):
        raise RefusedError("there is nothing to sync with yet", "tacit remote add NAME URL, or: tacit team join URL")
    plan = plan_timer(place, call.value("--every") or DEFAULT_INTERVAL)
    if not any(change.is_needed for change in plan.changes):
        start_timer(home, place, plan)
        echo(f"It is there already. {timer_text(home, place)[0]}")
        return
    _echo_programs("Then", plan.scheduler.start(place))
    if confirm_and_apply(call, plan.changes, lambda: store_receipts(place, RECEIPTS, plan.changes)):
        start_timer(home, place, plan)
        echo(timer_text(home, place)[0])


def _switch_off(call: Invocation, place: InstallContext) -> None:
    changes = plan_timer_removal(place)
    if not changes:
        write_timer(call.vault.home.store.paths, None)
        echo("There is no timer; nothing syncs by itself.")
        return
    if confirm_and_apply(call, changes, lambda: stop_timer(call.vault.home, place)):
        end_timer(place)
        echo("The timer is off; nothing syncs by itself. To sync: tacit sync")


def _echo_programs(when: str, commands: Sequence[Words]) -> None:
    for command in commands:
        echo(f"{when} this runs: {shlex.join(command)}")


# What setup does, too


def can_sync(home: Home) -> bool:
    """Return whether there is a remote or a team."""
    from tacit.remotes.state import RemoteStore

    return home.has_team or bool(RemoteStore(home.store.paths).names())


def is_wanted(home: Home, place: InstallContext) -> bool:
    """Return whether there is something to sync with, and no timer that runs."""
    timer = read_timer(home.store.paths)
    return can_sync(home) and (timer is None or bool(timer_problem(timer, place)))


def plan_timer(place: InstallContext, every: str = DEFAULT_INTERVAL) -> TimerPlan:
    """Plan a timer. Raise RefusedError if there is no scheduler, or one of its files belongs to somebody else."""
    scheduler = find_scheduler(place)
    others = [other for other in SCHEDULERS.values() if other is not scheduler]
    left = [change for other in others for change in other.plan_removal(place) if change.is_needed]
    timer = SyncTimer(every, INTERVALS[every], scheduler.name)
    return TimerPlan(timer, (*left, *scheduler.plan_install(place, every)))


def start_timer(home: Home, place: InstallContext, plan: TimerPlan) -> None:
    """Start a timer whose files are there. Raise RefusedError if the scheduler does not take it."""
    problem = run_programs(plan.scheduler.start(place), place)
    if problem and run_programs(plan.scheduler.check(place), place):  # launchd refuses what runs already
        raise RefusedError(f"the timer was not started: {problem}", "tacit sync --timer off takes its files away")
    write_timer(home.store.paths, plan.timer)


def plan_timer_removal(place: InstallContext) -> list[FileChange]:
    """Return the changes that take the timer away, whatever runs it."""
    schedulers = SCHEDULERS.values()
    return [change for each in schedulers for change in each.plan_removal(place) if change.is_needed]


def stop_timer(home: Home, place: InstallContext) -> None:
    """Stop the timer, before its files go. One that does not run is no problem."""
    if timer := read_timer(home.store.paths):
        run_programs(SCHEDULERS[timer.scheduler].stop(place), place)
    write_timer(home.store.paths, None)


def end_timer(place: InstallContext) -> None:
    """Do what is left after the files of a timer were taken away."""
    for scheduler in SCHEDULERS.values():
        if scheduler.is_here(place):
            run_programs(scheduler.ended, place)
    delete_receipts(place.home, RECEIPTS)


def timer_text(home: Home, place: InstallContext) -> tuple[str, bool]:
    """Return how the timer stands, with what to type, and whether it is as it should be: off, or running."""
    timer = read_timer(home.store.paths)
    if timer is None:
        return f"off: nothing syncs by itself; to switch it on: {SWITCH_ON}", True
    if problem := timer_problem(timer, place):
        return f"broken: {problem}: {SWITCH_ON}", False
    scheduler = SCHEDULERS[timer.scheduler]
    every = interval_text(timer.every)
    return f"on: every {every}, by {scheduler.where}; to switch it off: tacit sync --timer off", True


def interval_text(every: str) -> str:
    """Return an interval in words: `hour`, `3 hours`."""
    number, unit = int(every[:-1]), _UNITS[every[-1]]
    return unit if number == 1 else pluralize(number, unit)


def timer_problem(timer: SyncTimer, place: InstallContext) -> str:
    """Return why a timer that was switched on does not run as it should; "" if it does."""
    scheduler = SCHEDULERS[timer.scheduler]
    try:
        if not any(change.is_needed for change in scheduler.plan_removal(place)):
            return f"{scheduler.name} does not have it any more"
        if changed := [change.path for change in scheduler.plan_install(place, timer.every) if change.is_needed]:
            return f"it starts another installation, or was changed ({printable(', '.join(changed))})"
        return run_programs(scheduler.check(place), place)
    except (TacitError, OSError) as error:
        return printable(str(error))
