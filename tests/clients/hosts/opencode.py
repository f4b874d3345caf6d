"""OpenCode."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.clients.apis.shape import Step
from tests.clients.hosts.client import KEY, Client, Compacts, Place

_PLUGIN = "export const Mine = async () => ({})\n"


def _words(prompt: str, again: bool) -> list[str]:
    return ["run", "--format", "json", *(["--continue"] if again else []), prompt]


def _environment(place: Place) -> Mapping[str, str]:
    without = "AUTOUPDATE MODELS_FETCH LSP_DOWNLOAD DEFAULT_PLUGINS"
    return {f"OPENCODE_DISABLE_{name}": "1" for name in without.split()}


def _prepared(place: Place) -> Mapping[str, str]:
    """A provider of one's own. The tests leave this file alone, so that the address of the stub can be in it."""
    model = {"name": "stub", "limit": {"context": 100_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "stub",
        "options": {"baseURL": f"{place.address}/v1", "apiKey": KEY},
        "models": {"stub-model": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "stub/stub-model",
        "small_model": "stub/stub-model",
        "permission": {"bash": "allow", "edit": "allow"},
        "provider": {"stub": provider},
    }
    # At every start it asks the registry for a package, and would try again for more than a minute.
    return {".config/opencode/opencode.json": json.dumps(settings), ".npmrc": "fetch-retries=0\n"}


def _ran(command: str) -> Step:
    return Step(tool="bash", input={"command": command, "description": "Runs a command"})


def _wrote(path: Path, content: str) -> Step:
    return Step(tool="write", input={"filePath": str(path), "content": content})


CLIENT = Client(
    name="opencode",
    programs=("opencode-*/bin/opencode",),
    words=_words,
    environment=_environment,
    settings={".config/opencode/plugins/mine.js": _PLUGIN},
    prepared=_prepared,
    ran=_ran,
    wrote=_wrote,
    tools=("bash", "write"),
    compacts=Compacts(asks="Here is the conversation so far:", answer="{}", tokens=990_000),
)
