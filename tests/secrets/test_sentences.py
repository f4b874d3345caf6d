"""Passwords in sentences: after the noun, before it, and sentences that only talk about passwords."""

from __future__ import annotations

import pytest

from tacit.secrets.sentences import connector_regex, is_conspicuous, is_striking, noun_table, sentence_probe


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
