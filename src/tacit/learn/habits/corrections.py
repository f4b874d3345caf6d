"""What a person runs instead of something else: a line that failed and its correction, or one that was edited (A10).

Two lines with the same words and one changed. What came instead is another tool, another option, or the same word
spelled right.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from tacit.commandline.names import ParsedCommand
from tacit.commandline.programs import program_tables

KEY_SEPARATOR = "\n"  # between the parts of a key; no part contains one
_MIN_WORD_SIMILARITY = 0.6  # of a line of one word and its correction
_MAX_CORRECTION_CHARS = 200
_MIN_MISSPELLED_CHARS = 3  # of shorter words one letter is too much


def find_correction(
    wrong: tuple[ParsedCommand, ...], right: tuple[ParsedCommand, ...], *, has_failed: bool = True
) -> tuple[str, str] | None:
    """Return the beginnings of two lines up to the one word in which they differ, None if they differ in more.

    What follows that word does not matter the next time. Another tool or option is a correction; another subcommand,
    target or argument is one only if the first was misspelled. If it is unknown whether the first line failed, the name
    of the command has to be misspelled.
    """
    if len(wrong) != 1 or len(right) != 1 or wrong[0].is_trivial:
        return None
    before, after = wrong[0].words, right[0].words
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or len(changed) != 1 or wrong[0].consumers != right[0].consumers:
        return None
    at = changed[0]
    if not is_misspelled(before[at], after[at]):
        is_option = before[at][:1] == after[at][:1] == "-"
        if not has_failed or right[0].is_trivial or not (at == 0 or is_option):
            return None
    elif not has_failed and (at >= len(wrong[0].family.split()) or (at == 0 and is_program(before[0]))):
        return None
    old, new = (" ".join(words[: at + 1]) for words in (before, after))
    if len(before) == 1 and SequenceMatcher(None, old, new).ratio() < _MIN_WORD_SIMILARITY:
        return None
    return None if KEY_SEPARATOR in old + new or max(len(old), len(new)) > _MAX_CORRECTION_CHARS else (old, new)


def is_misspelled(wrong: str, right: str) -> bool:
    """Return whether one word is another with a letter too many, too few or changed, or two letters swapped."""
    if min(len(wrong), len(right)) < _MIN_MISSPELLED_CHARS:
        return sorted(wrong) == sorted(right) and wrong.isalpha()
    start = 0
    while start < min(len(wrong), len(right)) and wrong[start] == right[start]:
        start += 1
    old, new = wrong[start:], right[start:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    is_near = max(len(old), len(new)) == 1 or (len(old) == 2 and old == new[::-1])
    return is_near and (old + new).isalpha()


def misspelled_name(steps: Sequence[str]) -> str:
    """Return the word to type instead of a misspelled program, "" if something else is corrected."""
    wrong, right = steps
    is_name = wrong.isalnum() and right.isalnum() and is_misspelled(wrong, right)
    return right if is_name and not is_program(wrong) else ""


def is_program(word: str) -> bool:
    """Return whether this is the name of a program or builtin that is known."""
    tables = program_tables()
    known = (tables.trivial, tables.no_subcommands, tables.subcommands, tables.aliases, tables.interpreters)
    more = (tables.task_runners, tables.package_managers, tables.shells, tables.ssh)
    return any(word in names for names in (*known, *more))
