"""recall: the right facts, each once, in an order that stays, with the line where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.person import Person

IDENTIFIERS = {
    "HTTP_TIMEOUT": "HTTP_TIMEOUT must be 30 in production",
    "worker-47": "worker-47 runs the nightly import",
    "src/auth.ts": "the login flow lives in src/auth.ts",
    "--frozen-lockfile": "install with --frozen-lockfile on the build server",
    "don't": "don't merge on Fridays",
    "C++": "the parser is written in C++",
    "日本語": "エラーは日本語で書く",
}
DISTRACTORS = (
    *("HTTP_RETRIES must be 3 in production", "worker-48 runs the nightly export", "the menu lives in src/menu.ts"),
    *("install with --verbose on the build server", "merge on Mondays", "the linter is written in C"),
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A home that the tests of identifiers only look at."""
    somebody = Person(tmp_path_factory.mktemp("person"))
    with somebody.vault() as vault:
        for text in (*DISTRACTORS, *IDENTIFIERS.values()):
            vault.add(text)
    return somebody


def line_of(hit: dict[str, Any]) -> str:
    path, number = str(hit["path"]), int(hit["line"])
    return Path(path).read_text().split("\n")[number - 1]


@pytest.mark.parametrize("query", IDENTIFIERS)
def test_identifiers_and_words_of_other_scripts_are_found(reader: Person, query: str) -> None:
    assert reader.texts("--", query)[0] == IDENTIFIERS[query]


@pytest.mark.parametrize(
    ("query", "identifier"),
    [
        ("timeout", "HTTP_TIMEOUT"),
        ("auth", "src/auth.ts"),
        ("dont merge", "don't"),
        ("don’t", "don't"),
        ("語", "日本語"),
    ],
)
def test_parts_and_other_spellings_find_it_too(reader: Person, query: str, identifier: str) -> None:
    assert reader.texts(query)[0] == IDENTIFIERS[identifier]


def test_the_header_counts_what_follows(reader: Person) -> None:
    said = reader.process("recall", "production", "nightly")
    listed = sum(line.startswith("- ") for line in said.out.splitlines())
    assert listed >= 4  # hold one of the words
    assert said.first == f"Recall Results ({listed})"


def test_a_question_of_several_words_needs_no_quotes(reader: Person) -> None:
    assert reader.process("recall", "nightly", "import", "--json").json[0]["text"] == IDENTIFIERS["worker-47"]


def test_every_answer_names_the_line_where_it_stands(reader: Person) -> None:
    hits = reader.recalled("production server nightly lives written", "--limit", "50")
    assert len(hits) == 10
    for hit in hits:
        assert hit["text"] in line_of(hit)


def test_the_printed_place_is_the_line(reader: Person) -> None:
    out = reader.process("recall", "worker-47", "--limit", "1").out.splitlines()
    path, _, number = out[-1].strip().rpartition(":")
    assert IDENTIFIERS["worker-47"] in Path(path).read_text().split("\n")[int(number) - 1]


def test_order_is_the_same_every_time_and_after_a_rebuild(reader: Person, tmp_path: Path) -> None:
    query = ("production server nightly lives written", "--limit", "50")
    before = reader.recalled(*query)
    assert reader.recalled(*query) == before
    reader.tacit("reindex")
    assert reader.recalled(*query) == before
    (reader.home / "index.sqlite").unlink()
    assert reader.process("recall", "--json", *query).json == before


def test_limit_cuts_the_end_off(reader: Person) -> None:
    query = "production server nightly lives written"
    everything = reader.texts(query, "--limit", "50")
    for limit in (1, 3, 7):
        assert reader.texts(query, "--limit", str(limit)) == everything[:limit]


def test_ten_answers_are_given_unless_asked_otherwise(reader: Person) -> None:
    assert len(reader.texts("production server nightly lives written merge")) == 10


@pytest.mark.parametrize(
    "prose",
    [
        *("memory.candidate.created", "dedupe_key", "Drawn by Tacit", "Long-term memory", "Promotion Candidates"),
        *("Pruned Or Revised", "canonical", "user_direct", "Settings of Tacit", "Worklog 2026"),
    ],
)
def test_neither_raw_json_nor_template_prose_is_an_answer(reader: Person, prose: str) -> None:
    for hit in reader.recalled(prose):
        assert hit["text"] in (*DISTRACTORS, *IDENTIFIERS.values())


def test_a_fact_of_project_and_world_is_one_answer(person: Person) -> None:
    repository = person.repository()
    person.tacit("add", "global: never force push")
    person.tacit("add", "never force push", cwd=repository)
    person.tacit("remember", "never force push", "--evidence", "seen again", cwd=repository)
    assert person.texts("force push", cwd=repository) == ["never force push"]
    assert person.texts("force push") == ["never force push"]


def test_worklog_and_evaluation_are_found_at_their_lines(person: Person) -> None:
    person.tacit("log", "--task", "T-1", "--summary", "Moved the parser", "--evidence", "tests/test_parser.py")
    person.tacit("evaluate")
    person.wait_for_pages()
    (entry,) = person.recalled("parser")
    assert entry["path"] == str(person.home / "worklog" / "2026-03-02.md")
    assert line_of(entry) == "## 12:00 T-1: Moved the parser"
    assert entry["details"] == ["evidence: tests/test_parser.py"]
    assert "evidence: tests/test_parser.py" in person.tacit("recall", "parser").out
    (evaluation,) = person.recalled("evaluation", "--kind", "evaluation")
    assert evaluation["path"] == str(person.home / "evaluations" / "2026-03-02.md")
    assert line_of(evaluation).startswith("# Evaluation of 2026-03-02")


def test_two_entries_of_the_worklog_that_read_alike_have_their_own_lines(person: Person) -> None:
    for evidence in ("first run", "second run"):
        person.tacit("log", "--task", "T-1", "--summary", "Ran the import", "--evidence", evidence)
    person.wait_for_pages()
    hits = person.recalled("import")
    assert len(hits) == 2
    assert all(line_of(hit).endswith("T-1: Ran the import") for hit in hits)
    assert len({hit["line"] for hit in hits}) == 2


def test_the_line_is_right_after_a_person_edited_the_page(person: Person) -> None:
    person.tacit("add", "never force push")
    page = person.long_term.read_text()
    person.long_term.write_text("My own words above.\n\n" + page)
    (hit,) = person.recalled("force")
    assert "never force push" in line_of(hit)
    person.tacit("add", "always sign commits")
    (hit,) = person.recalled("force")
    assert "never force push" in line_of(hit)
    assert person.long_term.read_text().startswith("My own words above.\n")


def test_what_stands_on_no_page_is_shown_in_the_log(person: Person) -> None:
    person.tacit("note", "always squash commits")
    person.tacit("dismiss", person.id_of("always squash commits"))
    person.wait_for_pages()
    assert person.texts("squash") == []
    (hit,) = person.recalled("squash", "--all")
    assert "always squash commits" in line_of(hit)
