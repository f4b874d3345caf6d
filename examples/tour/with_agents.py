"""The second chapter: what a person and an agent did is found again, and told to the next session."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from chapter import Chapter, Step

_SESSION = "5e551010-0000-4000-8000-00000000c0de"
_SAID: tuple[tuple[str, object], ...] = (
    ("user", "Find out why the checkout test fails every other time, and mend it."),
    ("call", ("Bash", {"command": "pnpm vitest checkout"}, "2 failed: expected 4 items, got 3")),
    ("call", ("Edit", {"file_path": "src/checkout.ts"}, "The file was changed.")),
    ("user", "do not touch the cart service, another team owns it"),
    ("call", ("Bash", {"command": "pnpm vitest checkout"}, "5 passed")),
    (
        "assistant",
        "Checkout now waits for the reservation before it reads the stock; all 5 tests pass.",
    ),
)


def _write_transcript(home: Path, project: Path) -> None:
    """A session of yesterday, as Claude Code writes it."""
    folder = home / ".claude" / "projects" / "webshop"
    folder.mkdir(parents=True)
    at = datetime.now(UTC) - timedelta(days=1)
    common = {"sessionId": _SESSION, "cwd": str(project), "gitBranch": "main", "version": "2.1.40"}
    with (folder / f"{_SESSION}.jsonl").open("w", encoding="utf-8") as file:
        for number, (role, content) in enumerate(_records()):
            when = (at + timedelta(seconds=10 * number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            own = {"type": role, "uuid": f"{number:08}-0000-4000-8000-00000000c0de", "timestamp": when}
            file.write(json.dumps({**common, **own, "message": {"role": role, "content": content}}) + "\n")


def _records() -> list[tuple[str, object]]:
    records: list[tuple[str, object]] = []
    for number, (who, said) in enumerate(_SAID):
        if isinstance(said, tuple):
            tool, given, result = said
            name = f"toolu_{number:024}"
            records.append(("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}]))
            records.append(("user", [{"type": "tool_result", "tool_use_id": name, "content": result}]))
        else:
            records.append((who, said if who == "user" else [{"type": "text", "text": said}]))
    return records


WITH_AGENTS = Chapter(
    "What your agents did",
    (
        Step(
            "Agents write down what you did together. Tacit takes it in without secrets and noise, each thing once.\n"
            "(With tacit install claude and tacit autocapture on, this happens by itself.)",
            ("tacit import transcripts ~/.claude/projects", "tacit import transcripts ~/.claude/projects"),
        ),
        Step("What was asked, how it ended, and which files were changed:", ("tacit sessions --project .",)),
        Step("It is found like everything else:", ('tacit recall "which team owns the cart service"',)),
        Step(
            "What any agent in this project is told when its next session starts (next_start.py runs the hook that\n"
            "tacit install puts into Claude Code, and prints its answer), and why:",
            ('python "$TOUR/next_start.py"', "tacit injected --limit 1"),
        ),
    ),
    _write_transcript,
)
