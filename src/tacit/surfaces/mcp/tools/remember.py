"""remember: an observation becomes a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import WrongUse
from tacit.surfaces.mcp.caller import wait_for_turn
from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import EVERYWHERE, Told, Tool, evidence_of

if TYPE_CHECKING:
    from tacit.vault.judging import Outcome
    from tacit.vault.vault import Vault

PROPOSAL = (
    Field("id", "string", "the short id of the memory", required=True),
    Field("text", "string", "the sentence as it is kept", required=True),
    Field("kind", "string", "what kind of memory it is", required=True),
    Field("status", "string", "pending until the person decides; active, dismissed or retired before", required=True),
    Field("recorded", "boolean", "false when this was known already, with the same evidence", required=True),
)
_KNOWN = {
    "active": "The person accepted this before: it holds already. Nothing is left to do.",
    "dismissed": "The person turned this down before. Do not bring it up again.",
    "retired": "The person had this forgotten before. Do not bring it up again unless they do.",
}


def run(vault: Vault, given: Given) -> Told:
    evidence = evidence_of(given.text("evidence"))
    if not evidence:
        raise WrongUse("the evidence is empty", "say where it was observed: a message, a file, a test")
    wait_for_turn(vault)
    everywhere = given.flag("everywhere")
    outcome = vault.decisions.remember(given.text("text"), evidence=evidence, everywhere=everywhere, source="mcp")
    return told(outcome, recorded=outcome.changed)


def told(outcome: Outcome, *, recorded: bool, question: str = "") -> Told:
    """What became of a proposal, and what the person can type."""
    from tacit.surfaces.mcp.fence import harmless

    memory, short = outcome.memory, outcome.short
    sentence, status = harmless(memory.claim.sentence), memory.status.value
    heading = f"{'Noted' if recorded else 'Known'} [{short}] ({memory.kind.label}, {status}): {sentence}"
    advice = _KNOWN.get(status) or question or _decide(short)
    values: dict[str, object] = {
        "id": short,
        "text": sentence,
        "kind": memory.kind.label,
        "status": status,
        "recorded": recorded,
    }
    return Told(f"{heading}\n{advice}", values)


def _decide(short: str) -> str:
    return (
        "It is a candidate and holds only when the person accepts it. They decide with tacit review, or by typing "
        f"tacit accept {short} or tacit dismiss {short}."
    )


REMEMBER = Tool(
    name="remember",
    title="Note an observation",
    description=(
        "Note something you observed that may be worth keeping for later sessions: how this project is built or "
        "tested, a fix that worked, a decision that was taken. One short statement a call, with the evidence. It "
        "becomes a candidate that waits for the person; it is never active by itself. Use suggest instead when the "
        "person stated or corrected something and you can ask them now. Do not note secrets, whole files, or what "
        "can be read in the repository."
    ),
    takes=(
        Field("text", "string", "the one statement, for example: run make lint before a commit", required=True),
        Field("evidence", "string", "where you observed it: a message, a file, a test and its result", required=True),
        EVERYWHERE,
    ),
    gives=PROPOSAL,
    run=run,
    idempotent=True,
)
