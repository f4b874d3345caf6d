"""What agents are told of sessions: those of the project, and others when they ask for them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from harness.person import Person

from tests.support.mcp_client import answer, captured, lines_of, tool, tool_result, tool_text


def test_without_sessions_none_are_told(person: Person) -> None:
    assert tool_text(tool_result(person, "recent_sessions")) == "No earlier session is recorded here."


def test_recent_sessions_are_of_the_project_or_of_all(person: Person, two: tuple[Path, Path]) -> None:
    def sessions(**arguments: object) -> list[str]:
        result = answer(person, tool("recent_sessions", **arguments), cwd=two[0])["result"]
        assert "<system>" not in tool_text(result)
        return lines_of(result)

    (one,) = sessions()
    assert one.startswith("[2026-03-01T10:00, claude, ") and "make the lexer faster" in one
    assert "Outcome: The lexer is twice as fast now." in one
    assert len(sessions(everywhere=True)) == 2
    assert len(sessions(everywhere=True, limit=1)) == 1


def test_a_session_is_opened_around_an_answer(person: Person, two: tuple[Path, Path]) -> None:
    def opened(cwd: Path, **arguments: object) -> Any:
        return answer(person, tool("open_session", **arguments), cwd=cwd)["result"]

    (found,) = lines_of(answer(person, tool("recall", query="lexer"), cwd=two[0])["result"])
    place = re.search(r"\(session (\w+), turn (\d)\)", found)
    assert place
    session, turn = place[1], int(place[2])
    here = opened(two[0], id=session, turn=turn)
    assert "The lexer is twice as fast now." in tool_text(here) and tool_text(here).startswith("<tacit-memory ")
    assert f"Session {session} with claude, " in tool_text(here) and "turn 1 of 1: " in tool_text(here)

    refused = opened(two[1], id=session)
    assert refused["isError"] and "not of this project" in tool_text(refused)
    assert not opened(two[1], id=session, everywhere=True)["isError"]
    assert "has no turn 9" in tool_text(opened(two[0], id=session, turn=9))
    shed = opened(two[1], id="last", everywhere=True)
    assert "<system>" not in json.dumps(shed, ensure_ascii=False)


def test_of_a_long_session_the_beginning_is_given_and_that_there_is_more(person: Person) -> None:
    root = person.repository("long")
    parts = "\n".join(f"part {number} is {'x' * 300}" for number in range(200))
    captured(person, root, f"check these parts\n{parts}", parts)
    opened = answer(person, tool("open_session", id="last"), cwd=root)["result"]
    lines = tool_text(opened).rstrip("\n").split("\n")

    assert lines[-2] == "(The rest is left out: ask for one turn, with around 0.)"
    assert sum(map(len, lines)) < 21_000
