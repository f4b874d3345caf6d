"""A derived claim has the lowest class of its sources, for ever: whoever says yes later, however often, in any order.

A derivation graph is random: claims that somebody proposed, and claims that took the place of others (reworded,
merged). Between the steps people accept and repeat, agents repeat, and the log is read again from its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.log.codec import decode, encode
from tacit.model import decide
from tacit.model.claim import GLOBAL, Claim, Provenance, Status
from tacit.model.event import IMPORT, USER, ClaimDecided, ClaimProposed, Event, EventOrigin, Verdict
from tacit.model.ids import next_event_id
from tacit.model.memory import fold_memories
from tacit.model.statement import claim_from
from tests.laws.strategies import Digits, law

_AT = EventOrigin(datetime(2026, 1, 1, tzinfo=UTC), 0, "host", "", USER, Provenance.USER_DIRECT)


@dataclass(slots=True)
class Graph:
    """A log that grows, and what the class of each claim must be."""

    log: list[Event] = field(default_factory=list)
    least: dict[Claim, Provenance] = field(default_factory=dict)

    def say(
        self, body: ClaimProposed | ClaimDecided, actor: str = USER, provenance: Provenance = Provenance.USER_DIRECT
    ) -> None:
        name = next_event_id(self.log[-1].id if self.log else None, 1, bytes(10))
        origin = _AT._replace(actor=actor, provenance=provenance)
        self.log.append(Event(name, name, origin, GLOBAL, body))

    def new_claim(self) -> Claim:
        return claim_from(f"use tool number {len(self.least)}", GLOBAL)


def _leaf(graph: Graph, digits: Digits) -> None:
    """Somebody says something for the first time."""
    claim, provenance = graph.new_claim(), digits.one_of(list(Provenance))
    actor = USER if provenance is Provenance.USER_DIRECT else digits.one_of(("agent", "learner", IMPORT, "repository"))
    graph.say(ClaimProposed(claim, digits.one_of((Verdict.PROPOSED, Verdict.ADDED)), actor, "seen"), actor, provenance)
    graph.least[claim] = provenance


def _reworded(graph: Graph, digits: Digits) -> None:
    old = digits.one_of(list(graph.least))
    new = graph.new_claim()
    draft = decide.revise(fold_memories(graph.log)[old.id], new, activate=bool(digits.below(2)))
    assert isinstance(draft.body, ClaimDecided)
    graph.say(draft.body)
    graph.least[new] = graph.least[old]


def _merged(graph: Graph, digits: Digits) -> None:
    one, into = digits.one_of(list(graph.least)), digits.one_of(list(graph.least))
    memories = fold_memories(graph.log)
    if one == into or not memories[into.id].is_live:
        return
    draft = decide.merge(memories[one.id], memories[into.id])
    assert isinstance(draft.body, ClaimDecided)
    graph.say(draft.body)
    graph.least[into] = min(graph.least[one], graph.least[into])


def _accepted(graph: Graph, digits: Digits) -> None:
    graph.say(ClaimDecided(digits.one_of(list(graph.least)), Verdict.ACCEPTED))


def _repeated(graph: Graph, digits: Digits) -> None:
    graph.say(ClaimProposed(digits.one_of(list(graph.least)), Verdict.ADDED, "user_direct"))


def _read_again(graph: Graph, _digits: Digits) -> None:
    read = [decode(encode(event).rstrip(b"\n")) for event in graph.log]
    graph.log = [event for event in read if isinstance(event, Event)]


_STEPS: tuple[Callable[[Graph, Digits], None], ...] = (*(_leaf, _reworded, _merged, _accepted, _repeated, _read_again),)


def grown(drawn: list[bytes]) -> Graph:
    graph = Graph()
    for one in drawn:
        digits = Digits(one)
        _leaf(graph, digits) if not graph.least else digits.one_of(_STEPS)(graph, digits)
    return graph


graphs = st.lists(st.binary(min_size=6, max_size=6), min_size=1, max_size=14).map(grown)


@settings(law, max_examples=400)
@given(graphs)
def test_a_derived_claim_has_the_lowest_class_of_its_sources(graph: Graph) -> None:
    memories = fold_memories(graph.log)
    assert {claim: memories[claim.id].provenance for claim in graph.least} == graph.least


@settings(law, max_examples=200)
@given(graphs)
def test_nothing_of_a_lower_class_is_active_without_a_persons_yes(graph: Graph) -> None:
    bodies = [event.body for event in graph.log if event.is_by_user]
    spoken = {body.claim.id for body in bodies if isinstance(body, ClaimProposed | ClaimDecided)}
    spoken |= {body.instead.id for body in bodies if isinstance(body, ClaimDecided) and body.instead}
    for memory in fold_memories(graph.log).values():
        if memory.provenance < Provenance.USER_FILE and memory.id not in spoken:
            assert memory.status is not Status.ACTIVE
