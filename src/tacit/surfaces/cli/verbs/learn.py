"""tacit learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.core.errors import WrongUse
from tacit.core.gist import one_line
from tacit.core.text import show
from tacit.index.sessions import Row
from tacit.learn.talk.learnt import Learnt, Said
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.words import counted, say, say_json, warn
from tacit.vault.conversations.concluding import RECORDED, Conclusion, Learn, State

_CHOICES = ("--session", "--since", "--all")
_MARKS = {State.AGAIN: " (again)", State.ACCEPTED: " (accepted)"}


def run(call: Call) -> int:
    call.no_words()
    given = [name for name in _CHOICES if call.flag(name)]
    if len(given) > 1:
        raise WrongUse(f"{given[0]} and {given[1]} exclude each other", "tacit learn --since 7d")
    rows = call.vault.sessions_to_learn(
        session=call.value("--session"), since=call.value("--since"), everything=call.flag("--all")
    )
    dry_run = call.flag("--dry-run")
    if call.flag("--show-prompt"):
        return _show_prompts(call, rows, dry_run)
    also = _model(call)
    found = [one for row in rows for one in call.vault.learn_from_session(row, dry_run=dry_run, also=also)]
    if call.flag("--json"):
        say_json([_json(one) for one in found])
        return 0
    for line in _told(found, len(rows), dry_run):
        say(line)
    return 0


def _show_prompts(call: Call, rows: Sequence[Row], dry_run: bool) -> int:
    """Exactly what would be sent, and nothing is."""
    if not dry_run:
        raise WrongUse("--show-prompt goes with --dry-run", "tacit learn --dry-run --show-prompt")
    for row in rows:
        if prompt := call.vault.model_prompt(call.vault.said_in(row)):
            for line in prompt.split("\n"):
                say(show(line))
    return 0


def _model(call: Call) -> Learn | None:
    """The model that was named, as one more learner; what goes wrong with it is told and costs nothing else."""
    name = call.value("--model")
    if name is None:
        return None
    call.vault.must_have_model(name)

    def learn(said: Sequence[Said]) -> Sequence[Learnt]:
        outcome = call.vault.model_findings(said, name)
        if outcome.problem:
            warn(f"model: {show(outcome.problem)}")
        else:
            budget = call.vault.model_budget()
            spent = f"{counted(outcome.tokens, 'token')}; today {budget.spent:,} of {budget.per_day:,}"
            warn(f"model: {counted(len(outcome.findings), 'finding')} for {spent}")
        return outcome.findings

    return learn


def _told(found: Sequence[Conclusion], looked_at: int, dry_run: bool) -> Iterator[str]:
    shown = [one for one in found if one.state in RECORDED]
    for one in shown:
        yield from _card(one)
    seen = f"in {counted(looked_at, 'session')}"
    if not shown:
        yield f"Nothing to suggest {seen}."
        return
    new, taken, again = (sum(one.state is state for one in shown) for state in RECORDED)
    came = counted(new, "suggestion") + (" would come" if dry_run else "") + (f", {taken} accepted" if taken else "")
    yield f"{came}, {again} said again, {seen}" + (". Nothing was changed." if dry_run else ": tacit review")


def _card(one: Conclusion) -> Iterator[str]:
    mark = _MARKS.get(one.state, "")
    yield f"{one.learnt.kind.label}{mark}: {show(one.claim.sentence)}"
    yield f"    “{show(one_line(one.learnt.quote, 160))}”"
    when = f"{one.session.agent}, {one.session.at[:10]}, session {one.session.id[:4]}"
    yield f"    {show(when)}, confidence {one.learnt.confidence:.2f}"
    yield f"    why: {show(one.learnt.reason)}"


def _json(one: Conclusion) -> dict[str, object]:
    return {
        "id": one.claim.id,
        "kind": one.learnt.kind.label,
        "text": one.claim.sentence,
        "quote": one.learnt.quote,
        "session": one.session.id,
        "events": list(one.learnt.evidence),
        "reason": one.learnt.reason,
        "confidence": one.learnt.confidence,
        "state": one.state.value,
    }


COMMAND = Command(
    name="learn",
    words="",
    help=(
        "What your sessions with agents say that should hold on: corrections, rules, decisions, conventions, and what\n"
        "mended a command that failed. Each is a suggestion with the words it comes from, and you decide: tacit\n"
        "review. Without an option it looks at sessions that were not looked at yet."
    ),
    example="tacit learn --dry-run",
    run=run,
    options=(
        Option("--session", "ID", "only this session"),
        Option("--since", "TIME", "only sessions since, for example 7d or 2026-11-15"),
        Option("--all", help="all sessions, also those that were looked at before"),
        Option("--model", "NAME", "also ask this model of the llm library; see docs/guides/model.md"),
        Option("--dry-run", help="only show what would be suggested"),
        Option("--show-prompt", help="with --dry-run: print what a model would be sent, and send nothing"),
        JSON,
    ),
)
