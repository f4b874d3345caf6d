"""Pipelines of a shell line as typed, and words with their quotes.

Nothing is guessed and nothing raises: if a line cannot be parsed, it is one pipeline. `bash.py` tells which commands a
line runs.
"""

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


# Words with their quotes

_WORD_PIECE = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)|\s+|.", re.DOTALL)
_QUOTED_TEXT = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)
_DELETE_QUOTES = str.maketrans("", "", "'\"\\")
COMMAND_SEPARATORS = frozenset(("|", "||", "&&", ";", "|&"))


def quoted_words(command: str) -> list[str]:
    """Return the words of a command with their quotes. An unclosed quote extends to the end."""
    words = [""]
    for piece in _WORD_PIECE.finditer(command):
        if piece[0].isspace():
            words.append("")
        else:
            words[-1] += " ".join(piece[0].split(" "))
    return [" ".join(word.split()) for word in words if word]


def strip_quotes(word: str) -> str:
    """Return a word without quotes and backslashes."""
    return word.translate(_DELETE_QUOTES)


def outside_quotes(word: str) -> str:
    """Return a word with each quoted or escaped part as a blank."""
    return _QUOTED_TEXT.sub(" ", word)


# Pipelines. A line of plain words needs no parser; any other line is parsed as bash. A line that is not bash (an open
# quote, the syntax of fish or zsh), is too long or has too much syntax is one pipeline as typed, its words split at
# blanks. Trees are walked without recursion, so nesting costs no stack.

MAX_LINE_CHARS = 8192  # a longer line is never a habit, and its text is clipped
MAX_SYNTAX_CHARS = 400  # the parser's time grows with their square
MAX_PIPELINES = 20
MAX_COMMANDS = 8  # of one stage of a pipeline, and stages of a pipeline

CommandWords = tuple[str, ...]
PipelineStage = tuple[CommandWords, ...]  # the commands of one stage: one, or those inside a group or a loop


class Pipeline(Record):
    """One pipeline as typed, and its stages. `is_complete` is false if the text was clipped."""

    text: str
    stages: tuple[PipelineStage, ...]
    is_complete: bool = True


_CONTROL_CHARS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PLAIN_LINE = re.compile(r"[A-Za-z0-9_@%+=:,./~^*? \-]+")
# Words without signs of which the grammar has its own opinion, and quoted ones in which nothing is expanded.
_SIMPLE_WORD = r"""(?:[A-Za-z0-9_:,./~*\-]+|'[ -&(-~]*'|"[ #%-[\]-_a-~]*")"""
_SIMPLE_LINE = re.compile(rf"{_SIMPLE_WORD}(?:(?: +(?:\| *)?|\| *){_SIMPLE_WORD})*")
_SIMPLE_WORD_OR_PIPE = re.compile(rf"{_SIMPLE_WORD}|\|")
_SYNTAX_CHAR = re.compile(r"[|&;<>(){}\[$`=]")
# Words that begin something else than a command. (The grammar loses a lone `-` before an assignment.)
_SHELL_KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac select function in begin end".split()
)


def parse_pipelines(line: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a line; none for a blank line or a comment."""
    text = clean_line(line)
    if len(text) <= MAX_LINE_CHARS:
        if _PLAIN_LINE.fullmatch(text):
            words = tuple(text.split())
            if words and words[0] not in _SHELL_KEYWORDS and ("-" not in words or "=" not in text):
                return (Pipeline(text, ((words,),)),)
        elif _SIMPLE_LINE.fullmatch(text) and (stages := _simple_stages(text)):
            return (Pipeline(text, stages),)
    return parse_clean_line(text)


def _simple_stages(text: str) -> tuple[PipelineStage, ...]:
    """Return the stages of a line of plain and quoted words and pipes; () if that needs the parser."""
    stages: list[list[str]] = [[]]
    for word in _SIMPLE_WORD_OR_PIPE.findall(text):
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(unquoted(word))
    is_odd = any(words[0] in _SHELL_KEYWORDS or "}" in words for words in stages)
    return () if is_odd or len(stages) > MAX_COMMANDS else tuple((tuple(words),) for words in stages)


def parse_clean_line(text: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a text that `clean_line` returned, without the short way for plain words."""
    if not text or (text.startswith("#") and "\n" not in text):
        return ()
    if len(text) > MAX_LINE_CHARS:
        return (_parse_loosely(text[:MAX_LINE_CHARS])._replace(text=clip(text, MAX_LINE_CHARS), is_complete=False),)
    if len(text) > MAX_SYNTAX_CHARS and len(_SYNTAX_CHAR.findall(text)) > MAX_SYNTAX_CHARS:
        return (_parse_loosely(text),)
    return _parse_bash(text)


def clean_line(line: str) -> str:
    """Return a line without surrounding blanks and control characters. Line breaks become \\n; tabs stay."""
    if line.isascii() and line.isprintable():
        return line.strip()
    head = line if len(line) <= MAX_LINE_CHARS * 2 else line[: MAX_LINE_CHARS * 2]
    return _CONTROL_CHARS.sub("", clean(head.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))).strip()


