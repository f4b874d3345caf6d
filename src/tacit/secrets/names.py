"""Values that a name gives away: `DB_PASSWORD=…`, `"client_secret": "…"`, `--token …`, "the password is …".

The last word of the name tells what is asked of the value. Behind `password` a word with a number is enough; behind
`token` it must look drawn by lot; behind `key`, which names a thousand other things, it must be so beyond doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from tacit.record import Record
from tacit.secrets.probes import SecretSpan
from tacit.secrets.values import (
    is_chosen_password,
    is_label,
    is_literal_password,
    is_mixed,
    is_passphrase,
    is_password,
    is_path_or_url,
    is_random,
    is_reference,
    is_unpronounceable,
    is_very_random,
    is_wordy,
    may_be_secret,
)

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

_NAME_REST = r"[\w.\-]{0,40}+"
_NAME_REVERSED = r"[\w.\-]{0,40}"  # for the text read backwards
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
# A quote that is not closed goes to the end of its line: in a JSON string it would be closed by that of the string.
_QUOTED_VALUE = r"\"([^\"\n\x00]{1,400})(?:\"|(?=\n)|\Z)|'([^'\n\x00]{1,400})'|`([^`\n\x00]{1,400})`"
_VALUE_CHAR = r"[^\s\"'`,;&<>(){}\[\]|\\\x00]"
_BARE_VALUE = rf"{_VALUE_CHAR}{{1,200}}+(?:&(?![\w.-]{{1,40}}=){_VALUE_CHAR}{{0,100}}+){{0,4}}"
_NEXT_NAME = r"[A-Za-z_]\w{0,60}[=:]"  # the value was empty, and this is the next name
_NESTED_NAME = (
    rf"(?i)[\w.\-]{{0,20}}?(?:{'|'.join(NAME_KEYWORDS)})[\w.\-]{{0,20}}="  # a name itself, and tried by itself
)
_LINE_VALUE = r"[^\s\"'`<>\\\x00]{1,200}+"  # in a file of variables a value ends with its line
_AFTER_NAME = frozenset(" \t\n\r\f\v\"'`])=:>|?,(<[{")
_CONNECTION_PASSWORD_NAME = r"(?i)(?:pwd|password)\Z"  # Server=…;Pwd=…; where the value may hold any sign but the last
_CALL_START = r"[(\[{]|\.\w"
_SENTENCE_CALL_START = r"[(\[{]|\.\w"
_NAME_WORDS = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"

_PASSWORD_ENDINGS = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pass",
    "psk",
    "passw",
    "pswd",
    "pw",
    *_FOREIGN_PASSWORD_WORDS,
)
_TOKEN_ENDINGS = (
    "token",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "authkey",
    "credentials",
    "creds",
    "hmac",
    "jwt",
    "mnemonic",
    "unseal",
    "salt",
    "pepper",
)
_KEY_QUALIFIERS = frozenset(
    (
        "api access secret auth private encryption signing account master service license deploy aes hmac jwt app "
        "admin client shared storage session consumer subscription functions host preshared psk wallet vapid webhook bot "
        "root unseal recovery cipher fernet cookie csrf sas server vpn crypto crypt app ssh rsa write read"
    ).split()
)
_NOT_PASSWORD_WORDS = frozenset("askpass bypass compass surpass trespass pass".split())
# A name with one of these is about a secret, and holds none.
_METADATA_WORDS = frozenset(
    (
        "id ids name names file path url uri type field length len count size policy hash digest checksum sha "
        "sha256 md5 fingerprint etag commit uuid guid ref version arn prefix suffix regex pattern format label "
        "env var ttl expiry expires expiration timeout min max limit hint reset required strength attempts link "
        "manager public pub cache primary foreign sort partition dedupe algorithm alg method scheme endpoint "
        "server author authority status"
    ).split()
)
_IGNORED_ENDINGS = frozenset(
    (
        "prod dev test staging stage old new value val b64 base64 base hex enc raw plain text string str live default "
        "production local backup temp tmp current initial legacy clear main internal external"
    ).split()
)


# Ways in which source code and settings put a value behind a name.
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
_SET_COMMAND = (  # what stands before a name that a blank separates from its value
    r"(?i)(?:^|[\s;&|({\"'`])(?:set(?:env|x|-env|-environment)?|setenv|env|arg|[\w-]{1,20}:set|store-secret(?:[ \t][\w-]{1,30}){0,2}|config(?:\s{1,2}(?:set|add))?|configure\s{1,2}set|"
    r"(?:user-)?secrets?\s{1,2}(?:set|put|add)|kv\s{1,2}(?:set|put)|(?:etcdctl|consul|redis-cli|zkcli|snap|defaults|gsettings)\s{1,2}(?:set|put|write)|"
    r"define|export|-name|\$env)(?:[ \t]{1,4}(?:-{1,2}[\w-]{1,20}|/\w{1,4})){0,5}[ \t]{1,4}[\"'\w./:-]{0,60}?\Z"
)
_NOT_SETTER_NAME = r"(?i)(?:\A|[^a-z])(?:get|read|prompt|ask|input|fetch|load|lookup|find|require|valid|check|verify|is|has|forgot|reset|need|show|hide|print|log|test|hash|encode|encrypt|decode|parse|remove|delete|clear|compare|match)|getpass"

_SEPARATORS = {
    "assigned": _ASSIGNMENT, "is": _IS_WORDS, "typed": _TYPED_ASSIGNMENT, "wrapped": _WRAPPED_VALUE, "valued": _VALUE_ATTRIBUTE, "junk": _LOOSE_ASSIGNMENT, "called": _CALL_ARGUMENT,
    "quoted": _QUOTED_NEXT, "tuple": _TUPLE_ITEM, "space": _SPACE, "closed": _CLOSED_QUOTE,
}  # fmt: skip
# Which of them are possible, by the sign behind the name.
_SEPARATORS_BY_SIGN = {
    "=": ("assigned", "wrapped", "junk"),
    ":": ("assigned", "typed", "wrapped", "called", "junk"),
    "(": ("called",),
    "{": ("called",),
    "[": ("assigned",),
    ",": ("tuple", "valued", "junk"),
    "<": ("valued",),
    '"': ("assigned", "wrapped", "valued", "junk", "closed"),
    "'": ("assigned", "wrapped", "valued", "junk", "closed"),
    " ": ("assigned", "is", "typed", "wrapped", "valued", "junk", "quoted", "space"),
    "\n": ("assigned", "valued", "junk"),
}
_OTHER_SEPARATORS = ("assigned", "valued", "junk", "quoted", "space")
_LITERAL_SEPARATORS = frozenset(("typed", "wrapped", "called", "quoted", "tuple"))


_RETRIED_SEPARATORS = frozenset(("wrapped", "called", "typed", "quoted", "space"))
_AFTER_PAIR = frozenset(("", " ", "\n", "&", '"', "'", ";"))
_MAX_SIGN_DISTANCE = 64
_SEPARATOR_SIGN = r"[=:>|,(?]|\s[\"'`«„“]"
_STRING_JOINERS = frozenset("+.,)%&|")
_MAX_LINE_CHARS = 200


class NamedValue(Record):
    """A name, the word or sign before it, how a value follows, where the name ends and where the value begins."""

    name: str
    before: str
    separator: str
    name_end: int
    value_start: int


@cache
def _name_regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def separator_regex(how: str) -> re.Pattern[str]:
    """What stands between a name and its value."""
    return re.compile(_SEPARATORS[how])


def probe_named_value(text: str, at: int) -> Iterator[SecretSpan]:
    """The value of the name that a keyword is part of."""
    ends = _name_end(text, at)
    if ends == len(text) or text[ends] not in _AFTER_NAME:
        return
    name = before = None
    tried = -1
    ways = _SEPARATORS_BY_SIGN.get(text[ends : ends + 1], _OTHER_SEPARATORS)
    if text[ends] in " \t" and not _name_regex(_SEPARATOR_SIGN).search(text, ends, ends + _MAX_SIGN_DISTANCE):
        ways = ("is", "space")  # a sentence, as most hits are
    for how in ways:
        found = separator_regex(how).match(text, ends)
        if found is None or (found.end() == tried and how not in _RETRIED_SEPARATORS):
            continue
        tried = found.end()
        if name is None or before is None:
            name, before = _name_and_before(text, at, ends)
        if value := _find_value(text, NamedValue(name, before, how, ends, found.end())):
            yield value
            return


def _find_value(text: str, place: NamedValue) -> SecretSpan | None:
    kind = kind_of_name(place.name)
    if place.separator == "closed" or (place.separator == "space" and not place.name.startswith("-")):
        if not kind or not _is_set_by_command(text, place):
            return None
        place = place._replace(separator="set")
    if place.separator in _LITERAL_SEPARATORS and not _is_string_literal(text, place, kind):
        return None
    found = _value_span(text, place)
    if found is None:
        return None
    start, end, quoted = found
    if _is_other_text(text, place, start, end, quoted):
        return None
    if place.value_start and text[place.value_start - 1] == ">" and text.startswith("</", end):
        quoted = True  # the text of an element
    exported = _is_exported(text, place, end)
    how = place.separator
    if kind == PASSWORD and how == "assigned" and not exported:
        if text[place.name_end] == "=" and place.value_start == place.name_end + 1 and _is_pair(text, place, end):
            how = "glued"  # user=me,pass=…
        elif _is_at_line_start(text, place) and text[end : end + 1] in ("\n", ""):
            how = "set" if any(map(str.isdigit, text[start:end])) else how  # a line of settings
    if _is_secret_value(kind, how, text[start:end], quoted=quoted, exported=exported, name=place.name):
        return start, _value_end(text, end) if end - start >= 200 else end, kind or OTHER_SECRET
    return None


def _is_other_text(text: str, place: NamedValue, start: int, end: int, quoted: bool) -> bool:
    """Whether what follows a name is something else: a position, a message, a prompt, another argument."""
    if _name_regex(r"\d{1,6}:\d{1,6}").fullmatch(text, start, end):
        return True  # a line and a column
    if text[start - 1] == "`" and _name_regex(r"[\w./-]{1,40} [^`]").match(text, start):
        return True  # the output of a command
    if text.startswith((":?", ":+"), place.name_end) and text.startswith("${", place.name_end - len(place.name) - 2):
        return True  # ${NAME:?message}
    if text[max(0, place.name_end - len(place.name) - 7) : place.name_end].lower().startswith("set /p "):
        return True  # a question of a batch file
    if place.name.startswith("secret") and text.rfind("arn:", max(0, place.name_end - 120), place.name_end) >= 0:
        return True  # the name of a secret in a store
    if place.separator == "junk" and _is_metadata_name(text[place.name_end : place.value_start]):
        return True  # `token id=…`
    if not quoted and place.separator == "assigned" and "," in text[place.name_end : place.value_start]:
        return True  # ("password", value): only a literal counts
    # The quote was closed before: `"password=" + value`.
    return quoted and text[start] in " +,)" and _is_closing_quote(text, place, start - 1)


def _is_closing_quote(text: str, place: NamedValue, quote: int) -> bool:
    """Whether a quote ends a string that was opened before the name in the same line."""
    if text[quote + 1 : quote + 4].lstrip(" ")[:1] in _STRING_JOINERS and text[quote + 1] == " ":
        return True
    begins = max(0, place.name_end - _MAX_LINE_CHARS)
    begins = max(begins, text.rfind("\n", begins, place.name_end) + 1)
    return text.count(text[quote], begins, place.name_end) % 2 == 1


def _is_exported(text: str, place: NamedValue, ends: int) -> bool:
    """Whether a shell, a file of variables or a connection string gives the name this value, whatever it is."""
    if place.before == "export" or (place.separator == "set" and place.name.isupper()):
        return True
    if place.separator != "assigned":
        return False
    glued = text[place.name_end] == "=" and not text[place.value_start - 1].isspace()
    begins = place.name_end - len(place.name)
    if text.startswith(":-", place.name_end) and text.startswith("${", begins - 2):
        return True  # ${NAME:-value}
    if glued and place.name.isupper() and len(place.name) > 3:
        return True  # NAME=value, in a command, a unit or a file of settings
    return _is_in_connection_string(text, place, ends) or _is_whole_line(text, place, ends)


def _is_pair(text: str, place: NamedValue, ends: int) -> bool:
    """Whether `name=value` is a word of a command or of a query, and no argument of a call."""
    return place.name == "pass" or (text[ends : ends + 1] in _AFTER_PAIR and place.before != "(")


def _is_at_line_start(text: str, place: NamedValue) -> bool:
    """Whether nothing but blanks or the sign of a list stands before the name in its line."""
    begins = place.name_end - len(place.name)
    line = text.rfind("\n", max(0, begins - 40), begins) + 1
    return not text[line:begins].strip(" \t-") and (line > 0 or begins <= 40)


def _has_other_lines(text: str, place: NamedValue) -> bool:
    """Whether the text has other lines right before or behind this one, as a file has."""
    begins = place.name_end - len(place.name)
    return begins > 0 or text.find("\n", place.name_end, place.name_end + _MAX_LINE_CHARS) >= 0


def _is_whole_line(text: str, place: NamedValue, ends: int) -> bool:
    """Whether a line is nothing but the name and the value, as in files of settings."""
    ends += text[ends : ends + 1] in ('"', "'")
    if text[ends : ends + 1] not in ("\n", "\r", "") or not _is_at_line_start(text, place):
        return False
    value = text[place.value_start : ends]
    if is_reference(value) and not is_mixed(value):
        return False
    if text[place.name_end : place.name_end + 1] == "=":
        return True
    compound = "_" in place.name or "." in place.name or place.name.count("-") > 1
    return compound and (place.name.isupper() or "\n" in text or any(map(str.isdigit, text[place.value_start : ends])))


def _is_set_by_command(text: str, place: NamedValue) -> bool:
    """Whether a shell, a file of settings or a tool sets the name to what follows a blank."""
    begins = place.name_end - len(place.name)
    if place.name.lower() == "pass" and text[begins - 1 : begins] != ":":
        return False
    line = text.rfind("\n", max(0, begins - 80), begins) + 1 or max(0, begins - 80)
    if _name_regex(_SET_COMMAND).search(text[line:begins]):
        return True
    # A line of a file of settings: the name, a blank, one word.
    return (
        not text[line:begins].strip()
        and _name_regex(r"[ \t]{1,4}\S{4,200}[ \t]{0,8}(?:\n|\Z)").match(text, place.name_end) is not None
    )


def _is_string_literal(text: str, place: NamedValue, kind: str) -> bool:
    """Whether a quote opens here, behind a name that takes a secret."""
    wrapped_key = place.separator == "wrapped" and place.name.lower().endswith("key")
    if (
        not (kind or wrapped_key)
        or place.name.lower() in ("pass", "wpa_passphrase")
        or text[place.value_start : place.value_start + 1] not in ('"', "'", "`", "«", "„", "“")
    ):
        return False
    if place.separator == "tuple":
        return place.before in ("{", "(")
    return place.separator != "called" or not _name_regex(_NOT_SETTER_NAME).search(place.name)


def _is_in_connection_string(text: str, place: NamedValue, ends: int) -> bool:
    """Whether this is a part of a connection string: `Server=…;Password=…;`."""
    if text[place.name_end : place.name_end + 1] != "=" or place.separator != "assigned":
        return False
    begins = place.name_end - len(place.name)
    if text[ends : ends + 1] == ";":
        return (
            _name_regex(r";\s{0,2}[A-Za-z][\w ]{1,30}=").match(text, ends) is not None
            or text[begins - 1 : begins] == ";"
        )
    return text[begins - 1 : begins] == ";" and text[ends : ends + 1] in ('"', "'", "", "<")


def _name_end(text: str, at: int) -> int:
    rest = _name_regex(_NAME_REST).match(text, at)
    assert rest is not None
    return rest.end()


def _name_and_before(text: str, at: int, ends: int) -> tuple[str, str]:
    """The whole name, and what stands before it: a word, or the sign of a query."""
    back = _name_regex(_NAME_REVERSED).match(text[max(0, at - 40) : at][::-1])
    assert back is not None
    begins = at - back.end()
    before = text[max(0, begins - 10) : begins].rpartition("\n")[2]
    if before[-1:] in ("?", "&"):
        return text[begins:ends], "?"
    if not before.strip():
        return text[begins:ends], ""
    return text[begins:ends], before.split()[-1].strip("\"'`(") if before[-1:].isspace() else before[-1]


@lru_cache(1024)
def kind_of_name(name: str) -> str:
    words = [word.lower() for word in _name_regex(_NAME_WORDS if name.isascii() else r"[^\W\d_]+").findall(name)]
    while words and (words[-1].isdigit() or words[-1] in _IGNORED_ENDINGS):
        words.pop()
    if not words or words[-1] in _METADATA_WORDS or "public" in words:
        return ""
    last = words[-1]
    if last == "pw" and not _name_regex(r"(?:.{0,40}[_.-])?pw\d{0,2}|.{1,24}P[wW]\d{0,2}").fullmatch(
        name if len(name) > 4 else name.lower()
    ):
        return ""
    if last.endswith(_PASSWORD_ENDINGS) and (last not in _NOT_PASSWORD_WORDS or len(words) > 1 or last == "pass"):
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


def _value_span(text: str, place: NamedValue) -> tuple[int, int, bool] | None:
    begins = place.value_start
    if text[begins - 1] in "\"'" and (inner := _name_regex(_BARE_VALUE).match(text, begins)):
        return begins, inner.end(), True
    if quoted := _name_regex(_QUOTED_VALUE).match(text, begins):
        group = quoted.lastindex or 0
        return quoted.start(group), quoted.end(group), True
    begins += text[begins : begins + 1] in ('"', "'")  # a quote that is never closed
    if text[begins - 1] == "=" and _name_regex(_CONNECTION_PASSWORD_NAME).match(place.name):
        part = _name_regex(r"[^;\"'`\n\x00]{1,200}").match(text, begins)
        if part and (text[begins - len(place.name) - 2 : begins - len(place.name) - 1] == ";"):
            return begins, part.end(), False
    whole_line = place.before in ("", "export", "env") and (
        place.name.isupper()
        or (text[place.name_end] == "=" and _is_at_line_start(text, place) and _has_other_lines(text, place))
    )
    bare = _name_regex(_LINE_VALUE if whole_line else _BARE_VALUE).match(text, begins)
    if bare is None or _name_regex(_NESTED_NAME).match(text, begins):
        return None
    if text[bare.end() : bare.end() + 1] == "<" and _name_regex(r"<[\w .-]{2,60}>").match(text, bare.end()):
        return None  # dop_v1_<64 hex digits>
    is_call = _name_regex(_SENTENCE_CALL_START).match if place.separator == "is" else _name_regex(_CALL_START).match
    if is_call(text, bare.end()):
        return None
    end = begins + len(bare[0].rstrip(".:!?,;" if not whole_line else ""))
    return (begins, end, False) if end > begins else None


def _value_end(text: str, at: int) -> int:
    """Where a value really ends, of which only the beginning was judged."""
    rest = _name_regex(rf"{_VALUE_CHAR}{{0,16384}}+").match(text, at)
    assert rest is not None
    return rest.end()


def _is_secret_value(kind: str, how: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if how == "wrapped" and not kind:
        return is_random(value, 16)  # key = bytes("…")
    if how == "junk" or not kind:
        if kind and how == "valued":
            return is_password(value, quoted) or is_chosen_password(value)
        return _is_secret_by_itself(how, value, quoted=quoted, name=name, sure=kind == TOKEN)
    if kind == PASSWORD:
        return _is_password_value(how, value, quoted=quoted, exported=exported, name=name)
    if exported and how == "assigned" and not value.isdigit() and len(value) >= 3:
        return may_be_secret(value) and not (len(value) < 12 and value.isupper())
    if is_random(value, 8 if name.startswith("-") else 10):
        return True
    if quoted and value[-1] == "=" and is_password(value, quoted):
        return True  # base64
    if not (quoted or exported) or how == "is" or not name.lower().endswith(_SECRET_ENDINGS) or is_label(value):
        return False
    named = len(name) > 8 and how == "assigned"  # JWT_SECRET = "…", and not `secret = "…"`
    return is_password(value, quoted) or is_chosen_password(value) or (named and is_literal_password(value))


def _is_secret_by_itself(how: str, value: str, *, quoted: bool, name: str, sure: bool) -> bool:
    """Whether the value alone is enough, where the name says little."""
    if (
        how not in ("junk", "assigned")
        or _is_metadata_name(name)
        or (how == "junk" and _name_regex(_NEXT_NAME).match(value))
    ):
        return False
    if quoted and (sure or "passw" in name.lower()) and is_random(value, 8):
        return True
    if value.count(":") > 1:
        return False  # a name of many parts, as `arn:…:secret:app`
    return is_very_random(value) or (name.lower().endswith("auth") and _is_basic_auth(value))


def _is_password_value(how: str, value: str, *, quoted: bool, exported: bool, name: str) -> bool:
    if name.lower() == "pass" and not (quoted or exported or how == "space"):
        if how == "glued" and (is_password(value, quoted) or is_literal_password(value)):
            return not value.isdigit()
        return not value.isdigit() and (is_random(value, 8) or is_mixed(value))  # `pass: 12` counts tests
    if name.lower().endswith("pin"):
        return value.isdigit() and 4 <= len(value) <= 12 if not exported else len(value) >= 4 and may_be_secret(value)
    if name.lower() in _FOREIGN_PASSWORD_WORDS and any(map(str.isdigit, value)) and is_literal_password(value + "-"):
        return value not in (value.lower(), value.upper()) or is_password(value, quoted)
    sure = how == "space" or exported or (how == "assigned" and name.startswith("-")) or (how == "is" and quoted)
    if sure and not (value.isdigit() and len(value) < 4):
        talk = how == "is" and " " in value and is_wordy(value)
        return 3 <= len(value) <= 200 and may_be_secret(value) and not talk
    if how in _LITERAL_SEPARATORS and " " in value:
        return name.lower().endswith("passphrase") and is_passphrase(value)
    if quoted and how == "assigned" and " " in value and name.lower().endswith(("psk", "passphrase")):
        return is_passphrase(value)
    if (quoted and how != "is") or how in ("set", "glued"):
        return is_password(value, quoted) or is_chosen_password(value) or is_literal_password(value) or is_mixed(value)
    return is_password(value, quoted) or (how == "assigned" and (is_unpronounceable(value) or is_mixed(value)))


@lru_cache(1024)
def _is_metadata_name(name: str) -> bool:
    words = {word.lower() for word in _name_regex(_NAME_WORDS).findall(name)}
    return not _METADATA_WORDS.isdisjoint(words)


_SESSION_COOKIE = r"(?i)sess|sid\Z|auth|token|csrf|login|remember|jwt|sso"
_QUERY_PAIR = r"(?<![^\s?&\"'=:;])([\w.\-]{2,40}+)=((?:[^&\s\"'%<>\x00]|%[0-9A-Fa-f]{2}){4,400}+)"


def find_in_query(text: str) -> Iterator[SecretSpan]:
    """Values of a query or a form in which the signs that separate them are escaped: `password=a%26b%3Dc`."""
    for pair in _name_regex(_QUERY_PAIR).finditer(text):
        name, value = pair.groups()
        kind = kind_of_name(name) if "%" in value else ""
        if "%" in value and not kind and _name_regex(_SESSION_COOKIE).search(name) and is_random(value, 20):
            yield *pair.span(2), "cookie"
        if kind:
            said = _name_regex("%([0-9A-Fa-f]{2})").sub(lambda escape: chr(int(escape[1], 16)), value)
            if is_password(said, quoted=False) if kind == PASSWORD else is_random(said, 10):
                yield pair.start(2), pair.end(2), kind


_JSON_PAIR = r"\"([\w.\-]{2,40})\"\s{0,4}:\s{0,4}\"((?:[^\"\\\n\x00]|\\.){3,400})\""


def find_in_json(text: str) -> Iterator[SecretSpan]:
    """Passwords of JSON objects whose value holds an escape: a quote in it ends the value where escapes are undone."""
    for pair in _name_regex(_JSON_PAIR).finditer(text):
        name, value = pair.groups()
        if "\\" in value and kind_of_name(name) == PASSWORD and may_be_secret(value) and not is_label(value):
            yield *pair.span(2), PASSWORD


_ESCAPED_URL = r"(?i)%3A%2F%2F[\w.%-]{0,80}?(?:%3A|:)((?:[^\s%@:/\"'<>\x00]|%(?!40)[0-9A-F]{2}){3,200})(?:%40|@)"


def find_in_escaped_url(text: str) -> Iterator[SecretSpan]:
    """Passwords of addresses that are escaped as a whole: `postgres%3A%2F%2Fme%3A…%40db`."""
    for address in _name_regex(_ESCAPED_URL).finditer(text):
        if may_be_secret(address[1]):
            yield *address.span(1), "password in an address"


def _is_basic_auth(value: str) -> bool:
    """`name:password` in base64."""
    from binascii import Error, a2b_base64

    if len(value) < 12 or len(value) % 4 or is_path_or_url(value):
        return False
    try:
        said = a2b_base64(value).decode("ascii")
    except (Error, ValueError):
        return False
    return said.isprintable() and ":" in said[1:-1]
