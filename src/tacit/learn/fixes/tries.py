"""Two commands side by side: whether they try the same thing, and in what they differ."""

from __future__ import annotations

import re
from collections import Counter

from tacit.learn.habits.families import Part, parts
from tacit.record import Record

CUT = "…"  # at the end of a command of which only the beginning was kept
_QUIET = re.compile(r"\s{0,4}(?:[12]?>&[12]|2?>{1,2} ?/dev/null|&> ?/dev/null|\|\| true$)")
_TRIMMED = re.compile(r"\s{0,4}\|\s{0,4}(?:head|tail|cat|less)(?: -n)?(?: ?-?\d{1,5}| -[a-z]\d{0,5}){0,2}\s{0,4}$")
_MASKS = re.compile(r"[|;\n]")
_FLAG = re.compile(r"-{1,2}[A-Za-z]")
_EMPTY = re.compile(r"(?:(?<=\s)|^)(?:''|\"\")(?=\s|$)")  # a word that is nothing is a word
_QUOTES = str.maketrans("", "", "'\"\\")
_MOVES = frozenset(("cd", "pushd", "true", "echo", "export", "sleep", "printf"))


class Try(Record):
    """One command line, by its parts."""

    text: str
    parts: tuple[Part, ...]

    @property
    def may_hide(self) -> bool:
        """Whether a failure in it may not show."""
        return _MASKS.search(self.text) is not None


class Pair(Record):
    """Two parts of two lines. `alike` is 0 … 1, of their words."""

    before: Part
    after: Part
    alike: float

    @property
    def is_family(self) -> bool:
        return self.before.family == self.after.family


def tried(text: str) -> Try:
    return Try(text, parts(text))


def bare(text: str) -> str:
    """A command without what only makes its output shorter or quieter."""
    return _TRIMMED.sub("", _QUIET.sub("", text)).strip()


def pair_of(before: Try, after: Try) -> Pair | None:
    """The parts that try the same thing: of one family if there are such, and most alike."""
    ours, theirs = ([part for part in one.parts if part.family not in _MOVES] for one in (before, after))
    both = [Pair(one, other, shared(words_of(one), words_of(other))) for one in ours for other in theirs]
    return max(both, key=lambda pair: (pair.is_family, pair.alike), default=None)


def shared(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """The share of words that two commands have in common."""
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other)) if one or other else 0.0


def words_of(part: Part) -> tuple[str, ...]:
    """The words of all its stages without their quotes; a wrapper or a variable in front counts as well."""
    return tuple(_EMPTY.sub(" ∅ ", bare(part.text)).translate(_QUOTES).split())


def flags_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.split("=", 1)[0] for word in words if _FLAG.match(word))


def arguments_of(part: Part) -> frozenset[str]:
    return frozenset(word for word in part.words[1:] if not word.startswith("-") and len(word) > 2)


def programs_of(command: Try) -> frozenset[str]:
    """The names of all programs in a line."""
    names = (family.split(" ")[0] for part in command.parts for family in (part.family, *part.consumers))
    return frozenset(names) | {part.words[0].rpartition("/")[2] for part in command.parts if part.words}


def same_text(before: Try, after: Try) -> bool:
    return bare(before.text).split() == bare(after.text).split()


def same_but_quotes(before: Try, after: Try) -> bool:
    """Whether only quotes and backslashes differ, as far as the texts were kept."""
    if bare(before.text) == bare(after.text):
        return False
    one, other = (bare(text).translate(_QUOTES) for text in (before.text, after.text))
    if one.endswith(CUT) and other.endswith(CUT):
        kept = min(len(one), len(other)) * 3 // 4
        return one[:kept] == other[:kept] and before.text[:kept] != after.text[:kept]
    return one == other
