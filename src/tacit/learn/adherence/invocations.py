"""The commands that a line runs, as the check of memories needs them: at command position, without wrappers.

Text in quotes, here-documents, search patterns, messages and comments is never a command. A line that cannot be parsed,
or that was clipped when it was recorded, yields the commands before its first quote or expansion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tacit.learn.command_names import name_command, program_tables, wrapped_commands
from tacit.record import Record
from tacit.text.shell import CUT_MARK, CommandWords, parse_strictly, split_commands

_MAX_NESTING = 3  # of `bash -c "bash -c …"`
_INLINE_OPTION = re.compile(r"-[a-z]*c")
# From here on a text cannot be read without its rest.
_UNSAFE = re.compile(r"""['"`\\#<>\n(){}]|\$\(|\$\{|…""")


class CommandRun(Record):
    """A command that was run: its family (`git push`) and words.

    `prefixes` are the families of the commands that ran it: `uv run pytest` for the `pytest` in it. `is_piped` is set
    if it reads what another command wrote, and `is_complete` is not if words may be missing.
    """

    family: str
    words: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    is_piped: bool = False
    is_complete: bool = True


@lru_cache(maxsize=1024)  # a session is checked against several memories
def invocations(line: str) -> tuple[CommandRun, ...]:
    """Return the commands that a line runs, in order."""
    return tuple(_invocations(line, 0))


def _invocations(line: str, depth: int) -> Iterator[CommandRun]:
    pipelines = None if line.rstrip().endswith(CUT_MARK) else parse_strictly(line)
    if pipelines is None:
        yield from _leading_invocations(line)
        return
    for pipeline in pipelines:
        for at, stage in enumerate(pipeline.stages):
            for words in stage:
                yield from _unwrap(words, depth, is_piped=at > 0)


def _unwrap(words: CommandWords, depth: int, *, is_piped: bool = False) -> Iterator[CommandRun]:
    prefixes: tuple[str, ...] = ()
    for command in wrapped_commands(words):
        if command[0].rpartition("/")[2] in program_tables().shells:
            inner = _inline_script(command)
            if inner and depth < _MAX_NESTING:
                yield from _invocations(inner, depth + 1)
        family = name_command(command).family
        yield CommandRun(family, command, prefixes, is_piped)
        prefixes += (family,)


def _inline_script(words: CommandWords) -> str:
    """Return what `bash -c TEXT` runs; "" if it runs no text. A text with a variable is parsed as it stands."""
    for at, word in enumerate(words[1:-1], 1):
        if _INLINE_OPTION.fullmatch(word):
            return words[at + 1]
        if not word.startswith("-"):
            break
    return ""


def _leading_invocations(line: str) -> Iterator[CommandRun]:
    """Yield the commands before the first quote, expansion or line end. The last of them may lack words."""
    unsafe = _UNSAFE.search(line)
    text = line[: unsafe.start()] if unsafe else line
    if text and not text[-1].isspace():  # the last word may go on
        text = text[: -len(text.split()[-1])] if text.split() else ""
    commands = [command for command in split_commands(text) if command.words]
    for at, command in enumerate(commands, 1):
        words = tuple(word.text for word in command.words)
        for invocation in _unwrap(words, _MAX_NESTING, is_piped=command.preceding_operator in ("|", "|&")):
            yield invocation._replace(is_complete=at < len(commands))
