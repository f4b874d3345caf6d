"""`tacit learn` and `tacit improve`: propose what sessions say, and evaluate what is remembered."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, memory_reference
from tacit.cli.output import ENCODE_SECONDS, echo, echo_encoded, echo_json, pluralize, warn
from tacit.errors import UsageError
from tacit.index.sessions import SessionRow
from tacit.learn.llm.run import ModelOutcome
from tacit.learn.sessions import RECORDED_STATES, LearnResult, LearnState
from tacit.model.claim import Kind
from tacit.model.memory import Memory
from tacit.text.display import clip, one_line, printable
from tacit.vault.maintenance import Evaluation, Improvement

_SELECTION_OPTIONS = ("--session", "--since", "--all")
_STATE_MARKS = {LearnState.REPEATED: " (again)", LearnState.ACCEPTED: " (accepted)"}


def run_learn(call: Invocation) -> int:
    call.refuse_args()
    selections = [name for name in _SELECTION_OPTIONS if call.flag(name)]
    if len(selections) > 1:
        raise UsageError(f"{selections[0]} and {selections[1]} exclude each other", "tacit learn --since 7d")
    if call.flag("--show-prompt"):
        return _show_prompts(call)
    model = _chosen_model(call)
    rows = _selected_sessions(call, model)
    results = _mark_repeats(_learn_by_model(model, rows, call) if model else _learn_by_rules(rows, call))
    if call.flag("--json"):
        echo_json([conclusion_json(result) for result in results])
        return 0
    for line in _report_lines(results, len(rows), call.flag("--dry-run")):
        echo(line)
    return 0


def _mark_repeats(results: Iterable[LearnResult]) -> list[LearnResult]:
    """Mark a claim as new only in the first session that says it. In a dry run it is new in all of them."""
    seen: set[str] = set()
    marked = []
    for result in results:
        is_repeat = result.state is LearnState.NEW and result.claim.id in seen
        marked.append(result._replace(state=LearnState.REPEATED) if is_repeat else result)
        seen.add(result.claim.id)
    return marked


def _selected_sessions(call: Invocation, model: str = "") -> list[SessionRow]:
    return call.vault.sessions.sessions_to_learn(
        session=call.value("--session"), since=call.value("--since"), everything=call.flag("--all"), model=model
    )


def _show_prompts(call: Invocation) -> int:
    """Print exactly what would be sent to a model, and send nothing."""
    if not call.flag("--dry-run"):
        raise UsageError("--show-prompt goes with --dry-run", "tacit learn --dry-run --show-prompt")
    for row in reversed(_selected_sessions(call, call.value("--model") or call.vault.model.model_name)):
        if prompt := call.vault.model.model_prompt(call.vault.learning.session_events(row)):
            for line in prompt.split("\n"):
                echo(printable(line))
    return 0


def _chosen_model(call: Invocation) -> str:
    """Return the model to ask: the one of --model, else that of the settings; "" for none.

    A dry run spends nothing on a model that --model does not name.
    """
    name = call.value("--model")
    if name is not None:
        if name:
            call.vault.model.must_have_model(name)
        return name
    name = "" if call.flag("--dry-run") else call.vault.model.model_name
    if name and (problem := call.vault.model.model_problem(name)):
        warn(f"model: {printable(problem)}")
        return ""
    return name


def _learn_by_rules(rows: Sequence[SessionRow], call: Invocation) -> Iterator[LearnResult]:
    for row in rows:
        yield from call.vault.learning.learn_from_session(row, dry_run=call.flag("--dry-run"))


def _learn_by_model(model: str, rows: Sequence[SessionRow], call: Invocation) -> Iterator[LearnResult]:
    """Learn by rules first, in the order of sessions, because the newest statement wins. Then let a model read the
    latest sessions, as far as today's budget goes; the others wait."""
    dry_run, waiting = call.flag("--dry-run"), list(rows)
    if not dry_run:
        yield from _learn_by_rules(_selected_sessions(call), call)
    while waiting:
        row = waiting.pop()
        outcome = call.vault.model.model_findings(call.vault.learning.session_events(row), model)
        _warn_model_outcome(outcome, row, call)
        yield from call.vault.learning.learn_from_session(row, dry_run=dry_run, read=outcome)
        if outcome.problem and not outcome.tokens:  # it was not even asked, and neither will it be for the next
            break
    if waiting:
        warn(f"model: {pluralize(len(waiting), 'session')} more wait for it: tacit learn")
    if dry_run:
        yield from _learn_by_rules(waiting, call)


