"""Secrets that are encoded once, and long random values assigned to a variable."""

from __future__ import annotations

from binascii import Error, a2b_base64, unhexlify
from collections.abc import Callable, Iterable, Iterator

from tacit.secrets import values
from tacit.secrets.probes import SecretSpan
from tacit.text.display import regex

# Long random values that are assigned to a variable: `set -gx OPENWEATHER_APPID 0f3c…` and `$env.MATRIX_BOT = "…"` are
# secrets although no word of the name is known. Names of public values (commits, digests, ids, images, versions) are
# excluded.

WordSpan = tuple[int, int]  # start and end of a word
RANDOM_KIND = "secret"
_MIN_RANDOM_CHARS = 24
_RANDOM_RUN = r"(?<![A-Za-z0-9+/_.~-])[A-Za-z0-9+/_.~-]{24,200}={0,2}(?=[\s\"'`;,)}\]|&]|\Z)"
_MAX_ASSIGNMENT_CHARS = 120
_VARIABLE_NAME = r"(?P<{}>[A-Z][A-Z0-9]{{1,40}}(?:_[A-Z0-9]{{1,40}}){{0,8}})"
_ASSIGNMENT = (
    rf"(?:(?<![\w$%{{.]){_VARIABLE_NAME.format('glued')}=|"
    rf"(?:\A|[\s;&|('\"`])(?:set(?:env|x)?|env|arg|export)(?:\s{{1,3}}(?:-{{1,2}}[\w-]{{1,20}}|/\w)){{0,4}}\s{{1,3}}{_VARIABLE_NAME.format('apart')}[ \t=]\s{{0,3}}|"
    rf"\$env[:.]{_VARIABLE_NAME.format('dotted')}\s{{0,3}}=\s{{0,3}})[\"'`]?\Z"
)
_BEFORE_VALUE = frozenset("='\"` \t")
_PUBLIC_NAME_WORDS = frozenset(
    """ID UUID GUID SHA SHA1 SHA256 SHA512 MD5 HASH DIGEST CHECKSUM CHECKSUMS SUM COMMIT REV REVISION REF HEAD TREE BASE MERGE OBJECT
    BLOB IMAGE TAG VERSION RELEASE BUILD BUILDID INTEGRITY ETAG FINGERPRINT THUMBPRINT PUBLIC PUBKEY PUB CERT CERTIFICATE
    URL URI PATH FILE DIR HOST HOSTNAME ENDPOINT ARN NAME BUCKET CID TXID TX BLOCK ADDRESS ADDR CONTRACT WALLET ACCOUNT
    REQUEST TRACE SPAN TRACEPARENT CORRELATION PARENT RUN JOB NONCE IV CACHE GIT LFS CONTENT DATA BODY PAYLOAD EXPECTED ACTUAL
    RESULT OUTPUT SEED FLAGS OPTS OPTIONS ARGS CLASSPATH""".split()
)  # fmt: skip


def find_random_assignments(text: str, words: Iterable[WordSpan]) -> Iterator[SecretSpan]:
    """Yield random values that a shell or an environment file assigns. `words` are the long ones of the text."""
    pattern = regex(_RANDOM_RUN)
    for run in (
        run
        for start, end in words
        if end - start >= _MIN_RANDOM_CHARS
        for run in pattern.finditer(text, start, end)
        if text[run.start() - 1 : run.start()] in _BEFORE_VALUE
    ):
        before = text[max(0, run.start() - _MAX_ASSIGNMENT_CHARS) : run.start()]
        name_end = before.rstrip("\"'`").rstrip().rstrip("=").rstrip()[-1:]
        if not name_end.isupper() and not name_end.isdigit():  # most words are assigned to nothing
            continue
        assigned = regex(_ASSIGNMENT).search(before)
        if assigned is None or assigned.lastgroup is None:
            continue
        if _PUBLIC_NAME_WORDS.isdisjoint(assigned[assigned.lastgroup].split("_")) and is_random_key(run[0]):
            yield run.start(), run.end(), RANDOM_KIND


def is_random_key(value: str) -> bool:
    """Return whether it is a key in hex, or a random mix of letters of both cases and digits."""
    if values.is_filler(value) or len(set(value)) < 8:
        return False
    if regex("[0-9a-f]{32,128}|[0-9A-F]{32,128}").fullmatch(value):
        return True
    return values.is_very_random(value) and value.count(".") <= 2 and value.count("/") <= 3


# Secrets that are encoded once: base64, base64 of UTF-16, hex. (The scanner undoes backslash and percent escapes.) A run
# that decodes to readable text is scanned like any other text, and redacted as a whole. If a command or a call beside the
# run decodes it, a single word that looks like a password is enough.

