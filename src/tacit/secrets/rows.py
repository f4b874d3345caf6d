"""Rows: what the scanner looks for, as tables with an example that each row must find and a near miss that it must not.

The tables are the files in `tables/`. The first line names the columns, each other line is a row; a line that begins with
two blanks continues the one before. ` | ` is between columns, and "#" begins a comment. The kind is what a redaction says.
If several rows find the same text, the first one names it. In examples `<a36>` is 36 characters of an alphabet, so that no
table looks like a leak, and `\\n` is a line break.

The values of tokens consist of pieces between spaces. A piece of one letter and a count is a run of an alphabet: `a36` is
36 letters or digits, `x8-12` is 8 to 12 hex digits, `a36+` is 36 or more letters or digits. Any other piece is part of a
regular expression. A run with "+" ends where the alphabet ends and is not retried shorter, so that a row costs at most its
own length.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tacit.record import Record
from tacit.text.display import regex

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    Row = TypeVar("Row")


SEPARATOR = " | "
_TABLES = os.path.join(os.path.dirname(__file__), "tables")


class TokenRow(Record):
    """A token, in `tokens.txt`, or a value that is assigned to the name of a service, in `services.txt`."""

    kind: str
    keywords: str
    value: str
    example: str
    near_miss: str


class ContextRow(Record):
    """A value that is recognised by what is around it, in `contexts.txt`."""

    kind: str
    keywords: str
    expression: str
    check: str
    example: str
    near_miss: str
    near: str = ""


class OptionRow(Record):
    """Options of tools that hold a password, in `options.txt`."""

    tools: str
    options: str
    form: str
    example: str
    near_miss: str


class LanguageRow(Record):
    """The words of a language for passwords, for keys and for "is", in `languages.txt`."""

    language: str
    passwords: str
    keys: str
    verbs: str
    example: str
    near_miss: str


def read_rows(table: str, row: Callable[..., Row]) -> list[Row]:
    """Return the rows of a table."""
    return [row(*line.split(SEPARATOR)) for line in read_lines(table)]


def read_lines(table: str) -> list[str]:
    """Return the rows of a table as lines, for those who need few of its columns."""
    with open(os.path.join(_TABLES, f"{table}.txt"), "rb") as file:
        lines = file.read().decode().replace("\n  ", " ").split("\n")
    return [line for line in lines if line and line[0] != "#"][1:]  # the first one names the columns


def split_words(words: str) -> tuple[str, ...]:
    """Return the words of a column in which `␣` is a blank."""
    return tuple(word.replace("␣", " ") for word in words.split())


# Parts of expressions

# A quote that is not closed extends to the end of the text: in a JSON string, the quote of the string would close it.
VALUE = (
    r"""(?:(?:"(?P<q>[^"\n\x00]{1,200})(?:"|\Z)|'(?P<s>[^'\n\x00]{1,200})')|"""
    r"""(?P<v>[^\s"'`;|&<>(){}\x00-\x1f][^\s"'`;|&<>(){}\x00-\x1f]{0,200}))"""
)
# Words of sentences that are in no word list of recovery phrases (BIP 39).
_NOT_PROSE = (
    r"(?!(?:the|and|for|are|was|not|but|has|had|our|its|who|how|why|from|were|them|been|does|many|words|which|their|would|could|"
    r"should|these|those)\b)"
)
_ARGUMENT = r"""(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"'|;&<>-][^\s"'|;&<>]{0,200})"""
_PARTS = {
    "value": VALUE,
    # One more argument of a command; the last one, which is the value; and the rest of an argument, which is.
    "next": rf"\s{{1,4}}{_ARGUMENT}",
    "after": rf"\s{{1,4}}{VALUE}",
    "rest": r"(?P<v>[^\s@\"'`|&;<>]{3,200})",
    "argument": r"""(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')(?:\.\w{2,20}\(\))?|[\w.\[\]@$]{1,80})""",
    "literal": r"""["'`](?P<v>[^"'`\n\x00]{4,200})["'`]""",
    "user": r"""["'`«]?[\w.@+\\-]{2,50}["'`»]?""",
    "word": r"""["'`«„“]?(?P<v>[^\s"'`«»„“”,;()<>{}\[\]|\x00]{4,80})""",
    "is": r"(?:\s{0,2}[:=：]|\s(?:is|are|ist|sind|lautet|lauten|est|sont|es|son|é|são|è|sono|to|это|は|是|with|using|as|mit|avec|con|com|met|med))?\s{0,3}",
    "phrase": rf"(?P<v>(?:{_NOT_PROSE}[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}{_NOT_PROSE}[a-z]{{3,8}})",
    # Commands that print a value, what is between them and a command that takes a password, and these commands.
    "print": r"""(?:echo|printf)\s{1,4}(?:-\w{1,3}\s{1,4}){0,2}(?:["']?%s(?:\\n|\n)?["']?\s{1,4})?""",
    "pipe": r"\s{0,4}\|\s{0,4}(?:(?:xxd|base64|tr|head|cat)\b[^|\n]{0,30}\|\s{0,4}){0,2}",
    "readers": (
        r"(?:sudo\s{1,4}(?:-\w{1,4}\s{1,4}){0,3})?(?:(?:npx|bunx|pnpm\s(?:exec|dlx)|yarn(?:\sdlx)?|uvx|pipx\srun)\s{1,4})?(?:"
        r"(?:docker|podman|nerdctl|skopeo|helm\s{1,4}registry|oras|crane\s{1,4}auth|gh\s{1,4}auth|glab\s{1,4}auth|vault|cosign|"
        r"buildah|huggingface-cli|npm|az)\s{1,4}login\b|"
        r"passwd\s{1,4}--stdin|passwd\b(?!\s*[|&])|chpasswd\b|smbpasswd\b|cryptsetup\b|kinit\b|vncpasswd\b|"
        r"gpg\b[^|\n]{0,80}--passphrase-fd|openssl\b[^|\n]{0,80}stdin|pass\s{1,4}insert|secret-tool\s{1,4}store|"
        r"gh\s{1,4}secret\s{1,4}set|wrangler\s{1,4}secret\s{1,4}put|fly\s{1,4}secrets|keyring\s{1,4}set|"
        r"docker\s{1,4}secret\s{1,4}create|gcloud\s{1,4}secrets|podman\s{1,4}secret\s{1,4}create|su\b|ssh-add\b|"
        r"systemd-creds\b|kubeseal\b|ansible-vault\b|sops\b|mysql_config_editor\b|borg\b|restic\b|rclone\b|htpasswd\s{1,4}-\w{0,6}i|"
        r"vercel\s{1,4}env\s{1,4}add|heroku\b|nmcli\b|wpa_passphrase\b|age\b|zfs\s{1,4}load-key|bcdedit|veracrypt\b|"
        r"security\b|op\s{1,4}item|bw\s{1,4}(?:unlock|login)|ldapadd\b|realm\s{1,4}join|adcli\b|net\s{1,4}ads)"
    ),
    # Into a file that is named after a secret.
    "secret_file": (
        r"""\s{0,4}>{1,2}\s{0,4}["']?(?:[^\s"'|;&]{0,80}[/._-])?(?:\w{0,20}[_-])?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|apikey|api[_-]key|cred(?:ential)?s?|psk)"""
        r"""(?!\S{0,30}\.(?:md|py|[jt]s|html?|log|json|ya?ml|sh|csv)\b)(?:[._-]\w{1,16}){0,2}["']?(?=\s|;|&|\||\Z)"""
    ),
}


