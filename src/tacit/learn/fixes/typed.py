"""A command as it was typed, word by word with its quotes: what of it the shell reads, what is a text for a program.

What is searched for, and a program in a word (`jq '.a'`, `sed 's/a/b/'`, `python -c '…'`), is the question that was
asked: another one is no fix of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.learn.fixes.tries import CUT

_PIECE = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)|\s+|.", re.DOTALL)
_QUOTED = re.compile(r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)
_QUOTES = str.maketrans("", "", "'\"\\")
_NUMBER = re.compile(r"-?\d+")
_JOINTS = frozenset(("|", "||", "&&", ";", "|&"))
TEXT = "∅"  # stands for a program or a pattern

# The first operand is a text; or the operand at that place.
_FIRST = dict.fromkeys("grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk jq yq gojq pcregrep".split(), 0) | {
    "sqlite3": 1,
    "git grep": 0,
}
_TAKE_ONE = dict.fromkeys(("rg", "ag"), frozenset("-g -t -T --glob --type".split())) | dict.fromkeys(
    ("awk", "gawk", "mawk"), frozenset(("-F", "-v"))
)
_TAKE_TWO = frozenset(("--arg", "--argjson", "--slurpfile", "--rawfile"))
# What stands behind such a flag is a text, whatever the program is called at the end.
_SCRIPTED = {
    "-c": frozenset("python python3 pypy psql duckdb perl".split()),
    "-e": frozenset("node ruby perl mysql osascript Rscript elixir lua deno bun grep rg sed gsed egrep".split()),
    "-p": frozenset(("node",)),
    "-r": frozenset(("php",)),
    "-ne": frozenset(("perl", "ruby")),
    "-pe": frozenset(("perl", "ruby")),
    "-q": frozenset(("gh", "clickhouse-client")),
    "--jq": frozenset(("gh",)),
    "--eval": frozenset(("node", "mongosh", "mongo")),
    "--command": frozenset(("psql",)),
    "--execute": frozenset(("mysql",)),
    "--query": frozenset(("aws", "az", "clickhouse-client", "bq")),
}


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


def unquoted(word: str) -> str:
    return word.translate(_QUOTES)


def outside_quotes(word: str) -> str:
    """What of a word the shell itself reads."""
    return _QUOTED.sub(" ", word)


def differ_in_text_only(before: str, after: str) -> bool:
    """Whether two commands are the same but for a program or pattern in them."""
    return before != after and masked(before) == masked(after)


def masked(command: str) -> list[str]:
    """The words with each text that is a program or a pattern as one sign."""
    found: list[str] = []
    stage: list[str] = []
    for word in typed(command):
        if word.startswith("<<"):  # what follows is the text
            return [*found, *_masked(stage), TEXT]
        if word in _JOINTS:
            found += [*_masked(stage), word]
            stage = []
        else:
            stage.append(word)
    return [*found, *_masked(stage)]


def _masked(words: list[str]) -> list[str]:
    plain = [unquoted(word) for word in words]
    texts = set(_texts(plain))
    return [TEXT if at in texts else word for at, word in enumerate(plain)]


def _texts(words: list[str]) -> Iterator[int]:
    """Where the texts stand in one command."""
    program = words[0].rpartition("/")[2] if words else ""
    behind = [at + 1 for at, word in enumerate(words[:-1]) if _is_scripted(program, word)]
    yield from behind
    name = program if program in _FIRST else " ".join(words[:2])
    if name in _FIRST and not behind:
        operands = _operands(words, len(name.split()), _TAKE_ONE.get(program, frozenset()))
        yield from operands[_FIRST[name] : _FIRST[name] + 1]


def _is_scripted(program: str, flag: str) -> bool:
    return program in _SCRIPTED.get(flag, ())


def _operands(words: list[str], start: int, take_one: frozenset[str]) -> list[int]:
    """The places of what is neither a flag nor the value of one."""
    found: list[int] = []
    skipped = 0
    for at, word in enumerate(words[start:], start):
        if skipped:
            skipped -= 1
        elif word in _TAKE_TWO:
            skipped = 2
        elif word in take_one:
            skipped = 1
        elif not word.startswith("-") and not _NUMBER.fullmatch(word):
            found.append(at)
    return found
