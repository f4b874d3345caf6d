"""Commands and pipelines of a bash line, without running anything.

`scan_commands` returns every simple command that the line would run: in chains, pipelines, subshells, loops, functions,
command and process substitutions. Comments, `case` patterns, array values and conditions are skipped. `scan_pipelines`
returns the pipelines of the line as they were typed. A line that is not understood raises `ScanError`; nothing is
guessed. The time is linear in the length of the line.

Little is imported: an agent's tool call waits for this.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from tacit.commandline.words import MAX_DEPTH, WORD_END, ScanError, Word, WordScanner, program_name
from tacit.record import Record
from tacit.text.display import regex

MAX_LINE_CHARS = 100_000
CUT_MARK = "…"  # at the end of a line that was clipped when it was recorded
MAX_COMMANDS = 8  # of one stage of a pipeline, and stages of a pipeline
_BLOCKS = {"if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac", "{": "}"}
_DIVIDERS = {"then": "fi", "elif": "fi", "else": "fi", "do": "done"}  # and the end of the blocks that have them
_CLOSERS = frozenset(_BLOCKS.values())
_PIPES = ("|", "|&")
_BLANKS = " \t\r"
_SYNTAX = WORD_END | {"#", "\\"}
_OPERATOR = r";;&?|;&|&&|\|[|&]?|[;&\n]"
_REDIRECTION = r"<<[<-]?|<[>&]?|&>>?|>[>|&]?"
_UNEXPANDED_RUN = r"[^\\$`]+"
_BLANK_RUN = r"[ \t\r]+"
_EMPTY_BRACKETS = r"[ \t\r]*\(\s*\)"
_TIME_OPTION = r"[ \t\r]+-p(?![^ \t])"
_PROGRAM_OPTION = r"[ \t\r]+-(?!p(?![^ \t]))"  # of `time`: with one it is the program, not the keyword


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


CommandWords = tuple[str, ...]
PipelineStage = tuple[CommandWords, ...]  # the commands of one stage: one, or those inside a group or a loop


class Pipeline(Record):
    """One pipeline as typed, and its stages.

    `is_own` is true if the shell that reads the line runs it itself, unless something fails before it: it has one
    stage and is neither in a subshell, nor in the background, nor behind `||`.
    """

    text: str
    stages: tuple[PipelineStage, ...]
    is_own: bool = True


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


def scan_pipelines(line: str) -> Iterator[Pipeline]:
    """Yield the pipelines of a line. A bare group is replaced by the pipelines in it; a loop is one pipeline.

    Raise ScanError if the line is not understood, or if keywords or operators are where no shell has them.
    """
    scanner = _Scanner(line, "", 0)
    stack = scanner.scan_list("").pipelines[::-1]
    if not scanner.is_well_formed:
        raise ScanError
    while stack:
        pipeline = stack.pop()
        if pipeline.inner and len(pipeline.stages) == 1:
            pipeline.inner[-1].is_background |= pipeline.is_background
            for inner in pipeline.inner:
                inner.is_own = inner.is_own and pipeline.is_own and not pipeline.is_background
            stack += pipeline.inner[::-1]
        else:
            yield scanner.as_typed(pipeline)


def first_word(text: str) -> CommandWords:
    return tuple(text.split(maxsplit=1)[:1]) or (text,)


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


class _Span:
    """A pipeline while it is scanned: where its text begins and ends, and the commands of each stage.

    `inner` are the pipelines of a group in brackets or braces, as long as nothing but the group is there.
    """

    inner: Sequence[_Span] = ()
    is_own = True
    is_background = is_function = False

    def __init__(self, start: int) -> None:
        self.start = self.end = start
        self.stages: list[list[CommandWords]] = [[]]

    def add(self, commands: Iterable[CommandWords]) -> None:
        """Add commands to the last stage. What a function runs is not run where it is defined."""
        if not self.is_function:
            stage = self.stages[-1]
            stage += islice(commands, MAX_COMMANDS - len(stage))


class _Block:
    """A list of pipelines up to `closer`: a line, a subshell, or what is between two keywords.

    `is_open` is true if what follows belongs to the last pipeline, `awaits_more` behind `|`, `&&`, `||` and the head of
    a function. `is_alternative` is true behind `||`. `is_group` is true for braces that begin a pipeline.
    """

    is_alternative = False

    def __init__(self, closer: str, *, is_group: bool = False) -> None:
        self.closer, self.is_group = closer, is_group
        self.pipelines: list[_Span] = []
        self.is_open = self.awaits_more = False

    def begin(self, start: int) -> _Span:
        """Return the pipeline to which what is at `start` belongs."""
        self.awaits_more = False
        if not self.is_open:
            self.pipelines.append(_Span(start))
            self.pipelines[-1].is_own = not self.is_alternative
            self.is_open, self.is_alternative = True, False
        return self.pipelines[-1]


class _Heredoc(Record):
    """A here-document whose body is not reached yet. `command` is the place of its command, -1 without one."""

    delimiter: str
    is_indented: bool  # leading tabs are removed
    is_expanded: bool  # commands in its substitutions run
    start: int
    command: int = -1


class _Frame:
    """The state of one list of commands: the unfinished command, open blocks and the number of open `case` statements.

    `header` is the keyword of a loop or `case`, whose words are no command. `is_closed` is true behind `fi`, `done`,
    `}`, a condition or a subshell, where only redirections, operators and keywords may follow.
    """

    def __init__(self, closing: str) -> None:
        self.blocks = [_Block(closing)]
        self.cases = 0
        self.reset()

    def reset(self) -> None:
        self.words: list[Word] = []
        self.outputs: list[Word] = []
        self.heredocs: list[_Heredoc] = []
        self.header = ""
        self.is_closed = self.is_piped = False


class _Scanner(WordScanner):
    def __init__(self, line: str, directory: str | None, depth: int) -> None:
        super().__init__(line, depth)
        self.directory = directory
        self.commands: list[SimpleCommand] = []
        self.frames: list[_Frame] = []
        self.is_well_formed = True  # keywords and operators are where they can be; commands are found in any case
        self._heredocs: list[_Heredoc] = []
        self._bodies: list[tuple[int, ...]] = []  # where a here-document is named, begins and ends, in order

    # Lists

    def scan_list(self, closing: str) -> _Block:
        """Scan commands up to `closing`, which is ")", or "" for the end of the line. It is consumed."""
        frame = _Frame(closing)
        self.frames.append(frame)
        while self.position < self.end:
            char = self.line[self.position]
            if char not in _SYNTAX:
                self._add_word(frame)
            elif char in _BLANKS:
                self.position += 1
            elif char == closing:
                self.position += 1
                break
            else:
                self._scan_syntax(frame, char)
        else:
            if closing:
                raise ScanError
        self._end_command(frame)
        if frame.cases:
            raise ScanError
        root = frame.blocks[0]
        if root.awaits_more or len(frame.blocks) > 1:
            self.is_well_formed = False
        self.frames.pop()
        return root

    def _scan_syntax(self, frame: _Frame, char: str) -> None:
        if char == "#":
            self.skip_comment()
        elif char in "\n;&|" and not self.at("&>"):
            self._scan_operator(frame)
        elif char in "<>&" and not self.at(("<(", ">(")):
            self._scan_redirect(frame)
        elif char in "()":
            self._scan_bracket(frame)
        elif self.at("\\\n"):
            self.position += 2
        else:
            self._add_word(frame)

    def _end_command(self, frame: _Frame, *, is_complete: bool = True) -> None:
        at = -1
        if (frame.words or frame.outputs) and not frame.header:
            words, at = tuple(frame.words), len(self.commands)
            self.commands.append(
                SimpleCommand(words, tuple(frame.outputs), self.directory, "", frame.is_piped, is_complete)
            )
            if words:
                if words[0].text in ("cd", "pushd", "popd") and words[0].is_literal:
                    self.directory = changed_directory(self.directory, words)
                texts = ("test",) if words[0].text == "[" else tuple([word.text for word in words])
                frame.blocks[-1].pipelines[-1].add((texts,))
        if frame.heredocs:
            self._heredocs += [heredoc._replace(command=at) for heredoc in frame.heredocs]
        frame.reset()

    def end_unfinished(self) -> None:
        """End the commands in which the scan stopped."""
        for frame in self.frames:
            self._end_command(frame, is_complete=False)

    def _scan_operator(self, frame: _Frame) -> None:
        operator = self.scan_pattern(_OPERATOR)
        block = frame.blocks[-1]
        if operator == "\n" and block.awaits_more and not (frame.heredocs or frame.outputs or frame.is_closed):
            self._scan_heredocs()  # a line break means nothing there
            return
        if operator == "\n":
            self._end_command(frame)
            self._scan_heredocs()
        elif operator[:2] in (";;", ";&"):
            self._end_command(frame)
            if not frame.cases:
                raise ScanError
            self._skip_pattern(frame)
        else:
            if block.awaits_more or not (block.is_open or frame.header):
                self.is_well_formed = False  # nothing is before it
            self._end_command(frame)
            frame.is_piped = operator in _PIPES
            block.awaits_more = frame.is_piped or operator in ("&&", "||")
            block.is_alternative = operator == "||"
            if block.is_open and frame.is_piped:
                block.pipelines[-1].stages.append([])
                return
            if block.is_open and operator == "&":
                block.pipelines[-1].is_background = True
        block.is_open = False

    def _scan_bracket(self, frame: _Frame) -> None:
        """Scan a subshell, `((…))`, or the brackets in the head of a function, whose body follows as a command."""
        if self.at(")"):
            raise ScanError
        block, start = frame.blocks[-1], self.position
        if frame.words and not frame.header:
            name = frame.words[0].text
            if len(frame.words) != 1 or not self.scan_pattern(_EMPTY_BRACKETS):
                raise ScanError
            frame.words = []
            self._begin_function(block, block.begin(start), name)
            return
        if self.at("(("):
            self.skip_arithmetic()
            if not frame.header:
                block.begin(start).end = self.position
        elif frame.header:
            self.scan_subshell()
            self.is_well_formed = False
        else:
            is_group = not block.is_open
            pipeline = block.begin(start)
            group = self.scan_subshell()
            group.is_group = is_group
            self._add_block(pipeline, group)
        frame.is_closed = True

    def _begin_function(self, block: _Block, pipeline: _Span, name: str) -> None:
        pipeline.add((("function", name),))
        pipeline.is_function = block.awaits_more = True

    def _add_word(self, frame: _Frame) -> None:
        start = self.position
        word = self.scan_word()
        if word.text.isdigit() and self.at(("<", ">")):  # the number of a file descriptor
            frame.blocks[-1].begin(start)
            return
        is_plain = word.is_literal and not word.is_quoted
        if frame.is_closed:
            if not is_plain or (word.text not in _CLOSERS and word.text not in _DIVIDERS):
                raise ScanError
            self._end_command(frame)
        if frame.words or frame.header or not is_plain or not self._scan_keyword(frame, word.text, start):
            if not frame.header:
                block = frame.blocks[-1]
                pipeline = block.pipelines[-1] if frame.words else block.begin(start)
                pipeline.end = self.position
            frame.words.append(word)
            if frame.header == "case" and is_plain and word.text == "in" and len(frame.words) > 1:
                self._end_command(frame)
                frame.cases += 1
                self._skip_pattern(frame)

    def _scan_keyword(self, frame: _Frame, text: str, start: int) -> bool:
        """Scan what belongs to a keyword at the beginning of a command. Return whether the text is one."""
        block = frame.blocks[-1]
        if text in _BLOCKS:
            frame.blocks.append(_Block(_BLOCKS[text], is_group=text == "{" and not block.is_open))
            block.begin(start)
            frame.header = text if text in ("for", "select", "case") else ""
        elif text in _DIVIDERS:
            if block.closer != _DIVIDERS[text]:
                self.is_well_formed = False
        elif text in _CLOSERS:
            if text == "esac":
                if not frame.cases:
                    raise ScanError
                frame.cases -= 1
            self._close_block(frame, text)
            frame.is_closed = True
        elif text == "[[":
            pipeline = block.begin(start)
            self.skip_words(WORD_END, ("]]",))
            pipeline.add((("test",),))
            pipeline.end = self.position
            frame.is_closed = True
        elif text == "function":
            pipeline = block.begin(start)
            self.scan_pattern(_BLANK_RUN)
            name = self.scan_word().text
            self.scan_pattern(_EMPTY_BRACKETS)
            self._begin_function(block, pipeline, name)
        elif text == "time" and not regex(_PROGRAM_OPTION).match(self.line, self.position):
            self.scan_pattern(_TIME_OPTION)
            block.begin(start).end = self.position
        elif text in ("!", "coproc"):
            block.begin(start).end = self.position
            block.awaits_more = True
        else:
            return False
        return True

    def _close_block(self, frame: _Frame, closer: str) -> None:
        block = frame.blocks[-1]
        if block.closer != closer or block.awaits_more:
            self.is_well_formed = False
            return
        frame.blocks.pop()
        self._add_block(frame.blocks[-1].pipelines[-1], block)

    def _add_block(self, pipeline: _Span, block: _Block) -> None:
        """Add the commands of a block to the pipeline that it is in."""
        if block.is_group:
            pipeline.inner = block.pipelines
        if block.closer == ")":
            pipeline.is_own = False
        pipeline.add(words for inner in block.pipelines for stage in inner.stages for words in stage)
        pipeline.end = self.position

    def scan_subshell(self) -> _Block:
        """Scan `(…)`, which has a directory of its own."""
        self.position += 1
        directory = self.directory
        self.enter()
        block = self.scan_list(")")
        self.depth -= 1
        self.directory = directory
        return block

    def scan_backquoted(self, text: str) -> None:
        self.commands += scan_commands(text, self.directory, self.depth + 1)

    def as_typed(self, span: _Span) -> Pipeline:
        """Return a pipeline with the bodies of the here-documents that are below its line."""
        text = self.line[span.start : span.end] + (" &" if span.is_background else "")
        first, last = (bisect_left(self._bodies, (place,)) for place in (span.start, span.end))
        text += "".join(self.line[start:end] for _, start, end in self._bodies[first:last] if start >= span.end)
        stages = tuple(tuple(stage) for stage in span.stages[: MAX_COMMANDS + 1] if stage)
        is_own = span.is_own and not span.is_background and len(span.stages) == 1
        return Pipeline(text.strip(), stages or ((first_word(text),),), is_own)

    # Redirections and patterns

    def _skip_pattern(self, frame: _Frame) -> None:
        """Skip the pattern of a `case` item up to its bracket, or `esac`, which ends the statement."""
        if self.skip_words(" \t\r\n|(", (")", "esac")) == "esac":
            frame.cases -= 1
            self._close_block(frame, "esac")

    def _scan_redirect(self, frame: _Frame) -> None:
        start = self.position
        sign = self.scan_pattern(_REDIRECTION)
        self.scan_pattern(_BLANK_RUN)
        word = self.scan_word()
        if not word.text and not word.is_quoted:
            raise ScanError
        pipeline = frame.blocks[-1].begin(start)
        pipeline.end, pipeline.inner = self.position, ()
        if sign in ("<<", "<<-"):
            is_expanded = not {"'", '"', "\\"}.intersection(self.line[start : self.position])
            frame.heredocs.append(_Heredoc(word.text, sign == "<<-", is_expanded, start))
        elif ">" in sign and not (sign == ">&" and (word.text.isdigit() or word.text == "-")):
            frame.outputs.append(word)

    def _scan_heredocs(self) -> None:
        for heredoc in self._heredocs:
            start = end = stop = self.position
            while self.position < self.end:
                newline = self.line.find("\n", self.position)
                stop = self.end if newline < 0 else newline
                row = self.line[self.position : stop]
                self.position = min(stop + 1, self.end)
                if (row.lstrip("\t") if heredoc.is_indented else row) == heredoc.delimiter:
                    break
                end = self.position
            body = self.line[start:end]
            insort(self._bodies, (heredoc.start, start - 1, stop))
            if heredoc.command >= 0:
                self.commands[heredoc.command] = self.commands[heredoc.command]._replace(heredoc=body)
            if heredoc.is_expanded and ("$(" in body or "`" in body):
                scanner = _Scanner(body, self.directory, self.depth + 1)
                with suppress(ScanError):  # only what is behind stays unknown
                    scanner.scan_up_to("", _UNEXPANDED_RUN)
                self.commands += scanner.commands
        self._heredocs = []
