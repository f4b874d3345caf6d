"""JSON-RPC as it is written: what is answered, with which error, and what is passed over in silence."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from harness.person import Person

from tacit.mcp import McpServer
from tacit.mcp.protocol import MAX_MESSAGE_BYTES, RpcError, split_lines
from tests.support.mcp_client import STATELESS, answer, answers, lines_of, request, stateless, tool


def told(message: object) -> Any:
    """The answer of a server in this process, to bytes as they stand or to a message."""
    return McpServer().answer(message if isinstance(message, bytes) else json.dumps(message).encode())


@pytest.mark.parametrize(
    "line",
    [
        *(b"{", b"nonsense", b"\xff\xfe", b'{"jsonrpc": NaN}', b"1" * 5000, b"[" * 100_000, b'{"a":' * 100_000),
        *(b"\xef\xbb\xbf{}", b"'x'", b"{}{}", b"\x00", b'"\\x"', b"-Infinity"),
    ],
)
def test_what_cannot_be_parsed_is_a_parse_error(line: bytes) -> None:
    answer = told(line)
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)


@pytest.mark.parametrize(
    "message",
    [
        *(1, "x", None, True, [], {}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": None, "method": "ping"}),
        *({"jsonrpc": "1.0", "method": "ping"}, {"jsonrpc": "2.0", "method": 7}, {"method": "ping", "params": {}}),
        *(request("ping", id=1.5), request("ping", id=True), request("ping", id=[1])),
    ],
)
def test_what_is_no_message_is_an_invalid_request(message: object) -> None:
    answer = told(message)
    assert (answer["error"]["code"], answer["id"]) == (-32600, None)


@pytest.mark.parametrize("name", [0, -1, 2**60, "", "a", "\ud800", "日本"])
def test_the_id_of_a_request_comes_back(name: object) -> None:
    assert told(request("ping", id=name)) == {"jsonrpc": "2.0", "id": name, "result": {}}
    assert told({"id": name, "method": "ping"})["id"] == name


@pytest.mark.parametrize(
    "method",
    [
        *("nonsense", "", "completion/complete", "resources/subscribe", "roots/list", "sampling/createMessage"),
        *("server/discover", "notifications/initialized", "__init__", "tools"),
    ],
)
def test_an_unknown_method_is_not_found(method: str) -> None:
    assert told(request(method))["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "subscriptions/listen", "tasks/list"])
def test_what_the_newest_protocol_has_no_more_is_not_found_in_it(method: str) -> None:
    answer = told(stateless(method))
    if method == "initialize":  # it never had an envelope
        assert answer["error"]["code"] == -32602
    else:
        assert answer["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        *(("ping", []), ("ping", "x"), ("ping", 7), ("initialize", {}), ("initialize", {"protocolVersion": 1})),
        *(("tools/call", {}), ("tools/call", {"name": 7}), ("tools/call", {"name": "nonsense"})),
        *(("tools/call", {"name": "recall", "arguments": []}), ("tools/call", {"name": "recall", "arguments": "x"})),
        *(("resources/read", {}), ("resources/read", {"uri": []}), ("prompts/get", {"name": "x"})),
        *(("prompts/get", {"name": "start", "arguments": []}), ("prompts/get", {"name": "start"})),
        *(("tools/list", {"cursor": "x"}), ("tools/list", {"cursor": 7}), ("prompts/list", {"cursor": ""})),
        *(("resources/list", {"cursor": "x"}), ("resources/list", {"cursor": 7})),
    ],
)
def test_bad_parameters_are_told(person: Person, monkeypatch: pytest.MonkeyPatch, method: str, params: object) -> None:
    monkeypatch.setenv("TACIT_HOME", str(person.home))
    answer = told(request(method, params))
    assert (answer["error"]["code"], answer["id"]) == (-32602, 1)


@pytest.mark.parametrize(
    "meta",
    [
        {"io.modelcontextprotocol/protocolVersion": STATELESS},
        {"io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": 7},
        {"io.modelcontextprotocol/protocolVersion": 7, "io.modelcontextprotocol/clientCapabilities": {}},
    ],
)
def test_an_envelope_that_lacks_something_is_told(meta: dict[str, object]) -> None:
    assert told(request("tools/list", {"_meta": meta}))["error"]["code"] == -32602


def test_a_version_that_is_not_spoken_is_answered_with_those_that_are() -> None:
    asked = stateless("tools/list")
    asked["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"  # type: ignore[index]
    error = told(asked)["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": [STATELESS], "requested": "2031-01-01"}


def test_notifications_and_answers_are_passed_over(person: Person) -> None:
    silent: list[object] = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "x"}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "suggest"}},
        {"jsonrpc": "2.0", "method": "nonsense", "params": []},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}},
        b"",
        b"  \t\r",
    ]
    assert answers(person, *silent, request("ping", id="last")) == [{"jsonrpc": "2.0", "id": "last", "result": {}}]


def test_a_batch_is_answered_as_one(person: Person) -> None:
    batch = [request("ping", id="a"), {"jsonrpc": "2.0", "method": "x"}, 7, request("nonsense", id="b")]
    assert [(one["id"], one.get("error", {}).get("code")) for one in told(batch)] == [
        ("a", None),
        (None, -32600),
        ("b", -32601),
    ]
    assert told([{"jsonrpc": "2.0", "method": "x"}]) is None
    assert told([request("ping")] * 101)["error"]["code"] == -32600
    assert told([[request("ping")]])[0]["error"]["code"] == -32600


@pytest.mark.parametrize("pieces", [1, 7, 65_536])
def test_lines_are_the_same_however_they_come(pieces: int) -> None:
    stream = b'{"a":1}\n\n{"b":2}\r\nlast'
    parts = [stream[at : at + pieces] for at in range(0, len(stream), pieces)]
    assert list(split_lines(parts)) == [b'{"a":1}', b"", b'{"b":2}\r', b"last"]


FILLING = "x" * MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": FILLING}}, 7),
        ({"jsonrpc": "2.0", "id": "seven", "method": "ping", "params": {"x": FILLING}}, "seven"),
        ({"method": "ping", "params": {"x": FILLING}, "jsonrpc": "2.0", "id": 8}, 8),
        ({"method": "ping", "params": {"x": FILLING, "id": 8}}, None),
        ({"jsonrpc": "2.0", "method": "ping", "params": {"x": FILLING, "y": ',"id":8}'}}, None),
    ],
)
def test_a_message_that_is_too_long_is_answered_under_its_own_id(message: object, name: object) -> None:
    stream = json.dumps(message).encode() + b"\n" + json.dumps(request("ping")).encode() + b"\n"
    long, short = split_lines(stream[at : at + 4096] for at in range(0, len(stream), 4096))
    assert isinstance(long, RpcError) and isinstance(short, bytes)
    answer = McpServer().answer(long)
    assert isinstance(answer, dict) and answer["id"] == name
    assert "longer than 1,048,576 bytes" in json.dumps(answer)
    assert told(short)["result"] == {}


def test_a_message_that_is_too_long_is_not_held() -> None:
    tracemalloc.start()
    (told,) = split_lines(bytes(65_536) for _ in range(640))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(told, RpcError) and told.id is None
    assert peak < 4 * MAX_MESSAGE_BYTES


def test_what_goes_wrong_inside_ends_the_request_and_not_the_server(person: Person) -> None:
    person.home.write_text("not a home")
    first, second, third = answers(person, tool("recall", query="x"), request("resources/list"), request("ping"))
    assert first["result"]["isError"] is True and "is not a folder" in first["result"]["content"][0]["text"]
    assert second["error"]["code"] == -32603 and "is not a folder" in second["error"]["message"]
    assert third["result"] == {}


def test_the_home_can_be_named(person: Person) -> None:
    person.tacit("add", "never force push")
    (found,) = answers(person, tool("recall", query="force"), words=("--home", str(person.home)), TACIT_HOME="/nowhere")
    assert len(lines_of(found["result"])) == 1


def test_a_level_of_logging_is_accepted_and_changes_nothing(person: Person) -> None:
    assert answer(person, request("logging/setLevel", {"level": "debug"}))["result"] == {}
