"""Values after a name that says what they are: `DB_PASSWORD=…`, `"client_secret": "…"`, `--token …`, "the password is …".

The last word of the name decides how the value is checked. After `password` a word with a number is enough; after `token`
it must look random; after `key`, which names many other things, it must certainly be random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from tacit.record import Record
from tacit.secrets import values
from tacit.secrets.probes import SecretSpan
from tacit.text.display import regex

_FOREIGN_PASSWORD_WORDS = (
    "passwort kennwort contraseña contrasena contrasenya clave senha motdepasse mdp wachtwoord hasło haslo heslo parola "
    "salasana lösenord losenord passord adgangskode kodeord jelszó jelszo lozinka şifre sifre пароль парола лозинка"
).split()
NAME_KEYWORDS = (
    "pass", "pwd", "pswd", "vault_", "_pat", "secret", "token", "key", "cred", "auth", "access", "api", "sig", "psk", "hmac", "mnemonic", "jwt", "pin", "pw", "unseal", "salt", "pepper",
    "clave", "senha", "mdp", "wachtwoord", "hasło", "haslo", "heslo", "parola", "salasana", "kennwort", "contrase",
    "lösenord", "losenord", "adgangskode", "kodeord", "jelsz", "lozinka", "şifre", "sifre", "пароль", "парола", "лозинка",
)  # fmt: skip
PASSWORD, TOKEN, OTHER_SECRET = "password", "token", "secret"
_SECRET_ENDINGS = ("secret", "secretkey", "secret_key", "secret-key", "signingkey", "signing_key", "salt", "pepper")

_NAME_REST = r"[\w.\-]{0,40}"
_ASSIGNMENT = (
    r"(?:[ \t]\([^()\n]{1,30}\))?(?:\[\])?[\"'`\])]{0,3}\s{0,40}(?:(?::{0,3}=|:-|=>|\?=|\?\?=?|\?:|\|\||==?|>|:(?!:))|(?<=[\"'`]),)"
    r"[=>]{0,2}[ \t]{0,40}(?:[|>][-+]?\n[ \t]{1,40}|!{1,2}\w{1,10}[ \t]|[@$bfruLN]{1,2}(?=[\"'`])|\"\"(?=\"[^\"])|''(?='[^']))?(?=[^\s=>])"
)
_LOOSE_ASSIGNMENT = r"[ \t\w.\-]{0,20}[\"'\s]{0,40}(?::{0,3}=|=>|>|\?=|\|\||:(?!:)|,)[=>`\"'\s]{0,40}"
_SPACE = r"[ \t]{1,4}(?=[^\s\-])"
_CLOSED_QUOTE = r"[\"'][ \t]{1,4}(?=[^\s\-])"  # set "Smtp:Pass" "…"
_IS_WORDS = (
    r"(?:[ \t](?:for|of|to|on|in)(?:[ \t][\w.@/:-]{1,60}){1,4}?)?"
    r"[ \t](?:is|was)(?:[ \t](?:now|set[ \t]to|still))?:?[ \t]{1,2}|"
    r"[ \t]for[ \t](?:[\w.@-]{1,30}[ \t]){0,2}['\"]?[\w.@/:-]{1,60}['\"]?:[ \t]{1,2}"
)
# A quote that is not closed extends to the end of its line: in a JSON string, the quote of the string would close it.
_QUOTED_VALUE = r"\"([^\"\n\x00]{1,400})(?:\"|(?=\n)|\Z)|'([^'\n\x00]{1,400})'|`([^`\n\x00]{1,400})`"
_VALUE_CHAR = r"[^\s\"'`,;&<>(){}\[\]|\\\x00]"
_BARE_VALUE = rf"{_VALUE_CHAR}{{1,200}}(?:&(?![\w.-]{{1,40}}=){_VALUE_CHAR}{{0,100}}){{0,4}}"
_NEXT_NAME = r"[A-Za-z_]\w{0,60}[=:]"  # the value was empty, and this is the next name
_NESTED_NAME = (
    rf"(?i)[\w.\-]{{0,20}}?(?:{'|'.join(NAME_KEYWORDS)})[\w.\-]{{0,20}}="  # another name, which is tried by itself
)
_LINE_VALUE = r"[^\s\"'`<>\\\x00]{1,200}"  # in an environment file a value ends with its line
_AFTER_NAME = frozenset(" \t\n\r\f\v\"'`])=:>|?,(<[{")
_CONNECTION_PASSWORD_NAME = r"(?i)(?:pwd|password)\Z"  # Server=…;Pwd=…; where the value may contain anything but ";"
_CALL_START = r"[(\[{]|\.\w"
_NAME_WORDS = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"

_PASSWORD_ENDINGS = (
    *"password passwd passphrase passcode pwd pass psk passw pswd pw".split(),
    *_FOREIGN_PASSWORD_WORDS,
)
_TOKEN_ENDINGS = tuple(
    "token secret apikey accesskey secretkey authkey credentials creds hmac jwt mnemonic unseal salt pepper".split()
)
_KEY_QUALIFIERS = frozenset(
    """api access secret auth private encryption signing account master service license deploy aes hmac jwt app
    admin client shared storage session consumer subscription functions host preshared psk wallet vapid webhook bot
    root unseal recovery cipher fernet cookie csrf sas server vpn crypto crypt app ssh rsa write read""".split()
)
_PW_NAME = r"(?:.{0,40}[_.-])?pw\d{0,2}|.{1,24}P[wW]\d{0,2}"
_NOT_PASSWORD_WORDS = frozenset("askpass bypass compass surpass trespass".split())
# A name with one of these words is about a secret and does not hold one.
_METADATA_WORDS = frozenset(
    """id ids name names file path url uri type field length len count size policy hash digest checksum sha
    sha256 md5 fingerprint etag commit uuid guid ref version arn prefix suffix regex pattern format label
    env var ttl expiry expires expiration timeout min max limit hint reset required strength attempts link
    manager public pub cache primary foreign sort partition dedupe algorithm alg method scheme endpoint
    server author authority status""".split()
)
_IGNORED_ENDINGS = frozenset(
    """prod dev test staging stage old new value val b64 base64 base hex enc raw plain text string str live default
    production local backup temp tmp current initial legacy clear main internal external""".split()
)


# How source code and settings assign a value to a name
_STRING_PREFIX = r"(?:[@$brfLuR]{0,2}(?=[\"'`]))"
_TYPED_ASSIGNMENT = (
    rf"\s{{0,4}}:\s{{0,4}}[&*]{{0,2}}['\w.<>\[\]?; ]{{1,30}}\s{{0,4}}=\s{{0,4}}{_STRING_PREFIX}"  # password: str = "…"
)
_WRAPPED_VALUE = (  # key = []byte("…"), key = SecretStr("…")
    r"[\"'\])]{0,3}\s{0,4}(?::?=|:|=>)\s{0,4}(?:new\s{1,2})?(?:\[\]byte|bytes|byte|str|String|SecretStr|SecretString|Secret|Buffer\.from|"
    rf"[\w.:]{{0,30}}::(?:from|new)|Some|Password|toCharArray|NSString|std::string|encode|b64decode|unhexlify|fromhex|literal|sops|raw|Uint8Array|TextEncoder|[\w.]{{0,30}}GetBytes|\[\]string|Data|Bytes|SymmetricKey|SecretKey|Key)"
    rf"[({{]\s{{0,4}}{_STRING_PREFIX}"
)
_CALL_ARGUMENT = rf"(?:::(?:from|new))?[({{]\s{{0,8}}(?:(?:Some|[\w.:]{{1,20}}::(?:from|new))\()?{_STRING_PREFIX}"  # setPassword("…")
_VALUE_ATTRIBUTE = (  # name: DB_PASSWORD, value: … and <key>password</key><string>…
    r"[\"']{0,2}(?:[^<>\n]{0,60}>\s{0,8}<(?:value|string)>|(?:[ \t][\w:-]{1,20}=\"[^\"<>\n]{0,40}\"){1,3}>|</key>\s{0,8}<string>|\s{0,4}[,;]?\s{1,12}[\"']?(?:value|Value|val|content|defaultValue|default_value)[\"']?\s{0,4}[:=]\s{0,4}|[ \t]-Value[ \t]|"
    r"[\"']?,\s{0,4}[\"']?(?:value|Value|val)[\"']?\s{0,4}[:=]\s{0,4})(?=[^\s])"
)
_QUOTED_NEXT = r"[ \t]{1,4}(?=[\"'`«„“][^\s\"'`])"  # password "…"
_TUPLE_ITEM = r",\s{0,4}(?=[\"'])"  # {password, "…"}
_SET_COMMAND = (  # the command before a name that a blank separates from its value
    r"(?i)(?:^|[\s;&|({\"'`])(?:set(?:env|x|-env|-environment)?|setenv|env|arg|[\w-]{1,20}:set|store-secret(?:[ \t][\w-]{1,30}){0,2}|config(?:\s{1,2}(?:set|add))?|configure\s{1,2}set|"
    r"(?:user-)?secrets?\s{1,2}(?:set|put|add)|kv\s{1,2}(?:set|put)|(?:etcdctl|consul|redis-cli|zkcli|snap|defaults|gsettings)\s{1,2}(?:set|put|write)|"
    r"define|export|-name|\$env)(?:[ \t]{1,4}(?:-{1,2}[\w-]{1,20}|/\w{1,4})){0,5}[ \t]{1,4}[\"'\w./:-]{0,60}?\Z"
)
_NOT_SETTER_NAME = r"(?i)(?:\A|[^a-z])(?:get|read|prompt|ask|input|fetch|load|lookup|find|require|valid|check|verify|is|has|forgot|reset|need|show|hide|print|log|test|hash|encode|encrypt|decode|parse|remove|delete|clear|compare|match)|getpass"

_SEPARATORS = {
    "assigned": _ASSIGNMENT, "is": _IS_WORDS, "typed": _TYPED_ASSIGNMENT, "wrapped": _WRAPPED_VALUE, "valued": _VALUE_ATTRIBUTE, "loose": _LOOSE_ASSIGNMENT, "called": _CALL_ARGUMENT,
    "quoted": _QUOTED_NEXT, "tuple": _TUPLE_ITEM, "space": _SPACE, "closed": _CLOSED_QUOTE,
}  # fmt: skip
# Which of them are possible, by the character after the name.
_SEPARATORS_BY_SIGN = {
    "=": ("assigned", "wrapped", "loose"),
    ":": ("assigned", "typed", "wrapped", "called", "loose"),
    "(": ("called",),
    "{": ("called",),
    "[": ("assigned",),
    ",": ("tuple", "valued", "loose"),
    "<": ("valued",),
    '"': ("assigned", "wrapped", "valued", "loose", "closed"),
    "'": ("assigned", "wrapped", "valued", "loose", "closed"),
    " ": ("assigned", "is", "typed", "wrapped", "valued", "loose", "quoted", "space"),
    "\n": ("assigned", "valued", "loose"),
}
_OTHER_SEPARATORS = ("assigned", "valued", "loose", "quoted", "space")
_SENTENCE_SEPARATORS = ("is", "space")  # a name among words, as in most cases
_LITERAL_SEPARATORS = frozenset(("typed", "wrapped", "called", "quoted", "tuple"))


_RETRIED_SEPARATORS = frozenset(("wrapped", "called", "typed", "quoted", "space"))
_AFTER_PAIR = frozenset(("", " ", "\n", "&", '"', "'", ";"))
_MAX_SIGN_DISTANCE = 64
_SEPARATOR_SIGN = r"[=:>|,(?]|\s[\"'`«„“]"
_STRING_JOINERS = frozenset("+.,)%&|")
_MAX_LINE_CHARS = 200
_MAX_CACHED_NAMES = 4096


class NamedValue(Record):
    """A name, the word or character before it, the separator after it, where it ends and where its value begins."""

    name: str
    before: str
    separator: str
    name_end: int
    value_start: int

    @property
    def name_start(self) -> int:
        return self.name_end - len(self.name)


@cache
def separator_regex(separator: str) -> re.Pattern[str]:
    """Return the pattern of a separator between a name and its value."""
    return re.compile(_SEPARATORS[separator])


def probe_named_value(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the value of the name that a keyword is part of, if it is a secret."""
    rest = regex(_NAME_REST).match(text, at)
    assert rest is not None
    name_end = rest.end()
    if name_end == len(text) or text[name_end] not in _AFTER_NAME:
        return
    name_start = at
    if at and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        back = regex(_NAME_REST).match(text[max(0, at - 40) : at][::-1])
        assert back is not None
        name_start -= back.end()
    name = text[name_start:name_end]
    kind = kind_of_name(name)
    separators = _SEPARATORS_BY_SIGN.get(text[name_end], _OTHER_SEPARATORS)
    if text[name_end] in " \t" and not regex(_SEPARATOR_SIGN).search(text, name_end, name_end + _MAX_SIGN_DISTANCE):
        separators = _SENTENCE_SEPARATORS
    if not kind and separators is _SENTENCE_SEPARATORS:
        return
    if not kind and _is_metadata_name(name) and not name.lower().endswith("key"):
        return  # `max_tokens`: only a value that says so itself is taken for a secret
    before = None
    tried_end = -1
    for separator in separators:
        match = separator_regex(separator).match(text, name_end)
        if match is None or (match.end() == tried_end and separator not in _RETRIED_SEPARATORS):
            continue
        tried_end = match.end()
        if before is None:  # a word, or "?" in a query
            before = text[max(0, name_start - 10) : name_start].rpartition("\n")[2]
            if before[-1:] in ("?", "&"):
                before = "?"
            elif before.strip():
                before = before.split()[-1].strip("\"'`(") if before[-1:].isspace() else before[-1]
            else:
                before = ""
        if value := _find_value(text, NamedValue(name, before, separator, name_end, match.end()), kind):
            yield value
            return


