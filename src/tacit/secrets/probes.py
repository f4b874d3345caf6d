"""From a row of a table to what is tried at its keyword; and secrets of several lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from tacit.secrets import spec as shapes
from tacit.secrets.spec import (
    CODE,
    HEADER,
    LINKED,
    LITERAL,
    LONG,
    PAIRED,
    STATED,
    SURE,
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

# Secrets that are more than one line: private keys, the data of a Kubernetes secret, the partner of an AWS key.

SecretSpan = tuple[int, int, str]

MAX_KEY_CHARS = 20_000
_NEARBY_CHARS = 600
_KEY_BEGIN = r"(?i)-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"(?i)KEY(?: BLOCK)?-----"
_KEY_BODY = (
    r"(?:\s{1,8}+[A-Za-z-]{3,20}+:[ \t][^\n]{0,100}+){0,6}+"  # headers, each to the end of its line
    r"(?:\s{1,8}+[A-Za-z0-9+/=]{16,4096}+){1,400}+(?:\s{1,8}+[A-Za-z0-9+/]{1,64}+={1,2})?"
)
_KUBERNETES_KIND = r"(?i)kind[\"']?:[ \t]{0,40}[\"']?secret\b"
_KUBERNETES_DATA = r"(?i)(?<![a-z])(?:string)?data[\"']?:"
_KUBERNETES_ITEM = (
    r"(?<![\w.\-])[\w.\-]{1,100}+[\"']?:(?:[ \t]{0,40}[|>][-+]?\s{1,40})?[ \t]{0,40}"
    r"(?:\"([^\"\n\x00]{4,4096})\"|'([^'\n\x00]{4,4096})'|([A-Za-z0-9+/]{4,4096}+={0,3}|[^\s\"'{\[|>\x00]{4,4096}))"
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


@cache
def _block_regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def probe_private_key(text: str, at: int) -> Iterator[SecretSpan]:
    """The whole block; where its end is missing, the first line and what looks like a key behind it."""
    begin = _block_regex(_KEY_BEGIN).match(text, at)
    if begin is None:
        return
    end = _block_regex(_KEY_END).search(text, begin.end(), begin.end() + MAX_KEY_CHARS)
    if end is None or "-----BEGIN" in text[begin.end() : end.start()]:
        end = _block_regex(_KEY_BODY).match(text, begin.end()) or begin
    yield at, end.end(), "private key"


def probe_go_dsn(text: str, at: int) -> Iterator[SecretSpan]:
    """The password before `@tcp(`, in the address of a database as Go's drivers write it."""
    login = _block_regex(_GO_DSN_LOGIN).search(text, max(0, at - _MAX_LOGIN_CHARS), at + 6)
    if login and not is_placeholder(login["v"]):
        yield *login.span("v"), "password in an address"


def probe_kubernetes_secret(text: str, at: int) -> Iterator[SecretSpan]:
    """What stands below `data:` near `kind: Secret`. Each stretch is read once, however often `data:` stands in it."""
    if not _block_regex(_KUBERNETES_KIND).match(text, at):
        return
    first = _block_regex(_KUBERNETES_DATA).search(text, max(0, at - _NEARBY_CHARS), at + _NEARBY_CHARS)
    if first is None:
        return
    until = at + _NEARBY_CHARS if first.start() < at else first.end() + _NEARBY_CHARS
    for item in _block_regex(_KUBERNETES_ITEM).finditer(text, first.end(), until):
        name = item[0].partition(":")[0].strip("\"'").lower()
        group = item.lastindex or 0
        if name not in _KUBERNETES_METADATA and not is_placeholder(item[group]):
            yield item.start(group), item.end(group), "Kubernetes secret"
    yield at, min(until, len(text)), ""  # not worth reading again from the next sign on