def _warn_model_outcome(outcome: ModelOutcome, row: SessionRow, call: Invocation) -> None:
    """Print on stderr what a model found and what that cost. A problem with it is no error."""
    if outcome.problem:
        warn(f"model: {printable(outcome.problem)}")
        return
    budget = call.vault.model.model_budget()
    spent = f"{pluralize(outcome.tokens, 'token')}; today {budget.spent:,} of {budget.per_day:,}"
    warn(f"model: {pluralize(len(outcome.findings), 'finding')} for {spent}")
    if outcome.summary:
        warn(f"model: session {row.id[:4]}: {printable(outcome.summary)}")


def _report_lines(results: Sequence[LearnResult], session_count: int, dry_run: bool) -> Iterator[str]:
    shown = [result for result in results if result.state in RECORDED_STATES]
    for result in shown:
        yield from _conclusion_lines(result)
    where = f"in {pluralize(session_count, 'session')}"
    if not shown:
        yield f"Nothing to suggest {where}."
        return
    new, accepted, again = (sum(result.state is state for result in shown) for state in RECORDED_STATES)
    counts = pluralize(new, "suggestion") + (" would come" if dry_run else "")
    counts += f", {accepted} accepted" if accepted else ""
    yield f"{counts}, {again} said again, {where}" + (". Nothing was changed." if dry_run else ": tacit review")


def _conclusion_lines(result: LearnResult) -> Iterator[str]:
    lesson, session = result.lesson, result.session
    yield f"{lesson.kind.label}{_STATE_MARKS.get(result.state, '')}: {printable(result.claim.sentence)}"
    yield f"    “{printable(one_line(lesson.quote, 160))}”"
    where = f"{session.agent}, {session.ended_at[:10]}, session {session.id[:4]}"
    yield f"    {printable(where)}, confidence {lesson.confidence:.2f}"
    yield f"    why: {printable(lesson.reason)}"


def conclusion_json(result: LearnResult) -> JsonObject:
    return {
        "id": result.claim.id,
        "kind": result.lesson.kind.label,
        "scope": result.claim.scope,
        "text": result.claim.sentence,
        "quote": result.lesson.quote,
        "session": result.session.id,
        "event_ids": list(result.lesson.evidence),
        "reason": result.lesson.reason,
        "confidence": result.lesson.confidence,
        "state": result.state.value,
    }


LEARN = Command(
    name="learn",
    usage="",
    help=(
        "What your sessions with agents say that should hold on: corrections, rules, decisions, conventions, and what\n"
        "mended a command that failed. Each is a suggestion with the words it comes from, and you decide: tacit\n"
        "review. Without an option it looks at sessions that were not looked at yet. The model that model.name\n"
        "names, if any, is asked about sessions that it has not read; in a dry run only one that --model names is."
    ),
    example="tacit learn --dry-run",
    run=run_learn,
    options=(
        Option("--session", "ID", "only this session"),
        Option("--since", "TIME", "only sessions since, for example 7d or 2026-11-15"),
        Option("--all", help="all sessions, also those that were looked at before"),
        Option("--model", "NAME", "ask this model of the llm library for once, '' for none; see docs/guides/model.md"),
        Option("--dry-run", help="only show what would be suggested"),
        Option("--show-prompt", help="with --dry-run: print what a model would be sent, and send nothing"),
        JSON_OPTION,
    ),
)


# `tacit improve`

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
