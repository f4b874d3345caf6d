"""Which rule files there are, who wrote them, and which host loads them when."""

from __future__ import annotations

import json
import os
from hashlib import sha256

import pytest

from tacit.rules import LoadTime, RuleFile, RuleOrigin, find_rules
from tests.rules.conftest import Workspace

START, ON_DEMAND, NEVER = LoadTime.START, LoadTime.ON_DEMAND, LoadTime.NEVER


def loads(file: RuleFile) -> dict[str, LoadTime]:
    return {load.host: load.when for load in file.loads}


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("~/.claude/CLAUDE.md", "claude"),
        ("~/.claude/rules/style.md", "claude"),
        ("~/.codex/AGENTS.md", "codex"),
        ("~/.gemini/GEMINI.md", "gemini"),
        ("~/.copilot/copilot-instructions.md", "copilot"),
        ("~/.config/opencode/AGENTS.md", "opencode"),
        ("~/src/CLAUDE.md", "claude"),  # above the project
        ("~/src/GEMINI.md", "gemini"),
    ],
)
def test_files_of_the_person_are_loaded_at_the_start(work: Workspace, name: str, host: str) -> None:
    work.write(name)
    file = work.files()[name]
    assert file.origin is RuleOrigin.USER and loads(file) == {host: START}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("CLAUDE.md", "x", {"claude": START, "copilot": START}),
        (".claude/CLAUDE.md", "x", {"claude": START}),
        ("CLAUDE.local.md", "x", {"claude": START}),
        ("web/CLAUDE.md", "x", {"claude": ON_DEMAND}),
        (".claude/rules/api.md", "x", {"claude": START}),
        (".claude/rules/deep/api.md", "---\npaths:\n  - 'src/**'\n---\nx", {"claude": ON_DEMAND}),
        ("GEMINI.md", "x", {"gemini": START, "copilot": START}),
        ("web/GEMINI.md", "x", {"gemini": ON_DEMAND}),
        (".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nx", {"cursor": START}),
        (".cursor/rules/a.mdc", "---\nglobs: '*.ts'\nalwaysApply: false\n---\nx", {"cursor": ON_DEMAND}),
        ("docs/a.mdc", "---\nalwaysApply: true\n---\nx", {"cursor": NEVER}),
        (".cursorrules", "x", {"cursor": START}),
        ("web/.cursorrules", "x", {"cursor": NEVER}),
        (".github/copilot-instructions.md", "x", {"copilot": START}),
        ("copilot-instructions.md", "x", {"copilot": NEVER}),
        (".github/instructions/a.instructions.md", "---\napplyTo: '**/*.ts'\n---\nx", {"copilot": ON_DEMAND}),
        (".github/instructions/a.instructions.md", "---\napplyTo: '**'\n---\nx", {"copilot": START}),
        ("docs/a.instructions.md", "x", {"copilot": NEVER}),
        ("AGENTS.override.md", "x", {"codex": START}),
        ("claude.md", "x", {"claude": NEVER}),
        (
            "AGENTS.md",
            "x",
            {"codex": START, "cursor": START, "copilot": START, "opencode": START, "claude": START},
        ),
    ],
)
def test_files_of_a_project(work: Workspace, name: str, text: str, expected: dict[str, LoadTime]) -> None:
    work.write(name, text)
    file = work.files()[name]
    assert loads(file) == expected
    assert file.origin is RuleOrigin.FOREIGN


def test_a_session_in_a_folder_loads_what_is_above_it(work: Workspace) -> None:
    for name in ("CLAUDE.md", "web/CLAUDE.md", "api/CLAUDE.md"):
        work.write(name)
    files = work.files("web")
    assert [loads(files[name])["claude"] for name in ("CLAUDE.md", "web/CLAUDE.md", "api/CLAUDE.md")] == [
        START,
        START,
        ON_DEMAND,
    ]


def test_agents_md_gives_way_to_a_claude_md_and_to_an_override(work: Workspace) -> None:
    work.write("AGENTS.md")
    work.write("CLAUDE.local.md")
    work.write("AGENTS.override.md")
    found = loads(work.files()["AGENTS.md"])
    assert "claude" not in found and found["codex"] is NEVER


def test_memories_that_agents_keep_are_the_agents(work: Workspace) -> None:
    claude = f"~/.claude/projects/{work.slug}/memory"
    gemini = f"~/.gemini/tmp/{sha256(str(work.root.resolve()).encode()).hexdigest()}/memory/MEMORY.md"
    names = [f"{claude}/MEMORY.md", f"{claude}/debugging.md", gemini, "~/.codex/memories/memory_summary.md"]
    for name in names:
        work.write(name)
    files = work.files()
    assert {files[name].origin for name in names} == {RuleOrigin.AGENT}
    assert [next(iter(loads(files[name]).values())) for name in names] == [START, ON_DEMAND, START, START]