def _find_value(text: str, named: NamedValue, kind: str) -> SecretSpan | None:
    if named.separator == "closed" or (named.separator == "space" and not named.name.startswith("-")):
        if not kind or not _is_set_by_command(text, named):
            return None
        named = named._replace(separator="set")
    if named.separator in _LITERAL_SEPARATORS and not _is_string_literal(text, named, kind):
        return None
    span = _value_span(text, named)
    if span is None:
        return None
    start, end, quoted = span
    is_element = named.value_start > 0 and text[named.value_start - 1] == ">" and text.startswith("</", end)
    if not kind and named.separator != "wrapped":  # most of these names: the value alone decides
        value, is_quoted = text[start:end], quoted or is_element
        if not _is_secret_by_itself(named.separator, value, quoted=is_quoted, name=named.name, sure=False):
            return None
    if _is_other_text(text, named, start, end, quoted):
        return None
    quoted = quoted or is_element
    exported = _is_exported(text, named, end)
    separator = named.separator
    if kind == PASSWORD and separator == "assigned" and not exported:
        is_word = named.name == "pass" or (text[end : end + 1] in _AFTER_PAIR and named.before != "(")
        if text[named.name_end] == "=" and named.value_start == named.name_end + 1 and is_word:
            separator = "glued"  # a word of a command or of a query, and not an argument of a call: user=me,pass=…
        elif _is_at_line_start(text, named) and text[end : end + 1] in ("\n", ""):
            separator = "set" if any(map(str.isdigit, text[start:end])) else separator  # a line of settings
    if _is_secret_value(kind, separator, text[start:end], quoted=quoted, exported=exported, name=named.name):
        if end - start >= 200 and (rest := regex(rf"{_VALUE_CHAR}{{0,16384}}").match(text, end)):
            end = rest.end()  # only the beginning was checked
        return start, end, kind or OTHER_SECRET
    return None


