"""tacit evaluate."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, reference
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.tending import Evaluation


def run(call: Call) -> int:
    call.no_words()
    evaluation = call.vault.maintenance.evaluate(force=call.flag("--force"))
    if call.flag("--json"):
        say_json(evaluation_form(evaluation))
        return 0
    say(headline(evaluation))
    for score in evaluation.result.scores:
        say(f"- {show(score.name)}: {score.points}/2, {show(score.reason)}")
    for memory in evaluation.candidates:
        say(f"  candidate: {show(memory.claim.sentence)}")
    return 0


def headline(evaluation: Evaluation) -> str:
    return f"Evaluation: {'created' if evaluation.created else 'unchanged'} ({show(evaluation.path)})"


def evaluation_form(evaluation: Evaluation) -> Form:
    return {
        "day": evaluation.result.day,
        "path": evaluation.path,
        "created": evaluation.created,
        "scores": [score._asdict() for score in evaluation.result.scores],
        "candidates": [reference(memory) for memory in evaluation.candidates],
    }


COMMAND = Command(
    name="evaluate",
    words="",
    help="Score how well memory is kept, 0 to 2 a measure, once a day; weak measures become candidates.",
    example="tacit evaluate",
    run=run,
    options=(Option("--force", help="again, although there is one of today"), JSON),
)
