"""Copilot CLI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.clients.apis.shape import Step
from tests.clients.hosts.client import KEY, Client, Compacts, Place

_HOOKS = """{
  "version": 1,
  "hooks": {
    "agentStop": [{"type": "command", "bash": "true", "timeoutSec": 5}]
  }
}
"""


def _words(prompt: str, again: bool) -> list[str]:
    allowed = ["--allow-all-tools", "--allow-all-paths"]
    return ["-p", prompt, *allowed, "--no-auto-update", "--no-color", *(["--continue"] if again else [])]


def _environment(place: Place) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{place.address}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "stub-model",
        "COPILOT_OFFLINE": "true",
    }


def _prepared(place: Place) -> Mapping[str, str]:
    """Its own state, which it writes anew at every start."""
    return {".copilot/config.json": json.dumps({"trustedFolders": [str(place.repository)], "banner": "never"})}


def _ran(command: str) -> Step:
    return Step(tool="bash", input={"command": command, "description": "Runs a command"})


def _wrote(path: Path, content: str) -> Step:
    return Step(tool="create", input={"path": str(path), "file_text": content})


CLIENT = Client(
    name="copilot",
    programs=("@github/copilot-*/copilot", "@github/copilot/index.js"),
    words=_words,
    environment=_environment,
    settings={".copilot/hooks/mine.json": _HOOKS},
    prepared=_prepared,
    ran=_ran,
    wrote=_wrote,
    tools=("bash", "create"),
    compacts=Compacts(asks="The history is being compacted", answer="<overview>{}</overview>", prompt="/compact"),
)
