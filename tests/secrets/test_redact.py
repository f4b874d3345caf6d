"""Secrets are found before anything is written; their kind is named, their value never (S15)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tacit.errors import RefusedError
from tacit.secrets.redact import find_secrets, redacted, refuse_secrets, secret_kind

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


def test_loading_compiles_nothing_and_needs_little() -> None:
    """It is on the way of every `tacit remember`."""
    code = (
        "import re, sys\nbefore = set(sys.modules)\nfirst = len(re._cache)\nimport tacit.secrets.redact as r\n"
        "print(len(re._cache) - first)\nr.redacted('we keep the parser in one file')\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    compiled, modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert compiled == "0"
    assert {"dataclasses", "hashlib", "hmac", "inspect", "base64"}.isdisjoint(modules.split())
