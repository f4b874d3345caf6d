"""Runs that encode a text, and random values that are assigned to a variable."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable

import pytest
from harness.secret_examples import written

from tacit.secrets.encoded import (
    decode_run,
    find_encoded,
    find_random_assignments,
    is_random_key,
    may_have_run,
)
from tacit.secrets.scanner import words_with_runs

TEXT, ACCENTS = "password=hunter2", "grüße>>>an???die>>>welt"  # the second one needs the alphabet of URLs
WORD = b64encode(b"hunter2hunter2").decode()
STRIKING = b64encode(b"Hunter!2Hunter").decode()
HEX_KEY, KEY = written("<x48>"), written("<w40>")


def encoded(text: str, has_secret: Callable[[str], bool] = lambda _: False) -> list[str]:
    return [text[start:end] for start, end, _ in find_encoded(text, words_with_runs(text, text.split()), has_secret)]


def assigned(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_random_assignments(text, words_with_runs(text, text.split()))]


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (b64encode(TEXT.encode()).decode(), TEXT),
        (b64encode(TEXT.encode()).decode().rstrip("="), TEXT),
        (b64encode(TEXT.encode("utf-16-le")).decode(), TEXT),
        (TEXT.encode().hex(), TEXT),
        (TEXT.encode().hex().upper(), TEXT),
        (urlsafe_b64encode(ACCENTS.encode()).decode(), ACCENTS),
        (b64encode(b"\0me@example.org\0Hunter!2").decode(), "login me@example.org password=Hunter!2"),  # SASL
        (written("<a32>"), None),
        (written("<x32>"), None),
        (TEXT.encode().hex()[:-1], None),
        ("internationalization", None),
        ("UserAuthenticationService", None),
        (b64encode(bytes(range(1, 25))).decode(), None),
        (b64encode("пароль без латиницы".encode()).decode(), None),
    ],
)
def test_a_run_that_encodes_a_readable_text_is_decoded(run: str, text: str | None) -> None:
    assert decode_run(run) == text


def test_long_words_with_capitals_or_hex_digits_that_were_asked_for_are_searched_for_runs() -> None:
    for text in (f"blob {WORD}", "hex 0123456789abcdef0"):
        assert [text[start:end] for start, end in words_with_runs(text, text.split())] == text.split()[1:]
    for text in ("internationalization of things", "Short Words", ""):
        assert words_with_runs(text, text.split()) == []
    assert words_with_runs(f"x{WORD} {WORD} {WORD}x", {WORD}) == [(len(WORD) + 2, 2 * len(WORD) + 2)]


def test_a_word_with_an_encoded_text_or_a_key_is_looked_at() -> None:
    for word in (WORD, f"'{WORD}'", HEX_KEY, KEY, f"MAILER={KEY}", TEXT.encode().hex()):
        assert may_have_run(word), word
    for word in ("UserAuthenticationService", "/usr/lib/python3/dist-packages", "a" * 40, "short"):
        assert not may_have_run(word), word


def test_the_caller_decides_whether_a_decoded_text_holds_a_secret() -> None:
    run = b64encode(b"a sentence without anything").decode()
    assert encoded(f"blob: {run}") == []
    assert encoded(f"blob: {run}", lambda text: text == "a sentence without anything") == [run]


@pytest.mark.parametrize("command", ["echo {} | base64 -d", "atob('{}')", "base64.b64decode('{}')"])
def test_a_password_that_is_decoded_on_the_spot_needs_no_name(command: str) -> None:
    assert encoded(command.format(WORD)) == [WORD]
    assert encoded(f"echo {WORD} | cat") == []
    assert encoded(command.format(b64encode(b"hello world!!").decode())) == []


def test_a_striking_word_needs_a_name_before_it() -> None:
    assert encoded(f"db_pw {STRIKING}") == [STRIKING] and encoded(f"db_name {STRIKING}") == []


def test_a_key_is_judged_by_the_text_around_it_each_time() -> None:
    assert encoded(f"printf {HEX_KEY} | xxd -r -p > image.bin") == []
    assert encoded(f"printf {HEX_KEY} | xxd -r -p > psk.bin") == [HEX_KEY]


def test_runs_beyond_what_is_scanned_are_taken_for_secrets() -> None:
    runs = [b64encode(f"sentence number {number} is harmless".encode()).decode() for number in range(403)]
    assert encoded(" ".join(runs)) == runs[400:]


def test_a_random_value_of_a_variable_is_a_secret_unless_its_name_says_that_it_is_public() -> None:
    for form in (
        *("MAILER={}", "export MAILER='{}'", "docker run -e MAILER={} app", "set -gx MAILER {}", "setx MAILER {}"),
        *('$env.MAILER = "{}"', "$env:MAILER='{}'"),
    ):
        assert assigned(form.format(KEY)) == [KEY], form
    for form in (
        "GIT_COMMIT={}",
        "export REQUEST_ID={}",
        "IMAGE_DIGEST={}",
        "mailer={}",
        "see MAILER {}",
        "x/MAILER{}",
    ):
        assert assigned(form.format(KEY)) == [], form


def test_a_random_key_is_hex_of_some_length_or_a_mix() -> None:
    assert is_random_key(HEX_KEY) and is_random_key(HEX_KEY.upper()) and is_random_key(KEY)
    for value in (HEX_KEY[:31], "0" * 32, "internationalization-of-things", f"a.b.c.d{KEY}"):
        assert not is_random_key(value), value