def _is_other_text(text: str, named: NamedValue, start: int, end: int, quoted: bool) -> bool:
    """Return whether what follows a name is something else: a position, a message, a prompt, another argument."""
    if regex(r"\d{1,6}:\d{1,6}").fullmatch(text, start, end):
        return True  # a line and a column
    if text[start - 1] == "`" and regex(r"[\w./-]{1,40} [^`]").match(text, start):
        return True  # the output of a command
    if text.startswith((":?", ":+"), named.name_end) and text.startswith("${", named.name_start - 2):
        return True  # ${NAME:?message}
    if text[max(0, named.name_start - 7) : named.name_end].lower().startswith("set /p "):
        return True  # a prompt of a batch file
    if named.name.startswith("secret") and text.rfind("arn:", max(0, named.name_end - 120), named.name_end) >= 0:
        return True  # the name of a secret in a store
    if named.separator == "loose" and _is_metadata_name(text[named.name_end : named.value_start]):
        return True  # `token id=…`
    if not quoted and named.separator == "assigned" and "," in text[named.name_end : named.value_start]:
        return True  # ("password", value): only a literal counts
    if not quoted or text[start] not in " +,)":
        return False
    if text[start] == " " and text[start : start + 3].lstrip(" ")[:1] in _STRING_JOINERS:
        return True  # the quote was closed before: `"password=" + value`
    line_start = max(0, named.name_end - _MAX_LINE_CHARS)
    line_start = max(line_start, text.rfind("\n", line_start, named.name_end) + 1)
    return text.count(text[start - 1], line_start, named.name_end) % 2 == 1


