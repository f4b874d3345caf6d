"""Checks of whether a value could be a secret: neither a placeholder, nor a name, nor a word of prose."""

from __future__ import annotations

from tacit.text.display import regex

# Words in the place of a secret.
PLACEHOLDER_WORDS = frozenset(
    """null none nil true false undefined empty void yes no on off str string bytes bool int number text any object
    optional required missing wrong invalid valid expired correct incorrect unknown unset blank hidden masked
    password passwd passphrase passwort pass pwd secret secrets token key apikey credentials value default
    changeme change_me change-me letmechange test testing foo bar baz foobar dummy fake sample demo guest root
    admin user username postgres mysql minioadmin rabbitmq redis stdin prompt env environ self this here it
    disabled enabled auto manual stored set not the a an and or in is to from for with via as at by of if than
    that then when where which while must should would will can may does has have was are been being also only
    into using used use without within option options flag argument arg parameter param field instead because
    type input file hash hashed encrypted plain plaintext plain-text 1password bitwarden keychain basic bearer
    header request response user:pass user:password username:password protected authentication authorization""".split()
)
# A value that contains one of these is a template or an example.
_FILLERS = (
    "example", "placeholder", "changeme", "change_me", "change-me", "change me", "redacted", "xxxx", "***", "...", "…", "dummy",
    "insert-", "insert_", "insert ", "replace-", "replace_", "replace ", "todo", "process.env", "environ", "getenv", "secrets.",
    "${", "$(", "{{", "%(", "\x00",
)  # fmt: skip
_CONSTANT_NAME = r"[A-Z]{2,20}(?:_[A-Z]{2,20}){1,5}"  # the name of a variable
_YOUR_WORD = r"\byour|your[-_]"
_PLACEHOLDER_START = r"<(?![^<>\s]{0,40}[&!#$%^*])|[{\[(]|(?:env|file|fd|op|ssm|vault|keychain|keyring):|@[A-Z_]+@|![a-z][\w-]*\Z|[A-Za-z_][\w.]*\(.*\)\Z|[\w-]*(?<=xxx)\Z|\.\*|\$[A-Za-z_{(]|%[sdv({]|%[A-Z_]+%|#\{|@\{|-{2}|&[a-z]+;"
_TYPE_NAME = (
    r"(?i)(?:u?int|float|bytes|utf|varchar|n?char|base|sha|md|hs|rs|es|ps|aes|rsa|bcrypt|argon|pbkdf|oauth|v)"
    r"-?\d+(?:[-_].*)?"
)
_PATH_START = r"(?:~|\.{1,2})?/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]{1,20}://"
_NUMBER_WITH_UNIT = r"\d{1,4}[-–][^\W\d_]{2,20}"  # 12-stellig, 8-character
_MAIL_ADDRESS = (
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}|[a-z][a-z0-9._-]{0,30}@[a-z][a-z-]{0,30}"  # also me@host
)
_DATE = r"\d{4}-\d\d-\d\d"
_WORD_PARTS = r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z0-9]+"
_PUBLIC_PREFIXES = ("AAAA", "MII", "sha", "md5", "urn:", "arn:")  # public keys, digests, names of things
# A literal with one of these words describes a field; it is not its content.
_LABEL_WORD = (
    r"(?i)passw|passphr|kennw|secret|token|\bkey\b|_key|key_|field|input|label|placeholder|requir|invalid|valid|error|"
    r"hidden|visible|confirm|forgot|reset|change|vault|env|config|setting|prompt|login|user|test|mock|dummy|auth|hash|"
    r"crypt|string|type|null|none|missing|wrong|must|should|cannot|autocomplete|current-|new-|html|http|text|icon|class|"
    r"component|module|action|handler|service|provider|strategy|mode|page|view|form|button|col-|btn|name|column|table"
)
# Words that describe a password, in settings and in messages.
_STATE_WORDS = frozenset(
    """sensitive whatever unchanged optional mandatory obligatorio obligatoire erforderlich confirmed generated
    accepted rejected disabled enabled encoded plaintext external internal managed rotated expired example
    anything something nothing everything redacted omitted censored filtered private public hashed strong simple
    complex random unique unused ignored minimum maximum present absent matches contraseña contrasena wachtwoord
    passwort kennwort lozinka salasana jelszó heslo hasło senha parola lösenord passord adgangskode пароль""".split()
)
_REFERENCE = (  # a.b, A::B, snake_case, CONSTANT_CASE, CamelCase, a call
    r"[a-zA-Z_]\w{0,60}(?:(?:\.|::|->)[a-zA-Z_]\w{0,60}){1,6}|[a-z]{1,40}(?:_[a-z]{1,40}){1,8}|[A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,8}|"
    r"[A-Z][a-z]{1,40}[A-Z]\w{0,60}|[\w.]{1,60}[(\[].{0,60}"
)
_FILE_OR_PRODUCT = (  # files, and programs with their versions
    r"(?i).*\.(?:zip|gz|tgz|bz2|xz|7z|tar|pdf|docx?|xlsx?|csv|txt|md|rst|html?|css|m?[jt]sx?|py|rb|go|rs|java|kt|cs?|cpp|h|php|sh|sql|json|"
    r"ya?ml|toml|ini|conf|cfg|env|log|xml|png|jpe?g|svg|gif|mp[34]|exe|dll|so|jar|whl|deb|rpm|dmg|iso|img|pem|crt|key|p12|kdbx|db)|"
    r"(?:windows|win|ubuntu|debian|centos|fedora|rhel|macos|android|ios|python|node|java|postgres|mysql|mariadb|oracle|sql|exchange|"
    r"office|sharepoint|vmware|esxi|raspberry|chrome|firefox|safari|visual|internet|server)[-_. ]?[\w.-]*"
)
_VERSION = r"(?i)\bv?\d+\.\d|utf-|sha-|-v\d|iso|rfc|http|^[a-z]+-\d+$"  # v1.2, UTF-8, PROJ-12
_PROSE_WORDS = frozenset(
    """a an the is are was were be been to of for and or not no too your my our this that it on at by with from must
    least short long weak der die das ist ein eine zu und nicht le la les un une est et pas el los es y il di è e o""".split()
)
_SPECIAL_CHARS = frozenset("!@#$%^&*?+~")
_STRIKING_CHARS = frozenset("!#$%^*~")
_MAX_JUDGED_CHARS = 64  # the beginning of a value that is checked
_MIN_MEAN_LETTERS = 3  # of the parts of a name; random runs have fewer


