"""An index that was damaged behind our back: found out or harmless, made again by itself, and the answers are the same.

The home is that of a process which was killed before it had folded the write-ahead log into the file, so both count.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.homes import copy_home

from tacit.errors import IndexDamagedError, TacitError
from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.model.claim import Status
from tacit.model.observation import WorkLogged
from tacit.vault.vault import Vault
from tests.chaos import mutants
from tests.chaos.logs import judgement
from tests.chaos.outcome import Outcome, Row, assert_caught, assert_held, mutant_row, together
from tests.chaos.workload import VERBS, open_store, question

PAGE = 4096
_WORK, _QUESTIONS = 80, 12
_VERBS = ("remember", "add", "log", "accept", "forget")
CAUGHT = "other answers than before"
Harm = Callable[[Path, random.Random], None]


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


# Harm. Each takes the index and draws the rest by lot.


def cut(index: Path, rng: random.Random) -> None:
    os.truncate(index, rng.randrange(index.stat().st_size))


def cut_at_a_page(index: Path, rng: random.Random) -> None:
    os.truncate(index, rng.randrange(index.stat().st_size // PAGE) * PAGE)


def first_page_zeroed(index: Path, rng: random.Random) -> None:
    _put(index, 0, bytes(PAGE))


def page_zeroed(index: Path, rng: random.Random) -> None:
    _put(index, rng.randrange(index.stat().st_size // PAGE) * PAGE, bytes(PAGE))


def page_lost(page: int) -> Harm:
    """That page, to be tried for all of them."""

    def lost(index: Path, rng: random.Random) -> None:
        _put(index, min(page * PAGE, index.stat().st_size - PAGE), bytes(PAGE))

    return lost


def page_of_noise(index: Path, rng: random.Random) -> None:
    _put(index, rng.randrange(index.stat().st_size // PAGE) * PAGE, rng.randbytes(PAGE))


def noise_anywhere(index: Path, rng: random.Random) -> None:
    _put(index, rng.randrange(index.stat().st_size - PAGE), rng.randbytes(PAGE))


def page_in_anothers_place(index: Path, rng: random.Random) -> None:
    pages = index.stat().st_size // PAGE
    source, target = rng.sample(range(pages), 2)
    _put(index, target * PAGE, index.read_bytes()[source * PAGE :][:PAGE])


def foreign_file(index: Path, rng: random.Random) -> None:
    index.write_bytes(rng.randbytes(rng.randrange(100_000)))


def foreign_database(index: Path, rng: random.Random) -> None:
    index.unlink()
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("CREATE TABLE meta (name TEXT, value TEXT)")
        connection.commit()


def no_file(index: Path, rng: random.Random) -> None:
    index.unlink()


def empty_file(index: Path, rng: random.Random) -> None:
    index.write_bytes(b"")


def another_homes(index: Path, rng: random.Random) -> None:
    shutil.copyfile(index.parents[1] / "other" / "index.sqlite", index)


def wal_deleted(index: Path, rng: random.Random) -> None:
    _wal(index).unlink()


def wal_swapped(index: Path, rng: random.Random) -> None:
    shutil.copyfile(index.parents[1] / "other-well" / "index.sqlite-wal", _wal(index))


def wal_cut(index: Path, rng: random.Random) -> None:
    os.truncate(_wal(index), rng.randrange(_wal(index).stat().st_size))


def wal_noise(index: Path, rng: random.Random) -> None:
    _put(_wal(index), rng.randrange(_wal(index).stat().st_size), rng.randbytes(PAGE))


def shm_noise(index: Path, rng: random.Random) -> None:
    index.with_name("index.sqlite-shm").write_bytes(rng.randbytes(8 * PAGE))


def shm_deleted(index: Path, rng: random.Random) -> None:
    index.with_name("index.sqlite-shm").unlink()


HARMS: tuple[Harm, ...] = (
    *(cut, cut_at_a_page, first_page_zeroed, page_zeroed, page_of_noise, noise_anywhere, page_in_anothers_place),
    *(foreign_file, foreign_database, no_file, empty_file, another_homes),
    *(wal_deleted, wal_swapped, wal_cut, wal_noise, shm_noise, shm_deleted),
)


def _wal(index: Path) -> Path:
    return index.with_name("index.sqlite-wal")


def _put(path: Path, offset: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


# The test


def sick_index(folder: Path, *, variants: int, harms: tuple[Harm, ...] = HARMS) -> Outcome:
    """So many variants, every sort of harm in turn."""
    ward = Ward(folder)
    return together(_one(ward, harms[seed % len(harms)], seed) for seed in range(variants))


def _one(ward: Ward, harm: Harm, seed: int) -> Outcome:
    ward.again()
    harm(ward.home / "index.sqlite", random.Random(seed))
    faults = tuple(f"{harm.__name__} {seed}: {fault}" for fault in _faults(ward))
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
    assert_held(sick_index(tmp_path, variants=2 * len(HARMS)))


@pytest.mark.chaos
def test_no_page_is_lost_without_notice(tmp_path: Path) -> None:
    pages = 92  # somewhat more than it has
    assert_held(sick_index(tmp_path, variants=pages, harms=tuple(page_lost(page) for page in range(pages))))


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
    assert_caught(sick_index(tmp_path, variants=1, harms=(_lie,)), CAUGHT)


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
