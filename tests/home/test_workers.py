"""A long log is indexed by several processes: the result is the same, whatever happens to them."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.home import indexing, workers
from tacit.home.store import Store
from tacit.index import database, reader
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Verdict
from tacit.model.observation import CommandRan, MemoryPurged, PromptGiven, ReplyGiven, WorkLogged
from tacit.model.statement import claim_from

_SENTENCES = [
    f"{verb} {name} for the {part} of service-{number}"
    for number in range(12)
    for verb, name in (("use", "pnpm"), ("never use", "npm"), ("prefer", f"tool-{number}"))
    for part in ("build", "release")
]
_REBUILD = """
import sys
from tacit.home import indexing, workers
indexing._LONG_LOG_BYTES, indexing._CHUNK_BYTES = 0, 512
workers.worker_count = lambda: 2
import tacit
with tacit.open(sys.argv[1], cwd=sys.argv[2]) as vault:
    print("ready", flush=True)
    while True:
        vault.doctor.reindex()
"""


@pytest.fixture
def store(person: Person) -> Iterator[Store]:
    """A home with memories, a purged one, sessions, commands and the worklog."""
    with person.vault() as vault:
        store = vault.home.store
        drafts = [
            *(
                Draft(ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL)
                for text in _SENTENCES
            ),
            *(Draft(CommandRan(f"make part-{number}", "/w"), GLOBAL) for number in range(20)),
            Draft(PromptGiven("claude", "why does the release fail"), GLOBAL),
            Draft(ReplyGiven("claude", "the lock file is stale"), GLOBAL),
            Draft(WorkLogged("T-1", "Moved the parser"), GLOBAL),
        ]
        events = store.log.append(drafts * 2, store.actor.origin())
        purged = MemoryPurged(events=(events[3].id,), claims=(claim_from(_SENTENCES[3], GLOBAL).id,))
        store.log.append([Draft(purged, GLOBAL)], store.actor.origin())
        yield store


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes of every rebuild, which takes chunks of a few lines."""
    started: list[int] = []

    class Watched(workers._Worker):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)  # type: ignore[arg-type]
            assert self._process
            started.append(self._process.pid)

    monkeypatch.setattr(workers, "_Worker", Watched)
    monkeypatch.setattr(workers, "worker_count", lambda: 2)
    monkeypatch.setattr(indexing, "_LONG_LOG_BYTES", 0)
    monkeypatch.setattr(indexing, "_CHUNK_BYTES", 4096)
    return started


def dump_of_build(store: Store) -> list[str]:
    store.indexer.build()
    path = database.new_index_path(store.paths.index)
    with closing(sqlite3.connect(path)) as connection:
        return list(reader.dump(connection))


def expected_dump(store: Store) -> list[str]:
    """That of an index in memory, for which no process is started."""
    with closing(store.in_memory_index()) as connection:
        return list(reader.dump(connection))


def test_several_processes_build_the_same_index(store: Store, processes: list[int]) -> None:
    expected = expected_dump(store)
    assert processes == []
    assert dump_of_build(store) == expected
    assert len(processes) == 2
    assert any(row.startswith("opposed_pairs") for row in expected)
    assert not any("service-0" in row and "never use npm for the release" in row for row in expected)


def test_no_process_and_no_file_is_left(store: Store, processes: list[int]) -> None:
    store.indexer.build()
    assert [pid for pid in processes if _is_alive(pid)] == []
    assert [name for name in os.listdir(store.paths.root) if "spill" in name] == []


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_process_that_is_killed_costs_only_time(
    store: Store, processes: list[int], monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    expected = expected_dump(store)
    receive = workers._Worker.receive
    answers: list[object] = []

    def kill_then_receive(worker: workers._Worker) -> list[object] | None:
        if len(answers) == after:
            os.kill(processes[0], signal.SIGKILL)
        answers.append(receive(worker))
        return answers[-1]  # type: ignore[return-value]

    monkeypatch.setattr(workers._Worker, "receive", kill_then_receive)
    assert dump_of_build(store) == expected
    assert None in answers
    assert [pid for pid in processes if _is_alive(pid)] == []


def test_a_program_that_cannot_be_started_costs_only_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = expected_dump(store)
    monkeypatch.setattr(workers, "worker_count", lambda: 2)
    monkeypatch.setattr(indexing, "_LONG_LOG_BYTES", 0)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    assert dump_of_build(store) == expected


def test_a_rebuild_that_is_killed_leaves_a_sound_home_and_no_process(store: Store, tmp_path: Path) -> None:
    expected = expected_dump(store)
    store.rebuild()
    command = [sys.executable, "-c", _REBUILD, store.paths.root, str(tmp_path)]
    for delay in (0.05, 0.4, 0.8):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline() == "ready\n"
            time.sleep(delay)
            children = _children(process.pid)
            process.kill()
        deadline = time.monotonic() + 30
        while [pid for pid in children if _is_alive(pid)] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [pid for pid in children if _is_alive(pid)] == []
        assert store.read(lambda connection: list(reader.dump(connection))) == expected
        assert [name for name in os.listdir(store.paths.root) if "spill" in name] == []


def _is_alive(pid: int) -> bool:
    """Whether a process runs or is a zombie of ours. One that was adopted by another process is not looked at."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b"" or os.waitpid(pid, os.WNOHANG) == (0, 0)
    except (OSError, ChildProcessError):
        return False


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], stdout=subprocess.PIPE, text=True, check=False)
    return [int(word) for word in found.stdout.split()]
