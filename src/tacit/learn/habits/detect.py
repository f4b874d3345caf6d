"""What one more command of a session adds to the counts: directories, commands, sequences and substitutions."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from tacit.learn.command_names import Part, parts
from tacit.learn.habits.habit import BETWEEN, Seen
from tacit.learn.programs import is_generic_directory
from tacit.model.claim import Kind
from tacit.model.observation import CommandRan
from tacit.record import Record

# What learners are shown: the commands of one session in order, and what is worth keeping of those before.

PAUSE = 30 * 60 * 1000  # milliseconds after which what was done before is another matter
KEPT = 2  # commands that a sequence of three needs to look back


class Step(Record):
    """One line that was run, with the commands in it."""

    at: int
    ran: CommandRan
    parts: tuple[Part, ...]

    @property
    def meant(self) -> str:
        return self.ran.meant or self.ran.command


class Trail(Record):
    """What a session did last, as far as anybody looks back: the last families, the line that just failed, and the
    directories in which those families ran."""

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()

    def rested(self, now: int) -> Trail:
        """The same, unless so much time went by that nothing follows from it."""
        return self if abs(now - self.at) <= PAUSE else Trail(at=self.at)


def step(at: int, ran: CommandRan) -> Step:
    return Step(at, ran, parts(ran.meant or ran.command))


def followed(trail: Trail, families: tuple[str, ...], one: Step) -> Trail:
    """The trail after one more step, whose new families are given."""
    if all(part.trivial for part in one.parts):  # looking around changes nothing
        return Trail(trail.families, one.at, trail.failed, trail.directories)
    added = (one.ran.directory,) * len(families)
    return Trail(
        (*trail.families, *families)[-KEPT:],
        one.at,
        "" if one.ran.went_well else one.meant,
        (*trail.directories, *added)[-KEPT:],
    )


# What a person runs: every command of a line that went well counts for its family (A2).


def seen_commands(_trail: Trail, step: Step) -> Iterator[Seen]:
    if step.ran.went_well:
        yield from (
            Seen(Kind.RECURRING_COMMAND, part.family, step.ran.directory) for part in step.parts if not part.trivial
        )


# Where a person works: every line that went well counts for the directory it was started in (A1).


def seen_directories(_trail: Trail, step: Step) -> Iterator[Seen]:
    if step.ran.directory and step.ran.went_well and step.parts:
        yield Seen(Kind.PREFERRED_CWD, step.ran.directory, step.ran.directory)


# What a person runs instead of something else: a line that failed and its correction, or a line they edited (A10).
#
# A correction has the same words and one of them changed: another tool with the same arguments, or another word for
# the same tool. What came after the changed word does not matter the next time.

_ALIKE = 0.6  # a word alone must look like the one it corrects
_LONGEST = 200


def seen_substitutions(trail: Trail, step: Step) -> Iterator[Seen]:
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


# What a person runs in order: pairs and triples of different commands of one session (A3).
#
# What failed is not there, what is trivial is not there, and a command repeated is one command. A triple that is a
# habit takes the place of its pairs, whatever became of it.

SEVERAL = "/*"  # behind the common parent of several directories


def seen_workflows(trail: Trail, step: Step) -> Iterator[Seen]:
    before, where, here = trail.families, trail.directories, step.ran.directory
    for family in families(trail, step):
        for length in range(1, len(before) + 1):
            sequence = (*before[-length:], family)
            if len(set(sequence)) == len(sequence):
                directories = (*where[-length:], here)
                place = here if directories.count(here) > length else common_place(directories)
                yield Seen(Kind.WORKFLOW_PATTERN, BETWEEN.join(sequence), place)
        before, where = (*before, family)[-KEPT:], (*where, here)[-KEPT:]


@lru_cache(maxsize=8192)  # people go back and forth between a few directories
def common_place(directories: tuple[str, ...]) -> str:
    """The place of a sequence: the one directory of its steps, or their common parent and `SEVERAL`.

    Steps in a directory and in one below it are at home in the upper one, unless that is a generic one.
    """
    if len(set(directories)) == 1:
        return directories[0]
    shared = []
    for names in zip(*(directory.split("/") for directory in directories), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    parent = "/".join(shared)
    is_home = parent in directories and not is_generic_directory(parent)
    return parent if is_home else parent.rstrip("/") + SEVERAL


def families(trail: Trail, step: Step) -> tuple[str, ...]:
    """The families that this step adds to the session: those that went well, that mean something, no repetitions."""
    added: list[str] = []
    last = trail.families[-1] if trail.families else ""
    for part in step.parts if step.ran.went_well else ():
        if not part.trivial and part.family != last:
            added.append(part.family)
            last = part.family
    return tuple(added)


# The learners of the shell together: what one more command of a session shows, and the trail after it.
#
#     fold(trail, step) -> (trail, what was seen)
#
# Sessions are independent of one another, and a session is folded command by command, so it does not matter in how
# many pieces a history comes.

_LEARNERS = (seen_directories, seen_commands, seen_workflows, seen_substitutions)


def fold(trail: Trail, step: Step) -> tuple[Trail, tuple[Seen, ...]]:
    before = trail.rested(step.at)
    found = tuple(seen for learner in _LEARNERS for seen in learner(before, step))
    return followed(before, families(before, step), step), found
