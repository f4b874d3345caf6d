"""The catalog and its examples, checked arguments, and the client that gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.person import Person

from tacit.errors import UsageError
from tacit.mcp.resources import PROMPTS
from tacit.mcp.tools import CATALOG_PATH, TOOLS, ClientContext, check_arguments, client_actor, load_catalog
from tacit.model.claim import Kind
from tests.support.mcp_client import answer, heard, request, tool

CATALOG: dict[str, list[Any]] = json.loads(Path(CATALOG_PATH).read_text(encoding="utf-8"))
PROPERTIES: Any = {
    "text": {"type": "string", "description": "what it says"},
    "limit": {"type": "integer", "description": "how many", "minimum": 1, "maximum": 50},
    "scope": {"type": "string", "description": "where", "enum": ["local", "global"]},
    "everywhere": {"type": "boolean", "description": "in every project"},
    "tags": {"type": "array", "description": "words to find it by", "items": {"type": "string"}},
}


# The catalog


def test_what_is_offered_can_be_run_and_is_offered_without_examples() -> None:
    catalog = load_catalog()
    assert [tool["name"] for tool in catalog["tools"]] == list(TOOLS)
    assert [prompt["name"] for prompt in catalog["prompts"]] == list(PROMPTS)
    for kind, entries in CATALOG.items():
        for entry, sent in zip(entries, catalog[kind], strict=True):  # type: ignore[literal-required]
            assert list(sent) == [name for name in entry if name != "example"]
            assert sent["description"] == " ".join(entry["description"])


@pytest.mark.parametrize("entry", CATALOG["tools"], ids=lambda entry: str(entry["name"]))
def test_the_example_of_a_tool_fits_and_so_does_its_answer(
    person: Person, two: tuple[Path, Path], entry: dict[str, Any]
) -> None:
    jsonschema.validate(entry["example"], entry["inputSchema"])
    person.tacit("add", "never force push", cwd=two[0])
    arguments = dict(entry["example"])
    if entry["name"] == "why":
        arguments["id"] = person.id_of("never force push")
    elif entry["name"] == "open_session":
        (listed,) = heard(person, tool("recent_sessions"), cwd=two[0])
        arguments["id"] = listed["result"]["structuredContent"]["sessions"][0]["id"]
    result = answer(person, tool(entry["name"], **arguments), cwd=two[0])["result"]
    assert result["isError"] is False and result["content"][0]["text"]
    jsonschema.validate(result["structuredContent"], entry["outputSchema"])


@pytest.mark.parametrize("entry", CATALOG["prompts"], ids=lambda entry: str(entry["name"]))
def test_the_example_of_a_prompt_fits(person: Person, entry: dict[str, Any]) -> None:
    assert entry["example"].keys() == {argument["name"] for argument in entry.get("arguments", ())}
    given = answer(person, request("prompts/get", {"name": entry["name"], "arguments": entry["example"]}))["result"]
    assert given["description"] == " ".join(entry["description"])
    assert [message["role"] for message in given["messages"]] == ["user"]


@pytest.mark.parametrize("entry", CATALOG["tools"], ids=lambda entry: str(entry["name"]))
def test_a_schema_names_what_the_checks_know_and_nothing_else(entry: dict[str, Any]) -> None:
    schema = entry["inputSchema"]
    assert schema["additionalProperties"] is False and "additionalProperties" not in entry["outputSchema"]
    for field in schema["properties"].values():
        assert field["type"] in ("string", "integer", "boolean", "array") and field["description"]
        assert field.keys() <= {"type", "description", "enum", "minimum", "maximum", "items"}
        assert ("minimum" in field) == ("maximum" in field) == (field["type"] == "integer")
        assert field.get("items", {"type": "string"}) == {"type": "string"}


@pytest.mark.parametrize("entry", CATALOG["tools"], ids=lambda entry: str(entry["name"]))
def test_a_tool_that_only_reads_is_idempotent_and_none_destroys(entry: dict[str, Any]) -> None:
    hints = entry["annotations"]
    assert hints["title"] == entry["title"] and (hints["idempotentHint"] or not hints["readOnlyHint"])
    assert hints["destructiveHint"] is hints["openWorldHint"] is False


def test_kinds_of_memories_are_those_of_the_model() -> None:
    tools = {entry["name"]: entry["inputSchema"]["properties"] for entry in CATALOG["tools"]}
    kinds = tools["suggest"]["kind"]["enum"]
    assert set(kinds) <= {kind.label for kind in Kind}
    assert tools["recall"]["kind"]["enum"] == [*kinds, "worklog", "evaluation", "session", "command"]


# Arguments


def test_checked_arguments_are_read_by_their_type_and_null_is_missing() -> None:
    given = check_arguments(PROPERTIES, ["text"], {"text": "x", "limit": None, "everywhere": True, "tags": ["a", "b"]})
    assert (given.text("text"), given.text("scope"), given.text_or_none("scope")) == ("x", "", None)
    assert (given.number("limit", 7), given.flag("everywhere"), given.texts("tags")) == (7, True, ["a", "b"])
    assert check_arguments(PROPERTIES, ["text"], {"text": "x", "limit": 50}).number("limit", 7) == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "the argument text is missing"),
        ({"text": None}, "the argument text is missing"),
        ({"text": "x", "txt": "y"}, "there is no argument 'txt'"),
        ({"text": 3}, "text must be a text"),
        ({"text": "x", "limit": "3"}, "limit must be a whole number"),
        ({"text": "x", "limit": 2.0}, "limit must be a whole number"),
        ({"text": "x", "limit": True}, "limit must be a whole number"),
        ({"text": "x", "limit": 0}, "limit must be from 1 to 50"),
        ({"text": "x", "limit": 51}, "limit must be from 1 to 50"),
        ({"text": "x", "everywhere": 1}, "everywhere must be true or false"),
        ({"text": "x", "scope": "galaxy"}, "scope must be one of: local, global"),
        ({"text": "x", "tags": "a"}, "tags must be a list of texts"),
        ({"text": "x", "tags": ["a", 1]}, "tags must be a list of texts"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_arguments(PROPERTIES, ["text"], arguments)


# The client


def test_the_client_of_a_tool_is_an_agent_whatever_the_environment_says(person: Person) -> None:
    actor = client_actor(" claude\x1b[2J ", {"TACIT_ACTOR": "user", "TACIT_SESSION": "s-1"})
    assert actor.name == "agent:claude<U+001B>[2J" and actor.session == "s-1"
    with person.at(TACIT_ACTOR="user"), ClientContext("robot").open_vault() as vault:
        assert not vault.home.is_person