def find_aws_secret_key(text: str, begins: int, ends: int) -> Iterator[SecretSpan]:
    """The secret that belongs to an access key, within a few lines of it."""
    for found in _block_regex(_AWS_SECRET_KEY).finditer(text, max(0, begins - _NEARBY_CHARS), ends + _NEARBY_CHARS):
        value = found[0]
        if value.lower() != value and value.upper() != value and any(map(str.isdigit, value)):
            yield found.start(), found.end(), "AWS secret key"


# From a row to what is tried at its keyword. Each probe is told where the keyword stands and says what it found.

Probe = Callable[[str, int], Iterator[SecretSpan]]
NOT_A_SECRET = ""  # has the shape, and is none: not worth trying again from the next sign on

_TOKEN_START = r"(?<![A-Za-z0-9])"
_TOKEN_END = r"(?![A-Za-z0-9_])"
# From the name of a service to its value. What stands before the sign never holds it, so there is one way to read it.
_ASSIGNMENT = r"[\w.\-\s'\"]{0,40}+[=>:|?,][=>:|?,`'\"\s]{0,20}+"
_BASE64_RUN = r"[A-Za-z0-9+/]{0,200}"
_MAX_BASE64_AROUND = 80  # this much more of the same alphabet around a find: it is part of an image or the like
_CONTEXT_CHARS = 400
_DIGITS_BEFORE = 6  # digits right before the keyword, in rows that begin with digits
_COMMAND_END = r"[\n;|]|&&"


@cache
def _row_regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def token_probe(row: TokenRow, keyword: str) -> Probe:
    """A token that begins with the keyword, or has it in the middle."""
    kind, _, specification, _, _ = row
    ahead, middle, behind = f" {specification}".rpartition(" @")
    glued = keyword[-1].isalnum()
    begins = _TOKEN_START if glued or middle or len(keyword) <= 4 else ""
    ends = "" if specification.endswith("+") else _TOKEN_END
    back = max_length(ahead)
    pattern = re.compile(f"{begins}{to_regex(ahead)}{re.escape(keyword)}({to_regex(behind)}){ends}")
    if middle:
        return _infix_probe(pattern, back, kind, exact_length(ahead), digits=ahead.strip().startswith("d"))
    skipped = len(keyword) if keyword[-1] in "/=" else 0
    brief = len(keyword) <= 2

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        found = pattern.match(text, at)
        if found is None:
            return
        if not _is_token(found[1], brief) or (glued and _is_in_base64(text, at, found.end())):
            yield at, found.end(), NOT_A_SECRET
            return
        yield at + skipped, found.end(), kind
        if kind == "AWS access key":
            yield from find_aws_secret_key(text, at, found.end())

    return probe


def _infix_probe(pattern: re.Pattern[str], back: int, kind: str, exact: int | None, *, digits: bool) -> Probe:
    """A token that has the keyword inside. Where its beginning has one length only, it is tried there alone."""

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        if digits and not text[max(0, at - _DIGITS_BEFORE) : at].isdigit():
            return
        if at and (text[at - 1].isalnum() or text[at - 1] in ".:"):
            if exact is None:
                found = pattern.search(text, max(0, at - back), at + 200)
            else:
                found = pattern.match(text, at - exact) if at >= exact else None
            if found and _is_token(found[0], brief=False):
                yield found.start(), found.end(), kind

    return probe


def _is_token(body: str, brief: bool) -> bool:
    """Neither `xxxx` nor a name that happens to begin like a token."""
    if body and (len(set(body)) < 4 or is_filler(body)):
        return False
    if body.isalpha() and body.islower() and len(body) < 20:
        return False
    if brief:
        return not is_wordy(body)
    return body.isalnum() or body not in (body.lower(), body.upper()) or not is_wordy(body)


def _is_in_base64(text: str, begins: int, ends: int) -> bool:
    behind = _row_regex(_BASE64_RUN).match(text, ends)
    before = _row_regex(_BASE64_RUN).match(text[max(0, begins - 200) : begins][::-1])
    assert behind is not None and before is not None
    return behind.end() - ends + before.end() > _MAX_BASE64_AROUND


