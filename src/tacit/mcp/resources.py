"""Memories as resources: what a person accepted for the project one stands in and for everywhere, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Json, RpcError
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.index.reader import MemoryRow
    from tacit.vault.queries import ListedMemory
    from tacit.vault.vault import Vault

PAGE_SIZE = 50
_MEMORY_URI, _BRIEF_URI, _SESSION_URI = "tacit://memory/", "tacit://brief", "tacit://session/"
_MAX_SESSIONS = 10
_MARKDOWN_TYPE, _TEXT_TYPE = "text/markdown", "text/plain"
TEMPLATES: list[Json] = [
    {
        "uriTemplate": f"{_MEMORY_URI}{{id}}",
        "name": "memory",
        "title": "A memory",
        "description": "One memory that the person accepted: what it says, its kind, its evidence and dates.",
        "mimeType": _MARKDOWN_TYPE,
    },
    {
        "uriTemplate": f"{_SESSION_URI}{{id}}",
        "name": "session",
        "title": "A session",
        "description": "What was asked and done in an earlier session, and how it ended.",
        "mimeType": _MARKDOWN_TYPE,
    },
]
_BRIEF_RESOURCE: Json = {
    "uri": _BRIEF_URI,
    "name": "brief",
    "title": "Brief",
    "description": "The few memories an agent should know here.",
    "mimeType": _TEXT_TYPE,
}


class ResourcePage(Record):
    """Some of the resources, and where the next ones begin."""

    resources: list[Json]
    next_cursor: str | None


def resource_page(vault: Vault, cursor: str | None) -> ResourcePage:
    """The brief, the latest sessions, then memories with the latest first. A cursor is the last memory of a page."""
    memories = _accepted_memories(vault)
    if cursor is None:
        first = [_BRIEF_RESOURCE, *_session_resources(vault)]
    else:
        first, memories = [], memories[_index_after(memories, cursor) :]
    shown = memories[:PAGE_SIZE]
    following = _cursor_of(shown[-1]) if len(memories) > PAGE_SIZE else None
    return ResourcePage([*first, *(_memory_resource(one) for one in shown)], following)


def resource_content(vault: Vault, uri: str) -> Json:
    """What a resource holds."""
    if uri == _BRIEF_URI:
        from tacit.mcp.tools import NO_MEMORIES

        return {"uri": uri, "mimeType": _TEXT_TYPE, "text": vault.brief().text or NO_MEMORIES}
    text = None
    if uri.startswith(_MEMORY_URI):
        text = _memory_text(vault, uri.removeprefix(_MEMORY_URI))
    elif uri.startswith(_SESSION_URI):
        text = _session_text(vault, uri.removeprefix(_SESSION_URI))
    if text is None:
        raise RpcError(RESOURCE_NOT_FOUND, "there is no such resource", {"uri": uri[:200]})
    return {"uri": uri, "mimeType": _MARKDOWN_TYPE, "text": text}


# Memories


def _accepted_memories(vault: Vault) -> list[MemoryRow]:
    """What holds in the project one stands in, and everywhere; not what holds in the projects it lies in."""
    from tacit.model.claim import GLOBAL

    known = vault.contexts.context(_working_directory())
    scopes = (known.scopes[0], GLOBAL)
    every = (*known.directories, *known.commands, *known.memories)
    return sorted((entry for entry in every if entry.scope in scopes), key=_cursor_of, reverse=True)


def _working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        return "/"


def _cursor_of(entry: MemoryRow) -> str:
    """Where it stands in the order, whatever is said or forgotten meanwhile."""
    return f"{entry.last}.{entry.id}"


def _index_after(memories: Sequence[MemoryRow], cursor: str) -> int:
    event, dot, claim = cursor.partition(".")
    if not (dot and event and claim):
        raise RpcError(INVALID_PARAMS, "this cursor is none of ours; begin again without one")
    return next((at for at, one in enumerate(memories) if _cursor_of(one) < cursor), len(memories))


def _memory_resource(entry: MemoryRow) -> Json:
    from tacit.text.fence import harmless_line

    return {
        "uri": f"{_MEMORY_URI}{entry.id}",
        "name": entry.id,
        "title": harmless_line(entry.sentence, 100),
        "description": f"{entry.kind.label}, {entry.at[:10]}",
        "mimeType": _MARKDOWN_TYPE,
    }


def _memory_text(vault: Vault, name: str) -> str | None:
    """Only of what is listed; the short ids that tools give will do."""
    from tacit.model.ids import is_claim_prefix

    named = (
        [entry.id for entry in _accepted_memories(vault) if entry.id.startswith(name)] if is_claim_prefix(name) else []
    )
    return _render_memory(vault.show(named[0])) if len(named) == 1 else None


def _render_memory(listed: ListedMemory) -> str:
    from tacit.model.claim import scope_label
    from tacit.text.fence import fenced_lines, harmless_line

    memory = listed.memory
    lines = [
        f"# {harmless_line(memory.claim.sentence)}",
        "",
        f"- kind: {memory.kind.label}",
        f"- status: {memory.status.value}{', disputed' if listed.conflict else ''}",
        f"- scope: {harmless_line(scope_label(memory.claim.scope), 100)}",
        f"- first said: {memory.first_at.date().isoformat()}",
        f"- last said: {memory.last_at.date().isoformat()}",
        f"- observed: {memory.strength} times",
        *(
            f"- evidence of {given.day.isoformat()}: {harmless_line(given.text, 500)}"
            for given in memory.evidence[-20:]
        ),
    ]
    return fenced_lines(lines)


# Sessions


def _session_resources(vault: Vault) -> list[Json]:
    from tacit.mcp.tools import recent_sessions

    return [
        {
            "uri": f"{_SESSION_URI}{row.id}",
            "name": row.id,
            "title": row.title,
            "description": f"session with {row.agent}, {row.at[:10]}",
            "mimeType": _MARKDOWN_TYPE,
        }
        for row in recent_sessions(vault, here=True, limit=_MAX_SESSIONS)
    ]


def _session_text(vault: Vault, name: str) -> str | None:
    from tacit.mcp import tools as recent
    from tacit.model.ids import is_claim_prefix

    return recent.session_page(vault, name) if is_claim_prefix(name) else None
