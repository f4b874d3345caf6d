"""What a memory rests on (its events, sessions and proposers), and what it replaced, overrules or contradicts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from tacit.contradiction import relate
from tacit.index import listings, reader
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.log.reader import FileLocation, LogReader
from tacit.model.claim import Provenance, Scope
from tacit.model.conflict import ConflictRule, Ruling
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventsUndone, agent_name
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.memory import effective_events, undone_ids
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.record import Record
from tacit.text.display import printable
from tacit.vault.listing import ListedMemory, load_chunk

_AGENT_PREFIX = "agent:"
_COMMAND_SOURCES = ("suggest", "remember", "note", "mcp", "agent")  # of proposals by a command; learners have others


class EvidenceSource(Record):
    """An event of a session that a claim was concluded from, and its line in the log."""

    event: Event
    location: FileLocation


class MemoryEvent(Record):
    """An event of a memory's history: its line in the log, whether it was undone, and what it was concluded from."""

    event: Event
    location: FileLocation
    undone: bool
    sources: tuple[EvidenceSource, ...] = ()


def load_history(connection: sqlite3.Connection, log: LogReader, claim: ClaimId) -> list[MemoryEvent]:
    """Return the events that a memory was folded from, in order, each with its line in the log."""
    rows = reader.logged_events_of_claim(connection, claim, must_decode)
    undone = undone_ids([row.event for row in rows])
    history = []
    for row in rows:
        sources: list[EvidenceSource] = []
        if isinstance(row.event.body, ClaimProposed) and row.event.body.events:
            from tacit.index.sessions import logged_events

            for source in logged_events(connection, row.event.body.events, must_decode):
                sources.append(EvidenceSource(source.event, log.location(source.segment, source.line)))
        location = log.location(row.segment, row.line)
        history.append(MemoryEvent(row.event, location, row.event.id in undone, tuple(sources)))
    return history


def effective_bodies(connection: sqlite3.Connection, claim: ClaimId) -> list[EventBody]:
    """Return what the events of a claim say, without those that were undone."""
    return [event.body for event in effective_events(reader.events_of_claim(connection, claim, must_decode))]


def source_ids(connection: sqlite3.Connection, claim: ClaimId) -> list[EventId]:
    """Return the events of sessions that a memory was concluded from, each once, in the order of its proposals."""
    proposals = [body for body in effective_bodies(connection, claim) if isinstance(body, ClaimProposed)]
    return list(dict.fromkeys(source for proposal in proposals for source in proposal.events))


def agents_of_memory(connection: sqlite3.Connection, claim: ClaimId) -> set[str]:
    """Return the agents that proposed a memory, and those of the sessions that it was concluded from."""
    from tacit.index.sessions import agents_of

    events = reader.events_of_claim(connection, claim, must_decode)
    sources = [source for event in events if isinstance(event.body, ClaimProposed) for source in event.body.events]
    return {agent_name(event.origin.actor) for event in events} - {""} | agents_of(connection, sources)


def with_basis(listed: ListedMemory, events: Iterable[Event]) -> ListedMemory:
    """Return a memory with the events that quote the person, and the agent that concluded it alone, if one did.

    `events` are those of its claim. Only a proposal whose quote was verified names the event that it quotes; evidence
    that merely looks like a quote does not count.
    """
    proposals = [event for event in effective_events(events) if isinstance(event.body, ClaimProposed)]
    quoting = frozenset(event.id for event in proposals if is_quoting(event))
    actors = [event.origin.actor for event in proposals if not (event.id in quoting or is_conclusion(event))]
    agents = [event.origin.actor.removeprefix(_AGENT_PREFIX) for event in proposals if is_conclusion(event)]
    return listed._replace(
        quoting_events=quoting, concluded_by=agents[0] if agents and not quoting and not actors else ""
    )


def is_quoting(event: Event) -> bool:
    """Return whether an agent proposed a claim with a quote that was found in what the person typed."""
    return bool(_events_of_agent_proposal(event))


def is_conclusion(event: Event) -> bool:
    """Return whether an agent proposed a claim without words of the person."""
    return _events_of_agent_proposal(event) == ()


def _events_of_agent_proposal(event: Event) -> tuple[EventId, ...] | None:
    """Return what an agent's proposal by a command or a tool names, whatever name it gave itself; None for others."""
    if not isinstance(event.body, ClaimProposed) or event.body.source not in _COMMAND_SOURCES:
        return None
    return event.body.events if event.origin.provenance <= Provenance.MODEL else None


# In words


