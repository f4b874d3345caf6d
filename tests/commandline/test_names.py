"""What makes two command lines the same habit (A2)."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.commandline.bash import MAX_COMMANDS
from tacit.commandline.names import (
    MAX_FAMILY_CHARS,
    MAX_LINE_CHARS,
    MAX_PIPELINES,
    ParsedCommand,
    clean_line,
    outside_quotes,
    parse_commands,
    parse_pipelines,
    quoted_words,
    strip_quotes,
)
from tests.support.families_table import TABLE


def told(part: ParsedCommand) -> str:
    return ("~" if part.is_trivial else "") + " | ".join((part.family, *part.consumers))


@pytest.mark.parametrize(("line", "expected"), TABLE)
def test_each_line_of_the_table_has_its_families(line: str, expected: tuple[str, ...]) -> None:
    assert tuple(told(part) for part in parse_commands(line)) == expected


def test_the_text_of_a_part_is_as_it_was_typed() -> None:
    line = "  cd x && FOO=1 npm t > log 2>&1 | tail -5; (make -j4; ls) ; serve 'a  b' &"
    assert [part.text for part in parse_commands(line)] == [
        "cd x",
        "FOO=1 npm t > log 2>&1 | tail -5",
        "make -j4",
        "ls",
        "serve 'a  b' &",
    ]


def test_a_heredoc_stays_with_its_command() -> None:
    written, ran = parse_commands("cat <<EOF > f && python f.py\nx && y\nEOF")
    assert (written.text, ran.text) == ("cat <<EOF > f\nx && y\nEOF", "python f.py")


def test_control_characters_are_gone_but_line_breaks_and_tabs() -> None:
    (part,) = parse_commands("  git commit -m '\x1b[31mred\x07\r\n\tblue\rgreen\x00'\0 ")
    assert part.text == "git commit -m '[31mred\n\tblue\ngreen'"


def test_words_are_without_wrappers_quotes_and_redirections() -> None:
    (part,) = parse_commands('sudo -u bob A=1 git commit -m "it\'s \\"it\\"" \'a b\' c\\ d $\'e\' "$HOME"/x > log')
    assert part.words == ("git", "commit", "-m", 'it\'s "it"', "a b", "c d", "e", "$HOME/x")


def test_words_are_those_of_the_first_real_command() -> None:
    (part,) = parse_commands("cat x | sudo grep -v 'y z' | wc -l")
    assert (part.words, part.consumers) == (("grep", "-v", "y z"), ("wc",))


def test_a_broken_line_is_one_part_as_typed() -> None:
    line = "make lint && git commit -m 'it's'"
    (part,) = parse_commands(line)
    assert (part.family, part.text, part.is_trivial) == ("make lint", line, False)


def test_a_line_that_is_too_long_is_no_habit_and_no_step() -> None:
    (part,) = parse_commands("git commit -m '" + "x" * MAX_LINE_CHARS + "'")
    assert (part.family, part.is_trivial, len(part.text), part.text[-1]) == ("git commit", True, MAX_LINE_CHARS, "…")
    (whole,) = parse_commands("git commit -m '" + "x" * (MAX_LINE_CHARS - 100) + "'")
    assert not whole.is_trivial


def test_of_many_parts_the_first_twenty_count() -> None:
    parts = parse_commands("; ".join(f"make t{number}" for number in range(50)))
    assert [part.family for part in parts] == [f"make t{at}" for at in range(20)]


# --- the shell's own precedence ---------------------------------------------------------------------------------------

_COMMAND = st.sampled_from(["", " x", " > y", " 2>&1", " >y 2>&1", " < z", ' "q && r"', " x <<< s", " \\\n x"])
_OPERATOR = st.sampled_from([" | ", " | ", " |& ", " && ", " || ", "; ", "\n", "\n\n", " & "])


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(_OPERATOR, _COMMAND), min_size=1, max_size=8))
@example([(";", ""), (" && ", " > y"), (" | ", ""), (" | ", ""), (" || ", "")])
@example([(";", ""), (" | ", ""), (" | ", " x"), ("\n", " > y")])
@example([(";", ""), (" | ", " > y"), (" | ", ""), (" | ", ""), (" | ", " > y"), ("\n", " < z"), (" | ", " > y")])
def test_a_pipeline_ends_where_a_shell_ends_it(commands: list[tuple[str, str]]) -> None:
    line, expected = "", list[tuple[str, ...]]()
    for number, (operator, typed) in enumerate(commands):
        line += (operator if number else "") + f"c{number}{typed}"
        if number and "|" in operator and "||" not in operator:
            expected[-1] += (f"c{number}",)
        else:
            expected.append((f"c{number}",))
    assert [(part.family, *part.consumers) for part in parse_commands(line)] == expected


# --- the short way for plain words ------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    "git -C x commit npm run t make A=1 A+=1 A= 1=2 sudo env time test export unset declare if for do in end case "
    "function select coproc begin then - -- = == + ++ @ @a a@b % %1 ~ ~/x ~1 * *.c ** ? HEAD^ ^x . .. / ./x , : a:b "
    "-n --x=y 1 2.0 [".split()
)
_QUOTED = st.sampled_from(["'a b'", '"x | y"', "''", "'if'", '"}"', "'a\"'", "|", "|", "'[' ]", "'a'b", '"$x"'])
_PLAIN = st.lists(_WORDS, max_size=6).map(" ".join) | st.text("ab01_@%+=:,./~^*? -", max_size=16)
_PLAIN |= st.lists(_WORDS | _QUOTED, max_size=8).map(" ".join)


@settings(max_examples=600, deadline=None)
@given(_PLAIN)
def test_plain_words_that_are_split_at_blanks_are_as_the_scanner_reads_them(line: str) -> None:
    split, scanned = parse_pipelines(line.strip()), parse_pipelines(f"{line.strip()} ;")
    assert [pipeline.stages for pipeline in split] == [pipeline.stages for pipeline in scanned if line.strip()]


# --- any text at all --------------------------------------------------------------------------------------------------

_PIECES = st.sampled_from(
    "git npm make ls sudo env xargs uv run watch -m -c A=1 ' \" ` $( ) ( { } ; & && | || |& < > << <<EOF EOF \n \r\n "
    "\\ \\\n # ! if then fi for in do done while case esac ;; function [[ ]] $(( )) ${ $' \x00 \x1b \ud800 é 日本 "
    "\u2028 python - -- = \t begin end time yarn workspace bash docker compose".split(" ")
)
_ANY = st.text(st.characters(), max_size=60) | st.lists(_PIECES, max_size=25).map(" ".join)
_ANY |= st.lists(_PIECES, max_size=25).map("".join)


@settings(max_examples=800, deadline=None)
@given(_ANY)
@example("time ()")
@example("''")
@example("'' x")
@example("sudo ''")
@example("npm ''")
@example("yarn workspace")
@example("python -m")
@example("python ''")
@example("make ''")
@example("ssh")
@example("uv run -- ''")
@example("\x85")
@example("0\n\u2028\n0")
def test_any_text_has_parts_that_can_be_shown(line: str) -> None:
    found = parse_commands(line)
    assert found == parse_commands(line)
    assert len(found) <= MAX_PIPELINES
    for part in found:
        assert_in_bounds(part)


def assert_in_bounds(part: ParsedCommand) -> None:
    for family in (part.family, *part.consumers):
        assert family
        assert family == " ".join(family.split())
        assert len(family) <= MAX_FAMILY_CHARS
    assert part.text == part.text.strip() != ""
    assert len(part.text) <= MAX_LINE_CHARS + 2
    assert len(part.consumers) <= MAX_COMMANDS
    assert all(sign.isprintable() or sign.isspace() or ord(sign) > 0x9F for sign in part.text)
    "".join((part.text, part.family, *part.words)).encode()  # no half of a surrogate pair


_MILLION = 1_000_000
_WITH_BLANK = (
    *("{", "<<a", "[[", "if", "if a; then", "case x in", "while a; do", "f() {", "!", "time", "sudo", "sudo -u", "env"),
    *("A=1", "xargs", "uv run", "npx", "git", "docker compose", "make -j", "a", "yarn workspace"),
)
HOSTILE = [
    *'( ) } ; a; a| | & a&& \' " ` \\ $ $( $(( ${ < <<< > a=( for((; -- x # "$( ({[`"$(<<'.split(),
    *(f"{words} " for words in _WITH_BLANK),
    *("[[ a =~ (", "\n", "a\n", "\0", "\ud800", "\x1b[", " "),
]


@pytest.mark.parametrize("size", [MAX_LINE_CHARS, _MILLION])
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_line_costs_bounded_work(piece: str, size: int) -> None:
    found = parse_commands((piece * (size // len(piece) + 1))[:size])
    assert len(found) <= MAX_PIPELINES
    assert sum(len(part.text) + sum(map(len, part.words)) for part in found) <= MAX_LINE_CHARS * 3
    for part in found:
        assert_in_bounds(part)


def test_long_lines_are_not_remembered() -> None:
    from tacit.commandline.names import _parse_cached

    before = _parse_cached.cache_info().currsize
    for number in range(5):
        parse_commands(f"git commit -m '{'x' * 4000}{number}'")
    assert _parse_cached.cache_info().currsize == before


# Shell lines: what is one command, what is one word, and what is known before the line runs


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


def test_a_line_that_is_nested_too_deeply_is_one_pipeline() -> None:
    (nested,) = parse_pipelines("( " * 500 + "make")
    assert nested.stages == ((("make",),),)
