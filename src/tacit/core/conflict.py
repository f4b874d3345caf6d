"""Memories that are opposed: a winner, or an honest conflict (S13).

Judged in the order in which the answers were last asserted: the newer answer wins, unless the older is a
constraint and the newer is not; two constraints, or a newer answer with less authority, cannot be decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from tacit.core.claim import Kind
from tacit.core.ids import ClaimId, EventId
from tacit.core.provenance import Provenance
from tacit.record import Record


class Rule(Enum):
    """Which rule decided, in words for a person."""

    NEWEST = "the newest wins"
    CONSTRAINT = "an older constraint holds against a newer answer that is not one"
    UNDECIDED = "cannot be decided by rule: both are kept and tagged conflict"


class Answer(Record):
    """A memory as one side of a conflict."""

    id: ClaimId
    kind: Kind
    provenance: Provenance
    last: EventId


class Ruling(Record):
    """Between two answers. When undecided, neither is the loser."""

    winner: ClaimId
    loser: ClaimId
    rule: Rule


def settle(answers: Iterable[Answer], opposed: Callable[[Answer, Answer], bool]) -> list[Ruling]:
    """Every ruling among memories of which some are opposed to others, in the order in which they fell."""
    rulings: list[Ruling] = []
    holding: list[Answer] = []
    for newer in sorted(answers, key=lambda answer: (answer.last, answer.id)):
        against = [_rule(older, newer) for older in holding if opposed(older, newer)]
        lost = [ruling for ruling in against if ruling.loser == newer.id]
        against = lost or against  # an answer that lost beats nobody
        rulings += against
        beaten = {ruling.loser for ruling in against if ruling.rule is not Rule.UNDECIDED}
        holding = [answer for answer in (*holding, newer) if answer.id not in beaten]
    return [ruling for ruling in rulings if ruling.rule is not Rule.UNDECIDED or _both_hold(ruling, holding)]


def _both_hold(ruling: Ruling, holding: Iterable[Answer]) -> bool:
    """An open question is over once a later answer has beaten one of its sides."""
    return {ruling.winner, ruling.loser} <= {answer.id for answer in holding}


def _rule(older: Answer, newer: Answer) -> Ruling:
    older_binds, newer_binds = older.kind is Kind.CONSTRAINT, newer.kind is Kind.CONSTRAINT
    if older_binds and not newer_binds:
        return Ruling(older.id, newer.id, Rule.CONSTRAINT)
    if (older_binds and newer_binds) or newer.provenance < older.provenance:
        return Ruling(newer.id, older.id, Rule.UNDECIDED)
    return Ruling(newer.id, older.id, Rule.NEWEST)
