"""Codex CLI. Its hooks run once the person has reviewed them; a run of the tests says so by the client's own flag."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.clients.apis.shape import Step
from tests.clients.hosts.client import KEY, Client, Compacts, Place

TRUSTED = "--dangerously-bypass-hook-trust"
_HOOKS = """{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]
  }
}
"""
_CONFIG = """model = "gpt-5.1-codex"
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{address}/v1"
env_key = "STUB_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[projects."{repository}"]
trust_level = "trusted"
"""


def _words(prompt: str, again: bool) -> list[str]:
    session = ["exec", "resume", "--last"] if again else ["exec"]
    allowed = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", TRUSTED]
    return [*session, "--json", *allowed, prompt]


def _environment(place: Place) -> Mapping[str, str]:
    return {"STUB_API_KEY": KEY}


def _prepared(place: Place) -> Mapping[str, str]:
    return {".codex/config.toml": _CONFIG.format(address=place.address, repository=place.repository)}


def _ran(command: str) -> Step:
    return Step(tool="exec_command", input={"cmd": command})


def _wrote(path: Path, content: str) -> Step:
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    patch = f"*** Begin Patch\n*** Add File: {path.name}\n{lines}*** End Patch"
    return Step(tool="exec_command", input={"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"})


CLIENT = Client(
    name="codex",
    programs=("@openai/codex-*/vendor/*/bin/codex", "@openai/codex-*/vendor/*/codex/codex"),
    words=_words,
    environment=_environment,
    settings={".codex/hooks.json": _HOOKS},
    prepared=_prepared,
    ran=_ran,
    wrote=_wrote,
    tools=("exec_command", "exec_command"),
    compacts=Compacts(asks="CONTEXT CHECKPOINT COMPACTION", answer="{}", tokens=990_000),
)
