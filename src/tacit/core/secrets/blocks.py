"""Secrets that are more than one line: private keys, the data of a Kubernetes secret, the partner of an AWS key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tacit.core.secrets.values import is_placeholder

Found = tuple[int, int, str]

LONGEST_KEY = 20_000
_NEAR = 600
_BEGIN = r"(?i)-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----"
_END = r"(?i)KEY(?: BLOCK)?-----"
_BODY = (
    r"(?:\s{1,8}+[A-Za-z-]{3,20}+:[ \t][^\n]{0,100}+){0,6}+"  # headers, each to the end of its line
    r"(?:\s{1,8}+[A-Za-z0-9+/=]{16,4096}+){1,400}+(?:\s{1,8}+[A-Za-z0-9+/]{1,64}+={1,2})?"
)
_KIND = r"(?i)kind[\"']?:[ \t]{0,40}[\"']?secret\b"
_DATA = r"(?i)(?<![a-z])(?:string)?data[\"']?:"
_ITEM = (
    r"(?<![\w.\-])[\w.\-]{1,100}+[\"']?:(?:[ \t]{0,40}[|>][-+]?\s{1,40})?[ \t]{0,40}"
    r"(?:\"([^\"\n\x00]{4,4096})\"|'([^'\n\x00]{4,4096})'|([A-Za-z0-9+/]{4,4096}+={0,3}|[^\s\"'{\[|>\x00]{4,4096}))"
)
_OTHER_KEYS = frozenset(
    "apiversion kind metadata type name namespace labels annotations immutable data stringdata creationtimestamp "
    "resourceversion uid managedfields ownerreferences generatename".split()
)
_LOGIN = r"(?<![\w.-])[\w.-]{1,60}:(?P<v>[^\s\"'`:@]{3,100})(?=@(?:tcp|unix)\()"
_LOGIN_LENGTH = 170
_AWS = r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])"

EXAMPLES = (
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\n<b64>\n<b64>\n-----END RSA PRIVATE KEY-----",
     "-----BEGIN CERTIFICATE-----\n<b64>\n<b64>\n-----END CERTIFICATE-----"),
    ("Kubernetes secret", "kind: Secret\ndata:\n  one: <a20>", "kind: ConfigMap\ndata:\n  one: <a20>"),
    ("password in an address", 'dsn := "orders:Hunter_n2@tcp(10.0.0.7:3306)/orders"', 'dsn := "orders@tcp(10.0.0.7:3306)/orders"'),
    ("AWS secret key", "AKIA<t16> <b40>", "AKIA stands before <x40>"),
)  # fmt: skip


@cache
def _is(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def private_key(text: str, at: int) -> Iterator[Found]:
    """The whole block; where its end is missing, the first line and what looks like a key behind it."""
    begin = _is(_BEGIN).match(text, at)
    if begin is None:
        return
    end = _is(_END).search(text, begin.end(), begin.end() + LONGEST_KEY)
    if end is None or "-----BEGIN" in text[begin.end() : end.start()]:
        end = _is(_BODY).match(text, begin.end()) or begin
    yield at, end.end(), "private key"


def go_dsn(text: str, at: int) -> Iterator[Found]:
    """The password before `@tcp(`, in the address of a database as Go's drivers write it."""
    login = _is(_LOGIN).search(text, max(0, at - _LOGIN_LENGTH), at + 6)
    if login and not is_placeholder(login["v"]):
        yield *login.span("v"), "password in an address"


def kubernetes(text: str, at: int) -> Iterator[Found]:
    """What stands below `data:` near `kind: Secret`. Each stretch is read once, however often `data:` stands in it."""
    if not _is(_KIND).match(text, at):
        return
    first = _is(_DATA).search(text, max(0, at - _NEAR), at + _NEAR)
    if first is None:
        return
    until = at + _NEAR if first.start() < at else first.end() + _NEAR
    for item in _is(_ITEM).finditer(text, first.end(), until):
        name = item[0].partition(":")[0].strip("\"'").lower()
        group = item.lastindex or 0
        if name not in _OTHER_KEYS and not is_placeholder(item[group]):
            yield item.start(group), item.end(group), "Kubernetes secret"
    yield at, min(until, len(text)), ""  # not worth reading again from the next sign on


def beside_aws(text: str, begins: int, ends: int) -> Iterator[Found]:
    """The secret that belongs to an access key, within a few lines of it."""
    for found in _is(_AWS).finditer(text, max(0, begins - _NEAR), ends + _NEAR):
        value = found[0]
        if value.lower() != value and value.upper() != value and any(map(str.isdigit, value)):
            yield found.start(), found.end(), "AWS secret key"
