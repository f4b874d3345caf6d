"""Lines and statements of rule files."""

from __future__ import annotations

import pytest

from tacit.rules import HostLoad, LoadTime, RuleFile, RuleOrigin
from tacit.rules.lines import LineKind, RuleLine, line_statements, loaded_text, plain_text, redact_lines, rule_lines

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def parse(text: str, *, last_line: int | None = None) -> list[RuleLine]:
    load = HostLoad("claude", LoadTime.START, "", last_line)
    return rule_lines(RuleFile("/p/CLAUDE.md", "CLAUDE.md", RuleOrigin.FOREIGN, text, (load,)), text)


def test_items_and_paragraphs_have_the_number_of_their_first_line() -> None:
    text = "# Style\n\nUse tabs\nfor everything.\n\n- first\n  goes on\n- second\n1. third\n> quoted\n"
    assert [(line.line, line.text, line.heading) for line in parse(text)] == [
        (3, "Use tabs for everything.", "Style"),
        (6, "first goes on", "Style"),
        (8, "second", "Style"),
        (9, "third quoted", "Style"),
    ]


def test_frontmatter_and_comments_are_no_lines() -> None:
    text = "---\npaths: a\n---\n<!-- note\nmore -->\n- use pnpm <!-- why -->\n"
    assert [(line.line, line.text) for line in parse(text)] == [(6, "use pnpm")]


def test_code_and_tables_are_marked() -> None:
    text = "```sh\nmake test\n```\n| a | b |\n"
    assert [(line.kind, line.text) for line in parse(text)] == [
        (LineKind.CODE, "make test"),
        (LineKind.TABLE, "| a | b |"),
    ]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<!-- >>> tacit export (ended) >>> x -->", "<!-- <<< tacit export <<< -->"),
        ("<!-- tacit:begin after -->", "<!-- tacit:end -->"),
    ],
)
def test_what_tacit_wrote_is_its_own(opening: str, closing: str) -> None:
    lines = parse(f"- mine\n{opening}\n- exported\n{closing}\n- mine too\n")
    assert [(line.text, line.is_own) for line in lines] == [("mine", False), ("exported", True), ("mine too", False)]


def test_secrets_are_hidden_and_lines_keep_their_numbers() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7x\n" * 3 + "-----END RSA PRIVATE KEY-----"
    text, secrets = redact_lines(f"- use {TOKEN} here\n{key}\n- last\n")
    assert TOKEN not in text and "MIIEp" not in text
    assert text.split("\n").index("- last") == 6
    assert secrets[0].line == 1 and secrets[0].kind == "GitHub token"
    text, secrets = redact_lines("API_TOKEN=dev-local-token\n")  # a placeholder is hidden, and not reported
    assert secrets == [] and "dev-local-token" not in text


def test_statements_are_plain_sentences_that_read_as_rules() -> None:
    def of(text: str) -> list[str]:
        return [statement for line in parse(text) for statement in line_statements(line)]

    assert of("- **Always** run `make test` before a commit.\n") == ["Always run `make test` before a commit."]
    assert of("- **Style**: use tabs for Go\n") == ["Style: use tabs for Go"]
    assert of("- Use pnpm here. Never use npm here.\n") == ["Use pnpm here.", "Never use npm here."]
    assert of("- See the [guide](docs/x.md)\n- Overview\n- Commands:\n- what is this?\n") == []


def test_a_heading_may_negate_what_is_below() -> None:
    assert [line.is_negated for line in parse("## Don't\n- Use npm here\n## Do\n- Use pnpm here\n")] == [True, False]


def test_emphasis_goes_and_code_stays() -> None:
    assert (
        plain_text("⚠️ **Never** touch `__init__.py` or *any* [file](x.md)") == "Never touch `__init__.py` or any file"
    )


def test_claude_is_not_given_comments_nor_a_host_what_is_after_its_limit() -> None:
    assert loaded_text("---\na: b\n---\n<!-- note -->\nrule", "claude") == "rule"
    assert "note" in loaded_text("<!-- note -->\nrule", "codex")
    assert [line.is_loaded for line in parse("- one\n- two\n- three\n", last_line=2)] == [True, True, False]
