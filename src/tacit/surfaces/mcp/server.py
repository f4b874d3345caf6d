"""The server: a line in, at most one line out, until the client is gone. Nothing else goes to standard output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout, suppress

from tacit.core.errors import TacitError, WrongUse
from tacit.surfaces.mcp import era, methods, wire
from tacit.surfaces.mcp.caller import Caller
from tacit.surfaces.mcp.rpc import (
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
            return _done(methods.HANDSHAKE, request, Caller(self._client, self._home))
        try:
            result = _done(methods.STATELESS, request, Caller(envelope.client, self._home))
        except Failure as failure:
            raise era.dressed_failure(failure) from None
        return era.dressed(request.method, result)


def _done(known: dict[str, methods.Method], request: Request, caller: Caller) -> Json:
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
    from tacit.core.text import show

    code = INVALID_PARAMS if isinstance(error, WrongUse) else INTERNAL_ERROR
    return Failure(code, show(f"{error.message}. {error.hint}" if error.hint else error.message))
