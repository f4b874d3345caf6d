"""Every row of the tables finds its own example and leaves its own near miss alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from harness.secret_examples import EXAMPLES, SERVICES, TOKENS, Example, written

from tacit.secrets import find_secrets, rows, scanner, secret_kind
from tacit.secrets.names import NAME_KEYWORDS
from tacit.secrets.rows import LanguageRow
from tacit.secrets.sentences import language_rows

NAMES = [f"{number}: {example.kind} ({example.keywords})" for number, example in enumerate(EXAMPLES)]
TABLES: dict[str, Any] = {
    "tokens": rows.TokenRow,
    "services": rows.TokenRow,
    "contexts": rows.ContextRow,
    "options": rows.OptionRow,
    "languages": rows.LanguageRow,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_row_finds_its_example_and_names_it_and_leaves_its_near_miss_alone(example: Example) -> None:
    assert example.text and example.near_miss, "a row shows what it finds and what it does not"
    text = f"see {written(example.text)} here"
    found = find_secrets(text)
    assert example.kind in [secret.kind for secret in found]
    values = {text[secret.start : secret.end] for secret in found}
    assert values >= set(re.findall(r"(?:Gh7k2)?hunter2[\w!]*(?: hunter\b)?", text)), "the whole value"
    if "hunter2" in text:
        assert values <= set(re.findall(r"(?:Gh7k2)?hunter[23][\w!]*(?: hunter\b)?", text)), "and nothing else"
    assert secret_kind(f"see {written(example.near_miss)} here") is None


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_near_miss_is_about_the_same_thing(example: Example) -> None:
    """It holds a keyword of its row or a word of its example, or it would prove nothing."""
    text = written(example.near_miss).lower()
    words = re.findall(r"[a-z]{3,}", example.text.lower())
    assert any(keyword.lower() in text for keyword in example.keywords.split()) or any(word in text for word in words)


@pytest.mark.parametrize("row", TOKENS, ids=[f"{row.kind} ({row.keywords})" for row in TOKENS])
def test_each_keyword_of_a_token_is_as_good_as_the_first(row: rows.TokenRow) -> None:
    first, *others = row.keywords.split()
    if row.example.startswith(first):
        for other in others:
            assert row.kind == secret_kind(written(other + row.example.removeprefix(first)))


@pytest.mark.parametrize("table", TABLES)
def test_a_table_names_its_columns_and_its_rows_have_them(table: str) -> None:
    text = (Path(rows.__file__).parent / "tables" / f"{table}.txt").read_text(encoding="utf-8")
    header = next(line for line in text.splitlines() if line and not line.startswith("#"))
    columns = tuple(name.replace(" ", "_") for name in header.split(rows.SEPARATOR))
    assert columns == TABLES[table]._fields
    lines = rows.read_lines(table)
    assert lines and all(len(line.split(rows.SEPARATOR)) <= len(columns) for line in lines)
    assert "\t" not in text and not re.search(r" +$", text, re.MULTILINE)


@pytest.mark.parametrize(("table", "column"), [("contexts", "check"), ("options", "form")])
def test_a_table_explains_every_check_and_form_that_it_uses(table: str, column: str) -> None:
    text = (Path(rows.__file__).parent / "tables" / f"{table}.txt").read_text(encoding="utf-8")
    explained = set(re.findall(r"^#   (\w+): ", text, re.MULTILINE))
    used = {getattr(row, column) for row in rows.read_rows(table, TABLES[table])}
    assert used == explained


def test_no_keyword_has_a_blank_or_a_capital_in_it() -> None:
    for keyword in scanner.probe_makers():
        assert keyword == keyword.lower() and not re.search(r"\s", keyword) and keyword
    assert set(NAME_KEYWORDS) <= scanner.probe_makers().keys()


def test_examples_are_written_so_that_no_scanner_takes_them_for_a_leak() -> None:
    """What stands in the tables is no secret before it is written out, but for words that everybody can read."""
    shown = [text for row in (*TOKENS, *SERVICES) for text in (row.example, row.near_miss)]
    allowed = {"AWS access key", "Slack token", "wallet key"}
    assert {kind for text in shown if (kind := secret_kind(text))} <= allowed


LANGUAGES = language_rows()


@pytest.mark.parametrize("row", LANGUAGES, ids=[row.language for row in LANGUAGES])
def test_a_password_in_a_sentence_is_hidden_in_each_language(row: LanguageRow) -> None:
    before, _, rest = row.example.partition("«")
    value, _, after = rest.partition("»")
    text = before + value + after
    assert [text[one.start : one.end] for one in find_secrets(text)] == [value]


@pytest.mark.parametrize("row", LANGUAGES, ids=[row.language for row in LANGUAGES])
def test_a_sentence_about_passwords_stays_in_each_language(row: LanguageRow) -> None:
    """A rule such as this one may be remembered: it tells of a password and states none."""
    assert secret_kind(row.near_miss) is None
    for word in row.passwords.replace("_", " ").split(" "):
        assert secret_kind(f"{word}: 1Password") is None


@pytest.mark.parametrize(
    ("value", "expression", "most", "exactly"),
    [
        ("a36", "[A-Za-z0-9]{36}", 36, 36),
        ("x8-12", "[a-f0-9]{8,12}", 12, None),
        (r"d2 - x4 \.", r"[0-9]{2}-[a-f0-9]{4}\.", 22, 8),
        ("w20+", "(?=(?P<run0>[A-Za-z0-9_-]{20,4096}))(?P=run0)", 20, None),
        ("(?:dev-)? l9", "(?:dev-)?[a-z0-9]{9}", 17, None),
        ("uuid", rows.UUID, 8, None),
    ],
)
def test_a_value_is_written_in_pieces(value: str, expression: str, most: int, exactly: int | None) -> None:
    assert rows.value_regex(value) == expression
    assert (rows.max_length(value), rows.exact_length(value)) == (most, exactly)