# Loose parsing

_QUOTED_OR_SEPARATOR = re.compile(r"""\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|[;&|\n]+""", re.DOTALL)
_BLOCK_OPENERS = frozenset("if while until begin then do else { (".split())
_LOOP_HEADERS = frozenset("for switch case select foreach repeat".split())


def _parse_loosely(text: str) -> Pipeline:
    """Return one pipeline for the whole text. Its commands are the parts between separators outside quotes."""
    commands = (words for segment in _split_segments(text) if (words := _loose_words(segment)))
    return Pipeline(text, (tuple(islice(commands, MAX_COMMANDS)) or (_first_word(text),),))


def _split_segments(text: str) -> Iterator[str]:
    start = 0
    for match in _QUOTED_OR_SEPARATOR.finditer(text):
        if match[0][0] in ";&|\n":
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _loose_words(segment: str) -> CommandWords:
    """Return the words up to a bracket or redirection; none for the head of a loop or the end of a block."""
    words = segment.split()
    while words and (words[0] in _BLOCK_OPENERS or words[:2] == ["time", "{"]):
        del words[0]
    if not words or words[0].startswith("#") or words[0] in _LOOP_HEADERS or words[0] in _SHELL_KEYWORDS - {"function"}:
        return ()
    ends = (at for at, word in enumerate(words) if at and word[0] in "()<>{}")
    return tuple(unquoted(word) for word in words[: next(ends, len(words))])


# Parsing with tree-sitter

_FLAT_NODES = frozenset(("program", "list", "pipeline", "redirected_statement", "negated_command"))
_GROUP_NODES = frozenset(("subshell", "compound_statement"))
_COMPOUND_NODES = _FLAT_NODES | _GROUP_NODES | frozenset(
    "if_statement elif_clause else_clause while_statement for_statement "
    "c_style_for_statement do_group case_statement case_item".split()
)  # fmt: skip
_COMMAND_NODES = frozenset(
    "command declaration_command unset_command test_command variable_assignment variable_assignments "
    "function_definition".split()
)
_REDIRECT_NODES = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
_HEREDOC_NODE = "heredoc_redirect"
_HEREDOC_LINE_NODES = frozenset(
    ("<<", "<<-", "heredoc_start", "file_redirect", "word", "raw_string", "string", "concatenation")
)
_HEREDOC_BODY_NODES = frozenset(("heredoc_body", "heredoc_end"))
_PIPE_OPERATORS = ("|", "|&")
_TIME_COMMANDS = (("time",), ("time", "-p"))
_NON_WORD_NODES = _REDIRECT_NODES | {"comment", "subshell"}


@cache
def _bash_parser() -> Parser:
    """Return the parser. It is imported when a line first needs it, which queries never do."""
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(slots=True)
class _PipelineNodes:
    """A pipeline while it is assembled: the nodes of each stage, and the span of its text."""

    start: int
    end: int
    stages: list[list[Node]]
    heredoc_spans: list[tuple[int, int]] = field(default_factory=list)  # they are below the line
    is_background: bool = False

    def only_group(self) -> Node | None:
        """Return the group that is the whole pipeline; None if it is not one."""
        node = self.stages[0][0] if len(self.stages) == 1 == len(self.stages[0]) else None
        return node if node is not None and node.type in _GROUP_NODES and node.children[0].type != "((" else None


def _parse_bash(text: str) -> tuple[Pipeline, ...]:
    pipelines = _bash_pipelines(text)
    return (_parse_loosely(text),) if pipelines is None else pipelines


