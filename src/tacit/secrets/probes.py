"""Probes: what is tried where a keyword occurs. Each row of a table becomes a probe; blocks and cookies have their own.

A probe gets a text and the offset of its keyword, and yields the secrets it finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from tacit.secrets import rows, values
from tacit.secrets.rows import VALUE, ContextRow, OptionRow, TokenRow
from tacit.text.display import regex

SecretSpan = tuple[int, int, str]  # start, end, kind
Probe = Callable[[str, int], Iterator[SecretSpan]]
NOT_A_SECRET = ""  # the kind of text that has the form of a secret and is none: it is not tried again

# Tokens, and values that are assigned to the name of a service

_TOKEN_START = r"(?<![A-Za-z0-9])"
_TOKEN_END = r"(?![A-Za-z0-9_])"
# From the name of a service to its value. The part before the sign cannot contain it, so there is one way to match.
_ASSIGNMENT = r"[\w.\-\s'\"]{0,40}[=>:|?,][=>:|?,`'\"\s]{0,20}"
_BASE64_RUN = r"[A-Za-z0-9+/]{1,200}"
_MAX_BASE64_AROUND = 80  # more characters of the same alphabet around a match: it is part of an image or the like
_DIGITS_BEFORE = 6  # digits immediately before the keyword, in rows that begin with digits
_AWS_SECRET_KEY = r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])"
_NEARBY_CHARS = 600


def token_probe(row: TokenRow, keyword: str) -> Probe:
    """Return the probe of a token that begins with the keyword, or has it in the middle."""
    before, infix, after = f" {row.value}".rpartition(" @")
    glued = keyword[-1].isalnum()
    start = _TOKEN_START if glued or infix or len(keyword) <= 4 else ""
    end = "" if row.value.endswith("+") else _TOKEN_END
    pattern = re.compile(f"{start}{rows.value_regex(before)}{re.escape(keyword)}({rows.value_regex(after)}){end}")
    if infix:
        return _infix_probe(pattern, before, row.kind)
    prefix = len(keyword) if keyword[-1] in "/=" else 0
    brief = len(keyword) <= 2

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if match is None:
            return
        around = text[max(0, at - 200) : at][::-1], text[match.end() : match.end() + 200]
        runs = [run.end() for part in around if (run := regex(_BASE64_RUN).match(part))] if glued else []
        if sum(runs) > _MAX_BASE64_AROUND or not _is_token(match[1], brief):
            yield at, match.end(), NOT_A_SECRET
            return
        yield at + prefix, match.end(), row.kind
        if row.kind == "AWS access key":  # the secret key is within a few lines
            start, end = max(0, at - _NEARBY_CHARS), match.end() + _NEARBY_CHARS
            for secret in regex(_AWS_SECRET_KEY).finditer(text, start, end):
                value = secret[0]
                if value.lower() != value and value.upper() != value and any(map(str.isdigit, value)):
                    yield *secret.span(), "AWS secret key"

    return probe


def _infix_probe(pattern: re.Pattern[str], before: str, kind: str) -> Probe:
    """Return the probe of a token that contains the keyword, `before` being the form of what precedes it.

    If that has a fixed length, the pattern is tried at one offset alone.
    """
    max_before, before_length, digits = rows.max_length(before), rows.exact_length(before), before.startswith(" d")

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
    if body and (len(set(body)) < 4 or values.is_filler(body)):
        return False
    if body.isalpha() and body.islower() and len(body) < 20:
        return False
    if brief:
        return not values.is_wordy(body)
    return body.isalnum() or body not in (body.lower(), body.upper()) or not values.is_wordy(body)


def service_probe(row: TokenRow, name: str) -> Probe:
    """Return the probe of a value of the right length that is assigned to a name with the service in it."""
    forms = "|".join(map(rows.value_regex, row.value.split(" or ")))
    pattern = re.compile(f"(?i:{forms})(?![A-Za-z0-9_-])")

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        assigned = regex(_ASSIGNMENT).match(text, at + len(name))
        if assigned is None:
            return
        start = assigned.end()
        match = pattern.match(text, start)
        if match is None and text[start - 1] == "=":  # some values begin with that sign
            match = pattern.match(text, start - 1)
        if match is None:
            return
        value = match[0]
        is_mixed = value not in (value.lower(), value.upper()) and not values.is_wordy(value)
        is_name = values.is_filler(value) or (not value.isdigit() and values.is_name(value))
        has_digit = any(map(str.isdigit, value))
        if len(set(value)) > (3 if value.isdigit() else 5) and (is_mixed or has_digit) and not is_name:
            yield *match.span(), row.kind

    return probe


# Values in their context

_CONTEXT_CHARS = 400
_COMMAND_END = r"[\n;|]|&&"


def context_probe(row: ContextRow, _: str) -> Probe:
    """Return the probe of a value in its context."""
    near = rows.split_words(row.near)
    pattern = re.compile("(?i)" + rows.expand_parts(row.expression))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if not match or not match.lastgroup:
            return
        if near:  # one of these words has to be before it, in the same command
            before = text[max(0, at - _CONTEXT_CHARS) : at].lower()
            last = max(before.rfind(word) for word in near)
            if last < 0 or regex(_COMMAND_END).search(before, last):
                return
        start, end = match.span(match.lastgroup)
        if row.check == "piped" and "chpasswd" in text[max(0, at - 40) : match.end()]:
            start += text[start:end].find(":") + 1
        value = text[start:end]
        if _is_url_token(text, at, value) if row.check == "linked" else _is_context_value(value, row.check):
            yield start, end, row.kind

    return probe


def _is_url_token(text: str, at: int, value: str) -> bool:
    """Return whether it is certainly random; what may be a digest or an id counts only in a complete URL."""
    if values.is_filler(value) or value.count(".") > 4:
        return False
    url_start = text.rfind("://", max(0, at - 200), at)
    if url_start < 0 and at and (text[at - 1].isalnum() or text[at - 1] in "+/"):
        host = text[max(0, at - 100) : at].split()[-1:]
        if not host or "." not in host[0]:
            return False  # a piece of an encoded text
    if any(values.is_very_random(part) for part in (value, *value.split("."))):
        return True
    if url_start < 0 or any(map(str.isspace, text[url_start:at])):
        return False
    return len(value) >= 24 and values.is_random(value, 24) and "commit" not in text[url_start:at]


def _is_context_value(value: str, check: str) -> bool:
    """Return whether a value passes a check that `contexts.txt` explains."""
    match check:
        case "paired":
            return len(value) >= 3 and not values.is_placeholder(value) and not (value.isdigit() and len(value) <= 5)
        case "argument" | "nonword":
            if (
                len(value) < 3
                or value.startswith(("-", "/", "|", ">", "@"))
                or (check == "nonword" and value.isalpha())
            ):
                return False
            return values.may_be_secret(value)
        case "sure" | "piped":
            return len(value) >= 3 and values.may_be_secret(value) and not (value.isdigit() and len(value) <= 5)
        case "header":
            return not values.is_placeholder(value) and (len(value) >= 40 or not values.is_wordy(value))
        case "stated":
            return values.is_stated_password(value)
        case "code":
            return any(map(str.isdigit, value)) and not values.is_filler(value) and len(set(value)) > 2
        case "literal":
            if values.is_app_password(value):
                return True
            chosen = values.is_chosen_password(value) or values.is_literal_password(value)
            return " " not in value and (values.is_password(value, quoted=True) or chosen)
        case "long":
            random = len(value) >= 24 and len(set(value)) >= 10
            return random and not values.is_wordy(value) and not values.is_filler(value)
    return values.is_random(value, 16)


# Passwords in commands

COMMAND_KIND = "password in a command"
_MAX_COMMAND_CHARS = 300
_TOOL_PREFIX_CHARS = 2  # characters of a word by which tools are looked up
_MAX_OPTION_DISTANCE = 300  # characters after a tool in which its options are read
_USER_AND_VALUE = (
    r"(?:=|\s{{0,4}})(?:\"[^\"\n{0}]{{1,100}}{0}(?P<q>[^\"\n]{{1,200}})\"|"
    r"'[^'\n{0}]{{1,100}}{0}(?P<s>[^'\n]{{1,200}})'|"
    r"[^\s\"'{0}]{{1,100}}{0}[\"']?(?P<v>[^\s\"'`|&<>]{{1,200}}))"
)
# What follows an option, by the form of its value.
_VALUE_BY_FORM = {
    "apart": rf"(?:=|\s{{1,4}}){VALUE}",
    "random": rf"(?:=|\s{{1,4}}){VALUE}",
    "glued": VALUE,
    "either": rf"(?:=|\s{{0,4}}){VALUE}",
    "colon": r"(?:\"(?P<q>[^\"\n]{1,200})\"|'(?P<s>[^'\n]{1,200})'|(?P<v>[^\s\"'`|&<>]{1,200}))",
    "pair": (
        r"""(?:=|\s{0,5})(?:"[^":\n]{0,100}:(?P<a>[^"\n]{1,200})"|'[^':\n]{0,100}:(?P<b>[^'\n]{1,200})'|"(?P<c>[^":\n]{8,200}):"|"""
        r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"':/]{0,100}):(?:"(?P<d>[^"\n]{1,200})"|'(?P<e>[^'\n]{1,200})'|(?P<f>[^\s"'`;|&]{1,200})))"""
    ),
    "percent": _USER_AND_VALUE.format("%"),
    "comma": _USER_AND_VALUE.format(","),
    "named": rf"(?:=|\s{{1,4}})[\"']?[\w.-]{{1,100}}={VALUE}",
}
# Options that ordinary commands use all the time: their rows are tried at the name of the tool instead.
_COMMON_OPTIONS = frozenset("-A -X -a -b -c -k -n -N -r -s -t -v -x /p /rp --login --value --auth --body".split())
_RARE_FORMS = frozenset(("pair", "percent", "comma", "glued", "colon"))


def is_tried_at_option(row: OptionRow) -> bool:
    """Return whether a row is tried at its options; other rows are tried at the names of their tools."""
    return row.form in _RARE_FORMS or row.options == "-a" or _COMMON_OPTIONS.isdisjoint(row.options.split())


@cache
def option_rows() -> tuple[dict[str, list[OptionRow]], dict[str, list[OptionRow]]]:
    """Return the rows that are tried at each option in lower case, and those at the longest word of each tool's name."""
    at_option: dict[str, list[OptionRow]] = {}
    at_tool: dict[str, list[OptionRow]] = {}
    for row in rows.read_rows("options", OptionRow):
        if is_tried_at_option(row):
            for option in dict.fromkeys(row.options.lower().split()):
                at_option.setdefault(option, []).append(row)
        else:
            for word in dict.fromkeys(map(_longest_word, rows.split_words(row.tools))):
                at_tool.setdefault(word, []).append(row)
    return at_option, at_tool


def _longest_word(tool: str) -> str:
    return max(tool.split(), key=len)


@cache
def option_regex(row: OptionRow) -> re.Pattern[str]:
    """Return the pattern of the options of a row with their values."""
    options = "|".join(map(re.escape, sorted(row.options.split(), key=len, reverse=True)))
    return re.compile(rf"(?<=\s)(?:{options}){_VALUE_BY_FORM[row.form]}")


def tool_probe(keyword: str) -> Probe:
    """Return the probe of a tool: its options, up to the end of the command."""
    tool_rows = []
    for row in option_rows()[1][keyword]:
        tools = [re.escape(tool.strip()) for tool in rows.split_words(row.tools) if _longest_word(tool) == keyword]
        tool_rows.append((re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(tools)})(?![\w])"), row))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        end = at + len(keyword)
        farthest = end + _MAX_OPTION_DISTANCE
        if text.find(" -", end, farthest) < 0 and text.find(" /", end, farthest) < 0:
            return
        command_end = regex(_COMMAND_END).search(text, end, farthest)
        until = command_end.start() if command_end else min(len(text), farthest)
        for is_tool, row in tool_rows:
            if not is_tool.search(text, max(0, at - 16), end + 16):
                continue
            for match in option_regex(row).finditer(text, end, until):
                if match.lastgroup and _is_option_value(match[match.lastgroup], row.form):
                    yield *match.span(match.lastgroup), COMMAND_KIND
        yield at, until, NOT_A_SECRET

    return probe


def option_probe(keyword: str) -> Probe:
    """Return the probe of an option."""
    spellings: set[str] = set()
    # By the first characters of a tool's last word, so that a command is looked up word by word.
    by_prefix: dict[str, list[tuple[str, str, str, re.Pattern[str]]]] = {}
    for row in option_rows()[0][keyword]:
        pattern = re.compile(_VALUE_BY_FORM[row.form])
        for spelling in (option for option in row.options.split() if option.lower() == keyword):
            spellings.add(spelling)
            for tool in rows.split_words(row.tools):
                of_prefix = by_prefix.setdefault(tool.split()[-1][:_TOOL_PREFIX_CHARS], [])
                of_prefix.append((tool, spelling, row.form, pattern))
    spelled = tuple(spellings)

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        if not at or not text[at - 1].isspace() or not text.startswith(spelled, at):
            return
        before = command_before(text, at)
        words = regex(r"[\s\"'/=]+").split(before)
        for prefix in {word[:_TOOL_PREFIX_CHARS] for word in words}:
            for tool, spelling, form, pattern in by_prefix.get(prefix, ()):
                if tool not in before or not text.startswith(spelling, at):
                    continue
                match = pattern.match(text, at + len(spelling))
                if match and match.lastgroup and _is_option_value(match[match.lastgroup], form):
                    yield *match.span(match.lastgroup), COMMAND_KIND
                    return

    return probe


def _is_option_value(value: str, form: str) -> bool:
    short_number = value.isdigit() and len(value) <= (3 if form in ("colon", "named") else 5)
    if len(value) < 3 or short_number or value.startswith(("-", "@", "file:", "env:", "op:")):
        return False
    if form == "random":
        return values.is_random(value, 12)
    return not values.is_placeholder(value) if form == "pair" else values.may_be_secret(value)


def command_before(text: str, at: int) -> str:
    """Return the part of the command before an offset, in lower case."""
    before = text[max(0, at - _MAX_COMMAND_CHARS) : at].lower()
    if "curl" in before:  # its commands go over many lines, and the backslashes that join them are gone by now
        return before
    return before[max(map(before.rfind, ("\n", ";", "|", "&&"))) + 1 :].removeprefix("&")


# Secrets of several lines: private keys, the data of a Kubernetes secret; and a password in Go's database URLs

_MAX_KEY_CHARS = 20_000
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


def probe_private_key(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the whole block; if its end is missing, the first line and what looks like a key after it."""
    begin = regex(_KEY_BEGIN).match(text, at)
    if begin is None:
        return
    key_end = regex(_KEY_END).search(text, begin.end(), begin.end() + _MAX_KEY_CHARS)
    if key_end and "-----BEGIN" not in text[begin.end() : key_end.start()]:
        yield at, key_end.end(), "private key"
        return
    headers_end = _skip_repeated(_KEY_HEADER, text, begin.end(), _MAX_KEY_HEADERS)
    end = _skip_repeated(_KEY_LINE, text, headers_end, _MAX_KEY_LINES)
    yield at, _skip_repeated(_KEY_LAST_LINE, text, end, 1) if end > headers_end else begin.end(), "private key"


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
    if login and not values.is_placeholder(login["v"]):
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
        if name not in _KUBERNETES_METADATA and not values.is_placeholder(item[group]):
            yield item.start(group), item.end(group), "Kubernetes secret"
    yield at, min(until, len(text)), NOT_A_SECRET


# Cookies in headers, options, dictionaries, calls, cookie jars and sentences. After the word "cookie", pairs of a name and
# a value are read. A value must be random; after a name for a session it may be shorter.

COOKIE_KIND = "cookie"
COOKIE_KEYWORDS = ("cookie",)
EXPORT_KEYWORDS = ("httponly", "samesite", "hostonly")
SESSION_KEYWORDS = tuple(
    "sessid sessionid session= _sess= sid= session-token connect.sid csrftoken remember_token .aspx logged_in_".split()
)
JAR_KEYWORDS = ("true", "false")
_MAX_LINE_CHARS = 600
_MAX_BLOCK_CHARS = 1200
_COOKIE_PAIR = (  # a name is not retried shorter
    r"(?=(?P<name>[\w.\-$@%\[\]]{1,80}))(?P=name)[\"']?(?:\s{0,3}[=:]\s{0,3}|\s{0,3}=>\s{0,3}|(?<=[\"']),\s{0,3})"
    r"[\"']?(?P<value>[^\s\"';,<>(){}\\\x00]{8,4096})"
)
_COOKIE_OBJECT = (
    r"(?i)\bname[\"']?\s{0,3}[:=]\s{0,3}[\"'](?P<name>[^\"'\n]{1,80})[\"']\s{0,3},\s{0,20}[\"']?value[\"']?\s{0,3}[:=]\s{0,3}"
    r"[\"'](?P<value>[^\"'\n\x00]{8,4096})[\"']"
)
_SESSION_COOKIE = (
    r"(?i)[\w.-]{3,60}(?:=|[\"']\s{0,3}[:,]\s{0,3}[\"'](?:value[\"']\s{0,3}:\s{0,3}[\"'])?)"
    r"(?P<value>[^\s\"';,<>(){}\\\x00]{16,4096})"
)
_COOKIE_HEADER = r"(?i)cookies?[\"']?\s{0,2}:(?=[\w.-]{1,80}=)"  # Cookie:name=value
_BRACKETED_VALUE = (
    r"[(\[\"'`](?P<value>[A-Za-z0-9_.%+/=-]{32,4096})[)\]\"'`]|"
    r"\s(?:is|was|ist|est|es)\s(?P<stated>[A-Za-z0-9_.%+/=-]{32,4096})(?=[\s,;)]|\Z)"
)
_MAX_BRACKET_DISTANCE = 100  # characters from the word to a value in brackets or quotes
_DATE = r"\d{4}-\d\d-\d\dT"
_JAR_LINE = r"(?i)(?:TRUE|FALSE)\t/[^\t\n]{0,100}\t(?:TRUE|FALSE)\t\d{1,12}\t(?P<name>[^\t\n]{1,80})\t(?P<value>[^\s\x00]{4,4096})"
_SESSION_COOKIE_NAME = (
    r"(?i)sess|sid\b|sid$|auth|tok|csrf|xsrf|login|user|remember|identity|jwt|ticket|secret|sso|saml|aspx|passport|"
    r"li_at|credential|account|_key|apikey|access|refresh|bearer|member|phpsess|cfid|connect\."
)
_COOKIE_ATTRIBUTES = frozenset(
    "path domain expires max-age maxage samesite secure httponly version priority partitioned".split()
)
_TRACKING_PREFIXES = tuple(
    """_ga _gid _gcl _fbp _fbc _hj __utm _pk_ ajs_ mp_ _clck _uet optanon intercom-id amplitude consent cookieconsent
    hash sha etag commit integrity version""".split()
)


