"""Which later call is the candidate of a failed one, what counts as a failure, and what is never suggested."""

from __future__ import annotations

import re

import pytest

from tacit.learn import load_data
from tacit.learn.fixes.pairs import WINDOW, asks_something_else, error_line, is_bypass, is_never_advice
from tacit.model.observation import ConversationBody, PromptGiven, ToolAction, ToolOutcome, TurnInterrupted
from tests.support.fix_session import AGENT, called, edited, failed, pairs, ran, read, rendered

_FLAG = failed("tool run --oops", "error: unknown flag: --oops")


def test_the_most_similar_success_is_the_candidate_and_not_the_first() -> None:
    (pair,) = pairs(
        failed("bd list --stat open --label ui", "Error: unknown flag: --stat"),
        ran("bd list"),
        read(),
        ran("bd list --status open --label ui"),
    )
    assert (pair.failure.event_id, pair.retry.event_id, pair.distance) == ("e0", "e3", 2)


def test_another_program_may_be_the_retry() -> None:
    (pair,) = pairs(
        failed("gh pr diff 231", "HTTP 406: the diff exceeded the maximum number of lines"),
        ran("gh api repos/acme/shop/pulls/231/files"),
    )
    assert pair.after == "gh api repos/acme/shop/pulls/231/files"
    (pair,) = pairs(failed("tree src", "zsh: command not found: tree"), ran("find src -type d"))
    assert pair.after == "find src -type d"


def test_a_call_of_a_host_tool_has_a_candidate() -> None:
    (pair,) = pairs(called("Skill", "deploy", "Unknown skill: deploy"), called("Skill", "ops:deploy"))
    assert (pair.before, pair.after, pair.family) == ("Skill: deploy", "Skill: ops:deploy", "Skill")


def test_another_tool_may_be_the_retry_if_both_have_something_in_common() -> None:
    page = called("WebFetch", "https://github.com/acme/shop/blob/main/docs/a.md", "Request failed with status code 404")
    (pair,) = pairs(page, ran("gh api repos/acme/shop/contents/docs/a.md"))
    assert pair.after == "gh api repos/acme/shop/contents/docs/a.md"
    assert pairs(page, ran("make test")) == []


def test_the_command_in_between_is_the_repair_if_it_is_the_only_one_with_an_effect() -> None:
    build = failed("npm run build", "sh: vite: command not found")
    (pair,) = pairs(build, ran("ls"), ran("npm ci"), ran("npm run build"))
    assert pair.is_same_text and pair.repair is not None and pair.repair.text == "npm ci"
    (pair,) = pairs(build, ran("npm ci"), ran("make tools"), ran("npm run build"))
    assert pair.repair is None


def test_what_was_put_in_front_in_the_same_line_belongs_to_the_retry() -> None:
    (pair,) = pairs(failed("go test ./...", "go: go.mod file not found"), ran("cd server && go test ./..."))
    assert pair.after == "cd server && go test ./..."


@pytest.mark.parametrize("hidden", ["bd show x 2>&1 | head -5", "bd show x || true", "bd show x; ls"])
def test_a_failure_that_a_pipe_hides_is_one(hidden: str) -> None:
    (pair,) = pairs(ran(hidden, 'Error: unknown command "show" for "bd"'), ran("bd view x"))
    assert pair.error == 'Error: unknown command "show" for "bd"'


NO_PAIR: dict[str, tuple[ConversationBody, ...]] = {
    "the person stopped it": (_FLAG, TurnInterrupted(AGENT), ran("tool run --ops")),
    "another goal": (_FLAG, ran("git status"), ran("ls")),
    "too long ago": (_FLAG, *[read()] * WINDOW, ran("tool run --ops")),
    "many prompts in between": (_FLAG, *[PromptGiven(AGENT, "go on")] * 6, ran("tool run --ops")),
    "the blamed option is still there": (_FLAG, ran("tool run --oops --verbose")),
    "the success of a subagent": (_FLAG, ran("tool run --ops")._replace(aside=True)),
    "the retry was declined": (_FLAG, ran("tool run --ops")._replace(outcome=ToolOutcome.REJECTED)),
    "the retry fails in a pipe": (_FLAG, ran("tool run --opps | head", "error: unknown flag: --opps")),
    "the person declined": (failed("rm x", "The user doesn't want to proceed with this tool use."), ran("rm y")),
    "a sibling call": (failed("bd a", "Sibling tool call errored"), ran("bd b")),
    "no output": (failed("grep foo a.txt", "Exit code 1"), ran("grep bar a.txt")),
    "the answer of diff": (failed("diff a b", "Exit code 1\n< unknown flag: --x\n> y"), ran("diff a c")),
    "a failure that was wanted": (failed("tool --x # should fail", "unknown flag: --x"), ran("tool --y")),
    "a bypass came first": (failed("make x", "error: hook"), ran("make x --no-verify"), ran("make x -v")),
    "an edit is no retry of a command": (failed("lint src/a.py", "src/a.py: undefined"), edited("src/a.py")),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_PAIR)
def test_no_candidate_is_found_if(case: str) -> None:
    assert pairs(*NO_PAIR[case]) == []


def test_the_line_that_says_what_went_wrong_is_chosen() -> None:
    result = "brew.sh: line 60: Operation not permitted\nrg: regex parse error: unclosed group"
    assert error_line(result, "rg 'a(' src") == "rg: regex parse error: unclosed group"
    assert error_line("Traceback (most recent call last):\n  File 'a'\nKeyError: 'b'") == "KeyError: 'b'"
    assert error_line("Exit code 1\nsome noise", noise=frozenset(("some noise",))) == ""


