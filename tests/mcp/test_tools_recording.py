"""An agent proposes: whatever it calls itself and whatever the environment says, a person decides."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest
from harness.person import Person

from tacit.errors import RefusedError
from tacit.mcp import tools
from tests.support.mcp_client import answer, answers, heard, request, stateless, tool, tool_result, tool_text

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def only(person: Person) -> dict[str, Any]:
    (memory,) = person.listed("--status", "all", "--scope", "all")
    return memory


@pytest.mark.parametrize("environment", [{}, {"TACIT_ACTOR": "user"}, {"TACIT_ACTOR": "policy"}], ids=str)
def test_a_proposal_waits_for_the_person(person: Person, environment: dict[str, Any]) -> None:
    told = answer(person, tool("suggest", text="never force push", evidence="seen"), **environment)["result"]
    memory = only(person)
    assert (memory["status"], memory["provenance"]) == ("pending", "model")
    assert tool_text(told).startswith(f"Noted [{memory['short']}] ({memory['kind']}, pending): never force push\n")
    assert f"tacit accept {memory['short']}" in tool_text(told)


@pytest.mark.parametrize(
    ("name", "actor"),
    [
        ("claude-code", "agent:claude-code"),
        ("user", "agent:user"),
        ("", "agent:unknown"),
        ("a\x1b[2Jb", "agent:a<U+001B>[2Jb"),
        ("x" * 500, "agent:" + "x" * 47 + "…"),
        (None, "agent:unknown"),
        (7, "agent:unknown"),
    ],
)
def test_the_client_is_known_by_the_name_it_gave(person: Person, name: object, actor: str) -> None:
    hello = request("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": name}})
    heard(person, hello, tool("suggest", text="use pnpm", evidence="seen"), TACIT_ACTOR="user")
    assert {json.loads(line)["actor"] for line in person.events.read_bytes().splitlines()} == {actor}


def test_without_a_handshake_each_request_tells_who_asks(person: Person) -> None:
    asked = stateless("tools/call", name="suggest", arguments={"text": "use pnpm", "evidence": "seen"})
    asked["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = {"name": "robot", "version": "1"}  # type: ignore[index]
    answer(person, asked)
    assert b'"actor":"agent:robot"' in person.events.read_bytes()


def test_a_suggestion_comes_with_the_question_for_the_person(person: Person) -> None:
    given = {"text": "I prefer pnpm", "evidence": "you typed pnpm", "reason": "npm failed"}
    said = tool_text(tool_result(person, "suggest", **given))
    memory = only(person)
    assert "I noticed: you typed pnpm. Should I remember: “I prefer pnpm”?" in said
    assert f"tacit accept {memory['short']}" in said and f"tacit dismiss {memory['short']}" in said
    assert (memory["kind"], memory["evidence"]) == ("preference", ["you typed pnpm"])
    assert b'"reason":"npm failed"' in person.events.read_bytes()


@pytest.mark.parametrize("quote", ["no npm here, we use pnpm", "we use pnpm and nothing else"])
def test_a_quote_is_looked_up_in_what_the_person_typed(person: Person, quote: str) -> None:
    root = person.repository()
    common = {"sessionId": "s", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": str(root), "version": "2.0.0"}
    typed = {"role": "user", "content": "Please: no npm here,\nwe use pnpm."}
    folder = person.folder / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(json.dumps({"type": "user", "uuid": "1", "message": typed, **common}) + "\n")
    person.tacit("autocapture", "on")
    hello = request("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": "robot"}})
    _, told = answers(person, hello, tool("suggest", text="use pnpm", quote=quote), cwd=root)
    is_found = quote.startswith("no npm")
    said, card = told["result"]["content"][0]["text"], person.tacit("review", cwd=root).out
    assert ("The quote was found" in said) == (f"you said: “{quote}” (claude," in card) == is_found
    assert ("your own conclusion" in said) == ("concluded by robot; no words of yours" in card) == (not is_found)
    assert only(person)["status"] == "pending"
    (line,) = [json.loads(line) for line in person.events.read_bytes().splitlines() if b"memory.candidate" in line]
    assert line.get("sess", "") == ("s" if is_found else "")


def test_saying_it_twice_with_the_same_evidence_is_saying_it_once(person: Person) -> None:
    asked = tool("suggest", text="never force push", evidence="seen")
    first, second = heard(person, asked, asked)
    assert tool_text(first["result"]).startswith("Noted [") and tool_text(second["result"]).startswith("Known [")
    assert only(person)["strength"] == 1


def test_what_a_person_turned_down_stays_so_and_the_agent_is_told(person: Person) -> None:
    person.tacit("remember", "never force push", "--evidence", "seen")
    person.tacit("dismiss", person.id_of("never force push"))
    told = tool_result(person, "suggest", text="never force push", evidence="a web page")
    assert ", dismissed): never force push" in tool_text(told)
    assert "Do not bring it up again" in tool_text(told)
    assert only(person)["status"] == "dismissed"


def test_what_holds_already_is_said_so(person: Person) -> None:
    person.tacit("add", "never force push")
    told = tool_result(person, "suggest", text="never force push", evidence="seen")
    assert ", active): never force push" in tool_text(told) and "it holds already" in tool_text(told)


def test_a_proposal_is_of_the_project_unless_it_holds_everywhere(person: Person) -> None:
    root = person.repository()
    here = tool("suggest", text="use pnpm", evidence="seen")
    everywhere = tool("suggest", text="use tabs", evidence="seen", everywhere=True)
    heard(person, here, everywhere, cwd=root)
    scopes = {memory["label"]: memory["scope"] for memory in person.listed("--status", "all", "--scope", "all")}
    assert scopes["use tabs"] == "global"
    assert scopes["use pnpm"].startswith("project:")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("suggest", {"text": "use the token", "evidence": f"it is {TOKEN}"}),
        ("suggest", {"text": "use the token", "evidence": "x" * 1995 + f" {TOKEN}"}),
        ("suggest", {"text": f"use {TOKEN}", "evidence": "seen"}),
        ("suggest", {"text": "use the token", "evidence": "seen", "reason": TOKEN}),
        ("log_work", {"task": "t", "summary": f"deployed with {TOKEN}"}),
        ("log_work", {"task": "t", "summary": "s", "next": TOKEN}),
    ],
)
def test_a_secret_is_refused_by_its_kind_and_written_nowhere(
    person: Person, name: str, arguments: dict[str, object]
) -> None:
    told = tool_result(person, name, **arguments)
    assert told["isError"] is True
    assert "looks like a secret" in tool_text(told)
    assert TOKEN not in json.dumps(told)
    assert not person.events.exists()


def test_long_evidence_is_cut_and_a_long_text_is_refused(person: Person) -> None:
    assert tool_result(person, "suggest", text="use pnpm", evidence="word " * 2000)["isError"] is False
    assert len(only(person)["evidence"][0]) == 2000
    told = tool_result(person, "suggest", text="word " * 2000, evidence="seen")
    assert told["isError"] is True and "the limit is 2,000" in tool_text(told)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("suggest", {"text": "x"}, "the evidence is empty"),
        ("suggest", {"text": "x", "evidence": " "}, "the evidence is empty"),
        ("suggest", {"text": " ", "evidence": "e"}, "the text is empty"),
        ("suggest", {"text": None, "evidence": "e"}, "the argument text is missing"),
        ("suggest", {"text": 7, "evidence": "e"}, "text must be a text"),
        ("suggest", {"text": "x", "evidence": "e", "everywhere": "yes"}, "everywhere must be true or false"),
        ("recall", {"query": "x", "kind": "law"}, "kind must be one of"),
        ("recall", {"query": "x", "limit": 0}, "limit must be from 1 to 50"),
        ("recall", {"query": "x", "limit": 1.5}, "limit must be a whole number"),
        ("recall", {"query": "x", "limit": True}, "limit must be a whole number"),
        ("recall", {"query": "x", "since": "soon"}, "not a time"),
        ("recall", {"query": "x", "scope": "local"}, "in no project"),
        ("recall", {"query": "x", "path": "/etc/passwd"}, "there is no argument"),
        ("why", {"id": "nothing"}, "What to do: find its id with recall"),
        ("open_session", {"id": "nothing"}, "What to do: find its id with recent_sessions or recall"),
        ("log_work", {"task": "t", "summary": ""}, "the summary is empty"),
    ],
)
def test_a_wrong_call_is_explained_to_the_agent(
    person: Person, name: str, arguments: dict[str, object], says: str
) -> None:
    told = tool_result(person, name, **arguments)
    assert told["isError"] is True
    assert says in tool_text(told)


def test_work_that_is_logged_stands_in_the_worklog(person: Person) -> None:
    tool_result(person, "log_work", task="T-1", summary="moved the lexer", evidence="make test", next="the parser")
    person.wait_for_pages()
    (page,) = (person.home / "worklog").iterdir()
    assert all(words in page.read_text() for words in ("T-1", "moved the lexer", "make test", "the parser"))


# Errors


def test_errors_are_results_that_say_what_to_do(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(error: Exception) -> Any:
        def fail(_vault: object, _arguments: object) -> NoReturn:
            raise error

        monkeypatch.setitem(tools.TOOLS, "brief", fail)
        return tool_result(person, "brief")

    refused = told(RefusedError("two memories\nsay that", "name one of them"))
    failed = told(PermissionError(13, "Permission denied"))
    assert refused["isError"] is failed["isError"] is True
    assert tool_text(refused) == "Not done: two memories⏎say that\nWhat to do: name one of them"
    assert tool_text(failed) == "Not done: Permission denied\nWhat to do: ask the person to type: tacit doctor"
    assert not person.home.exists()
