"""`tacit check`: which memories the work tree contradicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tacit.cli import cards, output
from tacit.cli.commands import JSON_OPTION, Invocation, Option, command
from tacit.cli.output import dim, echo, echo_wrapped, pluralize
from tacit.cli.review import card_json
from tacit.errors import UsageError
from tacit.model.conditions import State, TreeVerdict
from tacit.text.display import clip, printable
from tacit.vault.conditions import CheckedMemory, RedMemory
from tacit.vault.listing import ListedMemory

_MAX_SUBJECT_CHARS = 70


@command(
    "[ID]",
    "tacit check",
    Option("--all", help="also what is green or unknown, with the reason"),
    Option("--keep", help="keep the memory ID although the work tree says otherwise; you are not asked about it again"),
    JSON_OPTION,
)
def run_check(call: Invocation) -> int:
    """Look up in this work tree what the memories of the project say: paths, scripts, targets, recipes and branches
    that they name, versions in pin and lock files, the package manager that scripts and CI files use, texts that
    must not occur below a folder, and options in the --help of programs that you allow (tacit config set
    check.programs uv,gh). Nothing else is run.

    Red ones come first, with the commit since which the work tree says otherwise, and what to type next. What cannot
    be looked up with certainty is unknown. With an ID, that memory alone, with all its conditions.

    The exit code is 1 if something is red, else 0.
    """
    conditions = call.vault.conditions
    wanted = call.vault.search.show(call.vault.search.meant(call.text())).memory.id if call.args else None
    if call.flag("--keep") and wanted is None:
        raise call.usage_error("an ID with --keep")
    checked = conditions.check_all()
    red = [one for one in conditions.red(checked) if wanted in (None, one.listed.memory.id)]
    if call.flag("--keep"):
        return _keep(call, red)
    if wanted:
        entries = [*conditions.marked([call.vault.search.show(wanted)])]
    else:
        everything = call.flag("--all") or call.flag("--json")
        shown = sorted((one for one in checked if everything or one.is_red), key=_order)
        entries = [call.vault.search.show(one.memory.id)._replace(verdict=one.verdict) for one in shown]
    if call.shows_json(lambda: [_check_json(one, red) for one in entries]):
        return 1 if red else 0
    if call.vault.home.store.project is None:
        echo("This folder is in no project: there is no work tree to look at.")
        return 0
    for one in red:
        echo_wrapped(*_red_lines(one))
    for each in entries:
        if each.verdict and each.verdict.state is not State.RED:
            echo_wrapped(*_other_lines(each, each.verdict))
    if not wanted:
        counts = Counter(one.verdict.state for one in checked)
        numbers = f"{counts[State.RED]} red, {counts[State.GREEN]} green, {counts[State.UNKNOWN]} unknown"
        hint = "" if call.flag("--all") or not checked else ": tacit check --all"
        echo(f"{pluralize(len(checked), 'memory', 'memories')} of this project: {numbers}{hint}")
    return 1 if red else 0


def _order(checked: CheckedMemory) -> int:
    return (State.RED, State.GREEN, State.UNKNOWN).index(checked.verdict.state)


def _keep(call: Invocation, red: list[RedMemory]) -> int:
    """Keep a red memory: what it says now is not asked about again."""
    if not red:
        raise UsageError("that memory is not red: there is nothing to keep it despite", "tacit check")
    (one,) = red
    names = [condition.text for condition in one.missing]
    echo(cards.outcome_line("Kept", call.vault.memories.keep_despite(one.listed.memory.id, names)))
    return 0


def _red_lines(red: RedMemory) -> Iterator[str]:
    memory, short = red.listed.memory, red.listed.short
    yield f"{output.red('red')}  {output.cyan(f'[{short}]')} {printable(memory.claim.sentence)}"
    for condition in red.missing:
        subject = f" “{clip(condition.commit.subject, _MAX_SUBJECT_CHARS)}”" if condition.commit else ""
        since = f", {condition.since}{subject}" if condition.commit else ""
        yield f"     {printable(f'{condition.why}{since}')}"
    yield dim(f'     tacit edit {short} --text "…"   tacit forget {short}   tacit check {short} --keep')


def _other_lines(listed: ListedMemory, verdict: TreeVerdict) -> Iterator[str]:
    mark = cards.tree_mark(verdict.state)
    yield f"{mark}  {output.cyan(f'[{listed.short}]')} {printable(listed.memory.claim.sentence)}"
    if verdict.state is State.UNKNOWN:
        yield dim(f"     {printable(verdict.why)}")
    for one in verdict.conditions if verdict.state is State.GREEN else ():
        kept = ", kept by you" if one.is_kept else ""
        why = f", {one.outcome.why}" if one.outcome.why else ""
        yield dim(f"     {one.outcome.state.value}{kept}: {printable(one.condition.text)}{printable(why)}")


def _check_json(listed: ListedMemory, red: list[RedMemory]) -> output.JsonObject:
    """Return a memory with what the work tree says, and of a red one why and since when."""
    found = next((one for one in red if one.listed.memory.id == listed.memory.id), None)
    missing = card_json(found)["missing"] if found else []
    return {**cards.memory_json(listed), "missing": missing}
