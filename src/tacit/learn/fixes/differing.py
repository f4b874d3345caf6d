"""Where two commands differ, when that is one place."""

from __future__ import annotations

from difflib import SequenceMatcher

from tacit.learn.fixes.tries import CUT
from tacit.learn.fixes.typed import whole
from tacit.record import Record


class Difference(Record):
    """What stands in the one and what in the other; either may be nothing."""

    old: str
    new: str


def difference(before: str, after: str) -> Difference | None:
    """The one place in which they differ; nothing if there are several, or none that was kept."""
    ours, theirs = whole(before), whole(after)
    matched = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    places = [place for place in matched if place[0] != "equal"]
    if before.endswith(CUT) and after.endswith(CUT) and len(places) > 1 and _at_the_end(places[-1], ours, theirs):
        places.pop()  # both were cut there, at different words
    if len(places) != 1:
        return None
    _, start, end, new_start, new_end = places[0]
    return Difference(" ".join(ours[start:end]), " ".join(theirs[new_start:new_end]))


def _at_the_end(place: tuple[str, int, int, int, int], ours: list[str], theirs: list[str]) -> bool:
    return place[2] == len(ours) and place[4] == len(theirs)
