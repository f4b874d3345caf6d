"""Secrets that are told by where they stand: in commands, settings, headers, addresses and talk."""

from __future__ import annotations

import base64
import json

import pytest

from tacit.secrets.redact import find_secrets, redacted

LOT = "q7Wz" + "R2mK9" + "xLp4TnV8"  # drawn by lot
HEX = "9f86d081884c7d65" + "9a2feaa0c55ad015"
BASIC = base64.b64encode(b"someone:hunter2").decode()
AWS_SECRET = "wJalr7XUtnFEMI" + "/K7MDENG+bPxRfiCY" + "a1B2c3D4e"

# «…» is what must be hidden, and nothing else.
HIDDEN = [
    "mysql -u root -p«hunter2» app",
    "mysqldump -uroot -p'«hunter2»' app > dump.sql",
    "mysql -u root --password=«hunter2» app",
    "mysqladmin --password '«hunter2»' ping",
    "psql --password «letmein» -h db",
    "PGPASSWORD=«hunter2» psql -h db app",
    "MYSQL_PWD=«hunter2» mysql app",
    "env PGPASSWORD=«hunter2» pg_dump app",
    "curl -u someone:«hunter2» https://example.org",
    "curl -sS --user 'someone:«hunter2»' https://example.org",
    'curl --user="someone:«hunter two»" https://example.org',
    f'curl https://example.org -u "«{LOT}»:"',
    "docker login -u me -p «hunter2» registry.example.org",
    "docker login --username me --password «hunter2»",
    "echo «hunter2» | docker login -u me --password-stdin",
    "echo '«hunter2»' | sudo -S apt update",
    "sshpass -p «hunter2» ssh me@host",
    "sshpass -p'«hunter2»' ssh me@host",
    "redis-cli -h cache -a «hunter2» ping",
    "mongosh -u me -p «hunter2» db",
    "openssl rsa -in key.pem -passin pass:«hunter2»",
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
    "postgres://someone:«hunter2»@db.example.org/app",
    "redis://:«hunter2»@cache:6379/0",
    "amqp://me:«p@ss»@queue.example.org",
    f"git clone https://x-access-token:«{LOT}»@git.example.org/x.git",
    f"https://«{HEX}»@git.example.org/x.git",
    f"GET /v1/items?page=2&api_key=«{LOT}»&sort=up",
    f"https://example.org/cb?access_token=«{LOT}»",
    "the password is «hunter2»",
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
    "machine git.example.org login me password «hunter2»",
    "machine git.example.org\n  login me\n  password «hunter2»",
    f'{{"auths": {{"registry.example.org": {{"auth": "«{BASIC}»"}}}}}}',
    '<add key="ClearTextPassword" value="«hunter2hunter2»" />',
    f"AccountKey=«{AWS_SECRET}{AWS_SECRET}a1B2c3==»;EndpointSuffix=example.org",
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
    "mysql -u root -p app",
    "gh auth login -p https -h github.com",
    "curl -u $USER:$PASS https://example.org",
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


def key_block(kind: str = "RSA ") -> list[str]:
    body = ["MIIEpAIBAAKCAQEA7bq9Zk2x8Qz7vB3nM1pLr0sT4uWyXcVfHjKdEaZoRiQ2b7Na"] * 4
    return [f"-----BEGIN {kind}PRIVATE KEY-----", *body, f"-----END {kind}PRIVATE KEY-----"]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\\\\n"])
def test_a_private_key_is_hidden_from_its_first_line_to_its_last(kind: str, newline: str) -> None:
    text = f"before{newline}{newline.join(key_block(kind))}{newline}after"
    assert redacted(text) == f"before{newline}[redacted:private-key]{newline}after"


def test_a_private_key_without_its_end_is_hidden_as_far_as_it_goes() -> None:
    text = "\n".join(["before", *key_block()[:-1], "and then we talked on"])
    assert redacted(text) == "before\n[redacted:private-key]\nand then we talked on"


def test_the_first_line_of_a_private_key_is_enough() -> None:
    """The rest may have been cut off, or comes with the next line."""
    assert redacted(f"see {key_block()[0]} there") == "see [redacted:private-key] there"


def test_a_key_with_headers_is_hidden_with_them() -> None:
    begin, *rest = key_block()
    block = [begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B2C", "", *rest]
    assert redacted("\n".join(block)) == "[redacted:private-key]"
    assert redacted("\n".join(block[:-1])) == "[redacted:private-key]"


def test_public_keys_and_certificates_stay() -> None:
    for kind in ("CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST"):
        block = "\n".join(key_block()).replace("RSA PRIVATE KEY", kind)
        assert redacted(block) == block


def test_the_secret_beside_an_aws_key_is_hidden_in_either_order() -> None:
    key = "AKIA" + "Z2Y3X4W5V6U7T2S3"
    for text in (f"{key}\n{AWS_SECRET}", f"{AWS_SECRET} {key}", f"id {key}, it is {AWS_SECRET}."):
        hidden = redacted(text)
        assert key not in hidden and AWS_SECRET not in hidden
    assert redacted(f"digest {AWS_SECRET}") == f"digest {AWS_SECRET}"


def test_the_data_of_a_kubernetes_secret_is_hidden_and_its_names_stay() -> None:
    data = "data:\n  user: c29tZW9uZXM=\n  word: aHVudGVyMmh1bnRlcjI=\n"
    text = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n{data}"
    hidden = redacted(text)
    assert "c29tZW9uZXM" not in hidden and "aHVudGVyMmh1bnRlcjI" not in hidden
    assert "name: db" in hidden and "  user: [redacted:" in hidden
