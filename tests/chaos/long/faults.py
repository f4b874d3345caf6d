"""Faults in the long form: kills at every system call, sick disks and indexes, planted links, hostile names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tests.chaos import (
    backup,
    damage,
    failed_sync,
    first_run,
    full_disk,
    guard,
    index_kill,
    linked_home,
    mutants,
    names,
    no_permission,
    obstacles,
    planted,
    races,
    refused,
    sick_index,
    spooling,
    strays,
    view_kill,
    waiting,
    workload,
)
from tests.chaos.apart import apart
from tests.chaos.long.rows import Result, Test, result
from tests.chaos.outcome import Outcome, together


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each; nought where every moment is meant."""

    flipped_lines: int
    step: int
    moments: int
    first_moments: int
    variants: int
    syncs: int
    rooms: range
    operations: int
    copies: int
    replaced: int
    raced: int
    every_name: int
    writers: int


LONG = Size(200, 1, 0, 50, 300, 0, range(0, 120_000, 12_000), 120, 40, 10_000, 300, 1, 200)
SHORT = Size(4, 5, 3, 3, 36, 8, range(0, 80_000, 40_000), 10, 6, 300, 20, 30, 12)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield from _damage(size)
    yield from _kills(size)
    yield from _disks(size)
    yield from _waiting(size)
    yield from _indexes(size)
    yield from _people(size)
    yield from _places(size)
    yield from _spool(size)


def _row(name: str, run: Callable[[Path], Outcome], note: str = "", *, mutant: bool = False) -> Test:
    def ran(home: str) -> Result:
        folder = Path(home)
        folder.mkdir()
        return result(run(folder), note)

    return Test(name, ran, mutant=mutant)


# T05


def _damage(size: Size) -> Iterator[Test]:
    yield _row("T05 flipped bits", lambda at: damage.flips(str(at), size.flipped_lines, step=size.step))
    yield _row("T05 log cut at every byte", lambda at: damage.cuts(str(at), step=size.step))
    yield _row("T05 foreign lines", lambda at: damage.inserts(str(at)))
    yield _row("T05 mutant: checksum in any case", _any_case, mutant=True)


def _any_case(folder: Path) -> Outcome:
    back = damage.any_case()
    try:
        return damage.flips(str(folder), 3)
    finally:
        back()


# T07, T08, T14


def _kills(size: Size) -> Iterator[Test]:
    for verb in index_kill.COMMANDS:
        yield _row(f"T07 index kill, {verb}", partial(_index_kill, verb, size), "every moment after the log has it")
    yield _row(
        "T07 mutant: cursor first", lambda at: index_kill.index_kill(at, "add", mutant="cursor_first"), mutant=True
    )
    for verb in view_kill.COMMANDS:
        yield _row(f"T08 view kill, {verb}", partial(_view_kill, verb, size), "every moment of drawing")
    for half in view_kill.DEFERRED:
        yield _row(f"T08 view kill, deferred {half}", partial(_deferred_kill, half, size), "every moment of drawing")
    yield _row("T08 mutant: in place", lambda at: view_kill.view_kill(at, "add", mutant="in_place"), mutant=True)
    for verb in first_run.COMMANDS:
        yield _row(f"T14 first run, {verb}", partial(_first_run, verb, size), "run again, it is made whole")
    yield _row("T14 mutant: in place", lambda at: first_run.first_run(at, "init", mutant="in_place"), mutant=True)


def _index_kill(verb: str, size: Size, folder: Path) -> Outcome:
    return index_kill.index_kill(folder, verb, most=size.moments)


def _deferred_kill(half: str, size: Size, folder: Path) -> Outcome:
    return view_kill.deferred_kill(folder, half, most=size.moments)


def _view_kill(verb: str, size: Size, folder: Path) -> Outcome:
    return view_kill.view_kill(folder, verb, most=size.moments)


def _first_run(verb: str, size: Size, folder: Path) -> Outcome:
    return first_run.first_run(folder, verb, most=size.first_moments)


# Waiting


def _waiting(size: Size) -> Iterator[Test]:
    many = _row("W1 writers at once", lambda at: waiting.crowd(at, size.writers))
    yield replace(many, alone=True)
    yield _row("W2 questions beside held locks", waiting.beside_locks)
    yield _row("W3 questions beside a purge", waiting.beside_purge)
    yield _row("W3 recorded beside a purge", waiting.recorded_during_purge)


# T09, T12, T19


def _disks(size: Size) -> Iterator[Test]:
    if full_disk.namespace():
        yield _row("T09 full disk", partial(_rooms, full_disk.full_disk, size.rooms))
        yield _row("T09 full disk, log alone", lambda at: full_disk.full_log(full_disk.Plan(str(at), 200_000)))
        blind = partial(full_disk.Plan, room=60_000, disk=mutants.BlindDisk)
        yield _row("T09 mutant: errors unseen", lambda at: full_disk.full_log(blind(str(at))), mutant=True)
    yield _row("T09 limit on files", partial(_rooms, full_disk.limited, size.rooms[::2]))
    for verb in failed_sync.COMMANDS:
        most = size.syncs or (60 if verb == "add" else 30)
        yield _row(f"T12 failed sync, {verb}", partial(_failed_sync, verb, most), "EIO, ENOSPC, EINTR at any call")
    for mutant in ("blind_to_errors", "sync_again"):
        lied = partial(failed_sync.failed_sync, verb="add", most=6, mutant=mutant)
        yield _row(f"T12 mutant: {mutant.replace('_', ' ')}", lied, mutant=True)
    for verb in refused.COMMANDS:
        most = size.syncs or (120 if verb == "add" else 40)
        failing = partial(refused.refused, verb=verb, most=most)
        yield _row(f"T12 any call fails, {verb}", failing, "what was refused is not recorded")
    kept = partial(refused.refused, verb="add", on="memory/events.jsonl", mutant="keeps_refused")
    yield _row("T12 mutant: keeps refused", kept, mutant=True)
    yield _row("T19 copies while others write", lambda at: apart(backup.backups, backup.Plan(str(at), size.copies)))
    early = partial(backup.Plan, copies=60, early=True)
    yield _row("T19 mutant: acknowledged too early", lambda at: apart(backup.backups, early(str(at))), mutant=True)


