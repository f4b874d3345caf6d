"""Schemas of tools, checked arguments, and results that a model can correct itself by."""

from __future__ import annotations

import pytest
from harness.person import Person
from harness.secret_examples import written

from tacit.errors import RefusedError, UsageError
from tacit.home.input import MAX_EVIDENCE_CHARS
from tacit.mcp.schema import (
    ClientContext,
    Field,
    McpArguments,
    McpPrompt,
    McpResult,
    McpTool,
    check_arguments,
    client_actor,
    clip_evidence,
    describe_prompt,
    describe_tool,
    object_schema,
    render_prompt,
    run_tool,
    wait_for_write_lock,
)
from tacit.vault.vault import Vault

TEXT = Field("text", "string", "what it says", required=True)
LIMIT = Field("limit", "integer", "how many", minimum=1, maximum=50)
SCOPE = Field("scope", "string", "where", choices=("local", "global"))
FLAG = Field("everywhere", "boolean", "in every project")
TAGS = Field("tags", "array", "words to find it by")
FIELDS = (TEXT, LIMIT, SCOPE, FLAG, TAGS)


def count_memories(vault: Vault, arguments: McpArguments) -> McpResult:
    count = vault.queries.listing(status=None).total
    return McpResult(f"{arguments.text('text')}: {count}", {"count": count})


COUNT = McpTool("count", "Count", "Counts memories.", (TEXT,), (Field("count", "integer", "how many"),), count_memories)


def test_a_schema_has_what_each_field_says() -> None:
    assert object_schema(FIELDS) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "what it says"},
            "limit": {"type": "integer", "description": "how many", "minimum": 1, "maximum": 50},
            "scope": {"type": "string", "description": "where", "enum": ["local", "global"]},
            "everywhere": {"type": "boolean", "description": "in every project"},
            "tags": {"type": "array", "description": "words to find it by", "items": {"type": "string"}},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_items_of_an_array_are_open_objects_if_they_have_fields() -> None:
    schema = object_schema([Field("answers", "array", "the best first", items=(TEXT,))], closed=False)
    items = {"type": "object", "properties": {"text": {"type": "string", "description": "what it says"}}}
    answers = {"type": "array", "description": "the best first", "items": {**items, "required": ["text"]}}
    assert schema == {"type": "object", "properties": {"answers": answers}}


def test_checked_arguments_are_read_by_their_type_and_null_is_missing() -> None:
    given = check_arguments(FIELDS, {"text": "x", "limit": None, "everywhere": True, "tags": ["a", "b"]})
    assert (given.text("text"), given.text("scope"), given.text_or_none("scope")) == ("x", "", None)
    assert (given.number("limit", 7), given.flag("everywhere"), given.texts("tags")) == (7, True, ["a", "b"])
    assert check_arguments(FIELDS, {"text": "x", "limit": 50}).number("limit", 7) == 50


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
        check_arguments(FIELDS, arguments)


def test_a_tool_that_only_reads_is_idempotent_and_none_destroys() -> None:
    hints = {
        (reads, again): describe_tool(COUNT._replace(read_only=reads, idempotent=again))["annotations"]
        for reads in (True, False)
        for again in (True, False)
    }
    for (reads, again), told in hints.items():
        assert isinstance(told, dict)
        assert (told["readOnlyHint"], told["idempotentHint"]) == (reads, reads or again)
        assert told["destructiveHint"] is told["openWorldHint"] is False


def test_a_result_is_text_for_a_model_and_values_for_a_program(person: Person) -> None:
    with person.at():
        told = run_tool(COUNT, {"text": "found"}, ClientContext("robot"))
    assert told == {
        "content": [{"type": "text", "text": "found: 0"}],
        "structuredContent": {"count": 0},
        "isError": False,
    }


def test_errors_are_results_that_say_what_to_do(person: Person) -> None:
    def refuse(_vault: Vault, _arguments: McpArguments) -> McpResult:
        raise RefusedError("two memories\nsay that", "name one of them")

    def fail(_vault: Vault, _arguments: McpArguments) -> McpResult:
        raise PermissionError(13, "Permission denied")

    with person.at():
        refused = run_tool(COUNT._replace(run=refuse), {"text": "x"}, ClientContext("robot"))
        failed = run_tool(COUNT._replace(run=fail), {"text": "x"}, ClientContext("robot"))
        misused = run_tool(COUNT, {}, ClientContext("robot"))
    assert refused["isError"] is failed["isError"] is misused["isError"] is True
    assert text_of(refused) == "Not done: two memories⏎say that\nWhat to do: name one of them"
    assert text_of(failed) == "Not done: Permission denied\nWhat to do: ask the person to type: tacit doctor"
    assert "the argument text is missing" in text_of(misused) and not person.home.exists()


def text_of(result: dict[str, object]) -> str:
    (content,) = result["content"]  # type: ignore[misc]
    return str(content["text"])  # type: ignore[has-type]


def test_the_client_of_a_tool_is_an_agent_whatever_the_environment_says(person: Person) -> None:
    actor = client_actor(" claude\x1b[2J ", {"TACIT_ACTOR": "user", "TACIT_SESSION": "s-1"})
    assert actor.name == "agent:claude<U+001B>[2J" and actor.session == "s-1"
    with person.at(TACIT_ACTOR="user"), ClientContext("robot").open_vault() as vault:
        assert not vault.home.is_person


def test_a_prompt_is_described_and_rendered_for_the_user(person: Person) -> None:
    prompt = McpPrompt("greet", "Greet", "Says hello.", (TEXT,), lambda _vault, given: f"hello {given.text('text')}")
    assert describe_prompt(prompt)["arguments"] == [{"name": "text", "description": "what it says", "required": True}]
    assert "arguments" not in describe_prompt(prompt._replace(arguments=()))
    with person.at():
        told = render_prompt(prompt, {"text": "world"}, ClientContext("robot"))
    assert told["messages"] == [{"role": "user", "content": {"type": "text", "text": "hello world"}}]


def test_evidence_is_clipped_and_a_secret_after_the_cut_is_refused_all_the_same() -> None:
    long = "seen in the log " * 200
    assert len(clip_evidence(long)) == MAX_EVIDENCE_CHARS and clip_evidence(" seen ") == "seen"
    with pytest.raises(RefusedError):
        clip_evidence(f"{long} {written('ghp_<a36>')}")


def test_nobody_is_waited_for_where_there_is_no_home(person: Person) -> None:
    with person.at(), ClientContext("robot").open_vault() as vault:
        wait_for_write_lock(vault)
    assert not person.home.exists()