def _is_exported(text: str, named: NamedValue, end: int) -> bool:
    """Return whether a shell, a settings file or a connection string assigns the value, so that any value counts."""
    if named.before == "export" or (named.separator == "set" and named.name.isupper()):
        return True
    if named.separator != "assigned":
        return False
    glued = text[named.name_end] == "=" and not text[named.value_start - 1].isspace()
    if text.startswith(":-", named.name_end) and text.startswith("${", named.name_start - 2):
        return True  # ${NAME:-value}
    if glued and named.name.isupper() and len(named.name) > 3:
        return True  # NAME=value, in a command, a unit or a settings file
    before, after = text[named.name_start - 1 : named.name_start], text[end : end + 1]
    if text[named.name_end] == "=":  # part of a connection string: `Server=…;Password=…;`
        next_pair = after == ";" and regex(r";\s{0,2}[A-Za-z][\w ]{1,30}=").match(text, end)
        if next_pair or (before == ";" and after in (";", '"', "'", "", "<")):
            return True
    # A line consists of the name and the value, as in settings files.
    end += after in ('"', "'")
    if text[end : end + 1] not in ("\n", "\r", "") or not _is_at_line_start(text, named):
        return False
    value = text[named.value_start : end]
    if values.is_reference(value) and not values.is_mixed(value):
        return False
    compound = "_" in named.name or "." in named.name or named.name.count("-") > 1
    has_context = named.name.isupper() or "\n" in text or any(map(str.isdigit, value))
    return text[named.name_end] == "=" or (compound and has_context)


