"""From a habit to something that can be run: the command lines a person really typed, and where."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tacit.core.observation import CommandRan
from tacit.core.workflow import has_hole
from tacit.learn.habits.families import Part, parts
from tacit.learn.habits.habit import BETWEEN

_MOSTLY = 0.8  # so much of it in one directory makes it that directory's


class Recipe(NamedTuple):
    """The steps of a workflow as lines, and the directory to run them in; none is wherever one stands."""

    steps: tuple[str, ...]
    directory: str


class _Occurrence(NamedTuple):
    texts: tuple[str, ...]
    directory: str


def recipe(key: str, ends: Sequence[Sequence[CommandRan]]) -> Recipe:
    """`ends` are the commands of sessions up to an occurrence of this sequence, the latest first.

    A step is the line that was typed in most of them; where they differ too much, or where a secret stood in it, the
    command alone.
    """
    families = tuple(key.split(BETWEEN))
    found = [one for commands in ends if (one := _occurrence(families, commands))]
    steps = tuple(_line(family, [one.texts[at] for one in found]) for at, family in enumerate(families))
    return Recipe(steps, _place([one.directory for one in found]))


def _occurrence(families: Sequence[str], commands: Sequence[CommandRan]) -> _Occurrence | None:
    """The sequence as it was typed last."""
    wanted = list(families)
    texts: list[str] = []
    directory = ""
    for ran in commands:
        for part in reversed(_steps(ran)):
            if part.family == wanted[-1]:
                texts.append(part.text)
                directory = ran.directory
                wanted.pop()
                if not wanted:
                    return _Occurrence(tuple(reversed(texts)), directory)
    return None


def _steps(ran: CommandRan) -> list[Part]:
    return [part for part in parts(ran.meant or ran.command) if not part.trivial] if ran.went_well else []


def _line(family: str, texts: Sequence[str]) -> str:
    if not texts:
        return family
    text, count = Counter(texts).most_common(1)[0]
    return text if 2 * count > len(texts) and not has_hole(text) else family


def _place(directories: Sequence[str]) -> str:
    if not directories:
        return ""
    directory, count = Counter(directories).most_common(1)[0]
    return directory if count >= _MOSTLY * len(directories) else ""
