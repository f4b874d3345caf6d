"""Which commands and paths a rule matches, and where it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tacit import guard
from tacit.commandline.executions import executions
from tacit.commandline.patterns import ForbidsCommand, ProtectsFiles, RequiresBefore, parse_patterns
from tacit.guard import GuardRule, RuleKind, RuleScopes
from tacit.model.expectations import read_expectations


def forbid(command: str, instead: str = "") -> GuardRule:
    return GuardRule("1", ForbidsCommand(parse_patterns(command), parse_patterns(instead)))


COMMIT = GuardRule("1", RequiresBefore(parse_patterns("make test"), parse_patterns("git commit")))


def stopped(rule: GuardRule, line: str, *, ran: bool = False, holds: bool = True) -> str:
    matches = guard.match_commands([rule], executions(line), lambda _rule, _directory: holds, lambda _rule: ran)
    return matches[0].matched if matches else ""


def test_what_is_run_by_the_replacement_is_allowed() -> None:
    rule = forbid("pytest", "uv run pytest")
    assert stopped(rule, "pytest -q") == "pytest -q"
    assert stopped(rule, "poetry run pytest") == "pytest"
    assert stopped(rule, "uv run pytest -q") == ""


def test_a_push_may_be_forced_by_its_refspec() -> None:
    (force,) = parse_patterns("git push --force")
    rule = GuardRule("1", ForbidsCommand((force,)))
    assert stopped(rule, "git push origin +main") and not stopped(rule, "git push origin main")


def test_a_rule_of_another_place_does_not_match() -> None:
    assert stopped(forbid("npm"), "npm i", holds=False) == ""


def test_a_required_command_has_to_run_before_in_the_session_or_in_the_line() -> None:
    rule = COMMIT
    assert stopped(rule, "git commit -m x") == "git commit -m x"
    assert stopped(rule, "git commit -m x", ran=True) == ""
    assert stopped(rule, "make test && git commit -m x") == ""
    assert stopped(rule, "git commit -m x; make test") == "git commit -m x"
    assert guard.fulfils_last(rule, executions("git commit; make test")) is True
    assert guard.fulfils_last(rule, executions("make test; git commit")) is False
    assert guard.fulfils_last(rule, executions("make")) is None


PROTECT = GuardRule("1", ProtectsFiles(("migrations/", "*.lock", "api/schema.json")))


@pytest.mark.parametrize(
    "line",
    [
        "echo x > db/migrations/1.sql",
        "rm uv.lock",
        "sed -i s/a/b/ api/schema.json",
        "cp x uv.lock",
        "cd db && tee migrations/1.sql",
        "git rm migrations/1.sql",
        "rm migrations/*.sql",
        "sed -i s/a/b/ db/migrations/*.sql",
        "git restore -s HEAD~1 migrations/1.sql",
        "git checkout main -- migrations/1.sql",
        "curl -fsSL https://example.org/x -o migrations/1.sql",
        "wget -Omigrations/1.sql https://example.org/x",
        "dd if=/dev/zero of=uv.lock bs=1",
        "patch migrations/1.sql < x.patch",
    ],
)
def test_a_command_that_changes_a_protected_path_matches(line: str) -> None:
    assert stopped(PROTECT, line)


@pytest.mark.parametrize(
    "line",
    [
        *("cat uv.lock", "cp uv.lock x", "sed s/a/b/ api/schema.json", "ls migrations", "rm $x"),
        *("git checkout migrations/v2", "curl https://example.org/uv.lock", "dd if=uv.lock of=/dev/null"),
        *("rm other/*.sql", "patch -p1 < migrations/1.sql"),
    ],
)
def test_a_command_that_reads_a_protected_path_does_not(line: str) -> None:
    assert not stopped(PROTECT, line)


def test_an_edit_of_a_protected_path_matches() -> None:
    edited = guard.match_paths([PROTECT], ["/w/src/a.py", "/w/migrations/2.sql"], lambda _rule, _directory: True)
    assert [match.matched for match in edited] == ["/w/migrations/2.sql"]


def test_every_call_that_a_rule_matches_has_a_needle() -> None:
    rules = [forbid("git push --force"), COMMIT, PROTECT, GuardRule("3", ProtectsFiles(("größe.txt",)))]
    assert guard.needles(rules) == ["push", "commit", "test", "migrations", ".lock", "schema.json", "e.txt"]


def test_a_spelling_of_two_letters_is_no_needle() -> None:
    assert guard.needles([forbid("npm install")]) == ["npm"]


def test_two_spellings_of_one_command_are_told_apart_if_a_rule_names_both() -> None:
    (expected,) = read_expectations("don't run docker-compose, use docker compose")
    assert isinstance(expected, ForbidsCommand)
    rule = GuardRule("1", expected)
    assert stopped(rule, "docker-compose up") and not stopped(rule, "docker compose up")


def test_a_rule_says_what_it_stops() -> None:
    (tests,) = read_expectations("run the tests before a commit")
    assert isinstance(tests, RequiresBefore)
    rule = GuardRule("1", tests)
    assert (rule.kind, rule.commands) == (RuleKind.REQUIRE, ("git commit",))
    assert {"pytest", "npm test", "make test"} <= set(rule.before)
    assert stopped(rule, "git commit -m x") and not stopped(rule, "uv run pytest -q && git commit -m x")
    assert (forbid("npm", "pnpm").kind, forbid("npm").kind, PROTECT.kind) == (
        RuleKind.PREFER,
        RuleKind.FORBID,
        RuleKind.PROTECT,
    )


def test_names_are_enumerated_and_of_many_the_first_few() -> None:
    assert [guard.enumerate_names("abcdefg"[:length]) for length in (0, 1, 2, 3)] == ["", "a", "a or b", "a, b or c"]
    assert guard.enumerate_names("abcdefg") == "a, b, c, d, e or 2 others"


def test_a_rule_holds_in_its_project_and_below_also_after_cd(tmp_path: Path) -> None:
    person = Person(tmp_path)
    shop = person.repository("shop", remote="git@example.org:kim/shop.git")
    other = person.repository("other")
    (shop / "src").mkdir()
    rule = GuardRule("1", ProtectsFiles(("a",)), scope="project:example.org/kim/shop")

    here = RuleScopes(str(shop / "src"), str(tmp_path))
    assert all(here.applies(rule, directory) for directory in ("", "..", "new/folder", str(shop), "~/shop"))
    assert not any(here.applies(rule, directory) for directory in (str(other), "../..", "~", None))
    assert not RuleScopes(str(other), str(tmp_path)).applies(rule, "")


def test_a_global_rule_holds_everywhere(tmp_path: Path) -> None:
    assert RuleScopes(str(tmp_path), "/nowhere").applies(GuardRule("1", ProtectsFiles(("a",))), None)
