"""`tacit improve`: evaluate memory, and find what is worth accepting, merging or forgetting."""

from __future__ import annotations

import shlex

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, memory_reference
from tacit.cli.learn import conclusion_json
from tacit.cli.output import ENCODE_SECONDS, echo, echo_encoded, echo_json
from tacit.learn.sessions import LearnState
from tacit.model.claim import Kind
from tacit.model.memory import Memory
from tacit.text.display import clip, printable
from tacit.vault.maintenance import Evaluation, Improvement

# Evaluations


def _evaluate(call: Invocation) -> int:
    evaluation = call.vault.maintenance.evaluate(force=call.flag("--force"))
    if call.flag("--json"):
        echo_json(evaluation_json(evaluation))
        return 0
    echo(evaluation_headline(evaluation))
    for score in evaluation.result.scores:
        echo(f"- {printable(score.name)}: {score.points}/2, {printable(score.reason)}")
    for memory in evaluation.candidates:
        echo(f"  candidate: {printable(memory.claim.sentence)}")
    return 0


def evaluation_headline(evaluation: Evaluation) -> str:
    return f"Evaluation: {'created' if evaluation.created else 'unchanged'} ({printable(evaluation.path)})"


def evaluation_json(evaluation: Evaluation) -> JsonObject:
    return {
        "day": evaluation.result.day,
        "path": evaluation.path,
        "created": evaluation.created,
        "scores": [score._asdict() for score in evaluation.result.scores],
        "candidates": [memory_reference(memory) for memory in evaluation.candidates],
    }


# tacit improve

_MIN_CONVENTION_SESSIONS = 3


def run_improve(call: Invocation) -> int:
    call.refuse_args()
    if call.flag("--evaluate"):
        return _evaluate(call)
    improvement = call.vault.maintenance.improve(
        force=call.flag("--force"), min_count=call.number("--min-count", 2) or 2
    )
    encoded = call.vault.embeddings.encode(ENCODE_SECONDS)
    if call.flag("--json"):
        echo_json(_improvement_json(improvement))
        return 0
    evaluation = improvement.evaluation
    echo(evaluation_headline(evaluation))
    echo(f"Memory candidates: {len(evaluation.candidates) if evaluation.created else 'not changed'}")
    for memory in evaluation.candidates:
        echo(f"- {printable(memory.claim.sentence)}")
    new = [result for result in improvement.learned if result.state is LearnState.NEW]
    if new:
        echo(f"Learned from sessions: {len(new)}")
        for result in new:
            echo(f"- {printable(result.claim.sentence)} ({result.lesson.kind.label})")
    if improvement.merged:
        echo(f"The same in other words, now one: {len(improvement.merged)}")
        for pair in improvement.merged:
            echo(f"- {printable(pair.memory.claim.sentence)} → {printable(pair.into.claim.sentence)}")
            echo(f"  Take it back: tacit undo {pair.memory.id}")
    echo(f"Pattern suggestions: {len(improvement.patterns)}")
    for memory in improvement.patterns:
        echo(f"- {printable(memory.claim.sentence)} ({memory.strength} observations)")
        echo(f"  Promote: {promote_command(memory)}")
    if improvement.stale:
        echo(f"Not confirmed for long: {len(improvement.stale)}")
        for memory in improvement.stale[:5]:
            echo(f"- {printable(memory.claim.sentence)} (since {memory.day})")
            echo(f"  Forget: tacit forget {memory.id} --reason 'out of date' --evidence 'tacit improve'")
    if improvement.undecided:
        echo(f"Undecided conflicts: {improvement.undecided} memories; see: tacit conflicts")
    echo_encoded(encoded)
    return 0


def promote_command(memory: Memory) -> str:
    """Return the command to promote a memory, safe to paste: quoted, without characters that a terminal hides."""
    evidence = clip("; ".join(dict.fromkeys(item.text for item in memory.evidence)), 300)
    evidence_text = printable(evidence) or f"observed {memory.strength} times"
    return f"tacit promote {memory.id} --kind {_promoted_kind(memory).label} --evidence {shlex.quote(evidence_text)}"


def _promoted_kind(memory: Memory) -> Kind:
    """Return the kind to promote to: a decision of several sessions becomes a convention (C8), a fix stays a fix."""
    if memory.kind is Kind.DECISION and len(memory.sessions) >= _MIN_CONVENTION_SESSIONS:
        return Kind.CONVENTION
    return memory.kind if memory.kind in (Kind.KNOWN_FIX, Kind.CONVENTION, Kind.CONSTRAINT) else Kind.PATTERN


def _improvement_json(improvement: Improvement) -> JsonObject:
    return {
        "evaluation": evaluation_json(improvement.evaluation),
        "patterns": [
            {**memory_reference(memory), "strength": memory.strength, "promote": promote_command(memory)}
            for memory in improvement.patterns
        ],
        "learned": [conclusion_json(result) for result in improvement.learned if result.state is LearnState.NEW],
        "merged": [{"id": pair.memory.id, "into": pair.into.id} for pair in improvement.merged],
        "stale": [memory_reference(memory) for memory in improvement.stale],
        "undecided": improvement.undecided,
    }


IMPROVE = Command(
    name="improve",
    usage="",
    help=(
        "Evaluate (once a day), look for candidates that were observed again and again, and for memories that are\n"
        "stale or contradict each other. A pattern is suggested once. The evaluation scores how well memory is kept,\n"
        "0 to 2 for each measure; weak measures become candidates."
    ),
    example="tacit improve",
    run=run_improve,
    options=(
        Option("--evaluate", help="only evaluate"),
        Option("--force", help="evaluate again, although there is an evaluation of today"),
        Option("--min-count", "N", "observations that make a pattern (default 2)"),
        JSON_OPTION,
    ),
)
