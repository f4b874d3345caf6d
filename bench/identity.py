"""What it costs a team's server to know who connects: a password, a certificate, or nothing but TLS.

    python -m bench.identity [--rounds N] [--json]

Each way takes its turn in each round: a connection by TCP with TLS, who one is, and a pull that finds nothing. The
server's CPU is that of its process for the connection, from its start; the client's that of this process.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.postgres import Cluster
from psycopg import sql

from bench.figures import Figure, amount, median, print_figures
from bench.team import Cost, cpu_of_session, pull
from tacit.postgres import connect, transaction
from tacit.team.schema import migrate

_SHARED, _PASSWORD, _PULLS = "tacit_acme_people", "measured", 20
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_HBA = f"""
local all all trust
hostssl acme {_SHARED} all cert map=tacit
hostssl acme known all scram-sha-256
hostssl acme trusted all trust
"""


def _issue(folder: Path, name: str, *signer: str) -> None:
    """Make a key and a certificate, signed by itself or as the words of openssl in `signer` say."""
    out = f"{name}.csr" if signer else f"{name}.crt"
    subject = ("-subj", f"/O=Acme/CN={name}", "-keyout", f"{name}.key", "-out", out)
    _openssl(folder, "req", *(() if signer else ("-x509",)), *_KEY, *subject)
    if signer:
        _openssl(folder, "x509", "-req", "-in", out, "-days", "9", "-out", f"{name}.crt", *signer)


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, capture_output=True, check=True)


def measure(rounds: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder = Path(name)
        _issue(folder, "ca")
        for each in ("localhost", "alice"):
            _issue(folder, each, "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        files = {"server.crt": "localhost.crt", "server.key": "localhost.key", "ca.crt": "ca.crt"}
        settings = {"listen_addresses": "127.0.0.1", "port": str(port), "ssl": "on", "ssl_ca_file": "ca.crt"}
        texts = {target: (folder / source).read_text() for target, source in files.items()}
        texts |= {"pg_hba.conf": _HBA, "pg_ident.conf": f"tacit /^.*$ {_SHARED}\n"}
        cluster = Cluster({"fsync": "off", **settings}, files=texts)
        try:
            yield from _in_turn(cluster, folder, port, rounds)
        finally:
            cluster.remove()


def _in_turn(cluster: Cluster, folder: Path, port: int, rounds: int) -> Iterator[Figure]:
    database = cluster.create_database(name="acme")
    with connect(cluster.url(database)) as admin:
        migrate(admin)
        admin.execute("select tacit.let_people_in('cert:/O=Acme/CN=NAME')")
        for role in ("known", "trusted"):
            admin.execute(sql.SQL("create role {} login password {}").format(sql.Identifier(role), _PASSWORD))
        for person in ("known", "trusted", "alice"):
            admin.execute(
                "select tacit.grant_role(%s, false), tacit.add_member('github.com/acme/api', %s)", [person] * 2
            )
    common = f"localhost:{port}/acme?sslmode=verify-ca&sslrootcert={folder}/ca.crt"
    (folder / "pgpass").write_text(f"*:*:*:known:{_PASSWORD}\n")
    (folder / "pgpass").chmod(0o600)
    ways = {
        "TLS alone": f"postgresql://trusted@{common}",
        "TLS and a password (SCRAM)": f"postgresql://known@{common}&passfile={folder}/pgpass",
        "TLS and a certificate": f"postgresql://{_SHARED}@{common}&sslcert={folder}/alice.crt&sslkey={folder}/alice.key",
    }
    costs = {name: Cost() for name in ways}
    clients = {name: Cost() for name in ways}
    pulls = {name: Cost() for name in ways}
    for _ in range(rounds):
        for name, url in ways.items():
            start = time.process_time()
            with connect(url) as connection:
                with transaction(connection) as cursor:
                    cursor.execute("SELECT project FROM tacit.my_projects()")
                    assert len(cursor.fetchall()) == 1
                costs[name].cpu.append(cpu_of_session(connection) * 1000)
                clients[name].cpu.append((time.process_time() - start) * 1000)
                before = cpu_of_session(connection)
                for _ in range(_PULLS):
                    pull(connection, ("0", 0))
                pulls[name].cpu.append((cpu_of_session(connection) - before) * 1000 / _PULLS)
    base = median(costs["TLS and a password (SCRAM)"].cpu)
    for name in ways:
        value, client, one = (median(found[name].cpu) for found in (costs, clients, pulls))
        note = (
            f"{value / base:.2f} × a password; client {amount(client)} ms; a pull that finds nothing {amount(one)} ms"
        )
        yield Figure(f"{name}: a connection, CPU of the server", f"{amount(value)} ms ({note})")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.identity", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100, help="(default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    return print_figures(measure(given.rounds), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
