"""What went wrong, read from the result of a call: the line that tells it, its sort, and what it names."""

from __future__ import annotations

import re
from functools import lru_cache

from tacit.learn.fixes.sorts import LASTING, Sort
from tacit.learn.fixes.troubles import PHRASES, WORK_PHRASES
from tacit.record import Record

_MOST_LINES = 60
_REMEMBERED = 1024  # lines: a failure is read again at every call that may have mended it
_LONGEST_LINE = 400  # characters of a line that are looked at
# Where a result was cut, two lines meet; a few letters behind the cut tell nothing.
_BREAK = re.compile(r"\n| \[…[\d,]{1,12} characters left out…\] (?:[^\n]{0,20}(?:\n|$))?")
_FRAME = re.compile(r"^(?:Exit code:? \d{1,3}|.{0,200}?\bstderr: |Wall time: .{0,40}|Output:)", re.IGNORECASE)
_STYLE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_USAGE = re.compile(r"^\s{0,4}usage:", re.IGNORECASE)
_NAMED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s][^`'\"‘’“”\n]{0,60})[`'\"’”]|(?<![\w-])(--?[A-Za-z][\w-]{0,40})")
_SHORT = re.compile(r"\boption -- ['\"`]?(\w)\b")
_ERROR = re.compile(r"\b(?:error|fatal|failed|cannot|unable)\b", re.IGNORECASE)
# A shell or a program that tells of itself what went wrong; all else in a result that counts as well is its content.
_SHELL = re.compile(r"^(?:\(eval\):\d{1,5}:|(?:/bin/)?(?:ba|z|da|k)?sh: )")
_PROGRAM = re.compile(
    r"^(?:error|fatal|usage|npm err!|npm error|unknown|unrecogni[sz]ed|invalid|illegal|flag provided)\b", re.IGNORECASE
)
_OWN_NAME = re.compile(r"^([A-Za-z][\w.+-]{0,30}): ")
_HEAD = 3  # lines of a result in which a failure that was hidden is looked for


class Trouble(Record):
    """`line` is an exact part of the result; `named` are the words and flags in quotes there; `text` is all of it."""

    sort: Sort
    line: str = ""
    named: frozenset[str] = frozenset()
    text: str = ""


NO_TROUBLE = Trouble(Sort.NOTHING)


def lines_of(result: str) -> list[str]:
    """The lines of a result, without what a host puts in front of them."""
    lines = (_FRAME.sub("", line[:_LONGEST_LINE], count=1).strip() for line in _BREAK.split(result)[:_MOST_LINES])
    return [line for line in lines if line]


def trouble_of(result: str, noise: frozenset[str] = frozenset()) -> Trouble:
    """What a failure tells. Lines that a success has as well (`noise`) are not what went wrong."""
    lines = [line for line in lines_of(result) if line not in noise]
    told = [(sort_of(line), line) for line in lines]
    sort, line = _decided(told, [line for line in lines if is_work(line)])
    return Trouble(sort, line, named_in(line), "\n".join(lines))


def trouble_among(result: str, programs: frozenset[str], noise: frozenset[str] = frozenset()) -> Trouble:
    """What a failure tells among much that is only content: lines in which a program speaks of itself."""
    telling = [line for line in lines_of(result) if _tells_of_itself(line, programs, shows_files=False)]
    return trouble_of("\n".join(telling), noise)


def trouble_behind(result: str, programs: frozenset[str], *, shows_files: bool) -> Trouble:
    """What went wrong in a call that counts as well, where a pipe or `|| true` hid it.

    Of a command that shows files no line of them is believed: only what the shell says, or a program by its name.
    """
    lines = lines_of(result)[:_HEAD]
    telling = [line for line in lines if _tells_of_itself(line, programs, shows_files=shows_files)]
    return trouble_of("\n".join(telling)) if telling and not any(map(is_work, lines)) else NO_TROUBLE


def _tells_of_itself(line: str, programs: frozenset[str], *, shows_files: bool) -> bool:
    own = _OWN_NAME.match(line)
    is_own = own is not None and own[1] in programs
    return is_own or _SHELL.match(line) is not None or (not shows_files and _PROGRAM.match(line) is not None)


@lru_cache(maxsize=_REMEMBERED)
def sort_of(line: str) -> Sort:
    plain = _STYLE.sub("", line)
    found = next((phrase.sort for phrase in PHRASES if phrase.pattern.search(plain)), Sort.OTHER)
    return Sort.USAGE if found is Sort.OTHER and _USAGE.match(plain) else found


@lru_cache(maxsize=_REMEMBERED)
def is_work(line: str) -> bool:
    plain = _STYLE.sub("", line)
    return any(phrase.pattern.search(plain) for phrase in WORK_PHRASES)


def named_in(line: str) -> frozenset[str]:
    """What stands in quotes, and flags; `illegal option -- d` names `-d`."""
    short = {f"-{found[1]}" for found in _SHORT.finditer(line)}
    return frozenset(found[1] or found[2] for found in _NAMED.finditer(line)) | short


# Which of several lines tells it: what must not be learnt first, the plain reason before the advice.
_NEVER = (Sort.DECLINED, Sort.MOMENT)
_EVEN_AT_WORK = (Sort.MISSING, Sort.PLACE)
_PLAINLY = tuple(sort for sort in Sort if sort in LASTING and sort is not Sort.ADVICE)
_MARKED = re.compile(r"(?:fatal|error)\b", re.IGNORECASE)


def _decided(told: list[tuple[Sort, str]], at_work: list[str]) -> tuple[Sort, str]:
    if not told:
        return Sort.NOTHING, ""
    if found := _first(told, _NEVER):
        return found
    if at_work:
        return _first(told, _EVEN_AT_WORK) or (Sort.WORK, at_work[-1])
    plain = next((line for _, line in told if _ERROR.search(line)), "")
    found = _first(told, _PLAINLY) or _first(told, (Sort.PATH, Sort.IDLE))
    if found is None and (advice := _first(told, (Sort.ADVICE,))):
        found = Sort.ADVICE, plain or advice[1]
    return found or (Sort.OTHER, plain or told[0][1])


def _first(told: list[tuple[Sort, str]], sorts: tuple[Sort, ...]) -> tuple[Sort, str] | None:
    """The first line of these sorts; one that says it is the error before others."""
    those = [one for one in told if one[0] in sorts]
    return next((one for one in those if _MARKED.match(one[1])), those[0] if those else None)
