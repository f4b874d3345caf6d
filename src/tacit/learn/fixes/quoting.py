"""What quoting did to a command, and the lessons that follow from it."""

from __future__ import annotations

import re

from tacit.commandline.names import outside_quotes, quoted_words, strip_quotes
from tacit.record import Record

# Programs whose first operand is a pattern or a program, and options behind which one stands.
_PATTERN_PROGRAMS = re.compile(r"(?:^|[|;&] ?|git )(?:[ef]?grep|rg|ag|ack|g?sed|[gm]?awk|jq|yq) ")
_SCRIPT_OPTION = re.compile(r"\s(?:-c|-e|-p|-r|--eval|--jq|--query|--command|--execute) $")
_QUOTED_TEXT = re.compile(r"'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)", re.DOTALL)

_SHELL_ERROR = re.compile(
    r"syntax error near|no matches found|: no match\b|event not found|parse error near|bad pattern|bad substitution|"
    r"unknown (?:file attribute|sort specifier)|number expected|unmatched|unexpected eof while looking|"
    r"command not found|not a valid identifier|substitution failed",
    re.IGNORECASE,
)
# Characters that the shell interprets, pairs first. A blank is none: it is never the whole reason.
_SIGNS = ("()", "[]", "{}", "*", "?", "!", "&", ";", "|", "<>", "#", "`", "$", "~", "^", "=")
_READ_IN_DOUBLE_QUOTES = ("!", "`", "$")
_JOINT = re.compile(r"(?:[|&;<>]{1,2}|\d?>&?\d?|&>)(?:/dev/null)?")
_ESCAPED = "\\!"
ESCAPED_LESSON = "When a command fails because the shell passes `!` in quotes as `\\!`, write the argument without `!`."


class Quoting(Record):
    """The characters of a word that the shell interpreted before it was quoted."""

    signs: str
    is_path: bool
    is_single: bool  # double quotes were not enough


def asks_something_else(before: str, after: str) -> bool:
    """Return whether two commands are the same but for a pattern or a program in quotes: another question, no fix."""
    return before != after and _without_texts(before) == _without_texts(after)


def _without_texts(command: str) -> str:
    """Return a command without the quoted words that are patterns or programs."""
    command = command.partition("<<")[0]
    has_pattern = _PATTERN_PROGRAMS.search(command) is not None
    parts: list[str] = []
    end = 0
    for match in _QUOTED_TEXT.finditer(command):
        ahead = command[end : match.start()]
        parts += [ahead, "∅" if has_pattern or _SCRIPT_OPTION.search(ahead) else match[0]]
        end = match.end()
    return "".join(parts) + command[end:]


def quoted_signs(before: str, after: str, error: str) -> Quoting | None:
    """Return the characters that a shell stumbled over if the retry has them in quotes, else None."""
    if not _SHELL_ERROR.search(error):
        return None
    quoted = [word for word in quoted_words(after) if not {"'", '"', "\\"}.isdisjoint(word)]
    matches = (_word_quoting(word, quoted) for word in quoted_words(before) if not _JOINT.fullmatch(word))
    return next((match for match in matches if match), None)


def _word_quoting(word: str, quoted: list[str]) -> Quoting | None:
    """Return the characters of one word that are in quotes in a word of the other command."""
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


def is_escaped(before: str, after: str, error: str) -> bool:
    """Return whether a `!` in quotes reached the program with a backslash, and the other command has none."""
    return "!" in before and _ESCAPED not in before and "!" not in after and _ESCAPED in error


def render_quoting(quoted: Quoting) -> str:
    signs = " and ".join(code(sign) for sign in quoted.signs)
    if quoted.is_single:
        return f"When a shell command fails on {signs} in double quotes, use single quotes."
    article, thing = ("a", "path") if quoted.is_path else ("an", "argument")
    return f"When a shell command fails on {article} {thing} with {signs}, put the {thing} in quotes."


def code(text: str) -> str:
    """Return a text as inline code of Markdown."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"
