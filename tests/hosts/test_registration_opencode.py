"""The plugin of OpenCode, run by Node.js: it tells the right things, and no trouble of ours reaches the host."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tacit.cli.install import TARGETS
from tacit.install import InstallContext

# What stands in for agent.py: it writes down how it was called, and answers with the name of the event.
HOOK = """
import json, sys
from pathlib import Path
words, payload = sys.argv[1:], json.load(sys.stdin)
with open(Path(__file__).with_name("heard"), "a") as file:
    file.write(json.dumps([words, payload]) + "\\n")
if words[1] == "inject":
    notice = {"notice": "one waits"} if payload.get("source") == "startup" else {}
    print(json.dumps({"context": f"{words[2]} {payload.get('source') or payload.get('prompt')}", **notice}))
"""
# What OpenCode does to a plugin, in the order in which it does it.
HOST = """
import plugin from "./tacit.mjs"
const shown = []
const client = { tui: { showToast: async (toast) => shown.push(toast) } }
const hooks = await plugin.server({ client, directory: "/project" })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const said = []
const asks = async (sessionID) => {
  const output = { system: ["base"] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  said.push(output.system)
}
const ours = { type: "text", text: "x", synthetic: true }
const types = (sessionID, text) => hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text }, ours] })
%s
console.log(JSON.stringify(globalThis.asked === "shown" ? shown : said))
"""
SESSION = """
await event("session.created", { info: { id: "one" } })
await types("one", "first words")
await asks("one")
await event("session.created", { info: { id: "child", parentID: "one" } })
await types("child", "do it")
await asks("child")
await event("session.idle", { sessionID: "child" })
await event("session.status", { sessionID: "one", status: { type: "idle" } })
await event("session.idle", { sessionID: "one" })
await types("one", "second words")
await asks("one")
await hooks["experimental.session.compacting"]({ sessionID: "one" }, { context: [] })
await event("session.compacted", { sessionID: "one" })
await asks("one")
await types("old", "again")
await asks("old")
await asks(undefined)
await event("server.instance.disposed", {})
"""
TROUBLE = """
await hooks.event({})
await hooks.event({ event: { type: "session.created" } })
await hooks["chat.message"]({}, {})
await types("one", "words")
await asks("one")
await event("session.idle", { sessionID: "one" })
"""

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")


def played(folder: Path, place: InstallContext, scene: str, hook: str = HOOK) -> tuple[list[Any], list[Any]]:
    """What the model was told, and what we were."""
    (folder / "hook.py").write_text(hook)
    plugin, *_ = TARGETS["opencode"].plan_install(place._replace(interpreter=sys.executable))
    assert plugin.after is not None
    text = plugin.after.decode()
    file = next(line.strip().strip('",') for line in text.split("\n") if "agent.py" in line)
    (folder / "tacit.mjs").write_text(text.replace(file, str(folder / "hook.py")))
    (folder / "host.mjs").write_text(HOST % scene)
    done = subprocess.run(["node", "host.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    heard = folder / "heard"
    return json.loads(done.stdout), [
        json.loads(one) for one in heard.read_text().split("\n") if one
    ] if heard.exists() else []


@needs_node
def test_a_session_is_told_of_and_gets_its_texts(tmp_path: Path, place: InstallContext) -> None:
    said, heard = played(tmp_path, place, SESSION)
    first, second = "chat.message first words", "chat.message second words"
    assert said == [
        ["base", "session.start startup", first],
        ["base"],  # an agent's own helper
        ["base", "session.start startup", first, second],
        ["base", "session.start compact"],
        ["base", "session.start resume", "chat.message again"],
        ["base"],
    ]
    verbs = [(words[1], words[2], payload["session_id"]) for words, payload in heard if payload["session_id"] == "one"]
    assert verbs.count(("capture", "session.idle", "one")) == 1
    assert {event for _, event, _ in verbs} == {
        *("session.start", "chat.message", "session.idle", "session.compacting", "session.end"),
    }
    assert all(payload["cwd"] == "/project" and payload["transcript_path"].endswith(".db") for _, payload in heard)
    assert not [payload for _, payload in heard if payload["session_id"] == "child"]


@needs_node
def test_the_person_is_shown_a_notice_once_and_the_model_is_not_told(tmp_path: Path, place: InstallContext) -> None:
    shown, _ = played(tmp_path, place, f"globalThis.asked = 'shown'\n{SESSION}")

    assert shown == [{"body": {"message": "one waits", "variant": "info"}}]


@needs_node
@pytest.mark.parametrize("client", ["undefined", "{}", "{ tui: { showToast: async () => { throw new Error() } } }"])
def test_a_host_that_shows_no_notice_goes_on(tmp_path: Path, place: InstallContext, client: str) -> None:
    scene = f"client.tui = ({client} || {{}}).tui\n{SESSION}"

    assert played(tmp_path, place, scene)[0][0] == ["base", "session.start startup", "chat.message first words"]


@needs_node
@pytest.mark.parametrize("hook", ["", "print('no JSON')", "raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)"])
def test_no_trouble_of_ours_reaches_the_host(tmp_path: Path, place: InstallContext, hook: str) -> None:
    assert played(tmp_path, place, TROUBLE, hook)[0] == [["base"]]


@needs_node
def test_an_installation_that_is_gone_is_no_trouble(tmp_path: Path, place: InstallContext) -> None:
    plugin, *_ = TARGETS["opencode"].plan_install(place)
    assert plugin.after is not None
    (tmp_path / "tacit.mjs").write_bytes(plugin.after)
    (tmp_path / "host.mjs").write_text(HOST % TROUBLE)
    done = subprocess.run(["node", "host.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == [["base"]]
