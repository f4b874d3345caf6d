"""A hook whose worker is late tells the standing rules from a file that was written when the log changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.homes import copy_home
from harness.person import Person

from tacit.home.paths import HomePaths
from tacit.home.rule_files import GLOBAL_FILE, rule_file_name, settings_signature
from tacit.hooks import ready_rules
from tacit.model.coin import is_treated
from tests.support.hook_calls import CALLS, RULES, Call, Given, Scene
from tests.support.trials import Trialist

START, ASKED, *_ = CALLS
OTHER_SESSION = "9d1a8f6e-1111-4222-8333-944444444444"
PROJECT_RULE = "never edit the generated client"
TRIED = ("never use npm here, use pnpm", "run make test before committing")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repositories, one of which has a rule of its own."""
    scene = Scene(tmp_path_factory.mktemp("late").resolve() / "person").prepare()
    person = Person(scene.folder)
    shop, plain = person.repository("shop", "https://git.example.org/ann/shop.git"), person.repository("plain")
    person.tacit("add", PROJECT_RULE, cwd=shop)
    person.git(shop, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    for folder in (shop, plain):
        scene.run(START, Given(changes={"cwd": str(folder), "session_id": f"first in {folder.name}"}))
        scene.settle()
    return scene.folder


@pytest.fixture
def scene(prepared: Path, tmp_path: Path) -> Scene:
    """The same, elsewhere."""
    scene = Scene(copy_home(prepared, tmp_path.resolve() / "person"))
    for path in (scene.home / ".tacit" / "rules").iterdir():
        text = path.read_text().replace(str(prepared), str(scene.folder))
        path.unlink()
        root = text.split("\n")[1].partition("\t")[0]
        (path.parent / rule_file_name(root)).write_text(text)
    sign(scene)
    return scene


def sign(scene: Scene) -> None:
    """Give the files the time of the copied settings."""
    for path in (scene.home / ".tacit" / "rules").iterdir():
        path.write_text("\n".join([settings_signature(HomePaths(str(scene.home))), *path.read_text().split("\n")[1:]]))
        path.chmod(0o600)


def told(scene: Scene, call: Call = START, **changes: object) -> str:
    """Return what the process that waits tells of itself; tests/hooks/test_dispatch.py has it called."""
    answer = ready_rules.answer(call.host, call.event, scene.payload(call, **changes), str(scene.home))
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def test_the_rules_of_the_project_arrive_in_each_of_its_work_trees(scene: Scene) -> None:
    beside = scene.folder / "beside"
    Person(scene.folder).git(scene.folder / "shop", "worktree", "add", "--quiet", str(beside))
    texts = {name: told(scene, cwd=str(scene.folder / name), session_id=name) for name in ("shop", "beside", "plain")}
    assert all(RULES[0] in text for text in texts.values())
    assert [name for name, text in texts.items() if PROJECT_RULE in text] == ["shop", "beside"]


def test_a_fence_has_a_number_that_nobody_can_know(scene: Scene) -> None:
    fences = {told(scene, session_id=name).split("\n")[0] for name in ("one", "two")}
    assert len(fences) == 2 and all("@" not in fence for fence in fences)


def test_a_session_is_told_once_and_the_next_prompt_repairs_what_was_missed(scene: Scene) -> None:
    file = scene.home / ".tacit" / "rules" / GLOBAL_FILE
    text = file.read_text()
    file.unlink()
    assert told(scene) == ""
    file.write_text(text)
    assert RULES[0] in told(scene, ASKED)
    assert told(scene, ASKED) == ""
    assert RULES[0] in told(scene, ASKED, session_id=OTHER_SESSION)


def test_what_came_late_is_counted_and_shown(scene: Scene) -> None:
    told(scene)
    (scene.home / ".tacit" / "rules" / GLOBAL_FILE).unlink()
    told(scene, session_id=OTHER_SESSION)
    person = Person(scene.folder)
    expected = "too busy at the start of 2 sessions: 1 got the standing rules alone, 1 nothing"
    for command in ("doctor", "injected"):
        assert expected in " ".join(person.tacit(command, code=None).out.split())


def test_rules_for_other_settings_are_not_told(scene: Scene) -> None:
    settings = scene.home / "tacit.toml"
    settings.write_text(settings.read_text() + "\n# changed\n")
    assert told(scene) == ""


@pytest.mark.parametrize("variable", ["TACIT_AUTOCAPTURE_INJECT_ON_START", "TACIT_AGENTS_IGNORE_DIRECTORIES"])
def test_a_variable_that_restricts_silences_it(scene: Scene, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "0")
    assert told(scene) == ""


def test_in_a_folder_that_the_person_excluded_nothing_is_told_or_noted(scene: Scene) -> None:
    excluded = scene.folder / "plain"
    for path in (scene.home / ".tacit" / "rules").iterdir():
        signature, root, text = path.read_text().split("\n")
        path.write_text("\n".join([signature, root, str(excluded), text]))
    assert told(scene, cwd=str(excluded / "src")) == ""
    assert told(scene, cwd=str(excluded) + "\u00e9") == ""  # written with an escape: it could be any folder
    assert not (scene.home / ".tacit" / "late").exists()
    assert RULES[0] in told(scene, cwd=str(scene.folder / "shop"))


def test_a_link_in_place_of_a_file_is_not_followed(scene: Scene) -> None:
    file = scene.home / ".tacit" / "rules" / GLOBAL_FILE
    kept = file.rename(scene.folder / "kept")
    file.symlink_to(kept)
    assert told(scene) == ""


@pytest.mark.parametrize(
    ("host", "event", "field"),
    [
        ("codex", "SessionStart", "hookSpecificOutput"),
        ("cursor", "sessionStart", "additional_context"),
        ("copilot", "sessionStart", "additionalContext"),
        ("opencode", "session.start", "context"),
    ],
)
def test_each_host_gets_its_own_form(scene: Scene, host: str, event: str, field: str) -> None:
    call = Call("inject", event, host)
    answer = json.loads(ready_rules.answer(host, event, scene.payload(call), str(scene.home)))
    assert RULES[0] in json.dumps(answer[field])


def test_a_forgotten_rule_leaves_the_files_and_nobody_else_may_read_them(scene: Scene) -> None:
    folder = scene.home / ".tacit" / "rules"
    person = Person(scene.folder)
    person.tacit("forget", "--text", PROJECT_RULE, "--reason", "wrong", "--evidence", "chat", cwd=scene.folder / "shop")
    texts = [path.read_text() for path in folder.iterdir()]
    assert len(texts) >= 3 and PROJECT_RULE not in "".join(texts)
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


def test_a_rule_on_trial_is_told_by_the_coin_and_the_others_to_everybody(tmp_path: Path) -> None:
    """Two rules on trial: there is a text for each way in which their coins may fall."""
    kim = Trialist(tmp_path.resolve() / "kim", *TRIED, PROJECT_RULE)
    person = kim.person
    second = person.tacit("trial", person.id_of(TRIED[1]), "--json", cwd=kim.work).json
    person.tacit("doctor", "--reindex")
    with person.vault(kim.work) as vault:
        vault.home.store.write_rule_files()
    seeds = [kim.started["seed"], second["seed"]]
    seen = set()
    for number in range(16):
        session = f"session-{number}"
        payload = json.dumps({"session_id": session, "cwd": str(kim.work)}).encode()
        answer = ready_rules.answer("claude", "SessionStart", payload, str(person.home))
        text = str(json.loads(answer)["hookSpecificOutput"]["additionalContext"])
        coins = [is_treated(seed, "claude", session) for seed in seeds]
        assert [rule in text for rule in TRIED] == coins and PROJECT_RULE in text
        assert "more hold here" not in text  # nothing hints at what is withheld
        seen.add(tuple(coins))
    assert len(seen) == 4
    for rule in TRIED:
        person.tacit("trial", person.id_of(rule), "--stop")
    payload = json.dumps({"session_id": "later", "cwd": str(kim.work)}).encode()
    answer = ready_rules.answer("claude", "SessionStart", payload, str(person.home))
    assert all(rule in json.loads(answer)["hookSpecificOutput"]["additionalContext"] for rule in TRIED)