def test_gemini_may_read_another_name(work: Workspace) -> None:
    work.write("AGENTS.md")
    work.write(".gemini/settings.json", json.dumps({"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}))
    assert loads(work.files()["AGENTS.md"])["gemini"] is START


def test_the_settings_of_a_repository_decide_about_its_own_files_alone(work: Workspace) -> None:
    work.write(".gemini/settings.json", json.dumps({"context": {"fileName": "private.md"}}))
    work.write("~/.gemini/private.md")
    work.write("~/src/private.md")
    assert work.files() == {}


def test_of_claudes_memory_the_first_200_lines_are_loaded(work: Workspace) -> None:
    name = f"~/.claude/projects/{work.slug}/memory/MEMORY.md"
    work.write(name, "- a line\n" * 250)
    assert work.files()[name].loads[0].last_line == 200
    assert any(f"{name}:201: never loaded" in finding for finding in work.findings())


def test_codex_stops_at_its_limit(work: Workspace) -> None:
    work.write("AGENTS.md", "- 0123456789\n" * 4000)
    (load,) = [load for load in work.files()["AGENTS.md"].loads if load.host == "codex"]
    assert load.last_line == 32 * 1024 // 13
    work.write("~/.codex/config.toml", "project_doc_max_bytes = 65536\n")
    (load,) = [load for load in work.files()["AGENTS.md"].loads if load.host == "codex"]
    assert load.last_line is None


# Imports


def test_imports_are_loaded_with_the_file_that_names_them(work: Workspace) -> None:
    work.write("CLAUDE.md", "See @AGENTS.md and @docs/git.md, not `@docs/code.md`.\n```\n@docs/fenced.md\n```\n")
    for name in ("AGENTS.md", "docs/git.md", "docs/code.md", "docs/fenced.md"):
        work.write(name)
    files = work.files()
    assert loads(files["AGENTS.md"])["claude"] is START and loads(files["docs/git.md"]) == {"claude": START}
    assert not {"docs/code.md", "docs/fenced.md"} & files.keys()


def test_imports_end_after_four_hops_and_in_circles(work: Workspace) -> None:
    work.write("CLAUDE.md", "@a0.md\n")
    for number in range(6):
        work.write(f"a{number}.md", f"@a{number + 1}.md\n@CLAUDE.md\n")
    rules = work.rules()
    assert {file.name for file in rules.files} == {"CLAUDE.md", "a0.md", "a1.md", "a2.md", "a3.md"}
    assert [problem.text for problem in rules.problems] == ["@a4.md is more than 4 imports deep"]


def test_an_import_of_nothing_is_a_problem_and_a_handle_is_none(work: Workspace) -> None:
    work.write("CLAUDE.md", "Ask @alice about @types/node and mail x@y.md.\n\n@docs/gone.md\n")
    assert [(problem.line, problem.text) for problem in work.rules().problems] == [(3, "@docs/gone.md does not exist")]


def test_an_import_that_leads_outside_is_not_read(work: Workspace) -> None:
    work.write("~/secret.md", "- the password is hunter2222\n")
    work.write("CLAUDE.md", "@~/secret.md\n@../../secret.md\n")
    rules = work.rules()
    assert [file.name for file in rules.files] == ["CLAUDE.md"]
    assert all("leads outside" in problem.text for problem in rules.problems) and len(rules.problems) == 2


def test_the_persons_own_file_may_import_from_their_folder(work: Workspace) -> None:
    work.write("~/.claude/CLAUDE.md", "@~/notes/me.md\n")
    work.write("~/notes/me.md")
    assert work.files()["~/notes/me.md"].origin is RuleOrigin.USER


# What others may have planted


def test_a_link_is_the_file_it_leads_to_unless_that_is_outside_of_the_project(work: Workspace) -> None:
    path = work.write("AGENTS.md")
    os.symlink("AGENTS.md", work.root / "CLAUDE.md")
    (file,) = work.rules().files
    assert loads(file)["claude"] is START and loads(file)["codex"] is START
    work.write("~/private.md", "- private words\n")
    path.unlink()
    (work.root / "CLAUDE.md").unlink()
    os.symlink(work.user / "private.md", path)
    (file,) = work.rules().files
    assert file.text == "" and "outside" in file.problem
    assert work.findings() == ["AGENTS.md:1: unreadable: is a link that leads outside; not read"]


def test_pipes_giants_and_unreadable_folders_are_no_errors(work: Workspace) -> None:
    os.mkfifo(work.root / "AGENTS.md")
    work.write("CLAUDE.md", "x" * (600 * 1024))
    (work.root / "GEMINI.md").mkdir()
    work.write("web/CLAUDE.md", "\udcff".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    problems = {file.name: file.problem for file in work.rules().files}
    assert problems["AGENTS.md"] and problems["CLAUDE.md"] and not problems["web/CLAUDE.md"]


def test_a_file_that_others_can_write_is_not_the_persons(work: Workspace) -> None:
    work.write("~/.claude/CLAUDE.md").chmod(0o666)
    assert work.files()["~/.claude/CLAUDE.md"].origin is RuleOrigin.FOREIGN


def test_other_repositories_and_dependencies_are_not_searched(work: Workspace) -> None:
    work.write("CLAUDE.md")
    for name in ("node_modules/x/CLAUDE.md", "other/CLAUDE.md", ".venv/AGENTS.md"):
        work.write(name)
    work.write("other/.git/HEAD")
    assert list(work.files()) == ["CLAUDE.md"]


def test_without_a_project_only_the_folder_itself_counts(work: Workspace) -> None:
    work.write("~/notes/CLAUDE.md")
    place = work.place()._replace(folder=str(work.user / "notes"), root=str(work.user / "notes"))
    assert [file.name for file in find_rules(place).files] == ["CLAUDE.md"]


MEMORY_OF_SHOP = "~/.gemini/tmp/shop/memory/MEMORY.md"


@pytest.mark.parametrize(
    ("name", "files"),
    [("shop", [MEMORY_OF_SHOP]), *((name, []) for name in ("../../../etc", "..", "tmp/shop", "", 3, None))],
)
def test_gemini_registers_projects_under_short_names_that_are_no_paths(
    work: Workspace, name: object, files: list[str]
) -> None:
    work.write("~/.gemini/projects.json", json.dumps({"projects": {str(work.root.resolve()): name}}))
    work.write(MEMORY_OF_SHOP)
    work.write("~/.gemini/tmp/other/memory/MEMORY.md")
    assert list(work.files()) == files
