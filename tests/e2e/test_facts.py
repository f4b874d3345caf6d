"""The fact files: exactly the fields of a fact, one line each, in an order that makes small diffs."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tests.support.clones import fact_file

FIELDS = ["id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key"]
TUESDAY = "2026-03-03T12:00:00+00:00"
TEXTS = ("never force push", "always sign commits", "the team prefers rg", "we use ruff", "zebras are striped")


@pytest.fixture
def project(person: Person) -> Path:
    return person.repository()


def changed_lines(person: Person, project: Path) -> tuple[int, int]:
    """Lines added and taken out since the last commit."""
    told = person.git(project, "diff", "--numstat", "--", "docs/memory/memories.ndjson").split()
    return (int(told[0]), int(told[1])) if told else (0, 0)


def test_a_fact_has_exactly_its_fields(person: Person, project: Path) -> None:
    person.tacit("add", "never run the build repeatedly because it is heavy", "--tag", "build", cwd=project)
    person.tacit("add", "global: I prefer pnpm", cwd=project)
    (local,), (world,) = facts_in(fact_file(project)), facts_in(person.facts)
    assert local == {
        "id": person.id_of("never run the build repeatedly because it is heavy"),
        "ts": "2026-03-02T12:00:00.000000Z",
        "scope": "local",
        "kind": "constraint",
        "triple": {"subject": "agent", "predicate": "never run", "object": "the build repeatedly"},
        "canonical": "never run the build repeatedly because it is heavy",
        "strength": 1,
        "source": "user_direct",
        "tags": ["build"],
        "dedupe_key": "agent|never run|build repeatedly",
    }
    assert list(local) == list(world) == FIELDS
    assert (world["scope"], world["canonical"], world["dedupe_key"]) == ("global", "I prefer pnpm", "user|prefers|pnpm")


def test_the_projects_file_names_no_machine_and_can_be_read_by_others(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    assert str(person.folder) not in fact_file(project).read_text()
    assert stat.S_IMODE(fact_file(project).stat().st_mode) == 0o644
    assert stat.S_IMODE(person.facts.stat().st_mode) == 0o600


def test_said_again_a_fact_is_stronger_and_newer_on_the_same_line(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    said = person.process("add", "Never force push!", cwd=project, now=TUESDAY)
    assert said.first.startswith("Reinforced, strength 2 (project work, constraint) [")
    (fact,) = facts_in(fact_file(project))
    assert (fact["strength"], fact["ts"]) == (2, "2026-03-03T12:00:00.000000Z")


def test_lines_are_sorted_by_id_and_one_change_is_one_line_of_a_diff(person: Person, project: Path) -> None:
    with person.vault(cwd=project) as vault:
        for text in TEXTS:
            vault.add(text)
    ids = [fact["id"] for fact in facts_in(fact_file(project))]
    assert ids == sorted(ids) and len(ids) == len(TEXTS)
    person.commit(project)
    person.tacit("add", "never merge on Fridays", cwd=project)
    assert changed_lines(person, project) == (1, 0)
    person.commit(project)
    person.tacit("add", "always sign commits", cwd=project, now=TUESDAY)
    assert changed_lines(person, project) == (1, 1)
    person.commit(project)
    person.tacit("edit", person.id_of("the team prefers rg"), "--tag", "tools", cwd=project)
    assert changed_lines(person, project) == (1, 1)
    person.commit(project)
    person.tacit("forget", "--text", "never force push", "--reason", "r", "--evidence", "e", cwd=project)
    assert changed_lines(person, project) == (0, 1)
    person.tacit("undo", cwd=project)
    assert changed_lines(person, project) == (0, 0)


def test_a_file_of_an_earlier_version_keeps_its_order(person: Person, project: Path) -> None:
    with person.vault(cwd=project) as vault:
        for text in TEXTS:
            vault.add(text)
    old = sorted(facts_in(fact_file(project)), key=lambda fact: str(fact["dedupe_key"]))
    assert old != facts_in(fact_file(project))
    fact_file(project).write_text("".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in old))
    person.commit(project)
    person.tacit("reindex", cwd=project)
    assert changed_lines(person, project) == (0, 0)
    person.tacit("add", "never merge on Fridays", cwd=project)
    assert changed_lines(person, project) == (1, 0)
    keys = [fact["dedupe_key"] for fact in facts_in(fact_file(project))]
    assert keys == sorted(keys)
    assert person.tacit("doctor", cwd=project, code=None).out.count("✗") == 0


def test_an_observation_by_others_changes_no_line(person: Person, project: Path) -> None:
    said = ("remember", "always sign commits", "--evidence")
    person.process(*said, "a talk", cwd=project, CLAUDECODE="1")
    person.tacit("accept", person.id_of("always sign commits"), cwd=project)
    person.tacit("share", person.id_of("always sign commits"), cwd=project)
    before = fact_file(project).read_bytes()
    assert b"always sign commits" in before
    person.process(*said, "another talk", cwd=project, now=TUESDAY, CLAUDECODE="1")
    (memory,) = person.listed(cwd=project)
    assert (memory["strength"], memory["evidence"]) == (2, ["a talk", "another talk"])
    assert fact_file(project).read_bytes() == before


def test_asking_changes_no_fact_file(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    before = _state(fact_file(project))
    for verb in ("recall force", "brief", "list", "status", "doctor", "suggestions", "conflicts", "init"):
        person.tacit(*verb.split(), cwd=project)
    assert _state(fact_file(project)) == before


def _state(path: Path) -> tuple[bytes, int, int, int]:
    """What a change would show in. Reading a file may well set the time it was read."""
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, status.st_ino, status.st_mode


def test_fields_of_others_survive(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    (fact,) = facts_in(fact_file(project))
    fact_file(project).write_text(json.dumps({**fact, "reviewed_by": "Ada", "links": {"adr": 7}}) + "\n")
    person.tacit("add", "never force push", cwd=project, now=TUESDAY)
    person.tacit("add", "always sign commits", cwd=project)
    person.tacit("reindex", cwd=project)
    (kept,) = [one for one in facts_in(fact_file(project)) if one["canonical"] == "never force push"]
    assert (kept["reviewed_by"], kept["links"], kept["strength"]) == ("Ada", {"adr": 7}, 2)


def test_lines_of_others_survive(person: Person, project: Path) -> None:
    theirs = {"id": "theirs", "canonical": "deploy with care", "dedupe_key": "agent|deploy|with care", "extra": [1]}
    fact_file(project).parent.mkdir(parents=True)
    fact_file(project).write_text("# a comment nobody asked for\n" + json.dumps(theirs) + "\n")
    person.tacit("add", "never force push", cwd=project)
    person.tacit("add", "always sign commits", cwd=project)
    person.tacit("forget", "--text", "never force push", "--reason", "r", "--evidence", "e", cwd=project)
    lines = fact_file(project).read_text().splitlines()
    assert "# a comment nobody asked for" in lines
    assert json.dumps(theirs) in lines
    assert len(lines) == 3


def test_a_hand_edit_survives_what_comes_after(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    person.tacit("add", "always sign commits", cwd=project)
    text = fact_file(project).read_text()
    fact_file(project).write_text(text.replace('"canonical": "never force push"', '"canonical": "never push by force"'))
    person.tacit("add", "never force push", cwd=project, now=TUESDAY)
    person.tacit("add", "the team prefers rg", cwd=project)
    (edited,) = [fact for fact in facts_in(fact_file(project)) if fact["dedupe_key"] == "agent|never force|push"]
    assert (edited["canonical"], edited["strength"]) == ("never push by force", 2)


def test_a_line_taken_out_by_hand_stays_out(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    person.tacit("add", "always sign commits", cwd=project)
    lines = fact_file(project).read_text().splitlines(keepends=True)
    fact_file(project).write_text("".join(line for line in lines if "sign commits" not in line))
    person.tacit("add", "the team prefers rg", cwd=project)
    assert {fact["canonical"] for fact in facts_in(fact_file(project))} == {"never force push", "the team prefers rg"}


@pytest.mark.parametrize("place", ["docs/memory/memories.ndjson", "docs/memory", "docs"])
def test_a_link_planted_in_the_repository_is_not_written_through(person: Person, project: Path, place: str) -> None:
    outside = person.folder / "outside"
    (outside / "memory").mkdir(parents=True)
    target = outside / "memories.ndjson"
    target.write_text("untouched\n")
    link = project / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target if place.endswith(".ndjson") else outside)
    person.tacit("add", "never force push", cwd=project)
    assert target.read_text() == "untouched\n"
    assert sorted(path.name for path in outside.rglob("*")) == ["memories.ndjson", "memory"]
    assert person.texts("force", cwd=project) == ["never force push"]


def test_a_forgotten_fact_leaves_the_file_of_the_work_tree_one_stands_in(person: Person, project: Path) -> None:
    person.tacit("add", "never force push", cwd=project)
    person.tacit("add", "always sign commits", cwd=project)
    person.commit(project)
    other = person.folder / "other"
    person.git(project, "worktree", "add", "--quiet", str(other))
    person.tacit("forget", "--text", "never force push", "--reason", "r", "--evidence", "e", cwd=other)
    assert [fact["canonical"] for fact in facts_in(fact_file(other))] == ["always sign commits"]
    assert person.git(project, "status", "--porcelain") == ""  # the other one gets it by a merge


def test_a_forgotten_fact_leaves_its_file_after_all_bookkeeping_was_deleted(person: Person) -> None:
    person.tacit("add", "never force push")
    for copy in [path for path in (person.home / ".tacit" / "written").rglob("*") if path.is_file()]:
        copy.unlink()
    person.tacit("forget", "--text", "never force push", "--reason", "r", "--evidence", "e")
    assert "never force push" not in person.facts.read_text()
    assert person.section("Constraints") == []
