"""Statements of a TOML file with their lines, and values as literals."""

from __future__ import annotations

from tacit.text.toml import parse_statements, table_end, toml_literal

TEXT = """\
# mine
a.b = 1 # [x]

[t]
long = [
  "]", # one
]
# end of t
[[u]]
text = '''
[v]
'''
"""


def test_statements_are_the_lines_that_can_be_parsed_by_themselves() -> None:
    statements = list(parse_statements(TEXT))
    assert [(one.first, one.end, one.is_header) for one in statements] == [
        (1, 2, False),
        (3, 4, True),
        (4, 7, False),
        (8, 9, True),
        (9, 12, False),
    ]
    assert [one.values for one in statements] == [
        {"a": {"b": 1}},
        {"t": {}},
        {"t": {"long": ["]"]}},
        {"u": [{}]},
        {"u": [{"text": "[v]\n"}]},
    ]


def test_a_table_ends_with_its_last_key() -> None:
    statements = list(parse_statements(TEXT + "[w]\n# nothing\n"))
    assert [table_end(statements, one.first) for one in statements if one.is_header] == [7, 12, 13]


def test_a_literal_is_written_as_people_write_it() -> None:
    values: list[bool | int | str | tuple[str, ...]] = [True, 5, 'a "b" \\ é\x7f', ("a", "]"), ()]
    assert [toml_literal(value) for value in values] == ["true", "5", r'"a \"b\" \\ é\u007f"', '["a", "]"]', "[]"]
