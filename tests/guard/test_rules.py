"""Which commands and paths a rule matches."""

from __future__ import annotations

import pytest

from tacit.guard.executions import executions
from tacit.guard.rules import (
    GuardRule,
    RuleKind,
    last_run,
    match_commands,
    match_paths,
    matches_path,
    matches_pattern,
    needles,
    parse_pattern,
)

MATCHING = (
    ("npm", "npm install"),
    ("git push --force", "git -C x push -f origin main"),
    ("git push --force", "git push origin main --force"),
    ("rm -rf", "rm -fr x"),
    ("rm -rf", "rm --recursive --force x"),
    ("rm -rf", "rm -r -v -f x"),
    ("git commit --no-verify", "git commit -nm x"),
    ("make deploy", "make -j4 test deploy"),
    ("cargo publish", "cargo +nightly publish"),
    ("kubectl delete", "kubectl -n prod delete pod x"),
    ("npm install -g", "npm install --global x"),
)
DIFFERENT = (
    ("npm", "npm --version"),
    ("npm", "pnpm install"),
    ("npm", "npm-check"),
    ("git push --force", "git push --force-with-lease"),
    ("git push --force", "git push origin force"),
    ("git push --force", "git commit -f"),
    ("git commit --no-verify", "git commit -mnew"),
    ("git commit --no-verify", "git commit -- -n"),
    ("rm -rf", "rm -r x"),
    ("docker compose", "docker $compose"),
    ("git push", "git log push"),
)


@pytest.mark.parametrize(("pattern", "line"), MATCHING)
def test_a_pattern_matches(pattern: str, line: str) -> None:
    parsed = parse_pattern(pattern)
    assert parsed and any(matches_pattern(parsed, execution) for execution in executions(line))


@pytest.mark.parametrize(("pattern", "line"), DIFFERENT)
def test_a_pattern_does_not_match(pattern: str, line: str) -> None:
    parsed = parse_pattern(pattern)
    assert parsed and not any(matches_pattern(parsed, execution) for execution in executions(line))


@pytest.mark.parametrize("text", ["", "a; b", "a > b", "$x", "--flag", "A=b", "a $(b)", "echo 'x"])
def test_only_one_plain_command_is_a_pattern(text: str) -> None:
    assert parse_pattern(text) is None


def stopped(rule: GuardRule, line: str, *, ran: bool = False, holds: bool = True) -> str:
    matches = match_commands([rule], executions(line), lambda _rule, _directory: holds, lambda _rule: ran)
    return matches[0].matched if matches else ""


def test_what_is_run_by_the_replacement_is_allowed() -> None:
    rule = GuardRule("1", RuleKind.PREFER, command="pytest", instead="uv run pytest")
    assert stopped(rule, "pytest -q") == "pytest -q"
    assert stopped(rule, "poetry run pytest") == "pytest"
    assert stopped(rule, "uv run pytest -q") == ""


def test_a_rule_of_another_place_does_not_match() -> None:
    assert stopped(GuardRule("1", RuleKind.FORBID, command="npm"), "npm i", holds=False) == ""


def test_a_required_command_has_to_run_before_in_the_session_or_in_the_line() -> None:
    rule = GuardRule("1", RuleKind.REQUIRE, command="git commit", before="make test")
    assert stopped(rule, "git commit -m x") == "git commit -m x"
    assert stopped(rule, "git commit -m x", ran=True) == ""
    assert stopped(rule, "make test && git commit -m x") == ""
    assert stopped(rule, "git commit -m x; make test") == "git commit -m x"
    assert last_run(rule, executions("git commit; make test")) == "make test"
    assert last_run(rule, executions("make test; git commit")) == "git commit"
    assert last_run(rule, executions("make")) == ""


PROTECT = GuardRule("1", RuleKind.PROTECT, paths=("migrations/", "*.lock", "api/schema.json"))


@pytest.mark.parametrize(
    "line",
    [
        "echo x > db/migrations/1.sql",
        "rm uv.lock",
        "sed -i s/a/b/ api/schema.json",
        "cp x uv.lock",
        "cd db && tee migrations/1.sql",
        "git rm migrations/1.sql",
    ],
)
def test_a_command_that_changes_a_protected_path_matches(line: str) -> None:
    assert stopped(PROTECT, line)


@pytest.mark.parametrize(
    "line", ["cat uv.lock", "cp uv.lock x", "sed s/a/b/ api/schema.json", "ls migrations", "rm $x"]
)
def test_a_command_that_reads_a_protected_path_does_not(line: str) -> None:
    assert not stopped(PROTECT, line)


def test_an_edit_of_a_protected_path_matches() -> None:
    edited = match_paths([PROTECT], ["/w/src/a.py", "/w/migrations/2.sql"], lambda _rule, _directory: True)
    assert [match.matched for match in edited] == ["/w/migrations/2.sql"]


def test_a_pattern_of_a_path_matches_whole_names() -> None:
    assert matches_path("migrations/", "/a/migrations/x") and matches_path("/a/b", "/a/b/c")
    assert not matches_path("migrations", "/a/old-migrations/x") and not matches_path("/b", "/a/b")
    assert not matches_path("/", "/a")


def test_every_call_that_a_rule_matches_has_a_needle() -> None:
    rules = [
        GuardRule("1", RuleKind.FORBID, command="git push --force"),
        GuardRule("2", RuleKind.REQUIRE, command="git commit", before="make test"),
        PROTECT,
        GuardRule("3", RuleKind.PROTECT, paths=("größe.txt",)),
    ]
    assert needles(rules) == ["push", "commit", "test", "migrations", ".lock", "schema.json", "e.txt"]
