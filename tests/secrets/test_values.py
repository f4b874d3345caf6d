"""Whether a value could be a secret, by its form alone."""

from __future__ import annotations

import pytest
from harness.secret_examples import written

from tacit.secrets import values

RANDOM = written("<a32>")
IN_HEX = written("<x32>")


@pytest.mark.parametrize(
    "value",
    [
        *("null", "changeme", "DB_PASSWORD", "$TOKEN", "${TOKEN}", "$(pass show x)", "<your-key>", "{{ token }}"),
        *("%s", "os.getenv('X')", "op://vault/item", "@TOKEN@", "xxxxxxxx", "aaaa", "my-EXAMPLE-key", "your-key-here"),
    ],
)
def test_a_placeholder_is_no_secret(value: str) -> None:
    assert values.is_placeholder(value) and not values.may_be_secret(value)


@pytest.mark.parametrize("value", ["hunter2", "Tr0ub4dor&3", "<p&ss>", RANDOM])
def test_a_value_that_describes_nothing_may_be_a_secret(value: str) -> None:
    assert values.may_be_secret(value) and not values.is_placeholder(value)


@pytest.mark.parametrize("value", ["/run/secrets/x", "~/x", "./x", "C:\\x", "https://docs.python.org", "2024-03-02"])
def test_paths_urls_and_dates_are_no_secrets_and_no_placeholders(value: str) -> None:
    assert not values.may_be_secret(value) and not values.is_placeholder(value)


@pytest.mark.parametrize(
    ("value", "wordy"),
    [
        *(("our-app-2", True), ("userToken", True), ("base64-encoded", True), ("linux-x64", True)),
        *((RANDOM, False), ("a7f3k2", False), ("order-123456", False), ("word2word", False), ("", False)),
    ],
)
def test_names_are_made_of_words_and_random_values_are_not(value: str, wordy: bool) -> None:
    assert values.is_wordy(value) == wordy


def test_a_random_value_has_its_length_letters_and_digits() -> None:
    assert values.is_random(RANDOM, 32) and not values.is_random(RANDOM, 33)
    assert not values.is_random("abcdefghijkl", 8) and not values.is_random("1234567890", 8)
    assert not values.is_random("a1a1a1a1a1a1", 8), "two characters only"


@pytest.mark.parametrize("value", [IN_HEX, IN_HEX.upper(), written("<uuid>"), "AAAA" + RANDOM, written("<a12>")])
def test_digests_ids_and_public_keys_are_random_but_not_for_certain(value: str) -> None:
    assert values.is_random(value, 12) and not values.is_very_random(value)


def test_a_mix_of_both_cases_and_digits_is_random_for_certain() -> None:
    assert values.is_very_random(RANDOM) and values.is_very_random(written("<l24>"))


@pytest.mark.parametrize("value", ["hunter2", "123456", "Tr0ub4dor&3", "aGVsbG8gd29ybGQ=", RANDOM])
def test_a_password_has_a_number_or_a_special_character(value: str) -> None:
    assert values.is_password(value, quoted=False) and values.is_password(value, quoted=True)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "letmein",
            "letmein!",
            "password2",
            "user.password2",
            "12345",
            "8-character",
            "sha256",
            "oauth2",
            "me@example.org",
        ),
        *("me@host", "ab1", "x1" * 101, "changeme", "/run/secrets/x1", "2024-03-02"),
    ],
)
def test_words_types_addresses_and_short_numbers_are_no_passwords(value: str) -> None:
    assert not values.is_password(value, quoted=False) and not values.is_password(value, quoted=True)


def test_an_app_password_counts_in_quotes_only() -> None:
    for value in ("qwhf zbnu tkod ymaj", "qwhf-zbnu-tkod-ymaj"):
        assert values.is_app_password(value) and values.is_password(value, quoted=True)
    assert not values.is_password("qwhf zbnu tkod ymaj", quoted=False)
    assert not values.is_app_password("this that from with") and not values.is_app_password("qwhf zbnu tkod")


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        *(("seepferdchen-auf-reisen", True), ("Blue-Whale", True), ("fkxapcftmqgybvbx", True)),
        *(("blue-whale", False), ("monte_bianco_alto", False), ("new-password-field", False), ("Blue-W", False)),
    ],
)
def test_words_that_somebody_chose_differ_from_names_of_things(value: str, chosen: bool) -> None:
    assert values.is_chosen_password(value) == chosen


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        *(("zwiebelkuchen", True), ("girasol.2020", True)),
        *(("unchanged", False), ("settings.db", False), ("snake_case", False), ("CamelCase", False), ("HUNTER", False)),
        *(("userPassword", False), ("two words", False), ("short", False), ("123456", False)),
    ],
)
def test_any_word_is_a_literal_password_unless_it_is_an_identifier_or_a_state(value: str, literal: bool) -> None:
    assert values.is_literal_password(value) == literal


@pytest.mark.parametrize(
    ("value", "mixed"),
    [
        ("Fledermaus_6", True),
        *(("fledermaus_6", False), ("Fledermaus6", False), ("Report_2024.zip", False), ("Windows-Server2019", False)),
        *(("Release-v1.2", False), ("Me1@example.org", False), ("Password_6", False)),
    ],
)
def test_a_mixed_value_is_neither_a_file_nor_a_product_nor_an_address(value: str, mixed: bool) -> None:
    assert values.is_mixed(value) == mixed


@pytest.mark.parametrize(
    ("value", "stated"),
    [
        *(("girasol.2020", True), ("Kaffee!77", True), ("Kaffee!77.", True), ("Password!77", True)),
        *(("girasol", False), ("20202020", False), ("password77", False), ("report2020.pdf", False)),
        *(("me@example.org", False), ("a/b/c2020", False), ("v2.2020", False)),
    ],
)
def test_a_stated_password_has_digits_or_a_special_character(value: str, stated: bool) -> None:
    assert values.is_stated_password(value) == stated


def test_a_passphrase_is_words_and_no_sentence() -> None:
    assert values.is_passphrase("seven purple otters dance")
    for text in ("the otters dance in purple", "two words", "seven secret otters dance", "your purple otters dance"):
        assert not values.is_passphrase(text), text


def test_a_striking_word_has_its_special_character_inside() -> None:
    assert values.is_striking_word("Quokka!6Uy")
    for value in ("Quokka6Uy!", "!Quokka6Uy", "Quokka6Uy", "a b!c d e f", "token!abcd"):
        assert not values.is_striking_word(value), value
