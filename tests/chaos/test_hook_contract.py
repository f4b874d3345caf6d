"""The hooks of every host in a few of the troubles; in all of them, in `make chaos` and, for one host, tests/hooks."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.hook_contract import contract, lost_on_a_slow_disk
from tests.hooks.test_agent import WRONG
from tests.support.hook_calls import ALL_CALLS

OTHERS = [name for name in ALL_CALLS if name != "claude"]


def test_no_host_notices_what_is_wrong(tmp_path: Path) -> None:
    chosen = [wrong for wrong in WRONG if wrong.__name__ in ("wrong types", "closed input", "an_index_that_is_none")]
    found = contract(tmp_path, chosen, OTHERS)
    assert [fault for fault in found.faults if not fault.endswith(" s")] == []  # time is measured elsewhere
    assert found.runs == 3 * sum(len(ALL_CALLS[host]) for host in OTHERS) > 60


def test_a_slow_disk_loses_nothing(tmp_path: Path) -> None:
    found = lost_on_a_slow_disk(tmp_path, ["codex"], seconds=0.02)
    assert [fault for fault in found.faults if "waited" not in fault] == []
