"""Whether sessions followed what their agents were told: from a session in the index to checks for the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from tacit.index import adherence, reader, sessions
from tacit.index.sessions import SessionRow
from tacit.learn import SessionEvent
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Provenance, is_project_scope
from tacit.model.event import Attribution, Draft, Event
from tacit.model.ids import ClaimId
from tacit.model.observation import CONVERSATION_TYPES, BriefInjected, MemoryChecked

_ATTRIBUTION = Attribution("learner:adherence", Provenance.TOOL_LOCAL)


def check_session(connection: sqlite3.Connection, row: SessionRow) -> list[Draft]:
    """Return the checks of a session that are new or came out differently, for each memory that its agent was told.

    A memory that cannot be checked and was not corrected has none.
    """
    injections = _first_injections(connection, row)
    if not injections:
        return []
    # Few sessions were told anything.
    from tacit.learn.adherence.check import calls_in, check_claim, find_correction
    from tacit.model.expectations import read_expectations

    known = adherence.checks_of_session(connection, row.id)
    logged = [logged.event for logged in sessions.logged_events_of_session(connection, row, must_decode)]
    drafts = []
    for claim_id, injection in injections.items():
        memory = reader.load_memory(connection, claim_id, must_decode)
        if memory is None:
            continue
        events = list(_events_after(logged, injection, memory.claim))
        check = check_claim(memory.claim, calls_in(events) if read_expectations(memory.claim.sentence) else ())
        body = MemoryChecked(claim_id, row.id, check.result.value, check.call, find_correction(memory.claim, events))
        before = known.get(claim_id)
        recorded = (before.result.value, before.call, before.correction) if before else ("", "", "")
        if (body.result, body.call, body.correction) != recorded:
            drafts.append(Draft(body, row.scope, _ATTRIBUTION))
    return drafts


def _first_injections(connection: sqlite3.Connection, row: SessionRow) -> dict[ClaimId, Event]:
    """Return the memories that were injected into a session, with the first injection of each."""
    first: dict[ClaimId, Event] = {}
    for event in reversed(sessions.injection_events(connection, must_decode, row.host_session_id)):
        if isinstance(event.body, BriefInjected) and event.body.agent == row.agent:
            for claim in event.body.memories:
                first.setdefault(ClaimId(claim), event)
    return first


def _events_after(events: list[Event], injection: Event, claim: Claim) -> Iterator[SessionEvent]:
    """Yield the events of a session after an injection, where the claim holds: those of its project, or all."""
    for event in events:
        is_here = not is_project_scope(claim.scope) or event.scope == claim.scope
        if event.at >= injection.at and is_here and isinstance(event.body, CONVERSATION_TYPES):
            yield SessionEvent(event.id, event.body)