def _is_at_line_start(text: str, named: NamedValue) -> bool:
    """Return whether only blanks or a list marker are before the name in its line."""
    start = named.name_start
    line = text.rfind("\n", max(0, start - 40), start) + 1
    return not text[line:start].strip(" \t-") and (line > 0 or start <= 40)


def _is_set_by_command(text: str, named: NamedValue) -> bool:
    """Return whether a shell, a settings file or a tool sets the name to what follows a blank."""
    start = named.name_start
    if named.name.lower() == "pass" and text[start - 1 : start] != ":":
        return False
    line = text.rfind("\n", max(0, start - 80), start) + 1 or max(0, start - 80)
    if regex(_SET_COMMAND).search(text[line:start]):
        return True
    # A line of a settings file: the name, a blank, one word.
    is_one_word = regex(r"[ \t]{1,4}\S{4,200}[ \t]{0,8}(?:\n|\Z)").match(text, named.name_end) is not None
    return is_one_word and not text[line:start].strip()


def _is_string_literal(text: str, named: NamedValue, kind: str) -> bool:
    """Return whether a quote opens here, after a name that takes a secret."""
    name, opening = named.name.lower(), text[named.value_start : named.value_start + 1]
    takes_secret = kind or (named.separator == "wrapped" and name.endswith("key"))
    if not takes_secret or name in ("pass", "wpa_passphrase") or opening not in ('"', "'", "`", "«", "„", "“"):
        return False
    if named.separator == "tuple":
        return named.before in ("{", "(")
    return named.separator != "called" or not regex(_NOT_SETTER_NAME).search(named.name)


