"""Connections to PostgreSQL: how a server is reached, who checks its certificate, and what its errors mean.

Nothing here runs unless a person named a server. A URL holds no password: libpq takes it from where PostgreSQL's own
programs do (`~/.pgpass`, PGPASSFILE, a service file). A server on another machine must show a certificate of its name,
unless the URL says otherwise. SQL runs inside `transaction()`, which fixes the search path and bounds the time; both
hold for one transaction only, so a pooler may hand the server's session to somebody else afterwards. Statements are
never prepared, for the same reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.errors import (
    NotAdmittedError,
    RefusedError,
    ServerError,
    ServerForbidsError,
    ServerLimitError,
    ServerUnreachableError,
    UsageError,
)
from tacit.record import Record
from tacit.text.display import one_line, printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[object, ...]]
    Cursor = psycopg.Cursor[tuple[object, ...]]

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 20
# How long a transaction may take as a whole before the connection is cut off: a server that was stopped in the middle
# keeps the connection open and never answers.
TRANSACTION_SECONDS = 60
SCHEMES = ("postgresql://", "postgres://")
_INSTALL = "pip install 'tacit-memory[team]', or with uv: uv tool install 'tacit-memory[team]'"
_NO_PASSWORD = (
    "write it into ~/.pgpass (mode 0600) as host:port:database:user:password, or into a service file and use "
    "postgresql:///?service=NAME; change the password if others can read your shell's history"
)
_OWN_KEYS = ("sslcert", "sslkey", "passfile", "application_name")  # of the person, not of the server
_PASSWORD_KEYS = ("password", "sslpassword", "oauth_client_secret")
_FILE_KEYS = (*_OWN_KEYS[:3], "sslrootcert", "sslcrl")
_VERIFYING = ("verify-ca", "verify-full")
# Where systems keep the certificates they trust, besides the file that Python was built with.
_ROOT_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
_NOT_IN = "does not let you in"
_CHECK_ROLE = "check role and password: ~/.pgpass, or your service file"
_CHECK_NAME = "check the name after the last / of the address"
_CHECK_HOST = "check the host in the address; everything else works without the server"
_WRITE_PASSWORD = "put this line into ~/.pgpass, mode 0600: HOST:PORT:DATABASE:ROLE:PASSWORD"
_ASK_FOR_CA = "ask its administrator for the CA certificate and add ?sslrootcert=FILE to the address"
_ASK_FOR_NAME = "use a name that is in its certificate, or ask its administrator for a certificate with this one"
_ASK_FOR_TLS = "ask its administrator to turn TLS on (ssl = on); nothing was sent"
_ASK_FOR_RENEWAL = "ask its administrator to renew it"
_ASK_FOR_ACCESS = (
    "ask its administrator to let your role in from this machine, with TLS: hostssl in pg_hba.conf, grant connect"
)
_ASK_FOR_RIGHT_NAME = "ask its administrator what your certificate has to say; a name that is also a role's is nobody's"
_CHECK_FILE = "save the CA certificate there, or correct sslrootcert in the address"
_SHOW_CERTIFICATE = (
    "it wants a certificate of yours: ~/.postgresql/postgresql.crt and .key, or ?sslcert=FILE&sslkey=FILE"
)
_SET_UP = "its administrator runs: tacit team setup URL"
_RESTORED = f"{_SET_UP} --restored"
_LATER = "everything else works without it; try again later"
_WHEN_FREE = "try again later; if it stays so, its administrator ends sessions or raises the limit"
_WHEN_ROOM = "its administrator makes room on the disk; what waits is sent then"
_WHEN_PRIMARY = "what waits is sent once the address leads to the server that takes writes"
_NO_PROOF = "does not prove who it is"
# What libpq says before a session exists, by words of its message; the last row takes everything else.
_CONNECTION_ERRORS: tuple[tuple[tuple[str, ...], str, str, type[ServerError]], ...] = (
    (("too many", "connection slots", "no more connections"), "is full", _WHEN_FREE, ServerUnreachableError),
    (("not currently accepting",), "cannot be reached", _LATER, ServerUnreachableError),
    (("does not match host name",), _NO_PROOF, _ASK_FOR_NAME, ServerError),
    (("does not support ssl",), "has no TLS", _ASK_FOR_TLS, ServerError),
    (("root certificate file",), "cannot be checked", _CHECK_FILE, ServerError),
    (
        ("client certificate", "certificate authentication", "private key", "alert"),
        _NOT_IN,
        _SHOW_CERTIFICATE,
        ServerError,
    ),
    (("has expired",), _NO_PROOF, _ASK_FOR_RENEWAL, ServerError),
    (("certificate", "ssl error"), _NO_PROOF, _ASK_FOR_CA, ServerError),
    (("no password supplied",), "wants a password", _WRITE_PASSWORD, ServerError),
    (("pg_hba", "permission denied for database"), _NOT_IN, _ASK_FOR_ACCESS, ServerError),
    (("password", "authentication", 'role "'), _NOT_IN, _CHECK_ROLE, ServerError),
    (('database "', "no such database"), "has no such database", _CHECK_NAME, ServerError),
    (("resolve host", "translate host"), "cannot be reached", _CHECK_HOST, ServerUnreachableError),
    (("",), "cannot be reached", _LATER, ServerUnreachableError),
)
# What the server says, by the beginning of SQLSTATE; the last row takes everything else.
_SERVER_ERRORS: tuple[tuple[tuple[str, ...], str, str, type[ServerError]], ...] = (
    (("53100",), "has no room left", _WHEN_ROOM, ServerUnreachableError),
    (("25006",), "only reads", _WHEN_PRIMARY, ServerUnreachableError),
    (("08", "57P", "53", "25P"), "cannot be reached", _LATER, ServerUnreachableError),
    (("57014", "55P03", "40"), "took too long", _LATER, ServerUnreachableError),
    (("28",), _NOT_IN, _ASK_FOR_RIGHT_NAME, ServerError),
    (("54000",), "takes no more", "what waits is kept here, and sent later", ServerLimitError),
    (("3D000",), "has no such database", _CHECK_NAME, ServerError),
    (("3F000", "42P01", "42883", "42703"), "is not set up for this version of Tacit", _SET_UP, ServerError),
    (("42501",), "does not permit this", "ask its administrator which role you have", ServerForbidsError),
    (("55000",), "refused", _RESTORED, ServerError),
    (("",), "refused", "if this stays so, tell its administrator", ServerError),
)
_TLS_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")  # SSLRequest, before everything else
_SET_LIMITS = (
    "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),"
    " pg_catalog.set_config('statement_timeout', %s, true), pg_catalog.set_config('lock_timeout', %s, true)"
)


class ServerAddress(Record):
    """A server as it may be printed and stored: without credentials."""

    host: str
    port: str
    database: str
    user: str

    def __str__(self) -> str:
        hosts, ports = (self.host or "local socket").split(","), self.port.split(",")
        ports = ports if len(ports) == len(hosts) else ports[:1] * len(hosts)  # one port is that of all hosts
        return ",".join(f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=True)) + (
            f"/{self.database}"
        )


def connect(url: str) -> Connection:
    """Open a connection in autocommit mode. Run SQL in `transaction(connection)`.

    Raises:
        UsageError: The URL cannot be read.
        RefusedError: The URL holds a password, or the extra is not installed.
        ServerError: The server cannot be reached or does not let this role in.
    """
    params = connection_params(url)
    import psycopg

    try:
        return psycopg.connect(**params, autocommit=True, prepare_threshold=None)  # type: ignore[arg-type]
    except psycopg.Error as error:
        problem = translate(error, address_of(url))
        if "certificate verify failed" in problem.message and (reason := _distrust(params)):
            problem = translate(psycopg.OperationalError(reason), address_of(url))
        raise problem from None


@contextmanager
def transaction(connection: Connection, *, seconds: int = TRANSACTION_SECONDS) -> Iterator[Cursor]:
    """Run one transaction with a fixed search path and bounded time. Errors of the server become TacitErrors."""
    import psycopg

    limit = f"{min(seconds, STATEMENT_SECONDS)}s"
    try:
        with _cut_off_after(connection, seconds), connection.transaction(), connection.cursor() as cursor:
            cursor.execute(_SET_LIMITS, (limit, limit))
            yield cursor
    except psycopg.Error as error:
        info = None if connection.closed else connection.info
        address = ServerAddress(info.host, str(info.port), info.dbname, info.user) if info else None
        raise translate(error, address) from None


def connection_params(url: str) -> dict[str, str]:
    """Return what is handed to libpq: the URL's own parameters, a TLS policy and timeouts. Raises as `connect`."""
    given = _parse(url)
    # libpq ignores these two for unix sockets.
    mode = given.get("sslmode") or ("prefer" if _is_local(given) else "verify-full")
    certificates = {"sslrootcert": _root_certificates()} if mode in _VERIFYING else {}
    return {
        "sslmode": mode,
        **certificates,
        "connect_timeout": str(CONNECT_SECONDS),
        "tcp_user_timeout": str(STATEMENT_SECONDS * 1000),
        "application_name": "tacit",
        "client_encoding": "utf8",
        **given,
    }