def describe_event(history_event: MemoryEvent) -> str:
    """Return what an event did to a memory, in words."""
    match history_event.event.body:
        case ClaimProposed(verdict=verdict, source=source):
            return f"{verdict.value} ({printable(source)})"
        case ClaimDecided(verdict=verdict):
            return verdict.value
        case EventsUndone(label=label):
            is_redo = label.startswith("undo of ")
            return printable(f"redo of {label.removeprefix('undo of ')}" if is_redo else f"undo of {label}")
        case TrialStarted() | TrialEnded() as body:
            ending = f" ({body.ending.replace('_', ' ')})" if isinstance(body, TrialEnded) else ""
            return f"{'trial.ended' if ending else 'trial.started'}{ending}"
    return "?"


_FORMER_EXAMPLE = ", as in “"


def shown_reason(body: ClaimProposed | ClaimDecided) -> str:
    """Return the reason of a judgement. An example that learners once put behind it read like the person's words."""
    return body.reason.partition(_FORMER_EXAMPLE)[0]


def event_details(history_event: MemoryEvent) -> list[tuple[str, str]]:
    """Return the texts that an event has, each with its label: the new wording, the evidence and the reason."""
    body = history_event.event.body
    details: list[tuple[str, str]] = []
    if isinstance(body, ClaimDecided) and body.instead is not None:
        details.append(("instead", body.instead.sentence))
    if isinstance(body, ClaimProposed | ClaimDecided):
        details += [("evidence", body.evidence), ("reason", shown_reason(body))]
    return [(label, text) for label, text in details if text]


# Relations


class MemoryConflict(Record):
    """Two memories that contradict each other, how they differ, and the rule that decided between them."""

    difference: str
    scope: Scope
    winner: ListedMemory
    loser: ListedMemory
    rule: ConflictRule


class MemoryRelations(Record):
    """The memories that stand in a relation to one.

    It replaced `replaced` and was replaced by `replaced_by`. A rule decided for `overruled_by` and against
    `overrules`. `contradicts` are those that it contradicts, or may contradict, without a rule that decides.
    """

    replaced: tuple[MemoryRow, ...]
    replaced_by: tuple[MemoryRow, ...]
    overruled_by: tuple[MemoryRow, ...]
    overrules: tuple[MemoryRow, ...]
    contradicts: tuple[MemoryRow, ...]


def load_relations(connection: sqlite3.Connection, row: MemoryRow) -> MemoryRelations:
    """Return the relations of a memory."""
    bodies = effective_bodies(connection, row.id)
    edits = [(body.claim.id, body.instead.id) for body in bodies if isinstance(body, ClaimDecided) and body.instead]
    others = load_opponents(connection, row.id)
    return MemoryRelations(
        replaced=_load_rows(connection, (before for before, _ in edits if before != row.id)),
        replaced_by=_load_rows(connection, (after for _, after in edits if after != row.id)),
        overruled_by=_load_rows(connection, [row.overruled_by] if row.overruled_by else []),
        overrules=tuple(reader.memories_overruled_by(connection, row)),
        contradicts=others[ConflictRule.UNDECIDED] + others[ConflictRule.MAY_CONTRADICT],
    )


def load_opponents(connection: sqlite3.Connection, claim: ClaimId) -> dict[ConflictRule, tuple[MemoryRow, ...]]:
    """Return the other side of every ruling on a memory, by its rule."""
    sides: dict[ConflictRule, list[ClaimId]] = {rule: [] for rule in ConflictRule}
    for ruling in listings.rulings_of(connection, claim):
        sides[ruling.rule].append(ruling.loser if ruling.winner == claim else ruling.winner)
    return {rule: _load_rows(connection, claims) for rule, claims in sides.items()}


def _load_rows(connection: sqlite3.Connection, claims: Iterable[ClaimId]) -> tuple[MemoryRow, ...]:
    """Return the rows of claims that are memories, each once."""
    rows = (reader.memory_row(connection, claim) for claim in dict.fromkeys(claims))
    return tuple(row for row in rows if row is not None)


def load_conflicts(connection: sqlite3.Connection, rulings: Sequence[Ruling]) -> list[MemoryConflict]:
    """Return the conflicts that rules decided or left open. Those with a memory that was removed are left out."""
    conflicts = []
    for ruling in rulings:
        doc_ids = [claim_number(claim) for claim in (ruling.winner, ruling.loser)]
        match load_chunk(connection, doc_ids):
            case [winner, loser]:
                claim, other = winner.memory.claim, loser.memory.claim
                difference = relate(claim.sentence, other.sentence).reason
                conflicts.append(MemoryConflict(difference, claim.scope, winner, loser, ruling.rule))
    return conflicts
