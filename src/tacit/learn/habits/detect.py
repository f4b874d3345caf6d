"""What one more command of a session adds to the counts: directories, commands, sequences and substitutions.

A session is folded command by command, and sessions are independent of one another, so it does not matter in how many
pieces a history arrives.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby

from tacit.learn.command_names import ParsedCommand, parse_commands
from tacit.learn.habits.habit import KEY_SEPARATOR, HabitKey, is_generic_directory
from tacit.model.claim import Kind
from tacit.model.observation import CommandRan
from tacit.record import Record

PAUSE_MILLISECONDS = 30 * 60 * 1000  # after a longer pause, a command does not follow from those before
SEQUENCE_LOOKBACK = 2  # commands before the last one of a triple
SUBDIRECTORIES = "/*"  # behind the common parent of several directories
_MIN_WORD_SIMILARITY = 0.6  # of a line of one word and its correction
_MAX_CORRECTION_CHARS = 200


class CommandStep(Record):
    """One line that was run, with the commands in it. `at` is in milliseconds."""

    at: int
    ran: CommandRan
    commands: tuple[ParsedCommand, ...]

    @property
    def effective_command(self) -> str:
        return self.ran.meant or self.ran.command


class CommandTrail(Record):
    """The latest of a session, as far as detectors look back: the last families, when, the line that just failed, and
    the directories in which those families ran."""

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()

    def after_pause(self, now: int) -> CommandTrail:
        """Return this trail, or an empty one if the pause was too long."""
        return self if abs(now - self.at) <= PAUSE_MILLISECONDS else CommandTrail(at=self.at)


def parse_step(at: int, ran: CommandRan) -> CommandStep:
    return CommandStep(at, ran, parse_commands(ran.meant or ran.command))


def detect_habits(trail: CommandTrail, step: CommandStep) -> tuple[CommandTrail, tuple[HabitKey, ...]]:
    """Return the trail after one more step, and the habits that were seen in the step."""
    before = trail.after_pause(step.at)
    seen = tuple(habit for detect in _DETECTORS for habit in detect(before, step))
    return _advance_trail(before, step), seen


def _advance_trail(trail: CommandTrail, step: CommandStep) -> CommandTrail:
    if all(command.is_trivial for command in step.commands):  # looking around changes nothing
        return trail._replace(at=step.at)
    families = _new_families(trail, step)
    return CommandTrail(
        (*trail.families, *families)[-SEQUENCE_LOOKBACK:],
        step.at,
        "" if step.ran.is_success else step.effective_command,
        (*trail.directories, *(step.ran.directory,) * len(families))[-SEQUENCE_LOOKBACK:],
    )


def _new_families(trail: CommandTrail, step: CommandStep) -> tuple[str, ...]:
    """Return the families that this step adds to the session: successful, not trivial, and no repetitions."""
    families = (command.family for command in step.commands if step.ran.is_success and not command.is_trivial)
    new = [family for family, _ in groupby(families)]
    return tuple(new[1:] if new[:1] == list(trail.families[-1:]) else new)


def _detect_directories(_trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    """Where a person works: every successful line counts for the directory it was started in (A1)."""
    if step.ran.directory and step.ran.is_success and step.commands:
        yield HabitKey(Kind.PREFERRED_CWD, step.ran.directory, step.ran.directory)


def _detect_commands(_trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    """What a person runs: every command of a successful line counts for its family (A2)."""
    for command in step.commands if step.ran.is_success else ():
        if not command.is_trivial:
            yield HabitKey(Kind.RECURRING_COMMAND, command.family, step.ran.directory)


def _detect_sequences(trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    """What a person runs in order: pairs and triples of different commands of one session (A3)."""
    before, places, here = trail.families, trail.directories, step.ran.directory
    for family in _new_families(trail, step):
        for length in range(1, len(before) + 1):
            sequence = (*before[-length:], family)
            if len(set(sequence)) == len(sequence):
                directories = (*places[-length:], here)
                directory = here if directories.count(here) > length else _common_directory(directories)
                yield HabitKey(Kind.WORKFLOW_PATTERN, KEY_SEPARATOR.join(sequence), directory)
        before, places = (*before, family)[-SEQUENCE_LOOKBACK:], (*places, here)[-SEQUENCE_LOOKBACK:]


@lru_cache(maxsize=8192)  # people go back and forth between a few directories
def _common_directory(directories: tuple[str, ...]) -> str:
    """Return the one directory of the steps of a sequence, or their common parent with `SUBDIRECTORIES` behind it.

    Steps in a directory and in one below it belong to the upper one, unless that is a generic one.
    """
    if len(set(directories)) == 1:
        return directories[0]
    shared = []
    for names in zip(*(directory.split("/") for directory in directories), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    parent = "/".join(shared)
    is_one = parent in directories and not is_generic_directory(parent)
    return parent if is_one else parent.rstrip("/") + SUBDIRECTORIES


def _detect_substitutions(trail: CommandTrail, step: CommandStep) -> Iterator[HabitKey]:
    """What a person runs instead of something else: a line that failed and its correction, or an edited line (A10)."""
    for wrong in dict.fromkeys((trail.failed, step.ran.planned)) if step.ran.is_success else ():
        if wrong and (correction := find_correction(parse_commands(wrong), step.commands)):
            yield HabitKey(Kind.PREFERENCE, KEY_SEPARATOR.join(correction), step.ran.directory)


def find_correction(wrong: tuple[ParsedCommand, ...], right: tuple[ParsedCommand, ...]) -> tuple[str, str] | None:
    """Return the beginnings of two lines up to the one word in which they differ, None if they differ in more.

    That word is another tool with the same arguments, or another word for the same tool. What follows it does not
    matter the next time.
    """
    if len(wrong) != 1 or len(right) != 1 or wrong[0].is_trivial or right[0].is_trivial:
        return None
    before, after = wrong[0].words, right[0].words
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or len(changed) != 1 or wrong[0].consumers != right[0].consumers:
        return None
    old, new = (" ".join(words[: changed[0] + 1]) for words in (before, after))
    if len(before) == 1 and SequenceMatcher(None, old, new).ratio() < _MIN_WORD_SIMILARITY:
        return None
    return None if KEY_SEPARATOR in old + new or max(len(old), len(new)) > _MAX_CORRECTION_CHARS else (old, new)


_DETECTORS = (_detect_directories, _detect_commands, _detect_sequences, _detect_substitutions)
