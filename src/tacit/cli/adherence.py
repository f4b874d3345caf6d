"""How often memories were told and followed: lines and JSON for `tacit why`, and cards for `tacit review`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.cli.cards import outcome_line, scope_text
from tacit.cli.json_output import JsonObject
from tacit.cli.output import ask, bold, cyan, echo, echo_wrapped, pluralize
from tacit.errors import TacitError
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.vault.adherence import AdherenceReport, CheckEvidence, IneffectiveMemory
    from tacit.vault.vault import Vault

_MAX_EVIDENCE = 3  # violations and corrections that are shown
_KEY_HELP = "r reword · g guard · f forget · k keep as it is · s skip · q quit"


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


# Cards


def echo_ineffective(vault: Vault) -> int:
    """Print the memories that telling did not help, with the commands that decide on each. Return how many."""
    ineffective = vault.adherence.ineffective()
    for at, item in enumerate(ineffective, 1):
        _echo_card(item, at, len(ineffective))
        short = item.listed.short
        echo(f'   tacit edit {short} --text "…"   tacit guard on {short}   tacit forget {short}')
    return len(ineffective)


def ask_ineffective(vault: Vault) -> int:
    """Ask about each memory that telling did not help. Return how many were shown."""
    ineffective = vault.adherence.ineffective()
    for at, item in enumerate(ineffective, 1):
        _echo_card(item, at, len(ineffective))
        if not _ask_card(vault, item):
            return at
    return len(ineffective)


def _echo_card(item: IneffectiveMemory, at: int, of: int) -> None:
    listed = item.listed
    where = printable(scope_text(listed.memory))
    echo(f"── {at} of {of}, told but not followed ── {cyan(f'[{listed.short}]')} {listed.memory.kind.label}, {where}")
    echo_wrapped(bold(f"   “{printable(listed.memory.claim.sentence)}”"))
    for line in adherence_lines(item.report):
        echo(f"   {line}")


def _ask_card(vault: Vault, item: IneffectiveMemory) -> bool:
    """Ask until the card is decided or skipped. Return False to stop."""
    while True:
        try:
            answer = ask(f"   {_KEY_HELP} > ").strip().lower()[:1]
            if answer in ("q", "s", ""):
                return answer != "q"
            if _apply_answer_to(vault, item, answer):
                return True
        except EOFError:
            return False
        except TacitError as error:
            echo(f"   {printable(error.message)}")


def _apply_answer_to(vault: Vault, item: IneffectiveMemory, answer: str) -> bool:
    """Do what a key stands for. Return False if it stands for nothing."""
    memory, short = item.listed.memory, item.listed.short
    match answer:
        case "r":
            from tacit.cli.edit import edit_text

            text = ask("   new text (empty: your editor) > ").strip() or edit_text(memory.claim.sentence)
            echo("   " + outcome_line("Reworded", vault.edit(memory.id, text=text)))
        case "g":
            vault.decisions.keep(memory.id, reason="to be guarded")
            echo(f"   To have it enforced, type: tacit guard on {short}")
        case "f":
            echo("   " + outcome_line("Forgot", vault.forget(memory.id, reason="told and not followed")))
        case "k":
            echo("   " + outcome_line("Kept", vault.decisions.keep(memory.id, reason="kept although not followed")))
        case _:
            return False
    return True
