"""Passwords and keys in sentences of about sixty languages.

After a noun for "password", at most one sentence is read. A value counts after a colon or a word for "is" of that
language, in quotes, or immediately after the noun. It must look like a password: sentences about passwords are far more
common than passwords in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tacit.secrets import values
from tacit.secrets.names import kind_of_name
from tacit.secrets.probes import Probe, SecretSpan
from tacit.secrets.rows import UUID, LanguageRow, read_rows
from tacit.text.display import regex

PASSWORD, KEY = "password", "token"

_BEFORE_VALUE = frozenset(" \t\"'`«„“「『《‹‘\u200c\u200e\u200f")
# Nouns that many languages use, and languages whose words for "is" are tried after them.
_SHARED_NOUNS = frozenset("password passphrase pin puk pw token passwd".split())
_LATIN_LANGUAGES = frozenset(("German", "French", "Portuguese", "Italian", "Swedish", "Turkish", "Spanish", "Catalan"))
_AFTER_NOUN = frozenset((" ", ","))
_MAX_LOGIN_DISTANCE = 80
_USER_WORD = (
    r"(?i)user|login|benutzer|utilisateur|usuario|usuário|utente|gebruiker|użytkownik|uživatel|användar|bruker|käyttäjä|"
    r"felhasználó|kullanıcı|identifiant|utilizador|используй|логин|пользовател|користувач|account|konto|ユーザ|用户|帐号|账号|사용자|아이디|المستخدم|משתמש"
)
# Those that ASCII letters can spell. To an expression without case, "ı" is the same as "i".
_ASCII_USER_WORDS = tuple(
    word for word in _USER_WORD.removeprefix("(?i)").replace("ı", "i").split("|") if word.isascii()
)
# "… is the password", "… als neues Passwort"
_COPULAS = frozenset("is was ist war est es é è er är to je это as als como comme come jako som".split())
_ARTICLES = frozenset(
    """the a my our your das dein mein unser le mon la mi el o minha il mio het mijn new old neue neues alte root admin
    wifi db""".split()
)
_WEAK_CONNECTORS = frozenset(
    "to from with as von zu auf".split()
)  # after these, the value alone must look like a password
_PIN_NOUNS = frozenset(("pin", "puk", "暗証番号", "geheimzahl", "пин", "пин-код", "пинкод"))
_NOT_PROSE = frozenset(("_", "(", "[", "$", "/", "-", "."))
_LOOKAHEAD_CHARS = 160  # characters in which there must be one that a value could have
_VALUE_SIGN = r"[0-9!@#$%^&*+~«„“「『]|(?<=[\s:=：])[\"'`‘]"
_CHANGE_VERB = r"(?i)\b(?:chang|reset|rotat|updat|(?:re)?set\b|geändert|gesetzt|changé|cambi|mud(?:ou|ei))"  # "… the pw to hunter2"
_WINDOW_CHARS = 100  # characters after a noun in which "is" and the value are
_MAX_STATED_CHARS = 2 * _WINDOW_CHARS + 10  # after a noun no value ends later: a sign, blanks and quotes are between
_MIN_KEY_CHARS = 12
_MAX_CONNECTORS = 3  # that are tried after one noun
_NOUN_ENDING = r"[^\W\d_]{0,6}(?:-[a-z]{2,4}\b)?"  # endings of a noun
_SHORT_NOUN_ENDING = r"(?:[- ]?(?:code|number|nummer|код)\b)?(?![\w+/])"
_SENTENCE_END = r"[.!?…](?=\s|$)|[。！？\n\x00{}<>\[\];|]|[\"'][,:}]"
_CONNECTOR_SIGNS = r"[:：=＝→]|(?<=\w)\?(?=\s)|[-=]>|[–—](?=\s)"
_NOW_WORDS = (
    r"(?:(?:now|currently|still|jetzt|nun|aktuell|maintenant|désormais|ahora|agora|adesso|ora|nu|nå|teraz|teď|теперь|тепер|"
    r"şimdi|sekarang|现在|現在|이제)\s{1,2})?"
)
_STATED_VALUE = (  # a quote that is not closed extends to the end: in a JSON string, the quote of the string would close it
    r"\s{0,3}(?:[\"«„“「『《‹](?P<q>[^\"«»„“”「」『』《》‹›\n\x00]{3,100})(?:[\"»“”」』》›]|\Z)|'(?P<s>[^'\n\x00]{3,100})'|`(?P<t>[^`\n\x00]{3,100})`|"
    r"‘(?P<u>[^‘’\n\x00]{3,100})’|(?P<v>[^\s\"'`«»„“”‘’「」『』《》<>(){}\[\]|，。、；！？\x00]{3,100}))"
)
_KOREAN_STATEMENT = r"(?P<v>[!-~]{6,100}?)\s{0,2}(?:입니다|이에요|예요|이야|야\b|임\b|으로|로\b|에요)"
_MIXED_WORD = (  # small and capital letters and a digit
    r"(?<![^\s(\"'`«„“:,])(?=\S{0,40}?\d)(?=\S{0,40}?[A-Z])(?=\S{0,40}?[a-z])[^\s\"'`«»„“”‘’<>(){}\[\]|=/\\@,;\x00]{8,40}"
    r"(?=[\s)\"'`»”,.;:]|\Z)"
)
_PROSE = r"[^\W\d_,.!?'’] [^\W\d_]{1,12}[ ,.'’]"  # words, unlike a line of code or of a table
# A passphrase without quotes: "the passphrase at boot: copper kettle walrus ninety (all lowercase)".
_PASSPHRASE = r"(?:[:=→]|->)\s{1,2}(?P<v>[a-z]{3,12}(?: [a-z]{3,12}){3,7})(?=\s{0,2}(?:[(\n.;]|\Z))"
# What a person typed, before the noun: "I'm typing 7Gables-on-fire when it asks for the password".
_TYPED_VALUE = (
    r"(?i)(?<!\w)(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|us(?:e|ed|ing)|with|tr(?:y|ied)|paste|gave|eingegeben|avec|con|com|mit)\s(?:in\s)?[\"'`]?"
    r"(?=\S{0,40}\d)(?=\S{0,40}[A-Za-z])(?P<v>[^\s\"'`<>(){}\[\]|,;/=\x00]{7,64})(?=[\s\"'`,.;)])"
)
# The verb comes last: "dat de toegangscode van de NAS fietsbel0566Q is".
_VERB_LAST = (
    r"(?<!\S)(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])(?P<v>[^\s\"'`«»„“”‘’<>(){}\[\]|,;:\x00]{6,64})\s(?:is|was|ist|war|lautet|oldu|budur)"
    r"(?=\s{0,2}(?:[;,.!?)\n]|\Z))"
)
_TYPE_NAMES = (
    r"(?i:oauth|totp|argon|sha|md|aes|rsa|base|utf|http|ipv|ssl|tls|bcrypt|scrypt|pbkdf|v|web|win|windows|python|php|java|"
    r"ssh|smb|ntlm|rfc|iso|e?cdsa|ed|x|p|k8s|s3|ec2|db|pg|step|part|phase|level|user|admin|node|server|host|app|test|page|"
    r"line|section|version|id|nr|no|fa|mfa|2fa|u2f|fido)[-_]?\d{1,9}[a-z]{0,2}(?:[-_].{0,60})?"
)
_NOT_A_PASSWORD = "|".join((
    _TYPE_NAMES,
    r"\d{1,9}(?:[-–x.,:/]\d{1,9}){0,4}[-–]?[^\W\d_]{0,20}",  # 12-stellig, 8-64, 3x, 12文字
    r"[a-z0-9.-]{1,80}\.[a-z]{2,6}(?::\d{1,5})?|[0-9.]{7,15}(?::\d{1,5})?",  # a host
    r"[a-z0-9]{1,40}_[a-z0-9_]{1,60}|[A-Z0-9]{1,40}_[A-Z0-9_]{1,60}",  # a name of the program
    r"[a-z]{1,30}[A-Z][a-z][A-Za-z]{0,40}\d?(?:[.=][\w.]{0,40})?|[a-z]{1,30}(?:-[a-z]{1,30}){1,5}-\d?|[a-z]{1,30}-[a-z]{1,30}\d?|[a-z]{1,30}(?:-[a-z]{1,30}){1,5}",
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}",  # an address of mail
    r"[A-Za-z_][\w.]{0,60}=[\w.\"'-]{0,60}",  # another name and its value
))  # fmt: skip
_SPECIAL_CHARS = frozenset("!@#$%^&*+~§?=")
_NUMBERED_WORDS = r"[^\W\d_]{3,}(?:[._-][^\W\d_]{2,}){0,5}[._-]?\d{2,6}"  # monte.bianco.4810
_STRONG_CHARS = frozenset("!@$%^&*~")
_STRIKING_WORD = r"(?<![^\s(\"'`«„“:,])(?=[!-~]{0,40}?\d)(?=[!-~]{0,60}[A-Za-z])[^\s\"'`«»„“”‘’「」『』《》<>(){}\[\]|，。、；！？\x00/]{7,64}(?=[\s)\"'`»”,.;:]|$)"


@cache
def language_rows() -> list[LanguageRow]:
    """Return the words of each language."""
    return read_rows("languages", LanguageRow)


@cache
def noun_table() -> dict[str, list[tuple[str, str, str]]]:
    """Return, for the last word of each noun: the whole noun, its kind, and the words for "is" after it."""
    table: dict[str, list[tuple[str, str, str]]] = {}
    for row in language_rows():
        for kind, nouns in ((PASSWORD, row.passwords), (KEY, row.keys)):
            for noun in nouns.split():
                table.setdefault(noun.rpartition("_")[2], []).append((noun.replace("_", " "), kind, row.verbs))
    return table


def sentence_probe(keyword: str) -> Probe:
    """Return the probe of a noun."""
    rows = noun_table()[keyword]
    kinds = {kind for _, kind, _ in rows}
    kind = PASSWORD if PASSWORD in kinds else KEY
    is_unspaced = _is_unspaced_script(keyword[0])
    heads = tuple(noun.rpartition(" ")[0] for noun, _, _ in rows)
    if not all(heads):
        heads = ()  # the word is a noun by itself
    is_pin_noun = keyword in _PIN_NOUNS
    in_names = bool(kind_of_name(keyword))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        end = at + len(keyword)
        if not is_unspaced:
            if at and (text[at - 1].isalnum() or text[at - 1] in "_-./$@+=%&") and not _is_compound(text, at, keyword):
                return
            if heads and not text[max(0, at - 20) : at].lower().rstrip(" -_").endswith(heads):
                return
            ending = regex(_SHORT_NOUN_ENDING if len(keyword) <= 3 else _NOUN_ENDING).match(text, end)
            if ending is None:
                return
            end = ending.end()
        if kind == PASSWORD and text[at - 1 : at] == " " and (before := _value_before(text, at)):
            yield *before, kind
        yield from _find_near_noun(text, at, end, keyword, kind)
        after = text[end : end + 1]
        if after in _NOT_PROSE or (in_names and after not in _AFTER_NOUN and not is_pin_noun):
            return
        if not regex(_VALUE_SIGN).search(text, end, end + _LOOKAHEAD_CHARS):
            return
        # A key is a long word with a digit, or it is beside a login.
        words = text[end : end + _MAX_STATED_CHARS].split() if kind == KEY else []
        may_be_key = any(len(word) >= _MIN_KEY_CHARS and regex("[0-9]").search(word) for word in words)
        if kind == KEY and not may_be_key and not _has_user_before(text, at):
            return
        done = end
        for value_start, value_end, quoted, is_introduced in _candidate_values(text, end, is_unspaced, keyword, kind):
            value = text[value_start:value_end]
            if is_pin_noun:
                # A number; of six digits at least, if "pin" may be that of a plug.
                is_sure = is_introduced or text[at : at + 3].isupper()
                if not value.isdigit() or not (is_sure or len(value) >= 6):
                    continue
            # Less is enough after a login: "user ana, password girasol.2020".
            is_plain = not (value.isdigit() or values.is_label(value)) and values.is_password(value, quoted=False)
            is_login = (is_plain or values.is_stated_password(value)) and _has_user_before(text, at)
            is_stated = is_login or _is_stated_secret(value, kind, quoted, is_introduced, is_pin_noun)
            if is_stated and value_start >= done:
                yield value_start, value_end, kind
                done = value_end

    return probe


def _find_near_noun(text: str, at: int, end: int, keyword: str, kind: str) -> Iterator[SecretSpan]:
    """Yield values of the same line that nothing introduces: a phrase after a colon, and conspicuous words."""
    if kind != PASSWORD:
        return
    phrase = regex(_PASSPHRASE).search(text, end, end + 2 * _WINDOW_CHARS) if "phrase" in keyword else None
    if phrase and values.is_passphrase(phrase["v"]):
        yield *phrase.span("v"), kind
    if not regex(_PROSE).search(text, at, end + _WINDOW_CHARS):
        return
    start = max(0, at - _WINDOW_CHARS)
    start = max(start, text.rfind("\n", start, at) + 1)
    line = text.find("\n", end, end + _WINDOW_CHARS)
    until = line if line >= 0 else min(len(text), end + _WINDOW_CHARS)
    for word in regex(_MIXED_WORD).finditer(text, start, until):
        value = word[0].rstrip(".,;:?")
        if is_conspicuous(value):
            yield word.start(), word.start() + len(value), kind


def is_conspicuous(value: str) -> bool:
    """Return whether a word of a sentence about a password is one: `mango-Tractor-91`, `Quillfeather29`."""
    if _is_not_a_password(value) or values.is_label(value) or not values.may_be_secret(value):
        return False
    if values.is_mixed(value):
        return True
    return regex(r"[A-Z][a-z]{5,}\d{2,4}|[A-Z]?[a-z]{3,}\d{1,4}[A-Z][a-z]{2,}").fullmatch(value) is not None


@cache
def connector_regex(keyword: str) -> re.Pattern[str]:
    """Return the pattern of words and signs that introduce a value after a noun."""
    verbs = {verb for _, _, words in noun_table()[keyword] for verb in words.split()}
    if keyword in _SHARED_NOUNS:
        for row in language_rows():
            if row.verbs.isascii() or row.language in _LATIN_LANGUAGES:
                verbs |= {verb for verb in row.verbs.split() if len(verb) > 2 or verb == "es" or not verb.isascii()}
    by_length = sorted(verbs, key=len, reverse=True)
    words = "|".join(re.escape(verb).replace("_", r"\s(?:it\s)?") for verb in by_length)
    if _is_unspaced_script(keyword[0]):
        return re.compile(rf"(?:{words}|{_CONNECTOR_SIGNS})\s{{0,2}}{_NOW_WORDS}(?:[:：]\s{{0,2}})?")
    return re.compile(rf"(?:(?<=\s)(?:{words})(?=[\s:：「\"“]):?\s{{0,2}}|(?:{_CONNECTOR_SIGNS})\s{{0,2}}){_NOW_WORDS}")


def _is_unspaced_script(letter: str) -> bool:
    """Return whether a script has no blanks between words (Thai, Khmer, Chinese, Japanese) or appends endings (Korean)."""
    code = ord(letter)
    return 0xE00 <= code <= 0xEFF or 0x1780 <= code <= 0x17FF or 0x3000 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF


def _candidate_values(
    text: str, noun_end: int, is_unspaced: bool, keyword: str, kind: str
) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield start and end of values after a noun, whether they are quoted, and whether something introduces them."""
    last = regex(_SENTENCE_END).search(text, noun_end, noun_end + _WINDOW_CHARS)
    until = last.start() if last else min(len(text), noun_end + _WINDOW_CHARS)
    again = text.find(keyword, noun_end, until)  # values after the next noun are read there
    until = again if again >= 0 else until
    begins = is_unspaced or text[noun_end : noun_end + 1] in _BEFORE_VALUE
    if begins and (direct := _value_at(text, noun_end, is_unspaced)):
        yield *direct, is_unspaced
    for count, introduction in enumerate(connector_regex(keyword).finditer(text, noun_end, until)):
        if count >= _MAX_CONNECTORS:
            break
        if introduced := _value_at(text, introduction.end(), is_unspaced):
            weak = introduction[0].strip().lower() in _WEAK_CONNECTORS
            changed = weak and regex(_CHANGE_VERB).search(text, max(0, noun_end - _WINDOW_CHARS), noun_end)
            yield *introduced, not weak or changed is not None
    if not is_unspaced:
        yield from _typed_or_before_verb(text, noun_end, until)
    is_korean = "가" <= keyword[0] <= "힯"
    if is_korean and (stated := regex(_KOREAN_STATEMENT).search(text, noun_end, noun_end + _WINDOW_CHARS)):
        yield *stated.span("v"), False, True
    if kind != PASSWORD:
        return
    foreign = not keyword.isascii()
    for striking in regex(_STRIKING_WORD).finditer(text, noun_end, until):
        start, end = striking.span()
        end = start + len(striking[0].rstrip(".,;:?"))
        if is_striking(text[start:end], foreign):
            yield start, end, False, True


