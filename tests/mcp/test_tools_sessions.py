"""What agents are told of sessions: those of the project, and others when they ask for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.person import Person

from tests.support.mcp_client import answer, captured, tool, tool_result, tool_text


def test_without_sessions_none_are_told(person: Person) -> None:
    assert tool_result(person, "recent_sessions")["structuredContent"] == {"sessions": []}


def test_recent_sessions_are_of_the_project_or_of_all(person: Person, two: tuple[Path, Path]) -> None:
    def sessions(**arguments: object) -> list[Any]:
        result = answer(person, tool("recent_sessions", **arguments), cwd=two[0])["result"]
        assert "<system>" not in tool_text(result)
        found: list[Any] = result["structuredContent"]["sessions"]
        return found

    (one,) = sessions()
    assert (one["agent"], one["title"]) == ("claude", "make the lexer faster")
    assert one["outcome"] == "The lexer is twice as fast now." and one["at"].startswith("2026-03-01T10:00")
    assert len(sessions(everywhere=True)) == 2
    assert len(sessions(everywhere=True, limit=1)) == 1


def test_a_session_is_opened_around_an_answer(person: Person, two: tuple[Path, Path]) -> None:
    def opened(cwd: Path, **arguments: object) -> Any:
        return answer(person, tool("open_session", **arguments), cwd=cwd)["result"]

    found = answer(person, tool("recall", query="lexer"), cwd=two[0])["result"]["structuredContent"]["answers"][0]
    here = opened(two[0], id=found["session"], turn=found["turn"])
    assert "The lexer is twice as fast now." in tool_text(here) and tool_text(here).startswith("<tacit-memory ")
    assert here["structuredContent"]["turns"] == 1 and here["structuredContent"]["id"] == found["session"]

    refused = opened(two[1], id=found["session"])
    assert refused["isError"] and "not of this project" in tool_text(refused)
    assert not opened(two[1], id=found["session"], everywhere=True)["isError"]
    assert "has no turn 9" in tool_text(opened(two[0], id=found["session"], turn=9))
    shed = opened(two[1], id="last", everywhere=True)
    assert "<system>" not in json.dumps(shed, ensure_ascii=False)


def test_of_a_long_session_the_beginning_is_given_and_that_there_is_more(person: Person) -> None:
    root = person.repository("long")
    parts = "\n".join(f"part {number} is {'x' * 300}" for number in range(200))
    captured(person, root, f"check these parts\n{parts}", parts)
    opened = answer(person, tool("open_session", id="last"), cwd=root)["result"]
    lines = opened["structuredContent"]["lines"]

    assert lines[-1] == "(The rest is left out: ask for one turn, with around 0.)"
    assert sum(map(len, lines)) < 21_000
