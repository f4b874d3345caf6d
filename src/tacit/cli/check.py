"""`tacit check`: which memories the work tree contradicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tacit.cli import cards, output
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Invocation, Option, command
from tacit.cli.output import dim, echo, echo_lines, echo_wrapped, pluralize
from tacit.cli.review import card_json
from tacit.model.conditions import State
from tacit.text.display import clip, printable
from tacit.vault.conditions import RedMemory
from tacit.vault.listing import ListedMemory

_MAX_SUBJECT_CHARS = 70


@command(
    "[ID]",
    "tacit check",
    Option("--all", help="also what is green or unknown, with the reason"),
    EXIT_CODE_OPTION,
    JSON_OPTION,
)
def run_check(call: Invocation) -> int:
    """Look up in this work tree what the memories of the project say: paths, scripts, targets, recipes and branches
    that they name, versions in pin and lock files, the package manager that scripts and CI files use, texts that
    must not occur below a folder, and options in the --help of programs that you allow (tacit config set
    check.programs uv,gh). Nothing else is run.

    Red ones come first, with the commit since which the work tree says otherwise, and what to type next. What cannot
    be looked up with certainty is unknown. With an ID, that memory alone, with all its conditions. --json prints
    memories with `work_tree`; for red ones `missing` has the commit.

    With --exit-code, the exit code is 1 when nothing is red.
    """
    conditions = call.vault.conditions
    if call.args:
        listed = call.vault.search.show(call.vault.search.meant(call.text()))
        entries = [*conditions.marked([listed])]
        red = [one for one in conditions.red() if one.listed.memory.id == listed.memory.id]
    else:
        checked, red = conditions.check_all(), conditions.red()
        show = call.vault.search.show
        entries = [show(one.memory.id)._replace(checked=one) for one in checked if _is_wanted(call, one.state)]
    if call.shows_json(lambda: [_check_json(one, red) for one in entries]):
        return call.exit_code(found=bool(red))
    if call.vault.home.store.project is None:
        echo("This folder is in no project: there is no work tree to look at.")
        return call.exit_code(found=False)
    for one in red:
        echo_lines(_red_lines(one))
    rest = [one for one in entries if one.checked and one.checked.state is not State.RED]
    for state in (State.GREEN, State.UNKNOWN) if call.args or call.flag("--all") else ():
        for each in rest:
            if each.checked and each.checked.state is state:
                _echo_other(each)
    if not call.args:
        counts = Counter(one.state for one in checked)
        hint = "" if call.flag("--all") or not checked else ": tacit check --all"
        kept = f"{counts[State.RED]} red, {counts[State.GREEN]} green, {counts[State.UNKNOWN]} unknown"
        echo(f"{pluralize(len(checked), 'memory', 'memories')} of this project: {kept}{hint}")
    return call.exit_code(found=bool(red))


def _is_wanted(call: Invocation, state: State) -> bool:
    return state is State.RED or call.flag("--all") or call.flag("--json")


def _red_lines(red: RedMemory) -> Iterator[str]:
    memory, short = red.listed.memory, red.listed.short
    yield f"{output.red('red')}  {output.cyan(f'[{short}]')} {printable(memory.claim.sentence)}"
    for condition in red.missing:
        subject = f" “{clip(condition.commit.subject, _MAX_SUBJECT_CHARS)}”" if condition.commit else ""
        since = f", {condition.since}{subject}" if condition.commit else ""
        yield f"     {printable(f'{condition.why}{since}')}"
    yield dim(f'     tacit edit {short} "…"   tacit forget {short}   tacit review, to keep it as it is')


def _echo_other(listed: ListedMemory) -> None:
    checked = listed.checked
    if checked is None:
        return
    mark = cards.tree_mark(checked.state)
    echo_wrapped(f"{mark}  {output.cyan(f'[{listed.short}]')} {printable(listed.memory.claim.sentence)}")
    if checked.state is State.UNKNOWN:
        echo(dim(f"     {printable(checked.why)}"))
    for one in checked.conditions if checked.state is State.GREEN else ():
        echo(dim(f"     {one.outcome.state.value}: {printable(one.condition.text)}"))


def _check_json(listed: ListedMemory, red: list[RedMemory]) -> output.JsonObject:
    """Return a memory with what the work tree says, and of a red one why and since when."""
    found = next((one for one in red if one.listed.memory.id == listed.memory.id), None)
    missing = card_json(found)["missing"] if found else []
    return {**cards.memory_json(listed), "missing": missing}
