"""Claude Code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.clients.apis.shape import Step
from tests.clients.hosts.client import KEY, Client, Compacts, Place

# As a person keeps it: other settings, a hook of their own, their own way to indent.
_SETTINGS = """{
    "cleanupPeriodDays": 90,
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "true"}]}
        ]
    }
}
"""


def _words(prompt: str, again: bool) -> list[str]:
    shown = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
    return ["-p", prompt, *shown, *allowed, *(["--continue"] if again else [])]


def _environment(place: Place) -> Mapping[str, str]:
    quiet = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_TELEMETRY DISABLE_ERROR_REPORTING DISABLE_AUTOUPDATER"
    asked = {"ANTHROPIC_BASE_URL": place.address, "ANTHROPIC_API_KEY": KEY}
    return {**asked, **dict.fromkeys(quiet.split(), "1")}


def _prepared(place: Place) -> Mapping[str, str]:
    """Answers to what it asks at its first start in a terminal."""
    answered = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(place.repository): {"hasTrustDialogAccepted": True}},
    }
    return {".claude.json": json.dumps(answered)}


def _ran(command: str) -> Step:
    return Step(tool="Bash", input={"command": command, "description": "Runs a command"})


def _wrote(path: Path, content: str) -> Step:
    return Step(tool="Write", input={"file_path": str(path), "content": content})


CLIENT = Client(
    name="claude",
    programs=("@anthropic-ai/claude-code-*/claude", "@anthropic-ai/claude-code/cli.js"),
    words=_words,
    environment=_environment,
    settings={".claude/settings.json": _SETTINGS},
    prepared=_prepared,
    ran=_ran,
    wrote=_wrote,
    tools=("Bash", "Write"),
    compacts=Compacts(asks="CRITICAL: Respond with TEXT ONLY", answer="<summary>{}</summary>", prompt="/compact"),
)
