"""The figures in README.md and bench/README.md: written from `bench/results.json`, never by hand.

    python -m bench.claims [--check]

They stand between two marks, one pair a table; what is around them is left alone. A target that is missed is shown as
missed, and what was not measured as not measured.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import plots
from bench.figures import MARKS
from bench.peers.row import HIT_RATE, NOT_RUN
from bench.public import table
from bench.results import Result, load
from bench.suite import NAMES, SUITE
from bench.targets import TARGETS, Target
from bench.verbs import matrix

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
_BLOCK = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
_PEERS, _OURS = "peers", "Tacit "


class Row(NamedTuple):
    """A row of the README, in the words of a user: the bench, and words of the figure's name.

    `larger` are words of the figure for a home of a million memories, if there is one.
    """

    what: str
    bench: str
    words: str
    larger: str = ""


def _by_size(what: str, name: str) -> Row:
    return Row(what, "verbs", f"1,000: {name}", f"1,000,000: {name}")


# With the row of the peers these are eight: ADR 83 allows no more.
ROWS = (
    _by_size("Stating a rule takes", "`tacit add`"),
    _by_size("Asking takes", "`tacit recall`"),
    _by_size("Telling an agent at the start of a session takes", "hook SessionStart"),
    Row("Added to each prompt of your shell (bash)", "prompt", "bash: added"),
    Row("Secrets in a sentence that are recognised", "redaction", "in a sentence"),
    Row("The session behind a commit is among the first five answers", "commits", "session of a commit, recall@5"),
    Row(
        "The session that answers is among the first five: LoCoMo, the half that nothing was chosen on",
        "locomo",
        "LoCoMo, sessions, held-out half: Tacit",
    ),
)


def leading(results: Sequence[Result]) -> Iterator[str]:
    """The few figures of the README, and how many targets are missed."""
    yield "| | | checked by |"
    yield "|---|---|---|"
    for row in ROWS:
        yield _leading(results, row)
    yield _place(results)
    missed = sum(one.ok is False for one in results)
    yield from (
        "",
        "Times of commands and hooks are CPU of the whole process, with 1,000 memories if nothing else is said."
        f" Of {len(TARGETS)} targets, {missed} are missed and {len(_unmeasured(results))} not measured yet;"
        " [bench/README](bench/README.md) lists them.",
    )


def everything(results: Sequence[Result]) -> Iterator[str]:
    """All but the peers, then the plots."""
    yield from _measured_on(results)
    yield from ("", "| figure | target | measured | ok | of |", "|---|---|---|---|---|")
    unmeasured = _unmeasured(results)
    for bench in NAMES:
        for one in results:
            if one.bench == bench != _PEERS and not is_of_size(one) and not _public(one):
                yield f"| {one.name} | {one.target} | {_cell(one.measured)} | {MARKS[one.ok]} | {bench} |"
        for target in unmeasured:
            if target.bench == bench:
                yield f"| {target.name} | {target.limit} | not measured | | {bench} |"
    yield ""
    yield from matrix((one.name, one.amount) for one in results if is_of_size(one))
    yield ""
    yield from _missed(results)
    for name, _ in plots.drawn(results):
        yield from ("", f"![{plots.PLOTS[name].__doc__}](plots/{name}.svg)")


def beside(results: Sequence[Result]) -> Iterator[str]:
    """Peers, a row each, the best first, those that did not run last."""
    peers = _peers(results)
    ran = {name: own for name, own in peers.items() if HIT_RATE in own}
    columns = list(next(iter(ran.values()))) if ran else []
    yield f"| memory | searches by | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 2) + "|"
    for name, own in sorted(ran.items(), key=lambda peer: -_rate(peer[1])):
        amounts = (own[column].measured for column in columns[1:])
        yield f"| {name} | {own[HIT_RATE].note} | {_rate(own):.3f} | {' | '.join(amounts)} |"
    for name, own in peers.items():
        if NOT_RUN in own:
            how, _, reason = own[NOT_RUN].note.partition(": ")
            yield f"| {name} | {how} | not run: {_cell(reason)} |" + " |" * (len(columns) - 1)


def beside_published(results: Sequence[Result]) -> Iterator[str]:
    """Public benchmarks of retrieval, with what others have published on them."""
    yield from table.lines(filter(None, map(_public, results)))


DOCUMENTS: dict[Path, tuple[Callable[[Sequence[Result]], Iterable[str]], ...]] = {
    ROOT / "README.md": (leading,),
    ROOT / "bench/README.md": (everything, beside, beside_published),
}


def filled(text: str, blocks: Iterable[Iterable[str]]) -> str:
    """The text with what is between its marks made anew, in their order."""
    new = [f"{BEGIN}\n{chr(10).join(lines)}\n{END}" for lines in blocks]
    if len(_BLOCK.findall(text)) != len(new):
        raise ValueError(f"a document must have {len(new)} pairs of marks: {BEGIN} … {END}")
    rest = iter(new)
    return _BLOCK.sub(lambda _: next(rest), text)


def outside(text: str) -> str:
    """What people wrote: all but the blocks."""
    return _BLOCK.sub("", text)


def is_of_size(one: Result) -> bool:
    """Whether it is what a command takes in a home of one size, which `matrix` shows."""
    return one.bench == "verbs" and not one.target


def _public(one: Result) -> table.Row | None:
    """The row of a public benchmark that it is, if it is one."""
    return table.row_of(one.name, one.value, one.note)


def _found(results: Iterable[Result], bench: str, words: str) -> Result | None:
    return next((one for one in results if words and one.bench == bench and words in one.name), None)


def _leading(results: Sequence[Result], row: Row) -> str:
    one, larger = _found(results, row.bench, row.words), _found(results, row.bench, row.larger)
    if one is None:
        command = next(bench.command for bench in SUITE if bench.name == row.bench)
        return f"| {row.what} | not measured | `{command}` |"
    million = f"; with a million memories {larger.amount}" if larger else ""
    return f"| {row.what} | {_readable(one)}{million} | `{one.command}` |"


def _readable(one: Result) -> str:
    """A share in percent with the number of cases, anything else as it is; and whether the target is missed."""
    is_share = not one.unit and 0 < _value(one) < 1
    cases = f" ({one.note.partition(';')[0]})" if is_share or one.unit == "%" else ""
    shown = (_percent(_value(one)) if is_share else one.amount) + cases
    sign, _, number = one.target.partition(" ")
    target = f"{sign} {_percent(float(number))}" if is_share and number else one.target
    return f"{shown}; **missed**: {target}" if one.ok is False else shown


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _place(results: Sequence[Result]) -> str:
    """Where we stand among the peers that ran."""
    rates = sorted((own[HIT_RATE] for own in _peers(results).values() if HIT_RATE in own), key=lambda one: -_value(one))
    what = f"Right answer among the first five, beside {max(len(rates) - 1, 0)} other programs"
    for place, one in enumerate(rates, 1):
        if one.name.startswith(_OURS):
            other, word = (rates[0], "the best") if place > 1 else (rates[min(1, len(rates) - 1)], "the next")
            name = other.name.partition(": ")[0]
            compared = f"place {place}; {word}, {name} by {other.note}, has {_percent(_value(other))}"
            return f"| {what} | {_percent(_value(one))} ({compared}) | `{one.command}` |"
    return "| Right answer among the first five, beside other programs | not measured | `python -m bench.peers` |"


def _unmeasured(results: Sequence[Result]) -> list[Target]:
    measured = {(one.bench, one.name) for one in results}
    return [target for target in TARGETS if (target.bench, target.name) not in measured]


def _missed(results: Sequence[Result]) -> Iterator[str]:
    missed = [one for one in results if one.ok is False]
    held = sum(one.ok is True for one in results)
    yield f"Of {len(TARGETS)} targets, {held} hold, {len(missed)} are missed, {len(_unmeasured(results))} not measured."
    yield from ("",) if missed else ()
    for one in missed:
        yield f"- {one.name}: {one.amount}, promised {one.target}; `{one.command}`"


def _measured_on(results: Sequence[Result]) -> Iterator[str]:
    """One line for each day and machine."""
    runs: dict[str, list[str]] = {}
    for one in results:
        runs.setdefault(f"{one.date}: {one.machine}", []).append(one.bench)
    for run, benches in runs.items():
        named = f" ({', '.join(dict.fromkeys(benches))})" if len(runs) > 1 else ""
        yield f"Measured on {run}{named}."


def _peers(results: Iterable[Result]) -> dict[str, dict[str, Result]]:
    """By peer and by what was measured of it."""
    peers: dict[str, dict[str, Result]] = {}
    for one in results:
        if one.bench == _PEERS:
            name, _, what = one.name.partition(": ")
            peers.setdefault(name, {})[what] = one
    return peers


def _rate(own: dict[str, Result]) -> float:
    return _value(own[HIT_RATE])


def _value(one: Result) -> float:
    return one.value or 0.0


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where a document differs")
    check, results, differs = parser.parse_args().check, load(), False
    for path, blocks in DOCUMENTS.items():
        text = path.read_text("utf-8")
        new = filled(text, (block(results) for block in blocks))
        if new != text:
            differs = True
            print(f"{path.relative_to(ROOT)} {'differs; run: python -m bench.claims' if check else 'written'}")
            if not check:
                path.write_text(new, "utf-8")
    return 1 if differs and check else 0


if __name__ == "__main__":
    sys.exit(main())
