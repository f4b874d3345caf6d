"""tacit learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.json_forms import Form
from tacit.cli.output import counted, say, say_json, warn
from tacit.errors import WrongUse
from tacit.index.sessions import Row
from tacit.learn.llm.run import ModelOutcome
from tacit.learn.sessions import RECORDED, Conclusion, State
from tacit.text.display import show
from tacit.text.summarize import one_line

_CHOICES = ("--session", "--since", "--all")
_MARKS = {State.AGAIN: " (again)", State.ACCEPTED: " (accepted)"}


def run_learn(call: Call) -> int:
    call.no_words()
    given = [name for name in _CHOICES if call.flag(name)]
    if len(given) > 1:
        raise WrongUse(f"{given[0]} and {given[1]} exclude each other", "tacit learn --since 7d")
    if call.flag("--show-prompt"):
        return _show_prompts(call)
    model = _model(call)
    rows = _rows(call, model)
    learned = _read_by(model, rows, call) if model else _without_model(rows, call)
    found = _each_once(learned)
    if call.flag("--json"):
        say_json([conclusion_form(one) for one in found])
        return 0
    for line in _told(found, len(rows), call.flag("--dry-run")):
        say(line)
    return 0


def _each_once(learned: Iterable[Conclusion]) -> list[Conclusion]:
    """Who only looks sees a thing that several sessions say as new in the first of them."""
    seen: set[str] = set()
    found = []
    for one in learned:
        again = one.state is State.NEW and one.claim.id in seen
        found.append(one._replace(state=State.AGAIN) if again else one)
        seen.add(one.claim.id)
    return found


def _rows(call: Call, model: str = "") -> list[Row]:
    return call.vault.sessions.sessions_to_learn(
        session=call.value("--session"), since=call.value("--since"), everything=call.flag("--all"), model=model
    )


def _show_prompts(call: Call) -> int:
    """Exactly what would be sent, and nothing is."""
    if not call.flag("--dry-run"):
        raise WrongUse("--show-prompt goes with --dry-run", "tacit learn --dry-run --show-prompt")
    for row in reversed(_rows(call, call.value("--model") or call.vault.model.model_name)):
        if prompt := call.vault.model.model_prompt(call.vault.learning.said_in(row)):
            for line in prompt.split("\n"):
                say(show(line))
    return 0


def _model(call: Call) -> str:
    """The model that is asked, if any: the one that was named for once, else the one that was chosen for good. Who only
    looks spends nothing on one that they did not name."""
    named = call.value("--model")
    if named is not None:
        if named:
            call.vault.model.must_have_model(named)
        return named
    chosen = "" if call.flag("--dry-run") else call.vault.model.model_name
    if chosen and (problem := call.vault.model.model_problem(chosen)):
        warn(f"model: {show(problem)}")
        return ""
    return chosen


def _without_model(rows: Sequence[Row], call: Call) -> Iterator[Conclusion]:
    for row in rows:
        yield from call.vault.learning.learn_from_session(row, dry_run=call.flag("--dry-run"))


def _read_by(model: str, rows: Sequence[Row], call: Call) -> Iterator[Conclusion]:
    """What needs no model comes first and in order, since the newer word wins. Then a model reads the latest sessions
    first, as far as it may today; the others wait for it."""
    dry_run, waiting = call.flag("--dry-run"), list(rows)
    if not dry_run:
        yield from _without_model(_rows(call), call)
    while waiting:
        row = waiting.pop()
        read = call.vault.model.model_findings(call.vault.learning.said_in(row), model)
        _tell(read, row, call)
        yield from call.vault.learning.learn_from_session(row, dry_run=dry_run, read=read)
        if read.problem and not read.tokens:  # it was not even asked, and so it is with the next
            break
    if waiting:
        warn(f"model: {counted(len(waiting), 'session')} more wait for it: tacit learn")
    if dry_run:
        yield from _without_model(waiting, call)


def _tell(read: ModelOutcome, row: Row, call: Call) -> None:
    """What a model answered and cost; what goes wrong with it costs nothing else."""
    if read.problem:
        warn(f"model: {show(read.problem)}")
        return
    budget = call.vault.model.model_budget()
    spent = f"{counted(read.tokens, 'token')}; today {budget.spent:,} of {budget.per_day:,}"
    warn(f"model: {counted(len(read.findings), 'finding')} for {spent}")
    if read.summary:
        warn(f"model: session {row.id[:4]}: {show(read.summary)}")


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


def conclusion_form(one: Conclusion) -> Form:
    return {
        "id": one.claim.id,
        "kind": one.learnt.kind.label,
        "scope": one.claim.scope,
        "text": one.claim.sentence,
        "quote": one.learnt.quote,
        "session": one.session.id,
        "event_ids": list(one.learnt.evidence),
        "reason": one.learnt.reason,
        "confidence": one.learnt.confidence,
        "state": one.state.value,
    }


LEARN = Command(
    name="learn",
    words="",
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
        JSON,
    ),
)