def is_placeholder(value: str) -> bool:
    """Return whether it is a variable, a template, dots, or a word that describes the value."""
    return (
        value.lower() in PLACEHOLDER_WORDS
        or regex(_PLACEHOLDER_START).match(value) is not None
        or regex(_CONSTANT_NAME).fullmatch(value) is not None
        or is_filler(value)
    )


def is_filler(value: str) -> bool:
    """Return whether it is like `xxxx`, `your-key-here` or `EXAMPLE`."""
    if len(set(value)) <= 2:
        return True
    low = value[:_MAX_JUDGED_CHARS].lower()
    for filler in _FILLERS:  # faster than any()
        if filler in low:
            return True
    return "your" in low and regex(_YOUR_WORD).search(low) is not None


def is_path_or_url(value: str) -> bool:
    """Return whether it is a path or a URL."""
    return regex(_PATH_START).match(value) is not None


def is_wordy(value: str) -> bool:
    """Return whether it is made of words, as names are: `my-server-2`, `userToken`, `base64-encoded`."""
    glued = started = False  # whether a digit precedes, and whether letters precede that
    letters = parts = 0
    for part in regex(_WORD_PARTS).findall(value[:_MAX_JUDGED_CHARS]):
        if part.isdigit():
            if len(part) > 4:
                return False
            glued = True
        elif part[0].isalpha():
            if glued and (part.islower() or (started and part.isupper())):
                return False  # a digit within a word
            letters += len(part)
            parts += 1
            started, glued = True, False
        else:
            started = glued = False
    return parts > 0 and letters >= parts * _MIN_MEAN_LETTERS


