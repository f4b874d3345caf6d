"""Frontmatter and imports of rule files."""

from __future__ import annotations

import pytest

from tacit.text.rule_syntax import (
    file_patterns,
    frontmatter,
    import_path,
    imports_in,
    is_path_like,
    is_prose_path,
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


@pytest.mark.parametrize(
    ("target", "expected"), [("docs/a.md", True), ("~/x", True), ("alice", False), ("types/node", False)]
)
def test_only_what_looks_like_a_file_is_missed(target: str, expected: bool) -> None:
    assert is_path_like(target) is expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [("a.md", "/shop/docs/a.md"), ("../a.md", "/shop/a.md"), ("/etc/a.md", "/etc/a.md"), ("~/a.md", "/home/kim/a.md")],
)
def test_an_import_is_relative_to_its_file_or_to_the_persons_folder(target: str, expected: str) -> None:
    assert import_path(target, "/shop/docs/CLAUDE.md", "/home/kim") == expected


def test_code_and_data_have_no_rules() -> None:
    assert is_prose_path("/a/README") and is_prose_path("/a/b.MD") and is_prose_path("/a/.cursorrules")
    assert not is_prose_path("/a/package.json") and not is_prose_path("/a/b.py")


def test_hostile_imports_take_no_time() -> None:
    assert list(imports_in("@" * 100_000)) == []
    assert len(list(imports_in("@a/" * 50_000))) <= 1