def expand_parts(expression: str) -> str:
    """Return an expression with its parts in braces written out."""
    for name, part in _PARTS.items():
        expression = expression.replace(f"{{{name}}}", part)
    return expression


# The language of values

ALPHABETS = {
    "a": "A-Za-z0-9",
    "b": "A-Za-z0-9+/",
    "c": "./A-Za-z0-9",
    "d": "0-9",
    "e": "A-Za-z0-9_=-",
    "h": "A-Fa-f0-9",
    "j": "A-Za-z0-9/_-",
    "k": "A-Za-z0-9/_+-",
    "l": "a-z0-9",
    "s": "A-Za-z0-9_.=-",
    "t": "A-Z2-7",
    "u": "A-Z0-9",
    "w": "A-Za-z0-9_-",
    "x": "a-f0-9",
    "z": "A-Za-z",
}
UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_MAX_RUN_CHARS = 4096
_MAX_PIECE_CHARS = 8  # no piece of an expression before a keyword is longer


def value_regex(value: str) -> str:
    """Return the regular expression of a value.

    What a lookahead matched is never retried. The possessive quantifiers and atomic groups that say the same are
    matched wrongly by Python 3.11.0 to 3.11.4.
    """
    expression = ""
    for number, piece in enumerate(value.split()):
        run = _parse_run(piece)
        if run is None:
            expression += UUID if piece == "uuid" else piece
            continue
        alphabet = f"[{ALPHABETS[run[1]]}]"
        if run[4]:
            expression += f"(?=(?P<run{number}>{alphabet}{{{run[2]},{_MAX_RUN_CHARS}}}))(?P=run{number})"
        else:
            expression += f"{alphabet}{{{run[2]},{run[3]}}}" if run[3] else f"{alphabet}{{{run[2]}}}"
    return expression


def _parse_run(piece: str) -> re.Match[str] | None:
    """Return alphabet, shortest length, longest length and "+" of a run; None if the piece is none."""
    run = regex(r"([a-z])(\d+)(?:-(\d+)|(\+))?").fullmatch(piece)
    return run if run and run[1] in ALPHABETS else None


def max_length(value: str) -> int:
    """Return how many characters a value has at most."""
    runs = map(_parse_run, value.split())
    return sum(int(run[3] or run[2]) if run else _MAX_PIECE_CHARS for run in runs)


def exact_length(value: str) -> int | None:
    """Return how many characters a value has; None if that varies."""
    total = 0
    for piece in value.split():
        if run := _parse_run(piece):
            if run[3] or run[4]:
                return None
            total += int(run[2])
        elif regex(r"\\?[^\\\[\](){}?*+|^$]").fullmatch(piece):
            total += 1
        else:
            return None
    return total