def address_of(url: str) -> ServerAddress:
    """Return the parts of a URL that may be shown. Raises as `connect`."""
    given = _parse(url)
    if "service" in given and "host" not in given:
        return ServerAddress(f"service {given['service']}", "", given.get("dbname", ""), given.get("user", ""))
    return ServerAddress(*(given.get(key, "") for key in ("host", "port", "dbname", "user")))


def address_for(url: str, user: str) -> str:
    """Return the address at which somebody else reaches the same database: port and options stay as they were given.

    A host that only this machine can reach is left for the reader to fill in. Raises as `connect`.
    """
    from urllib.parse import parse_qsl, quote, urlencode, urlsplit

    given, parts = _parse(url), urlsplit(url)
    host, left_out = parts.netloc.rpartition("@")[2], {"user", "dbname", *_OWN_KEYS}
    if given.get("host", "/").startswith(("/", "@")) and "service" not in given:
        host, left_out = f"HOST:{given.get('port', '')}".rstrip(":"), {*left_out, "host", "port"}
    options = urlencode([(key, value) for key, value in parse_qsl(parts.query) if key not in left_out], safe="/:,")
    database = quote(given.get("dbname", ""), safe="")
    return f"postgresql://{quote(user)}@{host}/{database}{f'?{options}' if options else ''}"


