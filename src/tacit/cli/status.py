"""`tacit status`, `stats`, `evaluate`, `improve` and `reindex`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.json_forms import SCHEMA, Form, counts, reference
from tacit.cli.learn import conclusion_form
from tacit.cli.output import counted, say, say_json, waiting_for_trust
from tacit.learn.sessions import State
from tacit.model.claim import Kind
from tacit.model.memory import Memory
from tacit.text.display import clip, show
from tacit.vault.embeddings import Encoded
from tacit.vault.maintenance import Evaluation, Improvement, Overview
from tacit.vault.suggestions import Often, Statistics, Week

# tacit evaluate.


def run_evaluate(call: Call) -> int:
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


EVALUATE = Command(
    name="evaluate",
    words="",
    help="Score how well memory is kept, 0 to 2 a measure, once a day; weak measures become candidates.",
    example="tacit evaluate",
    run=run_evaluate,
    options=(Option("--force", help="again, although there is one of today"), JSON),
)


# tacit reindex.

SECONDS = 60  # at most for vectors; the rest is made the next time, and by the hooks of agents


def run_reindex(call: Call) -> int:
    call.no_words()
    number = call.vault.doctor.reindex()
    say(f"Made the index and all views again: {number} {'memory' if number == 1 else 'memories'}.")
    tell_of_meaning(call.vault.embeddings.encode(SECONDS))
    return 0


def tell_of_meaning(encoded: Encoded | None) -> None:
    """A line where the extra is there and had something to do."""
    if encoded and encoded.new:
        say(f"Meaning: {encoded.new} more texts can be compared, {encoded.all} in all.")


REINDEX = Command(
    name="reindex",
    words="",
    help="Make the index and all views again from the log. Hand edits of views stay.",
    example="tacit reindex",
    run=run_reindex,
)


# tacit improve.

_OFTEN = 3


def run_improve(call: Call) -> int:
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


IMPROVE = Command(
    name="improve",
    words="",
    help=(
        "Evaluate (once a day), look for candidates that were observed again and again, and for memories that are\n"
        "stale or contradict each other. A pattern is suggested once."
    ),
    example="tacit improve",
    run=run_improve,
    options=(
        Option("--force", help="evaluate again, although there is an evaluation of today"),
        Option("--min-count", "N", "observations that make a pattern (default 2)"),
        JSON,
    ),
)


# tacit stats.

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 5
_HABITS = {
    "preferred_cwd": ("directory", "directories"),
    "recurring_command": ("command", "commands"),
    "workflow_pattern": ("sequence", "sequences"),
    "preference": ("correction", "corrections"),
}


def run_stats(call: Call) -> int:
    call.no_words()
    found = call.vault.pending.statistics()
    if call.flag("--json"):
        say_json(_statistics_form(found))
        return 0
    for line in lines(found):
        say(line)
    if found.commands:
        review = ": tacit review" if found.waiting else ""
        say(f"Decided   {found.accepted} accepted, {found.dismissed} dismissed, {found.waiting} waiting{review}")
    return 0


def lines(found: Statistics) -> Iterator[str]:
    if not found.commands:
        yield "No commands yet. Let your shell tell: tacit install zsh; or read what it kept: tacit import history"
        return
    shells = ", ".join(f"{show(name) or 'unknown'} {count:,}" for name, count in found.shells)
    yield f"Commands  {found.commands:,} ({found.failed:,} failed) in {counted(found.sessions, 'session')}: {shells}"
    yield f"From      {found.first} to {found.last}, in {counted(found.directories, 'directory', 'directories')}"
    yield f"Weeks     {chart(found.weeks)}  since {found.weeks[0].monday.isoformat()}, at most {_most(found.weeks):,}"
    yield from _often("Most run", found.often)
    yield from _often("Most in", found.places)
    yield f"Habits    {', '.join(counted(count, *_HABITS[kind]) for kind, count in found.habits)}"


def chart(weeks: Sequence[Week]) -> str:
    """One bar a week; an empty week is a dot."""
    most = _most(weeks) or 1
    tops = len(_BARS) - 1
    return "".join(_BARS[round(week.commands / most * tops)] if week.commands else "·" for week in weeks)


def _most(weeks: Sequence[Week]) -> int:
    return max(week.commands for week in weeks)


def _often(title: str, found: Sequence[Often]) -> Iterator[str]:
    for at, one in enumerate(found[:_SHOWN]):
        yield f"{title if at == 0 else '':9} {one.runs:6,} × {show(clip(one.key, 80))}"


def _statistics_form(found: Statistics) -> Form:
    return {
        "command_count": found.commands,
        "failed_count": found.failed,
        "session_count": found.sessions,
        "directory_count": found.directories,
        "first_day": found.first,
        "last_day": found.last,
        "shells": counts(found.shells, "shell"),
        "weeks": [{"day": week.monday.isoformat(), "command_count": week.commands} for week in found.weeks],
        "often": [_often_form(one) for one in found.often],
        "places": [_often_form(one) for one in found.places],
        "kinds": counts(found.habits, "kind"),
        "pending": found.waiting,
        "accepted_count": found.accepted,
        "dismissed": found.dismissed,
    }


def _often_form(one: Often) -> Form:
    return {"text": one.key, "run_count": one.runs, "session_count": one.sessions}


STATS = Command(
    name="stats",
    words="",
    help="What was captured from your shells and what was learned from it, with a bar for each of the last weeks.",
    example="tacit stats",
    run=run_stats,
    options=(JSON,),
)


# tacit status.


def run_status(call: Call) -> int:
    call.no_words()
    now = call.vault.maintenance.status()
    if call.flag("--json"):
        say_json(_status_form(now))
        return 0
    say(f"Home      {show(now.home)} ({now.log_bytes:,} bytes of log)")
    say(f"Project   {show(now.project) if now.project else 'none here; what you add is global'}")
    say(f"Memories  {now.active} active, {now.forgotten} forgotten")
    if now.kinds:
        say("          " + ", ".join(f"{number} {kind}" for kind, number in now.kinds))
    waiting = counted(now.pending, "candidate")
    say(f"Review    {waiting} to decide{': tacit review' if now.pending else ''}, {now.dismissed} dismissed")
    if now.untrusted:
        say(f"Trust     {waiting_for_trust(now.untrusted)}")
    if now.undecided:
        say(f"Conflicts {now.undecided} memories no rule decides on: tacit conflicts")
    say(f"Worklog   {now.worklog} {'entry' if now.worklog == 1 else 'entries'}")
    say(f"Sessions  {now.sessions:,}{': tacit sessions' if now.sessions else ''}")
    if now.spooled or now.dropped:
        say(f"Commands  {now.spooled:,} wait to be recorded, {now.dropped:,} lost: tacit doctor")
    say(f"Recall    {counted(now.asked, 'question')}, {now.missed} without an answer")
    say(f"Evaluated {now.evaluated or 'never: tacit improve'}")
    return 0


def _status_form(now: Overview) -> Form:
    numbers = ("active", "pending", "forgotten", "dismissed", "worklog", "undecided", "asked", "missed", "log_bytes")
    return {
        "schema": SCHEMA,
        "home": now.home,
        "project": now.project,
        **{name: getattr(now, name) for name in (*numbers, "spooled", "dropped", "untrusted")},
        "kinds": counts(now.kinds, "kind"),
        "session_count": now.sessions,
        "evaluated": now.evaluated,
    }


STATUS = Command(
    name="status",
    words="",
    help="One screen: what is remembered, what waits for you, how it is doing.",
    example="tacit status",
    run=run_status,
    options=(JSON,),
)
