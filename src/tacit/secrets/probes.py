"""Probes: what is tried where a keyword occurs. Each row of a table becomes a probe; secrets of several lines have theirs.

A probe gets a text and the offset of its keyword, and yields the secrets it finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tacit.secrets.spec import (
    CODE,
    HEADER,
    LINKED,
    LITERAL,
    LONG,
    PAIR,
    PAIRED,
    STATED,
    SURE,
    VALUE,
    ContextRow,
    exact_length,
    max_length,
    to_regex,
)
from tacit.secrets.tokens import TokenRow
from tacit.secrets.values import (
    is_app_password,
    is_chosen_password,
    is_filler,
    is_literal_password,
    is_name,
    is_password,
    is_path_or_url,
    is_placeholder,
    is_random,
    is_stated_password,
    is_very_random,
    is_wordy,
    may_be_secret,
)
from tacit.text.display import regex

SecretSpan = tuple[int, int, str]  # start, end, kind
Probe = Callable[[str, int], Iterator[SecretSpan]]
NOT_A_SECRET = ""  # the kind of text that has the form of a secret and is none: it is not tried again

# Secrets of several lines: private keys, the data of a Kubernetes secret, the secret key of an AWS access key.

MAX_KEY_CHARS = 20_000
_NEARBY_CHARS = 600
_KEY_BEGIN = r"(?i)-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"(?i)KEY(?: BLOCK)?-----"
_KEY_HEADER = r"\s{1,8}[A-Za-z-]{3,20}:[ \t][^\n]{0,100}"
_KEY_LINE = r"\s{1,8}[A-Za-z0-9+/=]{16,4096}"
_KEY_LAST_LINE = r"\s{1,8}[A-Za-z0-9+/]{1,64}={1,2}"
_MAX_KEY_HEADERS = 6
_MAX_KEY_LINES = 400
_KUBERNETES_KIND = r"(?i)kind[\"']?:[ \t]{0,40}[\"']?secret\b"
_KUBERNETES_DATA = r"(?i)(?<![a-z])(?:string)?data[\"']?:"
_KUBERNETES_ITEM = (
    r"(?<![\w.\-])[\w.\-]{1,100}[\"']?:(?:[ \t]{0,40}[|>][-+]?\s{1,40})?[ \t]{0,40}"
    r"(?:\"([^\"\n\x00]{4,4096})\"|'([^'\n\x00]{4,4096})'|([A-Za-z0-9+/]{4,4096}={0,3}|[^\s\"'{\[|>\x00]{4,4096}))"
)
_KUBERNETES_METADATA = frozenset(
    "apiversion kind metadata type name namespace labels annotations immutable data stringdata creationtimestamp "
    "resourceversion uid managedfields ownerreferences generatename".split()
)
_GO_DSN_LOGIN = r"(?<![\w.-])[\w.-]{1,60}:(?P<v>[^\s\"'`:@]{3,100})(?=@(?:tcp|unix)\()"
_MAX_LOGIN_CHARS = 170
_AWS_SECRET_KEY = r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])"

BLOCK_EXAMPLES = (
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\n<b64>\n<b64>\n-----END RSA PRIVATE KEY-----",
     "-----BEGIN CERTIFICATE-----\n<b64>\n<b64>\n-----END CERTIFICATE-----"),
    ("Kubernetes secret", "kind: Secret\ndata:\n  one: <a20>", "kind: ConfigMap\ndata:\n  one: <a20>"),
    ("password in an address", 'dsn := "orders:Hunter_n2@tcp(10.0.0.7:3306)/orders"', 'dsn := "orders@tcp(10.0.0.7:3306)/orders"'),
    ("AWS secret key", "AKIA<t16> <b40>", "AKIA stands before <x40>"),
)  # fmt: skip


def probe_private_key(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the whole block; if its end is missing, the first line and what looks like a key after it."""
    begin = regex(_KEY_BEGIN).match(text, at)
    if begin is None:
        return
    end = regex(_KEY_END).search(text, begin.end(), begin.end() + MAX_KEY_CHARS)
    if end and "-----BEGIN" not in text[begin.end() : end.start()]:
        yield at, end.end(), "private key"
    else:
        yield at, _key_body_end(text, begin.end()), "private key"


def _key_body_end(text: str, start: int) -> int:
    """Return where the headers and the lines of a key end that begin here; `start` if no line looks like a key."""
    headers_end = _skip_repeated(_KEY_HEADER, text, start, _MAX_KEY_HEADERS)
    lines_end = _skip_repeated(_KEY_LINE, text, headers_end, _MAX_KEY_LINES)
    return _skip_repeated(_KEY_LAST_LINE, text, lines_end, 1) if lines_end > headers_end else start


