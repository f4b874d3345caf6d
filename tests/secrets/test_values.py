"""Whether a value could be a secret, by its form alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from harness.secret_examples import written

from tacit.secrets import values

RANDOM = written("<a32>")
IN_HEX = written("<x32>")
APP = "qwhf zbnu tkod ymaj"  # as a mail service shows passwords of programs


WORDS = "letmein letmein! password2 user.password2 8-character sha256 oauth2 changeme"
PATHS = "/run/secrets/x1 ~/x ./x C:\\x https://docs.python.org"

# What a form is, values that have it, and values that have not.
FORMS = [
    (
        values.is_placeholder,
        [
            *("null changeme DB_PASSWORD $TOKEN ${TOKEN} <your-key> %s @TOKEN@ op://vault/item my-EXAMPLE-key".split()),
            *("xxxxxxxx aaaa your-key-here os.getenv('X')".split()),
            *("$(pass show x)", "{{ token }}"),
        ],
        [*PATHS.split(), "2024-03-02", "hunter2", "Tr0ub4dor&3", "<p&ss>", RANDOM],
    ),
    (
        values.may_be_secret,
        ["hunter2", "Tr0ub4dor&3", "<p&ss>", RANDOM],
        [*PATHS.split(), "2024-03-02", "null", "DB_PASSWORD", "$(pass show x)", "{{ token }}", "your-key-here"],
    ),
    (
        values.is_wordy,
        "our-app-2 userToken base64-encoded linux-x64".split(),
        [RANDOM, "a7f3k2", "order-123456", "word2word", ""],
    ),
    (
        partial(values.is_random, min_length=8),
        [RANDOM, IN_HEX, IN_HEX.upper(), written("<uuid>"), "AAAA" + RANDOM, written("<a12>")],
        ["abcdefghijkl", "1234567890", "a1a1a1a1a1a1", RANDOM[:7]],
    ),
    (  # neither a digest nor an id nor a public key
        values.is_very_random,
        [RANDOM, written("<l24>")],
        [IN_HEX, IN_HEX.upper(), written("<uuid>"), "AAAA" + RANDOM, written("<a12>")],
    ),
    (
        partial(values.is_password, quoted=False),
        ["hunter2", "123456", "Tr0ub4dor&3", "aGVsbG8gd29ybGQ=", RANDOM],
        [*WORDS.split(), *PATHS.split(), *"12345 ab1 me@host me@example.org 2024-03-02".split(), "x1" * 101, APP],
    ),
    (
        partial(values.is_password, quoted=True),
        ["hunter2", "123456", "Tr0ub4dor&3", "aGVsbG8gd29ybGQ=", RANDOM, APP, APP.replace(" ", "-")],
        [*WORDS.split(), *PATHS.split(), *"12345 ab1 me@host me@example.org 2024-03-02".split(), "x1" * 101],
    ),
    (values.is_app_password, [APP, APP.replace(" ", "-")], ["this that from with", "qwhf zbnu tkod"]),
    (
        values.is_chosen_password,
        "seepferdchen-auf-reisen Blue-Whale fkxapcftmqgybvbx".split(),
        "blue-whale monte_bianco_alto new-password-field Blue-W".split(),
    ),
    (
        values.is_literal_password,
        ["zwiebelkuchen", "girasol.2020"],
        [*"unchanged settings.db snake_case CamelCase HUNTER userPassword short 123456".split(), "two words"],
    ),
    (  # neither a file nor a product nor an address
        values.is_mixed,
        ["Fledermaus_6"],
        "fledermaus_6 Fledermaus6 Report_2024.zip Windows-Server2019 Release-v1.2 Me1@example.org Password_6".split(),
    ),
    (
        values.is_stated_password,
        "girasol.2020 Kaffee!77 Kaffee!77. Password!77".split(),
        "girasol 20202020 password77 report2020.pdf me@example.org a/b/c2020 v2.2020".split(),
    ),
    (  # words, and no sentence
        values.is_passphrase,
        ["seven purple otters dance"],
        ["the otters dance in purple", "two words", "seven secret otters dance", "your purple otters dance"],
    ),
    (  # with a special character inside
        values.is_striking_word,
        ["Quokka!6Uy"],
        ["Quokka6Uy!", "!Quokka6Uy", "Quokka6Uy", "a b!c d e f", "token!abcd"],
    ),
]


@pytest.mark.parametrize(("has_form", "having", "others"), FORMS)
def test_a_value_has_a_form_or_not(has_form: Callable[[str], bool], having: list[str], others: list[str]) -> None:
    assert [value for value in having if not has_form(value)] == [] == [value for value in others if has_form(value)]
