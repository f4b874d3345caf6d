"""What a line executes behind wrappers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.commandline.executions import (
    _FILE_COMMANDS,
    MAX_EXECUTIONS,
    _may_change_files,
    changed_files,
    executions,
    patched_files,
)
from tacit.commandline.words import ScanError

WRAPPED = (
    "npm i",
    "sudo -u me npm i",
    "sudo -- npm i",
    "env -i A=b npm i",
    "A=b C='d e' npm i",
    "time npm i",
    "/usr/bin/time -v npm i",
    "timeout -k 5 60 nice -n 3 npm i",
    "ls | xargs -n 1 -I% npm i",
    "bash -c 'npm i'",
    "bash -euo pipefail -c 'cd x && npm i'",
    'sh -lc "npm i"',
    "find . -name x -exec npm i \\;",
    "eval npm i",
    "echo $(npm i)",
    "a && (b || npm i) | c",
    "uv run npm i",
    "/usr/local/bin/npm i",
    "\\npm i",
    "su me -c 'npm i'",
    "watch -n 5 npm i",
    "env -S 'npm i'",
    "if a; then npm i; fi",
    "bunx -p x npm i",
    "uv tool run --from x npm i",
    "source ~/.profile && npm i",
    "ssh -p 22 host npm i",
    "ssh host 'cd x && npm i'",
    "docker exec -it web npm i",
    "docker compose exec -u me web npm i",
    "bash <<EOF\nnpm i\nEOF",
    "echo 'npm i' | bash",
    "P=npm; $P i",
    "P=npm && ${P} i",
    "$(which npm) i",
    "trap 'npm i' EXIT",
    "corepack npm i",
    "npx npm@10 i",
    "npx -y npm@latest i",
    "nvm exec 20 npm i",
    "nvm exec npm i",
    "fnm exec --using=20 npm i",
    "volta run --node 20 npm i",
)
ELSEWHERE = (
    "which npm",
    "command -v npm",
    "echo npm i",
    "grep -r 'npm i' .",
    "docker run node npm i",
    "$P i",
    "P=$(cat x); $P i",
    "echo npm i | cat",
    "bash script.sh <<EOF\nnpm i\nEOF",
    "trap - EXIT",
    "git commit -m 'npm i; npm i'",
    "bash script.sh npm i",
    "cat <<EOF | tee x\nnpm i\nEOF",
    "man npm",
    "python -c 'npm i'",
    "printf '%s' \"$npm i\"",
)


@pytest.mark.parametrize("line", WRAPPED)
def test_a_command_is_found_behind(line: str) -> None:
    (npm,) = [execution for execution in executions(line) if execution.program == "npm"]
    assert [word.text for word in npm.words[1:]] == ["i"]


@pytest.mark.parametrize("line", ELSEWHERE)
def test_a_name_that_does_not_run_is_no_execution(line: str) -> None:
    assert "npm" not in [execution.program for execution in executions(line)]


def test_a_module_of_python_is_a_program() -> None:
    assert [execution.program for execution in executions("python3 -m pip install x")] == ["python3", "pip"]


def test_a_line_with_too_many_commands_is_an_error() -> None:
    with pytest.raises(ScanError):
        executions("a;" * (MAX_EXECUTIONS + 2))


def test_a_script_of_a_shell_is_a_program_and_git_changes_its_directory() -> None:
    assert [command.program for command in executions("bash -eu ./deploy.sh prod")] == ["bash", "deploy.sh"]
    assert [command.directory for command in executions("cd a && git -C ../b push")] == ["", "a/../b"]


# Which files a shell line changes, by its words alone


CHANGES = {
    "echo a > a.txt": ["a.txt"],
    "echo a >> 'my notes.txt'": ["my notes.txt"],
    "make 2>&1 | tee build.log": ["build.log"],
    "make 2> errors.log": ["errors.log"],
    "make &> all.log": ["all.log"],
    "ls | tee -a one two": ["one", "two"],
    "sed -i 's/a/b/' x.py y.py": ["x.py", "y.py"],
    "sed -i.bak -e 's/a/b/' x.py": ["x.py"],
    "sed -i '' 's/a/b/' x.py": ["x.py"],
    "sed -Ei 's/(a)/b/' x.py": ["x.py"],
    "sed --in-place 's/a/b/' x.py": ["x.py"],
    "perl -pi -e 's/a/b/' x.pl": ["x.pl"],
    "git mv a.py b.py": ["a.py", "b.py"],
    "git -C sub rm old.py": ["sub/old.py"],
    "git rm --cached a b": ["a", "b"],
    "mv a b": ["a", "b"],
    "mv a b dir/": ["a", "b", "dir/a", "dir/b"],
    "cp a b": ["b"],
    "cp -r a b dir": ["dir/a", "dir/b"],
    "rm -f a b": ["a", "b"],
    "touch new.txt": ["new.txt"],
    'r"m" old.txt 2>&1': ["old.txt"],
    "make 2>&1 >&log.txt": ["log.txt"],
    "/bin/rm old.txt": ["old.txt"],
    "sudo -u me bash -c 'rm old.txt'": ["old.txt"],
    "cd src && touch a.py": ["src/a.py"],
    "cd src && cd inner && echo x > a.py": ["src/inner/a.py"],
    "(cd src && touch a.py); touch b.py": ["src/a.py", "b.py"],
    "cd /srv/app && rm ../old": ["/srv/old"],
    "cd $HOME && touch a && touch /b": ["/b"],
    "cat > f.py <<'EOF'\nrm not_this\necho > nor_this\nEOF\ntouch this": ["f.py", "this"],
    "cat <<EOF >> f.md\ntext\nEOF": ["f.md"],
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** End Patch\nEOF": [
        "a.py",
        "b.py",
    ],
    "bash -lc 'cd sub && touch a'": ["sub/a"],
    "sudo env A=1 touch a": ["a"],
    "if true; then rm a; fi": ["a"],
    "! rm a": ["a"],
    "A=1 touch b": ["b"],
    "chmod +x run.sh": ["run.sh"],
    "ln -s a b": ["b"],
    "cat x | tee y 'unclosed": [],
    "touch a; echo 'unclosed": ["a"],
}
NOTHING = (
    "ls -la",
    "make > /dev/null 2>&1",
    "cat a 2>/dev/null",
    "echo hi >&2",
    "sed 's/a/b/' x.py",
    "sed -n 1,10p x.py",
    "rm $FILE",
    "rm *.pyc",
    "touch ~/x",
    'for f in a b; do rm "$f"; done',
    "echo 'rm a' | wc",
    'echo "a > b"',
    "# rm a",
    "grep -rn 'cp' src",
    "git commit -m 'mv a b'",
    "cp $A b",
    "cat < in.txt",
    "wc <<< here",
    "rm `cat list`",
    "rm $(cat list)",
    "",
)


@pytest.mark.parametrize(("line", "files"), CHANGES.items())
def test_a_line_changes_the_files_it_names(line: str, files: list[str]) -> None:
    assert list(changed_files(line)) == files


@pytest.mark.parametrize("line", NOTHING)
def test_a_line_that_names_no_file_it_changes_changes_none(line: str) -> None:
    assert changed_files(line) == ()


def test_of_a_line_that_failed_the_last_command_is_not_believed() -> None:
    assert changed_files("sed -i s/a/b/ x.py && make test", failed=True) == ("x.py",)
    assert changed_files("rm missing", failed=True) == ()


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab >'\"$`\\&|;()<-\n{}#*=sedrmcp", max_size=120))
def test_no_line_is_an_error(line: str) -> None:
    changed_files(line)


def test_a_patch_names_each_of_its_files_once() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b c.py\n*** Delete File: d\n*** Update File: a\n"

    assert patched_files(patch) == ("a", "b c.py", "d")


@pytest.mark.parametrize("program", sorted(_FILE_COMMANDS))
def test_no_command_that_changes_files_is_left_out_before_its_line_is_parsed(program: str) -> None:
    assert _may_change_files(f"{program} {'mv ' if program == 'git' else ''}a b")


@pytest.mark.parametrize("line", ["git status 2>&1", "make >/dev/null", "ls format charm", "echo a 2>&1 | grep b"])
def test_a_line_that_changes_no_file_is_not_parsed(line: str) -> None:
    assert not _may_change_files(line)