@lru_cache(_MAX_CACHED_NAMES)
def kind_of_name(name: str) -> str:
    """Return PASSWORD or TOKEN if a name says that its value is one; else ""."""
    words = [word.lower() for word in regex(_NAME_WORDS if name.isascii() else r"[^\W\d_]+").findall(name)]
    while words and (words[-1].isdigit() or words[-1] in _IGNORED_ENDINGS):
        words.pop()
    if not words or words[-1] in _METADATA_WORDS or "public" in words:
        return ""
    last = words[-1]
    if last == "pw" and not any(map(regex(_PW_NAME).fullmatch, (name, name.lower() if len(name) <= 4 else name))):
        return ""
    if last.endswith(_PASSWORD_ENDINGS) and last not in _NOT_PASSWORD_WORDS:
        return PASSWORD
    if last.endswith(_TOKEN_ENDINGS) or (last == "auth" and len(words) > 1 and name.isupper()):
        return TOKEN
    if last in ("key", "keys") and len(words) > 1 and words[-2] in _KEY_QUALIFIERS:
        return TOKEN
    if last == "pat" and len(words) > 1:
        return TOKEN
    if words[0] == "vault" and name.startswith("vault_"):
        return PASSWORD  # the prefix that Ansible's own guide gives to variables of a vault
    return PASSWORD if last == "pin" else ""


def _value_span(text: str, named: NamedValue) -> tuple[int, int, bool] | None:
    """Return start and end of a value and whether it is quoted; None if there is none, or it is a call."""
    start = named.value_start
    if text[start - 1] in "\"'" and (inner := regex(_BARE_VALUE).match(text, start)):
        return start, inner.end(), True
    if quoted := regex(_QUOTED_VALUE).match(text, start):
        group = quoted.lastindex or 0
        return quoted.start(group), quoted.end(group), True
    start += text[start : start + 1] in ('"', "'")  # a quote that is never closed
    if text[start - 1] == "=" and regex(_CONNECTION_PASSWORD_NAME).match(named.name):
        part = regex(r"[^;\"'`\n\x00]{1,200}").match(text, start)
        if part and (text[start - len(named.name) - 2 : start - len(named.name) - 1] == ";"):
            return start, part.end(), False
    is_assigned = text[named.name_end] == "="
    begins_string = named.before == '"' and is_assigned  # in a JSON string, a line follows its quote
    has_lines = named.name_start > 0 or "\n" in text[named.name_end : named.name_end + _MAX_LINE_CHARS]
    is_line_of_file = is_assigned and has_lines and _is_at_line_start(text, named)
    whole_line = (named.before in ("", "export", "env") or begins_string) and (named.name.isupper() or is_line_of_file)
    bare = regex(_LINE_VALUE if whole_line else _BARE_VALUE).match(text, start)
    if bare is None or regex(_NESTED_NAME).match(text, start):
        return None
    if text[bare.end() : bare.end() + 1] == "<" and regex(r"<[\w .-]{2,60}>").match(text, bare.end()):
        return None  # dop_v1_<64 hex digits>
    if regex(_CALL_START).match(text, bare.end()):
        return None
    end = start + len(bare[0].rstrip(".:!?,;" if not whole_line else ""))
    return (start, end, False) if end > start else None


