"""Passwords in sentences: after the noun, before it, and sentences that only talk about passwords."""

from __future__ import annotations

import pytest
from harness.secret_examples import written

from tacit.secrets.sentences import connector_regex, is_conspicuous, is_striking, noun_table, sentence_probe

RANDOM = written("<a24>")


def stated(noun: str, text: str) -> set[str]:
    """The values that are found around the first occurrence of a noun."""
    return {text[start:end] for start, end, _ in sentence_probe(noun)(text, text.lower().index(noun))}


@pytest.mark.parametrize(
    ("noun", "text", "value"),
    [
        ("password", "the password for the box is now Tr0ub4dor&3, do not tell", "Tr0ub4dor&3"),
        ("password", "password Blue_Whale99", "Blue_Whale99"),
        ("password", 'the password is "correct horse battery staple"', "correct horse battery staple"),
        ("password", "the password is 123456", "123456"),
        ("passwort", "das WLAN-Passwort lautet Blaubeere#1987", "Blaubeere#1987"),
        ("passwort", "das Datenbankpasswort lautet Blaubeere#1987", "Blaubeere#1987"),
        ("passe", "le mot de passe est Croissant!75011", "Croissant!75011"),
        ("パスワード", "パスワードは「Sakura8823kaze」です。", "Sakura8823kaze"),
        (
            "passphrase",
            "the passphrase at boot: copper kettle walrus ninety (lowercase)",
            "copper kettle walrus ninety",
        ),
        ("token", f"the token is {RANDOM}", RANDOM),
    ],
)
def test_a_value_after_the_noun_is_found_without_what_surrounds_it(noun: str, text: str, value: str) -> None:
    assert stated(noun, text) == {value}


@pytest.mark.parametrize(
    ("noun", "text", "value"),
    [
        ("password", "Tr0ub4dor&3 is the password", "Tr0ub4dor&3"),
        ("password", "use Blue-Whale-99 as the new password", "Blue-Whale-99"),
        ("password", "type 7Gables-on-fire when it asks for the password", "7Gables-on-fire"),
        ("toegangscode", "dat de toegangscode van de NAS fietsbel0566Q is", "fietsbel0566Q"),
    ],
)
def test_a_value_before_the_noun_or_the_verb_is_found(noun: str, text: str, value: str) -> None:
    assert stated(noun, text) == {value}


@pytest.mark.parametrize(
    ("noun", "text"),
    [
        ("password", "the password is stored in 1Password"),
        ("password", "the password must have 8-64 characters"),
        ("password", "the password is in Report_2024.zip"),
        ("password", "the password hash is SHA-256"),
        ("password", "the password is 12345"),
        ("password", "the password is required. The host is db2.example.org"),
        ("passphrase", "the passphrase: this is not a phrase (lowercase)"),
        ("パスワード", "パスワードは12文字以上にしてください。"),
        ("passe", "la passe est Croissant!75011"),
        ("token", "the token is hunter2"),
        ("token", f"the token is {written('<uuid>')}"),
    ],
)
def test_a_sentence_about_passwords_states_none(noun: str, text: str) -> None:
    assert stated(noun, text) == set()


def test_a_pin_is_a_number_and_that_of_a_plug_is_none() -> None:
    assert stated("pin", "the PIN is 4711") == {"4711"} and stated("pin", "PIN 4711") == {"4711"}
    assert stated("pin", "pin 4711 of the header") == set() and stated("pin", "the pin is blue12") == set()


def test_a_word_with_digits_counts_after_a_login() -> None:
    assert stated("password", "user ana, password girasol.2020") == {"girasol.2020"}
    assert stated("password", "for ana, password girasol.2020") == set()


def test_a_weak_word_introduces_a_value_only_if_something_was_changed() -> None:
    assert stated("pw", "changed the pw to hunter22") == {"hunter22"}
    assert stated("pw", "from the pw to hunter22") == set()


def test_a_value_after_a_second_noun_is_read_there_and_not_at_the_first() -> None:
    text = "the password is unknown, the other password is hunter2x"
    first, second = text.index("password"), text.rindex("password")
    assert [list(sentence_probe("password")(text, at)) for at in (first, second)] == [
        [],
        [(text.index("hunter2x"), len(text), "password")],
    ]


def test_words_for_is_belong_to_the_language_and_shared_nouns_take_those_of_many() -> None:
    assert connector_regex("passwort").search(" lautet x") and not connector_regex("passwort").search(" est x")
    assert connector_regex("password").search(" lautet x") and connector_regex("password").search(": x")
    assert connector_regex("密码").search("是x") and not connector_regex("password").search(" listen x")


def test_a_noun_of_several_words_is_looked_up_by_its_last() -> None:
    assert {noun for noun, _, _ in noun_table()["passe"]} >= {"mot de passe", "mots de passe"}
    assert "mot" not in noun_table()


@pytest.mark.parametrize(
    ("word", "conspicuous", "striking"),
    [
        ("mango-Tractor-91", True, True),
        ("Tr0ub4dor&3", True, True),
        ("Quillfeather29", True, False),
        ("blue12Whale", True, False),
        ("jabuticaba6025@x", False, True),
        *(("quillfeather29", False, False), ("userName2", False, False), ("password99", False, False)),
        *(("Windows-Server2019", False, False), ("db_host_2", False, False), ("SHA-256", False, False)),
    ],
)
def test_conspicuous_and_striking_words(word: str, conspicuous: bool, striking: bool) -> None:
    assert (is_conspicuous(word), is_striking(word, foreign=False)) == (conspicuous, striking)


def test_in_another_script_a_word_with_a_digit_and_a_sign_is_striking() -> None:
    assert is_striking("rila.2024x", foreign=True) and not is_striking("rila.2024x", foreign=False)
