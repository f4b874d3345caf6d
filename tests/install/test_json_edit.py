"""JSON is read with the places of its values, and refused with the place where it breaks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.install.json_edit import JsonNode, JsonSyntaxError, find_member, parse_json, to_python

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(value=VALUES, indent=st.sampled_from([None, 1, "\t"]), ascii_only=st.booleans())
def test_what_json_writes_is_read(value: object, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert to_python(text, parse_json(text)) == value


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet='{}[]",:/*\\ \n\t01-.eEtrunfalsx', max_size=30))
def test_what_json_refuses_is_refused_but_for_comments_and_commas(text: str) -> None:
    try:
        value = to_python(text, parse_json(text))
    except JsonSyntaxError:
        with pytest.raises(ValueError):
            json.loads(text)
    else:
        if "//" not in text and "/*" not in text and "," not in text:
            assert json.loads(text) == value


def test_comments_and_trailing_commas_are_passed_over() -> None:
    text = '\ufeff// first\n{ /* a */ "a" /* b */ : // c\n [1, 2, /* , */ ], "b": "//no /*comment*/", } // end'
    assert to_python(text, parse_json(text)) == {"a": [1, 2], "b": "//no /*comment*/"}


def test_a_value_knows_its_place() -> None:
    text = '{"a": [10, "x"],\n "b": {}}'
    found = find_member(parse_json(text), "a")
    assert found is not None and text[found.start : found.end] == '"a": [10, "x"]'
    assert [text[one.start : one.end] for one in found.value.elements] == ["10", '"x"']
    assert found.comma is not None and text[found.comma] == ","
    twice = find_member(parse_json('{"a": 1, "a": 20}'), "a")
    assert twice is not None and (twice.start, twice.end) == (9, 16)  # the last one counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the file ends too early"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or } is missing here"),
        ('{"a": 1', "line 1, column 8: a comma or } is missing here"),
        ('{"a" 1}', "line 1, column 6: a colon is missing here"),
        ("{a: 1}", "line 1, column 2: a name in double quotes is missing here"),
        ('{"a": \n\n  nul}', "line 3, column 3: a value is missing here"),
        ('{"a": 01}', "line 1, column 7: a value is missing here"),
        ('{"a": "x\n"}', "line 1, column 7: this text has no end"),
        ('{"a": "\\q"}', "line 1, column 7: this text has an escape that JSON does not know"),
        ("{} {}", "line 1, column 4: nothing more is expected here"),
        ("{,}", "line 1, column 2: a name in double quotes is missing here"),
        ("[1,,2]", "line 1, column 4: a value is missing here"),
        ("{ /* no end }", "line 1, column 3: this comment has no end"),
        ("[1}", "line 1, column 3: a comma or ] is missing here"),
    ],
)
def test_a_broken_text_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(JsonSyntaxError) as refused:
        parse_json(text)
    assert str(refused.value) == message


def test_only_a_sane_nesting_is_read() -> None:
    assert isinstance(parse_json("[" * 150 + "]" * 150), JsonNode)
    with pytest.raises(JsonSyntaxError, match="nested too deep"):
        parse_json("[" * 100_000)
