"""Servers of git repositories as people have them: OpenSSH's own, and git's own over https, each on a free port.

Both end with the test that started them. Keys and certificates are made on the spot and are good for nothing else.
"""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_PATIENCE = 20.0
USER, PASSWORD = "me", "correct-horse"
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or ""
_MAX_HEADER_BYTES = 1 << 16


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def make_repository(folder: Path) -> Path:
    """Make an empty repository to which a server pushes."""
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    subprocess.run(["git", f"--git-dir={folder}", "config", "http.receivepack", "true"], check=True)
    return folder


class SshServer:
    """OpenSSH's server without root's help: one account, one key, an address on this machine alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700)
        self.port = _free_port()
        self.repository = make_repository(folder / "memory.git")
        self.make_host_key("host")
        for name in ("me", "stranger"):
            self._run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name))
        (folder / "authorized_keys").write_text((folder / "me.pub").read_text())
        (folder / "known_hosts").write_text(self._known_host("host"))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{self.repository}"

    def environment(self, key: str = "me") -> dict[str, str]:
        """Variables with which git knows this server and shows this key, as a person's ~/.ssh would say."""
        folder = self._folder
        options = f"-F {os.devnull} -o UserKnownHostsFile={folder}/known_hosts -o IdentitiesOnly=yes -o BatchMode=yes"
        return {"GIT_SSH_COMMAND": f"ssh {options} -o StrictHostKeyChecking=yes -i {folder}/{key}"}

    def make_host_key(self, name: str) -> None:
        self._run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self._folder / name))

    def _known_host(self, key: str) -> str:
        return f"[127.0.0.1]:{self.port} {(self._folder / f'{key}.pub').read_text()}"

    def start(self, key: str = "host") -> None:
        folder = self._folder
        Path("/run/sshd").mkdir(exist_ok=True) if os.geteuid() == 0 else None
        config = folder / "sshd_config"
        config.write_text(
            f"ListenAddress 127.0.0.1:{self.port}\nHostKey {folder}/{key}\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nPidFile none\nUsePAM no\nStrictModes no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
        )
        log = (folder / "log").open("ab")
        self._process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stdout=log, stderr=log)
        log.close()
        _wait_for(self.port)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(_PATIENCE)
            self._process = None

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)


class HttpsServer:
    """`git http-backend` behind a server that wants a name and a password, with a certificate of its own authority."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700)
        self.repository = make_repository(folder / "memory.git")
        self.port = _free_port()
        for name in ("ca", "stranger"):
            self._make_authority(name)
        self.make_certificate("127.0.0.1", "ca")
        self._server: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"https://{USER}@127.0.0.1:{self.port}/memory.git"

    def configuration(self, password: str = PASSWORD, authority: str = "ca") -> str:
        """What the person's ~/.gitconfig says: whom to trust, and who keeps the password."""
        helper = self._folder / f"credentials-{password}"
        helper.write_text(f"https://{USER}:{password}@127.0.0.1%3a{self.port}\n")
        return (
            f"[http]\n\tsslCAInfo = {self._folder}/{authority}.pem\n"
            f"[credential]\n\thelper =\n\thelper = store --file={helper}\n"
        )

    def _make_authority(self, name: str) -> None:
        self._openssl("req", "-x509", *self._new_key(name), "-subj", f"/CN={name}", "-days", "2", "-out", f"{name}.pem")

    def make_certificate(self, address: str, authority: str) -> None:
        """Make the server's certificate, for an address, signed by an authority."""
        self._openssl("req", *self._new_key("server"), "-subj", "/CN=server", "-out", "server.csr")
        (self._folder / "server.ext").write_text(f"subjectAltName=IP:{address}\n")
        signing = ("-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial", "-extfile", "server.ext")
        self._openssl("x509", "-req", "-in", "server.csr", *signing, "-days", "2", "-out", "server.pem")

    def _new_key(self, name: str) -> tuple[str, ...]:
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")

    def _openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self._folder, check=True, capture_output=True)

    def start(self) -> None:
        root, port = self._folder, self.port

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                _answer(self, root, port)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(root / "server.pem", root / "server.key")
        self._server = _QuietServer(("127.0.0.1", port), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class _QuietServer(ThreadingHTTPServer):
    def shutdown_request(self, request: Any) -> None:
        """Say goodbye, as TLS wants it: git takes anything else for an answer that was cut off."""
        with contextlib.suppress(OSError, ValueError):
            request.unwrap()
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not believe the certificate hangs up."""


def _answer(handler: BaseHTTPRequestHandler, root: Path, port: int) -> None:
    """Run git's own backend, as a web server with CGI does."""
    expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    length = int(handler.headers.get("Content-Length") or 0)
    body = handler.rfile.read(length) if length else _chunks(handler)
    if handler.headers.get("Authorization") != expected:
        handler.send_response(401)
        handler.send_header("WWW-Authenticate", 'Basic realm="git"')
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    path, _, query = handler.path.partition("?")
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": handler.command,
        "REMOTE_USER": USER,
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_PORT": str(port),
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
    }
    done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
    headers, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in headers.decode().split("\r\n") if ": " in line)
    handler.send_response(int(fields.pop("Status", "200").split()[0]))
    for name, value in fields.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def _chunks(handler: BaseHTTPRequestHandler) -> bytes:
    if "chunked" not in (handler.headers.get("Transfer-Encoding") or ""):
        return b""
    parts = []
    while size := int(handler.rfile.readline(_MAX_HEADER_BYTES), 16):
        parts.append(handler.rfile.read(size))
        handler.rfile.readline(_MAX_HEADER_BYTES)
    handler.rfile.readline(_MAX_HEADER_BYTES)
    return b"".join(parts)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextlib.contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    server = SshServer(folder)
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def https_server(folder: Path) -> Iterator[HttpsServer]:
    server = HttpsServer(folder)
    try:
        yield server
    finally:
        server.stop()
