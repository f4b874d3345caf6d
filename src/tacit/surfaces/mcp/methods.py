"""What a client may ask for, by the name of the method. Each takes the parameters and who calls."""

from __future__ import annotations

from collections.abc import Callable

from tacit.surfaces.mcp import era
from tacit.surfaces.mcp.caller import Caller
from tacit.surfaces.mcp.rpc import INVALID_PARAMS, Failure, Json

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
    from tacit.surfaces.mcp.tool import described
    from tacit.surfaces.mcp.tools import TOOLS

    _one_page(params)
    return {"tools": [described(tool) for tool in TOOLS.values()]}


def call_tool(params: Json, caller: Caller) -> Json:
    from tacit.surfaces.mcp.tool import call
    from tacit.surfaces.mcp.tools import TOOLS

    tool = TOOLS.get(_text(params, "name"))
    if tool is None:
        raise Failure(INVALID_PARAMS, f"there is no such tool; there are: {', '.join(TOOLS)}")
    return call(tool, _object(params, "arguments"), caller)


def list_resources(params: Json, caller: Caller) -> Json:
    from tacit.surfaces.mcp.resources import page

    with caller.opened() as vault:
        rows, following = page(vault, _cursor(params))
    return {"resources": rows, **({"nextCursor": following} if following else {})}


def list_templates(params: Json, _caller: Caller) -> Json:
    from tacit.surfaces.mcp.resources import TEMPLATES

    _one_page(params)
    return {"resourceTemplates": TEMPLATES}


def read_resource(params: Json, caller: Caller) -> Json:
    from tacit.surfaces.mcp.resources import content

    uri = _text(params, "uri")
    with caller.opened() as vault:
        return {"contents": [content(vault, uri)]}


def list_prompts(params: Json, _caller: Caller) -> Json:
    from tacit.surfaces.mcp.prompt import described
    from tacit.surfaces.mcp.prompts import PROMPTS

    _one_page(params)
    return {"prompts": [described(prompt) for prompt in PROMPTS.values()]}


def get_prompt(params: Json, caller: Caller) -> Json:
    from tacit.surfaces.mcp.prompt import made
    from tacit.surfaces.mcp.prompts import PROMPTS

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
