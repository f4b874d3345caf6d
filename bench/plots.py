"""Plots of what was measured, as SVG in `bench/plots`, drawn from `bench/results.json`.

    python -m bench.plots

A plot whose figures were not measured is not drawn. A new plot is a function here and a row of `PLOTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.drawing import Bar, Line, bars, lines
from bench.peers.row import HIT_RATE
from bench.results import Result, load

FOLDER = Path(__file__).with_name("plots")
OURS = "Tacit "
_SIZED = re.compile(r"([\d,]+): `vault\.recall`, (p\d+)")
_AGAINST = re.compile(r",? ?against bare .*")


def size(results: Sequence[Result]) -> str:
    """CPU of a question as a home grows."""
    found: dict[str, list[tuple[float, Result]]] = {}
    for result in results:
        if sized := _SIZED.match(result.name):
            memories = float(sized[1].replace(",", ""))
            found.setdefault(sized[2], []).append((memories, result))
    if not found or min(map(len, found.values())) < 2:  # one point is no line
        return ""
    drawn = [
        Line(share, [(memories, one.value or 0) for memories, one in own], _target(own[-1][1]))
        for share, own in found.items()
    ]
    return lines("A question to a home that grows", "CPU of `vault.recall` by number of memories", drawn)


def peers(results: Sequence[Result]) -> str:
    """Who finds the right answer among the first five, the best first."""
    rows = sorted((one for one in results if one.name.endswith(HIT_RATE)), key=lambda one: -(one.value or 0))
    named = [(one, one.name.removesuffix(f": {HIT_RATE}")) for one in rows]
    drawn = [
        Bar(name, one.value or 0, f"{one.value:.3f} {one.note}", "ours" if name.startswith(OURS) else "other")
        for one, name in named
    ]
    below = "share of questions whose answer is among the first five, and what is searched by"
    return bars("Beside other memories", below, drawn, labels=220, values=190) if drawn else ""


def finding(results: Sequence[Result]) -> str:
    """What is found and learnt without a model, against what is promised."""
    wanted = ("locomo", "commits", "prompts", "fixes")
    rows = [one for one in results if one.bench in wanted and not one.unit and (one.value or 2) <= 1]
    drawn = [_against(one, one.name, f"{one.value:.3f}") for one in rows if one.target.startswith("≥")]
    return bars("Found and learnt without a model", "the mark is what is promised at least", drawn) if drawn else ""


def processes(results: Sequence[Result]) -> str:
    """CPU of whatever is started as a process."""
    rows = [one for one in results if one.unit == "×" and "CPU" in one.name and _AGAINST.search(one.name)]
    drawn = [_against(one, _process(one), f"{one.value:g} ×") for one in rows]
    title = "CPU of a process, in starts of Python itself"
    return bars(title, "the mark is what is promised at most", drawn) if drawn else ""


def verbs(results: Sequence[Result]) -> str:
    """CPU of each command with a million memories, against a thousand."""
    rows = [one for one in results if one.bench == "verbs" and one.target]
    drawn = [_against(one, one.name.partition(",")[0].replace("`", ""), f"{one.value:g} ×") for one in rows]
    title = "Every command costs the same in every home"
    below = "CPU with 1,000,000 memories, in times of 1,000 (hooks: 10,000); the mark is what is promised at most"
    return bars(title, below, drawn, labels=220) if drawn else ""


PLOTS: dict[str, Callable[[Sequence[Result]], str]] = {
    "verbs": verbs,
    "size": size,
    "peers": peers,
    "finding": finding,
    "processes": processes,
}


def _against(one: Result, label: str, shown: str) -> Bar:
    return Bar(label, one.value or 0, shown, "missed" if one.ok is False else "ours", _target(one))


def _target(one: Result) -> float | None:
    number = re.search(r"[\d.]+", one.target)
    return float(number[0]) if number else None


def _process(one: Result) -> str:
    """`CPU of X as a process, against bare Y` is X, `HOOK: CPU against …` the hook."""
    name = _AGAINST.sub("", one.name).replace("`", "").replace(" as a process", "")
    return name.removeprefix("CPU of ").removesuffix(": CPU").replace(": CPU of", ":")


def drawn(results: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """Names of plots and their text; only of those for which there are figures."""
    yield from ((name, text) for name, plot in PLOTS.items() if (text := plot(results)))


def save(results: Sequence[Result], folder: Path = FOLDER) -> None:
    """What is not drawn any more is removed."""
    folder.mkdir(exist_ok=True)
    new = {f"{name}.svg": text for name, text in drawn(results)}
    for path in folder.glob("*.svg"):
        if path.name not in new:
            path.unlink()
    for name, text in new.items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    save(load())
