"""Gemini CLI."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.clients.apis.shape import Step
from tests.clients.hosts.client import KEY, Client, Compacts, Place

# Comments are allowed in it.
_SETTINGS = """{
  // Mine.
  "hooksConfig": {"enabled": true},
  "hooks": {
    "AfterAgent": [{"hooks": [{"type": "command", "command": "true"}]}]
  },
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}
}
"""


def _words(prompt: str, again: bool) -> list[str]:
    allowed = ["--approval-mode", "yolo", "--skip-trust"]
    session = ["--resume", "latest"] if again else []
    return ["-p", prompt, *allowed, "--output-format", "stream-json", "--model", "gemini-2.5-pro", *session]


def _environment(place: Place) -> Mapping[str, str]:
    asked = {"GOOGLE_GEMINI_BASE_URL": place.address, "GEMINI_API_KEY": KEY}
    return {**asked, "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false"}


def _prepared(place: Place) -> Mapping[str, str]:
    return {}


def _ran(command: str) -> Step:
    return Step(tool="run_shell_command", input={"command": command, "description": "Runs a command"})


def _wrote(path: Path, content: str) -> Step:
    return Step(tool="write_file", input={"file_path": str(path), "content": content})


CLIENT = Client(
    name="gemini",
    programs=("@google/gemini-cli/bundle/gemini.js", "@google/gemini-cli/dist/index.js"),
    words=_words,
    environment=_environment,
    settings={".gemini/settings.json": _SETTINGS},
    prepared=_prepared,
    ran=_ran,
    wrote=_wrote,
    tools=("run_shell_command", "write_file"),
    compacts=Compacts(asks="<state_snapshot>", answer="<state_snapshot>{}</state_snapshot>", tokens=990_000),
)
