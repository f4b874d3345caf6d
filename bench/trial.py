"""Simulated trials with effects that are known, through the code that decides (`src/tacit/model/comparison.py`) and the
coin of real trials (`src/tacit/model/coin.py`).

    python -m bench.trial [--trials N] [--most N]

Sessions are unequal: half of them are hard, and go badly three times as often as the others. What is printed of each
effect: how often the interval holds the true difference when the trial ends, of which 95 % are promised; how often the
trial comes to which verdict; and how many sessions that took, those in which the memory applied and all of them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from tacit.model.coin import is_treated
from tacit.model.comparison import CONFIDENCE, MARGIN, ArmCounts, compare, ending_of
from tacit.model.trial import DEFAULT_SESSIONS, Ending

_HARD, _EASY = 1.5, 0.5  # times as often as an average session


class Effect(NamedTuple):
    """In how many sessions a memory applies, and how many of these go badly, without and with it."""

    name: str
    bad: float
    bad_told: float
    applies: float = 0.5
    applies_told: float | None = None

    def arm(self, told: bool) -> tuple[float, float]:
        if not told:
            return self.applies, self.bad
        return self.applies if self.applies_told is None else self.applies_told, self.bad_told

    def difference(self, *, is_of_all: bool) -> float:
        """The true difference: of the sessions in which it applies, or of all, for each in which it applies."""
        (applies, bad), (applies_told, bad_told) = self.arm(False), self.arm(True)
        if is_of_all:
            return max(min(2 * (applies * bad - applies_told * bad_told) / (applies + applies_told), 1), -1)
        return bad - bad_told


EFFECTS = (
    Effect("none: nobody ever violates it", 0, 0),
    Effect("none: violated in 5 of 100", 0.05, 0.05),
    Effect("none: violated in 10 of 100", 0.1, 0.1),
    Effect("none: in 30 of 100", 0.3, 0.3),
    Effect("none: in 50 of 100", 0.5, 0.5),
    Effect("none: in 10 of 100, and it seldom applies", 0.1, 0.1, 0.15),
    Effect("small: 15 fewer, of 40", 0.4, 0.25),
    Effect("middle: 25 fewer, of 30", 0.3, 0.05),
    Effect("large: 45 fewer, of 60", 0.6, 0.15),
    Effect("large: 45 fewer, and it mostly applies", 0.6, 0.15, 0.9),
    Effect("large: 45 fewer, and it seldom applies", 0.6, 0.15, 0.15),
    Effect("harmful: 30 more, of 20", 0.2, 0.5),
    Effect("told, agents avoid what it is about", 0.6, 0.6, 0.5, 0.1),
)


class Ended(NamedTuple):
    """A trial that ended: how, whether its interval holds the truth, and after how many sessions."""

    ending: Ending
    holds: bool
    applied: int
    sessions: int


def simulate(effect: Effect, most: int, random: Random) -> Ended:
    """Run one trial to its end."""
    seed, told, withheld, sessions = f"{random.getrandbits(80):020x}", ArmCounts(), ArmCounts(), 0
    while True:
        sessions += 1
        is_in_told = is_treated(seed, "claude", f"session {sessions}")
        applies, bad = effect.arm(is_in_told)
        if random.random() < applies:
            difficulty = _HARD if random.random() < 0.5 else _EASY
            went_badly = random.random() < bad * difficulty
            arm = told if is_in_told else withheld
            counted = ArmCounts(arm.applied + 1, arm.bad + went_badly)
            told, withheld = (counted, withheld) if is_in_told else (told, counted)
        if ending := ending_of(told, withheld, sessions, most):
            found = compare(told, withheld, most)
            holds = found is None or found.low <= effect.difference(is_of_all=found.is_of_all) <= found.high
            return Ended(ending, holds, told.applied + withheld.applied, sessions)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.trial", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=1000, help="of each effect (default: %(default)s)")
    parser.add_argument("--most", type=int, default=DEFAULT_SESSIONS, help="sessions of a trial (default: %(default)s)")
    given = parser.parse_args()
    print(f"{given.trials} trials of each effect, at most {given.most} sessions in which the memory applies.")
    print(f"Intervals are to hold the truth in {100 * CONFIDENCE:.0f} %. Under {100 * MARGIN:.0f} points is none.\n")
    heads = "effect|truth|holds|helps|none|harms|undecided|applied: median|90 %|all: median|90 %".split("|")
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for effect in EFFECTS:
        random = Random(effect.name)
        ended = [simulate(effect, given.most, random) for _ in range(given.trials)]
        print("| " + " | ".join(_row(effect, ended)) + " |", flush=True)
    return 0


def _row(effect: Effect, ended: Sequence[Ended]) -> Iterator[str]:
    number, counts = len(ended), Counter(one.ending for one in ended)
    yield effect.name
    yield f"{100 * effect.difference(is_of_all=effect.applies_told is not None):.0f}"
    yield f"{100 * sum(one.holds for one in ended) / number:.1f} %"
    for ending in (Ending.HELPS, Ending.NO_DIFFERENCE, Ending.HARMS, Ending.UNDECIDED):
        yield f"{100 * counts[ending] / number:.1f} %"
    for lengths in (sorted(one.applied for one in ended), sorted(one.sessions for one in ended)):
        yield from (f"{lengths[number * share // 10]}" for share in (5, 9))


if __name__ == "__main__":
    raise SystemExit(main())
