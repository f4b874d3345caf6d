"""The guard of a home: which memories can be one, and what it would have stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tacit.commandline.patterns import RequiresBefore
from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.guard import Decision, RuleKind
from tacit.vault.guard import enforceable, stated_rule
from tests.search.test_passages import Talk

RULE = "never run npm here, use pnpm"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path)
    shop = person.repository("shop", remote="git@example.org:kim/shop.git")
    person.tacit("add", RULE, cwd=shop)
    return person


def test_a_plan_has_the_rule_its_scope_and_when_it_was_said(person: Person) -> None:
    with person.vault() as vault:
        (rule,) = vault.guard.plan(person.id_of(RULE)).rules
    assert (rule.kind, rule.commands, rule.instead) == (RuleKind.PREFER, ("npm",), ("pnpm",))
    assert (rule.scope, rule.decision, rule.origin) == (
        "project:example.org/kim/shop",
        Decision.ASK,
        "said on 2026-03-02",
    )


def test_only_an_accepted_memory_can_be_a_guard(person: Person) -> None:
    person.tacit("remember", "never run yarn", "--evidence", "chat")
    with person.vault() as vault:
        with pytest.raises(RefusedError, match="not accepted"):
            vault.guard.plan(person.id_of("never run yarn"))
        with pytest.raises(NotFoundError):
            vault.guard.plan("zzzz")


def test_a_sentence_that_names_no_command_is_refused_with_what_to_type(person: Person) -> None:
    person.tacit("add", "be careful with deployments")
    with person.vault() as vault, pytest.raises(RefusedError, match="states no command") as refused:
        vault.guard.plan(person.id_of("be careful with deployments"))
    assert "--forbid" in str(refused.value.hint) and "--protect" in str(refused.value.hint)


@pytest.mark.parametrize("sentence", ["never force-push to main", "Always run `go test` with `-race`."])
def test_a_guard_that_would_miss_calls_is_refused_for_that_reason(person: Person, sentence: str) -> None:
    """A plain push from main goes to main, too."""
    person.tacit("add", sentence)
    with person.vault() as vault, pytest.raises(RefusedError, match="need not show it"):
        vault.guard.plan(person.id_of(sentence))


def test_rules_are_switched_on_and_off_and_again_replaced(person: Person) -> None:
    rule = person.id_of(RULE)
    with person.vault() as vault:
        vault.guard.switch_on(vault.guard.plan(rule))
        vault.guard.switch_on(vault.guard.plan(rule, decision=Decision.DENY))
        (entry,) = vault.guard.entries()
        assert entry.rule.decision is Decision.DENY and entry.memory and entry.memory.memory.id == rule
        vault.guard.switch_off(rule[:4])
        assert vault.guard.entries() == []
        with pytest.raises(NotFoundError):
            vault.guard.switch_off(rule)


def test_an_agent_switches_nothing_on_or_off_and_allows_nothing(person: Person) -> None:
    with person.vault() as vault:
        plan = vault.guard.plan(person.id_of(RULE))
        vault.guard.switch_on(plan)
    with person.at(TACIT_ACTOR="agent:claude"), person.vault() as vault:
        for act in (lambda: vault.guard.switch_on(plan), lambda: vault.guard.switch_off(plan.memory.short)):
            with pytest.raises(RefusedError, match="only a person"):
                act()
        with pytest.raises(RefusedError, match="only a person"):
            vault.guard.allow("abcdef")


def test_a_replay_has_the_commands_of_agents_where_the_rule_holds(person: Person) -> None:
    shop, other = person.folder / "shop", person.repository("other")
    talk = Talk(person, shop).asks("install it")
    talk.runs("npm install").runs("echo npm install").runs("CI=1 npm test | tail").capture()
    Talk(person, other).asks("install that").runs("npm install").capture()
    with person.vault() as vault:
        replayed = vault.guard.replay(vault.guard.plan(person.id_of(RULE)).rules)
    assert sorted(one.matched for one in replayed) == ["npm install", "npm test"]
    assert all(one.is_agents for one in replayed)


def test_the_doctor_names_a_rule_file_that_stops_nothing(person: Person) -> None:
    with person.vault() as vault:
        vault.guard.switch_on(vault.guard.plan(person.id_of(RULE)))
        path = person.home / ".tacit" / "guard.json"
        assert str(path) not in [finding.where for finding in vault.doctor.doctor()]
        path.write_text("{")
        assert str(path) in [finding.where for finding in vault.doctor.doctor()]
        with pytest.raises(RefusedError, match="cannot be used"):
            vault.guard.entries()


def test_a_sentence_that_a_hook_cannot_check_before_a_call_is_no_rule() -> None:
    assert enforceable("run the tests before a commit") and enforceable("use pnpm")
    assert not enforceable("never push to main")  # the branch need not be named
    assert not enforceable("when you change a.sql, also update docs/a.md")


def test_options_state_a_rule() -> None:
    assert stated_rule("", "", "", "", ()) is None
    for wrong in (
        ("npm", "", "git commit", "x", ()),
        ("", "", "x", "", ()),
        ("", "x", "", "", ()),
        ("a; b", "", "", "", ()),
    ):
        with pytest.raises(UsageError):
            stated_rule(*wrong)
    stated = stated_rule("", "", "git commit", "make test", ())
    assert isinstance(stated, RequiresBefore)
    assert (stated.first[0].text, stated.then[0].text) == ("make test", "git commit")