def _skip_repeated(pattern: str, text: str, at: int, most: int) -> int:
    """Return where what matches ends, one match directly after the other. None of them is retried shorter."""
    for _ in range(most):
        match = regex(pattern).match(text, at)
        if match is None:
            return at
        at = match.end()
    return at


def probe_go_dsn(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the password before `@tcp(`, in a database URL as Go's drivers write it."""
    login = regex(_GO_DSN_LOGIN).search(text, max(0, at - _MAX_LOGIN_CHARS), at + 6)
    if login and not is_placeholder(login["v"]):
        yield *login.span("v"), "password in an address"


def probe_kubernetes_secret(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the values below `data:` near `kind: Secret`. Each stretch is read once, however often `data:` occurs."""
    if not regex(_KUBERNETES_KIND).match(text, at):
        return
    first = regex(_KUBERNETES_DATA).search(text, max(0, at - _NEARBY_CHARS), at + _NEARBY_CHARS)
    if first is None:
        return
    until = at + _NEARBY_CHARS if first.start() < at else first.end() + _NEARBY_CHARS
    for item in regex(_KUBERNETES_ITEM).finditer(text, first.end(), until):
        name = item[0].partition(":")[0].strip("\"'").lower()
        group = item.lastindex or 0
        if name not in _KUBERNETES_METADATA and not is_placeholder(item[group]):
            yield item.start(group), item.end(group), "Kubernetes secret"
    yield at, min(until, len(text)), NOT_A_SECRET


def find_aws_secret_key(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """Yield the secret keys within a few lines of an access key."""
    for match in regex(_AWS_SECRET_KEY).finditer(text, max(0, start - _NEARBY_CHARS), end + _NEARBY_CHARS):
        value = match[0]
        if value.lower() != value and value.upper() != value and any(map(str.isdigit, value)):
            yield match.start(), match.end(), "AWS secret key"


# Probes of rows

_TOKEN_START = r"(?<![A-Za-z0-9])"
_TOKEN_END = r"(?![A-Za-z0-9_])"
# From the name of a service to its value. The part before the sign cannot contain it, so there is one way to match.
_ASSIGNMENT = r"[\w.\-\s'\"]{0,40}[=>:|?,][=>:|?,`'\"\s]{0,20}"
_BASE64_RUN = r"[A-Za-z0-9+/]{0,200}"
_MAX_BASE64_AROUND = 80  # more characters of the same alphabet around a match: it is part of an image or the like
_CONTEXT_CHARS = 400
_DIGITS_BEFORE = 6  # digits immediately before the keyword, in rows that begin with digits
_COMMAND_END = r"[\n;|]|&&"


def token_probe(row: TokenRow, keyword: str) -> Probe:
    """Return the probe of a token that begins with the keyword, or has it in the middle."""
    kind, _, specification, _, _ = row
    before, infix, after = f" {specification}".rpartition(" @")
    glued = keyword[-1].isalnum()
    start = _TOKEN_START if glued or infix or len(keyword) <= 4 else ""
    end = "" if specification.endswith("+") else _TOKEN_END
    pattern = re.compile(f"{start}{to_regex(before)}{re.escape(keyword)}({to_regex(after)}){end}")
    if infix:
        return _infix_probe(pattern, before, kind)
    prefix = len(keyword) if keyword[-1] in "/=" else 0
    brief = len(keyword) <= 2

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if match is None:
            return
        if not _is_token(match[1], brief) or (glued and _is_in_base64(text, at, match.end())):
            yield at, match.end(), NOT_A_SECRET
            return
        yield at + prefix, match.end(), kind
        if kind == "AWS access key":
            yield from find_aws_secret_key(text, at, match.end())

    return probe


def _infix_probe(pattern: re.Pattern[str], before: str, kind: str) -> Probe:
    """Return the probe of a token that contains the keyword, `before` being the specification of what precedes it.

    If that has a fixed length, the pattern is tried at one offset alone.
    """
    max_before, before_length, digits = max_length(before), exact_length(before), before.strip().startswith("d")

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        if digits and not text[max(0, at - _DIGITS_BEFORE) : at].isdigit():
            return
        if at and (text[at - 1].isalnum() or text[at - 1] in ".:"):
            if before_length is None:
                match = pattern.search(text, max(0, at - max_before), at + 200)
            else:
                match = pattern.match(text, at - before_length) if at >= before_length else None
            if match and _is_token(match[0], brief=False):
                yield match.start(), match.end(), kind

    return probe


def _is_token(body: str, brief: bool) -> bool:
    """Return whether it is neither `xxxx` nor a name that begins like a token."""
    if body and (len(set(body)) < 4 or is_filler(body)):
        return False
    if body.isalpha() and body.islower() and len(body) < 20:
        return False
    if brief:
        return not is_wordy(body)
    return body.isalnum() or body not in (body.lower(), body.upper()) or not is_wordy(body)


def _is_in_base64(text: str, start: int, end: int) -> bool:
    after = regex(_BASE64_RUN).match(text, end)
    before = regex(_BASE64_RUN).match(text[max(0, start - 200) : start][::-1])
    assert after is not None and before is not None
    return after.end() - end + before.end() > _MAX_BASE64_AROUND


def vendor_probe(row: TokenRow, name: str) -> Probe:
    """Return the probe of a value of the right length that is assigned to a name with the service in it."""
    kind, _, specifications, _, _ = row
    values = "|".join(to_regex(specification) for specification in specifications.split(" | "))
    pattern = re.compile(f"(?i:{values})(?![A-Za-z0-9_-])")

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        assigned = regex(_ASSIGNMENT).match(text, at + len(name))
        if assigned is None:
            return
        start = assigned.end()
        match = pattern.match(text, start)
        if match is None and text[start - 1] == "=":  # some values begin with that sign
            match = pattern.match(text, start - 1)
        if match and _is_vendor_value(match[0]):
            yield match.start(), match.end(), kind

    return probe


def _is_vendor_value(value: str) -> bool:
    if value.isdigit():
        return len(set(value)) > 3
    mixed = value not in (value.lower(), value.upper()) and not is_wordy(value)
    return (mixed or any(map(str.isdigit, value))) and len(set(value)) > 5 and not (is_filler(value) or is_name(value))


def context_probe(row: ContextRow, _: str) -> Probe:
    """Return the probe of a value in its context."""
    kind, _, near, expected, check, _, _ = row
    words = tuple(near.split(",")) if near else ()
    pattern = re.compile("(?i)" + expected.replace("{V}", VALUE).replace("{PAIR}", PAIR))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if not match or not match.lastgroup or (words and not _has_word_before(text, at, words)):
            return
        value = match[match.lastgroup]
        if _is_url_token(text, at, value) if check == LINKED else _is_context_value(value, check):
            yield *match.span(match.lastgroup), kind

    return probe


def _has_word_before(text: str, at: int, words: tuple[str, ...]) -> bool:
    """Return whether one of the words is before this offset, in the same command."""
    before = text[max(0, at - _CONTEXT_CHARS) : at].lower()
    last = max(before.rfind(word) for word in words)
    return last >= 0 and ("curl" in words or not regex(_COMMAND_END).search(before, last))


def _is_url_token(text: str, at: int, value: str) -> bool:
    """Return whether it is certainly random; what may be a digest or an id counts only in a complete URL."""
    if is_filler(value) or value.count(".") > 4:
        return False
    url_start = text.rfind("://", max(0, at - 200), at)
    if url_start < 0 and at and (text[at - 1].isalnum() or text[at - 1] in "+/"):
        host = text[max(0, at - 100) : at].split()[-1:]
        if not host or "." not in host[0]:
            return False  # a piece of an encoded text
    if any(is_very_random(part) for part in (value, *value.split("."))):
        return True
    if url_start < 0 or any(map(str.isspace, text[url_start:at])):
        return False
    return len(value) >= 24 and is_random(value, 24) and "commit" not in text[url_start:at]


def _is_context_value(value: str, check: str) -> bool:
    if check == PAIRED:
        return len(value) >= 3 and not is_placeholder(value) and not (value.isdigit() and len(value) <= 5)
    if check == SURE:
        return len(value) >= 3 and may_be_secret(value) and not (value.isdigit() and len(value) <= 5)
    if check == HEADER:
        return not is_placeholder(value) and (len(value) >= 40 or not is_wordy(value))
    if check == STATED:
        return is_stated_password(value)
    if check == CODE:
        return any(map(str.isdigit, value)) and not is_filler(value) and len(set(value)) > 2
    if check == LITERAL:
        chosen = is_password(value, quoted=True) or is_chosen_password(value) or is_literal_password(value)
        return (is_app_password(value) or (" " not in value and chosen)) and not is_path_or_url(value)
    if check == LONG:
        return len(value) >= 24 and len(set(value)) >= 10 and not is_wordy(value) and not is_filler(value)
    return is_random(value, 16)
