"""What could not be made durable is not acknowledged. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.failed_sync import CAUGHT, failed_sync, unsafe_files
from tests.chaos.strace import Call


@pytest.mark.parametrize("verb", ["add", pytest.param("log", marks=pytest.mark.chaos)])
def test_a_failed_sync_acknowledges_nothing_that_is_not_durable(tmp_path: Path, verb: str) -> None:
    found = failed_sync(tmp_path, verb, most=3)
    assert found.note, "no sync has failed: this shows nothing"
    assert found.faults == ()


@pytest.mark.chaos
@pytest.mark.parametrize("mutant", ["blind_to_errors", "sync_again"])
def test_a_log_that_does_not_take_no_for_an_answer_is_caught(tmp_path: Path, mutant: str) -> None:
    found = failed_sync(tmp_path, "add", most=6, mutant=mutant)
    assert any(CAUGHT in fault for fault in found.faults)


def test_a_file_is_suspect_until_another_takes_its_place() -> None:
    log, fresh = "3</home/log>", "4</home/.log.new>"
    failed = [Call("write", 1, log), Call("fdatasync", 1, log, "-1 EIO (Input/output error)")]
    again = [Call("fdatasync", 2, log)]
    replaced = [
        Call("write", 2, fresh),
        Call("fdatasync", 3, fresh),
        Call("rename", 1, '"/home/.log.new", "/home/log"'),
    ]
    assert unsafe_files(failed + again) == {"/home/log"}
    assert unsafe_files(failed + replaced) == set()
    assert unsafe_files([*failed, replaced[0], replaced[2]]) == {"/home/log"}
