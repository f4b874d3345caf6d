"""The skill: what it says, which file is ours, and who still needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.hosts import skill
from tacit.install import InstallContext, apply_change

HOSTS = ("claude", "codex", "gemini", "opencode", "copilot")


def install(host: str, place: InstallContext) -> Path:
    (change,) = skill.plan_skill_install(host, place)
    if change.is_needed:
        apply_change(change)
    return Path(change.path)


def test_the_description_is_short_and_plain_yaml() -> None:
    _, name, description, *_ = skill.render_skill().decode().split("\n")
    assert name == "name: tacit"
    text = description.removeprefix("description: ")
    assert len(text) <= 200 and not set(':#"') & set(text)


def test_the_body_names_the_tool_the_command_and_the_limit() -> None:
    for words in ("`suggest`", "`quote`", "--quote", "at most three", "Should I remember", "tacit review"):
        assert words in skill.GUIDANCE


def test_a_file_is_ours_until_somebody_changes_it() -> None:
    content = skill.render_skill()
    assert skill.is_unchanged_skill(content)
    assert not skill.is_unchanged_skill(content.replace(b"at most three", b"at most nine"))
    assert not skill.is_unchanged_skill(content + b"and mine\n")
    assert not skill.is_unchanged_skill(b"---\nname: tacit\n---\nmine\n")
    assert not skill.is_unchanged_skill(b"")


def test_the_skill_of_an_earlier_version_is_ours(monkeypatch: pytest.MonkeyPatch, place: InstallContext) -> None:
    monkeypatch.setattr(skill, "GUIDANCE", "# Earlier\n")
    file = install("codex", place)
    monkeypatch.undo()
    assert b"# Earlier" in file.read_bytes()
    assert install("codex", place).read_bytes() == skill.render_skill()


def test_claude_has_a_file_of_its_own_and_cursor_none(place: InstallContext, tmp_path: Path) -> None:
    paths = {host: skill.skill_path(host, place) for host in (*HOSTS, "cursor")}
    assert paths["claude"] == str(tmp_path / ".claude/skills/tacit/SKILL.md")
    assert {paths[host] for host in HOSTS[1:]} == {str(tmp_path / ".agents/skills/tacit/SKILL.md")}
    assert paths["cursor"] is None


def test_folders_of_hosts_are_respected(place: InstallContext) -> None:
    moved = place._replace(environment={**place.environment, "CLAUDE_CONFIG_DIR": "/c", "GEMINI_CLI_HOME": "/g"})
    assert skill.skill_path("claude", moved) == "/c/skills/tacit/SKILL.md"
    assert skill.skill_path("gemini", moved) == "/g/.agents/skills/tacit/SKILL.md"


@pytest.mark.parametrize("content", [b"---\nname: tacit\n---\nmine\n", skill.render_skill() + b"mine\n", b""])
def test_a_file_of_the_person_is_neither_replaced_nor_deleted(place: InstallContext, content: bytes) -> None:
    file = Path(skill.skill_path("codex", place) or "")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    install = skill.plan_skill_install("codex", place)
    for change in (*install, *skill.plan_skill_removal("codex", place, lambda _: True)):
        assert not change.is_needed and str(file) in change.note


def test_a_missing_skill_needs_no_removal(place: InstallContext) -> None:
    (change,) = skill.plan_skill_removal("claude", place, lambda _: True)
    assert not change.is_needed and not change.note
