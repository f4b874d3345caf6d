"""An index that was damaged behind our back: found out or harmless, made again by itself, and the answers are the same.

The home is that of a process which was killed before it had folded the write-ahead log into the file, so both count.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from harness.homes import copy_home

from tacit.errors import IndexDamagedError, TacitError
from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.model.claim import Status
from tacit.model.observation import WorkLogged
from tacit.vault import Vault
from tests.chaos import mutants
from tests.chaos.logs import judgement
from tests.chaos.outcome import Outcome, Row, assert_caught, assert_held, mutant_row, together
from tests.chaos.workload import VERBS, open_store, question

PAGE = 4096
_WORK, _QUESTIONS = 80, 12
_VERBS = ("remember", "add", "log", "accept", "forget")
CAUGHT = "other answers than before"
Harm = Callable[[Path, random.Random], object]


class Ward:
    """A home to be made ill, the way back to how it was, and another home to take parts from."""

    def __init__(self, folder: Path) -> None:
        self.home, self._well = folder / "home", folder / "home-well"
        _lived(folder / "other", seed=2)
        _lived(self.home, seed=1)
        assert (self._well / "index.sqlite-wal").stat().st_size > PAGE
        self.again()
        self.answers = answers(self.home)
        self.log = log_bytes(self.home)
        self.lines = sum(data.count(b"\n") for data in self.log.values())

    def again(self) -> None:
        shutil.rmtree(self.home)
        copy_home(self._well, self.home)


def _lived(home: Path, *, seed: int) -> None:
    """A home, and beside it the same when something was committed to its index and not yet folded in."""
    rng = random.Random(seed)
    with _vault(home) as vault:
        for number in range(_WORK):
            try:
                VERBS[_VERBS[number % len(_VERBS)]].act(vault, rng)
            except TacitError:  # nothing there to do it to
                continue
    drafts, well = [judgement("last", "the last thing before the lights went out")], home.with_name(f"{home.name}-well")
    with closing(open_store(str(home), StoreOptions(Following.PROCESS))) as store:
        with store.change() as change:
            change.record(drafts)
        with store.update_index():
            copy_home(home, well)


def _vault(home: Path) -> Vault:
    return Vault(Home(home, cwd=home.parent, environment={"HOME": str(home.parent)}))


def answers(home: Path) -> list[object]:
    """What a person would be told. Damage that only the question has met is told, and gone when it is asked again."""
    try:
        return _answers(home)
    except IndexDamagedError:
        return _answers(home)


def _answers(home: Path) -> list[object]:
    rng = random.Random(5)
    with _vault(home) as vault:
        listed = [[entry.memory for entry in vault.search.listing(status=status, scope="all")] for status in Status]
        found = [vault.search.recall(question(rng), observe=False) for _ in range(_QUESTIONS)]
    return [listed, found]


def log_bytes(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.glob("*/*.jsonl"))}


def _wal(index: Path) -> Path:
    return index.with_name("index.sqlite-wal")


def _shm(index: Path) -> Path:
    return index.with_name("index.sqlite-shm")


def _size(path: Path) -> int:
    return path.stat().st_size


def _any_page(index: Path, rng: random.Random) -> int:
    return rng.randrange(_size(index) // PAGE) * PAGE


def _put(path: Path, offset: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def _move_page(index: Path, rng: random.Random) -> None:
    source, target = rng.sample(range(_size(index) // PAGE), 2)
    _put(index, target * PAGE, index.read_bytes()[source * PAGE :][:PAGE])


def _foreign_database(index: Path, _rng: random.Random) -> None:
    index.unlink()
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("CREATE TABLE meta (name TEXT, value TEXT)")
        connection.commit()


# Each takes the index and draws the rest by lot.
HARMS: dict[str, Harm] = {
    "cut": lambda index, rng: os.truncate(index, rng.randrange(_size(index))),
    "cut at a page": lambda index, rng: os.truncate(index, _any_page(index, rng)),
    "first page zeroed": lambda index, rng: _put(index, 0, bytes(PAGE)),
    "page zeroed": lambda index, rng: _put(index, _any_page(index, rng), bytes(PAGE)),
    "page of noise": lambda index, rng: _put(index, _any_page(index, rng), rng.randbytes(PAGE)),
    "noise anywhere": lambda index, rng: _put(index, rng.randrange(_size(index) - PAGE), rng.randbytes(PAGE)),
    "page in another's place": _move_page,
    "foreign file": lambda index, rng: index.write_bytes(rng.randbytes(rng.randrange(100_000))),
    "foreign database": _foreign_database,
    "no file": lambda index, rng: index.unlink(),
    "empty file": lambda index, rng: index.write_bytes(b""),
    "another home's": lambda index, rng: shutil.copyfile(index.parents[1] / "other" / index.name, index),
    "WAL deleted": lambda index, rng: _wal(index).unlink(),
    "WAL swapped": lambda index, rng: shutil.copyfile(_wal(index.parents[1] / "other-well" / index.name), _wal(index)),
    "WAL cut": lambda index, rng: os.truncate(_wal(index), rng.randrange(_size(_wal(index)))),
    "WAL noise": lambda index, rng: _put(_wal(index), rng.randrange(_size(_wal(index))), rng.randbytes(PAGE)),
    "shared memory noise": lambda index, rng: _shm(index).write_bytes(rng.randbytes(8 * PAGE)),
    "shared memory deleted": lambda index, rng: _shm(index).unlink(),
}


def page_lost(index: Path, page: int) -> None:
    _put(index, min(page * PAGE, _size(index) - PAGE), bytes(PAGE))


def sick_index(folder: Path, *, variants: int, harms: Mapping[str, Harm] = HARMS) -> Outcome:
    """So many variants, every sort of harm in turn."""
    ward, names = Ward(folder), list(harms)
    return together(_one(ward, name := names[seed % len(names)], harms[name], seed) for seed in range(variants))


def _one(ward: Ward, name: str, harm: Harm, seed: int) -> Outcome:
    ward.again()
    harm(ward.home / "index.sqlite", random.Random(seed))
    faults = tuple(f"{name} {seed}: {fault}" for fault in _faults(ward))
    lost = sum(1 for fault in faults if "the log" in fault)
    return Outcome(1, ward.lines, lost, faults)


def _faults(ward: Ward) -> Iterator[str]:
    try:
        if answers(ward.home) != ward.answers:
            yield CAUGHT
    except Exception as error:
        yield f"no answer: {error!r}"
    if log_bytes(ward.home) != ward.log:
        yield "the log was changed"


def test_a_damaged_index_answers_as_before_and_costs_no_event(tmp_path: Path) -> None:
    assert_held(sick_index(tmp_path, variants=len(HARMS)))


@pytest.mark.chaos
def test_no_page_is_lost_without_notice(tmp_path: Path) -> None:
    pages = 92  # somewhat more than it has
    lost = {f"page {page}": lambda index, _rng, page=page: page_lost(index, page) for page in range(pages)}
    assert_held(sick_index(tmp_path, variants=pages, harms=lost))


def test_no_words_spill_to_where_a_loss_is_not_seen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Vault(Home(home, cwd=tmp_path, environment={"HOME": str(tmp_path)})) as vault:
        for number in range(100):
            vault.memories.log(WorkLogged(f"T-{number}", f"{'ä' * 200} walrus {number}"))
        vault.doctor.reindex()
    length = "length(CAST(term AS BLOB)) + length(doc_ids) + length(term_freqs)"
    with closing(sqlite3.connect(home / "index.sqlite")) as connection:
        sizes = [size for (size,) in connection.execute(f"SELECT {length} FROM postings WHERE length(term) = 64")]
    assert len(sizes) > 1  # a list of more than one block, of a term as long as there is
    assert max(sizes) < PAGE // 4 - 50  # what a row of such a table has room for within a page


@pytest.mark.chaos
def test_an_index_that_lies_would_be_seen(tmp_path: Path) -> None:
    """What no look at the file can tell apart; it is the doctor who compares it with the log."""
    assert_caught(sick_index(tmp_path, variants=1, harms={"lie": _lie}), CAUGHT)


def _lie(index: Path, _rng: random.Random) -> None:
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("UPDATE memories SET last_event_id = id")
        connection.commit()


def rows(short: bool) -> Iterator[Row]:
    def unnoticed(at: Path) -> Outcome:
        with mutants.no_wellness():
            return sick_index(at, variants=len(HARMS))

    yield Row("T11 sick index", lambda at: sick_index(at, variants=36 if short else 300))
    yield mutant_row("T11 mutant: damage not understood", unnoticed)