def probe_cookies(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield values of cookies after the word, up to the end of its line or of the list that it opens."""
    line = text.find("\n", at, at + _MAX_LINE_CHARS)
    until = line if line >= 0 else min(len(text), at + _MAX_LINE_CHARS)
    again = text.find("ookie", at + 6, until)  # values after the next "cookie" are read there
    until = again - 1 if again >= 0 else until
    opens = text.find("{", at, until)
    if opens >= 0:
        close = text.find("}", opens, at + _MAX_BLOCK_CHARS)
        until = max(until, close if close >= 0 else min(len(text), at + _MAX_BLOCK_CHARS))
        block_end = again if again >= 0 else min(len(text), at + _MAX_BLOCK_CHARS)
        yield from _check_cookies(regex(_COOKIE_OBJECT).finditer(text, at, block_end))
    header = regex(_COOKIE_HEADER).match(text, at)
    yield from _check_cookies(regex(_COOKIE_PAIR).finditer(text, header.end() if header else at, until))
    for match in regex(_BRACKETED_VALUE).finditer(text, at, until):
        if match.start() > at + _MAX_BRACKET_DISTANCE:
            break
        value = match[match.lastgroup or 0]
        if values.is_very_random(value) or is_cookie_value(value, 32):
            yield *match.span(match.lastgroup or 0), COOKIE_KIND
    if line >= 0 and "\t" in text[line : line + 200]:
        yield from _check_cookies(regex(_JAR_LINE).finditer(text, line, at + 2 * _MAX_BLOCK_CHARS))
    yield at, until, NOT_A_SECRET


def probe_exported_cookies(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield values of cookies as browsers export them: objects with a name, a value and attributes."""
    start, end = max(0, at - _MAX_BLOCK_CHARS), at + _MAX_BLOCK_CHARS
    yield from _check_cookies(regex(_COOKIE_OBJECT).finditer(text, start, end))
    yield at, min(len(text), end), NOT_A_SECRET


def probe_session_cookie(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the value of a cookie with a well-known name: `PHPSESSID=…`."""
    match = regex(_SESSION_COOKIE).match(text, at)
    if match and is_cookie_value(match["value"], 16) and not regex(rows.UUID).match(match["value"]):
        yield *match.span("value"), COOKIE_KIND


def probe_cookie_jar(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the value of a line of a cookie jar as curl and wget write it."""
    if match := regex(_JAR_LINE).match(text, at):
        yield from _check_cookies([match])


def _check_cookies(matches: Iterable[re.Match[str]]) -> Iterator[SecretSpan]:
    """Yield the values that are secrets."""
    for match in matches:
        name, value = match["name"], match["value"]
        lower = name.lower()
        if lower in _COOKIE_ATTRIBUTES or lower.startswith(_TRACKING_PREFIXES):
            continue
        if values.is_placeholder(value) or regex(_DATE).match(value) or "://" in value:
            continue
        if value.startswith(("http:", "https:", "/", "$", "./", "~")):
            continue
        if is_cookie_value(value, 12 if regex(_SESSION_COOKIE_NAME).search(name) else 20):
            yield *match.span("value"), COOKIE_KIND


def is_cookie_value(value: str, min_length: int) -> bool:
    """Return whether a value is random: a session, a ticket, a signed value."""
    if len(value) < min_length:
        return False
    if values.is_random(value, min_length):
        return value.count("/") <= 2 and value.count(".") <= 5
    mixed = value not in (value.lower(), value.upper())
    return len(value) >= 24 and mixed and not values.is_wordy(value)
