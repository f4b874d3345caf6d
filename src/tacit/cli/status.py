"""`tacit status`, `stats`, `evaluate`, `improve` and `reindex`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from tacit.cli.command import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import SCHEMA_VERSION, JsonObject, counts_json, memory_reference
from tacit.cli.learn import conclusion_json
from tacit.cli.output import echo, echo_json, pluralize, trust_hint
from tacit.learn.sessions import LearnState
from tacit.model.claim import Kind
from tacit.model.memory import Memory
from tacit.text.display import clip, printable
from tacit.vault.embeddings import EncodeResult
from tacit.vault.maintenance import Evaluation, HomeStatus, Improvement
from tacit.vault.suggestions import FrequentItem, Statistics, Week

# tacit evaluate.


def run_evaluate(call: Invocation) -> int:
    call.refuse_args()
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


EVALUATE = Command(
    name="evaluate",
    usage="",
    help="Score how well memory is kept, 0 to 2 a measure, once a day; weak measures become candidates.",
    example="tacit evaluate",
    run=run_evaluate,
    options=(Option("--force", help="again, although there is one of today"), JSON_OPTION),
)


# tacit reindex.

ENCODE_SECONDS = 60  # at most for vectors; the rest is made the next time, and by the hooks of agents


def run_reindex(call: Invocation) -> int:
    call.refuse_args()
    number = call.vault.doctor.reindex()
    echo(f"Made the index and all views again: {number} {'memory' if number == 1 else 'memories'}.")
    echo_encoded(call.vault.embeddings.encode(ENCODE_SECONDS))
    return 0


def echo_encoded(encoded: EncodeResult | None) -> None:
    """A line where the extra is there and had something to do."""
    if encoded and encoded.new:
        echo(f"Meaning: {encoded.new} more texts can be compared, {encoded.total} in all.")


REINDEX = Command(
    name="reindex",
    usage="",
    help="Make the index and all views again from the log. Hand edits of views stay.",
    example="tacit reindex",
    run=run_reindex,
)


# tacit improve.

_MIN_CONVENTION_SESSIONS = 3


def run_improve(call: Invocation) -> int:
    call.refuse_args()
    improvement = call.vault.maintenance.improve(force=call.flag("--force"), least=call.number("--min-count", 2) or 2)
    encoded = call.vault.embeddings.encode(ENCODE_SECONDS)
    if call.flag("--json"):
        echo_json(_improvement_json(improvement))
        return 0
    evaluation = improvement.evaluation
    echo(evaluation_headline(evaluation))
    echo(f"Memory candidates: {len(evaluation.candidates) if evaluation.created else 'not changed'}")
    for memory in evaluation.candidates:
        echo(f"- {printable(memory.claim.sentence)}")
    new = [one for one in improvement.learned if one.state is LearnState.NEW]
    if new:
        echo(f"Learned from sessions: {len(new)}")
        for one in new:
            echo(f"- {printable(one.claim.sentence)} ({one.lesson.kind.label})")
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
    """The exact command, safe to paste: what it quotes cannot end the quotation or hide in the terminal."""
    evidence = clip("; ".join(dict.fromkeys(given.text for given in memory.evidence)), 300)
    told = printable(evidence) or f"observed {memory.strength} times"
    return f"tacit promote {memory.id} --kind {_promoted_kind(memory).label} --evidence {shlex.quote(told)}"


def _promoted_kind(memory: Memory) -> Kind:
    """A decision that was made again and again is how it is done here (C8); a fix stays a fix."""
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
        "learned": [conclusion_json(one) for one in improvement.learned if one.state is LearnState.NEW],
        "merged": [{"id": pair.memory.id, "into": pair.into.id} for pair in improvement.merged],
        "stale": [memory_reference(memory) for memory in improvement.stale],
        "undecided": improvement.undecided,
    }


IMPROVE = Command(
    name="improve",
    usage="",
    help=(
        "Evaluate (once a day), look for candidates that were observed again and again, and for memories that are\n"
        "stale or contradict each other. A pattern is suggested once."
    ),
    example="tacit improve",
    run=run_improve,
    options=(
        Option("--force", help="evaluate again, although there is an evaluation of today"),
        Option("--min-count", "N", "observations that make a pattern (default 2)"),
        JSON_OPTION,
    ),
)


# tacit stats.

_BARS = "▁▂▃▄▅▆▇█"
_MAX_FREQUENT_SHOWN = 5
_HABIT_NOUNS = {
    "preferred_cwd": ("directory", "directories"),
    "recurring_command": ("command", "commands"),
    "workflow_pattern": ("sequence", "sequences"),
    "preference": ("correction", "corrections"),
}


def run_stats(call: Invocation) -> int:
    call.refuse_args()
    found = call.vault.pending.statistics()
    if call.flag("--json"):
        echo_json(_statistics_json(found))
        return 0
    for line in statistics_lines(found):
        echo(line)
    if found.commands:
        review = ": tacit review" if found.pending else ""
        echo(f"Decided   {found.accepted} accepted, {found.dismissed} dismissed, {found.pending} waiting{review}")
    return 0


def statistics_lines(found: Statistics) -> Iterator[str]:
    if not found.commands:
        yield "No commands yet. Let your shell tell: tacit install zsh; or read what it kept: tacit import history"
        return
    shells = ", ".join(f"{printable(name) or 'unknown'} {count:,}" for name, count in found.shells)
    yield f"Commands  {found.commands:,} ({found.failed:,} failed) in {pluralize(found.sessions, 'session')}: {shells}"
    yield f"From      {found.first} to {found.last}, in {pluralize(found.directories, 'directory', 'directories')}"
    since, most = found.weeks[0].monday.isoformat(), _max_week_commands(found.weeks)
    yield f"Weeks     {week_chart(found.weeks)}  since {since}, at most {most:,}"
    yield from _frequent_lines("Most run", found.top_commands)
    yield from _frequent_lines("Most in", found.top_directories)
    yield f"Habits    {', '.join(pluralize(count, *_HABIT_NOUNS[kind]) for kind, count in found.habits)}"


def week_chart(weeks: Sequence[Week]) -> str:
    """One bar a week; an empty week is a dot."""
    most = _max_week_commands(weeks) or 1
    tops = len(_BARS) - 1
    return "".join(_BARS[round(week.commands / most * tops)] if week.commands else "·" for week in weeks)


def _max_week_commands(weeks: Sequence[Week]) -> int:
    return max(week.commands for week in weeks)


def _frequent_lines(title: str, found: Sequence[FrequentItem]) -> Iterator[str]:
    for at, one in enumerate(found[:_MAX_FREQUENT_SHOWN]):
        yield f"{title if at == 0 else '':9} {one.runs:6,} × {printable(clip(one.key, 80))}"


def _statistics_json(found: Statistics) -> JsonObject:
    return {
        "command_count": found.commands,
        "failed_count": found.failed,
        "session_count": found.sessions,
        "directory_count": found.directories,
        "first_day": found.first,
        "last_day": found.last,
        "shells": counts_json(found.shells, "shell"),
        "weeks": [{"day": week.monday.isoformat(), "command_count": week.commands} for week in found.weeks],
        "often": [_frequent_json(one) for one in found.top_commands],
        "places": [_frequent_json(one) for one in found.top_directories],
        "kinds": counts_json(found.habits, "kind"),
        "pending": found.pending,
        "accepted_count": found.accepted,
        "dismissed": found.dismissed,
    }


def _frequent_json(one: FrequentItem) -> JsonObject:
    return {"text": one.key, "run_count": one.runs, "session_count": one.sessions}


STATS = Command(
    name="stats",
    usage="",
    help="What was captured from your shells and what was learned from it, with a bar for each of the last weeks.",
    example="tacit stats",
    run=run_stats,
    options=(JSON_OPTION,),
)


# tacit status.


def run_status(call: Invocation) -> int:
    call.refuse_args()
    now = call.vault.maintenance.status()
    if call.flag("--json"):
        echo_json(_status_json(now))
        return 0
    echo(f"Home      {printable(now.home)} ({now.log_bytes:,} bytes of log)")
    echo(f"Project   {printable(now.project) if now.project else 'none here; what you add is global'}")
    echo(f"Memories  {now.active} active, {now.forgotten} forgotten")
    if now.kinds:
        echo("          " + ", ".join(f"{number} {kind}" for kind, number in now.kinds))
    waiting = pluralize(now.pending, "candidate")
    echo(f"Review    {waiting} to decide{': tacit review' if now.pending else ''}, {now.dismissed} dismissed")
    if now.untrusted:
        echo(f"Trust     {trust_hint(now.untrusted)}")
    if now.undecided:
        echo(f"Conflicts {now.undecided} memories no rule decides on: tacit conflicts")
    echo(f"Worklog   {now.worklog} {'entry' if now.worklog == 1 else 'entries'}")
    echo(f"Sessions  {now.sessions:,}{': tacit sessions' if now.sessions else ''}")
    if now.spooled or now.dropped:
        echo(f"Commands  {now.spooled:,} wait to be recorded, {now.dropped:,} lost: tacit doctor")
    echo(f"Recall    {pluralize(now.asked, 'question')}, {now.missed} without an answer")
    echo(f"Evaluated {now.evaluated or 'never: tacit improve'}")
    return 0


def _status_json(now: HomeStatus) -> JsonObject:
    numbers = ("active", "pending", "forgotten", "dismissed", "worklog", "undecided", "asked", "missed", "log_bytes")
    return {
        "schema": SCHEMA_VERSION,
        "home": now.home,
        "project": now.project,
        **{name: getattr(now, name) for name in (*numbers, "spooled", "dropped", "untrusted")},
        "kinds": counts_json(now.kinds, "kind"),
        "session_count": now.sessions,
        "evaluated": now.evaluated,
    }


STATUS = Command(
    name="status",
    usage="",
    help="One screen: what is remembered, what waits for you, how it is doing.",
    example="tacit status",
    run=run_status,
    options=(JSON_OPTION,),
)