def vendor_probe(row: TokenRow, name: str) -> Probe:
    """A value of the right length, assigned to a name with the service in it."""
    kind, _, specifications, _, _ = row
    values = "|".join(to_regex(one) for one in specifications.split(" | "))
    pattern = re.compile(f"(?i:{values})(?![A-Za-z0-9_-])")

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        assigned = _row_regex(_ASSIGNMENT).match(text, at + len(name))
        if assigned is None:
            return
        begins = assigned.end()
        found = pattern.match(text, begins)
        if found is None and text[begins - 1] == "=":  # some values begin with that sign
            found = pattern.match(text, begins - 1)
        if found and _is_vendor_value(found[0]):
            yield found.start(), found.end(), kind

    return probe


def _is_vendor_value(value: str) -> bool:
    if value.isdigit():
        return len(set(value)) > 3
    mixed = value not in (value.lower(), value.upper()) and not is_wordy(value)
    return (mixed or any(map(str.isdigit, value))) and len(set(value)) > 5 and not (is_filler(value) or is_name(value))


def context_probe(row: ContextRow, _: str) -> Probe:
    """A value in its place."""
    kind, _, near, expected, judged, _, _ = row
    words = tuple(near.split(",")) if near else ()
    pattern = re.compile("(?i)" + expected.replace("{V}", shapes.VALUE).replace("{PAIR}", shapes.PAIR))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        found = pattern.match(text, at)
        if not found or (words and not _has_word_before(text, at, words)):
            return
        if not found.lastgroup:
            return
        value = found[found.lastgroup]
        if _is_url_token(text, at, value) if judged == LINKED else _is_context_value(value, judged):
            yield *found.span(found.lastgroup), kind

    return probe


def _has_word_before(text: str, at: int, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands before this place, in the same command."""
    before = text[max(0, at - _CONTEXT_CHARS) : at].lower()
    last = max(before.rfind(word) for word in words)
    return last >= 0 and ("curl" in words or not _row_regex(_COMMAND_END).search(before, last))


def _is_url_token(text: str, at: int, value: str) -> bool:
    """Drawn by lot beyond doubt; what may be a digest or an id counts only in a whole address."""
    if is_filler(value) or value.count(".") > 4:
        return False
    begins = text.rfind("://", max(0, at - 200), at)
    if begins < 0 and at and (text[at - 1].isalnum() or text[at - 1] in "+/"):
        host = text[max(0, at - 100) : at].split()[-1:]
        if not host or "." not in host[0]:
            return False  # a piece of an encoded text
    if any(is_very_random(part) for part in (value, *value.split("."))):
        return True
    if begins < 0 or any(map(str.isspace, text[begins:at])):
        return False
    return len(value) >= 24 and is_random(value, 24) and "commit" not in text[begins:at]


def _is_context_value(value: str, judged: str) -> bool:
    if judged == PAIRED:
        return len(value) >= 3 and not is_placeholder(value) and not (value.isdigit() and len(value) <= 5)
    if judged == SURE:
        return len(value) >= 3 and may_be_secret(value) and not (value.isdigit() and len(value) <= 5)
    if judged == HEADER:
        return not is_placeholder(value) and (len(value) >= 40 or not is_wordy(value))
    if judged == STATED:
        return is_stated_password(value)
    if judged == CODE:
        return any(map(str.isdigit, value)) and not is_filler(value) and len(set(value)) > 2
    if judged == LITERAL:
        chosen = is_password(value, quoted=True) or is_chosen_password(value) or is_literal_password(value)
        return (is_app_password(value) or (" " not in value and chosen)) and not is_path_or_url(value)
    if judged == LONG:
        return len(value) >= 24 and len(set(value)) >= 10 and not is_wordy(value) and not is_filler(value)
    return is_random(value, 16)
