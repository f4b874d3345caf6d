"""Secrets that are recognised by their context: headers, logins, URLs, literals in code, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.secrets.probes import SecretSpan
from tacit.secrets.spec import (
    CODE,
    HEADER,
    LINKED,
    LITERAL,
    LONG,
    PAIRED,
    RANDOM,
    STATED,
    SURE,
    UUID,
    ContextRow,
)
from tacit.secrets.values import is_filler, is_placeholder, is_random, is_very_random, is_wordy
from tacit.text.display import regex

# Values after a well-known header, option or scheme.

_COMMAND = "password in a command"
_SCHEME = r"(?:(?!eyJ)[A-Za-z][A-Za-z0-9-]{1,24}\s{1,4}(?:token=\\?[\"']?)?)?"
# fmt: off
CONTEXT_ROWS: tuple[ContextRow, ...] = (
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
_MAX_VALUE_CHARS = 4096
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
_TRACKING_PREFIXES = ("_ga", "_gid", "_gcl", "_fbp", "_fbc", "_hj", "__utm", "_pk_", "ajs_", "mp_", "_clck", "_uet", "optanon",
             "intercom-id", "amplitude", "consent", "cookieconsent", "hash", "sha", "etag", "commit", "integrity", "version")  # fmt: skip

# The form, an example that must match, and one that must not.
COOKIE_EXAMPLES: tuple[tuple[str, str, str], ...] = (
    ("a header", "Cookie: theme=dark; sessionid=<l32>; lang=de", "Cookie: theme=dark; lang=de; consent=all"),
    ("a header of an answer", "set-cookie: connect.sid=s%3A<a32>.<a43>; Path=/; HttpOnly", "Set-Cookie: theme=dark; Path=/"),
    ("an option", "curl --cookie 'PHPSESSID=<l26>' https://example.org", "curl --cookie jar.txt https://example.org"),
    ("a dictionary", 'cookies = {"csrftoken": "off", "sid": "<w43>"}', 'cookies = {"lang": "de", "theme": "dark-mode"}'),
    ("a list", '{"cookies":[{"name":"user_session","value":"<w48>"}]}', '{"cookies":[{"name":"lang","value":"german-formal"}]}'),
    ("a call", "res.cookie('auth', '<a40>', { httpOnly: true })", "res.clearCookie('connect.sid')"),
    ("a constructor", 'new Cookie(".AspNetCore.Identity", "<w180>", "/")', 'new Cookie("theme", "dark-mode-2", "/")'),
    ("a script", 'document.cookie = "auth_session=<l40>; path=/"', 'document.cookie = "consent=all; path=/"'),
    ("a jar", "example.org\tTRUE\t/\tTRUE\t1781990400\txf_user\t<d5>%2C<w40>", "example.org\tTRUE\t/\tTRUE\t0\tlang\tde-DE"),
    ("an export", '{"name":"sid","value":"<a32>","path":"/","httpOnly":true}', '{"name":"lang","value":"german","path":"/","httpOnly":true}'),
    ("a name everybody knows", '200 12 "-" "curl" "PHPSESSID=<l26>; lang=de"', "PHPSESSID=deleted; lang=de"),
    ("a value in brackets", "my li_at cookie from the browser (<w150>) is below", "the cookie jar of the tests (see conftest.py) is empty"),
    ("a sentence", "use the cookie li_at=<w150> from my browser", "does the cookie need SameSite=None-or-Lax here"),
)  # fmt: skip


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
        for match in regex(_COOKIE_OBJECT).finditer(text, at, block_end):
            yield from _check_cookie(match)
    header = regex(_COOKIE_HEADER).match(text, at)
    for match in regex(_COOKIE_PAIR).finditer(text, header.end() if header else at, until):
        yield from _check_cookie(match)
    for match in regex(_BRACKETED_VALUE).finditer(text, at, until):
        if match.start() > at + _MAX_BRACKET_DISTANCE:
            break
        value = match[match.lastgroup or 0]
        if is_very_random(value) or is_cookie_value(value, 32):
            yield *match.span(match.lastgroup or 0), COOKIE_KIND
    if line >= 0 and "\t" in text[line : line + 200]:
        for match in regex(_JAR_LINE).finditer(text, line, at + 2 * _MAX_BLOCK_CHARS):
            yield from _check_cookie(match)
    yield at, until, ""


def probe_exported_cookies(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield values of cookies as browsers export them: objects with a name, a value and attributes."""
    for match in regex(_COOKIE_OBJECT).finditer(text, max(0, at - _MAX_BLOCK_CHARS), at + _MAX_BLOCK_CHARS):
        yield from _check_cookie(match)
    yield at, min(len(text), at + _MAX_BLOCK_CHARS), ""


