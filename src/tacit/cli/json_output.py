"""JSON objects that several commands print. docs/reference/json.md describes every field.

A name means the same in all outputs, ids are complete, and times are in UTC with microseconds and a Z.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from tacit.model.event import timestamp

if TYPE_CHECKING:
    from tacit.index.reader import MemoryRow
    from tacit.model.memory import Memory
    from tacit.model.workflow import PastRun, Workflow
    from tacit.vault.listing import ListedMemory
    from tacit.vault.sessions import ListedSession

JsonObject = dict[str, object]

SCHEMA_VERSION = 1  # incremented when a field is removed or changes its meaning; a new field breaks no reader


def utc_timestamp(at: str) -> str:
    """Return a time that was stored with its offset as all outputs write times."""
    return timestamp(datetime.fromisoformat(at))


def memory_json(listed: ListedMemory) -> JsonObject:
    """Return a memory with all its fields."""
    memory, counts = listed.memory, listed.counts
    return {
        **memory_reference(memory),
        "short": listed.short,
        "key": counts.label if counts else memory.claim.key,
        "label": memory.claim.sentence,
        "confidence": memory.confidence,
        "status": memory.status.value,
        "evidence": [evidence.text for evidence in memory.evidence],
        "shared": memory.is_in_fact_file,
        "triple": memory.claim.triple._asdict(),
        "tags": list(memory.claim.tags),
        "strength": memory.strength,
        "run_count": counts.runs if counts else memory.strength,
        "session_count": counts.sessions if counts else len(memory.sessions),
        "has_times": counts.has_times if counts else True,
        "steps": list(counts.steps) if counts else [],
        "source": memory.source,
        "author": memory.author,
        "provenance": memory.provenance.name.lower(),
        "first_at": timestamp(memory.first_at),
        "at": timestamp(memory.last_at),
        "conflict": listed.conflict,
        "overruled_by": listed.overruled_by,
        "reason": memory.reason or listed.reason,
        "contradicts": [row.id for row in listed.contradicts],
    }


def memory_reference(memory: Memory) -> JsonObject:
    """Return the few fields of a memory that is part of another object."""
    return {"id": memory.id, "kind": memory.kind.label, "scope": memory.claim.scope, "text": memory.claim.sentence}


def entry_reference(row: MemoryRow) -> JsonObject:
    """As `memory_reference`, of a row of the index."""
    return {"id": row.id, "kind": row.kind.label, "scope": row.scope, "text": row.sentence}


def missing_json(names: Iterable[str]) -> list[JsonObject]:
    """Return names that are not in the work tree, without the sessions that changed them."""
    return [{"text": name, "last_change": None} for name in names]


def session_json(listed: ListedSession) -> JsonObject:
    row = listed.row
    return {
        "id": row.id,
        "short": listed.short,
        "agent": row.agent,
        "name": row.host_session_id,
        "scope": row.scope,
        "at": utc_timestamp(row.ended_at),
        "first_at": utc_timestamp(row.started_at),
        "turn_count": row.turn_count,
        "title": row.title,
        "outcome": row.outcome,
        "summarized_by": row.model,
        "files": list(row.files),
        "alike": listed.similar_count,
    }


def workflow_json(workflow: Workflow) -> JsonObject:
    return {
        "name": workflow.name,
        "steps": list(workflow.steps),
        "directory": workflow.directory,
        "memory": workflow.claim,
        "at": timestamp(workflow.saved_at),
        "accepted": workflow.accepted,
        "run_count": len(workflow.runs),
        "last_run": run_json(workflow.last_run) if workflow.last_run else None,
    }


def run_json(run: PastRun) -> JsonObject:
    return {
        "at": timestamp(run.at),
        "completed": run.body.completed,
        "exit_status": run.status,
        "directory": run.body.directory,
        "first_step": run.body.first + 1,
        "results": [
            {"text": step.command, "exit_status": step.status, "milliseconds": step.milliseconds}
            for step in run.body.steps
        ],
    }


def counts_json(counts: Iterable[tuple[str, int]], field: str) -> list[JsonObject]:
    """Return counts as objects with two fields: the name, as `field`, and `count`."""
    return [{field: name, "count": count} for name, count in counts]
