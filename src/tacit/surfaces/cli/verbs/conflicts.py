"""tacit conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.conflict import Rule
from tacit.core.text import show
from tacit.surfaces.cli.asking import ask
from tacit.surfaces.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, memory_form
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.hits import scope_label
from tacit.vault.reading import Dispute

if TYPE_CHECKING:
    from tacit.vault.vault import Vault


def run(call: Call) -> int:
    call.no_words()
    if keep := call.value("--keep"):
        return _keep(call, keep)
    if both := call.value("--keep-both"):
        say(outcome_line("Stands beside the others now", call.vault.decisions.keep(both)))
        return 0
    disputes = call.vault.queries.conflicts()
    if call.flag("--json"):
        say_json([_form(dispute) for dispute in disputes])
        return call.exit_code(found=bool(disputes))
    say(f"Conflicts ({len(disputes)})")
    for dispute in disputes:
        _say(dispute)
    return call.exit_code(found=bool(disputes))


def _keep(call: Call, reference: str) -> int:
    kept = call.vault.queries.show(reference)
    for dispute in call.vault.queries.conflicts():
        sides = {dispute.winner.memory.id: dispute.winner, dispute.loser.memory.id: dispute.loser}
        if sides.pop(kept.memory.id, None):
            for other in sides.values():
                call.vault.decisions.forget(other.memory.id, reason="contradicted", evidence=f"kept {kept.memory.id}")
                say(f"Forgot [{other.short}]: {show(other.memory.claim.sentence)}")
    say(f"Kept [{kept.short}]: {show(kept.memory.claim.sentence)}")
    return 0


def ask_undecided(vault: Vault) -> int:
    """Ask about each conflict that no rule decides; returns how many were answered. An answer ends the conflict."""
    answered = 0
    skipped: set[frozenset[str]] = set()
    while True:
        open_ones = [
            one for one in vault.queries.conflicts() if one.rule is Rule.UNDECIDED and _sides(one) not in skipped
        ]
        if not open_ones:
            return answered
        dispute = open_ones[0]
        say(f"Two memories contradict each other ({show(scope_label(dispute.scope))}): {show(dispute.difference)}")
        for number, side in ((1, dispute.winner), (2, dispute.loser)):
            say(f"   {number}  [{side.short}] {show(side.memory.claim.sentence)} ({side.memory.day})")
        try:
            answer = ask("   1 or 2 holds · b both hold · s skip · q quit > ").strip().lower()[:1]
        except EOFError:
            return answered
        if answer == "q":
            return answered
        if answer == "b":
            say(outcome_line("   Both hold", vault.decisions.keep(dispute.loser.memory.id)))
        elif answer in ("1", "2"):
            kept, other = (dispute.winner, dispute.loser) if answer == "1" else (dispute.loser, dispute.winner)
            vault.forget(other.memory.id, reason="contradicted", evidence=f"kept {kept.memory.id}")
            say(f"   Kept [{kept.short}], forgot [{other.short}].")
        else:
            skipped.add(_sides(dispute))
            continue
        answered += 1


def _sides(dispute: Dispute) -> frozenset[str]:
    return frozenset((dispute.winner.memory.id, dispute.loser.memory.id))


def _say(dispute: Dispute) -> None:
    first, second = ("between", "and") if dispute.rule is Rule.UNDECIDED else ("holds  ", "against")
    say(f"- {show(dispute.difference)} ({show(scope_label(dispute.scope))}): {dispute.rule.value}")
    for word, side in ((first, dispute.winner), (second, dispute.loser)):
        memory = side.memory
        say(f"    {word:<8} [{side.short}] {show(memory.claim.sentence)} ({memory.kind.label}, {memory.day})")
    say(f"    resolve: tacit conflicts --keep {dispute.winner.short}   or --keep {dispute.loser.short}")
    say(f"    or, if both hold: tacit conflicts --keep-both {dispute.loser.short}")


def _form(dispute: Dispute) -> Form:
    return {
        "difference": dispute.difference,
        "scope": dispute.scope,
        "rule": dispute.rule.name.lower(),
        "reason": dispute.rule.value,
        "winner": None if dispute.rule is Rule.UNDECIDED else dispute.winner.memory.id,
        "memories": [memory_form(dispute.winner), memory_form(dispute.loser)],
    }


COMMAND = Command(
    name="conflicts",
    words="",
    help=(
        "Memories that contradict each other, and the rule that decided: the newest wins, unless the older is a\n"
        "constraint; what no rule decides is kept and tagged conflict, and tacit review asks about it."
    ),
    example="tacit conflicts --keep 7k2m",
    run=run,
    options=(
        Option("--keep", "ID", "this one is right: forget the others"),
        Option("--keep-both", "ID", "this one is about something else: let it stand beside the others"),
        EXIT_CODE,
        JSON,
    ),
)
