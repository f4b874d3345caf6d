"""The short language that the rows of the tables are written in."""

from __future__ import annotations

import re

# Secrets told by where they stand: behind an option of a command, in a header, in an address, in a block.
#
# Each row: what people call it, the keywords, words of which one must stand shortly before (between commas; none if
# empty), what must follow from the keyword on, how the value is judged, an example that must be found, and one that
# must not. `{V}` is a value in quotes or bare; where it stands in no group, the group `v` is the secret.

ContextRow = tuple[str, str, str, str, str, str, str]

QUOTED = r"""(?:"(?P<q>[^"\n\x00]{1,200})"|'(?P<s>[^'\n\x00]{1,200})')"""
BARE = r"""(?P<v>[^\s"'`;|&<>(){}\x00-\x1f][^\s"'`;|&<>(){}\x00-\x1f]{0,200})"""
VALUE = rf"(?:{QUOTED}|{BARE})"
PAIR = (
    r"""(?:"[^":\n]{0,100}:(?P<a>[^"\n]{1,200})"|'[^':\n]{0,100}:(?P<b>[^'\n]{1,200})'|"(?P<c>[^":\n]{8,200}):"|"""
    r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"':/]{0,100}):(?:"(?P<d>[^"\n]{1,200})"|'(?P<e>[^'\n]{1,200})'|(?P<f>[^\s"'`;|&]{1,200})))"""
)
# How a value is judged.
PAIRED = "paired"  # behind a name and a colon: anything that is no placeholder
SURE = "sure"  # only a secret can stand here: anything that is neither a placeholder nor a path
HEADER = "header"  # no word of prose
RANDOM = "random"  # drawn by lot
LONG = "long"  # long, and not made of words
LITERAL = "literal"  # a password or a key, and no word that names a thing
STATED = "stated"  # a password in a sentence: with a digit or a sign, and no name of a thing
CODE = "code"  # the shape is enough, but for words
LINKED = "linked"  # drawn by lot beyond doubt; digests and ids only in a whole address

_COMMAND = "password in a command"
_SCHEME = r"(?:(?!eyJ)[A-Za-z][A-Za-z0-9-]{1,24}\s{1,4}(?:token=\\?[\"']?)?)?"
# fmt: off
CONTEXT_ROWS: tuple[ContextRow, ...] = (
    (_COMMAND, "pass:", "openssl", r"(?<=[\s'\"])pass:{V}", SURE, "openssl rsa -passin pass:hunter2",
     "openssl rsa -passin file:x"),
    ("authorization header", "authorization", "",
     r"authorization[\"'`]?\s{0,4}(?:[:=]|,(?<=[\"'`],)|=>|(?<=\s)(?=[\"'`]))\s{0,8}(?:[\"']?value[\"']?\s{0,3}[:=]\s{0,3})?[f$@b]?[\"'`]?" + _SCHEME + r"(?P<v>[A-Za-z0-9_=~@.+/:-]{8,4096})",
     HEADER, '{"key":"Authorization","value":"Basic <b24>"}', "access-control-allow-headers: authorization, x-api-key, content-type"),
    ("session header", "x-", "",
     r"(?<![\w?&-])x-(?![\w-]{0,30}(?:idempotency|sort|cache|partition|public|signature-version))[\w-]{0,40}(?:session|token|auth|key|secret|password|signature)(?:-(?:id|value|v\d))?[\"']?\s{0,2}[:=,]\s{0,3}[\"']?(?P<v>[\w.+/=~-]{12,4096})",
     RANDOM, 'http GET example.org "X-Metabase-Session:<uuid>"', "x-auth-token: required-for-all-requests"),
    ("bearer token", "bearer", "", r"bearer\s{1,4}(?P<v>[A-Za-z0-9_=~.+/-]{16,4096})", RANDOM,
     "-H 'auth-x: Bearer <w40>'", "bearer authentication-middleware"),
    ("password in an address", "://", "",
     r"://[^\s/?#:@\"'`<>\x00]{0,200}:(?P<v>[^\s/?#\"'`<>\x00]{1,200})@(?=[\w\[$*{])", PAIRED,
     "postgres://someone:hunter2@db.example.org/app",
     "use https://example.org:8080/path and ssh://git@example.org/repo"),
    ("token in an address", "://", "", r"://(?P<v>[A-Za-z0-9_.-]{20,200})(?::[^\s/@\"']{0,60})?@(?=[\w\[])", RANDOM,
     "https://<x40>@git.example.org/x.git", "https://a-long-user-name-of-words@git.example.org"),
    ("NuGet password", 'password"', "<add key=", r"password\"\s{0,60}value=\"(?P<v>[^\"\n]{8,200})\"", SURE,
     '<add key="ClearTextPassword" value="hunter2hunter2" />', '<add key="Username" value="someone-else" />'),
    ("password in netrc", "machine", "",
     r"machine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}(?:account\s{1,4}\S{1,100}\s{1,4})?password\s{1,4}{V}",
     SURE, "machine git.example.org login me password hunter2", "this machine needs a login and a password today"),
    ("PuTTY key", "private-lines:", "",
     r"private-lines:\s{0,4}\d{1,3}\s{1,4}(?P<v>(?:[A-Za-z0-9+/=]{1,76}\s{1,2}){1,64})", SURE,
     "Private-Lines: 1\n<b64>\nPrivate-MAC: <x40>", "Private-Lines: how many lines follow"),
)
# fmt: on


# The short language that rows are written in: `a36` is 36 letters or digits, `x8-12` is 8 to 12 hex digits.
#
# A specification is pieces between spaces. A piece of one letter and a count is a run of an alphabet; any other piece
# is part of a regular expression as it stands. Runs end where the alphabet ends and are never tried again shorter, so
# a row costs at most its own length.

ALPHABETS = {
    "a": "A-Za-z0-9",
    "b": "A-Za-z0-9+/",
    "d": "0-9",
    "e": "A-Za-z0-9_=-",
    "h": "A-Fa-f0-9",
    "l": "a-z0-9",
    "s": "A-Za-z0-9_.=-",
    "t": "A-Z2-7",
    "u": "A-Z0-9",
    "w": "A-Za-z0-9_-",
    "x": "a-f0-9",
    "z": "A-Za-z",
}
MAX_RUN_CHARS = 4096
UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_MAX_PIECE_CHARS = 8  # no piece of an expression that stands before a keyword is longer
_RUN_SPEC = r"([a-z])(\d+)(?:-(\d+)|(\+))?"


def to_regex(specification: str) -> str:
    """The regular expression that a specification stands for."""
    return "".join(map(_piece_regex, specification.split()))


def _piece_regex(piece: str) -> str:
    if piece == "uuid":
        return UUID
    run = re.fullmatch(_RUN_SPEC, piece)
    if run is None or run[1] not in ALPHABETS:
        return piece
    least, most = int(run[2]), int(run[3] or 0)
    if run[4]:
        return f"[{ALPHABETS[run[1]]}]{{{least},{MAX_RUN_CHARS}}}+"
    return f"[{ALPHABETS[run[1]]}]{{{least},{most}}}" if most else f"[{ALPHABETS[run[1]]}]{{{least}}}"


def max_length(specification: str) -> int:
    """How many characters a specification may take at most, pieces of expressions among them."""
    total = 0
    for piece in specification.split():
        run = re.fullmatch(_RUN_SPEC, piece)
        total += int(run[3] or run[2]) if run and run[1] in ALPHABETS else _MAX_PIECE_CHARS
    return total


def exact_length(specification: str) -> int | None:
    """How many characters a specification takes, where that is always the same number."""
    total = 0
    for piece in specification.split():
        run = re.fullmatch(_RUN_SPEC, piece)
        if run and run[1] in ALPHABETS:
            if run[3] or run[4]:
                return None
            total += int(run[2])
        elif re.fullmatch(r"\\?[^\\\[\](){}?*+|^$]", piece):
            total += 1
        else:
            return None
    return total
