"""A read that hangs in the kernel is not waited for. All hosts are tried in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.hooks import agent
from tests.chaos.stalled_read import stalled
from tests.support.hook_calls import CALLS

# As hooks were: the process that the host waits for reads the index itself, and a signal handler is its deadline.
_BY_ITSELF = """
import os, signal, sys
sys.path.append({source!r})
from tacit.hooks import dispatch
signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
signal.setitimer(signal.ITIMER_REAL, 1.5)
os.write(1, dispatch.inject(sys.argv[1], sys.argv[3], sys.stdin.buffer.read(), None).encode("ascii"))
"""


@pytest.mark.chaos
def test_a_read_that_stalls_delays_no_host(tmp_path: Path) -> None:
    assert stalled(tmp_path, CALLS[1:2]).faults == ()


def test_a_read_that_stalls_and_that_no_signal_ends_delays_no_host(tmp_path: Path) -> None:
    assert stalled(tmp_path, CALLS[:1], killable=False).faults == ()


@pytest.mark.chaos
def test_a_hook_that_reads_the_index_itself_is_noticed(tmp_path: Path) -> None:
    """So that the tests above can fail."""
    by_itself = tmp_path / "agent.py"
    by_itself.write_text(_BY_ITSELF.format(source=str(Path(agent.__file__).parents[2])))

    (fault,) = stalled(tmp_path, CALLS[:1], agent=by_itself).faults
    assert "the host waited for 1" in fault
