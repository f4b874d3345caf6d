"""A command line, read: its pipelines in order, and the words of each command in them.

Three ways to read, and never an exception. A line of plain words needs no parser. Any other line is parsed as bash. A
line that is no bash (a quote left open, the syntax of fish or zsh), is too long or has too many signs is one pipeline,
kept as typed and read loosely: its words are split at blanks. Trees are walked without recursion, so nesting costs no
stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from tacit.core.text import clean, clip
from tacit.record import Record

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

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

_QUOTED = re.compile(r"""\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|[;&|\n]+""", re.DOTALL)
_OPENERS = frozenset("if while until begin then do else { (".split())
_HEADERS = frozenset("for switch case select foreach repeat".split())


def _loosely(text: str) -> Pipeline:
    """One pipeline for the whole text; the commands are what stands between separators outside quotes."""
    commands = (words for segment in _segments(text) if (words := _loose_words(segment)))
    return Pipeline(text, (tuple(islice(commands, MAX_COMMANDS)) or (_first_word(text),),))


def _segments(text: str) -> Iterator[str]:
    begin = 0
    for found in _QUOTED.finditer(text):
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


_QUOTES = re.compile(r"""\\(.)|\$?'([^']*)'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["\\$`\n])""")


def unquoted(word: str) -> str:
    """A word without its quotes; what is put in at run time (`$x`, `$(…)`) stays as written."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    if "$(" in word or "`" in word:
        return word[1:-1] if word[0] == word[-1] == '"' and len(word) > 1 else word
    return _QUOTES.sub(_bare, word)


def _bare(found: re.Match[str]) -> str:
    if found[1] is not None:
        return "" if found[1] == "\n" else found[1]
    return found[2] if found[2] is not None else _ESCAPED.sub(r"\1", found[3])
