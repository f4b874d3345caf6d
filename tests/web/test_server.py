"""The server listens on the loopback alone, and stops by itself."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from datetime import UTC, datetime
from http.client import HTTPConnection

import pytest
from harness.person import Person

from tacit.errors import StoreError
from tacit.home.actor import Actor
from tacit.web.app import PageOptions
from tacit.web.server import WebServer
from tests.web.browsing import running_server


def options(person: Person) -> PageOptions:
    return PageOptions(str(person.home), str(person.folder), Actor(lambda: datetime.now(UTC)))


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
