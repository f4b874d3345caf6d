"""Secrets in source code, SQL and password files that no name introduces: the place of an argument tells them.

Rows as in `shapes`. Names that introduce a literal (`password = "…"`, `setPassword("…")`) are read by `names`.
"""

from __future__ import annotations

from tacit.core.secrets.shapes import LITERAL, RANDOM, STATED, SURE, Shape

_SQL = "password in SQL"
_CALL = "password in a call"
_TEXT = r"""(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')(?:\.\w{2,20}\(\))?|[\w.\[\]@$]{1,80})"""
_LAST = r"""["'`](?P<v>[^"'`\n\x00]{4,200})["'`]"""
# Words of sentences that no list of words for recovery phrases (BIP 39) has.
_PROSE = (
    r"(?!(?:the|and|for|are|was|not|but|has|had|our|its|who|how|why|from|were|them|been|does|many|words|which|their|would|could|"
    r"should|these|those)\b)"
)
_PHRASE = rf"(?P<v>(?:{_PROSE}[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}{_PROSE}[a-z]{{3,8}})"
# fmt: off
LITERALS: tuple[Shape, ...] = (
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
