"""Shell lines: pipelines, words, quotes and here-documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from tacit.record import Record
from tacit.text.display import clean, clip

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


# The commands of a shell line with their words, as far as they can be told without running it.
#
# A word with a variable, a glob or a substitution is not literal: what it stands for is not known here. Nothing is
# ever guessed, and nothing is ever an error: where the line cannot be followed, what was understood before that is
# given.

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


CUT = "…"  # at the end of a command of which only the beginning was kept

_PIECE = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)|\s+|.", re.DOTALL)
_QUOTED = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)
_QUOTES = str.maketrans("", "", "'\"\\")
_JOINTS = frozenset(("|", "||", "&&", ";", "|&"))


def typed(command: str) -> list[str]:
    """The words with their quotes. What is between quotes that never close is one word."""
    words = [""]
    for piece in _PIECE.finditer(command):
        if piece[0].isspace():
            words.append("")
        else:
            words[-1] += " ".join(piece[0].split(" "))
    return [" ".join(word.split()) for word in words if word]


def whole(command: str) -> list[str]:
    """The same, but the last word of a command that was cut is left out: it may not be whole."""
    words = typed(command)
    return words[:-1] if command.endswith(CUT) and len(words) > 1 else words


def unquoted_word(word: str) -> str:
    return word.translate(_QUOTES)


def outside_quotes(word: str) -> str:
    """What of a word the shell itself reads."""
    return _QUOTED.sub(" ", word)


# A command line, read: its pipelines in order, and the words of each command in them.
#
# Three ways to read, and never an exception. A line of plain words needs no parser. Any other line is parsed as bash.
# A line that is no bash (a quote left open, the syntax of fish or zsh), is too long or has too many signs is one
# pipeline, kept as typed and read loosely: its words are split at blanks. Trees are walked without recursion, so
# nesting costs no stack.

MAX_LINE = 8192  # characters; what is longer is never a habit, and its text is cut
MAX_SIGNS = 400  # of structure; the parser's time grows with their square
MAX_PARTS = 20
MAX_COMMANDS = 8  # that are looked at in one stage of a pipeline, and stages of a pipeline

Words = tuple[str, ...]
Stage = tuple[Words, ...]  # the commands of one stage: one, or those inside a group or a loop


class Pipeline(Record):
    """One part of a line as typed, and its stages; `whole` is false where the text had to be cut."""

    text: str
    stages: tuple[Stage, ...]
    whole: bool = True


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./~^*? \-]+")
_SIGNS = re.compile(r"[|&;<>(){}\[$`=]")
# Words that begin something else than a command. (A lone `-` is lost by the grammar before an assignment.)
_GRAMMAR = frozenset("if then elif else fi for while until do done case esac select function in begin end".split())


def read(line: str) -> tuple[Pipeline, ...]:
    """The pipelines of a line; nothing for a blank line or a comment."""
    text = scrub(line)
    if len(text) <= MAX_LINE and _PLAIN.fullmatch(text):
        words = tuple(text.split())
        if words and words[0] not in _GRAMMAR and ("-" not in words or "=" not in text):
            return (Pipeline(text, ((words,),)),)
    return read_any(text)


def read_any(text: str) -> tuple[Pipeline, ...]:
    """The same for scrubbed text of any kind, without the short way for plain words."""
    if not text or (text.startswith("#") and "\n" not in text):
        return ()
    if len(text) > MAX_LINE:
        return (_loosely(text[:MAX_LINE])._replace(text=clip(text, MAX_LINE), whole=False),)
    if len(text) > MAX_SIGNS and len(_SIGNS.findall(text)) > MAX_SIGNS:
        return (_loosely(text),)
    return _parsed(text)


def scrub(line: str) -> str:
    """Blanks trimmed, control characters gone but line breaks and tabs, line ends of one kind."""
    if line.isascii() and line.isprintable():
        return line.strip()
    head = line if len(line) <= MAX_LINE * 2 else line[: MAX_LINE * 2]
    return _CONTROLS.sub("", clean(head.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))).strip()


# --- loosely -------------------------------------------------------------------------------------------------------

_QUOTED_LINE = re.compile(r"""\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|[;&|\n]+""", re.DOTALL)
_OPENERS = frozenset("if while until begin then do else { (".split())
_HEADERS = frozenset("for switch case select foreach repeat".split())


def _loosely(text: str) -> Pipeline:
    """One pipeline for the whole text; the commands are what stands between separators outside quotes."""
    commands = (words for segment in _segments(text) if (words := _loose_words(segment)))
    return Pipeline(text, (tuple(islice(commands, MAX_COMMANDS)) or (_first_word(text),),))


def _segments(text: str) -> Iterator[str]:
    begin = 0
    for found in _QUOTED_LINE.finditer(text):
        if found[0][0] in ";&|\n":
            yield text[begin : found.start()]
            begin = found.end()
    yield text[begin:]


def _loose_words(segment: str) -> Words:
    """The words up to a sign that is no word; nothing for the head of a loop and for what only closes a block."""
    words = segment.split()
    while words and (words[0] in _OPENERS or words[:2] == ["time", "{"]):
        del words[0]
    if not words or words[0].startswith("#") or words[0] in _HEADERS or words[0] in _GRAMMAR - {"function"}:
        return ()
    signs = (at for at, word in enumerate(words) if at and word[0] in "()<>{}")
    return tuple(unquoted(word) for word in words[: next(signs, len(words))])


# --- parsed --------------------------------------------------------------------------------------------------------

_FLAT = frozenset(("program", "list", "pipeline", "redirected_statement", "negated_command"))
_GROUPS = frozenset(("subshell", "compound_statement"))
_STRUCTURE = _FLAT | _GROUPS | frozenset(
    "if_statement elif_clause else_clause while_statement for_statement "
    "c_style_for_statement do_group case_statement case_item".split()
)  # fmt: skip
_COMMANDS = frozenset(
    "command declaration_command unset_command test_command variable_assignment variable_assignments "
    "function_definition".split()
)
_REDIRECTS = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
_HEREDOC = "heredoc_redirect"
_ON_THE_LINE = frozenset(
    ("<<", "<<-", "heredoc_start", "file_redirect", "word", "raw_string", "string", "concatenation")
)
_BELOW = frozenset(("heredoc_body", "heredoc_end"))
_PIPES = ("|", "|&")
_TIMED = (("time",), ("time", "-p"))
_NO_WORDS = _REDIRECTS | {"comment", "subshell"}


@cache
def _parser() -> Parser:
    """Loaded only where a line needs it: questions never do."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(slots=True)
