"""Secrets told by where they stand: behind an option of a command, in a header, in an address, in a block.

Each row: what people call it, the keywords, words of which one must stand shortly before (between commas; none if
empty), what must follow from the keyword on, how the value is judged, an example that must be found, and one that
must not. `{V}` is a value in quotes or bare; where it stands in no group, the group `v` is the secret.
"""

from __future__ import annotations

Shape = tuple[str, str, str, str, str, str, str]

QUOTED = r"""(?:"(?P<q>[^"\n\x00]{1,200})"|'(?P<s>[^'\n\x00]{1,200})')"""
BARE = r"""(?P<v>[^\s"'`;|&<>(){}\x00-\x1f][^\s"'`;|&<>(){}\x00-\x1f]{0,200})"""
VALUE = rf"(?:{QUOTED}|{BARE})"
PAIR = (
    r"""(?:"[^":\n]{0,100}:(?P<a>[^"\n]{1,200})"|'[^':\n]{0,100}:(?P<b>[^'\n]{1,200})'|"(?P<c>[^":\n]{8,200}):"|"""
    r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"':/]{0,100}):(?:"(?P<d>[^"\n]{1,200})"|'(?P<e>[^'\n]{1,200})'|(?P<f>[^\s"'`;|&]{1,200})))"""
)
# How a value is judged.
PAIRED = "paired"  # behind a name and a colon: anything that is no placeholder
SURE = "sure"  # only a secret can stand here: anything that is neither a placeholder nor a path
HEADER = "header"  # no word of prose
RANDOM = "random"  # drawn by lot
LONG = "long"  # long, and not made of words
LITERAL = "literal"  # a password or a key, and no word that names a thing
STATED = "stated"  # a password in a sentence: with a digit or a sign, and no name of a thing
CODE = "code"  # the shape is enough, but for words
LINKED = "linked"  # drawn by lot beyond doubt; digests and ids only in a whole address

_COMMAND = "password in a command"
_SCHEME = r"(?:(?!eyJ)[A-Za-z][A-Za-z0-9-]{1,24}\s{1,4}(?:token=\\?[\"']?)?)?"
# fmt: off
SHAPES: tuple[Shape, ...] = (
    (_COMMAND, "pass:", "openssl", r"(?<=[\s'\"])pass:{V}", SURE, "openssl rsa -passin pass:hunter2",
     "openssl rsa -passin file:x"),
    ("authorization header", "authorization", "",
     r"authorization[\"'`]?\s{0,4}(?:[:=]|,(?<=[\"'`],)|=>|(?<=\s)(?=[\"'`]))\s{0,8}(?:[\"']?value[\"']?\s{0,3}[:=]\s{0,3})?[f$@b]?[\"'`]?" + _SCHEME + r"(?P<v>[A-Za-z0-9_=~@.+/:-]{8,4096})",
     HEADER, '{"key":"Authorization","value":"Basic <b24>"}', "access-control-allow-headers: authorization, x-api-key, content-type"),
    ("session header", "x-", "",
     r"(?<![\w?&-])x-(?![\w-]{0,30}(?:idempotency|sort|cache|partition|public|signature-version))[\w-]{0,40}(?:session|token|auth|key|secret|password|signature)(?:-(?:id|value|v\d))?[\"']?\s{0,2}[:=,]\s{0,3}[\"']?(?P<v>[\w.+/=~-]{12,4096})",
     RANDOM, 'http GET example.org "X-Metabase-Session:<uuid>"', "x-auth-token: required-for-all-requests"),
    ("bearer token", "bearer", "", r"bearer\s{1,4}(?P<v>[A-Za-z0-9_=~.+/-]{16,4096})", RANDOM,
     "-H 'auth-x: Bearer <w40>'", "bearer authentication-middleware"),
    ("password in an address", "://", "",
     r"://[^\s/?#:@\"'`<>\x00]{0,200}:(?P<v>[^\s/?#\"'`<>\x00]{1,200})@(?=[\w\[$*{])", PAIRED,
     "postgres://someone:hunter2@db.example.org/app",
     "use https://example.org:8080/path and ssh://git@example.org/repo"),
    ("token in an address", "://", "", r"://(?P<v>[A-Za-z0-9_.-]{20,200})(?::[^\s/@\"']{0,60})?@(?=[\w\[])", RANDOM,
     "https://<x40>@git.example.org/x.git", "https://a-long-user-name-of-words@git.example.org"),
    ("NuGet password", 'password"', "<add key=", r"password\"\s{0,60}value=\"(?P<v>[^\"\n]{8,200})\"", SURE,
     '<add key="ClearTextPassword" value="hunter2hunter2" />', '<add key="Username" value="someone-else" />'),
    ("password in netrc", "machine", "",
     r"machine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}(?:account\s{1,4}\S{1,100}\s{1,4})?password\s{1,4}{V}",
     SURE, "machine git.example.org login me password hunter2", "this machine needs a login and a password today"),
    ("PuTTY key", "private-lines:", "",
     r"private-lines:\s{0,4}\d{1,3}\s{1,4}(?P<v>(?:[A-Za-z0-9+/=]{1,76}\s{1,2}){1,64})", SURE,
     "Private-Lines: 1\n<b64>\nPrivate-MAC: <x40>", "Private-Lines: how many lines follow"),
)
# fmt: on
