"""Whether an answer is right, by the rubric in README.md. Pure functions of a case and what a memory answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bench.write_side.cases import ABILITIES, Case, Pair, Request, Session
from bench.write_side.memory import Kept, Outcome

PRECISION, RECALL = "precision of what is kept", "recall of what is kept"
GROUPS = ("English", "others", "all")
_RIGHT = {
    "same": (Outcome.SAME, Outcome.ASKED_SAME),
    "contradict": (Outcome.CONTRADICT, Outcome.ASKED_CONTRADICT),
    "distinct": (Outcome.DISTINCT, Outcome.ASKED_SAME, Outcome.ASKED_CONTRADICT),
}
_ASKED = (Outcome.ASKED_SAME, Outcome.ASKED_CONTRADICT)
_LEAST_SHARE = 0.5  # of the words of a quote
# Chinese and Japanese are written without spaces: of them, pairs of neighbouring characters are compared.
_UNSPACED = "\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """How one case went.

    `asked` says that it is right because the person is asked, `misasked` that they are asked, and the wrong question;
    `missed` that a statement was not kept at all.
    Of sessions also how many sentences were kept, how many of them belong to a quote, how many quotes there are, and
    how many of them are covered.
    """

    case: Case
    right: bool
    asked: bool = False
    misasked: bool = False
    missed: bool = False
    kept: int = 0
    fitting: int = 0
    quotes: int = 0
    covered: int = 0


@dataclass(slots=True)
class Count:
    right: int = 0
    of: int = 0
    asked: int = 0
    misasked: int = 0
    missed: int = 0

    def add(self, right: int, of: int, *, asked: int = 0, misasked: int = 0, missed: int = 0) -> None:
        self.right, self.of = self.right + right, self.of + of
        self.asked, self.misasked, self.missed = self.asked + asked, self.misasked + misasked, self.missed + missed


Row = dict[str, Count] | str  # by group of languages, or why there are no counts


def of_session(case: Session, kept: Collection[Kept]) -> Mark:
    """Right if every quote is covered by a sentence that was kept, and nothing else was kept."""
    covered = sum(any(covers(one, quote) for one in kept) for quote in case.quotes)
    fitting = sum(any(covers(one, quote) or is_part(one, quote) for quote in case.quotes) for one in kept)
    right = covered == len(case.quotes) and fitting == len(kept)
    return Mark(case, right, kept=len(kept), fitting=fitting, quotes=len(case.quotes), covered=covered)


def of_pair(case: Pair, outcome: Outcome) -> Mark:
    """Right if it was decided so, or if the person was asked just that. Of two that both hold, any question will do."""
    right = outcome in _RIGHT[case.ability]
    asked = outcome in _ASKED
    return Mark(case, right, asked=asked and right, misasked=asked and not right, missed=outcome is Outcome.MISSED)


def of_request(case: Request, answer: Collection[str]) -> Mark:
    """Right if just the chosen ones are gone, or just these are told. `answer` is what is left, or what is told."""
    found = {place for place, memory in enumerate(case.memories) if memory in answer}
    gone = set(range(len(case.memories))) - found
    return Mark(case, (gone if case.ability == "forget" else found) == set(case.chosen))


def covers(kept: Kept, quote: str) -> bool:
    """Whether a sentence, or the words that it was kept for, have at least half of the words of a quote."""
    return any(_share(quote, text) >= _LEAST_SHARE for text in kept)


def is_part(kept: Kept, quote: str) -> bool:
    """Whether at least half of the words of a sentence are from a quote: a part of it, which may not cover it."""
    return _share(kept.sentence, quote) >= _LEAST_SHARE


def _share(part: str, whole: str) -> float:
    wanted = Counter(_units(part))
    return (wanted & Counter(_units(whole))).total() / max(wanted.total(), 1)


def _units(text: str) -> Iterator[str]:
    for run in _RUNS.findall(text.casefold()):
        if re.match(f"[{_UNSPACED}]", run) and len(run) > 1:
            yield from (run[place : place + 2] for place in range(len(run) - 1))
        else:
            yield run


def counts(marks: Iterable[Mark], without: Mapping[str, str] = MappingProxyType({})) -> dict[str, Row]:
    """Counts by ability, and of what was kept, each by group of languages.

    `without` are abilities that are not counted, and what is said instead; what was kept goes with keep and drop.
    """
    found = {row: {group: Count() for group in GROUPS} for row in (*ABILITIES, PRECISION, RECALL)}
    for mark in marks:
        for group in ("English" if mark.case.language == "en" else "others", "all"):
            asked, misasked, missed = mark.asked, mark.misasked, mark.missed
            found[mark.case.ability][group].add(mark.right, 1, asked=asked, misasked=misasked, missed=missed)
            found[PRECISION][group].add(mark.fitting, mark.kept)
            found[RECALL][group].add(mark.covered, mark.quotes)
    words = dict(without)
    if unheard := without.get("keep") or without.get("drop"):
        words |= {PRECISION: unheard, RECALL: unheard}
    return {row: words.get(row, groups) for row, groups in found.items()}


def table(memories: Iterable[tuple[str, Mapping[str, Row]]]) -> Iterator[str]:
    """Rows of Markdown, those of each memory after one another."""
    yield f"| memory | ability | {' | '.join(GROUPS)} |"
    yield "|---|---|---|---|---|"
    for memory, rows in memories:
        for row, groups in rows.items():
            cells = [groups, "", ""] if isinstance(groups, str) else [_cell(groups[group]) for group in GROUPS]
            yield f"| {memory} | {row} | {' | '.join(cells)} |"


def _cell(count: Count) -> str:
    asked = [f"{count.asked} asked"] if count.asked else []
    asked += [f"{count.misasked} asked wrongly"] if count.misasked else []
    asked += [f"{count.missed} missed"] if count.missed else []
    return f"{count.right} of {count.of}" + (f" ({', '.join(asked)})" if asked else "")
