"""A team's server that knows people by their certificates: who it signs for, and what it believes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from harness.postgres import SUPERUSER, Cluster, Connection

from tacit.postgres import connect
from tacit.team.schema import migrate
from tests.support.postgres import TeamServer
from tests.support.walled import HOST, Certificates, free_port

SHARED = "tacit_acme_people"
PATTERN = "cert:/O=Acme/CN=NAME"
_HBA = f"local all all trust\nhostssl acme {SHARED} all cert map=tacit\n"


class People:
    """A CA of a company: certificates for people, and a list of those that it revoked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificates = Certificates(folder)
        self.ca = self.certificates.authority("ca")
        self.certificates.authority("other")
        (folder / "ca.cnf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n"
        )
        (folder / "index").write_text("")
        self.revocations = self._revocations()

    def issue(self, subject: str, *, by: str = "ca") -> str:
        """Make a certificate and its key. Return what an address says of them."""
        name = f"p{len(list(self.folder.glob('p*.key')))}"
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")
        self.openssl("req", *key, "-utf8", "-subj", subject, "-out", f"{name}.csr")
        signer = ("-CA", f"{by}.crt", "-CAkey", f"{by}.key", "-CAcreateserial")
        self.openssl("x509", "-req", "-in", f"{name}.csr", *signer, "-days", "30", "-out", f"{name}.crt")
        (self.folder / f"{name}.key").chmod(0o600)
        return f"sslcert={quote(str(self.folder / name), '')}.crt&sslkey={quote(str(self.folder / name), '')}.key"

    def revoke(self, files: str) -> str:
        """Revoke the certificate of an address. Return the list that the server is to read."""
        certificate = files.partition("&")[0].removeprefix("sslcert=").replace("%2F", "/")
        self._ca("-revoke", certificate)
        return self._revocations()

    def _revocations(self) -> str:
        self._ca("-gencrl", "-out", "ca.crl")
        return (self.folder / "ca.crl").read_text()

    def _ca(self, *words: str) -> None:
        self.openssl("ca", "-config", "ca.cnf", "-keyfile", "ca.key", "-cert", "ca.crt", *words)

    def openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True, check=True)


class CertifyingServer(TeamServer):
    """A server on which people share one role, and a certificate says who each is. Roles come by the socket."""

    def __init__(self, people: People) -> None:
        network = {"listen_addresses": "127.0.0.1", "port": str(free_port()), "ssl": "on"}
        trust = {"ssl_ca_file": "ca.crt", "ssl_crl_file": "ca.crl"}
        files = {
            "pg_hba.conf": _HBA,
            "pg_ident.conf": f"tacit /^.*$ {SHARED}\n",
            "ca.crt": people.ca.read_text(),
            "ca.crl": people.revocations,
            **people.certificates.issue("server", "IP:127.0.0.1"),
        }
        self.people = people
        self.files: dict[str, str] = {}
        cluster = Cluster({"fsync": "off", "max_connections": "60", **network, **trust}, files=files)
        try:
            super().__init__(cluster, database=cluster.create_database(name="acme"))
            with connect(cluster.url("acme")) as admin:
                migrate(admin)
        except BaseException:
            cluster.remove()
            raise

    def url(self, user: str) -> str:
        """The address of somebody who has a certificate, else that of a role."""
        return self.address(self.files[user]) if user in self.files else super().url(user)

    def address(self, files: str, role: str = SHARED) -> str:
        """The address of whoever has these files."""
        return (
            f"postgresql://{role}@{HOST}:{self.cluster.port}/acme?sslrootcert={quote(str(self.people.ca), '')}&{files}"
        )

    @contextmanager
    def session(self, user: str) -> Iterator[Connection]:
        with psycopg.connect(self.url(user), autocommit=True) as connection:
            yield connection

    @contextmanager
    def session_by(self, files: str) -> Iterator[Connection]:
        """A connection of whoever has these files."""
        with psycopg.connect(self.address(files), autocommit=True) as connection:
            yield connection

    def welcome(self, name: str, *projects: str, curator: bool = False) -> str:
        """Give somebody without a role a certificate, and make them a member."""
        self.files[name] = self.people.issue(f"/O=Acme/CN={name}")
        with self.session(SUPERUSER) as admin:
            admin.execute("select tacit.grant_role(%s, %s)", [name, curator])
            for project in projects:
                admin.execute("select tacit.add_member(%s, %s)", [project, name])
        return name
