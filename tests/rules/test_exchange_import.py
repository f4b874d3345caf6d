"""`tacit import rules`: statements of rule files as candidates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.person import Person

from tacit.model.claim import Provenance, Status
from tests.search.test_passages import Talk

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
RULES = "# Rules\n\n- Always run `make check` before a commit.\n- Never use npm in this repository.\n- Overview\n"


@pytest.fixture
def project(person: Person) -> Path:
    root = person.folder / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "AGENTS.md").write_text(RULES)
    return root


def write(person: Person, name: str, text: str) -> None:
    path = person.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_statements_become_candidates_with_file_and_line(person: Person, project: Path) -> None:
    shown = person.tacit("import", "rules", cwd=project).out
    assert "AGENTS.md:3: Always run `make check` before a commit." in shown
    assert "2 candidates of 1 file to decide on: tacit review" in shown
    with person.vault(cwd=project) as vault:
        assert list(vault.search.listing(scope="all")) == []
        pending = {listed.memory.claim.sentence: listed.memory for listed in vault.suggestions.listing()}
    memory = pending["Never use npm in this repository."]
    assert memory.status is Status.PENDING and memory.provenance is Provenance.EXTERNAL
    assert memory.evidence[0].text == "AGENTS.md:4: “Never use npm in this repository.”"
    assert memory.claim.scope.endswith("/shop")


def test_a_second_import_adds_nothing_also_when_lines_moved(person: Person, project: Path) -> None:
    person.tacit("import", "rules", cwd=project)
    (project / "AGENTS.md").write_text("# Rules\n\nAn introduction.\n\n" + RULES)
    before = person.tacit("list", "--pending", "--json", cwd=project).json
    shown = person.tacit("import", "rules", cwd=project).out
    assert shown.splitlines() == ["Nothing new.", "  2 known already"]
    assert person.tacit("list", "--pending", "--json", cwd=project).json == before


def test_a_dismissed_rule_is_not_proposed_again(person: Person, project: Path) -> None:
    person.tacit("import", "rules", cwd=project)
    person.tacit("review", "--dismiss", "--yes", cwd=project)
    assert "Nothing new." in person.tacit("import", "rules", cwd=project).out
    assert person.tacit("list", "--pending", "--json", cwd=project).json == []


def test_the_provenance_is_that_of_the_file(person: Person, project: Path) -> None:
    write(person, ".claude/CLAUDE.md", "- Always answer in short sentences.\n")
    slug = re.sub(r"[/_.]", "-", str(project.resolve()))
    write(person, f".claude/projects/{slug}/memory/MEMORY.md", "- Use the staging database for tests.\n")
    person.tacit("import", "rules", cwd=project)
    with person.vault(cwd=project) as vault:
        memories = {listed.memory.claim.sentence: listed.memory for listed in vault.suggestions.listing()}
    own = memories["Always answer in short sentences."]
    assert own.provenance is Provenance.USER_FILE and own.claim.scope == "global"
    assert memories["Use the staging database for tests."].provenance is Provenance.MODEL
    assert {memory.status for memory in memories.values()} == {Status.PENDING}


def test_a_changed_line_is_noticed(person: Person, project: Path) -> None:
    person.tacit("import", "rules", cwd=project)
    (project / "AGENTS.md").write_text(RULES.replace("`make check`", "`make lint`"))
    shown = person.tacit("import", "rules", cwd=project).out
    assert "AGENTS.md:3: Always run `make lint` before a commit." in shown
    old = "no longer in AGENTS.md: “Always run `make check` before a commit.”"
    assert f"{old}, now “Always run `make lint` before a commit.”" in shown
    changed = person.tacit("import", "rules", "--json", cwd=project).json["changed"]
    assert [each["text"] for each in changed] == ["Always run `make check` before a commit."]
    person.tacit("forget", changed[0]["id"], cwd=project)
    assert person.tacit("import", "rules", "--json", cwd=project).json["changed"] == []


def test_secrets_exported_blocks_and_what_a_heading_negates_do_not_come_in(person: Person, project: Path) -> None:
    block = "<!-- >>> tacit export (ended) >>> x -->\n- Always use our own block.\n<!-- <<< tacit export <<< -->\n"
    negated = "## Don't\n\n- Use npm in this repository.\n"
    (project / "AGENTS.md").write_text(f"- Always use the token {TOKEN} for releases.\n{block}{negated}")
    shown = person.tacit("import", "rules", cwd=project).out
    assert "Nothing new." in shown and "not taken: 1 with a secret" in shown
    assert TOKEN not in "".join(path.read_text("utf-8", "replace") for path in person.home.rglob("*.jsonl"))


def test_a_dry_run_or_an_agent_changes_nothing(person: Person, project: Path) -> None:
    shown = person.tacit("import", "rules", "--dry-run", cwd=project).out
    assert "2 candidates of 1 file would come in. Nothing was changed." in shown
    assert "only a person" in person.tacit("import", "rules", cwd=project, code=1, CLAUDECODE="1").err
    assert person.tacit("list", "--pending", "--json", cwd=project).json == []


def test_a_restriction_of_the_file_is_the_reason(person: Person, project: Path) -> None:
    write(person, "shop/.claude/rules/api.md", "---\npaths: 'src/api/**'\n---\n- Validate every request body.\n")
    person.tacit("import", "rules", cwd=project)
    reasons = {card["text"]: card["reason"] for card in person.tacit("list", "--pending", "--json", cwd=project).json}
    assert reasons["Validate every request body."] == "only for files that match src/api/**"


def test_what_was_purged_does_not_come_back(person: Person, project: Path) -> None:
    person.tacit("import", "rules", cwd=project)
    person.tacit("purge", "--text", "Never use npm in this repository.", "--yes", cwd=project, code=None)
    shown = person.tacit("import", "rules", cwd=project).out
    assert "Never use npm" not in shown


def test_a_quote_of_a_rule_in_a_session_teaches_nothing(person: Person, project: Path) -> None:
    sentence = "From now on, never use npm in this repository."
    person.tacit("import", "rules", cwd=project)
    before = person.tacit("list", "--pending", "--json", cwd=project).json
    Talk(person, project).asks(sentence).says("Understood.").capture()
    person.tacit("learn", cwd=project)
    assert person.tacit("list", "--pending", "--json", cwd=project).json == before
