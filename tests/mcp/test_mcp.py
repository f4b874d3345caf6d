"""The official client, with the newest protocol and the older ones: it finds everything and everything fits."""

from __future__ import annotations

import pytest
from harness.person import Person
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from mcp import ClientSession
from tacit import __version__
from tests.support.mcp_client import (
    NEWEST_HANDSHAKE,
    OLDER,
    STATELESS,
    answer,
    captured,
    request,
    talk,
    talk_as_before,
    text_of,
)

TOOLS = {"suggest", "recall", "brief", "why", "log_work", "recent_sessions", "open_session"}
READING = {"recall", "brief", "why", "recent_sessions", "open_session"}
ARGUMENTS: dict[str, dict[str, object]] = {
    "suggest": {"text": "never force push", "evidence": "you said so", "reason": "it lost work"},
    "recall": {"query": "sign", "limit": 3, "kind": "rule", "scope": "all", "since": "7d"},
    "brief": {"task": "commit"},
    "why": {"id": "always sign commits"},
    "log_work": {"task": "T-1", "summary": "signed", "changes": "none", "evidence": "git log", "next": "push"},
    "recent_sessions": {"everywhere": True, "limit": 2},
    "open_session": {"id": "last", "turn": 1, "around": 1, "everywhere": True},
}


@pytest.fixture
def filled(person: Person) -> Person:
    for text in ("always sign commits", "always name the ticket", "never skip the tests"):
        person.tacit("add", text)
    captured(person, person.repository("here"), "make the lexer faster", "The lexer is twice as fast now.")
    return person


async def everything(client: Client | ClientSession) -> dict[str, object]:
    """Each method and each tool once; the library checks all answers against their schemas."""
    tools = (await client.list_tools()).tools
    told = {one.name: await client.call_tool(one.name, ARGUMENTS[one.name]) for one in tools}
    assert [name for name, result in told.items() if result.is_error] == []
    assert all(result.structured_content is None for result in told.values())  # some hosts show nothing else
    resources = (await client.list_resources()).resources
    read = [text_of(await client.read_resource(one.uri)) for one in resources]
    templates = (await client.list_resource_templates()).resource_templates
    prompts = {one.name: one for one in (await client.list_prompts()).prompts}
    said = {name: text_of(await client.get_prompt(name, {"task": "t"} if name == "start" else {})) for name in prompts}
    return {
        "tools": set(told),
        "prompts": set(said),
        "templates": {one.uri_template for one in templates},
        "read": len([text for text in read if "tacit-memory" in text]),
    }


SEEN = {
    "tools": TOOLS,
    "prompts": {"review", "recap", "remember", "start"},
    "templates": {"tacit://memory/{id}", "tacit://session/{id}"},
    "read": 4,
}


def test_the_newest_protocol_is_spoken(filled: Person) -> None:
    async def conversation(client: Client) -> dict[str, object]:
        assert client.protocol_version == STATELESS
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("tacit", __version__)
        assert client.instructions and "reference data" in client.instructions
        return await everything(client)

    assert talk(filled, conversation) == SEEN


@pytest.mark.parametrize("version", OLDER)
def test_older_protocols_are_spoken(filled: Person, version: str) -> None:
    async def conversation(session: ClientSession) -> dict[str, object]:
        assert session.protocol_version == version
        await session.send_ping()
        return await everything(session)

    assert talk_as_before(filled, version, conversation) == SEEN


@pytest.mark.parametrize("unknown", ["1999-01-01", "2031-01-01", STATELESS, ""])
def test_a_handshake_for_an_unknown_version_is_answered_with_the_newest_known(person: Person, unknown: str) -> None:
    told = answer(person, request("initialize", {"protocolVersion": unknown, "clientInfo": {"name": "x"}}))
    assert told["result"]["protocolVersion"] == NEWEST_HANDSHAKE


def test_an_empty_home_is_answered_from_and_not_made_by_questions(person: Person) -> None:
    async def conversation(client: Client) -> list[bool]:
        return [
            (await client.call_tool(name, ARGUMENTS[name])).is_error for name in ("recall", "brief", "recent_sessions")
        ]

    assert talk(person, conversation) == [False] * 3
    assert not person.home.exists()


def test_tools_are_described_for_whoever_chooses_among_them(person: Person) -> None:
    async def conversation(client: Client) -> None:
        for one in (await client.list_tools()).tools:
            assert one.title and len(one.description or "") > 50
            assert one.annotations is not None
            assert one.annotations.read_only_hint is (one.name in READING)
            assert (one.annotations.destructive_hint, one.annotations.open_world_hint) == (False, False)
            assert one.annotations.idempotent_hint is (one.name != "log_work")
            assert all(value["description"] for value in one.input_schema["properties"].values())
            assert one.output_schema is None

    talk(person, conversation)


def test_what_is_not_there_is_a_protocol_error(filled: Person) -> None:
    async def conversation(client: Client) -> None:
        for ask in (
            client.call_tool("accept", {"id": "x"}),
            client.read_resource("tacit://memory/0000"),
            client.read_resource("file:///etc/passwd"),
            client.get_prompt("nonsense"),
            client.get_prompt("start"),
            client.list_resources(cursor="nonsense"),
        ):
            with pytest.raises(MCPError):
                await ask

    talk(filled, conversation)


def test_a_client_that_judges_sessions_gets_no_tools(filled: Person) -> None:
    async def tools(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert set(talk(filled, tools)) == TOOLS
    assert talk(filled, tools, TACIT_JUDGE="1") == []

    async def recall(client: Client) -> None:
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("recall", {"query": "sign"})

    talk(filled, recall, TACIT_JUDGE="1")
