"""A fix is said so that it holds in another session: without the names, values and places of the day."""

from __future__ import annotations

import re

import pytest

from tacit.model.observation import PromptGiven, PromptKind, ToolUsed
from tests.support.fix_session import AGENT, failed, fixes, ran, sentences

NO_FLAG = [
    ("bd ls --x a", "unknown flag: --x", "bd ls a", "`bd ls` has no `--x`; leave it out."),
    ("bd ls --stat a", "unknown flag: --stat", "bd ls --status a", "`bd ls` has no `--stat`; use `--status`."),
    (
        "git show --no-stat HEAD",
        "fatal: unrecognized argument: --no-stat",
        'git show HEAD --format="" -- src/a.go',
        '`git show` has no `--no-stat`; `git show HEAD --format=""` works.',
    ),
    ("git log --oops a", "error: unknown option `oops'", "git log a", "`git log` has no `--oops`; leave it out."),
    ("date -d yesterday", "date: illegal option -- d", "date -v-1d", "`date` has no `-d`; use `-v-1d`."),
    (
        "poetry install --no-dev",
        'The "--no-dev" option does not exist.',
        "poetry install --without dev",
        "`poetry install` has no `--no-dev`; `poetry install --without dev` works.",
    ),
]


@pytest.mark.parametrize(("before", "error", "after", "sentence"), NO_FLAG, ids=[row[0] for row in NO_FLAG])
def test_of_a_flag_that_there_is_not_the_lesson_is_the_flag(before: str, error: str, after: str, sentence: str) -> None:
    assert sentences(failed(before, error), ran(after)) == [sentence]


OF_THE_DAY = [
    (
        failed("git checkout main", "fatal: 'main' is already used by worktree at '/Users/ann/work/shop'"),
        "git checkout -b ann/new-cart origin/main",
        "When `git checkout main` fails with “'main' is already used by worktree”, "
        "use `git checkout -b <branch> origin/main`.",
    ),
    (
        failed("git pull", "There is no tracking information for the current branch."),
        "git pull origin new-cart",
        "When `git pull` fails with “There is no tracking information for the current branch”, "
        "use `git pull origin <branch>`.",
    ),
    (
        failed("gh pr merge 12 --merge", "Merge commits are not allowed on this repository."),
        "gh pr merge 12 --squash",
        "When `gh pr merge <number> --merge` fails with “Merge commits are not allowed on this repository”, "
        "use `gh pr merge <number> --squash`.",
    ),
    (
        failed("gh pr create --title 'My cart'", "must provide `--title` and `--body` when not interactive"),
        "gh pr create --title 'My cart' --body 'It is new'",
        "When `gh pr create --title <text>` fails with “must provide `--title` and `--body` when not interactive”, "
        "use `gh pr create --title <text> --body <text>`.",
    ),
    (
        failed("cargo build", "error: could not find `Cargo.toml` in `/home/ann/shop` or any parent directory"),
        "cargo build --manifest-path core/Cargo.toml",
        "When `cargo build` fails with “could not find `Cargo.toml` in `~/shop` or any parent directory”, "
        "use `cargo build --manifest-path core/Cargo.toml`.",
    ),
]


@pytest.mark.parametrize(("failure", "after", "sentence"), OF_THE_DAY, ids=[row[1] for row in OF_THE_DAY])
def test_names_of_the_day_are_left_open(failure: ToolUsed, after: str, sentence: str) -> None:
    assert sentences(failure, ran(after)) == [sentence]


@pytest.mark.parametrize(
    "value", ["postgres://ann:hunter2@db/shop", "hunter2", "'hunter2 and more'", '"hunter2"', "/srv/hunter2"]
)
def test_of_a_variable_only_the_name_is_kept(value: str) -> None:
    missing = failed("npm test", "Error: DATABASE_URL is not set")
    (in_front,) = sentences(missing, ran(f"DATABASE_URL={value} npm test"))
    assert in_front.endswith("use `DATABASE_URL=<value> npm test`.")
    (exported,) = sentences(missing, ran(f"export DATABASE_URL={value}"), ran("npm test"))
    assert exported.endswith("run `export DATABASE_URL=<value>` first.")


def test_a_switch_and_a_folder_of_the_project_are_no_values_to_hide() -> None:
    missing = failed("pytest", "ModuleNotFoundError: No module named 'shop'")
    assert sentences(missing, ran("PYTHONPATH=src pytest"))[0].endswith("use `PYTHONPATH=src pytest`.")
    tty = failed("tool run", "the input device is not a TTY")
    assert sentences(tty, ran("CI=1 tool run"))[0].endswith("use `CI=1 tool run`.")


def test_nothing_is_said_with_a_secret_that_was_taken_out() -> None:
    failure = failed("tool get --key [redacted:token] --a", "option '--a' is not allowed with '--key'")
    assert sentences(failure, ran("tool get --key [redacted:token] b")) == [
        "When `tool get` fails with “option '--a' is not allowed with '--key'”, use `b` instead of `--a`."
    ]
    assert sentences(failure, ran("tool get --key [redacted:other]")) == []


