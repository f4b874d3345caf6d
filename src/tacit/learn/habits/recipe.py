"""From a habit to something that can be run: the command lines a person really typed, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tacit.core.observation import CommandRan
from tacit.learn.habits.families import Part, parts
from tacit.learn.habits.habit import BETWEEN
from tacit.learn.habits.placeholders import templates
from tacit.record import Record

_SEVERAL = 2  # sessions that show a whole ritual
_MOSTLY = 0.8  # so much of it in one directory makes it that directory's


class Recipe(Record):
    """The steps of a workflow as lines, and the directory to run them in; none is wherever one stands."""

    steps: tuple[str, ...]
    directory: str


class _Occurrence(Record):
    texts: tuple[str, ...]
    directory: str


def recipe(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> Recipe:
    """`ends` are the commands of sessions up to an occurrence of this sequence, the latest first. Only commands in
    directories that `is_there` accepts count.

    A step is the line that was typed in most of them, with placeholders for what varied; where they differ too much, or
    where a secret stood in it, the command alone.
    """
    families = tuple(key.split(BETWEEN))
    found = _occurrences(families, ends, is_there)
    return Recipe(templates(families, [one.texts for one in found]), _place([one.directory for one in found]))


def is_whole(
    key: str, ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool] = lambda _directory: True
) -> bool:
    """Whether a sequence was really run from its first step to its last in several of these sessions."""
    return len(_occurrences(tuple(key.split(BETWEEN)), ends, is_there)) >= _SEVERAL


def _occurrences(
    families: Sequence[str], ends: Sequence[Sequence[CommandRan]], is_there: Callable[[str], bool]
) -> list[_Occurrence]:
    inside = [[ran for ran in commands if is_there(ran.directory)] for commands in ends]
    return [one for commands in inside if (one := _occurrence(families, commands))]


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


def _place(directories: Sequence[str]) -> str:
    if not directories:
        return ""
    directory, count = Counter(directories).most_common(1)[0]
    return directory if count >= _MOSTLY * len(directories) else ""
