"""Much that comes at once: a machine that joins, and a purge that reaches a large home. Whatever is killed on the way
is repeated, and afterwards the index is that of a rebuild."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tacit.home import indexing
from tacit.home.indexing import Indexer
from tacit.index.compare import dump_rows
from tacit.log.verify import verify
from tacit.remotes import segments
from tacit.remotes.state import RemoteStore
from tacit.vault.purging import Purger
from tests.support.machines import Machine, connected, sync_all

SECRET, PNPM = "the plan for Operation Walrus", "use pnpm"
RULES = tuple(f"rule number {number} is about part {number}" for number in range(24))


class Killed(BaseException):
    """Nothing catches it, as nothing catches a kill."""


@pytest.fixture(autouse=True)
def little_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of a few lines, and an index that is made anew where a large home's would be."""
    monkeypatch.setattr(segments, "_MAX_PLAIN_BYTES", 2_000)
    monkeypatch.setattr(indexing, "_BYTES_PER_BATCH", 1_000)


@pytest.fixture
def pair(tmp_path: Path) -> list[Machine]:
    """A machine that has published many rules, and one that has never synced."""
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(*RULES)
    laptop.sync()
    return [laptop, desktop]


def is_as_rebuilt(machine: Machine) -> bool:
    with machine.vault() as vault:
        store = vault.home.store
        index, fresh = store.index_as_is(), store.indexer.in_memory_index()
        assert index is not None and store.indexer.is_index_of_log(index) and not store.indexer.is_behind(index)
        assert list(verify(store.log)) == []
        return list(dump_rows(index)) == list(dump_rows(fresh))


def lines_of(machine: Machine) -> list[bytes]:
    return [line for path in sorted(machine.home.rglob("*.jsonl")) for line in path.read_bytes().splitlines()]


def contains(machine: Machine, text: bytes) -> bool:
    return any(text in path.read_bytes() for path in machine.home.rglob("*") if path.is_file())


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, kill_at: int = 0) -> list[int]:
    """Count calls of a function. The one with the number `kill_at` ends with a kill."""
    original, calls = getattr(owner, name), [0]

    def call(*arguments: Any, **options: Any) -> Any:
        calls[0] += 1
        if calls[0] == kill_at:
            raise Killed
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, call)
    return calls


# Joining


