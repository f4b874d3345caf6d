"""qmd: Markdown notes in SQLite, through its MCP server. Its search by words wants all of them in the note.

Its search by meaning and its reranker need models that it downloads.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server

_FOUND = re.compile(r"note-(\d+)\.md")


class _Notes:
    """A note a file; one call that files them all."""

    def __init__(self, place: Place) -> None:
        self._folder = place.home / "notes"
        self._folder.mkdir(exist_ok=True)
        self._program = place.program("qmd")
        self._variables = {"PATH": f"{os.path.dirname(self._program)}{os.pathsep}{os.environ['PATH']}"}
        self._server: Server | None = None

    def add(self, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            self._note(at).write_text(f"# note {at}\n\n{text}\n", "utf-8")
        command = [self._program, "collection", "add", str(self._folder), "--name", "notes"]
        subprocess.run(command, check=True, env=os.environ | self._variables, stdout=subprocess.DEVNULL)

    def search(self, query: str, limit: int) -> list[str]:
        self._server = self._server or Server([self._program, "mcp"], self._folder, **self._variables)
        found = _FOUND.findall(self._server.call("search", query=query, limit=limit))
        return [self._note(int(at)).read_text("utf-8").partition("\n")[2] for at in found]

    def close(self) -> None:
        if self._server:
            self._server.close()

    def _note(self, at: int) -> Path:
        return self._folder / f"note-{at}.md"


PEER = Peer("qmd", "words, all of them", Needs(npm=("@tobilu/qmd", "bun")), _Notes)
