"""What varies between the ways a step was typed becomes a placeholder."""

from __future__ import annotations

import pytest

from tacit.learn.habits.recipe import step_templates


def line(family: str, *texts: str) -> str:
    (found,) = step_templates([family], [(text,) for text in texts])
    return found


def test_one_value_in_several_steps_is_asked_for_once() -> None:
    typed = [
        (f"git tag v1.{minor}.0", "git push --tags", f"docker build -t reg.example/app:1.{minor}.0 .")
        for minor in range(4)
    ]
    assert step_templates(["git tag", "git push", "docker build"], typed) == (
        "git tag v{?version}",
        "git push --tags",
        "docker build -t reg.example/app:{?version} .",
    )


@pytest.mark.parametrize(
    ("family", "text", "step"),
    [
        ("git commit", 'git commit -m "wip"', "git commit -m {?message}"),
        ("git commit", "git commit -am 'fix it'", "git commit -am {?message}"),
        ("git commit", 'git commit -m"fix it"', "git commit -m {?message}"),
        ("git commit", "git commit --message=fix", "git commit --message {?message}"),
        ("git commit", "git commit -m one -m two", "git commit -m {?message} -m {?message_2}"),
        ("git commit", "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\"", "git commit -m {?message}"),
        ("git stash push", "git stash push -m later", "git stash push -m {?message}"),
        ("uv run alembic revision", "uv run alembic revision -m 'add x'", "uv run alembic revision -m {?message}"),
        ("gh pr create", "gh pr create --title T --body B", "gh pr create --title {?title} --body {?body}"),
        ("pytest", "pytest -m slow", "pytest -m slow"),
    ],
)
def test_a_message_is_never_frozen_even_if_it_never_varied(family: str, text: str, step: str) -> None:
    assert line(family, text, text, text) == step


def test_a_commit_that_cannot_be_read_asks_for_its_message_too() -> None:
    assert line("git commit", 'git commit -m "unclosed', 'git commit -m "unclosed') == "git commit -m {?message}"


@pytest.mark.parametrize(
    ("family", "texts", "step"),
    [
        ("make test", ("make test", "make test", "make test X=1"), "make test"),
        ("git switch", ("git switch -c feat/a", "git switch -c fix/b"), "git switch -c {?branch}"),
        ("git add", ("git add .", "git add -A", "git add src/a.ts"), "git add {?files}"),
        ("rsync", ("rsync -a d/ me@web-1:/srv/", "rsync -a d/ me@web-2:/srv/"), "rsync -a d/ me@{?host}:/srv/"),
        ("python plot.py", ("python plot.py --run 12", "python plot.py --run 13"), "python plot.py --run {?run}"),
        ("make", ("make VERSION=a", "make VERSION=b"), "make VERSION={?version}"),
        ("x", ("x a | tee -a", "x a | tee -i", "x a | tee -a"), "x a | tee -a"),
        ("make test", ("make test 2>&1 | tail -5", "make test | head -n 20", "make test 2>&1"), "make test"),
        ("git log", ("git log | grep head", "git log | grep head"), "git log | grep head"),
        ("pytest", ("pytest -x", "pytest tests/a.py -k b -q", "pytest --lf --ff"), "pytest"),
        ("cp", ("cp a b", "cp c d", "cp e f"), "cp"),
        ("deploy", ("deploy [redacted:github-token]", "deploy [redacted:github-token]"), "deploy"),
    ],
)
def test_what_was_typed_alike_is_kept_and_what_differs_is_asked_for(
    family: str, texts: tuple[str, ...], step: str
) -> None:
    assert line(family, *texts) == step


def test_of_one_occurrence_alone_only_the_command_is_kept() -> None:
    assert line("go test", "go test ./pkg -run TestOne") == "go test"
    assert line("make lint", "make lint") == "make lint"