def test_a_machine_that_joins_has_everything_in_one_file_and_an_index_made_once(
    pair: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desktop = pair
    assert len(laptop.state.parts) > 4
    with desktop.vault() as vault:
        vault.home.store.make()
    built = counted(monkeypatch, Indexer, "build")
    assert desktop.sync().machines[0].new == len(RULES)
    assert built == [1]
    assert len(list((desktop.home / "imported").iterdir())) == 1
    assert desktop.everything_known == laptop.everything_known
    assert is_as_rebuilt(desktop)


@pytest.mark.parametrize(
    ("owner", "name", "number"),
    [
        (segments.ReceivedSegment, "read", 1),
        (segments.ReceivedSegment, "read", 4),
        (Indexer, "build", 2),
        (RemoteStore, "save", 1),
    ],
    ids=["before the first line", "between two segments", "before the index", "before it is noted"],
)
def test_a_join_that_is_killed_is_completed_by_the_next_sync(
    pair: list[Machine], monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, number: int
) -> None:
    laptop, desktop = pair
    with monkeypatch.context() as patch:
        counted(patch, owner, name, kill_at=number)
        with pytest.raises(Killed):
            desktop.sync()
    desktop.sync()
    assert len(lines_of(desktop)) == len(set(lines_of(desktop))) == len(RULES)
    assert desktop.everything_known == laptop.everything_known
    assert is_as_rebuilt(desktop)


def test_a_machine_that_has_some_of_the_lines_takes_the_others(tmp_path: Path, pair: list[Machine]) -> None:
    """It got them from a third one, on another remote."""
    laptop, desktop = pair
    desktop.add("the desktop has this already")
    with desktop.vault() as vault:
        vault.exchange.import_(str(laptop.home), mine=True)
    laptop.add("one more rule", PNPM)
    laptop.sync()
    assert desktop.sync().machines[0].new == 2
    sync_all(laptop, desktop)
    assert laptop.everything_known == desktop.everything_known
    assert is_as_rebuilt(desktop) and is_as_rebuilt(laptop)


def test_lines_that_were_passed_on_come_in_few_files(tmp_path: Path, pair: list[Machine]) -> None:
    """Of a machine that is on no other remote: its lines and those of the laptop were written at the same times."""
    laptop, desktop = pair
    (tmp_path / "other").mkdir()
    (third,) = connected(tmp_path / "other", 1)
    third.add(*(f"{rule}, too" for rule in RULES))
    with laptop.vault() as vault:
        vault.exchange.import_(str(third.home), mine=True)
    laptop.sync()
    desktop.sync()
    assert len(list((desktop.home / "imported").iterdir())) == 1
    desktop.add("a later rule")  # its id must be greater than all that came
    assert max(lines_of(desktop), key=lambda line: line.partition(b'"id":')[2][:40]).count(b"a later rule")
    assert is_as_rebuilt(desktop)


def test_a_machine_that_joins_gets_nothing_of_what_was_purged(tmp_path: Path) -> None:
    """Neither from who purged it, nor from who has not heard of it."""
    laptop, server, desktop = connected(tmp_path, 3)
    laptop.add(SECRET, *RULES)
    sync_all(laptop, server)
    server.add("Operation Walrus begins on Monday")
    server.sync()
    laptop.purge("Operation Walrus")
    laptop.sync()
    laptop.add("Operation Walrus was a success")  # knowing of the purge
    laptop.sync()
    desktop.sync()
    assert desktop.known == {*RULES, "Operation Walrus was a success"}
    assert not contains(desktop, b"plan for Operation") and not contains(desktop, b"on Monday")
    assert is_as_rebuilt(desktop)


# Purging


@pytest.fixture
def synced(tmp_path: Path) -> list[Machine]:
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(SECRET, evidence="a call about Operation Walrus")
    laptop.add(*RULES)
    sync_all(laptop, desktop)
    return [laptop, desktop]


def purged_by_id(machine: Machine) -> None:
    machine.minutes += 1
    with machine.vault() as vault:
        (memory,) = [each.memory for each in vault.search.listing(scope="all") if each.memory.claim.sentence == SECRET]
        vault.purger.purge(memory.id)


def purged_by_text(machine: Machine) -> None:
    machine.purge("Operation Walrus")


@pytest.mark.parametrize("purge", [purged_by_id, purged_by_text])
def test_a_purge_that_came_makes_no_index_anew(
    synced: list[Machine], monkeypatch: pytest.MonkeyPatch, purge: Callable[[Machine], None]
) -> None:
    laptop, desktop = synced
    purge(laptop)
    laptop.add("a rule that comes together with the purge")
    laptop.sync()
    built = counted(monkeypatch, Indexer, "build")
    desktop.sync()
    assert built == [0]
    assert desktop.known == laptop.known
    assert not contains(desktop, b"plan for Operation")
    assert is_as_rebuilt(desktop)


def test_a_second_purge_does_not_search_for_the_first_one(
    synced: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desktop = synced
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop)
    laptop.purge(RULES[3])
    laptop.sync()
    applied: list[int] = []
    original = Purger._apply_tombstones

    def apply(self: Purger, tombstones: Any, *arguments: Any, **options: Any) -> Any:
        applied.append(len(tombstones.all))
        return original(self, tombstones, *arguments, **options)

    monkeypatch.setattr(Purger, "_apply_tombstones", apply)
    desktop.sync()
    assert applied == [1]
    assert desktop.known == laptop.known == set(RULES) - {RULES[3]}
    assert is_as_rebuilt(desktop)


MOMENTS = [
    pytest.param(owner, name, id=name)
    for owner, name in (
        ("tacit.vault.purging", "import_tombstones"),
        ("tacit.vault.purging", "late_tombstones"),
        ("tacit.vault.purging", "build_rewritten"),
        ("tacit.index.database", "replace_index"),
        ("tacit.remotes.incoming", "append_received"),
        ("tacit.vault.purging", "write_scrubbed"),
    )
]


@pytest.mark.parametrize(("owner", "name"), MOMENTS)
def test_a_purge_that_came_and_is_killed_is_completed_by_the_next_sync(
    synced: list[Machine], monkeypatch: pytest.MonkeyPatch, owner: str, name: str
) -> None:
    laptop, desktop = synced
    laptop.purge("Operation Walrus")
    laptop.add("a rule that comes together with the purge")
    laptop.sync()
    with monkeypatch.context() as patch:
        counted(patch, import_module(owner), name, kill_at=1)
        with pytest.raises(Killed):
            desktop.sync()
    desktop.sync()
    assert desktop.known == laptop.known
    assert not contains(desktop, b"Operation Walrus")
    assert is_as_rebuilt(desktop)
