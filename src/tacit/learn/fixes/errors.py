"""What went wrong, read from the output of a failed call: its class, the line that says it, and what the line names.

The patterns are in `errors.toml`.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache, lru_cache

from tacit.learn import load_data
from tacit.record import Record


class ErrorClass(Enum):
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


# Classes whose fix may hold on.
LASTING = frozenset(map(ErrorClass, ("usage", "syntax", "missing", "state", "place", "setting", "advice")))


_MAX_LINES = 60
_MAX_CACHED_LINES = 1024  # a failure is parsed again at every call that may have fixed it
_MAX_LINE_CHARS = 400
# Where a result was cut, two lines meet; a few letters behind the cut say nothing.
_BREAK = re.compile(r"\n| \[…[\d,]{1,12} characters left out…\] (?:[^\n]{0,20}(?:\n|$))?")
_FRAME = re.compile(r"^(?:Exit code:? \d{1,3}|.{0,200}?\bstderr: |Wall time: .{0,40}|Output:)", re.IGNORECASE)
_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_USAGE = re.compile(r"^\s{0,4}usage:", re.IGNORECASE)
_NAMED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s][^`'\"‘’“”\n]{0,60})[`'\"’”]|(?<![\w-])(--?[A-Za-z][\w-]{0,40})")
_SHORT = re.compile(r"\boption -- ['\"`]?(\w)\b")
_ERROR = re.compile(r"\b(?:error|fatal|failed|cannot|unable)\b", re.IGNORECASE)
# A shell or a program that says what went wrong; everything else in the output of a successful call is content.
_SHELL = re.compile(r"^(?:\(eval\):\d{1,5}:|(?:/bin/)?(?:ba|z|da|k)?sh: )")
_PROGRAM = re.compile(
    r"^(?:error|fatal|usage|npm err!|npm error|unknown|unrecogni[sz]ed|invalid|illegal|flag provided)\b", re.IGNORECASE
)
_OWN_NAME = re.compile(r"^([A-Za-z][\w.+-]{0,30}): ")
_HEAD = 3  # lines of a result in which a hidden failure is searched


class ErrorPattern(Record):
    """A phrase that errors of one class share, whatever the program, and a line that contains it."""

    error_class: ErrorClass
    pattern: re.Pattern[str]
    example: str


@cache
def error_patterns() -> tuple[ErrorPattern, ...]:
    """Return the rows of `errors.toml` in order."""
    return tuple(
        ErrorPattern(ErrorClass(name), re.compile(row["pattern"], re.IGNORECASE), row["example"])
        for name, rows in load_data("fixes/errors.toml").items()
        for row in rows
    )


class ParsedError(Record):
    """`line` is an exact part of the result; `named` are the words and flags in quotes there; `text` is all of it."""

    error_class: ErrorClass
    line: str = ""
    named: frozenset[str] = frozenset()
    text: str = ""


NO_ERROR = ParsedError(ErrorClass.NOTHING)


def lines_of(result: str) -> list[str]:
    """Return the lines of a result, without what a host puts in front of them."""
    lines = (_FRAME.sub("", line[:_MAX_LINE_CHARS], count=1).strip() for line in _BREAK.split(result)[:_MAX_LINES])
    return [line for line in lines if line]


def parse_error(result: str, noise: frozenset[str] = frozenset()) -> ParsedError:
    """Return the error of a failed call. Lines that a success has as well (`noise`) are not what went wrong."""
    lines = [line for line in lines_of(result) if line not in noise]
    work_errors = [line for line in lines if is_work_error(line)]
    error_class, line = _choose_line([(classify_line(line), line) for line in lines], work_errors)
    return ParsedError(error_class, line, named_in(line), "\n".join(lines))


def parse_error_among(result: str, programs: frozenset[str], noise: frozenset[str] = frozenset()) -> ParsedError:
    """Return the error among much content: from lines in which a program speaks of itself."""
    lines = [line for line in lines_of(result) if _is_own_message(line, programs, shows_files=False)]
    return parse_error("\n".join(lines), noise)


def parse_hidden_error(result: str, programs: frozenset[str], *, shows_files: bool) -> ParsedError:
    """Return the error in a call that counts as successful because a pipe or `|| true` hid its status.

    If a command shows files, only lines of the shell, or of a program with its name, are believed.
    """
    lines = lines_of(result)[:_HEAD]
    messages = [line for line in lines if _is_own_message(line, programs, shows_files=shows_files)]
    return parse_error("\n".join(messages)) if messages and not any(map(is_work_error, lines)) else NO_ERROR


def _is_own_message(line: str, programs: frozenset[str], *, shows_files: bool) -> bool:
    name = _OWN_NAME.match(line)
    is_own = name is not None and name[1] in programs
    return is_own or _SHELL.match(line) is not None or (not shows_files and _PROGRAM.match(line) is not None)


@lru_cache(maxsize=_MAX_CACHED_LINES)
def classify_line(line: str) -> ErrorClass:
    plain = _STYLE.sub("", line)
    for row in error_patterns():
        if row.error_class is not ErrorClass.WORK and row.pattern.search(plain):
            return row.error_class
    return ErrorClass.USAGE if _USAGE.match(plain) else ErrorClass.OTHER


@lru_cache(maxsize=_MAX_CACHED_LINES)
def is_work_error(line: str) -> bool:
    plain = _STYLE.sub("", line)
    return any(row.pattern.search(plain) for row in error_patterns() if row.error_class is ErrorClass.WORK)


def named_in(line: str) -> frozenset[str]:
    """Return what stands in quotes, and flags; `illegal option -- d` names `-d`."""
    short = {f"-{match[1]}" for match in _SHORT.finditer(line)}
    return frozenset(match[1] or match[2] for match in _NAMED.finditer(line)) | short


# Which of several lines is the error: first what must not be learned, and the reason before the advice.
_NEVER = (ErrorClass.DECLINED, ErrorClass.MOMENT)
_EVEN_AT_WORK = (ErrorClass.MISSING, ErrorClass.PLACE)
_PLAINLY = tuple(error_class for error_class in ErrorClass if error_class in LASTING - {ErrorClass.ADVICE})
_MARKED = re.compile(r"(?:fatal|error)\b", re.IGNORECASE)


def _choose_line(lines: list[tuple[ErrorClass, str]], work_errors: list[str]) -> tuple[ErrorClass, str]:
    if not lines:
        return ErrorClass.NOTHING, ""
    if choice := _first_of_classes(lines, _NEVER):
        return choice
    if work_errors:
        return _first_of_classes(lines, _EVEN_AT_WORK) or (ErrorClass.WORK, work_errors[-1])
    plain = next((line for _, line in lines if _ERROR.search(line)), "")
    choice = _first_of_classes(lines, _PLAINLY) or _first_of_classes(lines, (ErrorClass.PATH, ErrorClass.IDLE))
    if choice is None and (advice := _first_of_classes(lines, (ErrorClass.ADVICE,))):
        choice = ErrorClass.ADVICE, plain or advice[1]
    return choice or (ErrorClass.OTHER, plain or lines[0][1])


def _first_of_classes(
    lines: list[tuple[ErrorClass, str]], classes: tuple[ErrorClass, ...]
) -> tuple[ErrorClass, str] | None:
    """Return the first line of these classes, one that is marked as the error before others."""
    choices = [choice for choice in lines if choice[0] in classes]
    return next((choice for choice in choices if _MARKED.match(choice[1])), choices[0] if choices else None)
