"""A fix is put so that it holds in another session: without the names, values and paths of the day."""

from __future__ import annotations

import pytest

from tacit.model.observation import ToolUsed
from tests.support.fix_session import called, edited, failed, ran, rendered


def test_an_unknown_option_is_put_with_both_commands() -> None:
    assert rendered(failed("bd ls --stat a", "Error: unknown flag: --stat"), ran("bd ls --status a")) == (
        "When `bd ls --stat a` fails with “unknown flag: --stat”, use `bd ls --status a`."
    )
    wrong = failed("git show --no-stat HEAD", "fatal: unrecognized argument: --no-stat")
    assert rendered(wrong, ran('git show HEAD --format="" -- src/a.go')) == (
        'When `git show --no-stat HEAD` fails with “unrecognized argument: --no-stat”, use `git show HEAD --format=""`.'
    )


OF_THE_DAY = [
    (
        failed("git checkout main", "fatal: 'main' is already used by worktree at '/Users/ann/work/shop'"),
        "git checkout -b ann/new-cart origin/main",
        "When `git checkout main` fails with “'main' is already used by worktree”, "
        "use `git checkout -b <branch> origin/main`.",
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
    assert rendered(failure, ran(after)) == sentence


@pytest.mark.parametrize(
    "value", ["postgres://ann:hunter2@db/shop", "hunter2", "'hunter2 and more'", '"hunter2"', "/srv/hunter2"]
)
def test_of_a_variable_only_the_name_is_kept(value: str) -> None:
    missing = failed("npm test", "Error: DATABASE_URL is not set")
    in_front = rendered(missing, ran(f"DATABASE_URL={value} npm test"))
    assert in_front.endswith("use `DATABASE_URL=<value> npm test`.")


def test_a_switch_and_a_folder_of_the_project_are_no_values_to_hide() -> None:
    missing = failed("pytest", "ModuleNotFoundError: No module named 'shop'")
    assert rendered(missing, ran("PYTHONPATH=src pytest")).endswith("use `PYTHONPATH=src pytest`.")
    tty = failed("tool run", "the input device is not a TTY")
    assert rendered(tty, ran("CI=1 tool run")).endswith("use `CI=1 tool run`.")


def test_a_long_command_is_not_put_in_words() -> None:
    files = " ".join(f"src/some/folder/file_{n}.ts" for n in range(6))
    wrong = failed(f"lint {files} --format pretty", "invalid value 'pretty' for the output")
    assert rendered(wrong, ran(f"lint {files} --format text")) == ""


def test_paths_are_relative_to_the_directory_of_the_session() -> None:
    failure = failed("tree /home/me/shop/src", "bash: tree: command not found")._replace(directory="/home/me/shop")
    assert rendered(failure, ran("ls -R /home/me/shop/src")) == (
        "When `tree src` fails with “tree: command not found”, use `ls -R src`."
    )


def test_a_repair_comes_first_and_formatting_is_named() -> None:
    missing = failed("npm test", "sh: vitest: command not found")
    assert rendered(missing, ran("npm ci"), ran("npm test")) == (
        "When `npm test` fails with “vitest: command not found”, run `npm ci` first."
    )
    assert rendered(failed("make check", "2 files differ: error"), ran("make format"), ran("make check")) == (
        "When `make check` fails on formatting, run `make format` first."
    )


def test_a_call_of_another_tool_is_put_with_both_tools() -> None:
    page = called("WebFetch", "github.com/acme/shop/docs/a.md", "Request failed with status code 404")
    assert rendered(page, ran("gh api repos/acme/shop/contents/docs/a.md")) == (
        "When `WebFetch: github.com/acme/shop/docs/a.md` fails with “Request failed with status code 404”, "
        "use `gh api repos/acme/shop/contents/docs/a.md`."
    )


def test_an_edited_file_cannot_be_put_in_words() -> None:
    assert rendered(failed("npx knip", "error: unknown key"), edited("knip.json"), ran("npx knip")) == ""
