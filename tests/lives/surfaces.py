"""The other ways in: hooks of an agent, its MCP server, the recorder of a shell, the page in the browser, Python."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from harness.transcripts import Claude, Turn, lines, name_of

from tacit.hooks import agent, record
from tacit.web import WebServer
from tests.lives.model import ACTIVE, DISMISSED, PENDING
from tests.lives.world import Person
from tests.web.browsing import Browser

_AGENT, _RECORDER = str(Path(agent.__file__)), str(Path(record.__file__))
_HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "robot", "version": "1"}}


class Told(NamedTuple):
    """What a session is given when it begins: a text for the model, and a line for the person."""

    model: str
    person: str


def start_session(who: Person, session: str) -> Told:
    out = _hook(who, "inject", "SessionStart", {"session_id": name_of(session), "source": "startup"})
    answer = json.loads(out) if out else {}
    return Told(answer.get("hookSpecificOutput", {}).get("additionalContext", ""), answer.get("systemMessage", ""))


def prompt(who: Person, session: str, text: str) -> str:
    out = _hook(who, "inject", "UserPromptSubmit", {"session_id": name_of(session), "prompt": text})
    answer = json.loads(out) if out else {}
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def end_turn(who: Person, session: str, turns: Sequence[Turn]) -> None:
    """The host has written a transcript of all turns until now, and says that the turn is over."""
    teller = Claude(name_of(session), str(who.work))
    for turn in turns:
        teller.turn(turn)
        teller.records.append({"type": "summary", "summary": turn.reply, "leafUuid": name_of(session, "leaf")})
    path = transcript(who, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    who.write(path, lines(teller.records).decode())
    _hook(who, "capture", "Stop", {"session_id": name_of(session), "transcript_path": str(path)})


def transcript(who: Person, session: str) -> Path:
    return who.folder / ".claude/projects/work" / f"{name_of(session)}.jsonl"


def _hook(who: Person, verb: str, event: str, payload: dict[str, Any]) -> str:
    given = json.dumps({"cwd": str(who.work), "hook_event_name": event, **payload})
    return who.run([_AGENT, "claude", verb, event], given=given).out


def suggest(who: Person, text: str) -> None:
    """An agent proposes something through its server."""
    call = {"name": "suggest", "arguments": {"text": text, "evidence": "the tests say so"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": _HANDSHAKE},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    answer = who.run(["tacit", "mcp"], given=given).out
    who.world.expect('"isError":true' not in answer and '"id":2' in answer.replace(" ", ""), f"suggest: {answer}")
    who.mind.hear_proposal(text)


def run_command(who: Person, line: str, status: int = 0) -> None:
    """A shell reports a command that has ended."""
    fields = ("tacit1", "zsh", "1.2", str(status), "", "15", str(who.work), line, "", "")
    who.run([_RECORDER], given="\0".join(fields) + "\0")


def python(who: Person, code: str) -> str:
    """A program of the person's that uses the library."""
    path = who.folder / "program.py"
    who.write(path, f"import tacit\nwith tacit.open() as vault:\n    {code}\n")
    ended = who.run([str(path)])
    who.world.expect(ended.code == 0 and not ended.err, ended.err)
    return ended.out


@contextmanager
def page(who: Person) -> Iterator[Browser]:
    """The page in the browser, while it is open."""
    launcher = who.world.launcher
    who.world.write_down(who, who.work, ["tacit", "web", "--no-open"])
    pid = launcher.start(["tacit", "web", "--no-open"], who.work, who.environment())
    deadline = time.monotonic() + 30
    while not (found := re.search(r"http://\S+", launcher.peek(pid))) and time.monotonic() < deadline:
        time.sleep(0.002)
    who.world.expect(found is not None, "the page did not open")
    address = urlsplit(found[0] if found else "")
    access = SimpleNamespace(
        host=address.netloc, port=address.port, address=address.geturl(), origin=f"http://{address.netloc}"
    )
    browser = Browser(cast(WebServer, SimpleNamespace(access=access)))
    try:
        _open(browser)
        yield browser
    finally:
        launcher.interrupt(pid)
        launcher.wait(pid)


def _open(browser: Browser) -> None:
    """The address is told a moment before the server answers."""
    for _ in range(1000):
        try:
            browser.open()
        except ConnectionRefusedError:
            time.sleep(0.002)
        else:
            return


def badge(browser: Browser) -> int:
    """How many cards the page says are waiting."""
    found = re.search(
        r'<a href="/"[^>]*>(?:(?!</a>).)*<span class="count">([\d,]+)</span>', browser.get("/").text, re.S
    )
    return int(found[1].replace(",", "")) if found else 0


def press(who: Person, verb: str, text: str) -> None:
    """Accept or dismiss a card of the page."""
    memory = who.id_of(text)
    with page(who) as browser:
        after = browser.press(browser.get(f"/?card={memory}"), verb)
        who.world.expect("notice-error" not in after.text, after.visible)
    who.mind.set_status(text, {"accept": ACTIVE, "dismiss": DISMISSED}[verb])


def look_at_page(who: Person) -> None:
    """The page counts the cards that `review` has, and shows its candidates."""
    cards = who.quietly(lambda: who.json("review", "--all"))
    with page(who) as browser:
        shown, count = browser.get("/").visible, badge(browser)
    who.world.expect(count == len(cards), f"the page says {count} and review has {len(cards)}")
    for text in (text for text in who.mind.known(PENDING) if "`" not in text):  # habits are drawn
        who.world.expect(text in shown, f"“{text}” is not on the page")
