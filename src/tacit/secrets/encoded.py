"""Secrets that are encoded once, and long random values assigned to a variable."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, unhexlify
from collections.abc import Callable, Iterator
from functools import cache

from tacit.secrets.probes import Found
from tacit.secrets.values import (
    is_filler,
    is_mixed,
    is_password,
    is_random,
    is_striking_word,
    is_very_random,
    may_be_secret,
)

# Long values that look drawn by lot, assigned to a variable whose name does not say that it holds a secret.
#
# `set -gx OPENWEATHER_APPID 0f3c…` and `$env.MATRIX_BOT = "…"` are secrets although no word of the name is known.
# Names of what is public by nature (commits, digests, ids, images, versions) are left alone.

RANDOM_KIND = "secret"
_RANDOM_RUN = r"(?<![A-Za-z0-9+/_.~-])[A-Za-z0-9+/_.~-]{24,200}+={0,2}(?=[\s\"'`;,)}\]|&]|\Z)"
_BEFORE = 120  # characters in which the assignment stands
_NAME = r"(?P<{}>[A-Z][A-Z0-9]{{1,40}}(?:_[A-Z0-9]{{1,40}}){{0,8}})"
_ASSIGNED = (
    rf"(?:(?<![\w$%{{.]){_NAME.format('glued')}=|"
    rf"(?:\A|[\s;&|('\"`])(?:set(?:env|x)?|env|arg|export)(?:\s{{1,3}}(?:-{{1,2}}[\w-]{{1,20}}|/\w)){{0,4}}\s{{1,3}}{_NAME.format('apart')}[ \t=]\s{{0,3}}|"
    rf"\$env[:.]{_NAME.format('dotted')}\s{{0,3}}=\s{{0,3}})[\"'`]?\Z"
)
_PUBLIC = frozenset(
    (
        "ID UUID GUID SHA SHA1 SHA256 SHA512 MD5 HASH DIGEST CHECKSUM CHECKSUMS SUM COMMIT REV REVISION REF HEAD TREE BASE MERGE OBJECT "
        "BLOB IMAGE TAG VERSION RELEASE BUILD BUILDID INTEGRITY ETAG FINGERPRINT THUMBPRINT PUBLIC PUBKEY PUB CERT CERTIFICATE "
        "URL URI PATH FILE DIR HOST HOSTNAME ENDPOINT ARN NAME BUCKET CID TXID TX BLOCK ADDRESS ADDR CONTRACT WALLET ACCOUNT "
        "REQUEST TRACE SPAN TRACEPARENT CORRELATION PARENT RUN JOB NONCE IV CACHE GIT LFS CONTENT DATA BODY PAYLOAD EXPECTED ACTUAL "
        "RESULT OUTPUT SEED FLAGS OPTS OPTIONS ARGS CLASSPATH"
    ).split()
)  # fmt: skip
RANDOM_EXAMPLES: tuple[tuple[str, str], ...] = (
    ("set -gx OPENWEATHER_APPID <x32>; and python3 forecast.py", "set -gx GIT_COMMIT <x40>"),
    ('$env.GITEA_BOT = "<x40>"; http get https://example.org', '$env.IMAGE_DIGEST = "<x64>"'),
    ("docker run -e MAILER_DSN_PART=<w40> app", "docker run -e REQUEST_ID=<w40> app"),
)  # a value that must be found, and one that must not


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_drawn(text: str) -> Iterator[Found]:
    """Values drawn by lot that a shell or a file of variables assigns."""
    for run in _compiled(_RANDOM_RUN).finditer(text):
        before = text[max(0, run.start() - _BEFORE) : run.start()]
        if before[-1:] not in _ENDS:
            continue
        assigned = _compiled(_ASSIGNED).search(before)
        if assigned and assigned.lastgroup and _is_private(assigned[assigned.lastgroup]) and is_drawn(run[0]):
            yield run.start(), run.end(), RANDOM_KIND


_ENDS = frozenset("='\"` \t")


def _is_private(name: str) -> bool:
    return _PUBLIC.isdisjoint(name.split("_"))


def is_drawn(value: str) -> bool:
    """A key in hex, or letters of both cases and digits in no order."""
    if is_filler(value) or len(set(value)) < 8:
        return False
    if _compiled("[0-9a-f]{32,128}|[0-9A-F]{32,128}").fullmatch(value):
        return True
    return is_very_random(value) and value.count(".") <= 2 and value.count("/") <= 3


# Secrets that are encoded once: base64, base64 of UTF-16, hex. (Escapes and per cent signs are undone by `plain`.)
#
# A run that decodes to readable text is read like any other text; what is found in it hides the whole run. Where a
# command or a call decodes the run on the spot, a single word that looks like a password is enough.

ENCODED_KIND = "encoded secret"
_RUN = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,16384}+={0,2}"
_SHORTEST = 16
_LONG_HEX = r"[0-9a-f]{16}"
_HEX = r"[0-9A-Fa-f]+"
_DECODED = (
    r"(?i)base64\s{1,2}(?:-d|--decode|-di)|b64decode\(|atob\(|frombase64string\(|xxd\s{1,2}-r|decode64|base64_decode\(|unhex|fromhex|"
    r"openssl\s{1,2}(?:base64|enc)[^|]{0,20}-d|basenc|base64decode|buffer\.from\("
)
_NAMED = r"(?i)(?:passw|passphr|pwd|\bpw|_pw|secret|token|cred|psk|_key|apikey|kennw|contrase|senha)[^\n]{0,40}\Z"
_KEYS = r"(?i)passw|passphr|pwd|secret|token|cred|psk|\bkey|_key|-key|\.key|apikey|kennw|contrase|senha"
_NEAR = 80
_KEPT = 20_000  # runs that are remembered as unreadable: names and paths come again and again
_KEPT_LENGTH = 48
_unreadable: set[str] = set()
_READ = 400  # so many decoded runs of a text are read; more are hidden unread
_SAMPLE = 24  # characters that are decoded to see whether the rest is worth it

# What is read, an example that must be found, and one that must not.
ENCODED_EXAMPLES: tuple[tuple[str, str, str], ...] = (
    ("base64", "blob: cGFzc3dvcmQ9aHVudGVyMmh1bnRlcg==", "blob: dGhlIHBhc3N3b3JkIGlzIHJlcXVpcmVk"),
    ("UTF-16 in base64", "-enc cABhAHMAcwB3AG8AcgBkAD0AaAB1AG4AdABlAHIAMgA=", "-enc ZQBjAGgAbwAgAGgAZQBsAGwAbwAgAHcAbwByAGwAZAA="),
    ("hex", "hex: 70617373776f72643d68756e74657232", "hex: 7468652070617373776f72642069732072657175697265642e"),
    ("decoded on the spot", "echo aHVudGVyMmh1bnRlcjI= | base64 -d", "echo aGVsbG8gd29ybGQhIQ== | base64 -d"),
    ("a login of SASL", "AUTH PLAIN AG1lQGV4YW1wbGUub3JnAEh1bnRlciEySHVu", "AUTH PLAIN AG1lQGV4YW1wbGUub3JnAA=="),
    ("a key, decoded on the spot", "printf '<x48>' | xxd -r -p > psk.bin", "printf '<x48>' | xxd -r -p > image.bin"),
    ("beside a name", "db_pw hex=48756e746572213248756e", "db_name hex=48756e746572213248756e"),
)  # fmt: skip


def may_hold_runs(text: str) -> bool:
    """Whether a text has a word that could be an encoded text: long, and with capitals or hex digits in it."""
    words = text.split()
    if not words or max(map(len, words)) < _SHORTEST:
        return False
    long = (word for word in words if len(word) >= _SHORTEST)
    return any(not word.islower() or _compiled(_LONG_HEX).search(word) for word in long)


def find_encoded(text: str, find: Callable[[str], bool]) -> Iterator[Found]:
    """Runs that hold a secret when they are decoded; `find` says whether a text does."""
    read = 0
    for run in _compiled(_RUN).finditer(text):
        if run[0] in _unreadable:
            continue
        said = decoded(run[0])
        if said is None:
            if is_random(run[0], 32) and _is_key_decoded_here(text, *run.span()):
                yield run.start(), run.end(), ENCODED_KIND
            elif len(run[0]) <= _KEPT_LENGTH:
                if len(_unreadable) >= _KEPT:
                    _unreadable.clear()
                _unreadable.add(run[0])
            continue
        read += 1
        if (
            read > _READ
            or find(said)
            or (is_password(said, quoted=True) and " " not in said and _is_decoded_here(text, *run.span()))
            or (" " not in said and may_be_secret(said) and _is_key_decoded_here(text, *run.span()))
            or ((is_mixed(said) or is_striking_word(said) or _is_marked(said)) and _is_named(text, run.start()))
        ):
            yield run.start(), run.end(), ENCODED_KIND


def decoded(run: str) -> str | None:
    """The readable text that a run stands for, if it stands for any."""
    body = run.rstrip("=")
    if body.islower() or body.isupper() or body.isdigit():  # base64 of a text has letters of both cases
        if len(body) % 2 or _compiled(_HEX).fullmatch(body) is None or _text(unhexlify(body[:_SAMPLE])) is None:
            return None
        return _text(unhexlify(body))
    body = body.replace("-", "+").replace("_", "/")
    sample = _unbased(body[:_SAMPLE])
    if _text(sample) is None and not (0 in sample and _text(sample.replace(b"\0", b" "))):
        return None
    return _text(_unbased(body))


def _unbased(body: str) -> bytes:
    try:
        return a2b_base64(body + "=" * (-len(body) % 4))
    except Error:
        return b"\xff"


def _text(said: bytes) -> str | None:
    """As text, where all of it can be read."""
    if said.count(0) == 2 and len(said) > 6:
        _, user, password = said.split(b"\0")
        said = b"login " + user + b" password=" + password  # SASL PLAIN
    if len(said) > 3 and not any(said[1::2]) and all(said[::2]):
        said = said[::2]  # UTF-16 of plain letters
    if said.isascii():
        text = said.decode("ascii")
    else:
        try:
            text = said.decode("utf-8")
        except UnicodeDecodeError:
            return None
        if sum(letter > "\x7f" for letter in text) * 4 > len(text):
            return None  # what is drawn by lot can be valid UTF-8, seldom with so many plain letters
    if text.isprintable() or text.translate(_WHITE).isprintable():
        return text
    return None


_WHITE = dict.fromkeys(map(ord, "\n\r\t"), " ")


def _is_decoded_here(text: str, begins: int, ends: int) -> bool:
    return (
        _compiled(_DECODED).search(text[max(0, begins - _NEAR) : begins] + " " + text[ends : ends + _NEAR]) is not None
    )


def _is_key_decoded_here(text: str, begins: int, ends: int) -> bool:
    """Whether a command decodes bytes that it, or the sentence around it, calls a key or a password."""
    around = text[max(0, begins - _NEAR) : begins] + " " + text[ends : ends + _NEAR]
    return _is_decoded_here(text, begins, ends) and _compiled(_KEYS).search(around) is not None


def _is_marked(said: str) -> bool:
    """One word with a digit and a sign in it."""
    return " " not in said and any(map(str.isdigit, said)) and not said.isalnum() and may_be_secret(said)


def _is_named(text: str, begins: int) -> bool:
    """Whether the line says before the run that it holds a secret: `db_pw hex=…`."""
    return _compiled(_NAMED).search(text[max(0, begins - _NEAR) : begins]) is not None
