"""Memories as resources: what a person accepted for the project one stands in and for everywhere, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Failure, Json
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.index.reader import Entry
    from tacit.vault.queries import Listed
    from tacit.vault.vault import Vault

PAGE = 50
_MEMORY, _BRIEF, _SESSION = "tacit://memory/", "tacit://brief", "tacit://session/"
_SESSIONS = 10
_MARKDOWN, _PLAIN = "text/markdown", "text/plain"
TEMPLATES: list[Json] = [
    {
        "uriTemplate": f"{_MEMORY}{{id}}",
        "name": "memory",
        "title": "A memory",
        "description": "One memory that the person accepted: what it says, its kind, its evidence and dates.",
        "mimeType": _MARKDOWN,
    },
    {
        "uriTemplate": f"{_SESSION}{{id}}",
        "name": "session",
        "title": "A session",
        "description": "What was asked and done in an earlier session, and how it ended.",
        "mimeType": _MARKDOWN,
    },
]
_BRIEF_ROW: Json = {
    "uri": _BRIEF,
    "name": "brief",
    "title": "Brief",
    "description": "The few memories an agent should know here.",
    "mimeType": _PLAIN,
}


class Page(Record):
    """Some of the resources, and where the next ones begin."""

    rows: list[Json]
    following: str | None


def page(vault: Vault, cursor: str | None) -> Page:
    """The brief, the latest sessions, then memories with the latest first. A cursor is the last memory of a page."""
    memories = _accepted(vault)
    if cursor is None:
        first = [_BRIEF_ROW, *_session_rows(vault)]
    else:
        first, memories = [], memories[_behind(memories, cursor) :]
    shown = memories[:PAGE]
    following = _place(shown[-1]) if len(memories) > PAGE else None
    return Page([*first, *(_memory_row(one) for one in shown)], following)


def content(vault: Vault, uri: str) -> Json:
    """What a resource holds."""
    if uri == _BRIEF:
        from tacit.mcp.tools import NOTHING

        return {"uri": uri, "mimeType": _PLAIN, "text": vault.brief().text or NOTHING}
    text = None
    if uri.startswith(_MEMORY):
        text = _memory_text(vault, uri.removeprefix(_MEMORY))
    elif uri.startswith(_SESSION):
        text = _session_text(vault, uri.removeprefix(_SESSION))
    if text is None:
        raise Failure(RESOURCE_NOT_FOUND, "there is no such resource", {"uri": uri[:200]})
    return {"uri": uri, "mimeType": _MARKDOWN, "text": text}


# Memories


def _accepted(vault: Vault) -> list[Entry]:
    """What holds in the project one stands in, and everywhere; not what holds in the projects it lies in."""
    from tacit.model.claim import GLOBAL

    known = vault.contexts.context(_here())
    scopes = (known.scopes[0], GLOBAL)
    every = (*known.directories, *known.commands, *known.memories)
    return sorted((entry for entry in every if entry.scope in scopes), key=_place, reverse=True)


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        return "/"


def _place(entry: Entry) -> str:
    """Where it stands in the order, whatever is said or forgotten meanwhile."""
    return f"{entry.last}.{entry.id}"


def _behind(memories: Sequence[Entry], cursor: str) -> int:
    event, dot, claim = cursor.partition(".")
    if not (dot and event and claim):
        raise Failure(INVALID_PARAMS, "this cursor is none of ours; begin again without one")
    return next((at for at, one in enumerate(memories) if _place(one) < cursor), len(memories))


def _memory_row(entry: Entry) -> Json:
    from tacit.text.fence import harmless_line

    return {
        "uri": f"{_MEMORY}{entry.id}",
        "name": entry.id,
        "title": harmless_line(entry.sentence, 100),
        "description": f"{entry.kind.label}, {entry.at[:10]}",
        "mimeType": _MARKDOWN,
    }


def _memory_text(vault: Vault, name: str) -> str | None:
    """Only of what is listed; the short ids that tools give will do."""
    from tacit.model.ids import is_claim_prefix

    named = [entry.id for entry in _accepted(vault) if entry.id.startswith(name)] if is_claim_prefix(name) else []
    return _markdown(vault.show(named[0])) if len(named) == 1 else None


def _markdown(listed: Listed) -> str:
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


def _session_rows(vault: Vault) -> list[Json]:
    from tacit.mcp.tools import recent

    return [
        {
            "uri": f"{_SESSION}{row.id}",
            "name": row.id,
            "title": row.title,
            "description": f"session with {row.agent}, {row.at[:10]}",
            "mimeType": _MARKDOWN,
        }
        for row in recent(vault, here=True, limit=_SESSIONS)
    ]


def _session_text(vault: Vault, name: str) -> str | None:
    from tacit.mcp import tools as recent
    from tacit.model.ids import is_claim_prefix

    return recent.page(vault, name) if is_claim_prefix(name) else None