def _typed_or_before_verb(text: str, end: int, until: int) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield values after a noun without "is": "… asks for the secret, just type hunter2", "… the code hunter2 is"."""
    for typed in regex(_TYPED_VALUE).finditer(text, end, until):
        value = typed["v"].rstrip(".:!?")
        is_typed = typed[0][:1].lower() in "te"
        if _is_typed_password(value) or (is_typed and regex(r"[A-Za-z]{3,30}\d{1,6}[A-Za-z]{0,20}").fullmatch(value)):
            yield typed.start("v"), typed.start("v") + len(value), False, True
    before_verb = regex(_VERB_LAST).search(text, end, min(len(text), until + 1))
    if before_verb and not _is_not_a_password(before_verb["v"]):
        yield *before_verb.span("v"), False, True


def is_striking(value: str, foreign: bool) -> bool:
    """Return whether a word looks like a password in a sentence; if that is in another script, any mixed word does."""
    if _is_not_a_password(value):
        return False
    if values.is_mixed(value):
        return True
    if not values.may_be_secret(value) or not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    if not foreign:
        return len(value) >= 8 and not _STRONG_CHARS.isdisjoint(value[1:-1]) and not values.is_label(value)
    return len(value) >= 7 and not value.isalnum() and not values.is_label(value)


def _value_at(text: str, at: int, is_unspaced: bool) -> tuple[int, int, bool] | None:
    match = regex(_STATED_VALUE).match(text, at)
    if match is None or match.lastgroup is None:
        return None
    start, end = match.span(match.lastgroup)
    if match.lastgroup != "v":
        return start, end, True
    if is_unspaced or not text[start].isascii():
        plain = regex(r"[!-~]{3,100}").match(text, start)
        if plain is None and is_unspaced:
            return None
        if plain and is_unspaced:
            end = plain.end()
    end = start + len(text[start:end].rstrip(".,;:?"))
    return (start, end, False) if end - start >= 3 else None


def _is_stated_secret(value: str, kind: str, quoted: bool, is_introduced: bool, is_pin_noun: bool) -> bool:
    digits = sum(map(str.isdigit, value))
    if digits == len(value):
        is_stated = kind == PASSWORD and (is_introduced or quoted or is_pin_noun)
        return is_stated and (4 if is_pin_noun else 6) <= digits <= 20
    if quoted and is_introduced and kind == PASSWORD and " " in value:
        return values.is_passphrase(value)
    if len(value) < 5:
        return False
    special = not _SPECIAL_CHARS.isdisjoint(value)
    if not (digits or special or quoted) or " " in value or not any(map(str.isalpha, value)):
        return False
    is_placeholder = value.lower().strip("!") in values.PLACEHOLDER_WORDS
    if is_placeholder or not values.may_be_secret(value) or values.is_filler(value) or _is_not_a_password(value):
        return False
    if kind == KEY:
        if not is_introduced:
            is_digest = len(value) in (40, 64) or regex(UUID).match(value)
            return digits >= 4 and not is_digest and values.is_random(value, 16)
        return values.is_random(value, _MIN_KEY_CHARS) and not regex(UUID).fullmatch(value)
    mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
    if quoted or is_introduced:
        if digits and (mixed or special or not value.isascii()):
            return True
        is_inner = not _SPECIAL_CHARS.isdisjoint(value[1:-1]) or (mixed and any(map(str.isupper, value[1:])))
        if special and len(value) >= 8 and is_inner:
            return True
        if not quoted and regex(_NUMBERED_WORDS).fullmatch(value) and not values.is_label(value):
            return len(value) >= 8
        if values.is_password(value, quoted):
            return True
        return quoted and (values.is_chosen_password(value) or values.is_literal_password(value))
    return len(value) >= 8 and digits >= 1 and (special or (mixed and digits >= 2))


def _is_compound(text: str, at: int, keyword: str) -> bool:
    """Return whether the noun is the end of a compound: WLAN-Passwort, Datenbankpasswort."""
    word_start = max(text.rfind(" ", max(0, at - 30), at), text.rfind("\n", max(0, at - 30), at)) + 1
    return len(keyword) >= 7 and text[word_start:at].replace("-", "").isalpha()


def _value_before(text: str, at: int) -> tuple[int, int] | None:
    """Return the span of a value before the noun: "… is the password", "use … as password"; None if there is none."""
    start = max(0, at - _WINDOW_CHARS)
    for typed in regex(_TYPED_VALUE).finditer(text, max(start, text.rfind("\n", start, at)), at):
        if _is_typed_password(typed["v"].rstrip(".:!?")):
            return typed.start("v"), typed.start("v") + len(typed["v"].rstrip(".:?"))
    words = text[start:at].split()
    last = len(words) - 1
    if words[-2:] == ["mot", "de"]:
        last -= 2
    while last > 0 and words[last].lower() in _ARTICLES:
        last -= 1
    if last < 1 or words[last].lower() not in _COPULAS:
        return None
    word = words[last - 1].strip(",")
    value = word.strip("\"'`«»„“”")
    is_quoted_password = len(word) > len(value) and values.is_stated_password(value)
    if len(value) >= 6 and (is_quoted_password or is_striking(value, foreign=False)):
        value_start = text.rfind(value, start, at)
        return value_start, value_start + len(value)
    return None


def _is_typed_password(value: str) -> bool:
    """Return whether a word that somebody types is a password: mixed, or words and digits joined by hyphens."""
    if values.is_label(value) or not values.may_be_secret(value) or values.is_file_or_product(value):
        return False
    if values.is_mixed(value):
        return True
    return regex(r"\d{3,6}[-_.][a-z]{4,20}|[a-z]{3,20}(?:[-_.][a-z]{2,20}){1,4}\d{1,6}").fullmatch(value) is not None


def _has_user_before(text: str, at: int) -> bool:
    before = text[max(0, at - _MAX_LOGIN_DISTANCE) : at]
    if not before.isascii():
        return regex(_USER_WORD).search(before) is not None
    low = before.lower()
    for word in _ASCII_USER_WORDS:  # noqa: SIM110 — much faster than the expression, and than any()
        if word in low:
            return True
    return False


def _is_not_a_password(value: str) -> bool:
    """Return whether it is a number with its unit, a format, a host or an identifier."""
    return (
        values.is_file_or_product(value)
        or value.count("/") > 1
        or value.startswith(("-", "=", "(", "@", "#"))
        or regex(_NOT_A_PASSWORD).fullmatch(value) is not None
    )
