"""Values after a name: the name decides how sure a value has to be."""

from __future__ import annotations

from base64 import b64encode

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


@pytest.mark.parametrize(
    "text",
    [
        *("DB_PASSWORD=letmein", "export DB_PASSWORD=letmein", "--password letmein", "--password=letmein"),
        *("set -gx DB_PASSWORD letmein", "${DB_PASSWORD:-letmein}", "Server=db;Password=letmein;Encrypt=true"),
        *('{"password": "letmein"}', 'password: str = "letmein"', 'setPassword("letmein")', "user=me,pass=letmein"),
        *("<password>letmein</password>", "a: 1\npassword=letmein\n", 'the password is "letmein"'),
    ],
)
def test_where_a_value_can_only_be_a_password_any_word_is_one(text: str) -> None:
    assert value_of(text) == "letmein"


@pytest.mark.parametrize(
    "text", ["password: letmein", "the password letmein", "the password is letmein", "pass: letmein"]
)
def test_where_a_value_may_be_prose_a_word_is_none(text: str) -> None:
    assert value_of(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("password = user.password2", "a reference"),
        ("password = getpass2()", "a call"),
        ('getPassword("hunter2")', "a getter"),
        ('"password=" + hunter2', "the quote was closed"),
        ("${DB_PASSWORD:?hunter2 is missing}", "a message"),
        ("set /p PASSWORD=hunter2?", "a prompt"),
        ("DB_PASSWORD=\nDB_HOST=db2", "the value is empty"),
        ("password: 12:34", "a line and a column"),
        ("pass: 123456, fail: 2", "a count"),
        ("password=`pass show2 x`", "the output of a command"),
    ],
)
def test_what_follows_a_name_may_be_something_else(text: str, why: str) -> None:
    assert value_of(text) == "", why


def test_a_value_of_a_connection_string_ends_at_its_semicolon() -> None:
    assert value_of("Server=db;Password=p@ss word;Encrypt=true") == "p@ss word"


def test_a_pin_is_a_number_and_a_passphrase_may_have_blanks_in_quotes() -> None:
    assert value_of("PIN: 4711", "pin") == "4711" and value_of("pin: abc1", "pin") == ""
    assert value_of("passphrase: 'seven purple otters dance'") == "seven purple otters dance"


def test_the_name_may_stand_beside_the_value_or_be_wrapped_in_code() -> None:
    assert value_of("name: DB_PASSWORD\n  value: hunter2x") == "hunter2x"
    assert value_of(f'key = []byte("{RANDOM}")', "key") == RANDOM
    assert value_of('JWT_SECRET = "zwiebelkuchen"', "secret") == "zwiebelkuchen"
    assert value_of('secret = "zwiebelkuchen"', "secret") == ""


def test_a_long_value_is_found_to_its_end() -> None:
    value = "aB3dE5" * 100
    assert value_of(f"DB_PASSWORD={value} rest") == value


def test_a_login_in_base64_is_found_after_auth() -> None:
    login = b64encode(b"me:letmein").decode()
    assert value_of(f'"auth": "{login}"', "auth") == login
    assert value_of(f'"author": "{login}"', "auth") == ""


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


def test_a_variable_in_an_escaped_address_is_no_password() -> None:
    assert list(find_in_escaped_url("postgres%3A%2F%2Fme%3A%24PASS%40db")) == []
    assert list(find_in_escaped_url(f"postgres%3A%2F%2Fme%3A{RANDOM}%40db"))