def proves_itself(url: str) -> bool:
    """Return whether who answers at an address is certain: by a certificate that was checked, or on this machine."""
    return connection_params(url)["sslmode"] in _VERIFYING or _is_local(_parse(url))


def require_whole_paths(url: str) -> None:
    """Check that an address can be used from any folder. Raise UsageError if it names a file of this one."""
    for key, value in _parse(url).items():
        if key in _FILE_KEYS and value != "system" and not os.path.isabs(value):
            raise UsageError(f"{key}={value} is looked for in every folder anew", f"write {os.path.abspath(value)}")


def _parse(url: str) -> dict[str, str]:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise RefusedError(f"PostgreSQL needs psycopg, which cannot be used here: {error}", _INSTALL) from None
    if not url.startswith(SCHEMES):
        raise UsageError("this is no address of a PostgreSQL server", "write postgresql://HOST/DATABASE")
    try:
        given = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except ProgrammingError:  # libpq's message repeats the URL
        raise UsageError("libpq cannot read this address", "write postgresql://ROLE@HOST:PORT/DATABASE") from None
    if any(given.get(key) for key in _PASSWORD_KEYS):
        raise RefusedError("an address with a password would be stored and shown: write it without", _NO_PASSWORD)
    return given


def _is_local(given: dict[str, str]) -> bool:
    """Return whether every host is this machine. A service file may name any host, so it counts as another machine."""
    from ipaddress import ip_address

    hosts = given.get("hostaddr") or given.get("host") or ("" if "service" in given else os.environ.get("PGHOST", "/"))
    if not given.get("host") and (os.environ.get("PGSERVICE") or os.environ.get("PGHOSTADDR")):
        return False
    named = [host for host in hosts.split(",") if not host.startswith(("/", "@")) and host != "localhost"]
    try:
        return all(ip_address(host).is_loopback for host in named)
    except ValueError:  # a name
        return False


def _root_certificates() -> str:
    """Return the certificates to trust: the person's own for PostgreSQL, else those of the system.

    libpq's own "system" means where its OpenSSL was built to look, which in a wheel is a folder of another system.
    """
    own = os.environ.get("PGSSLROOTCERT") or os.path.expanduser("~/.postgresql/root.crt")
    if os.path.exists(own):
        return own
    import ssl

    files = (ssl.get_default_verify_paths().cafile, *_ROOT_FILES)
    return next((file for file in files if file and os.path.exists(file)), "system")


def _distrust(params: dict[str, str]) -> str:
    """Return what is wrong with the first host's certificate, as libpq does not say it; "" if that cannot be found out.

    Nothing is sent but the request for TLS.
    """
    import socket
    import ssl

    host, port = (params.get(key, "").split(",")[0] for key in ("host", "port"))
    try:
        context = ssl.create_default_context(cafile=params["sslrootcert"])
        context.check_hostname = False  # of a wrong name libpq tells both
        with socket.create_connection((host, int(port or 5432)), CONNECT_SECONDS) as line:
            line.sendall(_TLS_REQUEST)
            if line.recv(1) == b"S":
                context.wrap_socket(line, server_hostname=host).close()
    except ssl.SSLCertVerificationError as error:
        return f"certificate verify failed: {error.verify_message}"
    except (OSError, ValueError, KeyError):
        return ""
    return ""


@contextmanager
def _cut_off_after(connection: Connection, seconds: int) -> Iterator[None]:
    """Shut the socket down when the time is over: `statement_timeout` is kept by the server, which may be frozen."""
    import socket
    from threading import Timer

    with socket.socket(fileno=os.dup(connection.fileno())) as line:

        def cut() -> None:
            with suppress(OSError):  # the connection is closed already
                line.shutdown(socket.SHUT_RDWR)

        timer = Timer(seconds, cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def translate(error: psycopg.Error, address: ServerAddress | None = None) -> ServerError:
    """Return what an error of libpq or of the server means to a person, and what to type next.

    What a server says is untrusted: it is cut and printed without control characters.
    """
    import psycopg

    # The last part of libpq's own message: it repeats the address before, and asks questions after it.
    libpq_message = str(error).rpartition(" failed: ")[2].partition("\n")[0].removeprefix("FATAL: ").strip()
    message = printable(one_line(error.diag.message_primary or libpq_message, 300))
    state = error.sqlstate or ""
    if isinstance(error, psycopg.OperationalError) and not state:
        rows = (row for row in _CONNECTION_ERRORS if any(word in message.lower() for word in row[0]))
    else:
        rows = (row for row in _SERVER_ERRORS if state.startswith(row[0]))
    _, what, hint, kind = next(rows)
    if what == _NOT_IN and "FATAL:" in str(error):  # the server's own answer, not libpq's that it has no password
        kind = NotAdmittedError
    return kind(f"the server {address} {what}: {message}" if address else f"the server {what}: {message}", hint)
