"""tacit config: what holds, where it comes from, and changing it without touching anything else."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.transcripts import BEGAN, Claude, lines, name_of

from tacit.home.settings import Settings, key_of
from tacit.home.settings_file import SETTINGS_TEMPLATE
from tacit.hooks import calls, guard
from tests.support.hook_calls import CALLS, PROMPT, SESSION, Given, Scene, faults
from tests.support.hook_session import Sitting, text_in

KEYS = [key_of(name) for name in Settings._fields]


def settings_of(person: Person) -> Path:
    return person.home / "tacit.toml"


def written(person: Person, text: str) -> Path:
    person.home.mkdir(exist_ok=True)
    settings_of(person).write_text(text)
    return settings_of(person)


def test_every_setting_is_shown_with_where_it_comes_from(person: Person) -> None:
    path = written(person, "# mine\n[brief]\nentries = 5\ntokens = 900\n")
    said = person.process("config", "show", TACIT_RECALL_LIMIT="4", TACIT_BRIEF_TOKENS="800").out
    rows = {row[0]: row[1:3] for row in (line.split() for line in said.splitlines())}
    assert list(rows) == KEYS
    assert rows["recall.limit"] == ["4", "TACIT_RECALL_LIMIT"]
    assert rows["brief.tokens"] == ["800", "TACIT_BRIEF_TOKENS"]
    assert rows["brief.entries"] == ["5", f"{path}:3"]
    assert rows["autocapture.enabled"] == ["false", "default"]


def test_settings_are_shown_to_programs(person: Person) -> None:
    path = written(person, '[shell]\nignore = ["a", "b"]\n')
    found = {one["key"]: one for one in person.process("config", "show", "--json").json}
    assert list(found) == KEYS
    assert found["shell.ignore"] == {
        "key": "shell.ignore",
        "value": ["a", "b"],
        "default": [],
        "origin": "home",
        "where": f"{path}:2",
        "variable": "only add",
        "ignored": "",
    }
    assert found["recall.limit"]["origin"] == "default"
    assert person.tacit("config", "get", "shell.ignore", "--json").json == ["a", "b"]


def test_showing_makes_no_home(person: Person) -> None:
    assert person.tacit("config").out == person.tacit("config", "show").out
    assert person.tacit("config", "get", "recall.limit").out == "10\n"
    person.tacit("config", "unset", "recall.limit")
    assert not person.home.exists()


def test_what_is_set_holds_and_is_told_with_its_line(person: Person) -> None:
    person.tacit("init")
    person.tacit("config", "set", "recall.limit", "1")
    for text in ("never force push", "never push on Friday"):
        person.tacit("add", text)
    assert len(person.texts("push")) == 1
    assert person.tacit("config", "get", "recall.limit").out == "1\n"
    lines = settings_of(person).read_text().split("\n")
    where = f"{settings_of(person)}:{lines.index('limit = 1           # answers a question gets') + 1}"
    assert where in person.tacit("config", "show").out
    person.tacit("config", "unset", "recall.limit")
    assert len(person.texts("push")) == 2


def test_setting_changes_two_lines_of_the_template_and_keeps_the_file_private(person: Person) -> None:
    person.tacit("init")
    settings_of(person).chmod(0o644)
    person.tacit("config", "set", "autocapture.max_recent_sessions", "5")
    before, after = SETTINGS_TEMPLATE.split("\n"), settings_of(person).read_text().split("\n")
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "[autocapture]",
        "max_recent_sessions = 5     # sessions told at the start, from 1 to 10; above 1 of any age and branch",
    ]
    assert stat.S_IMODE(settings_of(person).stat().st_mode) == 0o600
    assert list(person.home.glob(".*tacit-new")) == []


def test_a_home_that_is_not_there_is_made_with_the_template(person: Person) -> None:
    person.tacit("config", "set", "recall.limit", "3")
    assert settings_of(person).read_text().count("\n") == SETTINGS_TEMPLATE.count("\n")
    assert stat.S_IMODE(person.home.stat().st_mode) == 0o700
    assert stat.S_IMODE(settings_of(person).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["*vpn*,pass *"], ["*vpn*", "pass *"]),
        (["*vpn*", "a, b"], ["*vpn*", "a, b"]),
        (['["a, b", "[c]"]'], ["a, b", "[c]"]),
        (["[ab]*"], ["[ab]*"]),
        ([""], []),
        (["--", "--token *"], ["--token *"]),
        (['say "hi" \\ é🙂\t'], ['say "hi" \\ é🙂']),
    ],
)
def test_a_list_can_be_written_in_several_ways(person: Person, words: list[str], value: list[str]) -> None:
    key = ["--", "shell.ignore", *words[1:]] if words[0] == "--" else ["shell.ignore", *words]
    person.tacit("config", "set", *key)
    assert tomllib.loads(settings_of(person).read_text())["shell"] == {"ignore": value}
    assert person.tacit("config", "get", "shell.ignore", "--json").json == value


@pytest.mark.parametrize("word", ["on", "1", "true", "yes"])
def test_a_truth_can_be_said_in_several_ways(person: Person, word: str) -> None:
    person.tacit("config", "set", "autocapture.enabled", word)
    assert tomllib.loads(settings_of(person).read_text()) == {"autocapture": {"enabled": True}}


WRONG = [
    ("set recall.limit many", "a whole number from 1 to 1,000,000,000"),
    ("set recall.limit 5 6", "a whole number"),
    ("set autocapture.max_recent_sessions 11", "from 1 to 10"),
    ("set inject.max_characters 10001", "from 500 to 10,000"),
    ("set autocapture.enabled maybe", "true or false"),
    ("set autocapture.on_modes [1]", "a list of texts"),
    ("set recall.limt 5", "did you mean recall.limit?"),
    ("set recall_limit 5", "did you mean recall.limit?"),
    ("get nonsense", "tacit config show"),
    ("unset nonsense.too", "tacit config show"),
    ("set recall.limit", "KEY VALUE"),
    ("get", "KEY"),
    ("change x", "show, get, set, unset"),
]


@pytest.mark.parametrize(("line", "hint"), WRONG, ids=[line for line, _ in WRONG])
def test_wrong_use_is_told_and_changes_nothing(person: Person, line: str, hint: str) -> None:
    said = person.tacit("config", *line.split(), code=2)
    assert hint in said.err
    assert not person.home.exists()


def test_what_is_no_text_is_not_written(person: Person) -> None:
    person.tacit("config", "set", "shell.ignore", os.fsdecode(b"\xff"), code=2)
    assert not person.home.exists()


def test_a_file_that_is_broken_is_refused_with_its_line(person: Person) -> None:
    path = written(person, "# mine\n[recall\nlimit = 5\n")
    for words in (("set", "recall.limit", "7"), ("unset", "recall.limit"), ("show",), ("get", "recall.limit")):
        said = person.tacit("config", *words, code=2)
        assert str(path) in said.err and "line 2" in said.err
    assert path.read_text() == "# mine\n[recall\nlimit = 5\n"


@pytest.mark.parametrize("mend", [("unset", "recall.limit"), ("set", "recall.limit", "7")])
def test_a_wrong_value_is_named_and_can_be_mended_as_it_says(person: Person, mend: tuple[str, ...]) -> None:
    path = written(person, '[brief]\nentries = 5\n[recall]\nlimit = "x" # mine\n')
    said = person.tacit("list", code=2)
    assert f"{path}: recall.limit must be a whole number" in said.err and "tacit config unset recall.limit" in said.err
    person.tacit("config", *mend)
    person.tacit("list")
    assert "# mine" in path.read_text()
    assert person.tacit("config", "get", "brief.entries").out == "5\n"


def test_a_wrong_variable_is_an_error_that_says_how_to_be_rid_of_it(person: Person) -> None:
    for words in (("list",), ("config", "show")):
        said = person.process(*words, code=2, TACIT_RECALL_LIMIT="many")
        assert "TACIT_RECALL_LIMIT must be a whole number" in said.err and "unset TACIT_RECALL_LIMIT" in said.err


def test_a_variable_holds_for_every_command(person: Person) -> None:
    for text in ("never force push", "never push on Friday"):
        person.tacit("add", text)
    said = person.process("recall", "push", "--json", TACIT_RECALL_LIMIT="1")
    assert len(said.json) == 1


def test_a_variable_that_overrules_what_is_set_is_told(person: Person) -> None:
    said = person.tacit("config", "set", "recall.limit", "7", TACIT_RECALL_LIMIT="5")
    assert "TACIT_RECALL_LIMIT" in said.err and "overrules" in said.err
    assert person.tacit("config", "get", "recall.limit").out == "7\n"


def test_what_is_no_setting_is_told(person: Person) -> None:
    path = written(person, "[recall]\nlimt = 5\n")
    said = person.tacit("config", "show", TACIT_AUTOCAPTURE_ENABELD="1")
    assert f"recall.limt in {path}:2 is no setting" in said.err
    assert "TACIT_AUTOCAPTURE_ENABELD in the environment is no setting" in said.err


def test_setting_what_is_set_writes_nothing(person: Person) -> None:
    person.tacit("config", "set", "recall.limit", "7")
    before = settings_of(person).stat().st_ino
    assert "already" in person.tacit("config", "set", "recall.limit", "7").out
    assert settings_of(person).stat().st_ino == before


def test_a_way_of_writing_that_cannot_be_changed_is_left_to_the_person(person: Person) -> None:
    path = written(person, "recall = { limit = 5 }\n")
    for words in (("set", "recall.limit", "7"), ("unset", "recall.limit")):
        said = person.tacit("config", *words, code=1)
        assert f"{path}:1" in said.err and "by hand" in said.err
    assert path.read_text() == "recall = { limit = 5 }\n"


@pytest.mark.parametrize("words", ["set recall.limit 7", "unset recall.limit", "set autocapture.enabled on"])
def test_an_agent_changes_no_setting(person: Person, words: str) -> None:
    path = written(person, "[recall]\nlimit = 5\n")
    said = person.tacit("config", *words.split(), code=1, CLAUDECODE="1")
    assert "only a person" in said.err and "agent:claude" in said.err
    assert path.read_text() == "[recall]\nlimit = 5\n"
    assert person.tacit("config", "get", "recall.limit", CLAUDECODE="1").out == "5\n"


def test_a_file_behind_a_link_is_read_and_never_written(person: Person) -> None:
    kept = person.folder / "dotfiles.toml"
    kept.write_text("[recall]\nlimit = 5\n")
    person.home.mkdir(mode=0o700)
    settings_of(person).symlink_to(kept)
    assert person.tacit("config", "get", "recall.limit").out.split()[0] == "5"
    said = person.tacit("config", "set", "recall.limit", "7", code=1)
    assert "symbolic link" in said.err and f"in {kept}, below a line [recall]: limit = " in said.err
    assert settings_of(person).is_symlink()
    assert kept.read_text() == "[recall]\nlimit = 5\n"
    assert "it is read" in person.tacit("doctor").out


def test_what_is_no_file_is_not_replaced(person: Person) -> None:
    person.home.mkdir()
    os.mkfifo(settings_of(person))
    assert "not a plain file" in person.process("config", "set", "recall.limit", "7", code=3).err
    assert stat.S_ISFIFO(settings_of(person).stat().st_mode)


def test_nothing_is_read_from_a_repository(person: Person) -> None:
    root = person.repository()
    for name in ("tacit.toml", ".tacit.toml", ".agents/tacit.toml", ".env"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("[autocapture]\nenabled = true\nTACIT_AUTOCAPTURE_ENABLED=1\n")
    assert person.process("config", "get", "autocapture.enabled", cwd=root).out == "false\n"


def test_many_at_once_lose_no_change(person: Person) -> None:
    person.tacit("init")
    keys = ["recall.limit", "brief.tokens", "limits.text", "autocapture.max_turn_size", "inject.max_characters"]
    started = [person.start("config", "set", key, "1234") for key in keys]
    assert [one.wait(timeout=60) for one in started] == [0] * len(keys)
    for one in started:
        one.communicate()
    assert [person.tacit("config", "get", key).out for key in keys] == ["1234\n"] * len(keys)


def test_settings_are_calls_on_the_library(person: Person) -> None:
    with person.vault() as vault:
        assert vault.configuration.configure("shell.ignore", ["a, b"]).changed
        assert vault.configuration.setting("shell.ignore").value == ("a, b",)
        assert vault.configuration.unconfigure("shell.ignore").value == ()
        assert [one.key for one in vault.configuration.config()] == KEYS


def test_a_text_is_set_as_it_is_and_unset_again(person: Person) -> None:
    person.tacit("config", "set", "model.name", 'a "b" \\ é, [c]')
    assert person.tacit("config", "get", "model.name", "--json").json == 'a "b" \\ é, [c]'
    assert person.tacit("config", "set", "model.name", "two", "words", code=2).err
    person.tacit("config", "unset", "model.name")
    assert person.tacit("config", "get", "model.name", "--json").json == ""


@pytest.mark.parametrize(
    ("variable", "text", "key", "value", "command"),
    [
        ("TACIT_AUTOCAPTURE_ENABLED", "1", "autocapture.enabled", "false", "autocapture.enabled true"),
        ("TACIT_LEARN_ACCEPT", "yes", "learn.accept", "false", "learn.accept true"),
        ("TACIT_MODEL_NAME", "evil model", "model.name", '""', "model.name 'evil model'"),
        ("TACIT_BRIEF_TOKENS", "5000", "brief.tokens", "1200", "brief.tokens 5000"),
        ("TACIT_SHELL_IGNORE", "a", "shell.ignore", '["a", "b"]', "shell.ignore '[\"a\"]'"),
    ],
)
def test_a_variable_that_would_grant_more_is_ignored_and_told_with_what_to_type(
    person: Person, variable: str, text: str, key: str, value: str, command: str
) -> None:
    written(person, '[shell]\nignore = ["a", "b"]\n')
    given: dict[str, Any] = {variable: text}
    got = person.tacit("config", "get", key, **given)
    assert got.out == f"{value}\n"
    assert f"{variable}={text} is ignored" in got.err and f"tacit config set {command}" in got.err
    shown = person.tacit("config", "show", **given)
    assert f"{variable}={text} is ignored" in shown.err
    (row,) = [row for row in person.tacit("config", "show", "--json", **given).json if row["ignored"]]
    assert (row["key"], row["ignored"]) == (key, f"{variable}={text}")


def test_what_a_variable_may_do_is_shown_for_every_setting(person: Person) -> None:
    said = person.tacit("config", "show").out
    assert "(variable: only off)" in said and "(variable: only lower)" in said
    assert said.count("(variable: ") == len(KEYS)
    assert person.tacit("config", "show").err == ""


# Sessions without memory

RESTRICTIONS = ("ENABLED", "INJECT_ON_START", "INJECT_ON_PROMPT", "INJECT_ON_TOOLS")
WITHOUT = {f"TACIT_AUTOCAPTURE_{name}": "0" for name in RESTRICTIONS}


def variables_in(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_a_command_that_is_started_without_memory_sees_what_turns_it_off_and_all_else_as_it_is(person: Person) -> None:
    found = variables_in(person.process("without", "env", KIND="otter").out)
    assert found["KIND"] == "otter" and found["TACIT_HOME"] == str(person.home)
    assert {name: text for name, text in found.items() if name.startswith("TACIT_AUTOCAPTURE_")} == WITHOUT
    assert not person.home.exists()


def test_no_variable_of_the_shell_turns_memory_on_again(person: Person) -> None:
    given: dict[str, Any] = dict.fromkeys(WITHOUT, "1")
    assert WITHOUT.items() <= variables_in(person.process("without", "env", **given).out).items()


def test_a_command_keeps_its_own_options_its_streams_and_how_it_ended(person: Person) -> None:
    script = 'printf "%s|" "$0" "$@"; echo wrong >&2; exit 7'
    said = person.process("without", "--", "sh", "-c", script, "--continue", "-p", "two words", "--", "--help", code=7)
    assert said.out == "--continue|-p|two words|--|--help|"
    assert said.err == "wrong\n"
    assert person.process("without", "printf", "%s", "a").out == "a"


def test_options_of_a_command_without_two_dashes_are_no_options_of_ours(person: Person) -> None:
    said = person.process("without", "sh", "--continue", code=2)
    assert "--continue" in said.err and "→" in said.err


@pytest.mark.parametrize("words", [(), ("--",)])
def test_without_nothing_is_wrong_use(person: Person, words: tuple[str, ...]) -> None:
    said = person.process("without", *words, code=2)
    assert "COMMAND" in said.err and "→" in said.err


def test_a_program_that_is_not_there_is_named_with_what_to_type(person: Person) -> None:
    plain = person.folder / "notes.txt"
    plain.write_text("no program")
    for program in ("no-such-agent", str(plain), str(person.folder)):
        said = person.process("without", "--", program, "--continue", code=1)
        assert f"{program} was not started: " in said.err and "→ tacit without claude" in said.err
        assert said.out == ""


def test_an_agent_may_start_another_one_without_memory(person: Person) -> None:
    assert person.process("without", "printf", "done", CLAUDECODE="1").out == "done"


def test_an_agent_without_memory_is_told_nothing_and_its_session_is_never_recorded(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "person").prepare()
    without = Given(prefix=[sys.executable, "-m", "tacit", "without", "--"])
    for call in CALLS:
        ended = scene.run(call, without)
        assert faults(ended) == [] and ended.out == b"", call
    scene.settle()
    assert not scene.holds(PROMPT)
    person = Person(scene.folder)
    assert person.tacit("sessions", "--json").json == [] == person.tacit("injected", "--json").json

    assert b"never force push" in scene.run(CALLS[0]).out
    scene.run(CALLS[-1])
    scene.settle()
    assert not scene.holds(PROMPT)  # what was said without memory stays unrecorded when the session goes on with it


def test_a_variable_that_asks_for_capture_excludes_no_session(tmp_path: Path) -> None:
    """It cannot turn capture on, and what the person turns on later is captured."""
    scene = Scene(tmp_path / "person").prepare()
    person = Person(scene.folder)
    person.tacit("autocapture", "off")
    for call in CALLS[:3]:
        scene.run(call, Given(variables={"TACIT_AUTOCAPTURE_ENABLED": "1"}))
    scene.settle()
    assert not scene.holds(PROMPT)
    person.tacit("autocapture", "on")
    scene.run(CALLS[2])
    scene.settle()
    assert scene.holds(PROMPT)


def test_a_session_that_goes_on_without_memory_is_not_recorded_when_another_begins(tmp_path: Path) -> None:
    """It was recorded before, and no hook said that it had ended, as when the terminal was closed."""
    scene = Scene(tmp_path / "person").prepare()
    start, asked, stop, _ = CALLS
    for call in (start, asked, stop):
        scene.run(call)
    scene.settle()
    assert scene.holds(PROMPT)

    without = [sys.executable, "-m", "tacit", "without", "--"]
    scene.run(start, Given(changes={"source": "resume"}, prefix=without))
    with scene.transcript.open("ab") as file:
        later = Claude(SESSION, str(scene.project), BEGAN + timedelta(hours=1))
        later.ask("what does Krakatoa pay?")
        file.write(lines(later.records).replace(name_of(SESSION, 1).encode(), name_of("later").encode()))
    os.utime(scene.transcript, (time.time() + 60, time.time() + 60))
    scene.run(stop, Given(prefix=without))
    scene.settle()
    assert not scene.holds("Krakatoa")
    scene.run(start, Given(changes={"session_id": name_of("another")}))
    scene.settle()
    assert not scene.holds("Krakatoa")


# What agents are told at a tool call

FIX = "When `./check` fails with “kestrel is not seeded”, run `./seed` first."
TOOLS = "autocapture.inject_on_tools"


@pytest.fixture
def shop(person: Person) -> Path:
    """A project with a known fix, a memory that names a file, and a rule."""
    root = person.repository("shop")
    person.tacit("add", FIX, "--kind", "known_fix", cwd=root)
    person.tacit(
        "add", "uploads.py is tried three times, because the proxy drops files", "--kind", "decision", cwd=root
    )
    person.tacit("add", "never force push", cwd=root)
    return root


def told_at_calls(person: Person, shop: Path, session: str = "now", **variables: str) -> list[str]:
    """What an agent is told as it edits a file, and as a command has failed."""
    common = {"session_id": session, "cwd": str(shop)}
    arguments = {"file_path": f"{shop}/uploads.py", "old_string": "a", "new_string": "b"}
    edit = {**common, "tool_name": "Edit", "tool_input": arguments}
    failure = {"tool_name": "Bash", "tool_input": {"command": "./check"}, "error": "Exit code 1\nkestrel is not seeded"}
    events = {"PreToolUse": edit, "PostToolUseFailure": {**common, **failure}}
    with person.at(shop, **variables):
        answers = [
            calls.answer("claude", event, json.dumps(payload).encode(), str(person.home))
            for event, payload in events.items()
        ]
    return [text_in(answer) for answer in answers]


def test_agents_are_told_at_tool_calls_unless_the_person_turns_it_off(person: Person, shop: Path) -> None:
    assert person.tacit("config", "get", TOOLS).out == "true\n"
    person.tacit("config", "set", TOOLS, "off")
    assert told_at_calls(person, shop) == ["", ""]
    person.tacit("config", "unset", TOOLS)
    edited, failed = told_at_calls(person, shop)  # nothing counts as told meanwhile
    assert "the proxy drops files" in edited and "run `./seed` first" in failed
    assert told_at_calls(person, shop) == ["", ""]


def test_a_variable_turns_off_what_is_told_at_tool_calls_and_never_on(person: Person, shop: Path) -> None:
    assert told_at_calls(person, shop, TACIT_AUTOCAPTURE_INJECT_ON_TOOLS="0") == ["", ""]
    person.tacit("config", "set", TOOLS, "off")
    assert told_at_calls(person, shop, TACIT_AUTOCAPTURE_INJECT_ON_TOOLS="1") == ["", ""]
    shown = person.tacit("config", "get", TOOLS, TACIT_AUTOCAPTURE_INJECT_ON_TOOLS="1")
    assert shown.out == "false\n" and "TACIT_AUTOCAPTURE_INJECT_ON_TOOLS=1 is ignored" in shown.err


def test_what_is_told_at_tool_calls_is_turned_off_apart_from_what_is_told_at_the_start_and_at_prompts(
    person: Person, shop: Path
) -> None:
    person.tacit("config", "set", TOOLS, "off")
    assert "never force push" in Sitting(person, "one", shop).start()
    assert "never force push" in Sitting(person, "two", shop).ask("may I force push?")
    person.tacit("config", "unset", TOOLS)
    for key in ("autocapture.inject_on_start", "autocapture.inject_on_prompt"):
        person.tacit("config", "set", key, "off")
    assert Sitting(person, "three", shop).start() == Sitting(person, "three", shop).ask("may I force push?") == ""
    assert all(told_at_calls(person, shop))


def test_with_settings_that_cannot_be_read_nothing_is_told_at_a_tool_call(person: Person, shop: Path) -> None:
    settings_of(person).write_text("[autocapture]\ninject_on_tools = maybe\n")
    assert told_at_calls(person, shop) == ["", ""]


def test_a_guard_stops_a_call_also_where_nothing_is_told_about_calls(person: Person, shop: Path) -> None:
    person.tacit("guard", "on", person.id_of("never force push", cwd=shop), "--yes", cwd=shop)
    person.tacit("config", "set", TOOLS, "off")
    call = {"session_id": "now", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": "git push -f"}}
    with person.at(shop, **WITHOUT):
        assert "never force push" in guard.decide("claude", json.dumps(call).encode(), str(person.home))
