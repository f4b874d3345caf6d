"""tacit improve."""

from __future__ import annotations

import shlex

from tacit.core.claim import Kind
from tacit.core.memory import Memory
from tacit.core.text import clip, show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, reference
from tacit.surfaces.cli.verbs.evaluate import evaluation_form, headline
from tacit.surfaces.cli.verbs.learn import conclusion_form
from tacit.surfaces.cli.verbs.reindex import SECONDS, tell_of_meaning
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.conversations.concluding import State
from tacit.vault.tending import Improvement

_OFTEN = 3


def run(call: Call) -> int:
    call.no_words()
    improvement = call.vault.maintenance.improve(force=call.flag("--force"), least=call.number("--min-count", 2) or 2)
    encoded = call.vault.embeddings.encode(SECONDS)
    if call.flag("--json"):
        say_json(_form(improvement))
        return 0
    evaluation = improvement.evaluation
    say(headline(evaluation))
    say(f"Memory candidates: {len(evaluation.candidates) if evaluation.created else 'not changed'}")
    for memory in evaluation.candidates:
        say(f"- {show(memory.claim.sentence)}")
    new = [one for one in improvement.learned if one.state is State.NEW]
    if new:
        say(f"Learned from sessions: {len(new)}")
        for one in new:
            say(f"- {show(one.claim.sentence)} ({one.learnt.kind.label})")
    if improvement.merged:
        say(f"The same in other words, now one: {len(improvement.merged)}")
        for pair in improvement.merged:
            say(f"- {show(pair.memory.claim.sentence)} → {show(pair.into.claim.sentence)}")
            say(f"  Take it back: tacit undo {pair.memory.id}")
    say(f"Pattern suggestions: {len(improvement.patterns)}")
    for memory in improvement.patterns:
        say(f"- {show(memory.claim.sentence)} ({memory.strength} observations)")
        say(f"  Promote: {promotion(memory)}")
    if improvement.stale:
        say(f"Not confirmed for long: {len(improvement.stale)}")
        for memory in improvement.stale[:5]:
            say(f"- {show(memory.claim.sentence)} (since {memory.day})")
            say(f"  Forget: tacit forget {memory.id} --reason 'out of date' --evidence 'tacit improve'")
    if improvement.undecided:
        say(f"Undecided conflicts: {improvement.undecided} memories; see: tacit conflicts")
    tell_of_meaning(encoded)
    return 0


def promotion(memory: Memory) -> str:
    """The exact command, safe to paste: what it quotes cannot end the quotation or hide in the terminal."""
    evidence = clip("; ".join(dict.fromkeys(given.text for given in memory.evidence)), 300)
    told = show(evidence) or f"observed {memory.strength} times"
    return f"tacit promote {memory.id} --kind {_kind(memory).label} --evidence {shlex.quote(told)}"


def _kind(memory: Memory) -> Kind:
    """A decision that was made again and again is how it is done here (C8); a fix stays a fix."""
    if memory.kind is Kind.DECISION and len(memory.sessions) >= _OFTEN:
        return Kind.CONVENTION
    return memory.kind if memory.kind in (Kind.KNOWN_FIX, Kind.CONVENTION, Kind.CONSTRAINT) else Kind.PATTERN


def _form(improvement: Improvement) -> Form:
    return {
        "evaluation": evaluation_form(improvement.evaluation),
        "patterns": [
            {**reference(memory), "strength": memory.strength, "promote": promotion(memory)}
            for memory in improvement.patterns
        ],
        "learned": [conclusion_form(one) for one in improvement.learned if one.state is State.NEW],
        "merged": [{"id": pair.memory.id, "into": pair.into.id} for pair in improvement.merged],
        "stale": [reference(memory) for memory in improvement.stale],
        "undecided": improvement.undecided,
    }


COMMAND = Command(
    name="improve",
    words="",
    help=(
        "Evaluate (once a day), look for candidates that were observed again and again, and for memories that are\n"
        "stale or contradict each other. A pattern is suggested once."
    ),
    example="tacit improve",
    run=run,
    options=(
        Option("--force", help="evaluate again, although there is an evaluation of today"),
        Option("--min-count", "N", "observations that make a pattern (default 2)"),
        JSON,
    ),
)
