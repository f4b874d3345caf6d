"""`tacit guard`, as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.commandline.patterns import ProtectsFiles
from tacit.guard import GuardRule, stop_call, take_permission
from tacit.hosts.tool_calls import GUARD_HOOKS
from tests.search.test_passages import Talk

RULE = "never run npm here, use pnpm"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    person = Person(tmp_path)
    person.tacit("add", RULE, cwd=person.repository("shop"))
    return person


def test_on_shows_what_it_would_have_stopped_and_wants_an_answer(person: Person) -> None:
    Talk(person, person.folder / "shop").asks("install it").runs("sudo npm install left-pad").capture()
    said = person.tacit("guard", "on", person.id_of(RULE), cwd=person.folder / "shop", code=1)
    assert "stops: npm (instead: pnpm) (project shop)" in said.out
    assert "It would have stopped 1 command of agents in the last 90 days." in said.out
    assert "sudo npm install left-pad" in said.out
    assert "there is no terminal to ask on" in said.err
    assert not (person.home / ".tacit" / "guard.json").exists()


def test_list_off_and_a_rule_whose_memory_is_gone(person: Person) -> None:
    rule = person.id_of(RULE)
    assert "No rule stops an agent." in person.tacit("guard").out
    person.tacit("guard", "on", rule, "--yes")
    assert "stops npm (instead: pnpm)" in person.tacit("guard", "list").out
    person.tacit("forget", rule, "--reason", "r", "--evidence", "e")
    assert "its memory is not active any more" in person.tacit("guard").out
    assert person.tacit("guard", "off", rule).out.startswith("Switched off: npm (instead: pnpm)")
    assert person.tacit("guard", "--json").json == []


def test_test_changes_nothing_and_takes_options(person: Person) -> None:
    Talk(person, person.folder / "shop").asks("commit it").runs("git commit -m x").capture()
    said = person.tacit("guard", "test", person.id_of(RULE), "--before", "git commit", "--run", "make test")
    assert "stops: git commit without make test before it" in said.out
    assert "It would have stopped 1 command of agents among all that were captured." in said.out
    assert not (person.home / ".tacit" / "guard.json").exists()


@pytest.mark.parametrize(
    "words", [("on",), ("on", "a", "b"), ("list", "a"), ("of", "a"), ("on", "ID", "--ask", "--deny")]
)
def test_wrong_use_says_what_to_type(person: Person, words: tuple[str, ...]) -> None:
    given = [person.id_of(RULE) if word == "ID" else word for word in words]
    assert "→" in person.tacit("guard", *given, code=2).err


def test_allow_wants_a_terminal_and_works_once(person: Person) -> None:
    rule = GuardRule(person.id_of(RULE), ProtectsFiles(("a",)))
    code = stop_call(str(person.home), rule, "npm i")
    assert "only at a terminal" in person.tacit("guard", "allow", code, code=1).err
    assert not take_permission(str(person.home), rule, "npm i")
    words = ("guard", "allow", code)
    said = converse(person, *words, answers=(), cwd=person.folder / "shop")
    assert said.code == 0 and RULE in " ".join(said.out.split())
    assert take_permission(str(person.home), rule, "npm i") and not take_permission(str(person.home), rule, "npm i")
    assert converse(person, *words, answers=(), cwd=person.folder / "shop").code == 1


@pytest.mark.parametrize("host", GUARD_HOOKS)
def test_the_hook_is_registered_while_a_guard_exists_and_nothing_is_left(person: Person, host: str) -> None:
    def files() -> dict[str, bytes]:
        found = (path for path in person.folder.rglob("*") if path.is_file() and ".agents" not in path.parts)
        return {str(path): path.read_bytes() for path in found if ".git" not in path.parts}

    event, rule = GUARD_HOOKS[host].event, person.id_of(RULE)
    nothing = files()
    person.tacit("install", host, "--yes")
    installed = files()
    assert not any(f"guard {event}".encode() in content for content in installed.values())
    said = person.tacit("guard", "on", rule, "--yes")
    assert f"{host} has to run a hook before tool calls:" in said.out
    guarded = "\n".join(content.decode() for content in files().values())
    assert f"guard {event}" in guarded or json.dumps(["guard", event])[1:-1] in " ".join(guarded.split())
    person.tacit("guard", "off", rule, "--yes")
    assert files() == installed
    person.tacit("guard", "on", rule, "--yes")
    person.tacit("uninstall", host, "--yes")
    assert files() == nothing
