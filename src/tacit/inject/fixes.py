"""Which known fix fits a command that failed. A fix that does not fit is worse than none, so the failure must show it.

A learned fix says "When `COMMAND` fails with “ERROR”, use `OTHER`." Its error must be in the output and its program in
the command. A fix in a person's own words must share most of what it says of the failure with command and output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.index.reader import MemoryRow
from tacit.text.display import fenced, harmless_line
from tacit.text.words import STOP_WORDS, simple_stem, tokenize

_MAX_OUTPUT_CHARS = 16_000  # of the end of an output, and as many of its beginning
_MAX_FIX_CHARS = 500
_MIN_ERROR_CHARS = 8
_MIN_SHARE, _MIN_SHARED_WORDS = 0.75, 3  # of the words that say which failure is meant
_QUOTED_ERROR = re.compile(r"fails? with [“\"]([^”\"]{1,300})[”\"]")
_CODE = re.compile(r"`{1,2} ?([^`]{1,200}?) ?`{1,2}")
_PLACEHOLDER = re.compile(r"<[a-z]{2,12}>")  # where a fix left out what belongs to one moment
_ASIDE = re.compile(r"[^\w/.-]+")
_REMEDY = re.compile(r",? (?:is fixed by|is solved by|use|run|put|write|try|do|needs?)\b", re.IGNORECASE)
_WRAPPERS = frozenset("sudo env time npx bunx uvx exec command nice nohup".split())
_FORMATTING = re.compile(r"\bformat|\bwould reformat|\bprettier|\bgofmt", re.IGNORECASE)


def fitting_fix(fixes: Iterable[MemoryRow], command: str, output: str) -> MemoryRow | None:
    """Return the first fix that fits a failed command, None if none does."""
    if len(output) > 2 * _MAX_OUTPUT_CHARS:
        output = f"{output[:_MAX_OUTPUT_CHARS]}\n{output[-_MAX_OUTPUT_CHARS:]}"
    return next((fix for fix in fixes if fits(fix.sentence, command, output)), None)


def fits(sentence: str, command: str, output: str) -> bool:
    """Return whether a fix is for this failure."""
    failure, remedy = _split(sentence)
    if not remedy:
        return False
    named = _CODE.search(failure)
    is_named = named is None or _program(named[1]) in _words_of(command)
    if match := _QUOTED_ERROR.search(failure):
        return is_named and _occurs(match[1], output)
    if "fails on formatting" in failure:
        return named is not None and _begins_alike(named[1], command) and bool(_FORMATTING.search(output))
    asked = {simple_stem(word) for word in tokenize(failure) if word not in STOP_WORDS and word not in _EMPTY_WORDS}
    known = {simple_stem(word) for word in tokenize(f"{command} {output}")}
    shared = asked & known
    return is_named and len(shared) >= max(_MIN_SHARED_WORDS, _MIN_SHARE * len(asked))


_EMPTY_WORDS = frozenset("when if fails fail failed failing error command after with on".split())


def _split(sentence: str) -> tuple[str, str]:
    """Return what a fix says of the failure, and what it says to do."""
    quoted = _QUOTED_ERROR.search(sentence)  # an error may have the words of a remedy
    match = _REMEDY.search(sentence, quoted.end() if quoted else 0)
    return (sentence[: match.start()], sentence[match.end() :]) if match else (sentence, "")


def _occurs(error: str, output: str) -> bool:
    """Return whether an error is in an output, with anything on one line where it has a placeholder."""
    pieces = [piece for part in _PLACEHOLDER.split(error) if (piece := _ASIDE.sub(" ", part.lower()).strip())]
    if sum(map(len, pieces)) < _MIN_ERROR_CHARS:
        return False
    return any(_has_in_order(_ASIDE.sub(" ", line.lower()), pieces) for line in output.split("\n"))


def _has_in_order(line: str, pieces: Iterable[str]) -> bool:
    end = 0
    for piece in pieces:
        start = line.find(piece, end)
        if start < 0:
            return False
        end = start + len(piece)
    return True


def _words_of(command: str) -> list[str]:
    return re.split(r"[\s;&|()]+", command)


def _program(command: str) -> str:
    words = [word for word in command.split() if "=" not in word and word not in _WRAPPERS]
    return words[0] if words else ""


def _begins_alike(one: str, other: str) -> bool:
    """Return whether two commands have the same program and the same first argument."""
    first, rest = one.split()[:2], _words_of(other)
    return any(rest[at : at + len(first)] == first for at in range(len(rest)))


def render_fix(fix: MemoryRow, nonce: str) -> str:
    line = f"A known fix for this failure, as recorded: {harmless_line(fix.sentence, _MAX_FIX_CHARS)} ({fix.id})"
    return fenced([line], nonce, "fix")
