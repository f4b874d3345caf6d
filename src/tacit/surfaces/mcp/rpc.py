"""JSON-RPC 2.0 as values: what a message asks, and how answers look. Nothing is read or written here."""

from __future__ import annotations

from tacit.record import Record

Json = dict[str, object]
Id = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# Of MCP; since 2026-07-28 what is not there is INVALID_PARAMS.
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022


class Failure(Exception):
    """A request that gets an error for an answer. `id` is set where the message could be read so far."""

    def __init__(self, code: int, message: str, data: Json | None = None, id: Id | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = id


class Request(Record):
    """A message that wants an answer."""

    id: Id
    method: str
    params: Json


def asked(message: object) -> Request | None:
    """The request in a message; nothing where it is a notification, or an answer to what nobody asked."""
    if not isinstance(message, dict):
        raise Failure(INVALID_REQUEST, "a message is a JSON object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    name, method = readable_id(message.get("id")), message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Failure(INVALID_REQUEST, 'a message has "jsonrpc": "2.0" and a method', id=name)
    if "id" not in message:
        return None
    if name is None:
        raise Failure(INVALID_REQUEST, "an id is a text or a whole number")
    return Request(name, method, _params(message.get("params"), name))


def readable_id(value: object) -> Id | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _params(value: object, name: Id) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Failure(INVALID_PARAMS, "params are a JSON object", id=name)
    return value


def succeeded(request: Request, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": request.id, "result": result}


def failed(failure: Failure, name: Id | None = None) -> Json:
    error: Json = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return {"jsonrpc": "2.0", "id": failure.id if name is None else name, "error": error}
