"""What the host loads anyway is not told again, and what is gone from the work tree is not told as if it were there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import name_of

from tests.support.hook_session import NAMES, Sitting

RULE = "never force push to main"


def work(person: Person) -> Path:
    return person.folder / "work"


def add(person: Person, text: str, *options: str) -> None:
    person.tacit("add", text, *options, cwd=work(person))


def told(person: Person, host: str = "claude", folder: str = "", prompt: str = "hello", **environment: str) -> str:
    session = Sitting(person, name_of(host, folder, prompt), work(person) / folder, host)
    start = session.start(**environment) if NAMES[host].start else ""
    return start + (session.ask(prompt, **environment) if NAMES[host].prompt else "")


# What the host loads

LOADED = [
    ("claude", "CLAUDE.md"),
    ("claude", ".claude/CLAUDE.md"),
    ("claude", "CLAUDE.local.md"),
    ("codex", "AGENTS.md"),
    ("gemini", "GEMINI.md"),
    ("opencode", "AGENTS.md"),
    ("opencode", "CLAUDE.md"),
    ("copilot", ".github/copilot-instructions.md"),
    ("cursor", "AGENTS.md"),
]


@pytest.mark.parametrize(("host", "file"), LOADED)
def test_what_the_file_of_a_host_says_is_not_told_to_it(person: Person, host: str, file: str) -> None:
    add(person, RULE)
    assert RULE in told(person, host)
    (work(person) / file).parent.mkdir(exist_ok=True)
    (work(person) / file).write_text(f"# Rules\n\n- **Never** force push to `main`.\n- {RULE} twice\n")

    assert told(person, host, prompt="hello again") == ""


def test_it_is_told_to_other_hosts(person: Person) -> None:
    add(person, RULE)
    (work(person) / "CLAUDE.md").write_text(f"- {RULE}\n")

    assert RULE in told(person, "codex") and RULE in told(person, "gemini")


def test_a_file_of_the_current_folder_counts_and_one_of_another_does_not(person: Person) -> None:
    add(person, RULE)
    (work(person) / "web").mkdir()
    (work(person) / "web" / "CLAUDE.md").write_text(f"{RULE}\n")

    assert told(person, folder="web") == ""
    assert RULE in told(person)


def test_codex_does_not_load_what_is_overridden(person: Person) -> None:
    add(person, RULE)
    (work(person) / "AGENTS.md").write_text(f"- {RULE}\n")
    (work(person) / "AGENTS.override.md").write_text("- be brief\n")

    assert RULE in told(person, "codex")


@pytest.mark.parametrize(
    "text",
    [
        "force push to main\n",
        "always force push to main\n",
        f"```\n{RULE}\n```\n",
        f"<!--\n{RULE}\n-->\n",
        f"<!-- {RULE} -->\n",
        f"It is not true that you should {RULE} unless asked\n",
        "x\n" * 20_000 + f"- {RULE}\n",
    ],
)
def test_what_the_file_does_not_say_is_told(person: Person, text: str) -> None:
    add(person, RULE)
    (work(person) / "CLAUDE.md").write_text(text)

    assert RULE in told(person)


def test_a_repository_cannot_silence_a_global_rule_but_the_persons_own_file_says_it_already(person: Person) -> None:
    add(person, RULE, "--global")
    (work(person) / "CLAUDE.md").write_text(f"- {RULE}\n")
    assert RULE in told(person)
    (person.folder / ".claude").mkdir(exist_ok=True)
    (person.folder / ".claude" / "CLAUDE.md").write_text(f"- {RULE}\n")

    assert told(person, prompt="hello again") == ""


def test_a_link_is_followed_within_the_project_only(person: Person) -> None:
    add(person, RULE)
    outside = person.folder / "outside.md"
    outside.write_text(f"- {RULE}\n")
    os.symlink(outside, work(person) / "CLAUDE.md")
    assert RULE in told(person)
    (work(person) / "CLAUDE.md").unlink()
    (work(person) / "AGENTS.md").write_text(f"- {RULE}\n")
    os.symlink("AGENTS.md", work(person) / "CLAUDE.md")

    assert told(person, prompt="hello again") == ""


@pytest.mark.parametrize(("host", "file"), [("claude", "CLAUDE.md"), ("gemini", "GEMINI.md")])
def test_what_an_imported_file_says_is_not_told(person: Person, host: str, file: str) -> None:
    add(person, RULE)
    (work(person) / file).write_text("See @docs/rules.md for the rules.\n")
    (work(person) / "docs" / "rules.md").write_text("@./more.md\n@rules.md\n")
    assert RULE in told(person, host)
    (work(person) / "docs" / "more.md").write_text(f"- {RULE}\n")

    assert told(person, host, prompt="hello again") == ""


def test_codex_follows_no_imports(person: Person) -> None:
    add(person, RULE)
    (work(person) / "AGENTS.md").write_text("@rules.md\n")
    (work(person) / "rules.md").write_text(f"- {RULE}\n")

    assert RULE in told(person, "codex")


@pytest.mark.parametrize("text", ["`@rules.md`\n", "```\n@rules.md\n```\n", "@rules.json\n", "@none.md\n", "@docs\n"])
def test_what_is_no_import_is_not_followed(person: Person, text: str) -> None:
    add(person, RULE)
    (work(person) / "CLAUDE.md").write_text(text)
    for name in ("rules.md", "rules.json"):
        (work(person) / name).write_text(f"- {RULE}\n")

    assert RULE in told(person)


def test_imports_are_followed_four_deep(person: Person) -> None:
    add(person, RULE)
    for depth in range(5):
        (work(person) / f"a{depth}.md").write_text(f"@a{depth + 1}.md\n")
    (work(person) / "a4.md").write_text(f"- {RULE}\n")
    (work(person) / "CLAUDE.md").write_text("@a0.md\n")
    assert RULE in told(person)
    (work(person) / "CLAUDE.md").write_text("@a1.md\n")

    assert told(person, prompt="hello again") == ""


@pytest.mark.parametrize("target", ["~/outside.md", "../outside.md", "link.md"])
def test_an_import_does_not_leave_the_project(person: Person, target: str) -> None:
    add(person, RULE)
    (person.folder / "outside.md").write_text(f"- {RULE}\n")
    os.symlink("../outside.md", work(person) / "link.md")
    (work(person) / "CLAUDE.md").write_text(f"@{target}\n")

    assert RULE in told(person)


def test_the_persons_own_file_silences_a_global_rule_with_what_is_their_own(person: Person) -> None:
    add(person, RULE, "--global")
    (person.folder / ".claude").mkdir(exist_ok=True)
    own = person.folder / ".claude" / "CLAUDE.md"
    (work(person) / "rules.md").write_text(f"- {RULE}\n")
    own.write_text(f"@~/{work(person).name}/rules.md\n")
    assert RULE in told(person)  # a repository can write that file
    (person.folder / ".claude" / "mine.md").write_text(f"- {RULE}\n")
    own.write_text("@mine.md\n")

    assert told(person, prompt="hello again") == ""


def test_many_imports_take_no_time(person: Person) -> None:
    add(person, RULE)
    (work(person) / "CLAUDE.md").write_text("".join(f"@a{number}.md " for number in range(5_000)))
    for number in range(40):
        (work(person) / f"a{number}.md").write_text(f"@a{number + 1}.md\n" + "x y z\n" * 5_000)

    assert RULE in told(person)


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"", b"a" * 100_000, b"- " * 30_000])
def test_any_file_is_survived(person: Person, content: bytes) -> None:
    add(person, RULE)
    (work(person) / "CLAUDE.md").write_bytes(content)

    assert RULE in told(person)


def test_what_is_not_told_is_not_counted_as_left_out(person: Person) -> None:
    add(person, RULE)
    add(person, "never commit secrets")
    (work(person) / "CLAUDE.md").write_text(f"- {RULE}\n")
    text = told(person)

    assert "never commit secrets" in text and "more hold here" not in text


# What is gone


def test_a_rule_that_names_a_missing_file_is_told_with_a_remark(person: Person) -> None:
    (work(person) / "docs").mkdir()
    (work(person) / "docs" / "api.md").write_text("x")
    add(person, "always follow docs/api.md")
    assert "not found" not in told(person)
    (work(person) / "docs" / "api.md").unlink()

    assert "always follow docs/api.md (not true here: docs/api.md) (" in told(person, prompt="hello again")
    assert "(not true here: docs/api.md)" in person.tacit("brief", cwd=work(person)).out


def test_a_description_of_what_is_missing_is_left_out(person: Person) -> None:
    (work(person) / "docs").mkdir()
    add(person, "the api is described in docs/api.md", "--kind", "environment")
    assert "docs/api.md" not in told(person)
    (work(person) / "docs" / "api.md").write_text("x")

    assert "docs/api.md" in told(person, prompt="hello again")


def test_global_memories_are_not_looked_up(person: Person) -> None:
    (work(person) / "docs").mkdir()
    add(person, "always follow docs/api.md", "--global")

    assert "not found" not in told(person)


def test_the_doctor_lists_memories_that_name_what_is_missing(person: Person) -> None:
    (work(person) / "Makefile").write_text("all:\n")
    add(person, "always run `make lint` first")
    add(person, "always run `make all` last")
    shown = person.tacit("doctor", cwd=work(person)).out

    assert "is not true of this work tree: Makefile has no target lint" in shown
    assert "make all" not in shown
