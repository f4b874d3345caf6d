"""Shell lines: what is one command, what is one word, and what is known before the line runs."""

from __future__ import annotations

import pytest

from tacit.commandline.names import (
    MAX_LINE_CHARS,
    MAX_PIPELINES,
    clean_line,
    outside_quotes,
    parse_commands,
    parse_pipelines,
    quoted_words,
    strip_quotes,
)


def pipelines(line: str) -> list[tuple[str, list[list[tuple[str, ...]]]]]:
    return [(found.text, [list(stage) for stage in found.stages]) for found in parse_pipelines(clean_line(line))]


# Words with their quotes


def test_words_keep_their_quotes_and_an_open_quote_extends_to_the_end() -> None:
    assert quoted_words("git commit -m 'fix  it' a\\ b") == ["git", "commit", "-m", "'fix it'", "a\\ b"]
    assert quoted_words('echo "open for ever') == ["echo", '"open for ever']
    assert [strip_quotes(word) for word in quoted_words("'a' \"b\" \\c")] == ["a", "b", "c"]


def test_quoted_parts_of_a_word_are_blanks() -> None:
    assert outside_quotes("a'b|c'd\\|e\"f|") == "a d e "


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("plain", "plain"),
        ("'a b'c", "a bc"),
        ('"say \\"hi\\" for \\$5"', 'say "hi" for $5'),
        ("'it'\\''s'", "it's"),
        ("a\\\nb", "ab"),
        ('"$(date "+%F")"', '$(date "+%F")'),
        ("<(a b)", "<(a b)"),
        ("x=(a b)", "x=(a b)"),
    ],
)
def test_quotes_are_removed_and_expansions_stay(word: str, expected: str) -> None:
    assert pipelines(f"echo {word};") == [(f"echo {word}", [[("echo", expected)]])]


# Pipelines


def test_a_line_has_a_pipeline_for_each_part_of_its_list() -> None:
    assert pipelines("cd app && make test > log | tail -5; ls &") == [
        ("cd app", [[("cd", "app")]]),
        ("make test > log | tail -5", [[("make", "test")], [("tail", "-5")]]),
        ("ls &", [[("ls",)]]),
    ]


@pytest.mark.parametrize("line", ["", "  ", "# a comment", "\x00"])
def test_a_blank_line_or_a_comment_has_no_pipelines(line: str) -> None:
    assert pipelines(line) == []


@pytest.mark.parametrize(
    "line",
    [
        *("git status", "make -j4 test", "ls ~/x/*.py", "echo a=b", "echo - a=b"),
        *("git commit -m 'fix the cache; again'", 'rg -n "a|b" src|head -5', "cat x | grep '' | wc -l", "'a b' c"),
        *("echo '}' | cat", "if 'a' b", "a | then 'b'", "export a'b'c", "'a b' ==", "env%1 | sudo", 'echo "$x" | cat'),
        " | ".join(["'a b'"] * 12),
    ],
)
def test_plain_words_are_split_as_the_scanner_would(line: str) -> None:
    assert [stages for _, stages in pipelines(line)] == [stages for _, stages in pipelines(f"{line};")]


def test_a_bare_group_is_replaced_by_its_pipelines_and_a_loop_is_one_stage() -> None:
    assert [text for text, _ in pipelines("(make; ls) &")] == ["make", "ls &"]
    assert pipelines("for f in *; do cat $f; done | wc -l") == [
        ("for f in *; do cat $f; done | wc -l", [[("cat", "$f")], [("wc", "-l")]])
    ]


def test_words_after_a_redirection_belong_to_the_command() -> None:
    assert pipelines("git 2>err status") == [("git 2>err status", [[("git", "status")]])]


def test_a_line_break_separates_commands_unless_something_must_follow() -> None:
    assert pipelines("a | b | c\nd > x") == [
        ("a | b | c", [[("a",)], [("b",)], [("c",)]]),
        ("d > x", [[("d",)]]),
    ]
    assert [text for text, _ in pipelines("a |\nb && # why\n\nc")] == ["a |\nb", "c"]
    assert [text for text, _ in pipelines("f()\n{ a; }\nb")] == ["f()\n{ a; }", "b"]


def test_a_here_document_stays_with_its_pipeline_and_not_with_the_rest_of_the_line() -> None:
    assert [text for text, _ in pipelines("cat <<X && ls\nbody\nX")] == ["cat <<X\nbody\nX", "ls"]


def test_letters_of_every_script_are_parts_of_words() -> None:
    assert pipelines("echo 日本 🎉 | grep é") == [
        ("echo 日本 🎉 | grep é", [[("echo", "日本", "🎉")], [("grep", "é")]])
    ]


@pytest.mark.parametrize(
    "line", ["echo 'open", "set -gx A (date)", "if test; make", "test &&", "echo a | ; b", "test; done"]
)
def test_a_line_that_is_not_bash_is_one_pipeline_as_typed(line: str) -> None:
    ((text, (stage,)),) = pipelines(line)
    assert text == line
    assert stage[0][0] in ("echo", "set", "test")


def test_a_line_that_is_too_long_is_clipped_and_one_with_too_much_in_it_is_cut_off() -> None:
    (long,) = parse_commands("make " + "x" * MAX_LINE_CHARS)
    assert (long.is_trivial, len(long.text) <= MAX_LINE_CHARS) == (True, True)
    assert len(parse_pipelines("a;" * 100)) == MAX_PIPELINES
    (nested,) = parse_pipelines("( " * 500 + "make")
    assert nested.stages == ((("make",),),)


def test_a_line_is_cleaned_of_control_characters_and_keeps_its_line_breaks() -> None:
    assert clean_line("  a\x1bb\r\nc\rd\te\0 ") == "ab\nc\nd\te"
