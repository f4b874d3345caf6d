"""What agents are told of memories: only what may be told, and where it stands."""

from __future__ import annotations

import json
from pathlib import Path

from harness.person import Person

from tests.support.mcp_client import answer, captured, lines_of, tool, tool_result, tool_text


def test_recall_finds_what_was_told_and_filters_it(person: Person) -> None:
    person.tacit("add", "never force push", "--kind", "constraint")
    person.tacit("add", "push to the fork first", "--kind", "rule", now="2026-02-01T12:00:00Z")
    person.tacit("log", "--task", "T", "--summary", "push the release")

    def found(**more: object) -> list[str]:
        return lines_of(tool_result(person, "recall", query="push", **more))

    assert len(found()) == 3
    (constraint,) = found(kind="constraint")
    assert "never force push" in constraint
    assert not any("push to the fork first" in line for line in found(since="7d"))
    assert len(found(limit=1)) == 1
    (entry,) = found(kind="worklog")
    assert "T: push the release" in entry


def test_a_candidate_is_no_answer_before_the_person_has_accepted_it(person: Person) -> None:
    person.tacit("remember", "prefer tea", "--evidence", "chat")
    assert lines_of(tool_result(person, "recall", query="tea")) == []
    assert lines_of(tool_result(person, "recall", query="tea", kind="preference")) == []
    person.tacit("accept", person.id_of("prefer tea"))
    (line,) = lines_of(tool_result(person, "recall", query="tea"))
    assert "prefer tea" in line


def test_recall_without_an_answer_is_no_error(person: Person) -> None:
    result = tool_result(person, "recall", query="anything")
    assert (result["isError"], tool_text(result)) == (False, "Nothing is remembered about this.")


def test_recall_gives_the_passage_in_a_fence_and_how_to_open_it(person: Person, two: tuple[Path, Path]) -> None:
    person.tacit("add", "never slow the lexer down", cwd=two[0])
    result = answer(person, tool("recall", query="how fast is the lexer"), cwd=two[0])["result"]
    memory, session = sorted(lines_of(result))

    assert memory.startswith("[constraint, ") and "never slow the lexer down" in memory
    assert session.startswith("[session, ") and "said by claude" in session
    assert "The lexer is twice as fast now." in session and ", turn 1)" in session
    assert tool_text(result).startswith("<tacit-memory ") and "structuredContent" not in result


def test_what_was_logged_is_read_back_with_its_evidence_and_next_step(person: Person) -> None:
    logged = tool("log_work", task="T-1", summary="moved the lexer", evidence="make test", next="the parser")
    answer(person, logged)
    (line,) = lines_of(tool_result(person, "recall", query="lexer"))

    assert "T-1: moved the lexer; evidence: make test; next: the parser" in line


def test_a_command_that_failed_is_found_as_a_command(person: Person) -> None:
    root = person.repository("pond")
    captured(person, root, "go on", "It failed.", failed="make walrus")
    (line,) = lines_of(answer(person, tool("recall", query="walrus", kind="command"), cwd=root)["result"])

    assert "make walrus" in line and ", failed)" in line


def test_a_brief_is_for_a_task_and_holds_only_what_was_accepted(person: Person) -> None:
    for number in range(9):
        person.tacit("add", f"always check the valve number {number}")
    person.tacit("add", "write release notes in the present tense")
    person.tacit("remember", "release notes are read by nobody", "--evidence", "a web page")
    result = tool_result(person, "brief", task="write the release notes")
    said = [line for line in tool_text(result).split("\n") if "always check" in line or "write release" in line]
    assert any("write release notes in the present tense" in line for line in said) and 3 <= len(said) <= 7
    assert "read by nobody" not in json.dumps(result)
    assert tool_text(result).startswith("<tacit-memory ")


def test_why_tells_who_said_it_and_with_which_evidence(person: Person) -> None:
    person.tacit("remember", "use pnpm", "--evidence", "the build file")
    person.tacit("accept", person.id_of("use pnpm"))
    result = tool_result(person, "why", id=person.id_of("use pnpm"))
    first, second = lines_of(result)
    assert " user: " in first and "; evidence: the build file" in first
    assert "memory.promoted" in second
