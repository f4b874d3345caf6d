"""What makes two command lines the same habit.

A line is its pipelines (`a && b; c` has three parts); a pipeline is one habit, that of its first real command; the rest
of it are consumers. What only looks around or feeds a pipeline (`ls`, `cat`, `echo`) is trivial: `cat x | grep y` is a
`grep`. A group in brackets or braces is its commands, unless it is piped or redirected; a loop or condition is one
part, known by its first real command.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.learn.habits.line import MAX_COMMANDS, Pipeline, read
from tacit.learn.habits.naming import Named, named
from tacit.record import Record

_REMEMBERED = 4096  # lines
_REMEMBERED_LENGTH = 512  # characters; longer lines seldom come twice and would fill memory


class Part(Record):
    """One command of a line: what it is in every habit, and how it was typed."""

    family: str  # "git commit", "npm test", "make lint"; never empty
    text: str  # this part as typed (one pipeline), blanks trimmed, control characters but line breaks and tabs gone
    words: tuple[str, ...]  # the words of the first real command, unquoted, wrappers (sudo, env …) taken off
    consumers: tuple[str, ...]  # families of the further commands of the pipeline ("grep", "head")
    trivial: bool  # ls, cd, pwd, clear, exit, history …: not habits, not steps


def parts(line: str) -> tuple[Part, ...]:
    """The commands of a line in order: each part of `a && b; c` counts. Nothing for a blank line or a comment."""
    return _remembered(line) if len(line) <= _REMEMBERED_LENGTH else _parts(line)


def _parts(line: str) -> tuple[Part, ...]:
    return tuple(_part(pipeline) for pipeline in read(line))


_remembered = lru_cache(maxsize=_REMEMBERED)(_parts)


def _part(pipeline: Pipeline) -> Part:
    if len(pipeline.stages) == 1 and len(pipeline.stages[0]) == 1:  # most lines
        return _of(pipeline, named(pipeline.stages[0][0]))
    stages = tuple(_real(tuple(map(named, stage))) for stage in pipeline.stages)
    at = next((at for at, one in enumerate(stages) if not one.trivial), 0)
    return _of(pipeline, stages[at], tuple(one.family for one in stages[at + 1 :][:MAX_COMMANDS]))


def _of(pipeline: Pipeline, first: Named, consumers: tuple[str, ...] = ()) -> Part:
    # Text that had to be cut must never be run: it is nobody's step.
    return Part(first.family, pipeline.text, first.words, consumers, first.trivial or not pipeline.whole)


def _real(commands: tuple[Named, ...]) -> Named:
    """The first of them that is not trivial, or the first."""
    return next((one for one in commands if not one.trivial), commands[0])
