"""What one more command of a session adds to the counts: directories, commands, sequences and substitutions."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from tacit.learn.command_names import ParsedCommand, parse_commands
from tacit.learn.habits.habit import KEY_SEPARATOR, HabitKey
from tacit.learn.programs import is_generic_directory
from tacit.model.claim import Kind
from tacit.model.observation import CommandRan
from tacit.record import Record

# What learners are shown: the commands of one session in order, and what is worth keeping of those before.

PAUSE_MILLISECONDS = 30 * 60 * 1000  # milliseconds after which what was done before is another matter
SEQUENCE_LOOKBACK = 2  # commands that a sequence of three needs to look back


class CommandStep(Record):
    """One line that was run, with the commands in it."""

    at: int
    ran: CommandRan
    commands: tuple[ParsedCommand, ...]

    @property
    def effective_command(self) -> str:
        return self.ran.meant or self.ran.command


class CommandTrail(Record):
    """What a session did last, as far as anybody looks back: the last families, the line that just failed, and the
    directories in which those families ran."""

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()

    def after_pause(self, now: int) -> CommandTrail:
        """The same, unless so much time went by that nothing follows from it."""
        return self if abs(now - self.at) <= PAUSE_MILLISECONDS else CommandTrail(at=self.at)


def parse_step(at: int, ran: CommandRan) -> CommandStep:
    return CommandStep(at, ran, parse_commands(ran.meant or ran.command))


def advance_trail(trail: CommandTrail, families: tuple[str, ...], one: CommandStep) -> CommandTrail:
    """The trail after one more step, whose new families are given."""
    if all(part.is_trivial for part in one.commands):  # looking around changes nothing
        return CommandTrail(trail.families, one.at, trail.failed, trail.directories)
    added = (one.ran.directory,) * len(families)
    return CommandTrail(
        (*trail.families, *families)[-SEQUENCE_LOOKBACK:],
        one.at,
        "" if one.ran.is_success else one.effective_command,
        (*trail.directories, *added)[-SEQUENCE_LOOKBACK:],
    )


# What a person runs: every command of a line that went well counts for its family (A2).


def detect_commands(_trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    if step.ran.is_success:
        yield from (
            HabitKey(Kind.RECURRING_COMMAND, part.family, step.ran.directory)
            for part in step.commands
            if not part.is_trivial
        )


# Where a person works: every line that went well counts for the directory it was started in (A1).


def detect_directories(_trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    if step.ran.directory and step.ran.is_success and step.commands:
        yield HabitKey(Kind.PREFERRED_CWD, step.ran.directory, step.ran.directory)


# What a person runs instead of something else: a line that failed and its correction, or a line they edited (A10).
#
# A correction has the same words and one of them changed: another tool with the same arguments, or another word for
# the same tool. What came after the changed word does not matter the next time.

_MIN_WORD_SIMILARITY = 0.6  # a word alone must look like the one it corrects
_MAX_CORRECTION_CHARS = 200


def detect_substitutions(trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    if not step.ran.is_success:
        return
    for wrong in dict.fromkeys((trail.failed, step.ran.planned)):
        if wrong and (found := find_correction(parse_commands(wrong), step.commands)):
            yield HabitKey(Kind.PREFERENCE, KEY_SEPARATOR.join(found), step.ran.directory)


def find_correction(wrong: tuple[ParsedCommand, ...], right: tuple[ParsedCommand, ...]) -> tuple[str, str] | None:
    """The beginnings of two lines up to the word in which they differ; nothing when that is not all they differ in."""
    if len(wrong) != 1 or len(right) != 1 or wrong[0].is_trivial or right[0].is_trivial:
        return None
    before, after = wrong[0].words, right[0].words
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or len(changed) != 1 or wrong[0].consumers != right[0].consumers:
        return None
    at = changed[0]
    old, new = " ".join(before[: at + 1]), " ".join(after[: at + 1])
    if len(before) == 1 and SequenceMatcher(None, old, new).ratio() < _MIN_WORD_SIMILARITY:
        return None
    return None if KEY_SEPARATOR in old + new or max(len(old), len(new)) > _MAX_CORRECTION_CHARS else (old, new)


# What a person runs in order: pairs and triples of different commands of one session (A3).
#
# What failed is not there, what is trivial is not there, and a command repeated is one command. A triple that is a
# habit takes the place of its pairs, whatever became of it.

SUBDIRECTORIES = "/*"  # behind the common parent of several directories


def detect_sequences(trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    before, where, here = trail.families, trail.directories, step.ran.directory
    for family in new_families(trail, step):
        for length in range(1, len(before) + 1):
            sequence = (*before[-length:], family)
            if len(set(sequence)) == len(sequence):
                directories = (*where[-length:], here)
                place = here if directories.count(here) > length else common_directory(directories)
                yield HabitKey(Kind.WORKFLOW_PATTERN, KEY_SEPARATOR.join(sequence), place)
        before, where = (*before, family)[-SEQUENCE_LOOKBACK:], (*where, here)[-SEQUENCE_LOOKBACK:]


@lru_cache(maxsize=8192)  # people go back and forth between a few directories
def common_directory(directories: tuple[str, ...]) -> str:
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
    return parent if is_home else parent.rstrip("/") + SUBDIRECTORIES


def new_families(trail: CommandTrail, step: CommandStep) -> tuple[str, ...]:
    """The families that this step adds to the session: those that went well, that mean something, no repetitions."""
    added: list[str] = []
    last = trail.families[-1] if trail.families else ""
    for part in step.commands if step.ran.is_success else ():
        if not part.is_trivial and part.family != last:
            added.append(part.family)
            last = part.family
    return tuple(added)


# The learners of the shell together: what one more command of a session shows, and the trail after it.
#
#     fold(trail, step) -> (trail, what was seen)
#
# Sessions are independent of one another, and a session is folded command by command, so it does not matter in how
# many pieces a history comes.

_DETECTORS = (detect_directories, detect_commands, detect_sequences, detect_substitutions)


def detect_habits(trail: CommandTrail, step: CommandStep) -> tuple[CommandTrail, tuple[HabitKey, ...]]:
    before = trail.after_pause(step.at)
    found = tuple(seen for learner in _DETECTORS for seen in learner(before, step))
    return advance_trail(before, new_families(before, step), step), found
