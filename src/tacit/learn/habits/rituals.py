"""From pairs and triples to the whole ritual: `a → b → c` and `b → c → d` are parts of `a → b → c → d`.

Pairs and triples are what is counted (A3). A ritual is read from those counts and is as strong as its weakest triple,
so it is the same however the history came in. It has at most seven steps, no step twice, and does not go on with a
command that only looks at something. Rituals of one project share at most one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tacit.learn.habits.tables.common import LOOKING
from tacit.record import Record

LONGEST = 7
_LIKELY = 0.4  # of the times that two steps were run in order, so often the next one followed
_MOST_OVERLAP = 1  # steps that two rituals of a project may share

Families = tuple[str, ...]


class Count(Record):
    """How often a sequence was seen in one project."""

    runs: int
    sessions: int
    last: str


class Ritual(Record):
    """The steps of a ritual, and the counts of its weakest part."""

    families: Families
    counts: Count


def rituals(sequences: Mapping[Families, Count], worth: Callable[[Families, Count], float]) -> list[Ritual]:
    """The rituals that the pairs and triples of one project chain into, the best first.

    `worth` ranks the sequences to begin with; those of no worth begin nothing.
    """
    weighed = sorted(((worth(one, count), one) for one, count in sequences.items()), key=lambda one: (-one[0], one[1]))
    found: list[Ritual] = []
    for weight, seed in weighed:
        if weight > 0 and not any(overlaps(seed, one.families) for one in found):
            chained = _chained(seed, sequences, [one.families for one in found])
            found.append(Ritual(chained, weakest(chained, sequences)))
    return found


def overlaps(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two rituals share more steps than two of one project may."""
    return len(set(one) & set(other)) > _MOST_OVERLAP


def contains(longer: Families, part: Families) -> bool:
    """Whether a ritual is a real part of a longer one: the same steps in the same order, without a gap."""
    size = len(part)
    return size < len(longer) and any(longer[at : at + size] == part for at in range(len(longer) - size + 1))


def is_covered(families: Families, decided: Families) -> bool:
    """Whether a decision on one ritual is a decision on another: at least two thirds of its steps are the same."""
    return 3 * len(set(families) & set(decided)) >= 2 * len(families)


def weakest(families: Families, sequences: Mapping[Families, Count]) -> Count:
    """The counts of a ritual: in each respect those of its weakest part; nothing where a part was never seen."""
    counts = [sequences.get(part, Count(0, 0, "")) for part in parts_of(families)]
    return Count(
        min(count.runs for count in counts),
        min(count.sessions for count in counts),
        min(count.last for count in counts),
    )


def parts_of(families: Families) -> Sequence[Families]:
    """The triples that a ritual is made of; a pair or a triple is its own part."""
    length = min(len(families), 3)
    return [families[at : at + length] for at in range(len(families) - length + 1)]


def _chained(seed: Families, sequences: Mapping[Families, Count], others: Sequence[Families]) -> Families:
    if len(seed) < 3:
        return seed
    chain = seed
    while len(chain) < LONGEST:
        after = _next(chain[-2:], sequences, lambda pair, step: (*pair, step))
        before = _next(chain[:2], sequences, lambda pair, step: (step, *pair))
        longer = [
            grown
            for grown in ((*chain, after) if after else (), (before, *chain) if before else ())
            if grown and len(set(grown)) == len(grown) and not any(overlaps(grown, other) for other in others)
        ]
        if not longer:
            break
        chain = max(longer, key=lambda grown: (weakest(grown, sequences).runs, grown[: len(chain)] == chain))
    return chain


def _next(pair: Families, sequences: Mapping[Families, Count], joined: Callable[[Families, str], Families]) -> str:
    """The step that mostly comes behind two others, or before them; nothing where none does."""
    together = sequences.get(pair)
    steps = {family for one in sequences for family in one if len(one) == 3} - LOOKING
    known = [(sequences[joined(pair, step)].runs, step) for step in steps if joined(pair, step) in sequences]
    if not known or together is None:
        return ""
    runs, step = min(known, key=lambda one: (-one[0], one[1]))
    return step if runs >= _LIKELY * together.runs else ""