BYPASSES = [
    ("git commit -m x", "error: unknown option, see the hook", "git commit --no-verify -m x"),
    ("git push", "error: failed to push some refs", "git push --force origin x"),
    ("npm install", "npm error retry this command with --force to accept it", "npm install --force"),
    ("pip install x", "error: externally-managed-environment", "pip install --break-system-packages x"),
    ("make deploy", "missing required option", "make deploy || true"),
    ("./run.sh", "bash: ./run.sh: Permission denied", "chmod 777 run.sh && ./run.sh"),
    ("git add dist", "The following paths are ignored by one of your .gitignore files:", "git add -f dist"),
    ("npm i -g x", "npm error EACCES: permission denied", "sudo npm i -g x"),
    ("curl https://a", "SSL: use -k to turn off verification or", "curl -k https://a"),
]


@pytest.mark.parametrize(("command", "error", "bypass"), BYPASSES, ids=[row[2] for row in BYPASSES])
def test_a_bypass_is_never_suggested(command: str, error: str, bypass: str) -> None:
    assert all(map(is_never_advice, pairs(failed(command, error), ran(bypass))))
    assert all(map(is_never_advice, pairs(failed(command, error), ran(bypass), ran(command))))


COMMON = [
    (failed("git push", "fatal: The current branch x has no upstream branch."), ran("git push -u origin x")),
    (failed("git rebase main", "CONFLICT (content): Merge conflict in a.py"), ran("git rebase main --continue")),
    (failed("git commit -m x", "nothing to commit, working tree clean"), ran("git commit -m y")),
    (failed("npm install", "read ECONNRESET"), ran("npm install --verbose")),
    (failed("npm start", "Port 3000 is already in use"), ran("PORT=3001 npm start")),
    (
        called("Edit", "a.py", "File has not been read yet. Read it first before writing to it.", ToolAction.CHANGED),
        edited("a.py"),
    ),
    (called("Edit", "a.py", "String to replace not found in file.", ToolAction.CHANGED), edited("a.py")),
]


@pytest.mark.parametrize(("failure", "retry"), COMMON, ids=[row[0].result for row in COMMON])
def test_what_every_agent_knows_is_never_suggested(failure: ConversationBody, retry: ConversationBody) -> None:
    assert all(map(is_never_advice, pairs(failure, retry)))


ROWS = [(table, *row) for table, rows in load_data("fixes/never.toml").items() for row in rows]


@pytest.mark.parametrize(("table", "pattern", "example"), ROWS, ids=[row[2] for row in ROWS])
def test_a_row_matches_its_example(table: str, pattern: str, example: str) -> None:
    assert re.search(pattern, example, re.IGNORECASE if table == "errors" else 0)
    assert table in ("errors", "retries") or is_bypass("tool", example)


@pytest.mark.parametrize(
    "command",
    ["git branch -d x", "npx --yes a", "git log -f a", "pip install --user a", "docker run -i a", "make test | tail"],
)
def test_what_weakens_no_check_is_no_bypass(command: str) -> None:
    assert not is_bypass("tool", command)


# Quotes that were missing are one lesson, whatever the command, the file and the shell


@pytest.mark.parametrize(
    "error",
    [
        "bash: -c: line 1: syntax error near unexpected token `('",
        "zsh:1: no matches found: src/(app)/a.ts",
        "(eval):1: unknown file attribute: a",
    ],
)
def test_a_path_belongs_in_quotes_in_the_words_of_every_shell(error: str) -> None:
    lesson = "When a shell command fails on a path with `(` and `)`, put the path in quotes."
    assert rendered(failed("cat src/(app)/a.ts", error), ran("cat 'src/(app)/a.ts'")) == lesson
    assert rendered(failed("sed -n 1p src/(app)/b.ts", error), ran("sed -n 1p 'src/(app)/c.ts'")) == lesson


def test_what_the_shell_reads_in_double_quotes_belongs_in_single_ones() -> None:
    assert rendered(failed('git commit -m "wow!"', 'bash: !": event not found'), ran("git commit -m 'wow!'")) == (
        "When a shell command fails on `!` in double quotes, use single quotes."
    )
    assert rendered(failed("pip install a[b]", "zsh: no matches found: a[b]"), ran("pip install 'a[b]'")) == (
        "When a shell command fails on an argument with `[` and `]`, put the argument in quotes."
    )


def test_an_exclamation_mark_that_arrives_with_a_backslash_is_one_lesson_for_every_program() -> None:
    error = "jq: error: syntax error, unexpected INVALID_CHARACTER\nselect(.a \\!= null)"
    assert rendered(failed("jq -c 'select(.a != null)' x.json", error), ran("jq -c 'select(.a)' x.json")) == (
        "When a command fails because the shell passes `!` in quotes as `\\!`, write the argument without `!`."
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rg 'a(' src", "rg 'b' src"),
        ("jq '.a[' x.json", "jq '.b' x.json"),
        ("python -c 'a('", "python -c 'a()'"),
        ("jq . <<EOF\n{\nEOF", "jq . <<EOF\n{}\nEOF"),
    ],
)
def test_another_pattern_or_program_is_another_question(before: str, after: str) -> None:
    assert asks_something_else(before, after)
    assert not asks_something_else(before, f"time {after}")
