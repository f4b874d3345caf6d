"""The sorts of errors, and the shape of a row in their tables."""

from __future__ import annotations

from enum import Enum

from tacit.record import Record


class Sort(Enum):
    """What an error says about the command."""

    DECLINED = "declined"  # the person, or the host, did not let it run
    MOMENT = "moment"  # true today only: conflicts, time-outs, races
    MISSING = "missing"  # a program, package or module that is not there
    PLACE = "place"  # the wrong directory
    STATE = "state"  # how the repository is set up: no upstream, ignored, a branch that is checked out elsewhere
    SYNTAX = "syntax"  # quoting, globs, patterns, expressions
    USAGE = "usage"  # a flag, field, argument or command that the program does not have
    SETTING = "setting"  # permissions, variables, logins, versions, services
    PATH = "path"  # a file that is not there: an everyday slip
    IDLE = "idle"  # there was nothing to do
    ADVICE = "advice"  # the program says what to do
    WORK = "work"  # what was worked on has a fault: compilers, linters, tests, hooks
    OTHER = "other"
    NOTHING = "nothing"  # no error was told


# Sorts whose mending may hold on.
LASTING = frozenset((Sort.USAGE, Sort.SYNTAX, Sort.MISSING, Sort.STATE, Sort.PLACE, Sort.SETTING, Sort.ADVICE))


class Row(Record):
    """A phrase that errors of one sort share, whatever the program, and a line that it is found in."""

    phrase: str
    example: str
