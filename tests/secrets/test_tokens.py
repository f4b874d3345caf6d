"""Every row of the tables finds its own example and leaves its own counter-example alone."""

from __future__ import annotations

import re

import pytest
from harness.secret_examples import written

from tacit.secrets import commands, contexts, encoded, scanner
from tacit.secrets.contexts import ADDRESSES, CONTEXT_ROWS, LITERALS, LOGINS
from tacit.secrets.names import NAME_KEYWORDS
from tacit.secrets.probes import BLOCK_EXAMPLES
from tacit.secrets.redact import find_secrets, secret_kind
from tacit.secrets.sentences import LANGUAGES
from tacit.secrets.tokens import RECENT_TOKENS, TOKENS, VENDORS

ROWS = [
    *((row[0], row[1], row[3], row[4]) for row in (*TOKENS, *RECENT_TOKENS, *VENDORS)),
    *((row[0], row[1], row[5], row[6]) for row in (*CONTEXT_ROWS, *LOGINS, *ADDRESSES, *LITERALS)),
    *((commands.COMMAND_KIND, "", example, counter) for *_, example, counter in commands.COMMANDS),
    *((commands.COMMAND_KIND, row[0], *row[-2:]) for row in (*commands.ARGUMENTS, *commands.PIPES)),
    *((contexts.COOKIE_KIND, "", example, counter) for _, example, counter in contexts.COOKIE_EXAMPLES),
    *((encoded.ENCODED_KIND, "", example, counter) for _, example, counter in encoded.ENCODED_EXAMPLES),
    *((encoded.RANDOM_KIND, "", example, counter) for example, counter in encoded.RANDOM_EXAMPLES),
    *((kind, "", example, counter) for kind, example, counter in BLOCK_EXAMPLES),
]
NAMES = [f"{number}: {row[0]} ({row[1]})" for number, row in enumerate(ROWS)]


@pytest.mark.parametrize(("kind", "_", "example", "counter"), ROWS, ids=NAMES)
def test_a_row_finds_its_example_and_names_it(kind: str, _: str, example: str, counter: str) -> None:
    assert example and counter, "a row shows what it finds and what it does not"
    found = find_secrets(f"see {written(example)} here")
    assert kind in [secret.kind for secret in found]


@pytest.mark.parametrize(("kind", "_", "example", "counter"), ROWS, ids=NAMES)
def test_a_row_leaves_its_counter_example_alone(kind: str, _: str, example: str, counter: str) -> None:
    assert secret_kind(f"see {written(counter)} here") is None


@pytest.mark.parametrize(("kind", "keywords", "example", "counter"), ROWS, ids=NAMES)
def test_a_counter_example_is_about_the_same_thing(kind: str, keywords: str, example: str, counter: str) -> None:
    """It holds a keyword of its row or a word of its example, or it would prove nothing."""
    text = written(counter).lower()
    words = re.findall(r"[a-z]{3,}", example.lower())
    assert any(keyword.lower() in text for keyword in keywords.split()) or any(word in text for word in words)


@pytest.mark.parametrize(("kind", "keywords", "example", "counter"), ROWS, ids=NAMES)
def test_each_keyword_of_a_token_is_as_good_as_the_first(kind: str, keywords: str, example: str, counter: str) -> None:
    first, *others = keywords.split() or [""]
    if (
        example.startswith(first)
        and first
        and (kind, keywords) in {(row[0], row[1]) for row in (*TOKENS, *RECENT_TOKENS)}
    ):
        for other in others:
            assert kind == secret_kind(written(other + example.removeprefix(first)))


def test_no_keyword_has_a_blank_or_a_capital_in_it() -> None:
    for keyword in scanner.probe_makers():
        assert keyword == keyword.lower() and not re.search(r"\s", keyword) and keyword
    assert set(NAME_KEYWORDS) <= scanner.probe_makers().keys()


def test_examples_are_written_so_that_no_scanner_takes_them_for_a_leak() -> None:
    """What stands in the tables is no secret before it is written out, but for words that everybody can read."""
    shown = [example for row in (*TOKENS, *RECENT_TOKENS, *VENDORS) for example in row[3:5]]
    allowed = {"AWS access key", "Slack token", "wallet key"}
    assert {kind for example in shown if (kind := secret_kind(example))} <= allowed


@pytest.mark.parametrize("language", LANGUAGES, ids=[row[0] for row in LANGUAGES])
def test_a_password_in_a_sentence_is_hidden_in_each_language(language: tuple[str, ...]) -> None:
    before, _, rest = language[4].partition("«")
    value, _, after = rest.partition("»")
    text = before + value + after
    assert [text[one.start : one.end] for one in find_secrets(text)] == [value]


@pytest.mark.parametrize("language", LANGUAGES, ids=[row[0] for row in LANGUAGES])
def test_a_sentence_about_passwords_stays_in_each_language(language: tuple[str, ...]) -> None:
    """A rule such as this one may be remembered: it tells of a password and states none."""
    assert secret_kind(language[5]) is None
    for word in language[1].replace("_", " ").split(" "):
        assert secret_kind(f"{word}: 1Password") is None