def is_name(value: str) -> bool:
    """Return whether it is made of words and written like a name: in one case, or without a digit."""
    one_case = value in (value.lower(), value.upper())
    return is_wordy(value) and (one_case or not any(map(str.isdigit, value)))


def is_random(value: str, min_length: int) -> bool:
    """Return whether it is long enough, of letters and digits, and not made of words."""
    return (
        len(value) >= min_length
        and regex(r"[^0-9]*[0-9]").match(value) is not None
        and len(set(value)) >= min(6, min_length)
        and any(map(str.isalpha, value))
        and not is_placeholder(value)
        and not is_path_or_url(value)
        and not is_wordy(value)
    )


def is_very_random(value: str) -> bool:
    """Return whether it is certainly random, and neither a digest nor an id."""
    if not 16 <= len(value) <= 200 or len(set(value)) < 10 or not is_random(value, 16):
        return False
    body = value.replace("-", "")
    if value.startswith(_PUBLIC_PREFIXES) or regex(r"[0-9A-Fa-f]+\Z|.*[0-9a-f]{32}\Z").match(body):
        return False
    digits = sum(map(str.isdigit, value))
    mixed = value != value.lower() and value != value.upper()
    return digits >= 2 and (mixed or (digits >= 4 and len(value) >= 24)) and digits < len(value) * 0.75


def is_password(value: str, quoted: bool) -> bool:
    """Return whether it is a password, in the place of one: with a digit or a special character, or not made of words."""
    if not 4 <= len(value) <= 200 or not may_be_secret(value) or regex(_TYPE_NAME).fullmatch(value):
        return False
    if regex(_NUMBER_WITH_UNIT).fullmatch(value):
        return False
    if value.isdigit():
        return len(value) >= 6
    if quoted and is_app_password(value):
        return True
    if value[-1] == "=" and len(value) % 4 == 0 and regex(r"[A-Za-z0-9+/]{8,}={1,2}").fullmatch(value):
        return True  # base64
    special = not _SPECIAL_CHARS.isdisjoint(value[:-1]) and any(map(str.isalpha, value))
    if special and " " not in value:
        return not regex(_MAIL_ADDRESS).fullmatch(value)
    if not any(map(str.isalpha, value)):
        return False
    if not is_wordy(value):
        return any(map(str.isdigit, value)) or (quoted and " " not in value and len(value) >= 8)
    if (" " in value and quoted) or not (any(map(str.isdigit, value)) and any(map(str.islower, value))):
        return False
    word = value.rstrip("0123456789")  # `hunter2`, but neither `password2` nor `user.password2`
    return word.lower() not in PLACEHOLDER_WORDS and not regex(r".*[._:/]|.*[a-z][A-Z]").match(word)


def is_chosen_password(value: str) -> bool:
    """Return whether a literal is a password of words that somebody chose: `seepferdchen-auf-reisen`."""
    if not 8 <= len(value) <= 64 or not value.isprintable() or not may_be_secret(value) or is_label(value):
        return False
    if is_unpronounceable(value):
        return True
    mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
    parts = regex("[-_.]").split(value)
    if len(parts) >= 3 and all(parts) and "." not in value and value.islower():
        return len(value) >= 12 and "_" not in value
    return len(parts) >= 2 and all(parts) and mixed and "." not in value and not value.isupper()


