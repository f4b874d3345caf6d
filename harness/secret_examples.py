"""What shows each kind of secret: the examples of the tables' rows, and those of what is found without a table.

`<a36>` stands for 36 letters or digits, so that neither a table nor this file looks like a leak itself.
"""

from __future__ import annotations

import re
from itertools import count
from typing import NamedTuple

from tacit.secrets.encoded import ENCODED_KIND, RANDOM_KIND
from tacit.secrets.probes import COMMAND_KIND, COOKIE_KIND
from tacit.secrets.rows import ALPHABETS, ContextRow, OptionRow, TokenRow, read_rows


class Example(NamedTuple):
    """A text that holds a secret of a kind, one that nearly does, and words of which the second has one."""

    kind: str
    text: str
    near_miss: str
    keywords: str = ""


TOKENS = read_rows("tokens", TokenRow)
SERVICES = read_rows("services", TokenRow)
CONTEXTS = read_rows("contexts", ContextRow)
COMMANDS = [row for row in CONTEXTS if row.check in ("argument", "nonword", "piped")]
OPTIONS = read_rows("options", OptionRow)
# fmt: off
BLOCKS = (
    Example("private key", "-----BEGIN RSA PRIVATE KEY-----\n<b64>\n<b64>\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\n<b64>\n<b64>\n-----END CERTIFICATE-----"),
    Example("Kubernetes secret", "kind: Secret\ndata:\n  one: <a20>", "kind: ConfigMap\ndata:\n  one: <a20>"),
    Example("password in an address", 'dsn := "orders:Hunter_n2@tcp(10.0.0.7:3306)/orders"',
            'dsn := "orders@tcp(10.0.0.7:3306)/orders"'),
    Example("AWS secret key", "AKIA<t16> <b40>", "AKIA stands before <x40>"),
)
COOKIES = tuple(Example(COOKIE_KIND, *texts) for texts in (
    ("Cookie: theme=dark; sessionid=<l32>; lang=de", "Cookie: theme=dark; lang=de; consent=all"),
    ("set-cookie: connect.sid=s%3A<a32>.<a43>; Path=/; HttpOnly", "Set-Cookie: theme=dark; Path=/"),
    ("curl --cookie 'PHPSESSID=<l26>' https://example.org", "curl --cookie jar.txt https://example.org"),
    ('cookies = {"csrftoken": "off", "sid": "<w43>"}', 'cookies = {"lang": "de", "theme": "dark-mode"}'),
    ('{"cookies":[{"name":"user_session","value":"<w48>"}]}', '{"cookies":[{"name":"lang","value":"german-formal"}]}'),
    ("res.cookie('auth', '<a40>', { httpOnly: true })", "res.clearCookie('connect.sid')"),
    ('new Cookie(".AspNetCore.Identity", "<w180>", "/")', 'new Cookie("theme", "dark-mode-2", "/")'),
    ('document.cookie = "auth_session=<l40>; path=/"', 'document.cookie = "consent=all; path=/"'),
    ("example.org\tTRUE\t/\tTRUE\t1781990400\txf_user\t<d5>%2C<w40>", "example.org\tTRUE\t/\tTRUE\t0\tlang\tde-DE"),
    ('{"name":"sid","value":"<a32>","path":"/","httpOnly":true}',
     '{"name":"lang","value":"german","path":"/","httpOnly":true}'),
    ('200 12 "-" "curl" "PHPSESSID=<l26>; lang=de"', "PHPSESSID=deleted; lang=de"),
    ("my li_at cookie from the browser (<w150>) is below", "the cookie jar of the tests (see conftest.py) is empty"),
    ("use the cookie li_at=<w150> from my browser", "does the cookie need SameSite=None-or-Lax here"),
))
ENCODED = tuple(Example(ENCODED_KIND, *texts) for texts in (
    ("blob: cGFzc3dvcmQ9aHVudGVyMmh1bnRlcg==", "blob: dGhlIHBhc3N3b3JkIGlzIHJlcXVpcmVk"),
    ("-enc cABhAHMAcwB3AG8AcgBkAD0AaAB1AG4AdABlAHIAMgA=", "-enc ZQBjAGgAbwAgAGgAZQBsAGwAbwAgAHcAbwByAGwAZAA="),
    ("hex: 70617373776f72643d68756e74657232", "hex: 7468652070617373776f72642069732072657175697265642e"),
    ("echo aHVudGVyMmh1bnRlcjI= | base64 -d", "echo aGVsbG8gd29ybGQhIQ== | base64 -d"),
    ("AUTH PLAIN AG1lQGV4YW1wbGUub3JnAEh1bnRlciEySHVu", "AUTH PLAIN AG1lQGV4YW1wbGUub3JnAA=="),
    ("printf '<x48>' | xxd -r -p > psk.bin", "printf '<x48>' | xxd -r -p > image.bin"),
    ("db_pw hex=48756e746572213248756e", "db_name hex=48756e746572213248756e"),
))
ASSIGNED = tuple(Example(RANDOM_KIND, *texts) for texts in (
    ("set -gx OPENWEATHER_APPID <x32>; and python3 forecast.py", "set -gx GIT_COMMIT <x40>"),
    ('$env.GITEA_BOT = "<x40>"; http get https://example.org', '$env.IMAGE_DIGEST = "<x64>"'),
    ("docker run -e MAILER_DSN_PART=<w40> app", "docker run -e REQUEST_ID=<w40> app"),
))
# fmt: on
FORMATS = [
    *(Example(row.kind, row.example, row.near_miss, row.keywords) for row in (*TOKENS, *SERVICES)),
    *(Example(row.kind, row.example, row.near_miss, row.keywords) for row in CONTEXTS if row not in COMMANDS),
]
EXAMPLES = [
    *FORMATS,
    *(Example(COMMAND_KIND, row.example, row.near_miss) for row in OPTIONS),
    *(Example(COMMAND_KIND, row.example, row.near_miss, row.keywords) for row in COMMANDS),
    *(*BLOCKS, *COOKIES, *ENCODED, *ASSIGNED),
]

_HOLE = re.compile(r"<([a-z])(\d+)>|<uuid>")
_STEP = 7919  # coprime to the length of every alphabet, so that a run of it does not repeat itself


def written(example: str) -> str:
    """The text an example stands for; the same one each time."""
    example = example.replace(r"\n", "\n")
    numbers = count(len(example))
    return _HOLE.sub(lambda hole: _filled(hole, next(numbers)), example)


def _filled(hole: re.Match[str], number: int) -> str:
    if hole[0] == "<uuid>":
        return "-".join(run("x", size, number + size) for size in (8, 4, 4, 4, 12))
    return run(hole[1], int(hole[2]), number)


def run(alphabet: str, size: int, seed: int) -> str:
    """A run that looks drawn by lot, and holds a digit wherever the alphabet has digits."""
    signs = re.sub(r"(.)-(.)", _range, ALPHABETS[alphabet])
    state, drawn = seed * _STEP + 1, []
    for _ in range(size):
        state = (state * 1103515245 + 12345) % 2147483648
        drawn.append(signs[(state >> 8) % len(signs)])
    if "0" in signs and size > 2:
        drawn[1] = "7"
    return "".join(drawn)


def _range(ends: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)))