def probe_session_cookie(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the value of a cookie with a well-known name: `PHPSESSID=…`."""
    match = regex(_SESSION_COOKIE).match(text, at)
    if match and is_cookie_value(match["value"], 16) and not regex(UUID).match(match["value"]):
        yield *match.span("value"), COOKIE_KIND


def probe_cookie_jar(text: str, at: int) -> Iterator[SecretSpan]:
    """Yield the value of a line of a cookie jar as curl and wget write it."""
    match = regex(_JAR_LINE).match(text, at)
    if match:
        yield from _check_cookie(match)


def _check_cookie(match: re.Match[str]) -> Iterator[SecretSpan]:
    name, value = match["name"], match["value"]
    lower = name.lower()
    if lower in _COOKIE_ATTRIBUTES or lower.startswith(_TRACKING_PREFIXES) or is_placeholder(value) or is_filler(value):
        return
    if regex(_DATE).match(value) or value.startswith(("http:", "https:", "/", "$", "./", "~")) or "://" in value:
        return
    if is_cookie_value(value, 12 if regex(_SESSION_COOKIE_NAME).search(name) else 20):
        yield *match.span("value"), COOKIE_KIND


def is_cookie_value(value: str, min_length: int) -> bool:
    """Return whether a value is random: a session, a ticket, a signed value."""
    if len(value) < min_length:
        return False
    if is_random(value, min_length):
        return value.count("/") <= 2 and value.count(".") <= 5
    mixed = value not in (value.lower(), value.upper())
    return len(value) >= 24 and mixed and not is_wordy(value)


# Secrets in source code, SQL and password files that are recognised by the position of an argument. Literals after a name
# (`password = "…"`, `setPassword("…")`) are found by `names`.

_SQL = "password in SQL"
_CALL = "password in a call"
_TEXT = r"""(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')(?:\.\w{2,20}\(\))?|[\w.\[\]@$]{1,80})"""
_LAST = r"""["'`](?P<v>[^"'`\n\x00]{4,200})["'`]"""
# Words of sentences that are in no word list of recovery phrases (BIP 39).
_PROSE = (
    r"(?!(?:the|and|for|are|was|not|but|has|had|our|its|who|how|why|from|were|them|been|does|many|words|which|their|would|could|"
    r"should|these|those)\b)"
)
_PHRASE = rf"(?P<v>(?:{_PROSE}[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}{_PROSE}[a-z]{{3,8}})"
# fmt: off
LITERALS: tuple[ContextRow, ...] = (
    (_SQL, "identified", "user,role,grant", r"identified\s{1,4}(?:with\s{1,4}[\w'\"]{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?{V}", SURE,
     "CREATE USER 'x'@'%' IDENTIFIED BY 'hunter2'; GRANT ALL", "CREATE USER 'app'@'%' IDENTIFIED BY ?;"),
    (_SQL, "password", "role,user,login,alter,create,set ", r"password\s{0,4}(?:=|\s|\()\s{0,4}(?:for\s{1,4}\S{1,60}\s{0,2}=\s{0,2})?N?'(?P<v>[^'\n\x00]{3,200})'", SURE,
     "ALTER USER billing WITH PASSWORD 'hunter2';", "ALTER ROLE app WITH PASSWORD :'pw';"),
    (_SQL, "requirepass", "", r"(?<!set )requirepass\s{1,4}{V}", SURE, "requirepass hunter2", "config get requirepass"),
    (_CALL, "login( authenticate( .auth( sign_in( signin( logon(", "", r"[\w.]{4,14}\(\s{0,8}" + _TEXT + r"\s{0,4},\s{0,4}" + _LAST + r"\s{0,4}\)", LITERAL,
     'smtp.login("me@example.org", "hunter2hunter")', 'login("user", "password")'),
    (_CALL, "auth=( auth:( basicauth( basic_auth( setbasicauth( set_basic_auth( credential( credentials( passwordauthentication(", "",
     r"[\w.]{4,24}[=:]?\s{0,2}\(\s{0,8}" + _TEXT + r"\s{0,4},\s{0,4}" + _LAST, LITERAL,
     'requests.get(url, auth=("me", "hunter2hunter"))', 'auth=(user, password)'),
    (_CALL, "getconnection( connect( mysqli( pdo( mysqli_connect( plainauth( createconnection( sqlconnect(", "",
     r"[\w.]{3,20}\((?:\s{0,8}" + _TEXT + r"\s{0,4},){2,3}?\s{0,4}" + _LAST, LITERAL,
     'DriverManager.getConnection(url, "me", "hunter2hunter")', 'getConnection(url, user, password)'),
    (_CALL, "credentials.basic( .basic( credentials::new( credential::new( password( wifi.begin( usernamepassword( userpass( basiccredentials( plain(", "",
     r"[\w.:]{4,30}\(\s{0,8}" + _TEXT + r"\s{0,4},\s{0,4}" + _LAST, LITERAL,
     'WiFi.begin(ssid, "hunter2hunter")', 'WiFi.begin(ssid, pass)'),
    (_CALL, "sequelize( oracle.connect( oracledb.connect( ldap3.connection( ldapconnection( simple_bind_s( bind( dsn( mysql_connect( pg_connect( ftp( ftp_tls( imap(", "",
     r"[\w.]{3,24}\((?:\s{0,8}" + _TEXT + r"\s{0,4},){1,2}?\s{0,4}(?![\"'][A-Za-z]{2,4}=)" + _LAST, LITERAL,
     "ldap3.Connection(srv, 'cn=reader,dc=example', 'hunter2hunter')", "ldap3.Connection(srv, user, password)"),
    (_CALL, "client.login( bot.login( stripe( openai( anthropic( twilio( sendgrid( octokit( client(", "", r"[\w.]{5,16}\(\s{0,4}" + _LAST, RANDOM,
     "new Stripe('<a24>')", "new Client('http://localhost:8080')"),
    (_CALL, "expect", "", r"expect\s{1,4}[^\n]{0,80}?(?:pass|kennwort|mot de)[^\n]{0,60}?send\s{1,4}(?:--\s{1,4})?[\"']{1,2}(?P<v>[^\"'\r\n\\]{3,100})", SURE,
     'expect "password:"; send "hunter2"', 'expect "password:"; send "$pw"'),
    ("Kubernetes secret", "jsonpath", "", r"jsonpath[^\n]{0,120}?(?:pass|secret|token|key|auth|cred)[^\n]{0,60}?(?:\n|->\s?|=>\s?|#\s?)\s{0,4}(?P<v>[A-Za-z0-9+/=_!@#$%^&*.-]{8,400})(?=\s|$)", STATED,
     "kubectl get secret x -o jsonpath='{.data.password}' # -> <a24>", "kubectl get secret x -o jsonpath='{.data.password}' | base64 -d"),
    (_CALL, "jwt.sign( jwt.encode( jwt.verify( jwt.decode( createhmac( hmac.new( hmac( createcipheriv( sign(", "",
     r"[\w.]{4,20}\((?:\s{0,8}(?:\{[^}\n]{0,200}\}|[^,()\n]{1,80}(?:\([^()\n]{0,80}\))?)\s{0,4},)?\s{0,4}(?:b|\[\]byte\()?" + _LAST, LITERAL,
     "jwt.sign(payload, 'Gh7k2hunter2xQ')", "createHmac('sha256', key)"),
    (_CALL, "fernet( secretkeyspec( hmackey( aes.new( securestring securestring(", "", r"[\w.-]{4,24}\(?\s{0,4}(?:-string\s{1,4})?b?" + _LAST, LITERAL,
     'ConvertTo-SecureString "hunter2hunter" -AsPlainText -Force', 'ConvertTo-SecureString $plain -AsPlainText'),
    (_CALL, "password passwort kennwort pass pwd", "fill(,type(,getby,sendkeys,send_keys,setvalue,locator,find_element,#,name=",
     r"[\w-]{3,20}[\"'`\])\]]{1,5}(?:\)|,|\.\w{2,20}\(){1,3}\s{0,4}" + _LAST, LITERAL,
     "page.fill('#password', 'hunter2hunter')", "page.fill('#password', password)"),
    ("password in .pgpass", ":5432: :5433: :6432: :*: :3306:", "", r":(?:\d{4}|\*):[^:\s\"']{1,60}:[^:\s\"']{1,60}:(?P<v>[^\s\"':]{3,200})", SURE,
     "db.internal:5432:*:repl:hunter2hunter", "localhost:5432:app:me:password"),
    ("recovery phrase", "mnemonic phrase seed recovery words wallet", "", r"\w{4,8}[^\n\x00]{0,60}?[\s\"'`:=]" + _PHRASE, SURE,
     "the seed phrase: garlic pigeon orchard clock saddle panther autumn shadow olive fossil tunnel ocean",
     "a seed phrase has twelve words"),
    ("cookie", "curl", "", r"curl\b[^\n|;]{0,300}?\s-b\s{0,4}[\"']?(?:[\w.-]{1,60}=[^;\"'\s]{0,200};\s{0,2}){0,6}?[\w.-]{1,60}=(?P<v>[^\s;\"'&]{12,2000})", RANDOM,
     "curl -b 'sessionid=<l32>' https://example.org", "curl -b jar.txt https://example.org"),
)
# fmt: on


# Logins and codes as people and programs write them: `login: admin / …`, `root:…`, "recovery code …". A user name beside
# the value, or the kind of code before it, shows that it is a secret.

_LOGIN = "password of a login"
_CODE = "access code"
_USER = r"[\"'`«]?[\w.@+\\-]{2,50}[\"'`»]?"
_VALUE = r"[\"'`«„“]?(?P<v>[^\s\"'`«»„“”,;()<>{}\[\]|\x00]{4,80})"
_IS = r"(?:\s{0,2}[:=：]|\s(?:is|are|ist|sind|lautet|lauten|est|sont|es|son|é|são|è|sono|to|это|は|是|with|using|as|mit|avec|con|com|met|med))?\s{0,3}"
# fmt: off
LOGINS: tuple[ContextRow, ...] = (
    (_LOGIN, "login creds credentials user/pass username/password user:pass zugangsdaten anmeldedaten identifiants credenciales credenciais credenziali "
     "inloggegevens inloggningsuppgifter логин доступы учётка ログイン 账号 账户 계정 dane", "",
     r"(?<![\w/.@+=])[\w/:]{2,30}(?:\s(?:data|details|info|daten|logowania))?(?:\s(?:for|of|on|to|für|pour|para|per|voor|для)(?:\s[\w.-]{1,30}){1,5}?(?=\s{0,2}[:=：]|\s(?:is|are|ist|sind|lautet|est|es|é|è)\s))?" + _IS + _USER + r"\s{0,2}[/|:]\s{0,2}" + _VALUE, STATED,
     "login: admin / Kaffee!77", "login: admin / password"),
    (_LOGIN, "root: admin: administrator: ubuntu: deploy: postgres: backup: guest: sa: pi:", "", r"(?<![\w./@:$-])[a-z]{2,14}:(?P<v>[^\s\"'`,;:/()<>{}\[\]|\x00]{6,64})(?=[\s\"'`,;.)]|$)", STATED,
     "ssh in with root:Blechdose_3 please", "chown root:docker-users2 /srv"),
    (_LOGIN, "wifi wi-fi wlan ssid", "", r"(?:wifi|wi-fi|wlan|ssid)[^\n\x00]{0,60}?(?:[\s-](?:key|pass|pw|clave|clé)|schlüssel|passwor[td]|passphrase)(?:\s(?:is|ist|es|est))?\s{0,2}[:=]?\s{0,3}" + _VALUE, STATED,
     "wifi: SSID Home, key girasol2020", "wifi: the key is printed below the router"),
    (_LOGIN, "--auth --proxy- --cred --basic --http-auth --user-pass", "", r"--[\w-]{3,30}[=\s][\"']?[\w.@\\-]{1,40}:(?P<v>[^\s\"'`;|&]{4,100})", STATED,
     "sqlmap --auth-cred=me:hunter2222", "sqlmap --auth-type=basic:none"),
    (_LOGIN, "community isakmp tacacs-server radius-server", "", r"(?:(?<=snmp-server )community|isakmp\s{1,2}key(?:\s\d)?|(?:tacacs|radius)-server\s{1,2}(?:host\s\S{1,60}\s)?key(?:\s\d)?)\s{1,4}(?P<v>\S{6,100})", STATED,
     "snmp-server community hunter2222 RO", "snmp-server community public RO"),
    (_LOGIN, "nickserv", "", r"nickserv\s{1,4}identify(?:\s{1,4}[\w-]{1,30}(?=\s{1,4}\S))?\s{1,4}(?P<v>\S{6,100})", SURE, "/msg NickServ IDENTIFY me hunter2hunter", "/msg NickServ help"),
    (_LOGIN, "echo printf", "", r"(?:echo|printf)(?:\s{1,4}-\w{1,3}){0,2}\s{1,4}[\"']?[\w.@+-]{1,60}:(?P<v>[^\s\"'|$]{4,100})[\"']?\s{0,4}\|\s{0,4}(?:openssl\s{1,4})?base64", SURE,
     "curl -H \"Authorization: Basic $(echo -n 'me:hunter2x' | base64)\" x", "echo -n $USER:$PASS | base64"),
    (_LOGIN, "passwords tokens secrets credentials api_keys apikeys", "", r"\w{6,12}[\"']?\s{0,4}[:=]{1,2}\s{0,4}[\[({]\s{0,8}(?:[\"'][^\"'\n]{1,60}[\"']\s{0,2}[:=]>?\s{0,2})?[\"'](?P<v>[^\s\"']{6,200})[\"']", STATED,
     'passwords = ["hunter2!x", "hunter3!x"]', 'passwords = ["first", "second"]'),
    (_LOGIN, "passwords: secrets: credentials: tokens:", "", r"(?<![\w-])[a-z]{6,12}:[ \t]{0,4}\n[ \t]{1,12}[\w.-]{1,40}:[ \t]{1,4}[\"']?(?P<v>[^\s\"'#{}\[\],]{8,200})", RANDOM,
     "secrets:\n  db: <a20>", "secrets:\n  db: from-the-vault"),
    (_LOGIN, "login logins creds credentials", "", r"(?<![\w/.@+=-])[a-z]{5,11}\b[^\n.\x00]{0,60}?\b(?:is|its|it's|are|to|now|lautet|ist|est|es|é|è)\s(?:now\s)?[\"'`«](?P<v>[^\s\"'`«»]{6,64})[\"'`»]", STATED,
     "I rotated the admin login, its `Kaffee!77x` now", "the login is `required` for all"),
    (_LOGIN, "login creds credentials ssh vpn admin/admin", "", r"(?<![\w/.@+=-])[a-z/]{3,14}\b[^\n\x00]{0,80}?\s(?:with|is|its|it's|use|using|type|enter|then|mit|con|avec)\s[\"'`]?(?P<v>(?=\S{0,40}\d)(?=\S{0,40}[a-z])(?=\S{0,40}[A-Z])(?=\S{0,40}[!#$%^&*_~])[^\s\"'`<>(){}\[\]|=/\\@,;\x00]{8,40})(?=[\s\"'`,.;)]|$)", STATED,
     "grafana has no admin/admin anymore, you get in with sodaLime_4419 instead", "vpn is up, then run Step_2 of deploy_All"),
    (_LOGIN, "cpin", "", r"cpin=\"?(?P<v>\d{4,8})", CODE, 'AT+CPIN="4711"', "AT+CPIN?"),
    (_LOGIN, "cwjap", "", r"cwjap[\w]{0,6}=\"[^\"\n]{1,40}\",\"(?P<v>[^\"\n]{6,64})\"", SURE, 'AT+CWJAP="Home","hunter2hunter"', "AT+CWJAP?"),
    (_LOGIN, "privilege", "", r"privilege\s\d{1,2}\s(?:secret|password)(?:\s\d)?\s(?P<v>\S{6,100})", SURE, "username admin privilege 15 secret hunter2hunter", "privilege 15 is for admins"),
    (_CODE, "recovery backup verification verify one-time single-use 2fa mfa otp totp puk activation unlock door gate alarm access pairing invite invitation "
     "security sicherheits bestätigungs entsperr wiederherstellungs récupération vérification verificación recuperación verifica recupero confirmation sms login", "",
     r"(?<![A-Za-z0-9/+-])[\w-]{3,20}[\s-]{0,2}(?:2fa[\s-])?(?:codes?|codici|códigos?|code|pin|passcodes?|puk)\b(?:\s#?\d{1,2}(?=\s?[:=]))?(?:\s(?:for|of|für|pour|para|per)(?:\s[\w.@-]{1,30}){1,4}?)?"
     r"(?:\s{0,2}[:=：]\s{0,3}|\s(?:is|was|are|ist|lautet|est|es|é|è|starts? with|begins? with|like)\s(?:now\s)?|\s{1,2}(?=[\"'`]?(?:\d{6,8}\b|[A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8}\b)))[\"'`]?"
     r"(?P<v>\d{3,4}[ -]\d{3,4}(?!\d)|[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){1,7}|[A-Za-z0-9#*]{4,32})", CODE,
     "the backup code is 8f3k-29dk", "the recovery code is printed on paper"),
    (_CODE, "codes", "recovery,backup,2fa", r"codes(?:[\s,][^\n:]{1,80})?:\s{1,8}[\"'`]?(?P<v>[a-z0-9]{4,10}-[a-z0-9]{4,10}(?:[\s,]{1,8}[a-z0-9]{4,10}-[a-z0-9]{4,10}){0,20})", CODE,
     "recovery codes:\n8f3k2-9dkf3\nkd83j-f02ls", "recovery codes: keep-them safe"),
    (_CODE, "otp totp 2fa", "", r"(?<![A-Za-z0-9/+-])[a-z0-9]{3,4}(?:\s(?:is|code))?\s{0,2}[:=]?\s{0,2}(?P<v>\d{6})(?!\d)", CODE, "OTP 482913 valid for 5 min", "OTP valid for 300 s"),
    ("recovery key", "recovery wiederherstellungs", "", r"(?<![A-Za-z0-9/+-])[\w-]{8,20}[\s-]{0,2}(?:key|schlüssel)\s{0,2}[:=]\s{0,3}(?P<v>\d{6}(?:-\d{6}){5,8}|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){3,12})", CODE,
     "recovery key: 123456-234567-345678-456789-567890-678901-789012-890123", "recovery key: keep this safe"),
    ("one-time password seed", "totp otp 2fa mfa", "", r"(?<![A-Za-z0-9/+-])[a-z0-9]{3,4}[ _-](?:seed|secret|key)\s{0,2}(?:is|[:=])?\s{0,3}[\"'`]?(?P<v>[A-Z2-7]{16,64}|[A-Za-z2-7]{4}(?: [A-Za-z2-7]{4}){3,12})(?![A-Za-z0-9])", CODE,
     "totp secret: JBSW Y3DP EHPK 3PXP", "totp secret is shown once"),
    ("private key", "private", "", r"private[ _-]?key(?:\s\w{2,8}){0,2}\s{0,2}[:=]?\s{0,3}[\"'`]?(?:0x|\\x)?(?P<v>[0-9a-f]{64})(?![0-9a-f])", CODE,
     "private key 0x<x64>", "private key id <x40>"),
    ("encryption key", "aes hmac encryption signing master cipher crypto", "", r"(?<![A-Za-z0-9/+-])[a-z]{3,10}(?:[ -]?(?:128|192|256))?[ _-](?:key|secret)(?:\s(?:in|as)\shex)?\s{0,2}(?:is|lautet|[:=])?\s{0,3}[\"'`]?(?:0x|\\x)?(?P<v>(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})(?![0-9a-f])|[A-Za-z0-9+/_-]{43}=)", CODE,
     "the AES key in hex is <x64>", "the aes key id: <x20>"),
    ("encryption key", "fernet genkey urlsafe_b64decode", "", r"(?:fernet|genkey|urlsafe_b64decode)[^\n]{0,60}?[\s\"'](?P<v>[A-Za-z0-9+/_-]{43}=)(?![A-Za-z0-9=])", CODE,
     "wg genkey -> <w43>=", "wg genkey | tee privatekey"),
    ("authorization header", "signature= response= oauth_signature=", "authorization", r"\w{8,16}=[\"']?(?P<v>[A-Za-z0-9+/=%]{20,128})", RANDOM,
     'Authorization: Digest username="me", response="<x32>"', 'Authorization: Digest username="me", response="none"'),
    ("bearer token", "bearer", "", r"bearer[\"']?(?:\s{1,4}-{1,2}(?:a|auth)[\s=]|,\s{0,3}|\s{1,4}-{1,2}auth=)\s{0,3}[\"']?(?P<v>[A-Za-z0-9_=~.+/-]{12,4096})", RANDOM,
     "xh api.example.org -A bearer -a <a40>", "xh api.example.org -A bearer -a token"),
    ("password in SQL", "values", "passw,passwd,pwd,kennwort,contrase", r"values\s{0,4}\((?:\s{0,4}(?:'[^'\n]{0,80}'|[\w.()@]{1,40})\s{0,4},){0,6}?\s{0,4}'(?P<v>[^'\n\x00]{6,80})'", LITERAL,
     "INSERT INTO users (name, password) VALUES ('me', 'hunter2!x')", "INSERT INTO users (name, password) VALUES (?, ?)"),
    ("password", "variable", "", r"variable\s{1,4}\"[\w-]{0,40}(?:pass(?:word|wd|phrase)?|pwd|secret|token|_key)\"\s{0,4}\{[^{}]{0,300}?default\s{0,20}=\s{0,4}\"(?P<v>[^\"\n$]{6,200})\"", LITERAL,
     'variable "db_password" {\n default = "Ameisenbaer-12"\n}', 'variable "db_password" {\n type = string\n}'),
)
# fmt: on


# Tokens in URLs: webhooks, bots, private feeds, links that log somebody in, signed links. Services with known URLs come
# first; the last rows recognise words in a path.

_HOOK = "webhook"
_SEGMENT = r"(?P<v>[A-Za-z0-9_.~=-]{16,400}(?:%3[Dd]){0,2})"
# fmt: off
ADDRESSES: tuple[ContextRow, ...] = (
    ("Telegram bot token", "/bot", "", r"/bot(?P<v>\d{6,12}:[A-Za-z0-9_-]{30,50})", SURE,
     "https://api.telegram.org/bot<d10>:AA<w33>/getUpdates", "https://example.org/bot12345:info"),
    (_HOOK, "discord.com/api/ discordapp.com/api/", "", r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,21}/(?P<v>[\w-]{40,100})",
     SURE, "https://discord.com/api/v10/webhooks/<d18>/<w68>", "https://discord.com/api/v10/webhooks/<d18>"),
    (_HOOK, "hooks.slack-gov.com/ hooks.slack.com/", "", r"hooks\.slack(?:-gov)?\.com/[a-z]{3,20}/(?P<v>[A-Za-z0-9/]{30,100})", LINKED,
     "https://hooks.slack.com/triggers/T<u10>/<d13>/<x32>", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    (_HOOK, "hooks.zapier.com/", "", r"hooks\.zapier\.com/hooks/(?:catch|standard)/(?P<v>\d{4,12}/[A-Za-z0-9/]{6,60})", SURE,
     "https://hooks.zapier.com/hooks/standard/<d7>/<l7>/", "https://hooks.zapier.com/hooks/catch/"),
    (_HOOK, "outlook.office.com/ outlook.office365.com/ .webhook.office.com/", "",
     r"[a-z0-9.]{0,20}office(?:365)?\.com/(?:webhook|webhookb2|owa/calendar)/(?P<v>[A-Za-z0-9@./-]{40,400})", SURE,
     "https://outlook.office.com/webhook/<uuid>@<uuid>/IncomingWebhook/<x32>/<uuid>", "https://outlook.office.com/webhook/help"),
    (_HOOK, "logic.azure.com", "", r"logic\.azure\.com[^\s\"']{0,400}[?&]sig=(?P<v>[\w%.~+/-]{20,100})", SURE,
     "https://prod-1.westeurope.logic.azure.com:443/workflows/<x32>/triggers/manual/paths/invoke?api-version=1&sig=<w43>",
     "https://prod-1.westeurope.logic.azure.com/workflows/<x32>"),
    (_HOOK, "chat.googleapis.com/", "", r"chat\.googleapis\.com/v1/spaces/[^\s\"']{1,60}[?&](?:key=[\w-]{20,60}&)?token=(?P<v>[\w%.~+/-]{20,120})", SURE,
     "https://chat.googleapis.com/v1/spaces/<a11>/messages?key=AIza<w35>&token=<w43>", "https://chat.googleapis.com/v1/spaces/<a11>/messages"),
    (_HOOK, "maker.ifttt.com/", "", r"maker\.ifttt\.com/(?:trigger/[^\s/]{1,80}/(?:json/)?with/key|use)/(?P<v>[\w-]{16,100})", SURE,
     "https://maker.ifttt.com/trigger/door/with/key/<w22>", "https://maker.ifttt.com/trigger/door"),
    (_HOOK, ".make.com/ hook.integromat.com/", "", r"(?:(?<=hook\.eu1)|(?<=hook\.eu2)|(?<=hook\.us1)|(?<=hook\.us2)|hook)\.(?:make|integromat)\.com/(?P<v>[a-z0-9]{20,60})", SURE,
     "https://hook.eu1.make.com/<l32>", "https://www.make.com/<l32>"),
    (_HOOK, "/open-apis/bot/", "", r"/open-apis/bot/v\d/hook/(?P<v>[\w-]{20,60})", SURE,
     "https://open.feishu.cn/open-apis/bot/v2/hook/<uuid>", "https://open.feishu.cn/open-apis/bot/v2/info"),
    (_HOOK, "oapi.dingtalk.com/ qyapi.weixin.qq.com/", "", r"[a-z.]{8,20}\.com/[\w/-]{1,40}\?(?:access_token|key)=(?P<v>[\w-]{20,80})", SURE,
     "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<uuid>", "https://oapi.dingtalk.com/robot/send?lang=zh"),
    (_HOOK, "api.render.com/deploy/", "", r"api\.render\.com/deploy/srv-[a-z0-9]{10,40}\?key=(?P<v>[\w-]{8,40})", SURE,
     "https://api.render.com/deploy/srv-<l20>?key=<a11>", "https://api.render.com/deploy/srv-<l20>"),
    (_HOOK, "/integrations/deploy/", "", r"/integrations/deploy/(?P<v>prj_\w{10,40}/[A-Za-z0-9]{8,40})", SURE,
     "https://api.vercel.com/v1/integrations/deploy/prj_<a24>/<a10>", "https://api.vercel.com/v1/integrations/deploy/"),
    (_HOOK, "/build_hooks/", "", r"/build_hooks/(?P<v>[0-9a-f]{20,40})", SURE, "https://api.netlify.com/build_hooks/<x24>",
     "https://api.netlify.com/build_hooks/new"),
    (_HOOK, "hc-ping.com/ /heartbeat/ cronitor.link/p/ /integration/", "", r"(?:hc-ping\.com|/heartbeat|cronitor\.link/p|/integration)/(?P<v>[0-9A-Za-z-]{22,40})",
     RANDOM, "https://hc-ping.com/<uuid>", "https://hc-ping.com/about"),
    ("token in an address", "infura.io/v3/ infura.io/ws/v3/ alchemy.com/v2/ alchemyapi.io/v2/ .quiknode.pro/ rpc.ankr.com/ .chainstack.com/ blastapi.io/ .drpc.org/",
     "", r"[a-z0-9.]{0,20}(?:\.io|\.com|\.pro|\.org)/(?:[a-z0-9_]{1,20}/){0,2}(?P<v>[A-Za-z0-9_-]{24,80})", LONG,
     "https://eth-mainnet.g.alchemy.com/v2/<w32>", "https://docs.alchemy.com/v2/reference"),
    ("token in an address", "/private-", "", r"/private-(?P<v>[0-9a-f]{20,64})", SURE,
     "https://calendar.google.com/calendar/ical/me%40example.org/private-<x32>/basic.ics", "/private-beta/notes"),
    ("token in an address", "/published/", "", r"/published/\d/(?P<v>[\w-]{30,200})", RANDOM,
     "webcal://p12-caldav.icloud.com/published/2/<a60>", "https://example.org/published/2/articles"),
    ("signature in an address", "signature=", "", r"(?:(?<=[?&;-])|(?<=amp;))signature=(?P<v>[A-Za-z0-9%+/=_~-]{16,1024})", RANDOM,
     "https://x.s3.amazonaws.com/a?X-Amz-Expires=60&X-Amz-Signature=<x64>", "https://example.org/?signature=required"),
    ("signature in an address", "sig=", "", r"(?<=[?&;])sig=(?P<v>[A-Za-z0-9%+/=_~-]{20,200})", RANDOM,
     "https://x.blob.core.windows.net/a?sv=2023&sig=<w43>%3D", "https://example.org/?sig=none"),
    ("password in an address", "thin:", "", r"thin:[\w$.]{1,40}/(?P<v>[^\s@/\"']{3,80})@", SURE, "jdbc:oracle:thin:scott/hunter2@db:1521:orcl",
     "jdbc:oracle:thin:@db:1521:orcl"),
    ("token in an address", "tok= appid= app_id= rlkey= resourcekey= accesskey= subscription-key= auth= k= hash= h= invite_code= share=", "",
     r"(?<=[?&])[a-z_-]{1,16}=(?P<v>[A-Za-z0-9%+/=_.~-]{20,2048})", LINKED,
     "https://api.example.org/weather?q=Wien&appid=<x32>", "https://example.org/?auth=required_for_all_members"),
    ("token in an address", "/magic /auth/ /login /signin /sign-in /reset /verif /confirm /activat /invit /unsubscribe /download /accept /recover /sso", "",
     r"/[\w-]{3,30}(?:/[\w.-]{1,40}){0,3}\?(?:[\w.\[\]-]{1,30}=[^\s&\"'#]{0,200}&(?:amp;)?){0,4}?(?!client|state|nonce|redirect|[\w-]{0,20}id=)[\w-]{1,20}=(?P<v>[A-Za-z0-9_~.+/=-]{32,400})(?=[&\s\"'#)>,]|$)", LINKED,
     "https://app.example.org/auth/magic?email=a%40b.org&t=<w43>&next=x", "https://app.example.org/login?next=/reports/all-customers/of-the-last-month"),
    ("stream key", "rtmp", "", r"rtmps?://[^\s/\"']{3,100}/(?:[\w-]{1,20}/)?(?P<v>[A-Za-z0-9_-]{12,100})", RANDOM,
     "ffmpeg -i a.mp4 -f flv rtmp://a.rtmp.youtube.com/live2/<l4>-<l4>-<l4>-<l4>", "rtmp://live.example.org/app/my-first-stream"),
    ("token in an address", "code= ticket= otp= invite= magic= reset= verification= confirmation= jwt= assertion= samlresponse=", "",
     r"(?<=[?&])(?:code|ticket|otp|invite|magic|reset|verification|confirmation|jwt|assertion|samlresponse)=(?P<v>[A-Za-z0-9%+/=_.~-]{20,2048})", LINKED,
     "https://example.org/callback?code=<w40>&x=1", "https://example.org/callback?code=access_denied_by_resource_owner"),
    ("token in an address",
     "/reset /magic /invit /verif /confirm /activat /hooks/ /hook/ /webhook /rss/ /feed /ical/ /with/key/ /auth/ /login/ /signin/ "
     "/sign-in/ /sso/ /join/ /accept /unsubscribe /passwordless /recover /otp/ /token/ /apikey/ /api-key/ /secret /set-password "
     "/password /passwort /pwd /mot-de-passe /contrase /senha /wachtwoord /haslo /heslo /parola /salasana /lozinka /zurueck /connexion /anmeld /recuper /restab "
     "/redefin /reimpost /reiniti /share/ /shared/ /public- /freigabe /link/ /lien/ /enlace/ /one-time /onetime /private/ /podcast /trigger /redeem /claim /guest/",
     "", r"/[\w-]{1,30}(?:/[\w.@%~-]{1,40}){0,3}?/" + _SEGMENT + r"(?![\w/-]{0,40}\.(?:js|css|map|png|svg|html)\b)", LINKED,
     "https://app.example.org/login/magic/<w22>.<w30>", "https://example.org/reset/how-to-reset-your-password-2024"),
)
# fmt: on
