"""The catalog and its examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.person import Person

from tacit.mcp.resources import PROMPTS
from tacit.mcp.tools import CATALOG_PATH, TOOLS, load_catalog
from tacit.model.claim import Kind
from tacit.search.rank import COMMAND, PAGE_KINDS
from tests.support.mcp_client import answer, heard, lines_of, request, tool

CATALOG: dict[str, list[Any]] = json.loads(Path(CATALOG_PATH).read_text(encoding="utf-8"))


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
        arguments["id"] = lines_of(listed["result"])[0].rpartition("(")[2].rstrip(")")
    result = answer(person, tool(entry["name"], **arguments), cwd=two[0])["result"]
    assert result["isError"] is False and result["content"][0]["text"]
    assert "structuredContent" not in result and "outputSchema" not in entry


@pytest.mark.parametrize("entry", CATALOG["prompts"], ids=lambda entry: str(entry["name"]))
def test_the_example_of_a_prompt_fits(person: Person, entry: dict[str, Any]) -> None:
    assert entry["example"].keys() == {argument["name"] for argument in entry.get("arguments", ())}
    given = answer(person, request("prompts/get", {"name": entry["name"], "arguments": entry["example"]}))["result"]
    assert given["description"] == " ".join(entry["description"])
    assert [message["role"] for message in given["messages"]] == ["user"]


@pytest.mark.parametrize("entry", CATALOG["tools"], ids=lambda entry: str(entry["name"]))
def test_a_schema_names_what_the_checks_know_and_nothing_else(entry: dict[str, Any]) -> None:
    schema = entry["inputSchema"]
    for field in schema["properties"].values():
        assert field["type"] in ("string", "integer", "boolean", "array") and field["description"]
        assert field.keys() <= {"type", "description", "enum", "minimum", "maximum", "items"}
        assert ("minimum" in field) == ("maximum" in field) == (field["type"] == "integer")
        assert field.get("items", {"type": "string"}) == {"type": "string"}


def test_kinds_of_memories_are_those_of_the_model() -> None:
    tools = {entry["name"]: entry["inputSchema"]["properties"] for entry in CATALOG["tools"]}
    *kinds, worklog, evaluation, session, command = tools["recall"]["kind"]["enum"]
    assert set(kinds) <= {kind.label for kind in Kind}
    assert (worklog, evaluation, session, command) == (*PAGE_KINDS, COMMAND)


def test_the_catalog_costs_little_in_every_request() -> None:
    sent = [{name: entry[name] for name in ("name", "description", "inputSchema")} for entry in CATALOG["tools"]]
    assert len(json.dumps(sent, separators=(",", ":"))) < 3_500
