"""Connections to PostgreSQL: what an address may hold, who has to prove itself, and what errors say."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness.postgres import Cluster

from tacit.errors import NotAdmittedError, RefusedError, ServerError, ServerUnreachableError, UsageError
from tacit.postgres import address_for, address_of, connect, connection_params, transaction

PASSWORD = "hunter2-planted"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the person who runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://alice:{PASSWORD}@team.example/acme",
        f"postgresql://team.example/acme?password={PASSWORD}",
        f"postgresql://team.example/acme?sslpassword={PASSWORD}",
        f"postgres://alice:{PASSWORD}@/acme?host=/run",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(RefusedError) as caught:
        connect(url)
    assert PASSWORD not in f"{caught.value.message} {caught.value.hint}"
    assert "~/.pgpass" in caught.value.hint and "service" in caught.value.hint


@pytest.mark.parametrize("url", ["acme", "http://team.example/acme", f"postgresql://[/{PASSWORD}", ""])
def test_an_address_that_is_none_is_an_error_that_does_not_repeat_it(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect(url)
    assert PASSWORD not in str(caught.value) and "postgresql://" in caught.value.hint


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://team.example/acme", "verify-full"),
        ("postgresql://10.0.0.7/acme", "verify-full"),
        ("postgresql://localhost,team.example/acme", "verify-full"),
        ("postgresql://localhost/acme?hostaddr=10.0.0.7", "verify-full"),
        ("postgresql:///?service=team", "verify-full"),
        ("postgresql://localhost/acme", "prefer"),
        ("postgresql://127.0.0.2/acme", "prefer"),
        ("postgresql://[::1]/acme", "prefer"),
        ("postgresql:///acme?host=/run/postgresql", "prefer"),
        ("postgresql:///acme", "prefer"),
        ("postgresql://team.example/acme?sslmode=require", "require"),
    ],
)
def test_a_server_on_another_machine_has_to_prove_its_name(url: str, mode: str) -> None:
    assert connection_params(url)["sslmode"] == mode


def test_a_host_that_a_variable_names_has_to_prove_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "team.example")
    monkeypatch.setenv("PGSSLMODE", "disable")
    assert connection_params("postgresql:///acme")["sslmode"] == "verify-full"
    monkeypatch.setenv("PGHOST", "/run")
    monkeypatch.setenv("PGHOSTADDR", "10.0.0.7")
    assert connection_params("postgresql:///acme")["sslmode"] == "verify-full"


def test_the_persons_own_certificates_come_before_those_of_the_system(tmp_path: Path) -> None:
    own = tmp_path / ".postgresql" / "root.crt"
    assert connection_params("postgresql://team.example/acme")["sslrootcert"] != str(own)
    own.parent.mkdir()
    own.touch()
    assert connection_params("postgresql://team.example/acme")["sslrootcert"] == str(own)
    named = connection_params("postgresql://team.example/acme?sslrootcert=/tmp/ca.pem")
    assert named["sslrootcert"] == "/tmp/ca.pem"


def test_an_address_is_shown_without_what_is_nobodys_business() -> None:
    address = address_of("postgresql://alice@team.example:5433/acme?sslmode=require&application_name=x")
    assert str(address) == "team.example:5433/acme"


def test_each_of_several_hosts_is_shown_with_its_port() -> None:
    shown = {
        "postgresql://alice@a.example:5433,b.example:5434/acme": "a.example:5433,b.example:5434/acme",
        "postgresql://a.example,b.example/acme?target_session_attrs=read-write": "a.example,b.example/acme",
        "postgresql:///acme?host=/run/a,/run/b&port=5433": "/run/a:5433,/run/b:5433/acme",
        "postgresql:///acme": "local socket/acme",
    }
    assert {url: str(address_of(url)) for url in shown} == shown
    assert connection_params("postgresql://localhost,b.example/acme")["sslmode"] == "verify-full"


def test_texts_arrive_whatever_the_persons_encoding(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with connect(postgres.url()) as connection, transaction(connection) as cursor:
        cursor.execute("SELECT %s::text", ("Grüße → 東京",))
        assert cursor.fetchone() == ("Grüße → 東京",)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            "postgresql://admin@team.example:5433/acme?sslrootcert=/etc/ca.pem&sslkey=/home/admin/key",
            "postgresql://alice@team.example:5433/acme?sslrootcert=/etc/ca.pem",
        ),
        ("postgresql:///acme?host=team.example&port=6432", "postgresql://alice@/acme?host=team.example&port=6432"),
        ("postgresql://[2001:db8::7]:6432/acme", "postgresql://alice@[2001:db8::7]:6432/acme"),
        ("postgresql://a.example:1,b.example:2/acme", "postgresql://alice@a.example:1,b.example:2/acme"),
        ("postgresql:///acme?host=/run/postgresql&port=6432", "postgresql://alice@HOST:6432/acme"),
        ("postgresql:///acme?sslmode=require", "postgresql://alice@HOST/acme?sslmode=require"),
        ("postgresql:///?service=acme&dbname=a%2Fb", "postgresql://alice@/a%2Fb?service=acme"),
    ],
)
def test_others_get_the_address_with_the_port_and_options_that_were_given(given: str, told: str) -> None:
    assert address_for(given, "alice") == told
    assert address_of(told).user == "alice" and address_of(told).database == address_of(given).database


def test_the_search_path_and_the_limits_hold_for_one_transaction(postgres: Cluster) -> None:
    with connect(postgres.url()) as connection:
        with transaction(connection) as cursor:
            cursor.execute("SELECT current_setting('search_path'), current_setting('statement_timeout')")
            assert cursor.fetchone() == ("pg_catalog, pg_temp", "20s")
        row = connection.execute("SELECT current_setting('search_path')").fetchone()
        assert row == ('"$user", public',)


def test_what_failed_in_a_transaction_did_not_happen(postgres: Cluster) -> None:
    with connect(postgres.url()) as connection:
        with pytest.raises(ServerError, match="refused"), transaction(connection) as cursor:
            cursor.execute("CREATE TABLE public.lost ()")
            cursor.execute("SELECT 1 / 0")
        assert connection.execute("SELECT to_regclass('public.lost')").fetchone() == (None,)


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("SELECT * FROM tacit.event", "not set up", "tacit team setup"),
        ("SELECT tacit.version()", "not set up", "tacit team setup"),
        ("SET ROLE pg_signal_backend; SELECT * FROM pg_authid", "does not permit", "administrator"),
        ("DO $$ BEGIN RAISE 'a %[31m b', chr(27); END $$", r"a <U\+001B>\[31m b", "administrator"),
    ],
)
def test_errors_of_the_server_say_what_to_do(postgres: Cluster, sql: str, message: str, hint: str) -> None:
    with connect(postgres.url()) as connection:
        with pytest.raises(ServerError, match=message) as caught, transaction(connection) as cursor:
            cursor.execute(sql.encode())
        assert hint in caught.value.hint


def test_who_is_not_let_in_is_told_where_passwords_are_looked_for(postgres: Cluster) -> None:
    with pytest.raises(ServerError, match="does not let you in") as caught:
        connect(postgres.url(user="nobody_there"))
    assert ".pgpass" in caught.value.hint and isinstance(caught.value, NotAdmittedError)
    with pytest.raises(ServerError, match="no such database"):
        connect(postgres.url("nothing_there"))


def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(ServerUnreachableError, match="cannot be reached"):
            connect(f"postgresql://127.0.0.1:{port}/acme")


def test_a_server_that_does_not_answer_is_cut_off(postgres: Cluster) -> None:
    with connect(postgres.url()) as connection:
        backend = connection.info.backend_pid
        assert backend > 1
        os.kill(backend, signal.SIGSTOP)
        began = time.monotonic()
        try:
            with pytest.raises(ServerUnreachableError), transaction(connection, seconds=1) as cursor:
                cursor.execute("SELECT 1")
        finally:
            os.kill(backend, signal.SIGCONT)
        assert time.monotonic() - began < 30  # without the limit it would never end


def test_a_missing_extra_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from tacit.errors import RefusedError\nfrom tacit.postgres import connect\n"
        "try: connect('postgresql://team.example/acme')\n"
        "except RefusedError as error: print(error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "tacit-memory[team]" in done.stdout
