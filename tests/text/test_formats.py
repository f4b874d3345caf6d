"""Frontmatter and imports of rule files, and statements of TOML."""

from __future__ import annotations

import pytest

from tacit.text.formats import (
    file_patterns,
    frontmatter,
    import_path,
    imports_in,
    is_path_like,
    is_prose_path,
    parse_statements,
    table_end,
    toml_literal,
)


def test_frontmatter_is_read_leniently() -> None:
    assert frontmatter("---\npaths:\n  - a/**\n  - 'b'\nalwaysApply: true\n---\nx") == {
        "paths": "a/**,b",
        "alwaysApply": "true",
    }
    assert frontmatter("---\nno end") == frontmatter("") == frontmatter("text") == {}


def test_patterns_that_match_everything_restrict_nothing() -> None:
    assert file_patterns({"paths": "a/**,b"}) == ("a/**", "b")
    assert file_patterns({"globs": "[\"*.ts\", '*.tsx']"}) == ("*.ts", "*.tsx")
    assert file_patterns({"applyTo": "**"}) == file_patterns({}) == ()


def test_imports_have_the_number_of_their_line() -> None:
    text = "See @README and @docs/a\\ b.md.\n`@no`\n~~~\n@no.md\n~~~\nmail me@x.org, @./c.md!\n"
    assert list(imports_in(text)) == [(1, "README"), (1, "docs/a b.md"), (6, "./c.md")]
    assert list(imports_in("@" * 100_000)) == []  # takes no time
    assert len(list(imports_in("@a/" * 50_000))) <= 1


@pytest.mark.parametrize(
    ("target", "expected"),
    [("a.md", "/shop/docs/a.md"), ("../a.md", "/shop/a.md"), ("/etc/a.md", "/etc/a.md"), ("~/a.md", "/home/kim/a.md")],
)
def test_an_import_is_relative_to_its_file_or_to_the_persons_folder(target: str, expected: str) -> None:
    assert import_path(target, "/shop/docs/CLAUDE.md", "/home/kim") == expected


def test_only_prose_has_rules_and_only_what_looks_like_a_file_is_missed() -> None:
    assert all(map(is_prose_path, ("/a/README", "/a/b.MD", "/a/.cursorrules")))
    assert not any(map(is_prose_path, ("/a/package.json", "/a/b.py")))
    assert all(map(is_path_like, ("docs/a.md", "~/x"))) and not any(map(is_path_like, ("alice", "types/node")))


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
