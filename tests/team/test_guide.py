"""docs/guides/team-server.md, word by word: its commands on a fresh server, and its messages in the program."""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person
from harness.postgres import as_other_account, find_program, has_tls

from tacit import postgres
from tests.chaos.apart import apart, namespace
from tests.support.team import Teammate, memory_id
from tests.support.walled import GUIDE

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("postgres.py", "team/client.py", "team/schema.py", "team/__init__.py", "cli/team.py")
PROJECTS = ("github.com/acme/api", "github.com/acme/web", "github.com/acme/ops")
_ACCOUNT = "postgres"
# What the guide leaves to a person: to answer a question, and their own password.
_ANSWERED = re.compile(r"(tacit team (?:setup|join) \S+)")


def step(number: int) -> list[str]:
    """The blocks of one step of the guide."""
    text = GUIDE.partition(f"**{number}. ")[2].partition(f"**{number + 1}. ")[0]
    return re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)


class Server:
    """A server as somebody sets it up by hand, at port 5432 of team.example, which is this machine's loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.run(f"initdb -D {self.data} -A peer --no-sync")

    def run(self, script: str, *, typed: str = "", cwd: Path | None = None) -> None:
        """Run a script as the server's account. What is typed is for the questions of psql."""
        account = as_other_account(pwd.getpwnam(_ACCOUNT))
        environment = {
            "PATH": f"{find_program('postgres').parent}:{os.environ['PATH']}",
            "PGHOST": str(self.folder),
            "HOME": str(self.folder),
        }
        _run([*account, "bash", "-ec", script], environment, cwd or self.folder, typed)

    def start(self) -> None:
        self.run(f"pg_ctl -w -D {self.data} -l {self.folder}/log -o '-k {self.folder} -F' start > /dev/null")

    def stop(self) -> None:
        self.run(f"pg_ctl -D {self.data} -m immediate stop > /dev/null")


def _run(command: list[str], environment: dict[str, str], cwd: Path, typed: str) -> str:
    """Run without a terminal, so that programs read what is typed."""
    done = subprocess.run(
        command,
        env=environment,
        cwd=cwd,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def by(person: Person, script: str, password: str, typed: str = "") -> str:
    """Run a block of the guide as this person."""
    script = _ANSWERED.sub(r"\1 --yes", script).replace("PASSWORD", password)
    environment = {**person.environment(), "TERM": "dumb"}
    environment["PATH"] = f"{sys.prefix}/bin:{find_program('psql').parent}:{os.environ['PATH']}"
    return _run(["bash", "-ec", script], environment, person.folder, typed)


def _follow(folder: str) -> list[str]:
    """Follow the guide in a network and with a table of hosts of this process's own. Returns what went wrong."""
    with socket.socket() as one:  # the loopback of a new name space is down
        fcntl.ioctl(one, 0x8914, struct.pack("16sh", b"lo", 1))
    hosts = Path(folder, "hosts")
    hosts.write_text("127.0.0.1 localhost team.example\n")
    subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0777", "tmpfs", "/mnt"], check=True)
    server = Server(Path("/mnt"))
    server.run("\n".join(step(1)), cwd=server.data)
    settings, access = step(2)
    server.run(
        f"cat >> postgresql.conf <<'EOF'\n{settings}\nEOF\ncat > pg_hba.conf <<'EOF'\n{access}\nEOF", cwd=server.data
    )
    server.start()
    try:
        return [*_people(server, Path(folder))]
    finally:
        server.stop()


def _people(server: Server, folder: Path) -> Iterator[str]:
    passwords = {"admin": "first", "alice": "second", "bob": "third"}
    typed = {name: f"{password}\n{password}\n" for name, password in passwords.items()}
    server.run(step(3)[0], typed=typed["admin"])
    admin = Person(folder / "admin")
    admin.folder.mkdir()
    ca = (server.data / "ca.crt").read_text()
    (admin.folder / "ca.crt").write_text(ca)
    if "Done: version" not in by(admin, step(4)[0], passwords["admin"]):
        yield "setup did not say that it is done"
    told = ""
    for line in step(5)[0].splitlines():  # psql takes in all that was typed
        told = by(admin, line, passwords["admin"], typed["bob" if "role bob" in line else "alice"])
    if not all(project in told for project in PROJECTS):
        yield f"members: {told}"
    alice, bob = (Teammate(folder / name, name, None) for name in ("alice", "bob"))  # type: ignore[arg-type]
    for person in (alice, bob):
        (person.folder / "ca.crt").write_text(ca)
        told = by(person, step(6)[0].replace("alice", person.name), passwords[person.name])
        if "Joined." not in told:
            yield told
    texts = {project: f"tests of {project[-3:]} run before each merge" for project in PROJECTS}
    for project, text in texts.items():
        author = bob if project.endswith("ops") else alice
        clone = author.repository(project.rpartition("/")[2], f"https://{project}.git")
        author.tacit("add", text, "--private", cwd=clone)
        author.tacit("share", memory_id(text, project), cwd=clone)
        bob.sync()
        bob.accept(memory_id(text, project))
    alice.sync()
    held = {memory["text"] for memory in alice.here("team", "--json").json["team_memories"]}
    if held != {texts[project] for project in PROJECTS[:2]}:
        yield f"alice has {held}"
    if bob.memories().keys() != {*texts.values()}:
        yield f"bob has {bob.memories().keys()}"


def _can_be_followed() -> bool:
    try:
        pwd.getpwnam(_ACCOUNT)
    except KeyError:
        return False
    return os.geteuid() == 0 and bool(namespace()) and bool(namespace("--net")) and has_tls()


@pytest.mark.skipif(not _can_be_followed(), reason="no account of PostgreSQL, name space or TLS here")
def test_its_steps_make_a_team_of_two_people_and_three_projects(tmp_path: Path) -> None:
    assert apart(_follow, str(tmp_path), within=("unshare", "--mount", "--net")) == []


# Messages


def _messages() -> list[str]:
    rows = GUIDE.partition("| a client says |")[2].splitlines()[2:]
    return [message for row in rows if row for message in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


def test_every_message_of_the_guide_is_one_of_the_program() -> None:
    package = ROOT / "src" / "tacit"
    folder = package / "team" / "migrations"
    paths = [*(package / name for name in SOURCES), *folder.glob("*.sql")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    assert [message for message in _messages() if message not in text] == []
    assert len(_messages()) > 20


def test_everything_that_a_connection_says_is_in_the_guide() -> None:
    said = {row[1] for row in (*postgres._CONNECTION_ERRORS, *postgres._SERVER_ERRORS)}
    assert said - {*_messages()} == set()
