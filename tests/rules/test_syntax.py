"""Frontmatter and imports of rule files."""

from __future__ import annotations

import pytest

from tacit.rules.syntax import file_patterns, frontmatter, imports_in, is_path_like


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


@pytest.mark.parametrize(
    ("target", "expected"), [("docs/a.md", True), ("~/x", True), ("alice", False), ("types/node", False)]
)
def test_only_what_looks_like_a_file_is_missed(target: str, expected: bool) -> None:
    assert is_path_like(target) is expected


def test_hostile_imports_take_no_time() -> None:
    assert list(imports_in("@" * 100_000)) == []
    assert len(list(imports_in("@a/" * 50_000))) <= 1
