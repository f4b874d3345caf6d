"""Runs inside a peer's own interpreter: puts cases to it, each in a home of its own.

Only the standard library and the peer are imported here. The answers go to a file, because peers print.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.peers.drive import raise_loopback, version_of
from bench.peers.known import peer
from bench.peers.peer import Place
from bench.write_side import known
from bench.write_side.cases import Case, cases
from bench.write_side.memory import Known, Outcome, put


def main() -> None:
    """`drive NAME ENVIRONMENT HOME JOB RESULT`: the job is a list of ids of cases."""
    name, environment, home, job, result = sys.argv[1:]
    raise_loopback()
    one = known.memory(name)
    wanted = set(json.loads(Path(job).read_text("utf-8")))
    answers = {
        case.id: _put(one, case, Place(Path(environment), Path(sys.executable), Path(home, case.id)))
        for case in cases()
        if case.id in wanted
    }
    version = version_of(peer(one.peer), Place(Path(environment), Path(sys.executable), Path(home)))
    Path(result).write_text(json.dumps([version, answers]), "utf-8")


def _put(one: Known, case: Case, place: Place) -> Sequence[object] | str:
    place.home.mkdir()
    os.environ["HOME"] = str(place.home)
    with closing(one.open(place)) as memory:
        answer = put(memory, case)
    return answer.value if isinstance(answer, Outcome) else answer
