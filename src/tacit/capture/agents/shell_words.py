"""The commands of a shell line with their words, as far as they can be told without running it.

A word with a variable, a glob or a substitution is not literal: what it stands for is not known here. Nothing is ever
guessed, and nothing is ever an error: where the line cannot be followed, what was understood before that is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.record import Record

_MOST = 20_000  # characters of a line that are looked at
# Quoted and escaped text, operators, and everything else up to the next of them.
_TOKEN = re.compile(
    r"(?P<blank>[ \t]+|\\\n)"
    r"|(?P<comment>(?:(?<=\s)|\A)#[^\n]*)"
    r"|(?P<heredoc>\d?<<-?(?!<))"
    r"|(?P<redirect>&>>?|\d?>>|\d?>\||\d?>&?|\d?<<<|\d?<&?)"
    r"|(?P<operator>&&|\|\||;;|\|&|[;&|\n(){}])"
    r"|(?P<single>'[^']*')"
    r'|(?P<double>"(?:[^"\\]|\\.)*")'
    r"|(?P<escape>\\.)"
    r"|(?P<opaque>\$\([^()]*\)|\$\{[^{}]*\}|`[^`]*`|[$*?\[\]`~\"'\\])"
    r"|(?P<plain>[^\s'\"\\$*?\[\]`~;&|(){}<>]+)",
    re.DOTALL,
)
_BRACKETS = ("(", ")")
_UNQUOTED = re.compile(r"\\([$`\"\\\n])")
_DELIMITER = re.compile(r"[ \t]*(['\"\\]?)([A-Za-z0-9_.-]{1,100})['\"]?")


class Word(Record):
    """A word; `text` is what it says when it is literal."""

    text: str
    is_literal: bool = True


class Step(Record):
    """A command, the files it writes its output to, what it is fed, and the operator before it."""

    words: tuple[Word, ...]
    outputs: tuple[Word, ...]
    fed: str
    after: str


class _Reading:
    """What was read so far of the line."""

    def __init__(self, line: str) -> None:
        self.line, self.at = line[:_MOST], 0
        self.steps: list[Step] = []
        self._words: list[Word] = []
        self._outputs: list[Word] = []
        self._word: Word | None = None
        self._writes = self._reads = False
        self._after = self._fed = ""
        self._delimiters: list[str] = []

    def add(self, text: str, *, is_literal: bool = True) -> None:
        before = self._word or Word("")
        self._word = Word(before.text + text, before.is_literal and is_literal)

    def end_word(self) -> None:
        if self._word is None:
            return
        if self._writes:
            self._outputs.append(self._word)
        elif not self._reads:
            self._words.append(self._word)
        self._word, self._writes, self._reads = None, False, False

    def redirect(self, sign: str) -> None:
        if self._word is not None and not (self._word.text.isdigit() and self._word.is_literal):
            self.end_word()
        self._word = None
        self._writes = ">" in sign and not sign.endswith(">&")
        self._reads = not self._writes

    def heredoc(self) -> None:
        self.end_word()
        if found := _DELIMITER.match(self.line, self.at):
            self._delimiters.append(found[2])
            self.at = found.end()

    def operator(self, sign: str) -> None:
        self.end_word()
        if sign == "\n":
            self._take_heredocs()
        if self._words or self._outputs or sign in _BRACKETS:
            self.steps.append(Step(tuple(self._words), tuple(self._outputs), self._fed, self._after))
        elif self._after in _BRACKETS:
            return  # `(…); next`: what comes next is behind the bracket
        self._words, self._outputs, self._fed, self._after = [], [], "", sign

    def _take_heredocs(self) -> None:
        for delimiter in self._delimiters:
            begin = self.at
            ended = begin
            for row in self.line[begin:].split("\n"):
                self.at = min(ended + len(row) + 1, len(self.line))
                if row.lstrip("\t").rstrip(" \t") == delimiter:
                    break
                ended = self.at
            self._fed = self.line[begin:ended]
        self._delimiters = []


def steps(line: str) -> list[Step]:
    """The commands of a line in their order."""
    reading = _Reading(line)
    for kind, text in _tokens(reading):
        match kind:
            case "blank" | "comment":
                reading.end_word()
            case "heredoc":
                reading.heredoc()
            case "redirect":
                reading.redirect(text)
            case "operator":
                reading.operator(text)
            case "single":
                reading.add(text[1:-1])
            case "double":
                reading.add(_UNQUOTED.sub(r"\1", text[1:-1]), is_literal="$" not in text and "`" not in text)
            case "escape":
                reading.add(text[1:])
            case "opaque":
                reading.add(text, is_literal=False)
            case _:
                reading.add(text)
    reading.operator("\n")
    return reading.steps


def _tokens(reading: _Reading) -> Iterator[tuple[str, str]]:
    while reading.at < len(reading.line):
        found = _TOKEN.match(reading.line, reading.at)
        if found is None:
            reading.at += 1
            continue
        reading.at = found.end()
        yield found.lastgroup or "", found[0]
