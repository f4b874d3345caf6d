"""A client for peers that speak MCP: one JSON object a line, over the pipes of a process of theirs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_PROTOCOL = "2025-06-18"


class Server:
    def __init__(self, command: Sequence[str], cwd: Path, **variables: str) -> None:
        self._server = subprocess.Popen(
            command,
            cwd=cwd,
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._asked = 0
        client = {"name": "bench", "version": "1"}
        self._request("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> str:
        """The text of what a tool answers; an answer that is an error ends the run."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", ()))
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text[:200]}")
        return text

    def close(self) -> None:
        assert self._server.stdin
        self._server.stdin.close()
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._server.stdin
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()

    def _request(self, method: str, params: Mapping[str, object]) -> dict[str, list[dict[str, str]]]:
        assert self._server.stdout
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        for line in self._server.stdout:
            if not line.startswith("{"):
                continue
            answer = json.loads(line)
            if answer.get("id") != self._asked or "method" in answer:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {str(answer['error'])[:200]}")
            result: dict[str, list[dict[str, str]]] = answer["result"]
            return result
        raise RuntimeError(f"the server ended before it answered {method}")
