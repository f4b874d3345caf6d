"""The server: one message in, at most one out, until the client is gone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress

from tacit.errors import TacitError, WrongUse
from tacit.mcp import protocol as era
from tacit.mcp import protocol as wire
from tacit.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Failure,
    Json,
    Request,
    asked,
    failed,
    succeeded,
)
from tacit.mcp.tool import Caller

# What a client may ask for, by the name of the method. Each takes the parameters and who calls.

Method = Callable[[Json, Caller], Json]


def initialize(params: Json, _caller: Caller) -> Json:
    return {
        "protocolVersion": era.agreed(params.get("protocolVersion")),
        "capabilities": era.CAPABILITIES,
        "serverInfo": era.SERVER,
        "instructions": era.INSTRUCTIONS,
    }


def discover(_params: Json, _caller: Caller) -> Json:
    versions = list(era.STATELESS)
    return {"supportedVersions": versions, "capabilities": era.CAPABILITIES, "instructions": era.INSTRUCTIONS}


def nothing(_params: Json, _caller: Caller) -> Json:
    return {}


def list_tools(params: Json, _caller: Caller) -> Json:
    from tacit.mcp.tool import described_tool
    from tacit.mcp.tools import TOOLS

    _one_page(params)
    return {"tools": [described_tool(tool) for tool in TOOLS.values()]}


def call_tool(params: Json, caller: Caller) -> Json:
    from tacit.mcp.tool import call
    from tacit.mcp.tools import TOOLS

    tool = TOOLS.get(_text(params, "name"))
    if tool is None:
        raise Failure(INVALID_PARAMS, f"there is no such tool; there are: {', '.join(TOOLS)}")
    return call(tool, _object(params, "arguments"), caller)


def list_resources(params: Json, caller: Caller) -> Json:
    from tacit.mcp.resources import page

    with caller.opened() as vault:
        rows, following = page(vault, _cursor(params))
    return {"resources": rows, **({"nextCursor": following} if following else {})}


def list_templates(params: Json, _caller: Caller) -> Json:
    from tacit.mcp.resources import TEMPLATES

    _one_page(params)
    return {"resourceTemplates": TEMPLATES}


def read_resource(params: Json, caller: Caller) -> Json:
    from tacit.mcp.resources import content

    uri = _text(params, "uri")
    with caller.opened() as vault:
        return {"contents": [content(vault, uri)]}


def list_prompts(params: Json, _caller: Caller) -> Json:
    from tacit.mcp.prompts import PROMPTS
    from tacit.mcp.tool import described_prompt

    _one_page(params)
    return {"prompts": [described_prompt(prompt) for prompt in PROMPTS.values()]}


def get_prompt(params: Json, caller: Caller) -> Json:
    from tacit.mcp.prompts import PROMPTS
    from tacit.mcp.tool import made

    prompt = PROMPTS.get(_text(params, "name"))
    if prompt is None:
        raise Failure(INVALID_PARAMS, f"there is no such prompt; there are: {', '.join(PROMPTS)}")
    return made(prompt, _object(params, "arguments"), caller)


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Failure(INVALID_PARAMS, f"{name} must be a text")
    return value


def _object(params: Json, name: str) -> Json:
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise Failure(INVALID_PARAMS, f"{name} must be an object")
    return value or {}


def _cursor(params: Json) -> str | None:
    return None if params.get("cursor") is None else _text(params, "cursor")


def _one_page(params: Json) -> None:
    if _cursor(params) is not None:
        raise Failure(INVALID_PARAMS, "this list has one page and no cursors")


_ALWAYS: dict[str, Method] = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
}
HANDSHAKE: dict[str, Method] = {
    **_ALWAYS,
    "initialize": initialize,
    "ping": nothing,
    "logging/setLevel": nothing,
}
STATELESS: dict[str, Method] = {**_ALWAYS, "server/discover": discover}


# The server: a line in, at most one line out, until the client is gone. Nothing else goes to standard output.

_INPUT, _OUTPUT = 0, 1
_MOST = 100  # messages in a batch


def serve(home: str | None = None) -> int:
    """Answer on standard input and output, until the input ends or nobody reads the output."""
    server = Server(home)
    with redirect_stdout(sys.stderr):
        for line in wire.lines(wire.chunks(_INPUT, _OUTPUT)):
            answer = server.answer(line)
            if answer is not None:
                wire.write(_OUTPUT, wire.written(answer))
    return 0


class Server:
    """One client, who may have told its name in a handshake."""

    def __init__(self, home: str | None = None) -> None:
        self._home = home
        self._client = ""

    def answer(self, line: bytes | wire.TooLong) -> Json | list[Json] | None:
        """The answer to a line; nothing where none is wanted."""
        if isinstance(line, bytes) and not line.strip():
            return None
        try:
            message = wire.read(line)
            return self._batch(message) if isinstance(message, list) else self._one(message)
        except Failure as failure:
            return failed(failure)

    def _batch(self, messages: list[object]) -> list[Json] | None:
        """Several messages on one line, as 2025-03-26 allowed."""
        if not 0 < len(messages) <= _MOST:
            raise Failure(INVALID_REQUEST, f"a batch has 1 to {_MOST} messages")
        answers = [self._one(message) for message in messages]
        return [answer for answer in answers if answer is not None] or None

    def _one(self, message: object) -> Json | None:
        try:
            request = asked(message)
        except Failure as failure:
            return failed(failure)
        if request is None:
            return None
        try:
            return succeeded(request, self._result(request))
        except Failure as failure:
            return failed(failure, request.id)

    def _result(self, request: Request) -> Json:
        envelope = era.envelope(request)
        if envelope is None:
            if request.method == "initialize":
                self._client = era.client_name(request.params.get("clientInfo"))
            return _done(HANDSHAKE, request, Caller(self._client, self._home))
        try:
            result = _done(STATELESS, request, Caller(envelope.client, self._home))
        except Failure as failure:
            raise era.dressed_failure(failure) from None
        return era.dressed(request.method, result)


def _done(known: dict[str, Method], request: Request, caller: Caller) -> Json:
    """What a method gives. Whatever goes wrong in it is the end of this request, not of the server."""
    method = known.get(request.method)
    if method is None:
        raise Failure(METHOD_NOT_FOUND, "there is no such method here", {"method": request.method[:100]})
    try:
        return method(request.params, caller)
    except Failure:
        raise
    except TacitError as error:
        raise _told(error) from None
    except Exception as error:
        with suppress(Exception):  # nobody may be listening there
            sys.stderr.write(f"tacit mcp: {type(error).__name__} in {request.method}\n")
        raise Failure(INTERNAL_ERROR, f"this went wrong ({type(error).__name__})") from None


def _told(error: TacitError) -> Failure:
    from tacit.text.display import show

    code = INVALID_PARAMS if isinstance(error, WrongUse) else INTERNAL_ERROR
    return Failure(code, show(f"{error.message}. {error.hint}" if error.hint else error.message))
