"""recall: a question to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import KINDS, Told, Tool

if TYPE_CHECKING:
    from tacit.vault.reading import Hit
    from tacit.vault.vault import Vault

_MOST = 50
_LONGEST = 4096  # characters of a question that are looked at
_STATUS = {"pending": "a candidate nobody has accepted", "retired": "forgotten"}


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import fenced

    hits = vault.recall(
        given.text("query")[:_LONGEST],
        limit=given.number("limit", 10),
        kind=given.text_or_none("kind"),
        scope=given.text_or_none("scope"),
        since=given.text_or_none("since"),
    )
    if not hits:
        return Told("Nothing is remembered about this.", {"answers": []})
    return Told(fenced(_line(hit) for hit in hits), {"answers": [_values(hit) for hit in hits]})


def _line(hit: Hit) -> str:
    from tacit.surfaces.mcp.fence import harmless

    marks = [hit.kind, *filter(None, [_STATUS.get(hit.status)]), harmless(hit.scope, 100), hit.at[:10]]
    if hit.conflict:
        marks.append("disputed")
    name = f" ({hit.id})" if hit.id else ""
    return f"- [{', '.join(marks)}] {harmless(hit.text)}{name}"


def _values(hit: Hit) -> dict[str, object]:
    from tacit.surfaces.mcp.fence import harmless

    return {
        "id": hit.id,
        "kind": hit.kind,
        "status": hit.status,
        "scope": harmless(hit.scope, 100),
        "text": harmless(hit.text),
        "at": hit.at,
        "relevance": hit.relevance,
    }


ANSWER = (
    Field("id", "string", "the short id; empty for an entry of the worklog, an evaluation or a session", required=True),
    Field("kind", "string", "what kind of memory or record it is", required=True),
    Field("status", "string", "active; pending is a candidate nobody accepted; recorded is a record", required=True),
    Field("scope", "string", "global, or the project it holds in", required=True),
    Field("text", "string", "what is remembered", required=True),
    Field("at", "string", "when it was said last, UTC", required=True),
    Field("relevance", "number", "how well it fits, from 0 to 1", required=True),
)
RECALL = Tool(
    name="recall",
    title="Search memory",
    description=(
        "Search what the person and earlier sessions left: rules, decisions, fixes, preferences, the worklog. Use it "
        "before you decide or build something that may have been decided or built before, and when the person refers "
        "to an earlier time. Any words are a query; a few telling ones are best. In a project you see its memories "
        "and the global ones. A candidate is what nobody has accepted: weigh it, do not rely on it."
    ),
    takes=(
        Field("query", "string", "the words to look for", required=True),
        Field("limit", "integer", f"at most so many answers, 1 to {_MOST} (default 10)", least=1, most=_MOST),
        Field("kind", "string", "only this kind", choices=(*KINDS, "worklog", "evaluation", "session")),
        Field("scope", "string", "this project only, global only, or all projects", choices=("local", "global", "all")),
        Field("since", "string", "only what was said since: 7d, 2 weeks ago, 2026-11-15"),
    ),
    gives=(Field("answers", "array", "the answers, the best first", required=True, each=ANSWER),),
    run=run,
    reads=True,
)
