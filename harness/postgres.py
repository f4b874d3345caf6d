"""A PostgreSQL server for tests and measurements: its own cluster in a temporary folder, reached by unix socket.

The server never runs as root and ends with the process that started it, also when that one is killed. It listens on no
port unless its settings say so. `POSTGRES_BIN` names folders with programs of another version than the installed one;
what the first does not have is taken from the next.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

PORT = 5432  # part of the socket's name; a server that listens on a port gets a free one by its settings
SUPERUSER = "postgres"
_DEBIAN_FOLDERS = "/usr/lib/postgresql"
_DEADLINE_SECONDS = 60
_WITHOUT_DURABILITY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
Connection = psycopg.Connection[tuple[object, ...]]


class Cluster:
    """A running server. Every role may log in without a password, because only its owner reaches the socket.

    `files` are written into its data folder before it starts, such as `pg_hba.conf`. With `base` it is a physical copy
    of another cluster, taken by pg_basebackup.
    """

    def __init__(
        self,
        settings: Mapping[str, str] = _WITHOUT_DURABILITY,
        folder: str | None = None,
        *,
        files: Mapping[str, str] | None = None,
        base: Cluster | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir=folder))  # short: a socket's path has 107 bytes at most
        self._account = _account()
        if self._account is not None:
            os.chown(self.folder, self._account.pw_uid, self._account.pw_gid)
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "shared_buffers": "32MB",
            "max_connections": "60",
            "password_encryption": "scram-sha-256",
            **settings,
        }
        self.port = int(self._settings.get("port", PORT))
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        try:
            if base is None:
                self._run(
                    "initdb", "-D", self.data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
                )
            else:
                base.run("pg_basebackup", "-D", self.data, "--checkpoint=fast", "--no-sync")
            for name, text in (files or {}).items():
                self.write(name, text)
            self.start()
        except BaseException:
            self.remove()
            raise

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def write(self, name: str, text: str) -> None:
        """Write a file into the data folder that only the server may read."""
        path = Path(self.data, name)
        path.write_text(text)
        path.chmod(0o600)
        if self._account is not None:
            os.chown(path, self._account.pw_uid, self._account.pw_gid)

    def start(self) -> None:
        """Start the server and wait until it answers. Does nothing if it runs."""
        if self._process is not None:
            return
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                self._command("postgres", "-D", self.data, *settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,  # what is typed at the terminal is not for the server
            )
        self._wait()

    def _wait(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + _DEADLINE_SECONDS
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text(errors="replace")[-3000:]) from None
                time.sleep(0.02)

    def replica(self) -> Cluster:
        """Return a server that follows this one."""
        primary = f"host={self.folder} port={self.port} user={SUPERUSER}"
        settings = {**_WITHOUT_DURABILITY, "primary_conninfo": primary}
        return Cluster(settings, base=self, files={"standby.signal": ""})

    def stop(self, *, immediately: bool = True) -> None:
        """Stop the server: as in a crash, or after ending all sessions. Does nothing if it does not run."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGQUIT if immediately else signal.SIGINT)
        try:
            self._process.wait(_DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def connect(self, database: str = "postgres", user: str = SUPERUSER) -> Connection:
        """Open a connection in autocommit mode."""
        return psycopg.connect(self.url(database, user), autocommit=True)

    def create_database(self, owner: str = SUPERUSER, name: str = "") -> str:
        """Create an empty database and return its name."""
        self._databases += 1
        name = name or f"acme{self._databases}"
        self.execute(sql.SQL("create database {} owner {}").format(sql.Identifier(name), sql.Identifier(owner)))
        return name

    def create_role(self, name: str, attributes: str = "login") -> str:
        """Create a role unless it exists. Roles belong to the server, not to one database."""
        with self.connect() as connection:
            if connection.execute("select from pg_roles where rolname = %s", [name]).fetchone() is None:
                statement = sql.SQL("create role {} {}")
                connection.execute(statement.format(sql.Identifier(name), sql.SQL(attributes)))
        return name

    def execute(self, statement: sql.SQL | sql.Composed, database: str = "postgres") -> None:
        with self.connect(database) as connection:
            connection.execute(statement)

    def run(self, program: str, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run one of the server's programs, such as pg_dump, as the superuser, and return its output."""
        return self._run(
            program, "-h", str(self.folder), "-p", str(self.port), "-U", SUPERUSER, *arguments, stdin=stdin
        )

    def _run(self, program: str, *arguments: str, stdin: bytes = b"") -> bytes:
        command = self._command(program, *arguments)
        done = subprocess.run(command, input=stdin, capture_output=True, cwd="/", check=False)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def _command(self, program: str, *arguments: str) -> Sequence[str]:
        return [*as_other_account(self._account), str(find_program(program)), *arguments]

    @contextmanager
    def pooler(
        self, settings: Mapping[str, str] | None = None, *, users: str | None = None, more: str = ""
    ) -> Iterator[Path]:
        """Run pgbouncer in transaction mode in front of the server. Yields the folder of its socket.

        `users` is its `auth_file`, by default all roles without a password; `more` is added to what it connects to.
        """
        folder = self.folder / "pooler"
        folder.mkdir()
        options = {
            "listen_addr": "",
            "unix_socket_dir": str(folder),
            "listen_port": str(PORT),
            "auth_type": "trust",
            "auth_file": str(folder / "users"),
            "pool_mode": "transaction",
            "max_client_conn": "2000",
            "default_pool_size": "2",
            "logfile": str(folder / "log"),
            **(settings or {}),
        }
        with self.connect() as connection:
            names = [str(name) for (name,) in connection.execute("select rolname from pg_roles where rolcanlogin")]
        everybody = "".join(f'"{name}" ""\n' for name in names)
        (folder / "users").write_text(everybody if users is None else users)
        lines = [f"{name} = {value}" for name, value in options.items()]
        databases = f"[databases]\n* = host={self.folder} port={self.port} {more}\n"
        (folder / "ini").write_text(databases + "[pgbouncer]\n" + "\n".join(lines) + "\n")
        if self._account is not None:
            for path in (folder, *folder.iterdir()):
                os.chown(path, self._account.pw_uid, self._account.pw_gid)
        command = [*as_other_account(self._account), str(find_program("pgbouncer")), "-q", str(folder / "ini")]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd="/", start_new_session=True)
        try:
            deadline = time.monotonic() + _DEADLINE_SECONDS
            while not (folder / f".s.PGSQL.{options['listen_port']}").exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((folder / "log").read_text(errors="replace")[-3000:])
                time.sleep(0.02)
            yield folder
        finally:
            process.terminate()
            process.wait(_DEADLINE_SECONDS)
            shutil.rmtree(folder, ignore_errors=True)


def as_other_account(account: pwd.struct_passwd | None) -> Sequence[str]:
    """Return the words before a command that end it with this process, and that take root's rights from it."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        assert account is None, "the server does not run as root, and setpriv is not installed"
        return []
    ids = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"] if account else []
    return [setpriv, "--pdeathsig=QUIT", *ids]


def _account() -> pwd.struct_passwd | None:
    """Return whose account the server runs as if this process is root's: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def find_program(name: str) -> Path:
    """Return the path of a program of PostgreSQL. Debian keeps most of them out of the search path."""
    if chosen := shutil.which(name, path=os.environ.get("POSTGRES_BIN", "")):
        return Path(chosen)
    try:
        versions = sorted((int(entry) for entry in os.listdir(_DEBIAN_FOLDERS) if entry.isdigit()), reverse=True)
    except FileNotFoundError:
        versions = []
    for version in versions:
        path = Path(_DEBIAN_FOLDERS, str(version), "bin", name)
        if path.exists():
            return path
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert found, f"{name} is not installed; `make test` installs it"
    return Path(found)


def has_tls(program: Path | None = None) -> bool:
    """Return whether a server was built with OpenSSL; that of a wheel is not."""
    return b"SSL_CTX_new" in (program or find_program("postgres")).read_bytes()
