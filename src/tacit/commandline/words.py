"""Words of a bash line: quotes, escapes, expansions, and what is skipped between words.

Nothing is expanded. Substitutions contain commands, which `bash.py` scans.
"""

from __future__ import annotations

from collections.abc import Collection

from tacit.record import Record
from tacit.text.display import regex

MAX_DEPTH = 20  # of substitutions, subshells and commands in strings
WORD_END = frozenset(" \t\r\n;&|()<>")
_PLAIN_RUN = r"""[^'"\\$` \t\r\n;&|()<>]+"""
_QUOTED_RUN = r'[^"\\$`]+'
_BRACES_RUN = r"""[^}\\'"$`]+"""
_ARITHMETIC_RUN = r"""[^$`"()'\n]+"""
_ANSI_QUOTES = r"(?s)\$'([^'\\]*(?:\\.[^'\\]*)*)'"
_ANSI_ESCAPE = r"(?s)\\(.)"
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_VARIABLE = r"\$(?:\w+|[?!@*#$-])?"


class ScanError(ValueError):
    """The line is not bash, is too long, or is nested too deeply."""


class Word(Record):
    """A word without its quotes. It is not literal if it has an expansion, whose value is not known."""

    text: str
    is_literal: bool = True
    is_quoted: bool = False


def program_name(words: tuple[Word, ...]) -> str:
    return words[0].text.rpartition("/")[2] if words and words[0].is_literal else ""


class WordScanner:
    """Scans words from a position of a line on. Whoever inherits from it scans the commands in substitutions."""

    def __init__(self, line: str, depth: int) -> None:
        self.line, self.position, self.end = line, 0, len(line)
        self.depth = depth

    def scan_subshell(self) -> object:
        """Scan `(…)`, of which the bracket is here."""
        raise NotImplementedError

    def scan_backquoted(self, text: str) -> None:
        """Scan the line that is between two backquotes."""
        raise NotImplementedError

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ScanError

    def scan_word(self) -> Word:
        """Scan one word, with everything in it that is quoted or expanded."""
        line, parts = self.line, list[str]()
        is_literal, is_quoted = True, False
        while self.position < self.end:
            start, char = self.position, line[self.position]
            if char in WORD_END:
                if char == "(" and parts and parts[-1].endswith("=") and not is_quoted:
                    self.position += 1
                    self.enter()
                    self.skip_words(" \t\r\n", (")",))  # the values of `name=(…)`
                    self.depth -= 1
                elif not parts and self.at(("<(", ">(")):
                    self.position += 1
                    self.scan_subshell()
                else:
                    break
                parts.append(line[start : self.position])
                is_literal = False
            elif text := self.scan_pattern(_PLAIN_RUN):
                parts.append(text)
                is_literal = is_literal and "*" not in text and "?" not in text and "{" not in text[:-1]
            elif char == "\\":
                if start + 1 >= self.end:
                    raise ScanError
                parts.append(line[start + 1].replace("\n", ""))
                self.position += 2
            elif char in "'\"" or self.at(("$'", '$"')):
                text, is_plain = self._scan_quotes(char)
                parts.append(text)
                is_literal, is_quoted = is_literal and is_plain, True
            else:
                parts.append(self.scan_expansion())
                is_literal = is_literal and parts[-1] == "$"
        return Word("".join(parts), is_literal, is_quoted)

    def _scan_quotes(self, char: str) -> tuple[str, bool]:
        """Return the text of a quoted string, and whether it has no expansion."""
        if char == "'":
            start, close = self.position + 1, self.line.find("'", self.position + 1)
            if close < 0:
                raise ScanError
            self.position = close + 1
            return self.line[start:close], True
        if self.at("$'"):
            quoted = regex(_ANSI_QUOTES).match(self.line, self.position)
            if not quoted:
                raise ScanError
            self.position = quoted.end()
            return regex(_ANSI_ESCAPE).sub(lambda escape: _ANSI_ESCAPES.get(escape[1], escape[1]), quoted[1]), True
        self.position += 1 + (char == "$")
        return self.scan_up_to('"', _QUOTED_RUN)

    def scan_up_to(self, closing: str, run: str) -> tuple[str, bool]:
        """Return the rest of a double-quoted string or of `${…}`, and whether it has no expansion.

        With "" as `closing` it goes on to the end of the text.
        """
        parts: list[str] = []
        is_plain = True
        while self.position < self.end:
            char = self.line[self.position]
            if text := self.scan_pattern(run):
                parts.append(text)
            elif char == closing:
                self.position += 1
                return "".join(parts), is_plain
            elif char == "\\":
                following = self.line[self.position + 1 : self.position + 2]
                parts.append("" if following == "\n" else following if following in '"\\$`' else f"\\{following}")
                self.position += 2
            elif char in "'\"":
                self._scan_quotes(char)
            else:
                parts.append(self.scan_expansion())
                is_plain = is_plain and parts[-1] == "$"
        if closing:
            raise ScanError
        return "".join(parts), is_plain

    def scan_expansion(self) -> str:
        """Scan `$x`, `${x}`, `$(…)`, `$((…))` or a backquoted command. Commands in it are commands of the line."""
        start = self.position
        self.enter()
        if self.at("$(("):
            self.position += 1
            self.skip_arithmetic()
        elif self.at("$("):
            self.position += 1
            self.scan_subshell()
        elif self.at("${"):
            self.position += 2
            self.scan_up_to("}", _BRACES_RUN)
        elif self.line[start] == "`":
            close = start + 1
            while close < self.end and self.line[close] != "`":
                close += 2 if self.line[close] == "\\" else 1
            if close >= self.end:
                raise ScanError
            inner = self.line[start + 1 : close].replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\")
            self.scan_backquoted(inner)
            self.position = close + 1
        else:
            self.scan_pattern(_VARIABLE)
        self.depth -= 1
        return self.line[start : self.position]

    # What is skipped. Commands in substitutions are commands of the line.

    def skip_arithmetic(self) -> None:
        """Skip `((…))`. A subshell in a subshell looks the same, and is not understood."""
        self.position += 2
        open_brackets = 2
        while self.position < self.end:
            char = self.line[self.position]
            if self.scan_pattern(_ARITHMETIC_RUN):
                continue
            if char in "$`":
                self.scan_expansion()
            elif char == '"':
                self._scan_quotes(char)
            elif char in "()":
                self.position += 1
                open_brackets += 1 if char == "(" else -1
                if open_brackets == 0:
                    return
                if char == ")" and open_brackets == 1 and not self.at(")"):
                    break
            else:
                break
        raise ScanError

    def skip_words(self, separators: Collection[str], closing: tuple[str, ...]) -> str:
        """Skip words up to a bracket or word of `closing`, and return it."""
        has_comments = ")" in closing
        while self.position < self.end:
            char = self.line[self.position]
            if char in closing:
                self.position += 1
                return char
            if char in separators and not self.at("<("):
                self.position += 1
            elif char == "#" and has_comments:
                self.skip_comment()
            elif char in WORD_END and not self.at("<("):
                raise ScanError
            elif (word := self.scan_word()).text in closing and word == Word(word.text):
                return word.text
        raise ScanError

    def skip_comment(self) -> None:
        newline = self.line.find("\n", self.position)
        self.position = self.end if newline < 0 else newline

    def at(self, text: str | tuple[str, ...]) -> bool:
        return self.line.startswith(text, self.position)

    def scan_pattern(self, pattern: str) -> str:
        """Return what a pattern matches here, "" if it does not, and skip it."""
        match = regex(pattern).match(self.line, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]
