"""A stand-in for the model APIs of coding agents: logs every request, answers from a script, knows nothing else.

    python -m tests.clients.stub FOLDER [--alone]

reads `script.json` in FOLDER, appends to `requests.jsonl`, and says in `port` where it listens; with `--alone` it
raises the loopback interface of its network namespace first. It listens to this machine only, until its input ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import json
import os
import socket
import struct
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.clients import script
from tests.clients.apis import APIS, Body, Sent, Step

_COUNTED = ("/messages/count_tokens", ":countTokens")
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # ioctls of network interfaces


class Stub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Asking)
        self.folder = folder
        self._one_at_a_time = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def record(self, path: str, body: Body, step: Step | None) -> None:
        line = json.dumps({"path": path, "body": body, "step": step})
        with self._one_at_a_time, open(self.folder / "requests.jsonl", "a", encoding="utf-8") as log:
            log.write(line + "\n")

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):  # a client that hangs up is no news
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Asking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def do_POST(self) -> None:
        path, body = self.path.split("?")[0].rstrip("/"), self._body()
        api = next((api for ending, api in APIS.items() if path.endswith(ending)), None)
        if api is None:
            self.server.record(path, body, None)
            self._answer({"input_tokens": 100, "totalTokens": 100} if path.endswith(_COUNTED) else None)
            return
        step = script.choose(script.read(self.server.folder / "script.json"), api.read(body))
        self.server.record(path, body, step)
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            self._stream(api.stream(body, step))
        else:
            self._answer(api.whole(body, step))

    def do_GET(self) -> None:
        is_list = self.path.split("?")[0].rstrip("/").endswith("/models")
        self._answer({"object": "list", "data": [], "models": [], "has_more": False} if is_list else None)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass

    def _body(self) -> Body:
        raw = self._raw()
        match (self.headers.get("Content-Encoding") or "").lower():
            case "gzip":
                raw = gzip.decompress(raw)
            case "deflate":
                raw = zlib.decompress(raw)
        with contextlib.suppress(ValueError):
            body = json.loads(raw)
            return body if isinstance(body, dict) else {"list": body}
        return {}

    def _raw(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, content: Body | None) -> None:
        """No content: there is no such path."""
        told = json.dumps(content or {"error": {"type": "not_found_error", "message": "no such path"}}).encode()
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told)

    def _stream(self, events: list[Sent]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            content = event.content if isinstance(event.content, str) else json.dumps(event.content)
            name = f"event: {event.name}\n" if event.name else ""
            self.wfile.write(f"{name}data: {content}\n\n".encode())


def raise_loopback() -> None:
    """A new network namespace has a loopback interface, but it is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        told = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0))
        (flags,) = struct.unpack_from("h", told, 16)
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def _end_with_the_tests() -> None:
    """Whoever started this holds the other end of its input."""
    sys.stdin.buffer.read()
    os._exit(0)


def main(folder: Path, alone: bool) -> None:
    if alone:
        raise_loopback()
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    stub = Stub(folder)
    fresh = folder / "port.new"
    fresh.write_text(str(stub.port))
    os.replace(fresh, folder / "port")
    stub.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--alone" in sys.argv)
