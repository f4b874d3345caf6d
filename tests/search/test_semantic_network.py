"""With the extra, too, no command opens a socket, and none starts a thread, or a process but the one that encodes."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import test_network as plain

_PR_SET_CHILD_SUBREAPER = 36
_WALK = """
import ctypes, io, os, sys
assert ctypes.CDLL(None).prctl({subreaper}, 1, 0, 0, 0) == 0  # what a command leaves behind is ours to wait for
sys.path.append({packages!r})
from tacit.surfaces.cli import main
for words in ("init", "add we-release-never", "reindex", "recall version", "improve", "recall release", "doctor"):
    sys.stdin = io.StringIO()
    main(words.split())
    if words.startswith("add"):
        os.wait()  # for the one that encodes
assert "numpy" in sys.modules
"""


def test_encoding_and_comparing_open_no_socket_and_start_nothing_else(tmp_path: Path, packages: Path) -> None:
    calls = plain._trace(_WALK.format(packages=str(packages), subreaper=_PR_SET_CHILD_SUBREAPER), tmp_path)
    assert plain._NETWORK.findall(calls) == []
    assert len(plain._STARTED.findall(calls)) == 3  # the one that was started here, and two forks to encode after `add`
