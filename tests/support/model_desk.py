"""A home and an `llm` of one's own, with the models of `stub_models` installed as a plugin, or with a server's."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from tacit.home.home import Home
from tacit.learn.judge import Judge, Judging
from tacit.learn.judge.answer import CheckedAnswer
from tacit.learn.judge.clients import JudgeReply
from tacit.model.observation import ConversationBody
from tests.support.model_talk import asked

ROOT = Path(__file__).parents[2]
NOON = "2026-03-01T12:00:00+00:00"


class Desk:
    """`folder` is empty; everything lies below it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.calls_file = folder / "calls"
        self.llm = folder / "llm"
        self._plugins = folder / "plugins"
        self.llm.mkdir()
        installed = self._plugins / "stub_models-1.0.dist-info"
        installed.mkdir(parents=True)
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: stub-models\nVersion: 1.0\n")
        (installed / "entry_points.txt").write_text("[llm]\nstub_models = tests.support.stub_models\n")

    @property
    def models(self) -> dict[str, str]:
        """What a program must see in its environment so that it finds these models, and no others."""
        return {
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT), str(self._plugins))),
            "LLM_USER_PATH": str(self.llm),
            "STUB_CALLS": str(self.calls_file),
            "NO_PROXY": "127.0.0.1",
        }

    def vault(self, now: str = NOON, **more: str) -> Judging:
        system = {"PATH": os.environ["PATH"], "HOME": str(self.home.parent)}
        environment = {**system, **self.models, "TACIT_NOW": now, **more}
        return Judging(Home(self.home, cwd=self.home.parent, environment=environment))

    def ask(
        self, name: str, *bodies: ConversationBody, now: str = NOON, **more: str
    ) -> tuple[JudgeReply, CheckedAnswer | None]:
        """Ask a model about a session."""
        return self.vault(now, **more).ask(asked(*bodies), Judge(name))

    @property
    def calls(self) -> list[int]:
        """The processes in which a model was asked."""
        return [int(line) for line in self.calls_file.read_text().split()] if self.calls_file.exists() else []

    def kept(self) -> dict[str, bytes]:
        """Every file of the home."""
        return {str(path): path.read_bytes() for path in sorted(self.home.rglob("*")) if path.is_file()}


class Provider:
    """A server on this machine that speaks as OpenAI's does, and answers everybody the same."""

    def __init__(self, status: int, content: str) -> None:
        self.requests: list[dict[str, object]] = []
        provider = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                provider.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                body = _completion(content) if status == 200 else json.dumps({"error": {"message": content}}).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Answering)

    @contextmanager
    def known_to(self, desk: Desk) -> Iterator[None]:
        """As `served`, a model that takes schemas."""
        address = f"http://127.0.0.1:{self.server.server_port}/v1"
        model = {"model_id": "served", "model_name": "m", "api_base": address, "supports_schema": True}
        (desk.llm / "extra-openai-models.yaml").write_text(json.dumps([model]))
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            self.server.shutdown()
            thread.join()
            self.server.server_close()


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"  # nobody may have waited for it yet
    except OSError:
        return False


def _completion(content: str) -> bytes:
    """One streamed answer, and at its end what it cost."""
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [
        {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**head, "choices": [], "usage": {"prompt_tokens": 9000, "completion_tokens": 70, "total_tokens": 9070}},
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"
