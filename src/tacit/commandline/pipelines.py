"""Pipelines of a shell line as typed, and words with their quotes.

Nothing is guessed and nothing raises: if a line cannot be parsed, it is one pipeline. `bash.py` tells which commands a
line runs.
"""

from __future__ import annotations

import re
from itertools import islice

from tacit.commandline.bash import MAX_COMMANDS, CommandWords, Pipeline, ScanError, first_word, scan_pipelines
from tacit.text.display import clean, clip

# Words with their quotes

_WORD_PIECE = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)|\s+|.", re.DOTALL)
_QUOTED_TEXT = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)
_DELETE_QUOTES = str.maketrans("", "", "'\"\\")


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


# Pipelines. A line of plain words is split at blanks; any other line is scanned as bash. A line that is not bash (an
# open quote, the syntax of fish or zsh) or is too long is one pipeline as typed, its words split at blanks.

MAX_LINE_CHARS = 8192  # a longer line is never a habit, and its text is clipped
MAX_PIPELINES = 20
_CONTROL_CHARS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PLAIN_LINE = re.compile(r"[A-Za-z0-9_@%+=:,./~^*? \-]+")
# Words that begin something else than a command.
_SHELL_KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac select function in begin end".split()
)


def parse_pipelines(line: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a line; none for a blank line or a comment."""
    text = clean_line(line)
    if _PLAIN_LINE.fullmatch(text) and len(text) <= MAX_LINE_CHARS:
        words = tuple(text.split())
        if words and words[0] not in _SHELL_KEYWORDS and words[0] not in ("time", "coproc"):
            return (Pipeline(text, ((words,),)),)
    return parse_clean_line(text)


def parse_clean_line(text: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a text that `clean_line` returned, without the short way for plain words."""
    if not text:
        return ()
    if len(text) > MAX_LINE_CHARS:
        return (_split_loosely(text[:MAX_LINE_CHARS])._replace(text=clip(text, MAX_LINE_CHARS), is_complete=False),)
    try:
        return tuple(islice(scan_pipelines(text), MAX_PIPELINES))
    except ScanError:
        return (_split_loosely(text),)


def clean_line(line: str) -> str:
    """Return a line without surrounding blanks and control characters. Line breaks become \\n; tabs stay."""
    if line.isascii() and line.isprintable():
        return line.strip()
    head = line if len(line) <= MAX_LINE_CHARS * 2 else line[: MAX_LINE_CHARS * 2]
    return _CONTROL_CHARS.sub("", clean(head.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))).strip()


# A part of a line between separators outside quotes
_SEGMENT = re.compile(r"""(?:\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|[^;&|\n])+""", re.DOTALL)
_BLOCK_OPENERS = frozenset("if while until begin then do else { (".split())
_LOOP_HEADERS = frozenset("for switch case select foreach repeat".split())


def _split_loosely(text: str) -> Pipeline:
    """Return one pipeline for a whole text that is not bash. Its commands are the parts between separators."""
    commands = (words for segment in _SEGMENT.findall(text) if (words := _loose_words(segment)))
    return Pipeline(text, (tuple(islice(commands, MAX_COMMANDS)) or (first_word(text),),))


def _loose_words(segment: str) -> CommandWords:
    """Return the words up to a bracket or redirection; none for the head of a loop or the end of a block."""
    words = segment.split()
    while words and (words[0] in _BLOCK_OPENERS or words[:2] == ["time", "{"]):
        del words[0]
    if not words or words[0].startswith("#") or words[0] in _LOOP_HEADERS or words[0] in _SHELL_KEYWORDS - {"function"}:
        return ()
    ends = (at for at, word in enumerate(words) if at and word[0] in "()<>{}")
    return tuple(strip_quotes(word) for word in words[: next(ends, len(words))])
