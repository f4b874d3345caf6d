"""What `--json` prints, where several commands print the same. docs/reference/json.md describes every field.

A name means the same in all outputs, ids are whole, and times are in UTC with microseconds and a Z.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from tacit.model.event import timestamp

if TYPE_CHECKING:
    from tacit.index.reader import MemoryRow
    from tacit.model.memory import Memory
    from tacit.model.workflow import PastRun, Workflow
    from tacit.vault.queries import ListedMemory
    from tacit.vault.sessions import ListedSession

JsonObject = dict[str, object]

SCHEMA_VERSION = (
    1  # one more whenever a field goes, or means something else; a new field changes nothing for who reads it
)


def utc_timestamp(at: str) -> str:
    """A time that was kept with the offset of its place, as all outputs write times."""
    return timestamp(datetime.fromisoformat(at))


def memory_json(listed: ListedMemory) -> JsonObject:
    """A memory with all that is known of it."""
    memory, counted = listed.memory, listed.counts
    return {
        **memory_reference(memory),
        "short": listed.short,
        "key": counted.label if counted else memory.claim.key,
        "label": memory.claim.sentence,
        "confidence": memory.confidence,
        "status": memory.status.value,
        "evidence": [given.text for given in memory.evidence],
        "shared": memory.is_in_fact_file,
        "triple": memory.claim.triple._asdict(),
        "tags": list(memory.claim.tags),
        "strength": memory.strength,
        "run_count": counted.runs if counted else memory.strength,
        "session_count": counted.sessions if counted else len(memory.sessions),
        "has_times": counted.has_times if counted else True,
        "steps": list(counted.steps) if counted else [],
        "source": memory.source,
        "provenance": memory.provenance.name.lower(),
        "first_at": timestamp(memory.first_at),
        "at": timestamp(memory.last_at),
        "conflict": listed.conflict,
        "overruled_by": listed.overruled_by,
        "reason": memory.reason or listed.reason,
        "contradicts": [entry.id for entry in listed.contradicts],
    }


def memory_reference(memory: Memory) -> JsonObject:
    """A memory where another thing is told of."""
    return {
        "id": memory.id,
        "kind": memory.kind.label,
        "scope": memory.claim.scope,
        "text": memory.claim.sentence,
    }


def entry_reference(entry: MemoryRow) -> JsonObject:
    return {"id": entry.id, "kind": entry.kind.label, "scope": entry.scope, "text": entry.sentence}


def session_json(one: ListedSession) -> JsonObject:
    row = one.row
    return {
        "id": row.id,
        "short": one.short,
        "agent": row.agent,
        "name": row.name,
        "scope": row.scope,
        "at": utc_timestamp(row.at),
        "first_at": utc_timestamp(row.began),
        "turn_count": row.turns,
        "title": row.title,
        "outcome": row.outcome,
        "summarized_by": row.model,
        "files": list(row.files),
        "alike": one.similar_count,
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


def counts_json(pairs: Mapping[str, int] | tuple[tuple[str, int], ...], named: str) -> list[JsonObject]:
    """How many of each, as objects: `named` is what the names are."""
    return [{named: name, "count": number} for name, number in (pairs.items() if isinstance(pairs, Mapping) else pairs)]
