"""What agents are told of memories: only what may be told, and where it stands."""

from __future__ import annotations

import json
from pathlib import Path

from harness.person import Person

from tests.support.mcp_client import answer, tool, tool_result, tool_text


def test_recall_finds_what_was_told_and_filters_it(person: Person) -> None:
    person.tacit("add", "never force push", "--kind", "constraint")
    person.tacit("add", "push to the fork first", "--kind", "rule", now="2026-02-01T12:00:00Z")
    person.tacit("log", "--task", "T", "--summary", "push the release")

    def found(**more: object) -> list[str]:
        return [
            hit["text"] for hit in tool_result(person, "recall", query="push", **more)["structuredContent"]["answers"]
        ]

    assert len(found()) == 3
    assert found(kind="constraint") == ["never force push"]
    assert "push to the fork first" not in found(since="7d")
    assert len(found(limit=1)) == 1
    assert found(kind="worklog") == ["T: push the release"]


def test_a_candidate_is_no_answer_before_the_person_has_accepted_it(person: Person) -> None:
    person.tacit("remember", "prefer tea", "--evidence", "chat")
    assert tool_result(person, "recall", query="tea")["structuredContent"]["answers"] == []
    assert tool_result(person, "recall", query="tea", kind="preference")["structuredContent"]["answers"] == []
    person.tacit("accept", person.id_of("prefer tea"))
    (answer,) = tool_result(person, "recall", query="tea")["structuredContent"]["answers"]
    assert (answer["text"], answer["status"]) == ("prefer tea", "active")


def test_recall_without_an_answer_is_no_error(person: Person) -> None:
    result = tool_result(person, "recall", query="anything")
    assert (result["isError"], result["structuredContent"]) == (False, {"answers": []})


def test_recall_gives_the_passage_and_where_it_stands(person: Person, two: tuple[Path, Path]) -> None:
    person.tacit("add", "never slow the lexer down", cwd=two[0])
    result = answer(person, tool("recall", query="how fast is the lexer"), cwd=two[0])["result"]
    answers = {one["kind"]: one for one in result["structuredContent"]["answers"]}
    session, memory = answers["session"], answers["constraint"]

    assert session["passage"] == "The lexer is twice as fast now." and session["speaker"] == "claude"
    assert session["id"] and session["session"].startswith(session["id"]) and session["turn"] == 1
    assert memory["passage"] == memory["text"] == "never slow the lexer down" and memory["id"]
    for one in (session, memory):
        line = Path(one["path"]).read_text().splitlines()[one["line"] - 1]
        assert "make the lexer faster" in line or "never slow the lexer down" in line
    assert "The lexer is twice as fast now." in tool_text(result)


def test_a_brief_is_for_a_task_and_holds_only_what_was_accepted(person: Person) -> None:
    for number in range(9):
        person.tacit("add", f"always check the valve number {number}")
    person.tacit("add", "write release notes in the present tense")
    person.tacit("remember", "release notes are read by nobody", "--evidence", "a web page")
    result = tool_result(person, "brief", task="write the release notes")
    said = [entry["text"] for entry in result["structuredContent"]["entries"]]
    assert "write release notes in the present tense" in said and 3 <= len(said) <= 7
    assert "read by nobody" not in json.dumps(result)
    assert tool_text(result).startswith("<tacit-memory ")


def test_why_tells_who_said_it_and_with_which_evidence(person: Person) -> None:
    person.tacit("remember", "use pnpm", "--evidence", "the build file")
    person.tacit("accept", person.id_of("use pnpm"))
    result = tool_result(person, "why", id=person.id_of("use pnpm"))
    first, second = result["structuredContent"]["events"]
    assert (first["actor"], first["evidence"]) == ("user", "the build file")
    assert "memory.promoted" in second["what"]
    assert "the build file" in tool_text(result)
