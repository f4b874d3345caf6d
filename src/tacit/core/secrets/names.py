"""Values that a name gives away: `DB_PASSWORD=…`, `"client_secret": "…"`, `--token …`, "the password is …".

The last word of the name tells what is asked of the value. Behind `password` a word with a number is enough; behind
`token` it must look drawn by lot; behind `key`, which names a thousand other things, it must be so beyond doubt.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from tacit.core.secrets.blocks import Found
from tacit.core.secrets.values import is_password, is_place, is_random, is_very_random, is_wordy, may_be_secret

KEYWORDS = ("pass", "pwd", "secret", "token", "key", "cred", "auth", "access", "api", "sig", "kennwort", "contrase")
PASSWORD, TOKEN, WEAK = "password", "token", "secret"

_REST = r"[\w.\-]{0,40}+"
_BACK = r"[\w.\-]{0,40}"  # for the text read backwards
_OPERATOR = (
    r"[\"'`\])]{0,3}\s{0,40}(?:(?::{0,3}=|=>|\?=|\|\||==?|>|:(?!:))|(?<=[\"'`]),)"
    r"[=>]{0,2}[ \t]{0,40}(?=[^\s=>])"
)
_JUNK = r"[ \t\w.\-]{0,20}[\"'\s]{0,40}(?::{0,3}=|=>|>|\?=|\|\||:(?!:)|,)[=>`\"'\s]{0,40}"
_SPACE = r"[ \t]{1,4}(?=[^\s\-])"
_IS = (
    r"(?:[ \t](?:for|of|to|on|in)(?:[ \t][\w.@/:-]{1,60}){1,4}?)?"
    r"[ \t](?:is|was)(?:[ \t](?:now|set[ \t]to|still))?:?[ \t]{1,2}"
)
# A quote that is not closed goes to the end of its line: in a JSON string it would be closed by that of the string.
_QUOTED = r"\"([^\"\n\x00]{1,400})(?:\"|(?=\n)|\Z)|'([^'\n\x00]{1,400})'|`([^`\n\x00]{1,400})`"
_PLAIN = r"[^\s\"'`,;&<>(){}\[\]|\\\x00]"
_BARE = rf"{_PLAIN}{{1,200}}+(?:&(?![\w.-]{{1,40}}=){_PLAIN}{{0,100}}+){{0,4}}"
_NEXT = r"[A-Za-z_]\w{0,60}[=:]"  # the value was empty, and this is the next name
_NESTED = rf"(?i)[\w.\-]{{0,20}}?(?:{'|'.join(KEYWORDS)})[\w.\-]{{0,20}}="  # a name itself, and tried by itself
_LINE = r"[^\s\"'`<>\\\x00]{1,200}+"  # in a file of variables a value ends with its line
_FOLLOWING = frozenset(" \t\n\r\f\v\"'`])=:>|?,")
_CALL = r"[(\[{]|\.\w|\s{0,2}\("
_WORDS = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"

_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña", "pwd", "pass")
_TOKENS = ("token", "secret", "apikey", "accesskey", "secretkey", "authkey", "credentials", "creds")
_KEYS = frozenset(
    (
        "api access secret auth private encryption signing account master service license deploy aes hmac jwt app "
        "admin client shared storage session consumer subscription functions host"
    ).split()
)
_NOT_PASS = frozenset("bypass compass surpass trespass pass".split())
# A name with one of these is about a secret, and holds none.
_ABOUT = frozenset(
    (
        "id ids name names file path url uri type field length len count size policy hash digest checksum sha "
        "sha256 md5 fingerprint etag commit uuid guid ref version arn prefix suffix regex pattern format label "
        "env var ttl expiry expires expiration timeout min max limit hint reset required strength attempts link "
        "manager public pub cache primary foreign sort partition dedupe algorithm alg method scheme endpoint "
        "server author authority status"
    ).split()
)
_TAILS = frozenset("prod dev test staging stage old new value val b64 base64 string str live default".split())


_WAYS = (("assigned", _OPERATOR), ("is", _IS), ("junk", _JUNK), ("space", _SPACE))


class Place(NamedTuple):
    """A name, the word or sign before it, how a value follows, where the name ends and where the value begins."""

    name: str
    before: str
    how: str
    ends: int
    begins: int


@cache
def _is(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def value_of(text: str, at: int) -> Iterator[Found]:
    """The value of the name that a keyword is part of."""
    ends = _end(text, at)
    if text[ends : ends + 1] not in _FOLLOWING:
        return
    name = before = None
    tried = -1
    for how, pattern in _WAYS:
        found = _is(pattern).match(text, ends)
        if found is None or found.end() == tried or (how == "space" and "-" not in text[max(0, at - 40) : at]):
            continue  # only an option has its value behind a blank
        tried = found.end()
        if name is None or before is None:
            name, before = _name(text, at, ends)
        if value := _judged_value(text, Place(name, before, how, ends, found.end())):
            yield value
            return


def _judged_value(text: str, place: Place) -> Found | None:
    if place.how == "space" and not place.name.startswith("-"):
        return None
    kind = _kind(place.name)
    found = _value(text, place)
    if found is None:
        return None
    start, end, quoted = found
    exported = place.before == "export" or (
        place.before in ("", "env") and place.name.isupper() and text[place.ends] == "="
    )
    if _judged(kind, place.how, text[start:end], quoted=quoted, exported=exported, name=place.name):
        return start, _last(text, end) if end - start >= 200 else end, kind or WEAK
    return None


def _end(text: str, at: int) -> int:
    rest = _is(_REST).match(text, at)
    assert rest is not None
    return rest.end()


def _name(text: str, at: int, ends: int) -> tuple[str, str]:
    """The whole name, and what stands before it: a word, or the sign of a query."""
    back = _is(_BACK).match(text[max(0, at - 40) : at][::-1])
    assert back is not None
    begins = at - back.end()
    before = text[max(0, begins - 10) : begins].rpartition("\n")[2]
    if before[-1:] in ("?", "&"):
        return text[begins:ends], "?"
    if not before.strip():
        return text[begins:ends], ""
    return text[begins:ends], before.split()[-1].strip("\"'`(") if before[-1:].isspace() else before[-1]


@lru_cache(1024)
def _kind(name: str) -> str:
    words = [word.lower() for word in _is(_WORDS).findall(name)]
    while words and (words[-1].isdigit() or words[-1] in _TAILS):
        words.pop()
    if not words or words[-1] in _ABOUT or "public" in words:
        return ""
    last = words[-1]
    if last.endswith(_PASSWORDS) and (last not in _NOT_PASS or len(words) > 1 or last == "pass"):
        return PASSWORD
    if last.endswith(_TOKENS):
        return TOKEN
    if last == "key" and len(words) > 1 and words[-2] in _KEYS:
        return TOKEN
    return ""


def _value(text: str, place: Place) -> tuple[int, int, bool] | None:
    begins = place.begins
    if text[begins - 1] in "\"'" and (inner := _is(_BARE).match(text, begins)):
        return begins, inner.end(), True
    if quoted := _is(_QUOTED).match(text, begins):
        group = quoted.lastindex or 0
        return quoted.start(group), quoted.end(group), True
    begins += text[begins : begins + 1] in ('"', "'")  # a quote that is never closed
    whole_line = place.before in ("", "export", "env") and place.name.isupper()
    bare = _is(_LINE if whole_line else _BARE).match(text, begins)
    if bare is None or _is(_NESTED).match(text, begins) or _is(_CALL).match(text, bare.end()):
        return None
    end = begins + len(bare[0].rstrip(".:!?,;" if not whole_line else ""))
    return (begins, end, False) if end > begins else None


def _last(text: str, at: int) -> int:
    """Where a value really ends, of which only the beginning was judged."""
    rest = _is(rf"{_PLAIN}{{0,16384}}+").match(text, at)
    assert rest is not None
    return rest.end()


def _judged(kind: str, how: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if how == "junk" or not kind:
        return _is_telling(how, value, quoted=quoted, name=name, sure=kind == TOKEN)
    if kind == PASSWORD:
        return _is_password(how, value, quoted=quoted, exported=exported, name=name)
    if exported and how == "assigned" and not value.isdigit() and len(value) >= 3:
        return may_be_secret(value) and not (len(value) < 12 and value.isupper())
    return is_random(value, 8 if name.startswith("-") else 10)


def _is_telling(how: str, value: str, *, quoted: bool, name: str, sure: bool) -> bool:
    """Whether the value alone is enough, where the name says little."""
    if how not in ("junk", "assigned") or _is_about(name) or (how == "junk" and _is(_NEXT).match(value)):
        return False
    if quoted and (sure or "passw" in name.lower()) and is_random(value, 8):
        return True
    return is_very_random(value) or (name.lower().endswith("auth") and _is_basic(value))


def _is_password(how: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if name.lower() == "pass" and not (quoted or exported or how == "space"):
        return False  # `pass: 12` counts tests
    sure = how == "space" or exported or (how == "assigned" and name.startswith("-")) or (how == "is" and quoted)
    if sure and not (value.isdigit() and len(value) < 4):
        talk = how == "is" and " " in value and is_wordy(value)
        return 3 <= len(value) <= 200 and may_be_secret(value) and not talk
    return is_password(value, quoted)


@lru_cache(1024)
def _is_about(name: str) -> bool:
    words = {word.lower() for word in _is(_WORDS).findall(name)}
    return not _ABOUT.isdisjoint(words)


def _is_basic(value: str) -> bool:
    """`name:password` in base64."""
    from binascii import Error, a2b_base64

    if len(value) < 12 or len(value) % 4 or is_place(value):
        return False
    try:
        said = a2b_base64(value).decode("ascii")
    except (Error, ValueError):
        return False
    return said.isprintable() and ":" in said[1:-1]
