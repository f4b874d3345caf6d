"""What a person runs instead of something else: a line that failed and its correction, or a line they edited (A10).

A correction has the same words and one of them changed: another tool with the same arguments, or another word for the
same tool. What came after the changed word does not matter the next time.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from tacit.core.claim import Kind
from tacit.learn.habits.families import Part, parts
from tacit.learn.habits.habit import BETWEEN, Seen
from tacit.learn.habits.trail import Step, Trail

_ALIKE = 0.6  # a word alone must look like the one it corrects
_LONGEST = 200


def seen(trail: Trail, step: Step) -> Iterator[Seen]:
    if not step.ran.went_well:
        return
    for wrong in dict.fromkeys((trail.failed, step.ran.planned)):
        if wrong and (found := corrected(parts(wrong), step.parts)):
            yield Seen(Kind.PREFERENCE, BETWEEN.join(found), step.ran.directory)


def corrected(wrong: tuple[Part, ...], right: tuple[Part, ...]) -> tuple[str, str] | None:
    """The beginnings of two lines up to the word in which they differ; nothing when that is not all they differ in."""
    if len(wrong) != 1 or len(right) != 1 or wrong[0].trivial or right[0].trivial:
        return None
    before, after = wrong[0].words, right[0].words
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or len(changed) != 1 or wrong[0].consumers != right[0].consumers:
        return None
    at = changed[0]
    old, new = " ".join(before[: at + 1]), " ".join(after[: at + 1])
    if len(before) == 1 and SequenceMatcher(None, old, new).ratio() < _ALIKE:
        return None
    return None if BETWEEN in old + new or max(len(old), len(new)) > _LONGEST else (old, new)