LEARNT = [
    ("python a.py", "bash: python: command not found", "python3 a.py"),
    ("npm install", 'npm error Use "pnpm install" for installation in this project', "pnpm install"),
    ("pytest -n 4", "error: unrecognized arguments: -n", "uv run pytest -n 4"),
    ("docker build .", "failed to read dockerfile: open Dockerfile: no such file", "docker build -f ci/Dockerfile ."),
    ("docker run -it img sh", "the input device is not a TTY", "docker run -i img sh"),
    ("psql shop", 'FATAL:  role "ann" does not exist', "psql -U postgres shop"),
    ("ssh build-1", "Permission denied (publickey).", "ssh -i ~/.ssh/build build-1"),
    ("git push origin master", "error: src refspec master does not match any", "git push origin main"),
    ("aws s3 ls", "Unable to locate credentials. Please run aws configure", "aws s3 ls --profile dev"),
    ("python setup.py", "ERROR: this package requires Python >=3.11", "python3.11 setup.py"),
    ("apt install jq", "E: Could not open lock file (13: Permission denied)", "sudo apt install jq"),
    ("jest --testPathPattern a", 'Option "testPathPattern" was replaced', "jest --testPathPatterns a"),
]


@pytest.mark.parametrize(("before", "error", "after"), LEARNT, ids=[row[2] for row in LEARNT])
def test_what_a_person_would_want_to_know_next_time_is_learnt(before: str, error: str, after: str) -> None:
    (sentence,) = sentences(failed(before, error), ran(after))
    assert sentence.endswith(f"use `{after}`.")
    assert re.fullmatch(r"When `[^`]+` fails with “.+”, use `[^`]+`\.", sentence)


def test_a_command_that_the_error_asks_for_is_seen_in_the_same_line() -> None:
    error = 'Error: Backend initialization required, please run "terraform init"'
    assert sentences(failed("terraform plan", error), ran("terraform init && terraform plan")) == [
        'When `terraform plan` fails with “Backend initialization required, please run "terraform init"”, '
        "run `terraform init` first."
    ]


def test_a_formatter_that_mends_a_check_is_told_without_the_errors_of_the_day() -> None:
    failure = failed("npm run check", "src/a.ts:1:2 format\nFound 2 errors.")
    assert sentences(failure, ran("npm run format"), ran("npm run check")) == [
        "When `npm run check` fails on formatting, run `npm run format` first."
    ]


def test_a_compiler_that_sees_one_file_only_wants_the_folder() -> None:
    error = "# command-line-arguments\n./cmd/main.go:10:2: undefined: parse"
    lesson = "When `go run` fails on one file because names are undefined, run it on the whole folder."
    assert sentences(failed("go run cmd/main.go", error), ran("go run ./cmd")) == [lesson]
    assert sentences(failed("go run cmd/main.go", error), ran("go run ./tools")) == []


def test_a_command_run_where_the_project_begins_is_told_without_its_place() -> None:
    failure = failed("npm test", "npm error enoent Could not read package.json")._replace(directory="/srv/ann/shop/web")
    assert sentences(failure, ran("cd /srv/ann/shop && npm test")) == [
        "When `npm test` fails with “enoent Could not read package.json”, run it in the top folder of the project."
    ]


def test_a_place_that_was_right_the_first_time_is_not_part_of_the_fix() -> None:
    failure = failed("cd web && npm run build", 'npm error Missing script: "build"')
    assert sentences(failure, ran("cd web && npm run bundle")) == [
        'When `npm run build` fails with “Missing script: "build"”, use `npm run bundle`.'
    ]


_BROKEN = "fatal: unable to read e53647ba1f1e5203bedff558b482f178db045555"
_STATUS, _READ_TREE = "git -C /srv/shop/.worktrees/3 status", "git -C /srv/shop/.worktrees/3 read-tree HEAD"
_MENDED = "When `git status` fails with “unable to read <id>”, run `git read-tree HEAD` first."


def test_what_befell_one_object_waits_until_it_befalls_another() -> None:
    again = failed(_STATUS, _BROKEN.replace("e53647ba", "0a1b2c3d"))
    once = (failed(_STATUS, _BROKEN), ran(_READ_TREE), ran(_STATUS), *[ran("ls")] * 9)
    assert sentences(*once) == []
    assert sentences(*once, again, ran(_READ_TREE), ran(_STATUS)) == [_MENDED]


def test_a_repair_that_the_person_names_is_known_to_help() -> None:
    told = PromptGiven(AGENT, "run git read-tree HEAD to recover", PromptKind.REJECTION)
    assert sentences(failed(_STATUS, _BROKEN), told, ran(_READ_TREE), ran(_STATUS)) == [_MENDED]
    other = PromptGiven(AGENT, "please go on", PromptKind.TYPED)
    assert sentences(failed(_STATUS, _BROKEN), other, ran(_READ_TREE), ran(_STATUS)) == []


def test_a_flag_that_the_error_recommends_for_a_pattern_is_told() -> None:
    error = (
        "rg: the literal is not allowed in a regex\nConsider enabling multiline mode with the --multiline flag (or -U)"
    )
    (learnt,) = fixes(failed(r'rg "a\n\s+b" -n src', error), ran('rg "b:" -n src'))
    assert learnt.sentence.endswith("pass `--multiline`.")
