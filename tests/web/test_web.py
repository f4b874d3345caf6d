"""Every page answers, also in an empty home, and each is in the navigation or reached by a link."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import time
from collections import Counter
from datetime import UTC, datetime
from http.client import HTTPConnection
from typing import Any

import pytest
from harness.example_home import END, ExampleHome
from harness.person import Person

from tacit.cli.web import JSON_FORMS
from tacit.errors import StoreError
from tacit.home.actor import Actor
from tacit.web import ROUTES, PageOptions, WebServer
from tests.web.browsing import Browser, running_server
from tests.web.test_rendering import assert_harmless

PAGES = [
    route.path
    for route in ROUTES
    if route.show is not None and "{" not in route.path and route.path not in ("/bulk", "/sessions")
]


# What a page of an empty home says, of those that do not only show settings or counts
SAID = {
    "/": "tacit setup",
    "/search": "tacit add",
    "/conflicts": "No conflicts",
    "/timeline": "Nothing was recorded yet",
    "/habits": "tacit setup",
    "/value": "Nothing was told yet",
    "/trust": "This is no repository",
    "/guards": "No rule stops an agent",
}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_an_empty_home_says_what_to_do(browser: Browser, path: str) -> None:
    page = browser.get(path)
    assert_harmless(page)
    assert f'href="{path}" aria-current="page"' in page.text
    assert SAID.get(path, "") in page.visible


def test_every_page_of_a_home_in_use_answers(person: Person) -> None:
    example = ExampleHome(person.folder)
    example.make()
    person.now = END.isoformat()
    with running_server(person) as browser:
        browser.open()
        seen: set[str] = set()
        kinds: Counter[tuple[str, ...]] = Counter()  # the first word of the address and the names of its parameters
        waiting = [*PAGES]
        while waiting:
            path = waiting.pop(0)
            kind = (path.split("/")[1].partition("?")[0], *re.findall(r"[?&](\w+)=", path))
            if path in seen or kinds[kind] == 4 or path.startswith(("/static", "/guards?memory", "/doctor?run")):
                continue
            seen.add(path)
            kinds[kind] += 1
            answer = browser.get(path)
            if "format=json" in path:
                json.loads(answer.text)
                continue
            assert_harmless(answer)
            links = [attributes["href"].partition("#")[0] for name, attributes in answer.elements if name == "a"]
            waiting += [link for link in links if link.startswith("/") and link not in seen]
        assert {path.split("/")[1].partition("?")[0] for path in seen} >= {"memories", "sessions", "timeline", "bulk"}


def test_pages_give_the_json_that_commands_print(person: Person) -> None:
    ExampleHome(person.folder).make()
    person.now = END.isoformat()
    folder = person.folder / "webshop"

    def printed(*words: str) -> object:
        return person.tacit(*words, "--json", cwd=folder).json

    with running_server(person, folder=folder) as browser:
        browser.open()

        def given(path: str) -> Any:
            answer = browser.get(f"{path}{'&' if '?' in path else '?'}format=json")
            assert answer.headers["content-type"] == "application/json"
            return json.loads(answer.text)

        session = person.tacit("sessions", "--json").json[0]["id"]
        memory = person.listed()[0]["id"]
        conflicts = printed("conflicts")
        cases = {
            "/": printed("review"),
            "/?kind=decision": printed("review", "--kind", "decision"),
            "/search": printed("list", "--scope", "all"),
            "/search?q=pnpm&status=all": printed("recall", "pnpm", "--scope", "all", "--all", "--limit", "20"),
            f"/memories/{memory}": printed("why", memory),
            f"/sessions/{session}": printed("sessions", session),
            "/habits/morning": printed("workflow", "show", "morning"),
            "/conflicts": conflicts,
            "/trust": printed("trust", "--show"),
            "/guards": printed("guard", "list"),
            "/doctor": printed("status"),
            "/settings": printed("config", "show"),
        }
        for path, expected in cases.items():
            assert expected and given(path) == expected, path
        assert given("/timeline")["sessions"] and given("/value")["weeks"]
        assert given("/habits")["workflows"] == printed("workflow", "list")
        missing = browser.get("/memories/none?format=json", 404)
        assert set(json.loads(missing.text)) == {"message", "hint"}
        refused = browser.send("GET", "/?format=json", headers=browser.headers(Cookie=None))
        assert (refused.status, refused.headers["content-type"]) == (403, "text/plain; charset=utf-8")
        other = browser.send("GET", "/?format=json", headers=browser.headers(Origin="http://evil.example"))
        assert other.status == 403


ERRORS = {
    "/nothing": (404, "There is no such page"),
    "/search?project=nowhere": (404, "no project"),
    "/search?source=nobody": (400, "no such source"),
    "/search?q=x&kind=nonsense": (400, "no such kind"),
    "/memories/zzzz": (404, "zzzz"),
    "/timeline?day=tomorrow": (400, "is no day"),
    "/sessions/zzzz": (404, "there is no session"),
}


def test_what_does_not_exist_is_an_error_page_in_the_frame(browser: Browser) -> None:
    for path, (status, words) in ERRORS.items():
        page = browser.get(path, status)
        assert words in page.visible and "<nav" in page.text, path


def test_a_home_whose_settings_are_broken_says_so(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    (person.home / "tacit.toml").write_text("recall = [\n")
    assert "tacit.toml" in browser.send("GET", "/").text


# The server listens on the loopback alone, and stops by itself


def options(person: Person) -> PageOptions:
    return PageOptions(str(person.home), str(person.folder), Actor(lambda: datetime.now(UTC)), JSON_FORMS)


def test_a_server_stops_when_nobody_uses_it(person: Person) -> None:
    with running_server(person, idle_seconds=0.3) as browser:
        browser.open()
        deadline = time.monotonic() + 20
        while not browser.server.is_idle and time.monotonic() < deadline:
            time.sleep(0.05)
        assert browser.server.is_idle


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(person: Person) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(StoreError, match="cannot be used") as caught:
            WebServer(options(person), port=other.getsockname()[1])
    assert "tacit web" in caught.value.hint


def test_the_command_prints_the_address_and_ends_with_the_interrupt_key(person: Person) -> None:
    started = person.start("web", "--no-open")
    assert started.stdout is not None
    try:
        address = started.stdout.readline().split()[-1]
        host = address.removeprefix("http://").partition("/")[0]
        asked = HTTPConnection(host, timeout=20)
        deadline = time.monotonic() + 20
        while True:
            try:
                asked.request("GET", address.partition(host)[2])
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert asked.getresponse().status == 303
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=20)
    finally:
        started.kill()
    assert (started.returncode, err) == (0, ""), (out, err)
    assert out.endswith("Stopped.\n")


def test_only_the_loopback_is_bound(person: Person) -> None:
    with running_server(person) as browser:
        listening = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True, check=False).stdout
        port = f":{browser.server.access.port:04X}"
        addresses = [line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"]
        assert [address for address in addresses if address.endswith(port)] in ([], [f"0100007F{port}"])
