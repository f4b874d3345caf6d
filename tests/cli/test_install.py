"""tacit install and uninstall for agents, as a person types them."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from harness.person import Person, tree
from harness.terminal import converse

from tacit.hosts.registration import GUARD
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody, give
from tests.support.codex_review import trust_hooks

AGENTS = ("claude", "codex", "gemini", "cursor", "opencode", "copilot")
SETTINGS = (
    b'{\n  // mine\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n  },\n}\n'
)
ASKED = "Change these files? [y/N, d shows every line] "
CAPTURE = "Also record your sessions with agents, so that they can be recalled? [y/N] "


@pytest.fixture
def settings(person: Person) -> Path:
    file = person.folder / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(SETTINGS)
    return file


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_gets_what_is_shown_and_loses_it_again(person: Person, agent: str) -> None:
    told = person.tacit("install", agent, "--yes", "--mcp").out
    files = [name for name in tree(person.folder) if not name.startswith(".agents/")]
    assert files and all(str(person.folder / name) in told for name in files)
    assert f"tacit uninstall {agent}" in told and "+" in told
    assert "It is there already" in person.tacit("install", agent, "--yes", "--mcp").out
    assert "Taken out." in person.tacit("uninstall", agent, "--yes").out
    assert tree(person.folder) == {}
    assert "Nothing of Tacit is in" in person.tacit("uninstall", agent).out


def test_what_is_registered_starts_this_installation_on_this_home(person: Person, settings: Path) -> None:
    person.tacit("install", "claude", "--yes")
    commands = re.findall(r'"command": ("(?:[^"\\]|\\.)*agent\.py(?:[^"\\]|\\.)*")', settings.read_text())
    words = [shlex.split(json.loads(command)) for command in commands]
    assert len(words) == 8
    for shell, option, guard, interpreter, isolated, bare, file, agent, _verb, _event, *home in words:
        assert (shell, option, guard) == ("/bin/sh", "-c", GUARD)
        assert (interpreter, isolated, bare, agent) == (sys.executable, "-I", "-S", "claude")
        assert file.endswith("/tacit/hooks/agent.py") and home == ["--home", str(person.home)]
    verbs = {event: verb for *_, verb, event, _, _ in words}
    assert verbs["SessionStart"] == verbs["UserPromptSubmit"] == "inject"
    events = [(verb, event) for *_, verb, event, _, _ in words]
    assert {("call", "PreToolUse"), ("call", "PostToolUseFailure")} <= set(events)
    assert verbs["Stop"] == verbs["SessionEnd"] == verbs["PreCompact"] == "capture"


def test_the_settings_of_others_stay_and_are_restored(person: Person, settings: Path) -> None:
    person.tacit("install", "claude", "--yes")
    text = settings.read_text()
    assert "// mine" in text and text.count("say done") == 1 and text.count("agent.py") == 8
    settings.write_text(text.replace("say done", "say finished"))
    told = person.tacit("uninstall", "claude", "--yes").out
    assert settings.read_bytes() == SETTINGS.replace(b"say done", b"say finished")
    assert "What you changed in those files since is as you left it." in told


def test_a_person_is_asked_first_and_then_about_capturing(person: Person, settings: Path) -> None:
    told = converse(person, "install", "claude", answers=[(ASKED, "n")])
    assert "Nothing was changed" in told.out and settings.read_bytes() == SETTINGS
    told = converse(person, "install", "claude", answers=[(ASKED, "y"), (CAPTURE, "n")])
    assert "Installed" in told.out and "tacit autocapture on" in told.out
    assert person.tacit("config", "get", "autocapture.enabled").out.strip() == "false"
    told = converse(person, "install", "claude", answers=[(CAPTURE, "y")])
    assert "It is there already" in told.out
    assert person.tacit("config", "get", "autocapture.enabled").out.strip() == "true"
    assert "record" not in person.process("install", "claude", "--yes").out


def test_capturing_is_turned_on_only_when_the_person_says_so(person: Person) -> None:
    assert "tacit autocapture on" in person.process("install", "gemini", "--yes").out
    assert person.tacit("config", "get", "autocapture.enabled").out.strip() == "false"
    person.process("install", "gemini", "--yes", "--capture")
    assert person.tacit("config", "get", "autocapture.enabled").out.strip() == "true"


def test_without_a_terminal_nothing_is_changed_unasked(person: Person, settings: Path) -> None:
    told = person.process("install", "claude", "--mcp", code=1)
    assert "tacit install claude --mcp --yes" in told.err and "agent.py" in told.out
    assert tree(person.folder) == {".claude/settings.json": SETTINGS}


def test_the_targets_are_listed_with_what_is_installed(person: Person, settings: Path) -> None:
    person.tacit("install", "codex", "--yes")
    trust_hooks(person)
    (person.folder / ".cursor").mkdir()
    (person.folder / ".cursor" / "hooks.json").write_text("{")
    lines = person.tacit("install").out.split("\n\n")[0].split("\n")
    told = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
    assert list(told) == ["bash", "zsh", "fish", *AGENTS]
    assert told["codex"] == "installed" and told["claude"] == told["zsh"] == "-"
    assert "line 1, column 2" in told["cursor"]
    file = person.folder / ".codex" / "hooks.json"
    whole = file.read_text()
    file.write_text(whole.replace(sys.executable, "/old/python"))
    gone = "codex      broken: /old/python is no longer there: tacit install codex"
    assert gone in person.tacit("install").out
    file.write_text(whole.replace(sys.executable, "/bin/sh"))
    assert "codex      installed, and out of date: tacit install codex" in person.tacit("install").out


def test_codex_wants_a_review_and_the_person_is_told_how(person: Person) -> None:
    told = person.tacit("install", "codex", "--yes").out
    assert "Codex does not run all" in told and "/hooks" in told
    assert tree(person.folder / ".codex").keys() == {"hooks.json"}  # no trust is written for them


def test_a_broken_file_is_refused_with_its_line_and_nothing_is_changed(person: Person, settings: Path) -> None:
    settings.write_bytes(b'{\n  "a": 1\n  "b": 2\n}\n')
    before = tree(person.folder)
    for verb in ("install", "uninstall"):
        told = person.tacit(verb, "claude", "--yes", code=1).err
        assert f"{settings}: line 3, column 3: a comma" in told
    assert tree(person.folder) == before


def test_when_the_second_file_is_broken_the_first_is_not_touched(person: Person, settings: Path) -> None:
    (person.folder / ".claude.json").write_text("{")
    assert "line 1, column 2" in person.tacit("install", "claude", "--mcp", "--yes", code=1).err
    assert settings.read_bytes() == SETTINGS


def test_linked_settings_change_where_they_lie_and_keep_their_mode(person: Person, settings: Path) -> None:
    kept = person.folder / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    settings.rename(kept)
    kept.chmod(0o640)
    settings.symlink_to(kept)
    person.tacit("install", "claude", "--yes")
    assert settings.is_symlink() and b"agent.py" in kept.read_bytes() and kept.stat().st_mode & 0o777 == 0o640
    person.tacit("uninstall", "claude", "--yes")
    assert settings.is_symlink() and kept.read_bytes() == SETTINGS and len(list(kept.parent.iterdir())) == 1


def test_a_read_only_file_is_left_alone(person: Person, settings: Path) -> None:
    settings.chmod(0o444)
    told = person.tacit("install", "claude", "--yes", code=1).err
    assert f"{settings} is read-only; nothing was changed" in told and "chmod u+w" in told
    assert tree(person.folder) == {".claude/settings.json": SETTINGS}


def test_a_read_only_folder_is_left_alone() -> None:
    with folder_of_nobody() as folder:
        person = Person(folder)
        person.prefix = becoming(NOBODY)
        file = folder / ".claude" / "settings.json"
        file.parent.mkdir()
        file.write_bytes(SETTINGS)
        give(file, file.parent)
        file.parent.chmod(0o500)
        told = person.process("install", "claude", "--mcp", "--yes", code=1).err
        assert f"the folder {file.parent} is read-only; nothing was changed" in told
        assert tree(folder) == {".claude/settings.json": SETTINGS}


@pytest.mark.parametrize(
    ("agent", "file", "content"),
    [
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
def test_whoever_has_turned_hooks_off_is_told_that_none_will_run(
    person: Person, agent: str, file: str, content: str
) -> None:
    assert "No hook runs" not in person.tacit("install", agent, "--yes").out
    person.tacit("uninstall", agent, "--yes")
    (person.folder / file).parent.mkdir(exist_ok=True)
    (person.folder / file).write_text(content)
    assert "No hook runs while" in person.tacit("install", agent, "--yes").out


# The skill

SHARING = ("codex", "gemini", "opencode", "copilot")
SKILL = ".agents/skills/tacit/SKILL.md"


@pytest.mark.parametrize("last", SHARING)
def test_the_shared_skill_is_written_once_and_goes_with_the_last_host(person: Person, last: str) -> None:
    for agent in SHARING:
        told = person.tacit("install", agent, "--yes").out
        assert (SKILL in told) == (agent == "codex")
    file = person.folder / SKILL
    content = file.read_bytes()
    for agent in SHARING:
        if agent != last:
            assert f"{file} stays: " in person.tacit("uninstall", agent, "--yes").out
            assert file.read_bytes() == content
    assert f"{file} stays" not in person.tacit("uninstall", last, "--yes").out
    assert not (person.folder / ".agents").exists() and tree(person.folder) == {}


def test_a_host_without_our_entries_is_not_installed_although_the_skill_is_there(person: Person) -> None:
    person.tacit("install", "codex", "--yes")
    lines = person.tacit("install").out
    assert re.search(r"codex +installed\.", lines) and re.search(r"gemini +-\n", lines)
    assert "Nothing of Tacit is in" in person.tacit("uninstall", "gemini", "--yes").out
    assert (person.folder / SKILL).exists()


@pytest.mark.parametrize("agent", ["claude", "copilot"])
def test_a_skill_that_the_person_changed_stays_and_they_are_told(person: Person, agent: str) -> None:
    file = person.folder / (SKILL if agent == "copilot" else ".claude/skills/tacit/SKILL.md")
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: tacit\n---\nmine\n")
    told = person.tacit("install", agent, "--yes").out
    assert "Installed." in told and f"{file} is not as Tacit wrote it, so it was left alone" in told
    assert re.search(rf"{agent} +installed\n", person.tacit("install").out)
    assert f"{file} is not as Tacit wrote it, so it stays." in person.tacit("uninstall", agent, "--yes").out
    assert file.read_text() == "---\nname: tacit\n---\nmine\n"


def test_one_folder_of_skills_for_all_hosts_by_a_link(person: Person) -> None:
    (person.folder / ".agents/skills").mkdir(parents=True)
    (person.folder / ".claude").mkdir()
    (person.folder / ".claude/skills").symlink_to(person.folder / ".agents/skills")
    for agent in ("claude", "codex"):
        person.tacit("install", agent, "--yes")
    assert "stays: codex reads it, too" in person.tacit("uninstall", "claude", "--yes").out
    assert (person.folder / SKILL).exists()
    person.tacit("uninstall", "codex", "--yes")
    assert list((person.folder / ".agents/skills").iterdir()) == []


def test_a_missing_or_old_skill_is_noticed_and_repaired(person: Person) -> None:
    person.tacit("install", "codex", "--yes")
    trust_hooks(person)
    assert "skill" not in person.tacit("doctor", code=None).out
    file = person.folder / SKILL
    content = file.read_bytes()
    file.unlink()
    assert f"{file}: the skill that tells codex" in person.tacit("doctor", code=None).out
    assert "codex      installed, and out of date: tacit install codex" in person.tacit("install").out
    person.tacit("install", "codex", "--yes")
    assert file.read_bytes() == content


@pytest.mark.parametrize("agent", ["claude", "gemini", "codex", "cursor"])
def test_what_another_home_installed_before_leaves_nothing_behind(person: Person, agent: str) -> None:
    before = {"unrelated": True}
    folders = {"claude": ".claude/settings.json", "gemini": ".gemini/settings.json"}
    if agent in folders:
        (person.folder / folders[agent]).parent.mkdir(parents=True)
        (person.folder / folders[agent]).write_text(json.dumps(before))
    for home in ("a", "b"):
        person.tacit("--home", str(person.folder / home), "install", agent, "--yes")
    person.tacit("--home", str(person.folder / "b"), "uninstall", agent, "--yes")
    files = [path for path in person.folder.glob(".*/**/*") if path.is_file() and path.suffix in (".json", ".toml")]
    for path in files:
        assert "hooks" not in path.read_text(), path.read_text()
    if agent in folders:
        assert json.loads((person.folder / folders[agent]).read_text()) == before
