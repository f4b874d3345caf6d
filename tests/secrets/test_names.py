"""Values after a name: the name decides how sure a value has to be."""

from __future__ import annotations

import pytest
from harness.secret_examples import written

from tacit.secrets.names import (
    PASSWORD,
    TOKEN,
    find_in_escaped_url,
    find_in_json,
    find_in_query,
    kind_of_name,
    probe_named_value,
)
from tacit.secrets.probes import SecretSpan

RANDOM = written("<a32>")


def value_of(text: str, keyword: str = "pass") -> str:
    """The value that is found after the name with the keyword; "" if none is."""
    found = [text[start:end] for start, end, _ in probe_named_value(text, text.lower().index(keyword))]
    return found[0] if found else ""


def parts(text: str, spans: list[SecretSpan]) -> list[tuple[str, str]]:
    return [(text[start:end], kind) for start, end, kind in spans]


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (
            "password DB_PASSWORD dbPassword PASSWORD_PROD password2 passwort contraseña pw dbPw root.pw pin vault_db",
            PASSWORD,
        ),
        ("token access_token api_key apiKey API_KEYS client_secret npm_pat GITHUB_AUTH salt SECRET_KEY_BASE", TOKEN),
        ("password_hash passwordFile token_count token_url secretName public_key cache_key primary_key", ""),
        ("GIT_ASKPASS SSH_ASKPASS", ""),
        ("key keys pat auth author compass bypass spin raw vault_path vault_url", ""),
    ],
)
def test_the_last_word_of_a_name_says_what_its_value_is(names: str, kind: str) -> None:
    assert {name: kind_of_name(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


def test_after_password_a_word_with_a_number_is_enough_and_after_token_it_must_be_random() -> None:
    assert value_of("password: hunter2") == "hunter2"
    assert value_of("token: hunter2", "token") == "" and value_of(f"token: {RANDOM}", "token") == RANDOM
    assert value_of(f"key: {RANDOM}", "key") == RANDOM
    assert value_of(f"key: {written('<x32>')}", "key") == "" and value_of(f"cache-key: {RANDOM}", "key") == ""


def test_escaped_values_of_a_query_are_found_to_their_end() -> None:
    text = f"a=1&password=hunter2%26b%3Dc&token={RANDOM}%3D&sessionid={RANDOM}%2F&q=a%20b"
    found = [("hunter2%26b%3Dc", PASSWORD), (f"{RANDOM}%3D", TOKEN), (f"{RANDOM}%2F", "cookie")]
    assert parts(text, list(find_in_query(text))) == found


def test_a_quote_in_a_json_string_does_not_end_the_password() -> None:
    text = r'{"password": "hun\"ter", "name": "a\"b", "password_hint": "a\"b"}'
    assert parts(text, list(find_in_json(text))) == [(r"hun\"ter", PASSWORD)]
    assert list(find_in_json(r'{"password": "is required\n"}')) == []


def test_the_password_of_an_escaped_url_is_found() -> None:
    text = "url=postgres%3A%2F%2Fme%3Ahunter2%40db and postgres%3A%2F%2Fdb and postgres%3A%2F%2Fme%3Apassword%40db"
    assert parts(text, list(find_in_escaped_url(text))) == [("hunter2", "password in an address")]
    assert list(find_in_escaped_url("postgres%3A%2F%2Fme%3A%24PASS%40db")) == []
