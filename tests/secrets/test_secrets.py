"""Secrets are found before anything is written; their kind is named, their value never (S15)."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import pytest

from tacit.errors import RefusedError
from tacit.secrets import find_secrets, redacted, refuse_secrets, secret_kind

# Put together here, so that no scanner takes this file for a leak.
KEY_BODY = "\n".join(["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9u" * 2] * 3)
KEY_BLOCK = f"-----BEGIN OPENSSH {'PRIVATE'} KEY-----\n{KEY_BODY}\n-----END OPENSSH {'PRIVATE'} KEY-----"
SECRETS = {
    "private key": KEY_BLOCK,
    "AWS access key": "AKIA" + "Z2Y3X4W5V6U7T2S3",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "API key": "sk-" + "ant-" + "a1B2c3D4e5F6g7H8i9J0",
    "Slack token": "xoxb-" + "1234567890-abcdefghij",
    "Google API key": "AIza" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
    "npm token": "npm_" + "a1B2" * 9,
    "JSON web token": ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9x", "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0", "c" * 8 + "4Fq2")),
    "password in an address": "hunter2hunter2",
    "authorization header": "a1B2c3D4e5F6",
}
AROUND = {
    "password in an address": "postgres://someone:{}@db.example.org/app",
    "authorization header": "Authorization: Bearer {}",
}


def telling(kind: str) -> str:
    """A text in which this secret stands as it does in life."""
    return AROUND.get(kind, "{}").format(SECRETS[kind])


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_refused_by_its_kind_and_never_repeated(kind: str) -> None:
    text = f"the value is {telling(kind)} for now"
    assert secret_kind(text) == kind
    with pytest.raises(RefusedError) as refusal:
        refuse_secrets("harmless", text)
    assert kind in refusal.value.message
    assert SECRETS[kind] not in refusal.value.message + refusal.value.hint
    assert refusal.value.hint
    assert refusal.value.exit_code == 1


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_replaced_by_its_kind_and_nothing_else_is(kind: str) -> None:
    before, after = telling(kind).split(SECRETS[kind])
    slug = kind.lower().replace(" ", "-")
    hidden = redacted(f"before {telling(kind)} after {telling(kind)} end")
    assert hidden == f"before {before}[redacted:{slug}]{after} after {before}[redacted:{slug}]{after} end"
    assert secret_kind(hidden) is None


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_inside_a_string_inside_a_string(kind: str) -> None:
    once = json.dumps({"output": f"it said\n{telling(kind)}\tthen"})
    for text in (once, json.dumps(once), json.dumps({"deep": [json.dumps({"x": once})]})):
        assert secret_kind(text) == kind
        hidden = redacted(text)
        assert json.loads(hidden) is not None, "what is hidden leaves the rest well-formed"
        assert SECRETS[kind].split("\n")[-2 if kind == "private key" else 0] not in hidden


def test_equal_secrets_get_equal_marks() -> None:
    values: list[str] = []

    def mark(value: str) -> str:
        values.append(value)
        return f"{len(set(values)):08x}"

    one, two = SECRETS["GitHub token"], SECRETS["npm token"]
    assert redacted(f"{one} {two}", mark) == "[redacted:github-token:00000001] [redacted:npm-token:00000002]"
    assert values == [one, two]


@pytest.mark.parametrize(
    "text",
    [
        "never commit an AWS access key",
        "tokens begin with ghp_ or glpat-",
        "use https://example.org/path and ssh://git@example.org/repo",
        "the sk-learn package",
        "send an Authorization: Bearer header",
        "AKIA is a prefix",
        "a key begins with BEGIN RSA PRIVATE KEY",
        "",
    ],
)
def test_talk_about_secrets_is_no_secret(text: str) -> None:
    refuse_secrets(text)
    assert redacted(text) == text


def test_several_secrets_are_all_replaced() -> None:
    hidden = redacted(" and ".join(map(telling, SECRETS)))
    assert [kind for kind, secret in SECRETS.items() if secret in hidden] == []
    assert secret_kind(hidden) is None


def test_finds_are_in_order_and_do_not_overlap() -> None:
    text = f"export GITHUB_TOKEN={SECRETS['GitHub token']} && curl -u me:hunter2 https://x:{'hunter3'}@example.org"
    found = find_secrets(text)
    assert [text[one.start : one.end] for one in found] == [SECRETS["GitHub token"], "hunter2", "hunter3"]
    assert [one.kind for one in found] == ["GitHub token", "password in a command", "password in an address"]


def test_a_value_that_goes_on_behind_a_token_is_hidden_whole() -> None:
    text = f'"password": "{SECRETS["GitHub token"]}!and-more"'
    assert redacted(text) == '"password": "[redacted:github-token]"'


# What is around a value shows it: commands, settings, headers, addresses and sentences

LOT = "q7Wz" + "R2mK9" + "xLp4TnV8"  # drawn by lot
HEX = "9f86d081884c7d65" + "9a2feaa0c55ad015"
BASIC = base64.b64encode(b"someone:hunter2").decode()
AWS_SECRET = "wJalr7XUtnFEMI" + "/K7MDENG+bPxRfiCY" + "a1B2c3D4e"

# «…» is what must be hidden, and nothing else.
HIDDEN = [
    "mysqldump -uroot -p'«hunter2»' app > dump.sql",
    "mysql -u root --password=«hunter2» app",
    "mysqladmin --password '«hunter2»' ping",
    "psql --password «letmein» -h db",
    "PGPASSWORD=«hunter2» psql -h db app",
    "MYSQL_PWD=«hunter2» mysql app",
    "env PGPASSWORD=«hunter2» pg_dump app",
    "curl -sS --user 'someone:«hunter2»' https://example.org",
    'curl --user="someone:«hunter two»" https://example.org',
    f'curl https://example.org -u "«{LOT}»:"',
    "docker login --username me --password «hunter2»",
    "echo «hunter2» | docker login -u me --password-stdin",
    "echo '«hunter2»' | sudo -S apt update",
    "sshpass -p'«hunter2»' ssh me@host",
    "wget --http-password=«hunter2» https://example.org",
    f"vault login --token «{LOT}»",
    f"deploy --api-key=«{LOT}» --region eu",
    f"Authorization: Bearer «{LOT}»",
    f"Authorization: Basic «{BASIC}»",
    f"authorization: token «{LOT}»",
    f'curl -H "Authorization: Bearer «{LOT}»" https://example.org',
    f"curl -H 'X-Api-Key: «{LOT}»' https://example.org",
    f"PRIVATE-TOKEN: «{LOT}»",
    f'"X-Auth-Token": "«{LOT}»"',
    f"export X_TOKEN=«{LOT}»",
    "export X_TOKEN=«abc»",
    f"export OPENAI_API_KEY='«{LOT}»'",
    "DB_HOST=db2\nDB_PASSWORD=«letmein»\nDB_NAME=app",
    "DB_PASSWORD=«p@ss;w0rd&more» # staging",
    f"SECRET_KEY_BASE=\nSECRET_KEY=«{LOT}»",
    f"set API_SECRET=«{LOT}»",
    f"aws_secret_access_key = «{AWS_SECRET}»",
    "redis://:«hunter2»@cache:6379/0",
    "amqp://me:«p@ss»@queue.example.org",
    f"git clone https://x-access-token:«{LOT}»@git.example.org/x.git",
    f"https://«{HEX}»@git.example.org/x.git",
    f"GET /v1/items?page=2&api_key=«{LOT}»&sort=up",
    f"https://example.org/cb?access_token=«{LOT}»",
    "the password for the staging box is «hunter2», do not tell",
    "password: «hunter2»",
    "Password = «Tr0ub4dor&3»",
    "my token is «" + LOT + "»",
    'the password is "«correcthorse»"',
    "Passwort: «hunter2»",
    "passphrase: «correct-horse-42»",
    f'{{"client_secret": "«{LOT}»"}}',
    '{"user": "me", "password": "«hunter2»"}',
    f"client_secret: «{LOT}»",
    f"  apiKey: '«{LOT}»',",
    f'config.set("auth_token", "«{LOT}»")',
    "<password>«hunter2»</password>",
    "Server=db;User Id=me;Password=«hunter2»;Encrypt=true",
    "machine git.example.org\n  login me\n  password «hunter2»",
    f'{{"auths": {{"registry.example.org": {{"auth": "«{BASIC}»"}}}}}}',
    f"AccountKey=«{AWS_SECRET}{AWS_SECRET}a1B2c3==»;EndpointSuffix=example.org",
    # Options, arguments and pipes of commands
    "cd x &&mysql -uroot -p«hunter2» app",
    "sshpass -p«hunter2» ssh host",
    "docker login -u me -p=«hunter2»",
    "docker login -u me -p '«hunter2»'",
    "docker login -p «123456»",
    "xfreerdp /p:«1234»",
    "curl https://example.org\n  -u me:«hunter2»",
    "htpasswd -nb me «hunter2»",
    "echo 'me:«hunter2»' | chpasswd",
    "chpasswd <<< me:«hunter2»",
    "printf '%s' «hunter2» | docker login --password-stdin",
    # Where a value can only be a password, any word is one
    "export DB_PASSWORD=«letmein»",
    "set -gx DB_PASSWORD «letmein»",
    "${DB_PASSWORD:-«letmein»}",
    "Server=db;Password=«p@ss word»;Encrypt=true",
    'password: str = "«letmein»"',
    'setPassword("«letmein»")',
    "user=me,pass=«letmein»",
    "a: 1\npassword=«letmein»\n",
    "name: DB_PASSWORD\n  value: «hunter2x»",
    'JWT_SECRET = "«zwiebelkuchen»"',
    f'key = []byte("«{LOT}»")',
    "PIN: «4711»",
    "passphrase: '«seven purple otters dance»'",
    f"DB_PASSWORD=«{'aB3dE5' * 100}» rest",
    f'"auth": "«{BASIC}»"',
    # Sentences
    "the password for the box is now «Tr0ub4dor&3», do not tell",
    "password «Blue_Whale99»",
    'the password is "«correct horse battery staple»"',
    "the password is «123456»",
    "das Datenbankpasswort lautet «Blaubeere#1987»",
    "le mot de passe est «Croissant!75011»",
    "パスワードは「«Sakura8823kaze»」です。",
    "the passphrase at boot: «copper kettle walrus ninety» (lowercase)",
    "«Tr0ub4dor&3» is the password",
    "use «Blue-Whale-99» as the new password",
    "type «7Gables-on-fire» when it asks for the password",
    "dat de toegangscode van de NAS «fietsbel0566Q» is, denk ik",
    "PIN «4711»",
    "user ana, password «girasol.2020»",
    "changed the pw to «hunter22»",
]

KEPT = [
    "export TOKEN=$OTHER",
    "export TOKEN=${OTHER:-}",
    'export TOKEN="$(pass show x)"',
    "curl -H 'Authorization: Bearer <your-token>'",
    "curl -H 'Authorization: Bearer ${TOKEN}' https://example.org",
    "API_KEY=your-api-key-here",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "password: ********",
    "password=changeme",
    "password: str",
    "password=None",
    "def login(user: str, password: str = '') -> bool:",
    "password = getpass()",
    'token = os.getenv("GITHUB_TOKEN")',
    "token = os.environ['GITHUB_TOKEN_2']",
    "const token = process.env.TOKEN2;",
    "const secret = config.secrets.app2.value",
    "password = user.password2",
    "if (password !== password2) {",
    "the password is stored in 1Password",
    "the token is invalid",
    "the password is required and must have 8 characters",
    "the secret is base64-encoded",
    "your password was changed on 2026-03-02",
    "password: 8-64 characters",
    "use --password to give the password",
    "the --password option is gone, --token stays",
    "docker login -u me --password-stdin < file",
    "docker run -p 8080:80 image",
    "mkdir -p a/b && ssh -p 2222 host",
    "gh auth login -p https -h github.com",
    "DB_PASSWORD=\nDB_HOST=db2\nDB_PORT=5432",
    "PWD=/home/me/work2 OLDPWD=/tmp/a1",
    "pass: 123456, fail: 2",
    "max_tokens=4096 token_count: 12345678",
    "cache-key: linux-x64-" + HEX * 2,
    "key: " + HEX,
    "sha256:" + HEX * 2,
    "etag: " + HEX,
    "publicKey: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEa1B2c3D4e5F6g7H8",
    "secretName: tls-cert-2024",
    "secretKeyRef: app-secret-v2",
    "token_url: https://example.org/oauth2/token",
    "password_file = /run/secrets/db1",
    "auth: middleware/session2",
    "the keyboard, the monkey and the author agree",
    "git@github.com:acme/token-tools.git",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk2x8Qz7vB3nM1pLr0sT4uWyXcVfHjKdEaZoRiQ2b7N me@host",
    "postgres://user:password@localhost/db",
    "https://example.org:8080/path@v2",
    # Options, arguments and pipes without a password
    "mysql -p hunter2",  # of MySQL only a glued value is one, and this is the database
    "mysql -Phunter2",
    "docker run -p hunter2",
    "mysql app; mkdir -phunter2",
    "mysql app | tee -phunter2",
    "docker login -p 12345",
    "docker login -p ab",
    "docker login -p $PASS",
    "docker login -p @file",
    "docker login -p --password-stdin",
    "xfreerdp /p:123",
    "lftp ftp.example.org\n  -u me,hunter2",
    "myopenssl enc -k hunter2",
    "the password hunter2",
    "app /user:me hunter2",
    "cargo login registry",
    "vault operator unseal $KEY",
    "echo 12345 | sudo -S apt update",
    "echo $PASS | sudo -S apt update",
    "echo hunter2 > token.json",
    "cat <<< hunter2",
    # Where a value may be prose or something else
    "password: letmein",
    "the password letmein",
    "the password is letmein",
    "pass: letmein",
    'getPassword("hunter2")',
    '"password=" + hunter2',
    "${DB_PASSWORD:?hunter2 is missing}",
    "set /p PASSWORD=hunter2?",
    "password: 12:34",
    "password=`pass show2 x`",
    'secret = "zwiebelkuchen"',
    "pin: abc1",
    f'"author": "{BASIC}"',
    # Sentences about passwords
    "the password must have 8-64 characters",
    "the password is in Report_2024.zip",
    "the password hash is SHA-256",
    "the password is 12345",
    "the password is required. The host is db2.example.org",
    "the passphrase: this is not a phrase (lowercase)",
    "パスワードは12文字以上にしてください。",
    "la passe est Croissant!75011",
    "the token is hunter2",
    "pin 4711 of the header",
    "the pin is blue12",
    "for ana, password girasol.2020",
    "from the pw to hunter22",
]


def parts(marked: str) -> tuple[str, str]:
    return marked.replace("«", "").replace("»", ""), marked.partition("«")[2].partition("»")[0]


@pytest.mark.parametrize("marked", HIDDEN)
def test_the_value_is_hidden_and_nothing_but_the_value(marked: str) -> None:
    text, value = parts(marked)
    assert [text[one.start : one.end] for one in find_secrets(text)] == [value]


@pytest.mark.parametrize("marked", HIDDEN)
def test_the_value_is_hidden_inside_a_json_string_too(marked: str) -> None:
    text, value = parts(marked)
    hidden = redacted(json.dumps({"command": text}))
    assert json.dumps(value)[1:-1] not in json.loads(hidden)["command"]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_plainly_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_loading_compiles_nothing_and_needs_little() -> None:
    """It is on the way of every `tacit remember`."""
    code = (
        "import re, sys\nbefore = set(sys.modules)\nfirst = len(re._cache)\nimport tacit.secrets as r\n"
        "print(len(re._cache) - first)\nr.redacted('we keep the parser in one file')\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    compiled, modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert compiled == "0"
    assert {"dataclasses", "hashlib", "hmac", "inspect", "base64"}.isdisjoint(modules.split())