class _Unit:
    """One part while it is put together: the nodes of each stage, and where its text lies."""

    begin: int
    end: int
    stages: list[list[Node]]
    bodies: list[tuple[int, int]] = field(default_factory=list)  # of heredocs: they stand below the line
    background: bool = False

    def group(self) -> Node | None:
        """The group that is all there is to it."""
        node = self.stages[0][0] if len(self.stages) == 1 == len(self.stages[0]) else None
        return node if node is not None and node.type in _GROUPS and node.children[0].type != "((" else None


def _parsed(text: str) -> tuple[Pipeline, ...]:
    found: list[Pipeline] = []
    for root, source in islice(_roots(text.encode()), MAX_PARTS):
        if root.has_error:
            return (_loosely(text),)
        found += [_pipeline(unit, source) for unit in islice(_units(root, source), MAX_PARTS)]
    # The grammar does not know `time { a; b; }` and takes its braces for words.
    return (
        (_loosely(text),) if any(("}",) in stage for one in found for stage in one.stages) else tuple(found[:MAX_PARTS])
    )


def _roots(source: bytes) -> Iterator[tuple[Node, bytes]]:
    """The tree of the text; where the grammar overlooks a line break, the trees of what is before and behind it."""
    while source:
        root = _tree(source)
        cut = _overlooked(root, source) if b"\n" in source else 0
        if cut:
            root = _tree(source[:cut])
        yield root, source[:cut] if cut else source
        source = source[cut:] if cut else b""


_BEYOND_ASCII = bytes(sign if sign < 0x80 else ord("x") for sign in range(256))


def _tree(source: bytes) -> Node:
    """The parser looks letters up in a table of a few hundred, and may die of an emoji or of letters of most scripts.

    To a shell all of them are parts of words: a plain letter stands for each of their bytes, so places stay the same.
    """
    return _parser().parse(source.translate(_BEYOND_ASCII)).root_node


def _overlooked(root: Node, source: bytes) -> int:
    """The place of a line break inside a command: `d` in `a | b | c⏎d > x` is to the grammar a word of `c`."""
    for node in _row(root):
        if node.type in ("command", "file_redirect") and b"\n" in source[node.start_byte : node.end_byte]:
            for before, after in pairwise(node.children):
                if b"\n" in source[before.end_byte : after.start_byte].replace(b"\\\n", b""):
                    return before.end_byte
    return 0


def _units(root: Node, source: bytes) -> Iterator[_Unit]:
    """The parts in order; a bare group is the parts in it."""
    stack = _assembled(root, source)[::-1]
    while stack:
        unit = stack.pop()
        group = unit.group()
        if group is None:
            yield unit
            continue
        inner = _assembled(group, source)
        if inner and unit.background:
            inner[-1].background = True
        stack += reversed(inner)