ENCODED_KIND = "encoded secret"
_ENCODED_RUN = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,16384}={0,2}"
MIN_RUN_CHARS = 16
_HEX = r"[0-9A-Fa-f]+"
_DECODE_CALL = (
    r"(?i)base64\s{1,2}(?:-d|--decode|-di)|b64decode\(|atob\(|frombase64string\(|xxd\s{1,2}-r|decode64|base64_decode\(|unhex|fromhex|"
    r"openssl\s{1,2}(?:base64|enc)[^|]{0,20}-d|basenc|base64decode|buffer\.from\("
)
_SECRET_NAME_BEFORE = (
    r"(?i)(?:passw|passphr|pwd|\bpw|_pw|secret|token|cred|psk|_key|apikey|kennw|contrase|senha)[^\n]{0,40}\Z"
)
_SECRET_WORD = r"(?i)passw|passphr|pwd|secret|token|cred|psk|\bkey|_key|-key|\.key|apikey|kennw|contrase|senha"
_CONTEXT_CHARS = 80
_MAX_CACHED_RUNS = 20_000  # runs known to be unreadable: names and paths occur again and again
_MAX_CACHED_RUN_CHARS = 48
_unreadable_runs: set[str] = set()
_MAX_DECODED_RUNS = 400  # decoded runs of a text that are scanned; more are redacted without a scan
_SAMPLE_CHARS = 24  # characters that are decoded to see whether the rest is readable
_WHITESPACE = dict.fromkeys(map(ord, "\n\r\t"), " ")


def may_have_run(word: str) -> bool:
    """Return whether a word has a run that encodes a text or is random. In others nothing is ever found."""
    if len(word) < MIN_RUN_CHARS:
        return False
    for run in regex(_ENCODED_RUN).finditer(word):
        if run[0] not in _unreadable_runs and (decode_run(run[0]) is not None or values.is_random(run[0], 32)):
            return True
    return len(word) >= _MIN_RANDOM_CHARS and any(is_random_key(run[0]) for run in regex(_RANDOM_RUN).finditer(word))


def find_encoded(text: str, words: Iterable[WordSpan], has_secret: Callable[[str], bool]) -> Iterator[SecretSpan]:
    """Yield runs that contain a secret when they are decoded, as `has_secret` decides. `words` are the long ones."""
    decoded_runs = 0
    pattern = regex(_ENCODED_RUN)
    for run in (run for start, end in words for run in pattern.finditer(text, start, end)):
        if run[0] in _unreadable_runs:
            continue
        decoded = decode_run(run[0])
        if decoded is None:
            if values.is_random(run[0], 32):  # what a key is depends on the text around it, so it is not cached
                if _is_decoded_here(text, *run.span(), as_key=True):
                    yield run.start(), run.end(), ENCODED_KIND
            elif len(run[0]) <= _MAX_CACHED_RUN_CHARS:
                if len(_unreadable_runs) >= _MAX_CACHED_RUNS:
                    _unreadable_runs.clear()
                _unreadable_runs.add(run[0])
            continue
        decoded_runs += 1
        is_word = " " not in decoded
        if (
            decoded_runs > _MAX_DECODED_RUNS
            or has_secret(decoded)
            or (is_word and values.is_password(decoded, quoted=True) and _is_decoded_here(text, *run.span()))
            or (is_word and values.may_be_secret(decoded) and _is_decoded_here(text, *run.span(), as_key=True))
        ):
            yield run.start(), run.end(), ENCODED_KIND
        elif regex(_SECRET_NAME_BEFORE).search(_before(text, run.start())):
            # After a name that says so (`db_pw hex=…`), any password with a special character.
            is_signed = is_word and any(map(str.isdigit, decoded)) and not decoded.isalnum()
            is_striking = values.is_mixed(decoded) or values.is_striking_word(decoded)
            if is_striking or (is_signed and values.may_be_secret(decoded)):
                yield run.start(), run.end(), ENCODED_KIND


def decode_run(run: str) -> str | None:
    """Return the readable text that a run encodes; None if it encodes none."""
    body = run.rstrip("=")
    if body.islower() or body.isupper() or body.isdigit():  # base64 of a text has letters of both cases
        if len(body) % 2 or not regex(_HEX).fullmatch(body) or _decode_text(unhexlify(body[:_SAMPLE_CHARS])) is None:
            return None
        return _decode_text(unhexlify(body))
    body = body.replace("-", "+").replace("_", "/")
    sample = _decode_base64(body[:_SAMPLE_CHARS])
    if _decode_text(sample) is None and not (0 in sample and _decode_text(sample.replace(b"\0", b" "))):
        return None
    return _decode_text(_decode_base64(body))


def _decode_base64(body: str) -> bytes:
    try:
        return a2b_base64(body + "=" * (-len(body) % 4))
    except Error:
        return b"\xff"


def _decode_text(data: bytes) -> str | None:
    """Return bytes as text; None if they are not readable."""
    if data.count(0) == 2 and len(data) > 6:
        _, user, password = data.split(b"\0")
        data = b"login " + user + b" password=" + password  # SASL PLAIN
    if len(data) > 3 and not any(data[1::2]) and all(data[::2]):
        data = data[::2]  # UTF-16 of plain letters
    if data.isascii():
        text = data.decode("ascii")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        if sum(letter > "\x7f" for letter in text) * 4 > len(text):
            return None  # random bytes can be valid UTF-8, but seldom with so many ASCII letters
    return text if text.isprintable() or text.translate(_WHITESPACE).isprintable() else None


def _before(text: str, start: int) -> str:
    return text[max(0, start - _CONTEXT_CHARS) : start]


def _is_decoded_here(text: str, start: int, end: int, *, as_key: bool = False) -> bool:
    """Return whether a command decodes the run; as a key, if it or the sentence around it says so."""
    around = f"{_before(text, start)} {text[end : end + _CONTEXT_CHARS]}"
    if as_key and not regex(_SECRET_WORD).search(around):
        return False
    return regex(_DECODE_CALL).search(around) is not None