def _bash_pipelines(text: str) -> tuple[Pipeline, ...] | None:
    """Return the pipelines of a text; None if it is not bash."""
    pipelines: list[Pipeline] = []
    for root, source in islice(_syntax_trees(text.encode()), MAX_PIPELINES):
        if root.has_error:
            return None
        pipelines += [_make_pipeline(nodes, source) for nodes in islice(_pipelines_in(root, source), MAX_PIPELINES)]
    # The grammar does not know `time { a; b; }` and takes its braces for words.
    if any(("}",) in stage for pipeline in pipelines for stage in pipeline.stages):
        return None
    return tuple(pipelines[:MAX_PIPELINES])


def _syntax_trees(source: bytes) -> Iterator[tuple[Node, bytes]]:
    """Yield the tree of the text and its source; if the grammar misses a line break, those of both parts."""
    while source:
        root = _parse_source(source)
        cut = _missed_line_break(root, source) if b"\n" in source else 0
        if cut:
            root = _parse_source(source[:cut])
        yield root, source[:cut] if cut else source
        source = source[cut:] if cut else b""


_NON_ASCII_AS_X = bytes(sign if sign < 0x80 else ord("x") for sign in range(256))


def _parse_source(source: bytes) -> Node:
    """Parse a text with each byte of a non-ASCII character as "x".

    The parser's table has a few hundred letters, and it may crash on an emoji or on letters of most scripts. To a shell
    all of them are parts of words, and offsets stay the same.
    """
    return _bash_parser().parse(source.translate(_NON_ASCII_AS_X)).root_node


def _missed_line_break(root: Node, source: bytes) -> int:
    """Return the offset of a line break inside a command, or 0.

    In `a | b | c⏎d > x`, the grammar takes `d` for a word of `c`.
    """
    for node in _flatten_nodes(root):
        if node.type in ("command", "file_redirect") and b"\n" in source[node.start_byte : node.end_byte]:
            for before, after in pairwise(node.children):
                if b"\n" in source[before.end_byte : after.start_byte].replace(b"\\\n", b""):
                    return before.end_byte
    return 0


def _pipelines_in(root: Node, source: bytes) -> Iterator[_PipelineNodes]:
    """Yield the pipelines in order. A bare group is replaced by the pipelines in it."""
    stack = _assemble_pipelines(root, source)[::-1]
    while stack:
        pipeline = stack.pop()
        group = pipeline.only_group()
        if group is None:
            yield pipeline
            continue
        inner = _assemble_pipelines(group, source)
        if inner and pipeline.is_background:
            inner[-1].is_background = True
        stack += reversed(inner)


def _assemble_pipelines(root: Node, source: bytes) -> list[_PipelineNodes]:
    """Return the pipelines of a list by the shell's own precedence.

    The grammar is wrong here: it reads `a && b > x | c` as `(a && b > x) | c`, every shell as `a && (b > x | c)`. So
    its lists and pipelines are flattened into commands, redirections and operators.
    """
    pipelines: list[_PipelineNodes] = []
    operator, start = ";", -1
    for node in _flatten_nodes(root):
        kind = node.type
        if kind in _REDIRECT_NODES:
            if operator or not pipelines:
                pipelines.append(_PipelineNodes(node.start_byte, node.end_byte, [[]]))
            _add_redirect(pipelines[-1], node, source)
        elif node.is_named:
            start = node.start_byte if start < 0 else start
            if operator in _PIPE_OPERATORS and pipelines:
                pipelines[-1].stages.append([node])
            else:
                pipelines.append(_PipelineNodes(start, node.end_byte, [[node]]))
            pipelines[-1].end = node.end_byte
        elif kind == "!":
            start = node.start_byte
            continue
        elif kind == "&" and pipelines:
            pipelines[-1].is_background = True
        operator, start = "" if node.is_named else kind, -1
    return pipelines


def _add_redirect(pipeline: _PipelineNodes, node: Node, source: bytes) -> None:
    pipeline.stages[-1].append(node)
    pipeline.end = node.end_byte
    if node.type == _HEREDOC_NODE:
        pipeline.end = max(child.end_byte for child in node.children if child.type in _HEREDOC_LINE_NODES)
        typed = max(child.end_byte for child in node.children if child.type not in _HEREDOC_BODY_NODES)
        pipeline.heredoc_spans.append((source.find(b"\n", typed), node.end_byte))


