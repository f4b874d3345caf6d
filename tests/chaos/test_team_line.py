"""A member whose line to the team's server is cut, after any number of bytes: nothing that was shared is lost, nothing
is there twice, and what waits arrives once the line holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from harness.postgres import Cluster

from tacit.team import client
from tacit.team.store import Outgoing, TeamStore
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, assert_caught, assert_held, mutant_row, replaced
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate
from tests.support.walled import Line, joins_by

_LAST = 4000  # bytes of a sync with one event, both ways, without TLS
_WITHDRAWN = 4  # every so many is taken back
_ANY_ID = (
    "INSERT INTO tacit.event (id, project, kind, memory, body) SELECT gen_random_uuid(), p, k, m, b::jsonb"
    " FROM (VALUES (%s, %s, %s, %s, %s)) v (i, p, k, m, b)"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Cuts after `first` bytes, and so on by `step`."""

    folder: str
    first: int
    step: int
    mutant: str = ""


def cuts(plan: Plan) -> Outcome:
    """Share once with each cut, and then sync with a line that holds."""
    cluster = Cluster()
    try:
        with MUTANTS[plan.mutant]() if plan.mutant else nullcontext():
            return _cuts(plan, TeamServer(cluster))
    finally:
        cluster.remove()


def _cuts(plan: Plan, server: TeamServer) -> Outcome:
    server.add("alice", PROJECT)
    alice = Teammate(Path(plan.folder, "alice"), "alice", server)
    line = Line(server.cluster.folder, server.cluster.port)
    wanted = []
    with line.open() as port:
        joins_by(alice, f"postgresql://alice@127.0.0.1:{port}/{server.database}")
        for number, cut in enumerate(range(plan.first, _LAST, plan.step)):
            line.mend()
            text = f"rule number {number} of this team"
            claim = alice.add(text)
            line.cut_after = cut
            alice.here("share", claim, code=None)
            if number % _WITHDRAWN:
                wanted.append(text)
            else:
                alice.here("share", "--withdraw", claim, code=None)
        line.mend()
        alice.sync(code=None)
        alice.sync(code=None)
    left = alice.here("team", "--json").json["queued"]
    faults = [f"waits for ever: {entry['action']} {entry['text']}" for entry in left]
    held = _held(server)
    lost = [text for text in wanted if not held[text]]
    faults += [f"lost: {text}" for text in lost]
    faults += [f"there {count} times: {text}" for text, count in held.items() if count > 1]
    faults += [f"there although it was taken back: {text}" for text in held.keys() - {*wanted}]
    return Outcome(number + 1, len(wanted), len(lost), tuple(faults))


def _held(server: TeamServer) -> Counter[str]:
    """What was proposed on the server and not withdrawn after that, and how often."""
    query = (
        "select e.body->>'sentence' from tacit.event e where e.kind = 'proposed'"
        " and not exists (select from tacit.event w where w.kind = 'withdrawn' and w.memory = e.memory"
        " and (w.xid, w.seq) > (e.xid, e.seq))"
    )
    with server.session(server.admin) as admin:
        return Counter(str(text) for (text,) in admin.execute(query.encode()))


# Mutants


_queue = TeamStore.queue


def _keep_until_tried(files: TeamStore, entry: Outgoing) -> None:
    if entry.tried_at:
        files.unqueue(entry.id)
    else:
        _queue(files, entry)


MUTANTS = {
    "an id of its own for each try": partial(replaced, client, "_INSERT_EVENT", _ANY_ID),
    "what was tried is not kept": partial(replaced, TeamStore, "queue", _keep_until_tried),
}


def test_a_line_that_is_cut_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert_held(apart(cuts, Plan(str(tmp_path), 60, 400)), runs=8, acknowledged=5)


@pytest.mark.chaos
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_storm_of_cuts_finds(tmp_path: Path, mutant: str) -> None:
    assert_caught(apart(cuts, Plan(str(tmp_path), 60, 150, mutant)))


def rows(short: bool) -> Iterator[Row]:
    step = 200 if short else 10

    def some(at: Path, plan: Plan) -> Outcome:
        return apart(cuts, Plan(str(at), plan.first, plan.step, plan.mutant))

    yield Row("P1 team: the line is cut", partial(some, plan=Plan("", 50, step)))
    for mutant in MUTANTS:
        yield mutant_row(f"P1 mutant: {mutant}", partial(some, plan=Plan("", 60, 150, mutant)))
