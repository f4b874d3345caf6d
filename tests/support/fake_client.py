"""A program on PATH that is called claude and does what the test wants instead of asking a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """#!{python} -I
import json, os, subprocess, sys, time
folder = {folder!r}
question = "" if os.path.exists(folder + "/deaf") else sys.stdin.read()
with open(folder + "/calls", "a") as calls:
    seen = dict(argv=sys.argv[1:], cwd=os.getcwd(), listed=os.listdir("."), mode=os.stat(".").st_mode & 0o777)
    calls.write(json.dumps(dict(seen, question=question, pid=os.getpid(), judge=os.environ.get("TACIT_JUDGE"))) + "\\n")
exec(open(folder + "/does.py").read())
"""


class FakeClient:
    """`folder` goes onto PATH."""

    def __init__(self, folder: Path, name: str = "claude") -> None:
        self.folder = folder
        folder.mkdir()
        program = folder / name
        program.write_text(_PROGRAM.format(python=sys.executable, folder=str(folder)))
        program.chmod(0o755)
        self.answers({"memories": [], "summaries": {}})

    def does(self, code: str) -> None:
        """Python that is run; `question` is what it was asked."""
        (self.folder / "does.py").write_text(code)

    def answers(self, answer: object) -> None:
        """It answers as Claude does: this value as JSON, or this text."""
        text = answer if isinstance(answer, str) else json.dumps(answer)
        self.does(f"print(json.dumps(dict(type='result', is_error=False, result={text!r})))")

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
