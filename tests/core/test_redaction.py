"""Secrets are found before anything is written; their kind is named, their value never (S15)."""

from __future__ import annotations

import pytest

from tacit.core.errors import Refused
from tacit.core.redaction import redacted, refuse_secrets, secret_kind

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "private key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
    "AWS access key": "AKIA" + "Z2Y3X4W5V6U7T2S3",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "API key": "sk-" + "ant-" + "a1B2c3D4e5F6g7H8i9J0",
    "Slack token": "xoxb-" + "1234567890-abcdefghij",
    "Google API key": "AIza" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
    "npm token": "npm_" + "a1B2" * 9,
    "JSON web token": ".".join(("eyJ" + "a" * 20, "eyJ" + "b" * 20, "c" * 20)),
    "password in an address": "postgres://someone:" + "hunter2hunter2" + "@db.example.org/app",
    "authorization header": "Authorization: " + "Bearer " + "a1B2c3D4e5F6",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_refused_by_its_kind_and_never_repeated(kind: str) -> None:
    secret = SECRETS[kind]
    text = f"the value is {secret} for now"
    assert secret_kind(text) == kind
    with pytest.raises(Refused) as refusal:
        refuse_secrets("harmless", text)
    assert kind in refusal.value.message
    assert secret not in refusal.value.message + refusal.value.hint
    assert refusal.value.hint
    assert refusal.value.exit_code == 1


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_replaced_by_its_kind(kind: str) -> None:
    secret = SECRETS[kind]
    hidden = redacted(f"before {secret} after {secret} end")
    assert secret not in hidden
    assert hidden.count(f"[redacted:{kind}]") == 2
    assert hidden.startswith("before ") and hidden.endswith(" end")
    assert secret_kind(hidden) is None


@pytest.mark.parametrize(
    "text",
    [
        "never commit an AWS access key",
        "tokens begin with ghp_ or glpat-",
        "use https://example.org/path and ssh://git@example.org/repo",
        "the sk-learn package",
        "send an Authorization: Bearer header",
        "AKIA is a prefix",
        "",
    ],
)
def test_talk_about_secrets_is_no_secret(text: str) -> None:
    refuse_secrets(text)
    assert redacted(text) == text


def test_several_secrets_are_all_replaced() -> None:
    everything = " and ".join(SECRETS.values())
    hidden = redacted(everything)
    assert [kind for kind, secret in SECRETS.items() if secret in hidden] == []
    assert secret_kind(hidden) is None
