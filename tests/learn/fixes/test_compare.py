"""What looks like a fix and is none."""

from __future__ import annotations

import re

import pytest

from tacit.learn import load_data
from tacit.learn.fixes.command_kinds import is_bypass
from tacit.learn.fixes.compare import parse_attempt
from tacit.model.observation import ConversationBody, ToolAction, ToolOutcome, ToolUsed, TurnInterrupted
from tests.support.fix_session import AGENT, edited, failed, fixes, ran, read

_FLAG = failed("tool run --oops", "error: unknown flag: --oops")

NONE: dict[str, tuple[ConversationBody, ...]] = {
    "an edit in between": (_FLAG, edited(), ran("tool run --ops")),
    "a file written by a command in between": (_FLAG, ran("echo x > a.py", "", "a.py"), ran("tool run --ops")),
    "the person stopped it": (_FLAG, TurnInterrupted(AGENT), ran("tool run --ops")),
    "another goal": (_FLAG, ran("git status"), ran("ls")),
    "too long ago": (_FLAG, *[read()] * 9, ran("tool run --ops")),
    "the blamed flag is still there": (_FLAG, read(), read(), read(), ran("tool run --oops --verbose --more")),
    "a helper's success": (_FLAG, ran("tool run --ops")._replace(aside=True)),
    "the retry was turned down": (_FLAG, ran("tool run --ops")._replace(outcome=ToolOutcome.REJECTED)),
    "the retry fails in a pipe": (_FLAG, ran("tool run --opps | head", "error: unknown flag: --opps")),
    "the person declined": (failed("rm x", "The user doesn't want to proceed with this tool use."), ran("rm y")),
    "a sibling call": (failed("bd a", "Sibling tool call errored"), ran("bd b")),
    "empty exit 1 of grep": (failed("grep foo a.txt", "Exit code 1"), ran("grep bar a.txt")),
    "what diff prints": (failed("diff a b", "Exit code 1\n< unknown flag: --x\n> y"), ran("diff a c")),
    "nothing to commit": (failed("git commit -m x", "nothing to commit, working tree clean"), ran("git commit -m y")),
    "tests failed": (failed("go test ./...", "--- FAIL: TestX\nFAIL"), ran("go test ./... -run TestY")),
    "a flaky test": (failed("go test ./...", "--- FAIL: TestX\nFAIL"), ran("git stash"), ran("go test ./...")),
    "types": (failed("tsc", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."), ran("tsc -p web")),
    "a field that the code does not have": (
        failed("go vet ./a", "a/x.go:3:1: unknown field Name in struct literal"),
        ran("go vet ./a ./b"),
    ),
    "a crash of a script": (failed("python a.py", "Traceback (most recent call last):\nKeyError"), ran("python b.py")),
    "another module": (
        failed("python -c 'import yaml'", "ModuleNotFoundError: No module named 'yaml'"),
        ran("python -c 'import json'"),
    ),
    "a slip in a path": (failed("cat a/b.txt", "cat: a/b.txt: No such file or directory"), ran("cat c/b.txt")),
    "a conflict": (failed("git am --continue", "edit all merge conflicts"), ran("git add ."), ran("git am --continue")),
    "the remote was ahead": (failed("git push", "! [rejected] (fetch first)"), ran("git pull -r"), ran("git push")),
    "a server that was down": (failed("curl localhost", "Connection refused"), ran("npm start"), ran("curl localhost")),
    "the same again": (failed("npm install", "read ECONNRESET"), ran("npm install")),
    "only a question": (failed("docker --version", "bash: docker: command not found"), ran("podman --version")),
    "a failure that was wanted": (failed("tool --x # should fail", "unknown flag: --x"), ran("tool --y")),
    "noise of every command": (
        failed("rg Foo src", "brew.sh: line 60: Operation not permitted"),
        ran("rg Bar src", "brew.sh: line 60: Operation not permitted\nsrc/a.ts: Bar"),
    ),
    "another pattern": (failed('rg "a(" src', "regex parse error: unclosed group"), ran('rg "b" src')),
    "another filter": (failed("jq '.a[' x.json", "jq: error: syntax error, unexpected end"), ran("jq '.b' x.json")),
    "another script": (failed("sed 's/a/b' x", "sed: unterminated `s' command"), ran("sed 's/c/d/' x")),
    "another program": (failed("awk '{print $1' x", "awk: syntax error at source line 1"), ran("awk '{print}' x")),
    "another question to a database": (
        failed("psql -c 'select nme from a'", 'ERROR:  column "nme" does not exist'),
        ran("psql -c 'select name from a'"),
    ),
    "another text behind <<": (
        failed("jq . <<EOF\n{\nEOF", "parse error: Unfinished JSON"),
        ran("jq . <<EOF\n{}\nEOF"),
    ),
    "another snippet": (failed("python -c 'a('", "syntax error"), ran("python -c 'a()'")),
    "a port of the moment": (failed("npm start", "Port 3000 is already in use"), ran("PORT=3001 npm start")),
    "a slip of the fingers": (failed("npm run tset", 'npm error Missing script: "tset"'), ran("npm run test")),
    "less of the same": (
        failed("git add a.ts dist/b.css", "The following paths are ignored by one of your .gitignore files:\ndist"),
        ran("git add a.ts"),
    ),
    "a push that came too late": (
        failed("git push", "error: failed to push some refs"),
        ran("git pull --rebase"),
        ran("git push"),
    ),
    "an object of the moment": (failed("git show 1a2b3c4d5e6f", "fatal: bad revision '1a2b3c4d5e6f'"), ran("git show")),
    "content of a file": (ran("cat notes.md | head", "error: unknown flag: --x"), ran("cat notes.md | tail")),
    "the host's own tools": (
        ToolUsed(AGENT, "Edit", ToolAction.CHANGED, "a.py", "String to replace not found in file.", ToolOutcome.FAILED),
        edited("a.py"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NONE)
def test_nothing_is_learnt_from(case: str) -> None:
    assert fixes(*NONE[case]) == []


BYPASSES = [
    ("git commit -m x", "error: unknown option, see the hook", "git commit --no-verify -m x"),
    ("git push", "fatal: The current branch x has no upstream branch.", "git push --force origin x"),
    ("git push", "fatal: The current branch x has no upstream branch.", "git push -f origin x"),
    ("npm install", "npm error retry this command with --force to accept it", "npm install --force"),
    ("pip install x", "error: externally-managed-environment", "pip install --break-system-packages x"),
    ("make deploy", "missing required option", "make deploy || true"),
    ("gradle build", "unknown option for check", "gradle build --skip-tests"),
    ("cargo publish", "error: use `--allow-dirty` to publish", "cargo publish --allow-dirty"),
    ("./run.sh", "bash: ./run.sh: Permission denied", "chmod 777 run.sh && ./run.sh"),
    ("HUSKY=1 git commit -m x", "invalid option in hook", "HUSKY=0 git commit -m x"),
    ("git switch main", "fatal: invalid reference: main", "git reset --hard && git switch main"),
    ("git add dist", "The following paths are ignored by one of your .gitignore files:", "git add -f dist"),
    ("npm install", "npm error ERESOLVE, retry with --legacy-peer-deps", "npm install --legacy-peer-deps"),
    ("npm i -g x", "npm error EACCES: permission denied", "sudo npm i -g x"),
    ("mvn test", "(Set -DfailIfNoTests=false to ignore this error.)", "mvn test -DfailIfNoTests=false"),
    ("curl https://a", "SSL: use -k to turn off verification or", "curl -k https://a"),
]


@pytest.mark.parametrize(("command", "error", "bypass"), BYPASSES, ids=[row[2] for row in BYPASSES])
def test_getting_around_a_check_is_never_advice(command: str, error: str, bypass: str) -> None:
    assert fixes(failed(command, error), ran(bypass)) == []
    assert fixes(failed(command, error), ran(bypass), ran(command)) == []


@pytest.mark.parametrize(
    ("pattern", "example"),
    [(row["pattern"], row["example"]) for rows in load_data("fixes/bypasses.toml").values() for row in rows],
)
def test_a_bypass_is_known_by_its_row(pattern: str, example: str) -> None:
    assert re.search(pattern, example)
    assert is_bypass(parse_attempt("tool"), example)


@pytest.mark.parametrize(
    "command",
    ["git branch -d x", "npx --yes a", "git log -f a", "pip install --user a", "docker run -i a", "make test | tail"],
)
def test_what_weakens_no_check_is_no_bypass(command: str) -> None:
    assert not is_bypass(parse_attempt("tool"), command)


def test_after_a_bypass_what_worked_before_it_does_not_count() -> None:
    ignored = "The following paths are ignored by one of your .gitignore files:\ndist"
    assert fixes(failed("git add a dist/b", ignored), ran("git add a -v"), ran("git add -f dist/b")) == []


def test_after_a_bypass_nothing_later_counts_as_the_fix() -> None:
    hook = failed("git commit -m x", "error: invalid option in commit template")
    assert fixes(hook, ran("git commit --no-verify -m x"), ran("git commit -m y")) == []
