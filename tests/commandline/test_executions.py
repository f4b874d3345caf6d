"""What a line executes behind wrappers."""

from __future__ import annotations

import pytest

from tacit.commandline.bash import ScanError
from tacit.commandline.executions import MAX_EXECUTIONS, executions

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
)
ELSEWHERE = (
    "which npm",
    "command -v npm",
    "echo npm i",
    "grep -r 'npm i' .",
    "ssh host npm i",
    "docker run node npm i",
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
