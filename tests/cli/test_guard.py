"""`tacit guard`, as people type it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from harness.person import Person, tree
from harness.terminal import converse

from tacit.commandline.patterns import ProtectsFiles
from tacit.guard import GuardRule, stop_call, take_permission
from tacit.hosts import HOSTS, HookKind
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


# A guard and what tells an agent about a call are two hooks before the same tool calls

BESIDE = {
    "claude": (".claude/settings.json", "PreToolUse"),
    "codex": (".codex/hooks.json", "PreToolUse"),
    "copilot": (".copilot/hooks/tacit.json", "preToolUse"),
}


def registered(person: Person, host: str) -> list[tuple[str, str]]:
    """What our hooks before tool calls do and for which tools, in the order of the file."""
    name, event = BESIDE[host]
    groups = json.loads((person.folder / name).read_text())["hooks"].get(event, [])
    entries = [(entry, group.get("matcher", "")) for group in groups for entry in group.get("hooks", [group])]
    lines = [(str(entry.get("command", entry.get("bash"))).split(), matcher) for entry, matcher in entries]
    return [(words[words.index(host) + 1], matcher) for words, matcher in lines if event in words and host in words]


def matchers(host: str) -> dict[str, str]:
    calls = [hook for hook in HOSTS[host].hooks if hook.kind is HookKind.CALL and hook.event == BESIDE[host][1]]
    return {"call": calls[0].matcher, "guard": GUARD_HOOKS[host].matcher}


@pytest.mark.parametrize("order", ["guard first", "installed first"])
@pytest.mark.parametrize("host", BESIDE)
def test_a_guard_stands_beside_the_hook_that_tells_about_calls_and_both_go_again(
    person: Person, host: str, order: str
) -> None:
    before = tree(person.folder / BESIDE[host][0].split("/")[0])
    rule, steps = person.id_of(RULE), [("install", host, "--yes"), ("guard", "on", person.id_of(RULE), "--yes")]
    for step in steps if order == "installed first" else reversed(steps):
        person.tacit(*step)
    both = registered(person, host)
    assert dict(both) == matchers(host) and len(both) == 2

    file = person.folder / BESIDE[host][0]
    installed = file.read_bytes()
    for step in (("install", host, "--yes"), ("install", "--yes"), ("guard", "on", rule, "--yes")):
        person.tacit(*step)
        assert file.read_bytes() == installed, step
    assert re.search(rf"{host} +installed(?!, )", person.tacit("install").out)
    mended = [one["mend"] for one in person.tacit("doctor", "--json", code=None).json]
    assert f"tacit install {host}" not in mended

    person.tacit("uninstall", host, "--yes")
    assert tree(person.folder / BESIDE[host][0].split("/")[0]) == before


@pytest.mark.parametrize("host", BESIDE)
def test_switching_a_guard_off_leaves_the_hook_that_tells_about_calls(person: Person, host: str) -> None:
    rule, file = person.id_of(RULE), person.folder / BESIDE[host][0]
    person.tacit("install", host, "--yes")
    without = file.read_bytes()
    assert dict(registered(person, host)) == {"call": matchers(host)["call"]}
    for _ in range(2):
        person.tacit("guard", "on", rule, "--yes")
        assert dict(registered(person, host)) == matchers(host)
        person.tacit("guard", "off", rule, "--yes")
        assert file.read_bytes() == without


@pytest.mark.parametrize("gone", ["call", "guard"])
@pytest.mark.parametrize("host", BESIDE)
def test_of_two_hooks_before_tool_calls_the_one_that_is_missing_is_added(person: Person, host: str, gone: str) -> None:
    """As an earlier version left them, which had one of the two, or as the person did."""
    file, event = person.folder / BESIDE[host][0], BESIDE[host][1]
    person.tacit("install", host, "--yes")
    person.tacit("guard", "on", person.id_of(RULE), "--yes")
    settings = json.loads(file.read_text())
    settings["hooks"][event] = [one for one in settings["hooks"][event] if f" {gone} {event}" not in json.dumps(one)]
    file.write_text(json.dumps(settings, indent=2))
    assert len(registered(person, host)) == 1

    assert "out of date" in person.tacit("install").out
    person.tacit("install", host, "--yes")
    both = registered(person, host)
    assert dict(both) == matchers(host) and len(both) == 2


def test_a_hook_of_the_person_before_tool_calls_stays_as_it_is_between_two_of_ours(person: Person) -> None:
    file = person.folder / BESIDE["claude"][0]
    own = {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "my-guard PreToolUse", "timeout": 3}]}
    theirs = json.dumps({"hooks": {"PreToolUse": [own]}, "model": "x"}, indent=4)
    file.parent.mkdir()
    file.write_text(theirs)
    person.tacit("install", "claude", "--yes")
    person.tacit("guard", "on", person.id_of(RULE), "--yes")
    groups = json.loads(file.read_text())["hooks"]["PreToolUse"]
    assert groups[0] == own and len(groups) == 3 and dict(registered(person, "claude")) == matchers("claude")

    person.tacit("uninstall", "claude", "--yes")
    assert file.read_text() == theirs


@pytest.mark.parametrize("host", BESIDE)
def test_each_of_the_two_hooks_does_its_own(person: Person, host: str) -> None:
    """The guard stops the command that the rule forbids, and the other one says nothing about it."""
    name, event = BESIDE[host]
    person.tacit("install", host, "--yes")
    person.tacit("guard", "on", person.id_of(RULE), "--yes")
    call = {"cwd": str(person.folder / "shop"), "tool_name": "Bash", "tool_input": {"command": "npm install zod"}}
    payload = json.dumps({**call, "session_id": "s", "sessionId": "s", "hook_event_name": event})
    groups = json.loads((person.folder / name).read_text())["hooks"][event]
    lines = [entry.get("command", entry.get("bash")) for group in groups for entry in group.get("hooks", [group])]
    answers = {
        verb: subprocess.run(
            line, shell=True, input=payload, env=person.environment(), capture_output=True, text=True, check=True
        ).stdout
        for (verb, _), line in zip(registered(person, host), lines, strict=True)
    }
    assert answers.keys() == {"call", "guard"}
    assert RULE in answers["guard"] and answers["call"] == ""
