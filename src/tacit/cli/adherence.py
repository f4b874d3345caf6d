"""How often memories were told and followed: lines and JSON for `tacit why` and the cards of `tacit review`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.cli.json_output import JsonObject
from tacit.cli.output import pluralize
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.vault.adherence import AdherenceReport, CheckEvidence

_MAX_EVIDENCE = 3  # violations and corrections that are shown


def adherence_lines(report: AdherenceReport) -> Iterator[str]:
    """Yield how often a memory was told and what came of it; nothing if no agent was told."""
    counts = report.counts
    if not counts.injected and not counts.checked:
        return
    parts = [f"told {pluralize(counts.injected, 'time')}"]
    if counts.checked:
        parts += [f"followed {counts.followed}", f"violated {counts.violated}"]
        parts.append(f"not applicable {counts.not_applicable}")
    if counts.unknown:
        parts.append(f"unknown {counts.unknown}")
    yield ", ".join(parts)
    yield from _evidence_lines(report)


def _evidence_lines(report: AdherenceReport) -> Iterator[str]:
    for label, items in (("violated", report.violations), ("corrected", report.corrections)):
        for item in items[:_MAX_EVIDENCE]:
            text = f": {printable(item.text)}" if item.text else ""
            yield f"    {label} on {item.at[:10]} in session {item.short}{text}"
        if len(items) > _MAX_EVIDENCE:
            yield f"    … and {len(items) - _MAX_EVIDENCE} more"


def adherence_json(report: AdherenceReport) -> JsonObject:
    counts = report.counts
    return {
        "injected_count": counts.injected,
        "followed_count": counts.followed,
        "violated_count": counts.violated,
        "not_applicable_count": counts.not_applicable,
        "unknown_count": counts.unknown,
        "violations": [_evidence_json(item) for item in report.violations],
        "corrections": [_evidence_json(item) for item in report.corrections],
    }


def _evidence_json(item: CheckEvidence) -> JsonObject:
    return {"id": item.event, "session": item.session, "at": item.at, "text": item.text}
