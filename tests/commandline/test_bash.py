"""Which commands a line would run."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.commandline.bash import MAX_LINE_CHARS, scan_commands, scan_leading_commands, scan_pipelines
from tacit.commandline.words import ScanError

# A line, and the commands in it.
LINES = {
    "npm i": ["npm i"],
    "a && b | c; (cd x && d); e &": ["a", "b", "c", "cd x", "d", "e"],
    'echo "`a` $(b "c d")"': ["a", "b c d", 'echo `a` $(b "c d")'],
    "cat <<EOF\nnpm i\nEOF\nls": ["cat", "ls"],
    "cat <<EOF\nit is $(a `b`) \\$(c) '$(d)'\nEOF\ne": ["cat", "b", "a `b`", "d", "e"],
    "cat <<\\EOF\n$(a)\nEOF": ["cat"],
    "cat <<EOF; b\n$(a 'open)\nEOF\nc": ["cat", "b", "c"],
    "cat <<-'E' | sh\n\tnpm i\n\tE\nls": ["cat", "sh", "ls"],
    "git commit -m \"$(cat <<'EOF'\nuse npm; npm i\nEOF\n)\"": [
        "cat",
        "git commit -m $(cat <<'EOF'\nuse npm; npm i\nEOF\n)",
    ],
    "case $x in npm) a;; (b|c) d ;; esac; e": ["a", "d", "e"],
    "case $x in npm) a\nesac": ["a"],
    "for npm in npm yarn; do $npm i; b; done": ["$npm i", "b"],
    "for ((i=0; i<3; i++)); do a; done": ["a"],
    "while read -r x; do a $x; done < <(b)": ["read -r x", "a $x", "b"],
    "[[ $a == npm && b ]] && c": ["c"],
    "names=(npm yarn); f() { a; }; f": ["names=(npm yarn)", "a", "f"],
    "function npm { a; }": ["a"],
    "if ! grep -q npm x; then { a; } fi": ["grep -q npm x", "a"],
    "echo a # npm i": ["echo a"],
    "echo 'npm i' \"; npm i\" \\; npm": ["echo npm i ; npm i ; npm"],
    "time -p a": ["a"],
    "echo $((1 + $(a)))": ["a", "echo $((1 + $(a)))"],
    "echo ${x:-$(a)}": ["a", "echo ${x:-$(a)}"],
    "echo $'it\\'s npm'; a": ["echo it's npm", "a"],
    "a \\\n b": ["a b"],
    "": [],
    "# npm i": [],
}


def texts(line: str) -> list[str]:
    return [text for command in scan_commands(line) if (text := " ".join(word.text for word in command.words))]


@pytest.mark.parametrize("line", LINES)
def test_commands_are_found_where_they_run(line: str) -> None:
    assert texts(line) == LINES[line]


@pytest.mark.parametrize(
    "line", ["echo 'a", 'echo "a', "echo $(a", "a)", "a;;", "case x in a) b", "x" * (MAX_LINE_CHARS + 1)]
)
def test_what_is_not_understood_is_an_error(line: str) -> None:
    with pytest.raises(ScanError):
        scan_commands(line)


def test_files_that_output_goes_to_are_known() -> None:
    (command,) = scan_commands("a > b 2>> c < d 2>&1 &> e >| f")
    assert [word.text for word in command.outputs] == ["b", "c", "e", "f"]


@pytest.mark.parametrize(
    "line", ["$(" * 5000, "((" * 5000, '"$(' * 5000, "${x:-" * 5000, "`" * 5001, "(" * 5000, "a=(" * 5000]
)
def test_deep_nesting_is_an_error_and_no_crash(line: str) -> None:
    with pytest.raises(ScanError):
        scan_commands(line)


@given(st.text(alphabet="ab '\"\\$`(){}[]<>|&;#\n=!*-…", max_size=100))
def test_no_line_crashes_and_no_clipped_one_is_an_error(line: str) -> None:
    with suppress(ScanError):
        scan_commands(line)
    scan_leading_commands(line)


def test_a_here_document_belongs_to_its_command() -> None:
    first, second = scan_commands("cat <<-'EOF' > f.txt | grep x\nrm -rf x\n\tEOF\n")
    assert (first.heredoc, first.outputs[0].text, second.heredoc) == ("rm -rf x\n", "f.txt", "")
    assert scan_commands("cat <<EOF\nwithout an end")[0].heredoc == "without an end"


def test_a_command_behind_a_pipe_is_piped() -> None:
    assert [command.is_piped for command in scan_commands("a | b |& c; d && e")] == [False, True, True, False, False]


def test_the_shell_runs_a_pipeline_itself_unless_it_is_in_another_process_or_behind_an_or() -> None:
    line = "a; b | c; (d; e); f & g || h && i; { j; k; } & { l; m || n; }; (o) > x"
    own = [pipeline.text for pipeline in scan_pipelines(line) if pipeline.is_own]
    assert own == ["a", "g", "i", "l", "m"]


@pytest.mark.parametrize(
    ("line", "directories"),
    [
        ("cd src && a; cd ../lib && b", ["", "src", "src", "src/../lib"]),
        ("cd a; (cd b; x); y; cd ..; z", ["", "a", "a/b", "a", "a", "a/.."]),
        ("cd /x; a; cd -; b", ["", "/x", "/x", None]),
        ("pushd src; a; popd; b", ["", "src", "src", None]),
        ("cd $x; a; cd /q && v", ["", None, None, "/q"]),
        ("cd; a", ["", "~"]),
    ],
)
def test_a_command_runs_in_the_directory_that_cd_left(line: str, directories: list[str | None]) -> None:
    assert [command.directory for command in scan_commands(line)] == directories


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("git add -A && git push orig…", ["git add -A", "git push +"]),
        ("npm install --save-dev 'zod…", ["npm install --save-dev +"]),
        ("a && b 'open; c", ["a", "b +"]),
        ("cat > n <<'EOF'\nnpm install\nthis was cu…", ["cat +"]),
        ("a; b", ["a", "b"]),
        ("…", []),
        ("", []),
    ],
)
def test_of_a_clipped_line_the_commands_before_are_known(line: str, found: list[str]) -> None:
    commands = scan_leading_commands(line)
    assert [
        " ".join((*(word.text for word in command.words), *(() if command.is_complete else "+")))
        for command in commands
    ] == found