def is_app_password(value: str) -> bool:
    """Return whether it is four groups of four letters, as a mail service shows them: `qwhf zbnu tkod ymaj`."""
    grouped = regex("[a-z]{4}(?:[ -][a-z]{4}){3}").fullmatch(value)
    return grouped is not None and regex("[^aeiou]{5}").search(value.replace(" ", "").replace("-", "")) is not None


def is_striking_word(value: str) -> bool:
    """Return whether it is a word with an inner character that names of things do not have: `Quokka!6Uy`."""
    inner = value[1:-1]
    return 8 <= len(value) <= 64 and " " not in value and not _STRIKING_CHARS.isdisjoint(inner) and not is_label(value)


def is_label(value: str) -> bool:
    """Return whether it describes a field."""
    return regex(_LABEL_WORD).search(value) is not None


def is_literal_password(value: str) -> bool:
    """Return whether it may be a password, if its name and the quotes around it say so: any word, as `zwiebelkuchen`."""
    if not 6 <= len(value) <= 64 or " " in value or not may_be_secret(value) or not value.isprintable():
        return False
    if is_label(value) or not any(map(str.isalpha, value)):
        return False
    if regex(_REFERENCE).fullmatch(value) or regex(_TYPE_NAME).fullmatch(value):
        return False
    return not (value.isupper() and value.isalpha()) and value.lower() not in _STATE_WORDS


def is_mixed(value: str) -> bool:
    """Return whether it has letters of both cases, digits and signs, and is not the name of a thing: `Fledermaus_6`."""
    return (
        8 <= len(value) <= 64
        and any(map(str.isdigit, value))
        and any(map(str.islower, value))
        and any(map(str.isupper, value))
        and not value.isalnum()
        and may_be_secret(value)
        and not (is_label(value) or is_file_or_product(value) or regex(_VERSION).search(value))
        and not regex(_MAIL_ADDRESS).fullmatch(value)
    )


def is_passphrase(value: str) -> bool:
    """Return whether it is words that somebody chose, and not a sentence: `seven purple otters dance`."""
    words = value.lower().split()
    return 3 <= len(words) <= 12 and _PROSE_WORDS.isdisjoint(words) and not is_label(value) and not is_filler(value)


def is_file_or_product(value: str) -> bool:
    """Return whether it is a file, or a program with its version: `Report_2024.zip`, `Windows-Server2019`."""
    return regex(_FILE_OR_PRODUCT).fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Return whether it is an identifier, and not its value: `settings.DB_PASSWORD`."""
    return "." in value and regex(_REFERENCE).fullmatch(value) is not None


def is_stated_password(value: str) -> bool:
    """Return whether it is a password beside a user name, in a sentence or a note: `girasol.2020`, `Kaffee!77`."""
    value = value.rstrip(".,:?")
    label = is_label(value) and not (sum(map(str.isdigit, value)) >= 2 and not _SPECIAL_CHARS.isdisjoint(value))
    if len(value) < 6 or not may_be_secret(value) or label or "/" in value or regex(_MAIL_ADDRESS).fullmatch(value):
        return False
    digits = sum(map(str.isdigit, value))
    if digits == len(value) or not any(map(str.isalpha, value)) or is_file_or_product(value):
        return False
    if is_mixed(value) or is_random(value, 6):
        return True
    special = not _SPECIAL_CHARS.isdisjoint(value)
    return (digits >= 2 or special) and not regex(_VERSION).search(value)


def is_unpronounceable(value: str) -> bool:
    """Return whether it is letters of one case that make no word: `fkxapcftmqgybvbx`."""
    if len(value) < 12 or not value.isalpha() or not value.isascii() or value not in (value.lower(), value.upper()):
        return False
    low = value.lower()
    return regex("[^aeiou]{6}").search(low) is not None and sum(low.count(vowel) for vowel in "aeiou") * 4 < len(low)


def may_be_secret(value: str) -> bool:
    """Return whether it may be a secret, in a place where only a secret can be."""
    return not (is_placeholder(value) or is_path_or_url(value) or regex(_DATE).match(value))
