"""Machines that meet at a git repository behind a real ssh server and a real https server, and what a person is told
when the key, the certificate or the password is wrong, or nobody is there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.person import Person, Said

from tests.support.git_servers import SSHD, HttpsServer, SshServer, https_server, ssh_server

needs_sshd = pytest.mark.skipif(not SSHD, reason="openssh-server is not installed")
needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
PNPM, TABS, SECRET = "use pnpm", "I prefer tabs", "the plan for Operation Walrus"


class Place(NamedTuple):
    """A server, and the variables with which a person reaches it."""

    server: SshServer | HttpsServer
    environment: dict[str, str]


@pytest.fixture(params=[pytest.param("ssh", marks=needs_sshd), pytest.param("https", marks=needs_openssl)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "ssh":
        with ssh_server(tmp_path / "server") as ssh:
            yield Place(ssh, ssh.environment())
    else:
        with https_server(tmp_path / "server") as https:
            yield Place(https, {})


class Desk:
    """A person at one of their machines, who reaches the server."""

    def __init__(self, folder: Path, place: Place) -> None:
        folder.mkdir()
        self.person = Person(folder)
        self.place = place
        if isinstance(place.server, HttpsServer):
            self.configure(place.server.configuration())

    def configure(self, text: str) -> None:
        """Write the person's own configuration of git."""
        (self.person.folder / ".gitconfig").write_text(text)

    def tacit(self, *words: str, code: int = 0, **environment: str) -> Said:
        given = {**self.person.environment(), **self.place.environment, **environment}
        return self.person.process(*words, cwd=None, now=None, code=code, **given)

    def join(self, phrase: str = "") -> str:
        """Add the remote, with a phrase if others use it, and return the phrase that is shown."""
        (self.person.folder / "phrase").write_text(phrase)
        words = ("remote", "add", "home", self.place.server.url, "--machine", self.person.folder.name)
        shown = self.tacit(*words, "--phrase-file", str(self.person.folder / "phrase")).out
        return "\n".join(line for line in shown.splitlines() if line.startswith("    ")) + "\n"

    @property
    def known(self) -> set[str]:
        return {memory["text"] for memory in self.person.listed("--scope", "all")}


@pytest.fixture
def desks(place: Place, tmp_path: Path) -> tuple[Desk, Desk]:
    return Desk(tmp_path / "laptop", place), Desk(tmp_path / "desktop", place)


def test_machines_join_sync_purge_and_change_keys(desks: tuple[Desk, Desk], place: Place) -> None:
    laptop, desktop = desks
    laptop.tacit("add", PNPM)
    phrase = laptop.join()
    desktop.join(phrase)
    assert desktop.known == {PNPM}
    desktop.tacit("add", TABS)
    desktop.tacit("add", SECRET)
    desktop.tacit("sync")
    assert "desktop (" in laptop.tacit("sync").out and laptop.known == {PNPM, TABS, SECRET}
    laptop.tacit("purge", "--text", "Operation Walrus", "--yes")
    for desk in (laptop, desktop, laptop):
        desk.tacit("sync")
    assert laptop.known == desktop.known == {PNPM, TABS}
    assert "has not confirmed" not in laptop.tacit("remote").out
    rotated = laptop.tacit("remote", "rotate", "home").out
    assert "Still to sync: 1 machine" in rotated and "desktop (" in rotated
    desktop.tacit("sync")
    laptop.tacit("sync")
    assert "has_old_keys" in laptop.tacit("remote", "list", "--json").out
    prints = {desk.tacit("remote", "list", "--json").json[0]["fingerprint"] for desk in desks}
    assert len(prints) == 1
    branches = subprocess.run(
        ["git", f"--git-dir={place.server.repository}", "for-each-ref"], capture_output=True, check=True
    )
    assert len(branches.stdout.splitlines()) >= 4


def _fails(desk: Desk, says: str, **environment: str) -> None:
    """The error says why, what to type, and asks nobody; `status` goes on saying it."""
    said = desk.tacit("sync", code=1, **environment)
    assert says in said.err and f"git ls-remote {desk.place.server.url}" in said.err
    assert "Traceback" not in said.err and "failed" in said.out
    assert "the last sync failed" in desk.person.tacit("status").out


def test_a_server_that_is_down_loses_nothing(desks: tuple[Desk, Desk], place: Place) -> None:
    laptop, desktop = desks
    desktop.join(laptop.join())
    laptop.tacit("add", PNPM)
    place.server.stop()
    _fails(laptop, "Connection refused" if isinstance(place.server, SshServer) else "connect to server")
    assert laptop.tacit("sync", "--unattended", "--json", code=1).json["remotes"][0]["problem"]
    place.server.start()
    assert "sent 1 line" in laptop.tacit("sync").out
    desktop.tacit("sync")
    assert desktop.known == {PNPM}


@needs_sshd
def test_another_host_key_and_a_key_that_the_server_does_not_know_are_errors(tmp_path: Path) -> None:
    with ssh_server(tmp_path / "server") as ssh:
        laptop = Desk(tmp_path / "laptop", Place(ssh, ssh.environment()))
        laptop.join()
        laptop.tacit("add", PNPM)
        _fails(laptop, "Permission denied", **ssh.environment("stranger"))
        ssh.stop()
        ssh.make_host_key("other")
        ssh.start("other")
        _fails(laptop, "Host key verification failed")
        ssh.stop()
        ssh.start()
        assert "sent 1 line" in laptop.tacit("sync").out


@needs_openssl
def test_a_wrong_password_and_a_certificate_that_is_not_believed_are_errors(tmp_path: Path) -> None:
    with https_server(tmp_path / "server") as https:
        laptop = Desk(tmp_path / "laptop", Place(https, {}))
        laptop.join()
        laptop.tacit("add", PNPM)
        laptop.configure(https.configuration("wrong"))
        _fails(laptop, "Authentication failed")
        laptop.configure(https.configuration())
        for address, authority in (("127.0.0.1", "stranger"), ("127.0.0.2", "ca")):
            https.stop()
            https.make_certificate(address, authority)
            https.start()
            _fails(laptop, "certificate")
        https.stop()
        https.make_certificate("127.0.0.1", "ca")
        https.start()
        assert "sent 1 line" in laptop.tacit("sync").out