def _assembled(root: Node, source: bytes) -> list[_Unit]:
    """The parts of a list by the shell's own rules of precedence.

    The grammar is not to be trusted here: `a && b > x | c` is to it `(a && b > x) | c`, to every shell `b > x | c`. So
    its lists and pipelines are read as one row of commands, redirections and operators.
    """
    found: list[_Unit] = []
    operator, begin = ";", -1
    for node in _row(root):
        kind = node.type
        if kind in _REDIRECTS:
            if operator or not found:
                found.append(_Unit(node.start_byte, node.end_byte, [[]]))
            _redirect(found[-1], node, source)
        elif node.is_named:
            begin = node.start_byte if begin < 0 else begin
            if operator in _PIPES and found:
                found[-1].stages.append([node])
            else:
                found.append(_Unit(begin, node.end_byte, [[node]]))
            found[-1].end = node.end_byte
        elif kind == "!":
            begin = node.start_byte
            continue
        elif kind == "&" and found:
            found[-1].background = True
        operator, begin = "" if node.is_named else kind, -1
    return found


def _redirect(unit: _Unit, node: Node, source: bytes) -> None:
    unit.stages[-1].append(node)
    unit.end = node.end_byte
    if node.type == _HEREDOC:
        unit.end = max(child.end_byte for child in node.children if child.type in _ON_THE_LINE)
        typed = max(child.end_byte for child in node.children if child.type not in _BELOW)
        unit.bodies.append((source.find(b"\n", typed), node.end_byte))


def _row(root: Node) -> Iterator[Node]:
    """Commands, groups and compounds, redirections and operators in the order of the text."""
    stack = root.children[::-1]
    while stack:
        node = stack.pop()
        if node.type in _FLAT:
            stack += reversed(node.children)
        elif node.type == _HEREDOC:  # what stands behind it on its line is in it: `cat <<X && b`
            yield node
            stack += [child for child in reversed(node.children) if child.type not in _ON_THE_LINE | _BELOW]
        elif node.type != "comment":
            yield node


def _pipeline(unit: _Unit, source: bytes) -> Pipeline:
    text = _text(unit, source)
    stages = tuple(stage for nodes in unit.stages[: MAX_COMMANDS + 1] if (stage := _stage(nodes, source)))
    return Pipeline(text, stages or ((_first_word(text),),))


def _first_word(text: str) -> Words:
    return tuple(text.split(maxsplit=1)[:1]) or (text,)


def _text(unit: _Unit, source: bytes) -> str:
    """The part as typed, with the bodies of its heredocs."""
    typed = source[unit.begin : unit.end] + (b" &" if unit.background else b"")
    return (typed + b"".join(source[begin:end] for begin, end in unit.bodies)).decode().strip()


def _stage(nodes: list[Node], source: bytes) -> Stage:
    """The commands of one stage in the order of the text."""
    found: list[Words] = []
    stack = nodes[::-1]
    while stack and len(found) < MAX_COMMANDS:
        node = stack.pop()
        kind = node.type
        if kind in _COMMANDS:
            words = _words(node, source)
            if words in _TIMED and (timed := node.children[-1]).type == "subshell":
                stack.append(timed)
            elif words:
                found.append(words)
        elif kind in _REDIRECTS:
            if found and (misplaced := _misplaced(node, source)):
                found[-1] += misplaced
        elif kind == "redirected_statement":
            stack += reversed(node.children)
        elif kind in _STRUCTURE:
            stack += reversed(node.named_children)
    return tuple(found)


def _misplaced(redirect: Node, source: bytes) -> Words:
    """`status` in `git 2>x status`: the grammar takes it for one more file."""
    if redirect.type == _HEREDOC:
        inner = [node for node in redirect.children if node.type == "file_redirect"]
        return tuple(_word(node, source) for node in redirect.children_by_field_name("argument")) + tuple(
            word for node in inner for word in _misplaced(node, source)
        )
    return tuple(_word(node, source) for node in redirect.children_by_field_name("destination")[1:])


def _words(node: Node, source: bytes) -> Words:
    match node.type:
        case "test_command":
            return ("test",)
        case "function_definition":
            return ("function", *(_word(name, source) for name in node.children_by_field_name("name")))
        case "variable_assignment":
            return (_word(node, source),)
        case _:
            return tuple(_word(child, source) for child in node.children if child.type not in _NO_WORDS)


def _word(node: Node, source: bytes) -> str:
    return unquoted(source[node.start_byte : node.end_byte].decode())


_QUOTES_LINE = re.compile(r"""\\(.)|\$?'([^']*)'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["\\$`\n])""")


def unquoted(word: str) -> str:
    """A word without its quotes; what is put in at run time (`$x`, `$(…)`) stays as written."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    if "$(" in word or "`" in word:
        return word[1:-1] if word[0] == word[-1] == '"' and len(word) > 1 else word
    return _QUOTES_LINE.sub(_bare, word)


def _bare(found: re.Match[str]) -> str:
    if found[1] is not None:
        return "" if found[1] == "\n" else found[1]
    return found[2] if found[2] is not None else _ESCAPED.sub(r"\1", found[3])