def _rooms(run: Callable[[full_disk.Plan], Outcome], rooms: range, folder: Path) -> Outcome:
    return together(run(full_disk.Plan(str(folder / str(room)), room)) for room in rooms)


def _failed_sync(verb: str, most: int, folder: Path) -> Outcome:
    return failed_sync.failed_sync(folder, verb, most=most)


# T10, T11


def _indexes(size: Size) -> Iterator[Test]:
    yield _row("T10 six processes, locks traced", lambda at: guard.guard(_crew(at, 6, size.operations)))
    yield _row("T10 mutant: no lock", lambda at: guard.guard(_crew(at, 2, 4), mutant=True), mutant=True)
    yield _row("T11 sick index", lambda at: sick_index.sick_index(at, variants=size.variants))
    yield _row("T11 mutant: damage not understood", _no_wellness, mutant=True)


def _crew(folder: Path, processes: int, operations: int) -> workload.Plan:
    return workload.Plan(str(folder / "home"), str(folder / "project"), processes, operations)


def _no_wellness(folder: Path) -> Outcome:
    with mutants.no_wellness():
        return sick_index.sick_index(folder, variants=len(sick_index.HARMS))


# T13


def _people(size: Size) -> Iterator[Test]:
    verbs = [*no_permission.QUESTIONS, *no_permission.CHANGES] if not size.moments else ["recall", "add"]
    yield _row("T13 no permission", lambda _at: no_permission.denied(verbs=verbs), "as a person without rights")
    if no_permission.is_root():
        may = partial(no_permission.denied, verbs=["add"], as_root=True)
        yield _row("T13 mutant: as root", lambda _at: may(), mutant=True)


# T28, T29


def _places(size: Size) -> Iterator[Test]:
    yield _row("T28 hostile names", lambda at: names.hostile_names(at, names.ALL[:: size.every_name]))
    yield _row("T29 planted links and pipes", _planted)
    yield _row("T29 mutant: links followed", _followed, mutant=True)
    yield _row(
        "T29 pipes, devices, endless files", lambda at: _obstacles(at, size), "each place, each kind, each reader"
    )
    few = size.every_name > 1
    yield _row("T29 every path of a home a link", lambda at: linked_home.sweep(at, only=_folders if few else _all))
    yield _row("T29 mutant: folders followed", linked_home.followed, mutant=True)
    names_of_copies = strays.NAMES[::5] if few else strays.NAMES
    yield _row("T49 copies of sync programs, counted", lambda at: strays.copies_count_once(at, names_of_copies))
    yield _row("T49 copies of sync programs, read", lambda at: strays.events_of_a_copy_are_read(at, names_of_copies))
    yield _row("T49 tombstones in a copy", strays.tombstones_of_a_copy_hold)
    yield _row("T49 mutant: copies unread", strays.unread, mutant=True)
    yield _row("T29 links swapped, files", lambda _at: races.race(size.replaced, files=True))
    yield _row("T29 links swapped, commands", lambda _at: races.race(size.raced))
    believed = partial(races.race, 20_000, files=True, followed=True)
    yield _row("T29 mutant: paths believed", lambda _at: believed(), mutant=True)


def _obstacles(folder: Path, size: Size) -> Outcome:
    kinds = obstacles.KINDS if not size.moments else (obstacles.pipe,)
    return obstacles.obstacles(folder, kinds, obstacles.PLACES[:: size.every_name])


def _all(_place: str) -> bool:
    return True


def _folders(place: str) -> bool:
    """The folders that most is written to, and the settings."""
    return place in ("activity", "memory", ".tacit", ".tacit/pending", "tacit.toml")


def _planted(folder: Path) -> Outcome:
    return together(planted.planted(folder / plant.__name__, plant) for plant in planted.PLANTS)


def _followed(folder: Path) -> Outcome:
    temporary = ("memory/.long-term.md.tacit-new",)
    return planted.planted(folder, planted.hard_link, verbs=("add",), places=temporary, mutant="links_followed")


# T51


def _spool(size: Size) -> Iterator[Test]:
    """Commands that cannot be appended when they end."""
    commands = 5 if size.moments else 20
    yield _row("T51 commands, lock held", lambda at: spooling.held(at, commands), "each once, in order")
    lost = partial(spooling.held, number=2, mutant="never_spools")
    yield _row("T51 mutant: never spools", lost, mutant=True)
    if full_disk.namespace():
        yield _row("T51 commands, disk full", lambda at: spooling.full(at, 3 * commands), "kept, or counted as lost")
    yield _row("T51 killed while spooling", lambda at: spooling.killed_spooling(at, most=size.moments))
    yield _row("T51 killed while filing", lambda at: spooling.killed_filing(at, most=size.moments))
    for mutant in ("unlink_first", "forgets_ids"):
        killed = partial(spooling.killed_filing, mutant=mutant)
        yield _row(f"T51 mutant: {mutant.replace('_', ' ')}", killed, mutant=True)
