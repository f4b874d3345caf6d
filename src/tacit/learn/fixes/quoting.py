"""What quoting did to a command, and the lessons that follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.record import Record
from tacit.text.shell import COMMAND_SEPARATORS, outside_quotes, quoted_words, strip_quotes

# A command as it was typed, word by word with its quotes: what of it the shell reads, what is a text for a program.
#
# What is searched for, and a program in a word (`jq '.a'`, `sed 's/a/b/'`, `python -c '…'`), is the question that was
# asked: another one is no fix of it.

_NUMBER = re.compile(r"-?\d+")
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


def differ_in_text_only(before: str, after: str) -> bool:
    """Whether two commands are the same but for a program or pattern in them."""
    return before != after and masked(before) == masked(after)


def masked(command: str) -> list[str]:
    """The words with each text that is a program or a pattern as one sign."""
    words: list[str] = []
    stage: list[str] = []
    for word in quoted_words(command):
        if word.startswith("<<"):  # what follows is the text
            return [*words, *_masked(stage), TEXT]
        if word in COMMAND_SEPARATORS:
            words += [*_masked(stage), word]
            stage = []
        else:
            stage.append(word)
    return [*words, *_masked(stage)]


def _masked(words: list[str]) -> list[str]:
    plain = [strip_quotes(word) for word in words]
    texts = set(_texts(plain))
    return [TEXT if at in texts else word for at, word in enumerate(plain)]


def _texts(words: list[str]) -> Iterator[int]:
    """Where the texts stand in one command."""
    program = words[0].rpartition("/")[2] if words else ""
    behind = [at + 1 for at, word in enumerate(words[:-1]) if program in _SCRIPTED.get(word, ())]
    yield from behind
    name = program if program in _FIRST else " ".join(words[:2])
    if name in _FIRST and not behind:
        operands = _operands(words, len(name.split()), _TAKE_ONE.get(program, frozenset()))
        yield from operands[_FIRST[name] : _FIRST[name] + 1]


def _operands(words: list[str], start: int, take_one: frozenset[str]) -> list[int]:
    """The places of what is neither a flag nor the value of one."""
    operands: list[int] = []
    skipped = 0
    for at, word in enumerate(words[start:], start):
        if skipped:
            skipped -= 1
        elif word in _TAKE_TWO:
            skipped = 2
        elif word in take_one:
            skipped = 1
        elif not word.startswith("-") and not _NUMBER.fullmatch(word):
            operands.append(at)
    return operands


# What the shell does to words before a program sees them, and the lessons that follow whatever the program is.

_SHELL_ERROR = re.compile(
    r"syntax error near|no matches found|: no match\b|event not found|parse error near|bad pattern|bad substitution|"
    r"unknown (?:file attribute|sort specifier)|number expected|unmatched|unexpected eof while looking|"
    r"command not found|not a valid identifier|substitution failed",
    re.IGNORECASE,
)
# Signs that the shell reads itself, those that come in pairs first. A blank is none: it is never the whole reason.
_SIGNS = ("()", "[]", "{}", "*", "?", "!", "&", ";", "|", "<>", "#", "`", "$", "~", "^", "=")
_READ_IN_DOUBLE_QUOTES = ("!", "`", "$")
_JOINT = re.compile(r"(?:[|&;<>]{1,2}|\d?>&?\d?|&>)(?:/dev/null)?")
_ESCAPED = "\\!"


class Quoting(Record):
    """Signs of a word that the shell read, and how that was kept from it."""

    signs: str
    is_path: bool
    is_single: bool  # double quotes were there and were not enough


def quoted_signs(before: str, after: str, error: str) -> Quoting | None:
    """Whether a shell tripped over signs in a word, and worked with the same signs in quotes."""
    if not _SHELL_ERROR.search(error):
        return None
    quoted = [word for word in quoted_words(after) if word[0] in "'\"" or "\\" in word or "'" in word or '"' in word]
    matches = (_word_quoting(word, quoted) for word in quoted_words(before) if not _JOINT.fullmatch(word))
    return next((match for match in matches if match), None)


def _word_quoting(word: str, quoted: list[str]) -> Quoting | None:
    """The signs of one word that stand in quotes, in one of the words of the other command, and did not before."""
    bare = outside_quotes(word)
    for signs in _SIGNS:
        now = [other for other in quoted if _has(strip_quotes(other), signs) and not _has(outside_quotes(other), signs)]
        if _has(bare, signs) and now:
            return Quoting(signs, "/" in word and "://" not in word, is_single=False)
        single = [other for other in now if other.startswith("'")]
        if signs in _READ_IN_DOUBLE_QUOTES and word.startswith('"') and signs in word and single:
            return Quoting(signs, is_path=False, is_single=True)
    return None


def _has(text: str, signs: str) -> bool:
    return all(sign in text for sign in signs)


def escaped(before: str, after: str, error: str) -> bool:
    """Whether a `!` in quotes came to the program with a backslash before it, and the other command has none."""
    return "!" in before and _ESCAPED not in before and "!" not in after and _ESCAPED in error


def render_quoting(quoted: Quoting) -> str:
    signs = " and ".join(code(sign) for sign in quoted.signs)
    if quoted.is_single:
        return f"When a shell command fails on {signs} in double quotes, use single quotes."
    article, thing = ("a", "path") if quoted.is_path else ("an", "argument")
    return f"When a shell command fails on {article} {thing} with {signs}, put the {thing} in quotes."


def code(text: str) -> str:
    """Between marks that the text itself does not hold."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


ESCAPED = "When a command fails because the shell hands it `!` in quotes as `\\!`, write the argument without `!`."
