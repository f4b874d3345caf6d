"""The MCP server over standard input and output: one message in, at most one out, until the client is gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress

from tacit.errors import TacitError, UsageError
from tacit.mcp import protocol
from tacit.mcp.protocol import INVALID_PARAMS, Json, RpcError, RpcRequest
from tacit.mcp.tools import TOOLS, ClientContext, load_catalog, run_tool

# Methods, which get the parameters and the calling client

Method = Callable[[Json, ClientContext], Json]


def initialize(params: Json, _caller: ClientContext) -> Json:
    return {
        "protocolVersion": protocol.negotiate_version(params.get("protocolVersion")),
        "capabilities": protocol.CAPABILITIES,
        "serverInfo": protocol.SERVER_INFO,
        "instructions": protocol.INSTRUCTIONS,
    }


def discover(_params: Json, _caller: ClientContext) -> Json:
    versions = list(protocol.STATELESS_VERSIONS)
    return {"supportedVersions": versions, "capabilities": protocol.CAPABILITIES, "instructions": protocol.INSTRUCTIONS}


def empty_result(_params: Json, _caller: ClientContext) -> Json:
    return {}


def list_tools(params: Json, _caller: ClientContext) -> Json:
    _refuse_cursor(params)
    return {"tools": [] if _is_judge() else load_catalog()["tools"]}


def call_tool(params: Json, caller: ClientContext) -> Json:
    name = _string_param(params, "name")
    if name not in TOOLS or _is_judge():
        raise RpcError(INVALID_PARAMS, f"there is no such tool; there are: {', '.join(TOOLS)}")
    return run_tool(name, _object_param(params, "arguments"), caller)


def _is_judge() -> bool:
    """Whether the client judges sessions for Tacit: it gets no tools."""
    return "TACIT_JUDGE" in os.environ


def list_resources(params: Json, caller: ClientContext) -> Json:
    from tacit.mcp.resources import resource_page

    with caller.open_vault() as vault:
        return resource_page(vault, _cursor_param(params))


def list_templates(params: Json, _caller: ClientContext) -> Json:
    _refuse_cursor(params)
    return {"resourceTemplates": load_catalog()["resourceTemplates"]}


def read_resource(params: Json, caller: ClientContext) -> Json:
    from tacit.mcp.resources import resource_content

    uri = _string_param(params, "uri")
    with caller.open_vault() as vault:
        return {"contents": [resource_content(vault, uri)]}


def list_prompts(params: Json, _caller: ClientContext) -> Json:
    _refuse_cursor(params)
    return {"prompts": load_catalog()["prompts"]}


def get_prompt(params: Json, caller: ClientContext) -> Json:
    from tacit.mcp.resources import PROMPTS, render_prompt

    name = _string_param(params, "name")
    if name not in PROMPTS:
        raise RpcError(INVALID_PARAMS, f"there is no such prompt; there are: {', '.join(PROMPTS)}")
    return render_prompt(name, _object_param(params, "arguments"), caller)


def _string_param(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"{name} must be a text")
    return value


def _object_param(params: Json, name: str) -> Json:
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name} must be an object")
    return value or {}


def _cursor_param(params: Json) -> str | None:
    return None if params.get("cursor") is None else _string_param(params, "cursor")


def _refuse_cursor(params: Json) -> None:
    if _cursor_param(params) is not None:
        raise RpcError(INVALID_PARAMS, "this list has one page and no cursors")


_COMMON_METHODS: dict[str, Method] = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
}
HANDSHAKE_METHODS: dict[str, Method] = {
    **_COMMON_METHODS,
    "initialize": initialize,
    "ping": empty_result,
    "logging/setLevel": empty_result,
}
STATELESS_METHODS: dict[str, Method] = {**_COMMON_METHODS, "server/discover": discover}


# The server. Nothing but responses goes to standard output.

_INPUT_FD, _OUTPUT_FD = 0, 1
_MAX_BATCH = 100  # messages


def serve(home: str | None = None) -> int:
    """Answer requests on standard input and output, until the input ends or nobody reads the output. Return 0."""
    server = McpServer(home)
    with redirect_stdout(sys.stderr):
        for line in protocol.split_lines(protocol.read_chunks(_INPUT_FD, _OUTPUT_FD)):
            answer = server.answer(line)
            if answer is not None:
                protocol.write_all(_OUTPUT_FD, protocol.encode_message(answer))
    return 0


class McpServer:
    """Answers one client, whose name may be known from a handshake."""

    def __init__(self, home: str | None = None) -> None:
        self._home = home
        self._client = ""

    def answer(self, line: bytes | RpcError) -> Json | list[Json] | None:
        """Return the response to a line, or to the error of one that is too long; None if none is expected."""
        if isinstance(line, RpcError):
            return protocol.error_response(line)
        if not line.strip():
            return None
        try:
            message = protocol.parse_message(line)
            if not isinstance(message, list):
                return self._answer_message(message)
            if not 0 < len(message) <= _MAX_BATCH:  # several on one line, as 2025-03-26 allowed
                raise RpcError(protocol.INVALID_REQUEST, f"a batch has 1 to {_MAX_BATCH} messages")
            answers = [self._answer_message(part) for part in message]
            return [answer for answer in answers if answer is not None] or None
        except RpcError as failure:
            return protocol.error_response(failure)

    def _answer_message(self, message: object) -> Json | None:
        request = None
        try:
            request = protocol.parse_request(message)
            return {"jsonrpc": "2.0", "id": request.id, "result": self._result(request)} if request else None
        except RpcError as failure:
            return protocol.error_response(failure, request.id if request else None)

    def _result(self, request: RpcRequest) -> Json:
        client = protocol.stateless_client(request)
        if client is None:
            if request.method == "initialize":
                self._client = protocol.client_name(request.params.get("clientInfo"))
            return _call_method(HANDSHAKE_METHODS, request, ClientContext(self._client, self._home))
        try:
            result = _call_method(STATELESS_METHODS, request, ClientContext(client, self._home))
        except RpcError as failure:
            if failure.code == protocol.RESOURCE_NOT_FOUND:  # a code that the version of the envelope has no more
                failure.code = INVALID_PARAMS
            raise
        return protocol.stateless_result(request.method, result)


def _call_method(methods: dict[str, Method], request: RpcRequest, caller: ClientContext) -> Json:
    """Return the result of a method. Raise RpcError for any error, which ends the request and not the server."""
    method = methods.get(request.method)
    if method is None:
        raise RpcError(protocol.METHOD_NOT_FOUND, "there is no such method here", {"method": request.method[:100]})
    try:
        return method(request.params, caller)
    except RpcError:
        raise
    except TacitError as error:
        from tacit.text.display import printable

        code = INVALID_PARAMS if isinstance(error, UsageError) else protocol.INTERNAL_ERROR
        raise RpcError(code, printable(f"{error.message}. {error.hint}" if error.hint else error.message)) from None
    except Exception as error:
        with suppress(Exception):  # nobody may be listening there
            sys.stderr.write(f"tacit mcp: {type(error).__name__} in {request.method}\n")
        raise RpcError(protocol.INTERNAL_ERROR, f"this went wrong ({type(error).__name__})") from None
