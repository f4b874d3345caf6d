"""Logins and codes as people and programs write them down: `login: admin / …`, `root:…`, "recovery code …", headers.

Rows as in `shapes`. A user's name beside the value, or the kind of code before it, says that it is a secret.
"""

from __future__ import annotations

from tacit.core.secrets.shapes import CODE, LITERAL, RANDOM, STATED, SURE, Shape

_LOGIN = "password of a login"
_CODE = "access code"
_USER = r"[\"'`«]?[\w.@+\\-]{2,50}[\"'`»]?"
_VALUE = r"[\"'`«„“]?(?P<v>[^\s\"'`«»„“”,;()<>{}\[\]|\x00]{4,80})"
_IS = r"(?:\s{0,2}[:=：]|\s(?:is|are|ist|sind|lautet|lauten|est|sont|es|son|é|são|è|sono|to|это|は|是|with|using|as|mit|avec|con|com|met|med))?\s{0,3}"
# fmt: off
LOGINS: tuple[Shape, ...] = (
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