def _is_secret_value(kind: str, separator: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if separator == "wrapped" and not kind:
        return values.is_random(value, 16)  # key = bytes("…")
    if separator == "loose" or not kind:
        if kind and separator == "valued":
            return values.is_password(value, quoted) or values.is_chosen_password(value)
        return _is_secret_by_itself(separator, value, quoted=quoted, name=name, sure=kind == TOKEN)
    if kind == PASSWORD:
        return _is_password_value(separator, value, quoted=quoted, exported=exported, name=name)
    if exported and separator == "assigned" and not value.isdigit() and len(value) >= 3:
        return values.may_be_secret(value) and not (len(value) < 12 and value.isupper())
    if values.is_random(value, 8 if name.startswith("-") else 10):
        return True
    if quoted and value[-1] == "=" and values.is_password(value, quoted):
        return True  # base64
    is_literal = (quoted or exported) and separator != "is"
    if not is_literal or not name.lower().endswith(_SECRET_ENDINGS) or values.is_label(value):
        return False
    if values.is_password(value, quoted) or values.is_chosen_password(value):
        return True
    # JWT_SECRET = "…", and not `secret = "…"`
    return len(name) > 8 and separator == "assigned" and values.is_literal_password(value)


def _is_secret_by_itself(separator: str, value: str, *, quoted: bool, name: str, sure: bool) -> bool:
    """Return whether the value alone shows that it is a secret, for a name that does not."""
    if separator not in ("loose", "assigned") or _is_metadata_name(name):
        return False
    if separator == "loose" and regex(_NEXT_NAME).match(value):
        return False
    if quoted and (sure or "passw" in name.lower()) and values.is_random(value, 8):
        return True
    if value.count(":") > 1:
        return False  # a name of many parts, as `arn:…:secret:app`
    if values.is_very_random(value):
        return True
    if not name.lower().endswith("auth") or len(value) < 12 or len(value) % 4 or values.is_path_or_url(value):
        return False
    from binascii import Error, a2b_base64

    try:  # `name:password` in base64
        decoded = a2b_base64(value).decode("ascii")
    except (Error, ValueError):
        return False
    return decoded.isprintable() and ":" in decoded[1:-1]


def _is_password_value(separator: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if name.lower() == "pass" and not (quoted or exported or separator == "space"):
        if separator == "glued" and (values.is_password(value, quoted) or values.is_literal_password(value)):
            return not value.isdigit()
        return not value.isdigit() and (values.is_random(value, 8) or values.is_mixed(value))  # `pass: 12` counts tests
    if name.lower().endswith("pin"):
        if exported:
            return len(value) >= 4 and values.may_be_secret(value)
        return value.isdigit() and 4 <= len(value) <= 12
    is_foreign = name.lower() in _FOREIGN_PASSWORD_WORDS and any(map(str.isdigit, value))
    if is_foreign and values.is_literal_password(value + "-"):
        return value not in (value.lower(), value.upper()) or values.is_password(value, quoted)
    is_option = separator == "assigned" and name.startswith("-")
    sure = separator == "space" or exported or is_option or (separator == "is" and quoted)
    if sure and not (value.isdigit() and len(value) < 4):
        is_prose = separator == "is" and " " in value and values.is_wordy(value)
        return 3 <= len(value) <= 200 and values.may_be_secret(value) and not is_prose
    if separator in _LITERAL_SEPARATORS and " " in value:
        return name.lower().endswith("passphrase") and values.is_passphrase(value)
    if quoted and separator == "assigned" and " " in value and name.lower().endswith(("psk", "passphrase")):
        return values.is_passphrase(value)
    if values.is_password(value, quoted):
        return True
    if (quoted and separator != "is") or separator in ("set", "glued"):
        return values.is_chosen_password(value) or values.is_literal_password(value) or values.is_mixed(value)
    return separator == "assigned" and (values.is_unpronounceable(value) or values.is_mixed(value))


@lru_cache(_MAX_CACHED_NAMES)
def _is_metadata_name(name: str) -> bool:
    words = {word.lower() for word in regex(_NAME_WORDS).findall(name)}
    return not _METADATA_WORDS.isdisjoint(words)


_SESSION_COOKIE = r"(?i)sess|sid\Z|auth|token|csrf|login|remember|jwt|sso"
_QUERY_PAIR = (  # an escaped line break ends a value like the line break itself
    r"(?<![^\s?&\"'=:;])([\w.\-]{2,40})=((?:[^&\s\"'%<>\\\x00]|\\(?![bfnrt])|%[0-9A-Fa-f]{2}){4,400})"
)


def find_in_query(text: str) -> Iterator[SecretSpan]:
    """Yield values of a query or a form in which separators are escaped: `password=a%26b%3Dc`.

    Only words with an escape are searched: no pair has a blank in it, and others are read as they are.
    """
    end = 0
    for escape in regex("%[0-9A-Fa-f]{2}").finditer(text):
        if escape.start() < end:
            continue
        before = text[end : escape.start()]
        start = escape.start() - (0 if before[-1:].isspace() else len("".join(before.rsplit(None, 1)[-1:])))
        blank = regex(r"\s").search(text, escape.end())
        end = blank.start() if blank else len(text)
        for pair in regex(_QUERY_PAIR).finditer(text, start, end):
            name, value = pair.groups()
            if "%" not in value:
                continue
            if kind := kind_of_name(name):
                decoded = regex("%([0-9A-Fa-f]{2})").sub(lambda escape: chr(int(escape[1], 16)), value)
                if values.is_password(decoded, quoted=False) if kind == PASSWORD else values.is_random(decoded, 10):
                    yield *pair.span(2), kind
            elif regex(_SESSION_COOKIE).search(name) and values.is_random(value, 20):
                yield *pair.span(2), "cookie"


_JSON_PAIR = r"\"([\w.\-]{2,40})\"\s{0,4}:\s{0,4}\"((?:[^\"\\\n\x00]|\\.){3,400})\""


def find_in_json(text: str) -> Iterator[SecretSpan]:
    """Yield passwords of JSON objects with an escape in the value: unescaped, a quote in it would end the value."""
    for pair in regex(_JSON_PAIR).finditer(text):
        name, value = pair.groups()
        is_escaped_password = "\\" in value and kind_of_name(name) == PASSWORD
        if is_escaped_password and values.may_be_secret(value) and not values.is_label(value):
            yield *pair.span(2), PASSWORD


_ESCAPED_URL = r"(?i)%3A%2F%2F[\w.%-]{0,80}?(?:%3A|:)((?:[^\s%@:/\"'<>\x00]|%(?!40)[0-9A-F]{2}){3,200})(?:%40|@)"


def find_in_escaped_url(text: str) -> Iterator[SecretSpan]:
    """Yield passwords of URLs that are escaped as a whole: `postgres%3A%2F%2Fme%3A…%40db`."""
    for address in regex(_ESCAPED_URL).finditer(text):
        from urllib.parse import unquote

        if values.may_be_secret(unquote(address[1])):
            yield *address.span(1), "password in an address"