def _flatten_nodes(root: Node) -> Iterator[Node]:
    """Yield commands, groups, compounds, redirections and operators in the order of the text."""
    stack = root.children[::-1]
    while stack:
        node = stack.pop()
        if node.type in _FLAT_NODES:
            stack += reversed(node.children)
        elif node.type == _HEREDOC_NODE:  # it contains the rest of its line: `cat <<X && b`
            yield node
            stack += [
                child
                for child in reversed(node.children)
                if child.type not in _HEREDOC_LINE_NODES | _HEREDOC_BODY_NODES
            ]
        elif node.type != "comment":
            yield node


def _make_pipeline(pipeline: _PipelineNodes, source: bytes) -> Pipeline:
    text = _pipeline_text(pipeline, source)
    stages = tuple(stage for nodes in pipeline.stages[: MAX_COMMANDS + 1] if (stage := _stage_commands(nodes, source)))
    return Pipeline(text, stages or ((_first_word(text),),))


def _first_word(text: str) -> CommandWords:
    return tuple(text.split(maxsplit=1)[:1]) or (text,)


def _pipeline_text(pipeline: _PipelineNodes, source: bytes) -> str:
    """Return the pipeline as typed, with the bodies of its here-documents."""
    typed = source[pipeline.start : pipeline.end] + (b" &" if pipeline.is_background else b"")
    return (typed + b"".join(source[start:end] for start, end in pipeline.heredoc_spans)).decode().strip()


def _stage_commands(nodes: list[Node], source: bytes) -> PipelineStage:
    """Return the commands of one stage in the order of the text."""
    commands: list[CommandWords] = []
    stack = nodes[::-1]
    while stack and len(commands) < MAX_COMMANDS:
        node = stack.pop()
        kind = node.type
        if kind in _COMMAND_NODES:
            words = _command_words(node, source)
            if words in _TIME_COMMANDS and (timed := node.children[-1]).type == "subshell":
                stack.append(timed)
            elif words:
                commands.append(words)
        elif kind in _REDIRECT_NODES:
            if commands and (misplaced := _misplaced_words(node, source)):
                commands[-1] += misplaced
        elif kind == "redirected_statement":
            stack += reversed(node.children)
        elif kind in _COMPOUND_NODES:
            stack += reversed(node.named_children)
    return tuple(commands)


def _misplaced_words(redirect: Node, source: bytes) -> CommandWords:
    """Return words that the grammar takes for one more file: `status` in `git 2>x status`."""
    if redirect.type == _HEREDOC_NODE:
        inner = [node for node in redirect.children if node.type == "file_redirect"]
        return tuple(_node_word(node, source) for node in redirect.children_by_field_name("argument")) + tuple(
            word for node in inner for word in _misplaced_words(node, source)
        )
    return tuple(_node_word(node, source) for node in redirect.children_by_field_name("destination")[1:])


def _command_words(node: Node, source: bytes) -> CommandWords:
    match node.type:
        case "test_command":
            return ("test",)
        case "function_definition":
            return ("function", *(_node_word(name, source) for name in node.children_by_field_name("name")))
        case "variable_assignment":
            return (_node_word(node, source),)
        case _:
            return tuple(_node_word(child, source) for child in node.children if child.type not in _NON_WORD_NODES)


def _node_word(node: Node, source: bytes) -> str:
    return unquoted(source[node.start_byte : node.end_byte].decode())


_QUOTED_PART = re.compile(r"""\\(.)|\$?'([^']*)'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)
_ESCAPED_CHAR = re.compile(r"""\\(["\\$`\n])""")


def unquoted(word: str) -> str:
    """Return a word without its quotes. Expansions (`$x`, `$(…)`) stay as written."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    if "$(" in word or "`" in word:
        return word[1:-1] if word[0] == word[-1] == '"' and len(word) > 1 else word
    return _QUOTED_PART.sub(_unquote_match, word)


def _unquote_match(match: re.Match[str]) -> str:
    if match[1] is not None:
        return "" if match[1] == "\n" else match[1]
    return match[2] if match[2] is not None else _ESCAPED_CHAR.sub(r"\1", match[3])
