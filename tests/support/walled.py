"""What a team's server has around it: certificates of a CA of its own, a line that breaks, people who come by TCP."""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.person import Said
from harness.postgres import SUPERUSER, Cluster
from psycopg import sql

from tests.support.postgres import TeamServer
from tests.support.team import Teammate

GUIDE = Path(__file__).resolve().parents[2].joinpath("docs/guides/team-server.md").read_text(encoding="utf-8")
# The loopback as no client knows it: what is neither a socket nor localhost has to prove its name.
HOST = "127.1"
PASSWORD = "planted-hunter2"
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_HBA = "local all all trust\nhostssl all all all scram-sha-256\n"


class Certificates:
    """A folder with CAs and what they signed, made by openssl on the spot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def authority(self, name: str) -> Path:
        """Make a CA, and return its certificate."""
        self._run("req", "-x509", *_KEY, *self._out(name), "-out", f"{name}.crt", "-days", "3650")
        return self.folder / f"{name}.crt"

    def issue(self, name: str, names: str, *, days: int = 30, by: str = "ca") -> dict[str, str]:
        """Make a certificate, and return the files that a server wants. `names` as openssl writes them: IP:…, DNS:…"""
        self._run("req", *_KEY, *self._out(name), "-out", f"{name}.csr")
        (self.folder / "names").write_text(f"subjectAltName={names}")
        signer = ("-CA", f"{by}.crt", "-CAkey", f"{by}.key", "-CAcreateserial")
        self._run(
            *("x509", "-req", "-in", f"{name}.csr", *signer),
            *("-days", str(days), "-extfile", "names", "-out", f"{name}.crt"),
        )
        return {f"server.{kind}": (self.folder / f"{name}.{kind}").read_text() for kind in ("crt", "key")}

    def _out(self, name: str) -> tuple[str, ...]:
        return "-keyout", f"{name}.key", "-subj", f"/CN={name}"

    def _run(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True, check=True)


class WalledServer(TeamServer):
    """A team's server that is reached by TCP, with TLS and passwords alone. Its administrator has the socket."""

    def __init__(self, cluster: Cluster, ca: Path) -> None:
        self.ca = ca
        self.port = cluster.port
        super().__init__(cluster)

    def url(self, user: str) -> str:
        return super().url(user) if user == SUPERUSER else f"{self.bare_url(user)}?sslrootcert={self.ca}"

    def bare_url(self, user: str, host: str = HOST) -> str:
        return f"postgresql://{user}@{host}:{self.port}/{self.database}"

    def add(self, name: str, *projects: str, curator: bool = False) -> str:
        super().add(name, *projects, curator=curator)
        self.cluster.execute(sql.SQL("alter role {} password {}").format(sql.Identifier(name), sql.Literal(PASSWORD)))
        return name


def walled_cluster(certificates: Certificates, **settings: str) -> Cluster:
    """A server with a certificate of its own that lets nobody in from outside without TLS and a password."""
    files = {"pg_hba.conf": _HBA, **certificates.issue("server", "IP:127.0.0.1")}
    network = {"listen_addresses": "127.0.0.1", "port": str(free_port()), "ssl": "on"}
    return Cluster({"fsync": "off", "max_connections": "60", **network, **settings}, files=files)


def write_password(person: Teammate, password: str = PASSWORD, mode: int = 0o600) -> None:
    """Into ~/.pgpass."""
    path = person.folder / ".pgpass"
    path.write_text(f"*:*:*:{person.name}:{password}\n")
    path.chmod(mode)


def joins_by(person: Teammate, url: str, code: int | None = 0) -> Said:
    return person.tacit("team", "join", url, "--yes", cwd=person.clone, code=code)


def guide_block(beginning: str) -> str:
    """Return the block of docs/guides/team-server.md that begins so."""
    (found,) = [block for block in re.findall(r"```\w*\n(.*?)```", GUIDE, re.DOTALL) if block.startswith(beginning)]
    return str(found)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serve everybody who connects, each in a thread. Yields the port."""

    def run(line: socket.socket) -> None:
        with line, suppress(OSError):
            serve(line)

    def listen() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=run, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=listen, daemon=True).start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for somebody to connect


class Line:
    """A TCP line to a server that may break: after so many bytes in either direction it is cut, or goes dead and stays
    open."""

    def __init__(self, folder: Path, port: int) -> None:
        self._far = str(folder / f".s.PGSQL.{port}")
        self.cut_after: int | None = None
        self.dead_after: int | None = None
        self.passed = 0

    @contextmanager
    def open(self) -> Iterator[int]:
        """Yields the port at which it begins."""
        with _listening(self._connect) as port:
            yield port

    def mend(self) -> None:
        self.cut_after = self.dead_after = None
        self.passed = 0

    def _connect(self, near: socket.socket) -> None:
        with socket.socket(socket.AF_UNIX) as far:
            far.connect(self._far)
            back = threading.Thread(target=self._carry, args=(far, near), daemon=True)
            back.start()
            self._carry(near, far)
            back.join()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(4096):
                self.passed += len(data)
                if self.dead_after is not None and self.passed > self.dead_after:
                    continue
                if self.cut_after is not None and self.passed > self.cut_after:
                    break
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def impostor(context: ssl.SSLContext | None) -> Iterator[tuple[int, bytearray]]:
    """Somebody in the server's place, with a certificate or without TLS. Yields the port, and what they are told."""
    told = bytearray()

    def hear(line: socket.socket) -> None:
        line.settimeout(10)
        told.extend(line.recv(4096))
        line.sendall(b"S" if context else b"N")
        with context.wrap_socket(line, server_side=True) if context else line as heard:
            while data := heard.recv(4096):
                told.extend(data)

    with _listening(hear) as port:
        yield port, told
