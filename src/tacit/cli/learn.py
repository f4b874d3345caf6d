"""tacit learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject
from tacit.cli.output import echo, echo_json, pluralize, warn
from tacit.errors import UsageError
from tacit.index.sessions import SessionRow
from tacit.learn.llm.run import ModelOutcome
from tacit.learn.sessions import RECORDED_STATES, LearnResult, LearnState
from tacit.text.display import printable
from tacit.text.summarize import one_line

_SELECTION_OPTIONS = ("--session", "--since", "--all")
_STATE_MARKS = {LearnState.REPEATED: " (again)", LearnState.ACCEPTED: " (accepted)"}


def run_learn(call: Invocation) -> int:
    call.refuse_args()
    given = [name for name in _SELECTION_OPTIONS if call.flag(name)]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} exclude each other", "tacit learn --since 7d")
    if call.flag("--show-prompt"):
        return _show_prompts(call)
    model = _chosen_model(call)
    rows = _selected_sessions(call, model)
    learned = _learn_by_model(model, rows, call) if model else _learn_by_rules(rows, call)
    found = _mark_repeats(learned)
    if call.flag("--json"):
        echo_json([conclusion_json(one) for one in found])
        return 0
    for line in _report_lines(found, len(rows), call.flag("--dry-run")):
        echo(line)
    return 0


def _mark_repeats(learned: Iterable[LearnResult]) -> list[LearnResult]:
    """Who only looks sees a thing that several sessions say as new in the first of them."""
    seen: set[str] = set()
    found = []
    for one in learned:
        again = one.state is LearnState.NEW and one.claim.id in seen
        found.append(one._replace(state=LearnState.REPEATED) if again else one)
        seen.add(one.claim.id)
    return found


def _selected_sessions(call: Invocation, model: str = "") -> list[SessionRow]:
    return call.vault.sessions.sessions_to_learn(
        session=call.value("--session"), since=call.value("--since"), everything=call.flag("--all"), model=model
    )


def _show_prompts(call: Invocation) -> int:
    """Exactly what would be sent, and nothing is."""
    if not call.flag("--dry-run"):
        raise UsageError("--show-prompt goes with --dry-run", "tacit learn --dry-run --show-prompt")
    for row in reversed(_selected_sessions(call, call.value("--model") or call.vault.model.model_name)):
        if prompt := call.vault.model.model_prompt(call.vault.learning.session_events(row)):
            for line in prompt.split("\n"):
                echo(printable(line))
    return 0


def _chosen_model(call: Invocation) -> str:
    """The model that is asked, if any: the one that was named for once, else the one that was chosen for good. Who only
    looks spends nothing on one that they did not name."""
    named = call.value("--model")
    if named is not None:
        if named:
            call.vault.model.must_have_model(named)
        return named
    chosen = "" if call.flag("--dry-run") else call.vault.model.model_name
    if chosen and (problem := call.vault.model.model_problem(chosen)):
        warn(f"model: {printable(problem)}")
        return ""
    return chosen


def _learn_by_rules(rows: Sequence[SessionRow], call: Invocation) -> Iterator[LearnResult]:
    for row in rows:
        yield from call.vault.learning.learn_from_session(row, dry_run=call.flag("--dry-run"))


def _learn_by_model(model: str, rows: Sequence[SessionRow], call: Invocation) -> Iterator[LearnResult]:
    """What needs no model comes first and in order, since the newer word wins. Then a model reads the latest sessions
    first, as far as it may today; the others wait for it."""
    dry_run, waiting = call.flag("--dry-run"), list(rows)
    if not dry_run:
        yield from _learn_by_rules(_selected_sessions(call), call)
    while waiting:
        row = waiting.pop()
        read = call.vault.model.model_findings(call.vault.learning.session_events(row), model)
        _warn_model_result(read, row, call)
        yield from call.vault.learning.learn_from_session(row, dry_run=dry_run, read=read)
        if read.problem and not read.tokens:  # it was not even asked, and so it is with the next
            break
    if waiting:
        warn(f"model: {pluralize(len(waiting), 'session')} more wait for it: tacit learn")
    if dry_run:
        yield from _learn_by_rules(waiting, call)


def _warn_model_result(read: ModelOutcome, row: SessionRow, call: Invocation) -> None:
    """What a model answered and cost; what goes wrong with it costs nothing else."""
    if read.problem:
        warn(f"model: {printable(read.problem)}")
        return
    budget = call.vault.model.model_budget()
    spent = f"{pluralize(read.tokens, 'token')}; today {budget.spent:,} of {budget.per_day:,}"
    warn(f"model: {pluralize(len(read.findings), 'finding')} for {spent}")
    if read.summary:
        warn(f"model: session {row.id[:4]}: {printable(read.summary)}")


def _report_lines(found: Sequence[LearnResult], looked_at: int, dry_run: bool) -> Iterator[str]:
    shown = [one for one in found if one.state in RECORDED_STATES]
    for one in shown:
        yield from _conclusion_lines(one)
    seen = f"in {pluralize(looked_at, 'session')}"
    if not shown:
        yield f"Nothing to suggest {seen}."
        return
    new, taken, again = (sum(one.state is state for one in shown) for state in RECORDED_STATES)
    came = pluralize(new, "suggestion") + (" would come" if dry_run else "") + (f", {taken} accepted" if taken else "")
    yield f"{came}, {again} said again, {seen}" + (". Nothing was changed." if dry_run else ": tacit review")


def _conclusion_lines(one: LearnResult) -> Iterator[str]:
    mark = _STATE_MARKS.get(one.state, "")
    yield f"{one.lesson.kind.label}{mark}: {printable(one.claim.sentence)}"
    yield f"    “{printable(one_line(one.lesson.quote, 160))}”"
    when = f"{one.session.agent}, {one.session.at[:10]}, session {one.session.id[:4]}"
    yield f"    {printable(when)}, confidence {one.lesson.confidence:.2f}"
    yield f"    why: {printable(one.lesson.reason)}"


def conclusion_json(one: LearnResult) -> JsonObject:
    return {
        "id": one.claim.id,
        "kind": one.lesson.kind.label,
        "scope": one.claim.scope,
        "text": one.claim.sentence,
        "quote": one.lesson.quote,
        "session": one.session.id,
        "event_ids": list(one.lesson.evidence),
        "reason": one.lesson.reason,
        "confidence": one.lesson.confidence,
        "state": one.state.value,
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
