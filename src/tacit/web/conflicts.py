"""Memories that contradict each other: those that no rule decides, and those that a rule has decided."""

from __future__ import annotations

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.model.conflict import ConflictRule
from tacit.text.display import clip
from tacit.web.request import Notice, PageRequest

_MAX_SHOWN = 30


def conflicts_page(call: PageRequest) -> Response:
    conflicts = call.vault.queries.conflicts()
    undecided = [conflict for conflict in conflicts if conflict.rule is ConflictRule.UNDECIDED]
    decided = [conflict for conflict in conflicts if conflict.rule is not ConflictRule.UNDECIDED]
    values = {"undecided": undecided[:_MAX_SHOWN], "decided": decided[:_MAX_SHOWN], "total": len(conflicts)}
    return call.page("conflicts.html", "Conflicts", values)


def resolve_conflict(call: PageRequest) -> Response:
    """Keep one of two memories and forget the other, or keep both."""
    decisions, reference = call.vault.decisions, call.field("id")
    match call.field("action"):
        case "keep":
            kept, forgotten = decisions.keep_instead(reference)
            text = f"Kept: {clip(kept.claim.sentence, 120)}"
            hint = "; ".join(f"forgot: {clip(outcome.memory.claim.sentence, 80)}" for outcome in forgotten)
        case "keep_both":
            text, hint = f"Both hold: {clip(decisions.keep(reference).memory.claim.sentence, 120)}", ""
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/conflicts", Notice(text, can_undo=True, hint=hint))
