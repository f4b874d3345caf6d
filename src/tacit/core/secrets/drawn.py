"""Long values that look drawn by lot, assigned to a variable whose name does not say that it holds a secret.

`set -gx OPENWEATHER_APPID 0f3c…` and `$env.MATRIX_BOT = "…"` are secrets although no word of the name is known. Names
of what is public by nature (commits, digests, ids, images, versions) are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tacit.core.secrets.blocks import Found
from tacit.core.secrets.values import is_filler, is_very_random

KIND = "secret"
_RUN = r"(?<![A-Za-z0-9+/_.~-])[A-Za-z0-9+/_.~-]{24,200}+={0,2}(?=[\s\"'`;,)}\]|&]|\Z)"
_BEFORE = 120  # characters in which the assignment stands
_NAME = r"(?P<{}>[A-Z][A-Z0-9]{{1,40}}(?:_[A-Z0-9]{{1,40}}){{0,8}})"
_ASSIGNED = (
    rf"(?:(?<![\w$%{{.]){_NAME.format('glued')}=|"
    rf"(?:\A|[\s;&|('\"`])(?:set(?:env|x)?|env|arg|export)(?:\s{{1,3}}(?:-{{1,2}}[\w-]{{1,20}}|/\w)){{0,4}}\s{{1,3}}{_NAME.format('apart')}[ \t=]\s{{0,3}}|"
    rf"\$env[:.]{_NAME.format('dotted')}\s{{0,3}}=\s{{0,3}})[\"'`]?\Z"
)
_PUBLIC = frozenset(
    (
        "ID UUID GUID SHA SHA1 SHA256 SHA512 MD5 HASH DIGEST CHECKSUM CHECKSUMS SUM COMMIT REV REVISION REF HEAD TREE BASE MERGE OBJECT "
        "BLOB IMAGE TAG VERSION RELEASE BUILD BUILDID INTEGRITY ETAG FINGERPRINT THUMBPRINT PUBLIC PUBKEY PUB CERT CERTIFICATE "
        "URL URI PATH FILE DIR HOST HOSTNAME ENDPOINT ARN NAME BUCKET CID TXID TX BLOCK ADDRESS ADDR CONTRACT WALLET ACCOUNT "
        "REQUEST TRACE SPAN TRACEPARENT CORRELATION PARENT RUN JOB NONCE IV CACHE GIT LFS CONTENT DATA BODY PAYLOAD EXPECTED ACTUAL "
        "RESULT OUTPUT SEED FLAGS OPTS OPTIONS ARGS CLASSPATH"
    ).split()
)  # fmt: skip
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("set -gx OPENWEATHER_APPID <x32>; and python3 forecast.py", "set -gx GIT_COMMIT <x40>"),
    ('$env.GITEA_BOT = "<x40>"; http get https://example.org', '$env.IMAGE_DIGEST = "<x64>"'),
    ("docker run -e MAILER_DSN_PART=<w40> app", "docker run -e REQUEST_ID=<w40> app"),
)  # a value that must be found, and one that must not


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_drawn(text: str) -> Iterator[Found]:
    """Values drawn by lot that a shell or a file of variables assigns."""
    for run in _compiled(_RUN).finditer(text):
        before = text[max(0, run.start() - _BEFORE) : run.start()]
        if before[-1:] not in _ENDS:
            continue
        assigned = _compiled(_ASSIGNED).search(before)
        if assigned and assigned.lastgroup and _is_private(assigned[assigned.lastgroup]) and is_drawn(run[0]):
            yield run.start(), run.end(), KIND


_ENDS = frozenset("='\"` \t")


def _is_private(name: str) -> bool:
    return _PUBLIC.isdisjoint(name.split("_"))


def is_drawn(value: str) -> bool:
    """A key in hex, or letters of both cases and digits in no order."""
    if is_filler(value) or len(set(value)) < 8:
        return False
    if _compiled("[0-9a-f]{32,128}|[0-9A-F]{32,128}").fullmatch(value):
        return True
    return is_very_random(value) and value.count(".") <= 2 and value.count("/") <= 3
