"""Simple commands of a bash line at command position, without a parser and without running anything.

`scan_commands` returns every simple command that the line would run: in chains, pipelines, subshells, loops, functions,
command and process substitutions. Comments, `case` patterns, array values and conditions are skipped. A line that is
not understood raises `ScanError`; nothing is guessed. The time is linear in the length of the line.

Only builtins are imported: an agent's tool call waits for this.
"""

from __future__ import annotations

from tacit.record import Record

MAX_LINE_CHARS = 100_000
CUT_MARK = "…"  # at the end of a line that was clipped when it was recorded
MAX_DEPTH = 20  # of substitutions, subshells and commands in strings
_KEYWORDS = frozenset(("if", "then", "elif", "else", "while", "until", "do", "!", "{", "coproc"))
_CLOSERS = frozenset(("fi", "done", "}"))
_KEYWORDS_AFTER_CLOSED = _CLOSERS | frozenset(("then", "elif", "else", "do", "esac"))
_OPERATORS = (";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "\n")
_CASE_OPERATORS = (";;&", ";;", ";&")
_BLANKS = " \t\r"
_WORD_END = frozenset(" \t\r\n;&|()<>")
_SPECIAL = frozenset("'\"\\$`") | _WORD_END
_DOUBLE_QUOTE_SPECIAL = frozenset('"\\$`')
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class ScanError(ValueError):
    """The line is not bash, is too long, or is nested too deeply."""


class Word(Record):
    """A word without its quotes. It is not literal if it has an expansion, whose value is not known."""

    text: str
    is_literal: bool = True
    is_quoted: bool = False


class SimpleCommand(Record):
    """A command as it would run.

    Attributes:
        words: the program and its arguments, behind assignments.
        outputs: the files that its output goes to.
        directory: where it runs, relative to where the line runs unless it is absolute; None if a `cd` made it unknown.
        heredoc: the text of its here-document.
        is_piped: whether it reads what another command writes.
        is_complete: false if the line ends within this command, so that words may be missing.
        outer: the commands that run this one, outermost first (`executions`).
    """

    words: tuple[Word, ...]
    outputs: tuple[Word, ...] = ()
    directory: str | None = ""
    heredoc: str = ""
    is_piped: bool = False
    is_complete: bool = True
    outer: tuple[tuple[Word, ...], ...] = ()

    @property
    def program(self) -> str:
        """The name of the program without its folder; "" if it is not known."""
        return program_name(self.words)


def program_name(words: tuple[Word, ...]) -> str:
    return words[0].text.rpartition("/")[2] if words and words[0].is_literal else ""


def scan_commands(line: str, directory: str | None = "", depth: int = 0) -> list[SimpleCommand]:
    """Return the simple commands of a line in order. Raise ScanError if it is not understood."""
    if len(line) > MAX_LINE_CHARS or depth > MAX_DEPTH:
        raise ScanError
    scanner = _Scanner(line, directory, depth)
    scanner.scan_list("")
    return scanner.commands


def scan_leading_commands(line: str) -> list[SimpleCommand]:
    """Return the commands up to where a line is clipped, or up to what is not understood. The last is incomplete."""
    text = line[:MAX_LINE_CHARS].rstrip()
    is_clipped = text.endswith(CUT_MARK)
    if is_clipped:  # the last word may go on
        text = text[: max(text.rfind(blank) for blank in " \t\n") + 1]
    scanner = _Scanner(text, "", 0)
    try:
        scanner.scan_list("")
    except ScanError:
        scanner.end_unfinished()
    commands = scanner.commands
    if is_clipped and commands:
        commands[-1] = commands[-1]._replace(is_complete=False)
    return commands


def changed_directory(directory: str | None, words: tuple[Word, ...]) -> str | None:
    """Return the directory after a `cd`, `pushd` or `popd`; None if it is not known."""
    targets = [word for word in words[1:] if word.text not in ("-P", "-L", "--")]
    if len(targets) != 1 or targets[0].text[:1] in ("-", "+"):
        return "~" if not targets and words[0].text == "cd" else None
    target = targets[0].text
    if not targets[0].is_literal:
        # What people write for the root of the repository they are in.
        return directory if target in ("$PWD", "$(git rev-parse --show-toplevel)", "$CLAUDE_PROJECT_DIR") else None
    if target.startswith(("/", "~")):
        return target
    return None if directory is None else f"{directory}/{target}" if directory else target


class _Frame:
    """The state of one list of commands: the unfinished command, and open `case` statements.

    `header` is the keyword of a loop or `case`, whose words are no command. `is_closed` is true behind `fi`, `done`,
    `}`, a condition or a subshell, where only redirections, operators and keywords may follow.
    """

    def __init__(self) -> None:
        self.cases = 0
        self.reset()

    def reset(self) -> None:
        self.words: list[Word] = []
        self.outputs: list[Word] = []
        self.heredocs: list[tuple[str, bool]] = []  # delimiter, and whether leading tabs are removed
        self.header = ""
        self.is_closed = self.is_piped = False


class _Scanner:
    def __init__(self, line: str, directory: str | None, depth: int) -> None:
        self.line, self.position, self.end = line, 0, len(line)
        self.directory, self.depth = directory, depth
        self.commands: list[SimpleCommand] = []
        self._frames: list[_Frame] = []
        self._heredocs: list[tuple[str, bool, int]] = []  # also the place of their command, -1 without one

    # Lists

    def scan_list(self, closing: str) -> None:
        """Scan commands up to `closing`, which is ")", or "" for the end of the line. It is consumed."""
        frame = _Frame()
        self._frames.append(frame)
        while self.position < self.end:
            char = self.line[self.position]
            if char in _BLANKS:
                self.position += 1
            elif char == "#":
                self._skip_comment()
            elif char == closing:
                self.position += 1
                break
            elif char in "<>" and not self._at("<(") and not self._at(">("):
                self._scan_redirect(frame)
            elif char in "\n;&|":
                self._scan_operator(frame)
            elif char in "()":
                self._scan_bracket(frame)
            elif self._at("\\\n"):
                self.position += 2
            else:
                self._add_word(frame)
        else:
            if closing:
                raise ScanError
        self._end_command(frame)
        if frame.cases:
            raise ScanError
        self._frames.pop()

    def _end_command(self, frame: _Frame, *, is_complete: bool = True) -> None:
        at = -1
        if (frame.words or frame.outputs) and not frame.header:
            words, at = tuple(frame.words), len(self.commands)
            self.commands.append(
                SimpleCommand(words, tuple(frame.outputs), self.directory, "", frame.is_piped, is_complete)
            )
            if words and words[0].text in ("cd", "pushd", "popd") and words[0].is_literal:
                self.directory = changed_directory(self.directory, words)
        self._heredocs += [(delimiter, is_indented, at) for delimiter, is_indented in frame.heredocs]
        frame.reset()

    def end_unfinished(self) -> None:
        """End the commands in which the scan stopped."""
        for frame in self._frames:
            self._end_command(frame, is_complete=False)

    def _scan_operator(self, frame: _Frame) -> None:
        if self._at("&>"):
            self._scan_redirect(frame)
            return
        operator = next(sign for sign in _OPERATORS if self._at(sign))
        self.position += len(operator)
        self._end_command(frame)
        frame.is_piped = operator in ("|", "|&")
        if operator == "\n":
            self._scan_heredocs()
        elif operator in _CASE_OPERATORS:
            if not frame.cases:
                raise ScanError
            frame.cases -= self._skip_pattern()

    def _scan_bracket(self, frame: _Frame) -> None:
        """Scan a subshell, `((…))`, or the brackets in the head of a function, whose body follows as a command."""
        if self._at(")"):
            raise ScanError
        if frame.words and not frame.header:
            if len(frame.words) != 1 or not self._skip_empty_brackets():
                raise ScanError
            frame.words = []
        elif self._at("(("):
            self._skip_arithmetic()
            frame.is_closed = True
        else:
            self._scan_subshell()
            frame.is_closed = True

    def _add_word(self, frame: _Frame) -> None:
        word = self._scan_word()
        if word.text.isdigit() and self.position < self.end and self.line[self.position] in "<>":
            return  # the number of a file descriptor
        is_plain = word.is_literal and not word.is_quoted
        if frame.is_closed:
            if not is_plain or word.text not in _KEYWORDS_AFTER_CLOSED:
                raise ScanError
            self._end_command(frame)
        if frame.words or frame.header or not is_plain or not self._scan_keyword(frame, word.text):
            frame.words.append(word)
        if frame.header == "case" and is_plain and word.text == "in" and len(frame.words) > 1:
            self._end_command(frame)
            frame.cases += 1
            frame.cases -= self._skip_pattern()

    def _scan_keyword(self, frame: _Frame, text: str) -> bool:
        """Scan what belongs to a keyword at the beginning of a command. Return whether the text is one."""
        match text:
            case "for" | "select" | "case":
                frame.header = text
            case "[[":
                self._skip_condition()
                frame.is_closed = True
            case "function":
                self._skip_blanks()
                self._scan_word()
                self._skip_blanks()
                self._skip_empty_brackets()
            case "esac":
                if not frame.cases:
                    raise ScanError
                frame.cases -= 1
                frame.is_closed = True
            case "time":
                self._skip_option("-p")
            case _ if text in _CLOSERS:
                frame.is_closed = True
            case _:
                return text in _KEYWORDS
        return True

    def _scan_subshell(self) -> None:
        """Scan `(…)`, which has a directory of its own."""
        self.position += 1
        directory = self.directory
        self._enter()
        self.scan_list(")")
        self.depth -= 1
        self.directory = directory

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ScanError

    # Words

    def _scan_word(self) -> Word:
        """Scan one word, with everything in it that is quoted or expanded."""
        parts: list[str] = []
        is_literal, is_quoted = True, False
        while self.position < self.end:
            char = self.line[self.position]
            if char == "(" and parts and parts[-1].endswith("=") and not is_quoted:
                self._scan_array()
                parts.append("()")
                is_literal = False
            elif char in "<>" and not parts and self.line[self.position + 1 : self.position + 2] == "(":
                self.position += 1
                self._scan_subshell()
                parts.append("<()")
                is_literal = False
            elif char in _WORD_END:
                break
            elif char in "'\"" or self._at("$'") or self._at('$"'):
                text, is_plain = self._scan_quotes()
                parts.append(text)
                is_literal, is_quoted = is_literal and is_plain, True
            elif char in "$`":
                parts.append(self._scan_expansion())
                is_literal = is_literal and parts[-1] == "$"
            else:
                text, is_plain = self._scan_plain()
                parts.append(text)
                is_literal = is_literal and is_plain
        text = "".join(parts)
        return Word(text, is_literal or text in ("{", "[["), is_quoted)

    def _scan_plain(self) -> tuple[str, bool]:
        """Return an escaped character or the text up to the next special one, and whether it has no glob or brace."""
        start = self.position
        if self.line[start] == "\\":
            if start + 1 >= self.end:
                raise ScanError
            self.position += 2
            return self.line[start + 1].replace("\n", ""), True
        while self.position < self.end and self.line[self.position] not in _SPECIAL:
            self.position += 1
        text = self.line[start : self.position]
        return text, "*" not in text and "?" not in text and "{" not in text[:-1]

    def _scan_quotes(self) -> tuple[str, bool]:
        """Return the text of a quoted string, and whether it has no expansion."""
        if self._at("$'"):
            return self._scan_ansi_quotes(), True
        if self._at("'"):
            start = self.position + 1
            self.position = self._find("'", start) + 1
            return self.line[start : self.position - 1], True
        self.position += self._at("$")
        return self._scan_double_quotes()

    def _scan_double_quotes(self) -> tuple[str, bool]:
        """Return the text of a double-quoted string, and whether it has no expansion."""
        self.position += 1
        parts: list[str] = []
        is_plain = True
        while self.position < self.end:
            char = self.line[self.position]
            if char == '"':
                self.position += 1
                return "".join(parts), is_plain
            if char == "\\":
                following = self.line[self.position + 1 : self.position + 2]
                parts.append("" if following == "\n" else following if following in '"\\$`' else f"\\{following}")
                self.position += 2
            elif char in "$`":
                expansion = self._scan_expansion()
                parts.append(expansion)
                is_plain = is_plain and expansion == "$"
            else:
                start = self.position
                while self.position < self.end and self.line[self.position] not in _DOUBLE_QUOTE_SPECIAL:
                    self.position += 1
                parts.append(self.line[start : self.position])
        raise ScanError

    def _scan_ansi_quotes(self) -> str:
        self.position += 2
        parts: list[str] = []
        while self.position < self.end:
            char = self.line[self.position]
            self.position += 1
            if char == "'":
                return "".join(parts)
            if char == "\\":
                following = self.line[self.position : self.position + 1]
                parts.append(_ANSI_ESCAPES.get(following, following))
                self.position += 1
            else:
                parts.append(char)
        raise ScanError

    def _scan_expansion(self) -> str:
        """Scan `$x`, `${x}`, `$(…)`, `$((…))` or a backquoted command. Commands in it are commands of the line."""
        start = self.position
        self._enter()
        if self._at("$(("):
            self.position += 1
            self._skip_arithmetic()
        elif self._at("$("):
            self.position += 1
            self._scan_subshell()
        elif self._at("${"):
            self.position += 2
            self._skip_braces()
        elif self.line[start] == "`":
            close = start + 1
            while close < self.end and self.line[close] != "`":
                close += 2 if self.line[close] == "\\" else 1
            if close >= self.end:
                raise ScanError
            inner = self.line[start + 1 : close].replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\")
            self.commands += scan_commands(inner, self.directory, self.depth + 1)
            self.position = close + 1
        else:
            self.position += 1
            following = self.line[self.position : self.position + 1]
            if following.isalnum() or following == "_":
                while self.position < self.end and (
                    self.line[self.position].isalnum() or self.line[self.position] == "_"
                ):
                    self.position += 1
            elif following and following in "?!@*#$-":
                self.position += 1
        self.depth -= 1
        return self.line[start : self.position]

    def _skip_braces(self) -> None:
        """Skip the rest of `${…}`. Commands in it are commands of the line."""
        while self.position < self.end:
            char = self.line[self.position]
            if char == "}":
                self.position += 1
                return
            if char == "\\":
                self.position += 2
            elif char == "'":
                self.position = self._find("'", self.position + 1) + 1
            elif char == '"':
                self._scan_double_quotes()
            elif char in "$`":
                self._scan_expansion()
            else:
                self.position += 1
        raise ScanError

    def _scan_array(self) -> None:
        """Skip the values of `name=(…)`. Commands in substitutions are commands of the line."""
        self.position += 1
        while self.position < self.end:
            char = self.line[self.position]
            if char == ")":
                self.position += 1
                return
            if char == "#":
                self._skip_comment()
            elif char in _BLANKS or char == "\n":
                self.position += 1
            elif char in _WORD_END and not self._at("<("):
                raise ScanError
            else:
                self._scan_word()
        raise ScanError

    # What is skipped

    def _skip_arithmetic(self) -> None:
        """Skip `((…))`. A subshell in a subshell looks the same, and is not understood."""
        self.position += 2
        open_brackets = 2
        while self.position < self.end:
            char = self.line[self.position]
            if char in "$`":
                self._scan_expansion()
                continue
            if char == '"':
                self._scan_double_quotes()
                continue
            self.position += 1
            if char == "(":
                open_brackets += 1
            elif char == ")":
                open_brackets -= 1
                if open_brackets == 1 and not self._at(")"):
                    raise ScanError
                if open_brackets == 0:
                    return
            elif char in "'\n;":
                if char == ";":  # for ((a; b; c))
                    continue
                raise ScanError
        raise ScanError

    def _skip_condition(self) -> None:
        """Skip `[[ … ]]`. Commands in substitutions are commands of the line."""
        while self.position < self.end:
            char = self.line[self.position]
            if char in _WORD_END and not self._at("<("):
                self.position += 1
            elif self._scan_word() == Word("]]"):
                return
        raise ScanError

    def _skip_pattern(self) -> bool:
        """Skip the pattern of a `case` item up to its bracket. Return whether `esac` ends the statement instead."""
        self._skip_blanks(newlines=True)
        if self._at("("):
            self.position += 1
        while self.position < self.end:
            char = self.line[self.position]
            if char == ")":
                self.position += 1
                return False
            if char in " \t\r|\n":
                self.position += 1
            elif char == "#":
                self._skip_comment()
            elif char in _WORD_END:
                raise ScanError
            elif self._scan_word() == Word("esac"):
                return True
        raise ScanError

    def _skip_comment(self) -> None:
        newline = self.line.find("\n", self.position)
        self.position = self.end if newline < 0 else newline

    def _skip_blanks(self, *, newlines: bool = False) -> None:
        while self.position < self.end:
            char = self.line[self.position]
            if char == "#" and newlines:
                self._skip_comment()
            elif char in _BLANKS or (newlines and char == "\n"):
                self.position += 1
            else:
                return

    def _skip_empty_brackets(self) -> bool:
        """Skip `()`. Return whether it was there."""
        if not self._at("("):
            return False
        close = self.line.find(")", self.position)
        if close < 0 or self.line[self.position + 1 : close].strip():
            return False
        self.position = close + 1
        return True

    def _skip_option(self, option: str) -> bool:
        start = self.position
        self._skip_blanks()
        if self._at(option) and self.line[self.position + len(option) :][:1] in " \t":
            self.position += len(option)
            return True
        self.position = start
        return False

    # Redirections

    def _scan_redirect(self, frame: _Frame) -> None:
        signs = ("<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">")
        sign = next(sign for sign in signs if self._at(sign))
        self.position += len(sign)
        self._skip_blanks()
        word = self._scan_word()
        if not word.text and not word.is_quoted:
            raise ScanError
        if sign in ("<<", "<<-"):
            frame.heredocs.append((word.text, sign == "<<-"))
        elif ">" in sign and not (sign == ">&" and (word.text.isdigit() or word.text == "-")):
            frame.outputs.append(word)

    def _scan_heredocs(self) -> None:
        for delimiter, is_indented, at in self._heredocs:
            start = end = self.position
            while self.position < self.end:
                newline = self.line.find("\n", self.position)
                stop = self.end if newline < 0 else newline
                row = self.line[self.position : stop]
                self.position = min(stop + 1, self.end)
                if (row.lstrip("\t") if is_indented else row) == delimiter:
                    break
                end = self.position
            if at >= 0:
                self.commands[at] = self.commands[at]._replace(heredoc=self.line[start:end])
        self._heredocs = []

    def _at(self, text: str) -> bool:
        return self.line.startswith(text, self.position)

    def _find(self, char: str, start: int) -> int:
        found = self.line.find(char, start)
        if found < 0:
            raise ScanError
        return found
