"""Cookies: in headers, options, dictionaries, calls, cookie jars and sentences.

The word "cookie" opens a stretch in which pairs of a name and a value are read. A value counts when it is drawn by
lot; behind a name that tells of a session it may be shorter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tacit.core.secrets.blocks import Found
from tacit.core.secrets.spec import UUID
from tacit.core.secrets.values import is_filler, is_placeholder, is_random, is_very_random, is_wordy

KIND = "cookie"
KEYWORDS = ("cookie",)
EXPORT_KEYWORDS = ("httponly", "samesite", "hostonly")
SESSION_KEYWORDS = (
    "sessid",
    "sessionid",
    "session=",
    "_sess=",
    "sid=",
    "session-token",
    "connect.sid",
    "csrftoken",
    "remember_token",
    ".aspx",
    "logged_in_",
)
JAR_KEYWORDS = ("true", "false")
_LINE = 600
_BLOCK = 1200
_LONGEST = 4096
_PAIRS = (
    r"(?P<name>[\w.\-$@%\[\]]{1,80}+)[\"']?(?:\s{0,3}[=:]\s{0,3}|\s{0,3}=>\s{0,3}|(?<=[\"']),\s{0,3})"
    r"[\"']?(?P<value>[^\s\"';,<>(){}\\\x00]{8,4096}+)"
)
_NAMED = (
    r"(?i)\bname[\"']?\s{0,3}[:=]\s{0,3}[\"'](?P<name>[^\"'\n]{1,80})[\"']\s{0,3},\s{0,20}[\"']?value[\"']?\s{0,3}[:=]\s{0,3}"
    r"[\"'](?P<value>[^\"'\n\x00]{8,4096})[\"']"
)
_SESSION = (
    r"(?i)[\w.-]{3,60}(?:=|[\"']\s{0,3}[:,]\s{0,3}[\"'](?:value[\"']\s{0,3}:\s{0,3}[\"'])?)"
    r"(?P<value>[^\s\"';,<>(){}\\\x00]{16,4096})"
)
_HEADER = r"(?i)cookies?[\"']?\s{0,2}:(?=[\w.-]{1,80}=)"  # Cookie:name=value
_BRACKETED = (
    r"[(\[\"'`](?P<value>[A-Za-z0-9_.%+/=-]{32,4096})[)\]\"'`]|"
    r"\s(?:is|was|ist|est|es)\s(?P<stated>[A-Za-z0-9_.%+/=-]{32,4096})(?=[\s,;)]|\Z)"
)
_NEAR = 100  # characters behind the word in which a value may stand in brackets or quotes
_DATE = r"\d{4}-\d\d-\d\dT"
_JAR = r"(?i)(?:TRUE|FALSE)\t/[^\t\n]{0,100}\t(?:TRUE|FALSE)\t\d{1,12}\t(?P<name>[^\t\n]{1,80})\t(?P<value>[^\s\x00]{4,4096})"
_TELLING = (
    r"(?i)sess|sid\b|sid$|auth|tok|csrf|xsrf|login|user|remember|identity|jwt|ticket|secret|sso|saml|aspx|passport|"
    r"li_at|credential|account|_key|apikey|access|refresh|bearer|member|phpsess|cfid|connect\."
)
_ATTRIBUTES = frozenset(
    "path domain expires max-age maxage samesite secure httponly version priority partitioned".split()
)
_COUNTERS = ("_ga", "_gid", "_gcl", "_fbp", "_fbc", "_hj", "__utm", "_pk_", "ajs_", "mp_", "_clck", "_uet", "optanon",
             "intercom-id", "amplitude", "consent", "cookieconsent", "hash", "sha", "etag", "commit", "integrity", "version")  # fmt: skip

# What is read, an example that must be found, and one that must not.
EXAMPLES: tuple[tuple[str, str, str], ...] = (
    ("a header", "Cookie: theme=dark; sessionid=<l32>; lang=de", "Cookie: theme=dark; lang=de; consent=all"),
    ("a header of an answer", "set-cookie: connect.sid=s%3A<a32>.<a43>; Path=/; HttpOnly", "Set-Cookie: theme=dark; Path=/"),
    ("an option", "curl --cookie 'PHPSESSID=<l26>' https://example.org", "curl --cookie jar.txt https://example.org"),
    ("a dictionary", 'cookies = {"csrftoken": "off", "sid": "<w43>"}', 'cookies = {"lang": "de", "theme": "dark-mode"}'),
    ("a list", '{"cookies":[{"name":"user_session","value":"<w48>"}]}', '{"cookies":[{"name":"lang","value":"german-formal"}]}'),
    ("a call", "res.cookie('auth', '<a40>', { httpOnly: true })", "res.clearCookie('connect.sid')"),
    ("a constructor", 'new Cookie(".AspNetCore.Identity", "<w180>", "/")', 'new Cookie("theme", "dark-mode-2", "/")'),
    ("a script", 'document.cookie = "auth_session=<l40>; path=/"', 'document.cookie = "consent=all; path=/"'),
    ("a jar", "example.org\tTRUE\t/\tTRUE\t1781990400\txf_user\t<d5>%2C<w40>", "example.org\tTRUE\t/\tTRUE\t0\tlang\tde-DE"),
    ("an export", '{"name":"sid","value":"<a32>","path":"/","httpOnly":true}', '{"name":"lang","value":"german","path":"/","httpOnly":true}'),
    ("a name everybody knows", '200 12 "-" "curl" "PHPSESSID=<l26>; lang=de"', "PHPSESSID=deleted; lang=de"),
    ("a value in brackets", "my li_at cookie from the browser (<w150>) is below", "the cookie jar of the tests (see conftest.py) is empty"),
    ("a sentence", "use the cookie li_at=<w150> from my browser", "does the cookie need SameSite=None-or-Lax here"),
)  # fmt: skip


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def near_cookie(text: str, at: int) -> Iterator[Found]:
    """Values of cookies behind the word: to the end of its line, or of the list that it opens."""
    line = text.find("\n", at, at + _LINE)
    until = line if line >= 0 else min(len(text), at + _LINE)
    again = text.find("ookie", at + 6, until)  # what stands behind the next one is read there
    until = again - 1 if again >= 0 else until
    opens = text.find("{", at, until)
    if opens >= 0:
        close = text.find("}", opens, at + _BLOCK)
        until = max(until, close if close >= 0 else min(len(text), at + _BLOCK))
        for found in _compiled(_NAMED).finditer(text, at, again if again >= 0 else min(len(text), at + _BLOCK)):
            yield from _judged(found)
    header = _compiled(_HEADER).match(text, at)
    for found in _compiled(_PAIRS).finditer(text, header.end() if header else at, until):
        yield from _judged(found)
    for found in _compiled(_BRACKETED).finditer(text, at, until):
        if found.start() > at + _NEAR:
            break
        value = found[found.lastgroup or 0]
        if is_very_random(value) or is_cookie_value(value, 32):
            yield *found.span(found.lastgroup or 0), KIND
    if line >= 0 and "\t" in text[line : line + 200]:
        for found in _compiled(_JAR).finditer(text, line, at + 2 * _BLOCK):
            yield from _judged(found)
    yield at, until, ""


def exported(text: str, at: int) -> Iterator[Found]:
    """Cookies as a browser or its automation writes them out: objects with a name, a value and attributes."""
    for found in _compiled(_NAMED).finditer(text, max(0, at - _BLOCK), at + _BLOCK):
        yield from _judged(found)
    yield at, min(len(text), at + _BLOCK), ""


def session(text: str, at: int) -> Iterator[Found]:
    """The value of a cookie whose name everybody knows, wherever it stands: `PHPSESSID=…`."""
    found = _compiled(_SESSION).match(text, at)
    if found and is_cookie_value(found["value"], 16) and not _compiled(UUID).match(found["value"]):
        yield *found.span("value"), KIND


def jar_line(text: str, at: int) -> Iterator[Found]:
    """A line of a cookie jar as curl and wget write it."""
    found = _compiled(_JAR).match(text, at)
    if found:
        yield from _judged(found)


def _judged(found: re.Match[str]) -> Iterator[Found]:
    name, value = found["name"], found["value"]
    lower = name.lower()
    if lower in _ATTRIBUTES or lower.startswith(_COUNTERS) or is_placeholder(value) or is_filler(value):
        return
    if _compiled(_DATE).match(value):
        return
    if value.startswith(("http:", "https:", "/", "$", "./", "~")) or "://" in value:
        return
    telling = _compiled(_TELLING).search(name) is not None
    if is_cookie_value(value, 12 if telling else 20):
        yield *found.span("value"), KIND


def is_cookie_value(value: str, least: int) -> bool:
    """Drawn by lot: a session, a ticket, a signed value."""
    if len(value) < least:
        return False
    if is_random(value, least):
        return value.count("/") <= 2 and value.count(".") <= 5
    mixed = value not in (value.lower(), value.upper())
    return len(value) >= 24 and mixed and not is_wordy(value)
