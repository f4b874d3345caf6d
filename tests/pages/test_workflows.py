"""An exported workflow, run by the tool it was exported for, does what its steps do."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.pages import workflows
from tacit.pages.workflows import FORMATS, WorkflowExport, WorkflowForm, function_name, safe_name, sh_word

PATH = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
ENVIRONMENT = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": os.devnull}
TOOLS = ["bash", "zsh", "fish", "just", "make", "claude-command"]
# The shell that a step of each format runs in.
SHELLS = {"bash": "bash", "zsh": "zsh", "fish": "fish", "just": "bash", "make": "zsh", "claude-command": "bash"}
BIDI = "\u202e"


def tool(name: str) -> str:
    found = shutil.which(name, path=PATH)
    assert found, f"{name} is not installed"
    return found


def exported(
    format_: str, recipe: WorkflowExport, folder: Path, *, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Write the export and run it with the real tool."""
    recipe = recipe._replace(shell=SHELLS[format_])
    text = FORMATS[format_](recipe)
    file = folder / "exported"
    file.write_text(text, encoding="utf-8")
    if format_ == "claude-command":
        return as_an_agent_would(text, recipe, cwd or folder)
    name, function = safe_name(recipe.name), function_name(recipe)
    calls = {
        "just": ["just", "--quiet", "--justfile", str(file), name],
        "make": ["make", "--silent", "--file", str(file), name],
        "fish": ["fish", "--no-config", "-c", f"source {file}; {function}"],
    }
    call = calls.get(format_) or [format_, "-c", f". {file}; {function}"]
    return ran([tool(call[0]), *call[1:]], cwd or folder)


def ran(call: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        call, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )


def directly(shell: str, step: str, cwd: Path) -> str:
    """What a step prints when its shell runs it."""
    done = ran([tool(shell), "-c", *([] if shell == "fish" else ["--"]), step], cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_an_agent_would(text: str, recipe: WorkflowExport, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Replace what Claude Code replaces, refuse what it would run, and run the fenced blocks in one shell each."""
    assert not re.search("!`[^`]+`", text)
    text = re.sub(r"\$(?:ARGUMENTS|\d)", "REPLACED", text)
    out = ""
    for block in fenced(text):
        if re.fullmatch("cd [^&]*", block):
            cwd = Path(ran([tool(recipe.shell), "-c", f"{block}\npwd"], cwd).stdout.removesuffix("\n"))
            continue
        done = ran([tool(recipe.shell), "-c", "--", block], cwd)
        out += done.stdout
        if done.returncode:
            return subprocess.CompletedProcess([], done.returncode, out, done.stderr)
    return subprocess.CompletedProcess([], 0, out, "")


def fenced(text: str) -> list[str]:
    """The fenced blocks of Markdown, each ended by a fence at least as long as the one it began with."""
    blocks: list[str] = []
    fence, inside = "", list[str]()
    for line in text.split("\n"):
        run = re.match("`{3,}", line)
        if not fence:
            fence, inside = (run[0], []) if run else ("", [])
        elif run and len(run[0]) >= len(fence) and line.strip("`") == "":
            blocks.append("\n".join(inside))
            fence = ""
        else:
            inside.append(line)
    return blocks


def printing(text: str, shell: str) -> str:
    """A step that prints just this text and a bar."""
    escaped = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"printf '%s|' {escaped if shell == 'fish' else shlex.quote(text)}"


nasty = st.text(
    alphabet=st.sampled_from("'\"$!\\%#`{}()[]<>;&|*?~=@:^+-_ \t\n\rabAR1é漢😀\u202e\u200b\x1b\x7f\u0301")
    | st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    max_size=12,
)


@pytest.mark.parametrize(
    ("format_", "examples", "most"),
    [
        ("bash", 15, 12),
        ("zsh", 15, 12),
        ("fish", 8, 6),
        ("just", 15, 12),
        ("make", 15, 12),
        ("claude-command", 15, 8),
    ],
)
def test_whatever_a_step_holds_is_printed_as_it_stands(format_: str, examples: int, most: int, tmp_path: Path) -> None:
    @settings(max_examples=examples, deadline=None, derandomize=True)
    @given(st.lists(nasty, min_size=most, max_size=most))
    def holds(texts: list[str]) -> None:
        steps = tuple(printing(text, SHELLS[format_]) for text in texts)
        done = exported(format_, WorkflowExport("all", steps), tmp_path)
        assert (done.stdout, done.returncode) == (_read("".join(f"{text}|" for text in texts)), 0), done.stderr

    holds()


def _read(text: str) -> str:
    """As Python reads it from a program that is said to print text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


REAL = (
    """printf '%s\\n' "it's" 'a "b"' $HOME `echo tick` $(echo dollar) \\\\ ! !! '!x'""",
    "echo '{{ braces }}' '{{{ }}}' '{{{{' \"{{x}}\"",
    "echo 100% '%s' '%%' # a comment",
    "printf '%s\\n' -n -e '-- -x' \t'tab\there'",
    'for x in 1 2\ndo\n  echo "line $x"\n\ndone',
    "cat <<'END'\n```\n$1 `id` \\\n\tEND\nEND",
    "cat <<'END'\n```\n---\n`````\nEND",
    "echo a b | awk '{print $2, $1}'",
    "echo '$ARGUMENTS' '${CLAUDE_SESSION_ID}' '$0' '!`echo no`'",
    "echo ünïcode 漢字 😀 'x\u202ey' 'z\u200bz'",
    'echo $#; echo ${#HOME} && echo "$((1 + 2))"',
    'x=1; echo $x; (exit 3) || echo "status $?"',
    "'=nothing' 2>/dev/null || echo 'no such command'",
)


@pytest.mark.parametrize("format_", [name for name in TOOLS if name != "fish"])
def test_real_commands_print_what_they_print_when_run_directly(format_: str, tmp_path: Path) -> None:
    expected = "".join(directly(SHELLS[format_], step, tmp_path) for step in REAL)
    assert expected.count("\n") > 20
    done = exported(format_, WorkflowExport("real", REAL), tmp_path)
    assert (done.stdout, done.returncode) == (expected, 0), done.stderr


def test_real_commands_of_fish_print_what_they_print_when_run_directly(tmp_path: Path) -> None:
    steps = (
        "set x 1; echo $x (echo sub) \"$HOME\" 'it\\'s' \\\\ ! '!x' '`'",
        'for x in a b\n    echo "line $x"\n\nend # done',
        "printf '%s\\n' '{{ }}' 100% '%%' {a,b} -n --",
        "echo 漢字 'x\u202ey' \\u263a",
    )
    expected = "".join(directly("fish", step, tmp_path) for step in steps)
    assert exported("fish", WorkflowExport("real", steps), tmp_path).stdout == expected


@pytest.mark.parametrize("format_", TOOLS)
def test_an_export_stops_at_the_first_step_that_fails(format_: str, tmp_path: Path) -> None:
    done = exported(format_, WorkflowExport("stops", ("echo one", "exit 3", "echo two")), tmp_path)
    assert done.stdout == "one\n"
    assert done.returncode == (2 if format_ == "make" else 3)


@pytest.mark.parametrize("format_", TOOLS)
def test_an_export_changes_to_the_directory_and_a_cd_step_to_another(format_: str, tmp_path: Path) -> None:
    folder = tmp_path / f"it's a $1 {{{{x}}}} %#! \\ `folder` {BIDI}"
    (folder / "sub folder").mkdir(parents=True)
    recipe = WorkflowExport("where", ("pwd", "cd 'sub folder'", "pwd", "cd .. && pwd", "pwd"), str(folder))
    done = exported(format_, recipe, tmp_path)
    inner = f"{folder}/sub folder"
    assert (done.stdout, done.returncode) == (f"{folder}\n{inner}\n{folder}\n{inner}\n", 0), done.stderr


@pytest.mark.parametrize("format_", TOOLS)
def test_without_a_directory_it_runs_where_one_stands(format_: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert exported(format_, WorkflowExport("where", ("pwd",)), tmp_path, cwd=elsewhere).stdout == f"{elsewhere}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_whoever_calls_the_function_stays_where_they_are(shell: str, tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "function"
    folder.mkdir()
    file.write_text(FORMATS[shell](WorkflowExport("there", ("x=1", "cd /"), str(folder))))
    done = ran([tool(shell), "-c", f"source {file}; there; pwd"], tmp_path)
    assert done.stdout == f"{tmp_path}\n"


@pytest.mark.parametrize("format_", TOOLS)
@pytest.mark.parametrize("name", ["test", "if", "1st", "a.b", "echo", "import", "x\n\techo pwned \\", "--", "é"])
def test_no_name_does_harm(name: str, format_: str, tmp_path: Path) -> None:
    done = exported(format_, WorkflowExport(name, ("echo fine; test 1 = 1",)), tmp_path)
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr


@pytest.mark.parametrize("format_", TOOLS)
def test_an_export_says_where_it_comes_from_and_shows_no_invisible_letters(format_: str) -> None:
    text = FORMATS[format_](WorkflowExport("check", (f"echo {BIDI} \x1b[31m",), shell=SHELLS[format_]))
    assert "tacit workflow edit check" in text
    assert BIDI not in text and "\x1b" not in text
    assert "allowed-tools" not in text  # of a slash command
    assert function_name(WorkflowExport("make", ("make test",))) == "run-make"  # hides no command of its own steps


def test_a_make_step_is_the_first_make(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@echo level $(MAKELEVEL)\n")
    assert exported("make", WorkflowExport("again", ("make -C .",)), tmp_path).stdout == directly(
        "zsh", "make -C .", tmp_path
    )


def test_a_posix_word_needs_nothing_but_a_posix_shell(tmp_path: Path) -> None:
    text = "-n % \\n '\"$x` \n\t\x1b é"
    assert ran([tool("sh"), "-c", f"printf '%s' {sh_word(text)}"], tmp_path).stdout == text


# The form that a person edits

steps = st.lists(nasty.map(lambda text: text.strip("\n")).filter(str.strip), min_size=1, max_size=4).map(tuple)


@settings(max_examples=200, deadline=None)
@given(steps, st.sampled_from(("", "/home/some one/x:y # z")))
def test_a_form_read_back_is_the_same(given_steps: tuple[str, ...], directory: str) -> None:
    before = WorkflowForm("check", tuple(_with_tidy_blanks(step) for step in given_steps), directory)
    assert workflows.parse_form(workflows.render_form(before)) == before


def _with_tidy_blanks(step: str) -> str:
    """A line of blanks in the middle of a step is an empty one."""
    return "\n".join(line if line.strip() else "" for line in step.split("\n")).strip("\n")


def test_other_line_ends_tabs_and_a_step_on_the_line_of_its_key_are_understood() -> None:
    before = WorkflowForm("check", ("one\ntwo", "three"), "/x")
    assert workflows.parse_form(workflows.render_form(before).replace("\n", "\r\n")) == before
    steps = "name: x\nstep: make\n\nstep:\n\techo a\n\n\techo b\n\n"
    assert workflows.parse_form(steps) == WorkflowForm("x", ("make", "echo a\n\necho b"))


@pytest.mark.parametrize(
    "text", ["step:\n    make", "name: x\nmake", "name: x\n    make", "name: x\nname: y", "nme: x"]
)
def test_a_form_that_is_not_understood_says_what_to_type(text: str) -> None:
    with pytest.raises(Exception, match=r"line \d|no name") as refused:
        workflows.parse_form(text)
    assert getattr(refused.value, "hint", "")


# Placeholders

ASKING = WorkflowExport("asking", ("cd {?where}", "printf '%s|' v{?version} \"<{?message}>\" '({?version})'", "pwd"))
NASTY = 'it\'s $(id) "`x`"; echo no \\'


def called_with(format_: str, folder: Path, *values: str) -> subprocess.CompletedProcess[str]:
    """The export, called as its tool takes arguments."""
    recipe = ASKING._replace(shell=SHELLS[format_])
    file = folder / "exported"
    file.write_text(FORMATS[format_](recipe), encoding="utf-8")
    named = [
        f"tacit_{name}={value.replace('$', '$$')}" for name, value in zip(recipe.placeholders, values, strict=False)
    ]
    calls = {
        "just": ["just", "--quiet", "--justfile", str(file), "asking", *values],
        "make": ["make", "--silent", "--file", str(file), "asking", *named],
        "fish": ["fish", "--no-config", "-c", f"source {file}; asking $argv", *values],
    }
    call = calls.get(format_) or [format_, "-c", f'. {file}; asking "$@"', format_, *values]
    return ran([tool(call[0]), *call[1:]], folder)


@pytest.mark.parametrize("format_", [name for name in TOOLS if name != "claude-command"])
def test_placeholders_are_arguments_of_an_export_and_each_is_one_word(format_: str, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    done = called_with(format_, tmp_path, "a b", "1.5", NASTY)
    assert done.stdout == f"v1.5|<{NASTY}>|(1.5)|{tmp_path / 'a b'}\n", done.stderr


@pytest.mark.parametrize("format_", [name for name in TOOLS if name != "claude-command"])
def test_an_export_that_is_not_given_its_values_does_nothing(format_: str, tmp_path: Path) -> None:
    done = called_with(format_, tmp_path)
    assert done.returncode != 0
    assert "v" not in done.stdout
    asked = "ask for the value of each placeholder: `{?where}`, `{?version}`, `{?message}`"
    assert asked in FORMATS["claude-command"](ASKING)
