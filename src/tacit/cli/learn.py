"""`tacit learn` and `tacit improve`: propose what sessions say, and evaluate what is remembered."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from tacit.cli.cards import reference_json
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, echo, echo_lines, echo_wrapped, pluralize, warn
from tacit.index.sessions import SessionRow
from tacit.learn.judge import Judge, JudgeOutcome, client_judge, estimated_tokens, total_dropped
from tacit.learn.judge.clients import CLIENTS
from tacit.learn.sessions import ANY_JUDGE, RECORDED_STATES, LearnResult, LearnState
from tacit.model.claim import Kind, Provenance
from tacit.model.memory import Memory
from tacit.text.display import clip, one_line, printable
from tacit.vault import Vault
from tacit.vault.maintenance import Evaluation, Improvement

_STATE_MARKS = {LearnState.REPEATED: " (again)", LearnState.ACCEPTED: " (accepted)"}
_ANSWERS = "a model that you asked"  # the name of a judge that --answers does not name
_MAX_ANSWER_BYTES = 1 << 20
_NOTICE_SESSIONS = 5  # from which the cost of all is estimated
_MAX_REJECTED = 5  # memories that were not believed and are shown


@command(
    "",
    "tacit learn --agent claude",
    Option("--session", "ID", "only this session"),
    Option("--since", "TIME", "only sessions since, for example 7d or 2026-11-15"),
    Option("--all", help="all sessions, also those that were looked at before"),
    Option("--agent", "NAME", f"ask this client, '' for none: {', '.join(CLIENTS)}"),
    Option("--model", "NAME", "ask this model of the llm library, '' for none; with --agent: the client's model"),
    Option("--show-prompt", help="print the question about sessions that nobody judged yet, and send nothing"),
    Option("--answers", "FILE", "read the answers to that question from a file, or - for standard input"),
    Option("--dry-run", help="only show what would be suggested"),
    Option("--quiet", help="ask the judge of the settings if that is due today, and print nothing: what hooks start"),
    JSON_OPTION,
)
def run_learn(call: Invocation) -> int:
    """What your sessions with agents say that should hold on: corrections, rules, decisions, conventions, and what
    mended a command that failed. Each is a suggestion with the words it comes from, and you decide: tacit
    review. Without an option it looks at sessions that were not looked at yet. A judge finds more: an agent
    that you use anyway (--agent claude), a model of the llm library (--model NAME), or any other model with
    --show-prompt and --answers. It is asked about sessions that it has not judged; in a dry run only if an
    option names it. If it fails, the exit code is 1, and what was learned without it stays.

    With tacit config set learn.when daily, the client of learn.agent is asked one question a day in the background,
    about sessions that ended an hour ago or earlier and that nobody has judged: tacit status says how that went.
    """
    if call.flag("--quiet"):
        from tacit.learn.judge.daily import judge_today

        judge_today(call.vault.home)
        return 0
    for options in (("--session", "--since", "--all"), ("--show-prompt", "--answers")):
        call.only_one(options, "tacit learn --since 7d", "exclude each other")
    if call.flag("--show-prompt"):
        _show_question(call)
        return 0
    problems: list[str] = []
    if call.flag("--answers"):
        rows, found = _learn_by_answers(_selected_sessions(call, _named_judge(call) or ANY_JUDGE), call)
        results = _mark_repeats(found)
    else:
        judge = _chosen_judge(call)
        rows = _selected_sessions(call, judge.name if judge else "")
        results = _mark_repeats(_learn_by_judge(judge, rows, call, problems) if judge else _learn_by_rules(rows, call))
    code = 1 if problems else 0  # what was learned stays, and a script has to know that the judge failed
    if call.shows_json(lambda: [conclusion_json(result) for result in results]):
        return code
    shown = [result for result in results if result.state in RECORDED_STATES]
    for result in shown:
        lesson, session = result.lesson, result.session
        echo(f"{lesson.kind.label}{_STATE_MARKS.get(result.state, '')}: {printable(result.claim.sentence)}")
        echo(f"    “{printable(one_line(lesson.quote, 160))}”")
        source = printable(f"{session.agent}, {session.ended_at[:10]}, session {session.id[:4]}")
        is_measured = lesson.provenance is Provenance.USER_DIRECT
        echo(f"    {source}, confidence {lesson.confidence:.2f}" if is_measured else f"    {source}")
        echo(f"    why: {printable(lesson.reason)}")
        if lesson.contradicts:
            echo(f"    may contradict {lesson.contradicts[:6]}: tacit show {lesson.contradicts[:6]}")
    where = f"in {pluralize(len(rows), 'session')}"
    if not shown:
        echo(f"Nothing to suggest {where}.")
        _echo_notice(call, code)
        return code
    new, accepted, again = (sum(result.state is state for result in shown) for state in RECORDED_STATES)
    dry_run, held = call.flag("--dry-run"), f", {accepted} accepted" if accepted else ""
    counts = f"{pluralize(new, 'suggestion')}{' would come' if dry_run else ''}{held}, {again} said again, {where}"
    echo(f"{counts}. Nothing was changed." if dry_run else f"{counts}: tacit review")
    _echo_notice(call, code)
    return code


def _echo_notice(call: Invocation, code: int) -> None:
    """Say whom one could ask about what nobody has judged, unless a judge was asked and failed just now."""
    if not code and not call.flag("--dry-run") and (notice := judge_notice(call.vault)):
        echo_wrapped(notice)


def _mark_repeats(results: Iterable[LearnResult]) -> list[LearnResult]:
    """Mark a claim as new only in the first session that says it. In a dry run it is new in all of them.

    What a judge says of a suggestion that was made just before belongs to that one.
    """
    seen: set[str] = set()
    marked = []
    found = list(results)
    merged = {result.merged.id for result in found if result.merged}
    contradicted = {result.claim.id: result.lesson.contradicts for result in found if result.lesson.contradicts}
    for result in (result for result in found if result.claim.id not in merged):
        is_repeat = result.state is LearnState.NEW and result.claim.id in seen
        lesson = result.lesson._replace(contradicts=contradicted.get(result.claim.id))
        marked.append(result._replace(lesson=lesson, state=LearnState.REPEATED if is_repeat else result.state))
        seen.add(result.claim.id)
    return marked


def _selected_sessions(call: Invocation, judge: str = "") -> list[SessionRow]:
    return call.vault.sessions.sessions_to_learn(
        session=call.value("--session"), since=call.value("--since"), everything=call.flag("--all"), judge=judge
    )


def _learn_by_rules(rows: Sequence[SessionRow], call: Invocation) -> Iterator[LearnResult]:
    if not call.flag("--dry-run"):
        yield from chain.from_iterable(call.vault.learning.learn_from_sessions(rows))
        return
    for row in rows:
        yield from call.vault.learning.learn_from_session(row, dry_run=True)


# With a judge


def _named_judge(call: Invocation) -> str:
    return call.value("--agent") or call.value("--model") or ""


def _chosen_judge(call: Invocation) -> Judge | None:
    """Return the judge to ask: the client of --agent, the model of --model, else that of the settings; None for none.

    A dry run spends nothing on a judge that no option names, and an agent none of what the person chose for themself.
    """
    judging, agent, model = call.vault.judging, call.value("--agent"), call.value("--model")
    if agent or model:
        judge = client_judge(agent, model or "") if agent else Judge(model or "")
        judging.must_be_askable(judge)
        return judge
    if agent is not None or model is not None or call.flag("--dry-run"):
        return None
    configured = judging.configured_judge()
    if configured and configured.is_client and not call.vault.home.store.actor.is_person:
        return None
    if configured and (problem := judging.judge_problem(configured)):
        warn(f"{printable(configured.name)}: {printable(problem)}")
        return None
    return configured


def _show_question(call: Invocation) -> None:
    """Print the first question about sessions that were not judged yet, and send nothing."""
    rows = _selected_sessions(call, _named_judge(call) or ANY_JUDGE)[::-1]
    questions = list(call.vault.judging.questions(rows, may_split=False))
    if not questions:
        warn(f"Nothing to ask about in {pluralize(len(rows), 'session')}.")
        return
    echo_lines(map(printable, questions[0].question.text.split("\n")))
    if len(questions) > 1:
        more = pluralize(len(questions) - 1, "more question")
        warn(f"{more} after the answers to this one: tacit learn --answers FILE")


def _learn_by_judge(
    judge: Judge, rows: Sequence[SessionRow], call: Invocation, problems: list[str]
) -> Iterator[LearnResult]:
    """Yield what is learned without the judge, then what it finds, the latest sessions first. Add its problems."""
    dry_run, judging, latest = call.flag("--dry-run"), call.vault.judging, rows[::-1]
    if not dry_run:
        yield from _learn_by_rules(_selected_sessions(call), call)
    questions = list(judging.questions(latest))
    if questions:
        asked = {row.id for question in questions for row in question.rows}
        cost = f"about {estimated_tokens(questions):,} tokens in {pluralize(len(questions), 'question')}"
        warn(f"Asking {printable(judge.name)} about {pluralize(len(asked), 'session')}: {cost}")
    outcomes: list[JudgeOutcome] = []
    for outcome in judging.judge_sessions(latest, questions, judge):
        outcomes.append(outcome)
        problems += [outcome.problem] if outcome.problem and not outcome.is_put_off else []
        yield from _learn_judged(outcome, call)
    done = {row.id for outcome in outcomes for row, _ in outcome.sessions}
    waiting = [row for row in rows if row.id not in done]
    if questions:
        _warn_receipt(judge.name, outcomes, call)
    if waiting:
        wait = pluralize(len(waiting), "session waits", "sessions wait")
        option = "--agent" if judge.is_client else "--model"
        again = f"tacit learn {option} {shlex.quote(judge.name)}" if call.flag(option) else "tacit learn"
        warn(f"{wait} for {printable(judge.name)}: {again}")
    if dry_run:
        yield from _learn_by_rules(waiting, call)


def _learn_by_answers(
    rows: Sequence[SessionRow], call: Invocation
) -> tuple[Sequence[SessionRow], Sequence[LearnResult]]:
    """Return the sessions that were learned from: what is learned without a judge, and what the answers say."""
    if call.value("--answers") == "-":
        data = sys.stdin.buffer.read(_MAX_ANSWER_BYTES)
    else:
        data = call.file_value("--answers", _MAX_ANSWER_BYTES)
    unlearned = [] if call.flag("--dry-run") else _selected_sessions(call)
    results = list(_learn_by_rules(unlearned, call))
    name = _named_judge(call) or _ANSWERS
    outcome = call.vault.judging.judge_by_answers(rows[::-1], data.decode("utf-8", "replace"), name)
    results += _learn_judged(outcome, call)
    _warn_receipt(name, [outcome], call)
    judged = {row.id: row for row, _ in outcome.sessions}
    return [*judged.values(), *(row for row in unlearned if row.id not in judged)], results


def _learn_judged(outcome: JudgeOutcome, call: Invocation) -> Iterator[LearnResult]:
    for row, judged in outcome.sessions:
        if judged.summary and call.flag("--dry-run"):
            warn(f"session {row.id[:4]}: {printable(judged.summary)}")
        results = call.vault.learning.learn_from_session(row, dry_run=call.flag("--dry-run"), judged=judged)
        recorded = {result.lesson for result in results if result.state in RECORDED_STATES}
        for lesson in judged.findings:
            if lesson not in recorded:
                warn(f"already known, in other words: “{printable(lesson.sentence)}”")
        yield from results


def _warn_receipt(name: str, outcomes: Sequence[JudgeOutcome], call: Invocation) -> None:
    """Print on stderr what a judge found, what that cost, and what went wrong."""
    sessions = [judged for outcome in outcomes for _, judged in outcome.sessions]
    memories = sum(len(judged.findings) for judged in sessions)
    asked, answered = sum(outcome.asked for outcome in outcomes), sum(outcome.answered for outcome in outcomes)
    cost = f" for about {asked + answered:,} tokens (asked {asked:,}, answered {answered:,})" if asked else ""
    found = f"{printable(name)} judged {pluralize(len(sessions), 'session')}"
    summed_up = sum(bool(judged.summary) for judged in sessions)
    if sessions or not any(outcome.problem for outcome in outcomes):
        summaries = f", {summed_up} summed up (tacit sessions)" if summed_up else ""
        warn(f"{found}: {pluralize(memories, 'memory', 'memories')}{summaries}{cost}")
    if dropped := total_dropped(outcomes):
        reasons = ", ".join(f"{reason} ({count})" for reason, count in dropped.most_common())
        warn(f"not believed: {printable(reasons)}")
    rejected = [memory for outcome in outcomes for memory in outcome.rejected]
    for memory in rejected[:_MAX_REJECTED]:
        warn(f"  “{printable(memory.statement)}”: {printable(memory.reason)}")
    for outcome in outcomes:
        if outcome.problem:
            warn(printable(outcome.problem))
    if asked:
        budget = call.vault.judging.budget()
        warn(f"today: {budget.spent:,} of {budget.per_day:,} tokens")


def judge_notice(vault: Vault) -> str:
    """Return a line for a person: how many sessions nobody has judged, whom to ask, about what it costs, and how.

    "" if there are none, or no client to ask.
    """
    clients = vault.judging.installed_clients() if vault.home.store.actor.is_person else []
    rows = vault.sessions.sessions_to_learn(judge=ANY_JUDGE) if clients else []
    if not rows:
        return ""
    chosen = vault.home.settings.learn_agent
    used = [row.agent for row in reversed(rows) if row.agent in clients]
    name = chosen if chosen in clients else (used or clients)[0]
    sample = rows[-_NOTICE_SESSIONS:][::-1]
    tokens = estimated_tokens(list(vault.judging.questions(sample))) * len(rows) // len(sample)
    if not tokens:
        return ""
    have = "has" if len(rows) == 1 else "have"
    asked = f"{pluralize(len(rows), 'session')} {have} not been judged yet: ask {name}? (about {tokens:,} tokens)"
    return f"{asked} Type: tacit learn{'' if name == chosen else f' --agent {name}'}"


def conclusion_json(result: LearnResult) -> JsonObject:
    return {
        **reference_json(result.claim),
        "quote": result.lesson.quote,
        "session": result.session.id,
        "event_ids": list(result.lesson.evidence),
        "reason": result.lesson.reason,
        "confidence": result.lesson.confidence,
        "state": result.state.value,
        "contradicts": [result.lesson.contradicts] if result.lesson.contradicts else [],
    }


def _evaluate(call: Invocation) -> None:
    evaluation = call.vault.maintenance.evaluate(force=call.flag("--force"))
    if call.shows_json(lambda: evaluation_json(evaluation)):
        return
    echo(evaluation_headline(evaluation))
    for score in evaluation.result.scores:
        echo(f"- {printable(score.name)}: {score.points}/2, {printable(score.reason)}")
    for memory in evaluation.candidates:
        echo(f"  candidate: {printable(memory.claim.sentence)}")


def evaluation_headline(evaluation: Evaluation) -> str:
    made = "made again" if evaluation.replaced else "created" if evaluation.created else "unchanged"
    return f"Evaluation: {made} ({printable(evaluation.path)})"


def evaluation_json(evaluation: Evaluation) -> JsonObject:
    return {
        "day": evaluation.result.day,
        "path": evaluation.path,
        "created": evaluation.created,
        "scores": [score._asdict() for score in evaluation.result.scores],
        "candidates": [reference_json(memory.claim) for memory in evaluation.candidates],
    }


_MIN_CONVENTION_SESSIONS = 3


@command(
    "",
    "tacit improve",
    Option("--evaluate", help="only evaluate"),
    Option("--force", help="evaluate again, although there is an evaluation of today"),
    Option("--min-count", "N", "observations that make a pattern (default 2)", least=2),
    JSON_OPTION,
)
def run_improve(call: Invocation) -> None:
    """Evaluate (once a day), look for candidates that were observed again and again, and for memories that are
    stale or contradict each other. A pattern is suggested once. The evaluation scores how well memory is kept,
    0 to 2 for each measure; weak measures become candidates.
    """
    if call.flag("--evaluate"):
        _evaluate(call)
        return
    improvement = call.vault.maintenance.improve(force=call.flag("--force"), min_count=call.number("--min-count") or 2)
    if call.shows_json(lambda: _improvement_json(improvement)):
        return
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
        echo(f"{pluralize(improvement.undecided, 'contradiction')} for you to decide on: tacit conflicts")


def promote_command(memory: Memory) -> str:
    """Return the command to promote a memory, safe to paste: quoted, without characters that a terminal hides."""
    evidence = clip("; ".join(dict.fromkeys(item.text for item in memory.evidence)), 300)
    evidence_text = printable(evidence) or f"observed {memory.strength} times"
    if memory.kind is Kind.DECISION and len(memory.sessions) >= _MIN_CONVENTION_SESSIONS:
        kind = Kind.CONVENTION  # a decision of several sessions (C8)
    else:  # a fix stays a fix
        kind = memory.kind if memory.kind in (Kind.KNOWN_FIX, Kind.CONVENTION, Kind.CONSTRAINT) else Kind.PATTERN
    return f"tacit promote {memory.id} --kind {kind.label} --evidence {shlex.quote(evidence_text)}"


def _improvement_json(improvement: Improvement) -> JsonObject:
    return {
        "evaluation": evaluation_json(improvement.evaluation),
        "patterns": [
            {**reference_json(memory.claim), "strength": memory.strength, "promote": promote_command(memory)}
            for memory in improvement.patterns
        ],
        "learned": [conclusion_json(result) for result in improvement.learned if result.state is LearnState.NEW],
        "merged": [{"id": pair.memory.id, "into": pair.into.id} for pair in improvement.merged],
        "stale": [reference_json(memory.claim) for memory in improvement.stale],
        "undecided": improvement.undecided,
    }
