"""why: the evidence of a memory, down to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import Told, Tool

if TYPE_CHECKING:
    from tacit.vault.reading import Listed, Reason
    from tacit.vault.vault import Vault

_MOST = 40  # events that are told, the latest


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import fenced, harmless

    listed, reasons = vault.why(given.text("id")[:400])
    events = [_event(reason) for reason in reasons[-_MOST:]]
    memory = listed.memory
    head = f"[{listed.short}] {harmless(memory.claim.sentence)} ({memory.kind.label}, {memory.status.value})"
    values: dict[str, object] = {
        "id": listed.short,
        "text": harmless(memory.claim.sentence),
        "kind": memory.kind.label,
        "status": memory.status.value,
        "scope": _scope(listed),
        "confidence": memory.confidence,
        "observations": memory.strength,
        "events": events,
    }
    return Told(fenced([head, *(_line(event) for event in events)]), values)


def _scope(listed: Listed) -> str:
    from tacit.surfaces.mcp.fence import harmless
    from tacit.vault.hits import scope_label

    return harmless(scope_label(listed.memory.claim.scope), 100)


def _event(reason: Reason) -> dict[str, str]:
    from tacit.surfaces.cli.verbs.why import details, what
    from tacit.surfaces.mcp.fence import harmless

    said = what(reason) + (", undone" if reason.undone else "")
    told = {label: harmless(text, 500) for label, text in details(reason)}
    origin = reason.event.origin
    return {"at": origin.at.isoformat(), "actor": harmless(origin.actor, 64), "what": harmless(said, 100), **told}


def _line(event: dict[str, str]) -> str:
    more = "; ".join(f"{label}: {event[label]}" for label in ("instead", "evidence", "reason") if label in event)
    return f"- {event['at'][:16]} {event['actor']}: {event['what']}" + (f"; {more}" if more else "")


EVENT = (
    Field("at", "string", "when, UTC", required=True),
    Field("actor", "string", "who said it: user, or an agent", required=True),
    Field("what", "string", "what was said: proposed, accepted, forgotten, …", required=True),
    Field("evidence", "string", "the evidence that was given"),
    Field("reason", "string", "the reason that was given"),
    Field("instead", "string", "the sentence that took its place"),
)
WHY = Tool(
    name="why",
    title="Why something is remembered",
    description=(
        "The history of one memory: who said it when, with which evidence, and who accepted it. Use it before you rely "
        "on a memory that surprises you, that seems outdated, or that contradicts what you see."
    ),
    takes=(Field("id", "string", "the id of a memory, as brief and recall give it", required=True),),
    gives=(
        Field("id", "string", "the short id", required=True),
        Field("text", "string", "what it says", required=True),
        Field("kind", "string", "what kind of memory it is", required=True),
        Field("status", "string", "pending, active, dismissed or retired", required=True),
        Field("scope", "string", "global, or the project it holds in", required=True),
        Field("confidence", "number", "from 0 to 1", required=True),
        Field("observations", "integer", "how often it was observed", required=True),
        Field("events", "array", "its history, the oldest first", required=True, each=EVENT),
    ),
    run=run,
    reads=True,
)
