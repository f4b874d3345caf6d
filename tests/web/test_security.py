"""Other sites, other users, agents and other programs get nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness.person import Person

from tacit.web.security import Access, find_peer, process_of_socket
from tests.web.browsing import Browser, running_server

FORM = "application/x-www-form-urlencoded"


def launch_path(address: str) -> str:
    return f"/?{urlsplit(address).query}"


# The token and the cookie


def test_the_token_becomes_a_cookie_and_leaves_the_address(person: Person) -> None:
    with running_server(person) as browser:
        answer = browser.open()
        assert answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"tacit_{browser.server.access.port}=")
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert urlsplit(browser.server.access.address).query.partition("=")[2] not in cookie
        assert browser.get("/").status == 200


def test_without_the_cookie_nothing_is_shown(browser: Browser) -> None:
    for path in ("/", "/search?q=x", "/static/tacit.css", "/memories/abcd"):
        for cookie in (None, f"{browser.server.access.cookie_name}=wrong", "other=1"):
            answer = browser.send("GET", path, headers=browser.headers(Cookie=cookie))
            assert (answer.status, answer.headers["content-type"]) == (403, "text/plain; charset=utf-8")


def test_a_wrong_token_gets_no_cookie(browser: Browser) -> None:
    answer = browser.send("GET", "/?token=wrong", headers=browser.headers(Cookie=None))
    assert answer.status == 403 and "set-cookie" not in answer.headers


def test_the_address_that_a_browser_is_started_with_works_once(browser: Browser) -> None:
    path = launch_path(browser.server.access.single_use_address())
    statuses = [browser.send("GET", path, headers=browser.headers(Cookie=None)).status for _ in range(2)]
    assert statuses == [303, 403]


# Other hosts and sites


@pytest.mark.parametrize("host", ["localhost", "evil.example", "127.0.0.1", "[::1]", "127.0.0.1.evil.example"])
def test_another_host_is_refused(browser: Browser, host: str) -> None:
    """DNS rebinding: the name of another site that points to this machine."""
    for name in (host, f"{host}:{browser.server.access.port}"):
        if name != browser.host:
            assert browser.send("GET", "/", headers=browser.headers(Host=name)).status == 421


def test_a_request_without_a_host_or_with_two_is_refused(browser: Browser) -> None:
    assert browser.send("GET", "/", headers=browser.headers(Host=None)).status in (400, 421)
    assert browser.send("GET", "/", headers=[*browser.headers(), ("Host", browser.host)]).status == 400


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_sites_and_ports_are_refused(browser: Browser, site: str) -> None:
    assert browser.send("GET", "/", headers=browser.headers(Sec_Fetch_Site=site)).status == 403
    path = launch_path(browser.server.access.address)
    assert browser.send("GET", path, headers=browser.headers(Sec_Fetch_Site=site, Cookie=None)).status == 403


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:1", "https://{host}", None])
def test_forms_of_other_origins_are_refused(browser: Browser, origin: str | None) -> None:
    given = origin.format(host=browser.host) if origin else None
    headers = browser.headers(Origin=given, Sec_Fetch_Site=None, Content_Type=FORM)
    body = f"form_token={browser.server.access.form_token}"
    assert browser.send("POST", "/undo", body, headers).status == 403


def test_a_form_needs_its_token(browser: Browser) -> None:
    headers = browser.headers(Origin=browser.server.access.origin, Content_Type=FORM)
    for body in ("", "form_token=", "form_token=wrong", "form_token=%C3%A4"):
        assert browser.send("POST", "/undo", body, headers).status == 403


def test_only_forms_of_a_reasonable_size_are_read(browser: Browser) -> None:
    own = browser.server.access.origin
    for body, kind in (("{}", "application/json"), ("a=" + "b" * 2_000_000, FORM)):
        answer = browser.send("POST", "/undo", body, browser.headers(Origin=own, Content_Type=kind))
        assert answer.status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(browser: Browser, method: str) -> None:
    assert browser.send(method, "/").status == 405


def test_every_response_has_a_strict_policy(browser: Browser) -> None:
    refused = browser.send("GET", "/", headers=browser.headers(Cookie=None))
    for answer in (browser.get("/"), browser.get("/static/tacit.css"), browser.get("/nothing", 404), refused):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert browser.get("/").headers["cache-control"] == "no-store"


def test_no_other_file_can_be_read(browser: Browser) -> None:
    for name in ("../app.py", "%2e%2e%2fapp.py", "..%2f..%2f__init__.py", "missing.css", ""):
        assert browser.send("GET", f"/static/{name}").status == 404


def test_a_page_of_a_read_only_server_changes_nothing(person: Person) -> None:
    person.tacit("add", "--candidate", "tests run with make", "--evidence", "seen")
    with running_server(person, read_only=True) as browser:
        browser.open()
        page = browser.get("/")
        assert "tests run with make" in page.visible and 'value="accept"' not in page.text
        fields = {
            "form_token": browser.server.access.form_token,
            "action": "accept",
            "id": person.id_of("tests run with make"),
        }
        assert browser.post("/", fields).status == 403
    assert person.listed("--pending")[0]["status"] == "pending"


# Other users and agents


def test_another_user_is_refused_even_with_the_cookie(browser: Browser) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can act as another user")
    program = (
        "import encodings.idna, http.client, os, sys\n"
        "os.setuid(65534)\n"
        "asked = http.client.HTTPConnection(sys.argv[1])\n"
        "asked.request('GET', '/', headers={'Cookie': sys.argv[2]})\n"
        "print(asked.getresponse().status)\n"
    )
    words = [sys.executable, "-I", "-c", program, browser.host, browser.cookie]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.stdout == b"403\n", done.stderr


def test_a_process_below_an_agent_gets_no_cookie(browser: Browser) -> None:
    program = (
        "import http.client, sys\n"
        "asked = http.client.HTTPConnection(sys.argv[1])\n"
        "asked.request('GET', sys.argv[2])\n"
        "answer = asked.getresponse()\n"
        "print(answer.status, answer.getheader('set-cookie'))\n"
    )
    words = [sys.executable, "-I", "-c", program, browser.host, launch_path(browser.server.access.address)]
    environment = {**os.environ, "CLAUDECODE": "1"}
    done = subprocess.run(words, capture_output=True, env=environment, check=False)
    assert done.stdout == b"403 None\n", done.stderr
    assert subprocess.run(words, capture_output=True, check=False).stdout.startswith(b"303 tacit_")


def test_an_agent_cannot_start_the_server(person: Person) -> None:
    answer = person.tacit("web", "--no-open", code=1, CLAUDECODE="1")
    assert "only a person" in answer.err and answer.out == ""


def test_a_peer_is_found_in_the_table_of_connections(tmp_path: Path) -> None:
    table = tmp_path / "tcp"
    table.write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:1E61 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0\n"
        "   1: 0100007F:C350 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0\n"
    )
    peer = find_peer(("127.0.0.1", 50000), 7777, str(table))
    assert peer is not None and (peer.uid, peer.inode) == (1000, 12)
    assert find_peer(("127.0.0.1", 50001), 7777, str(table)) is None
    assert find_peer(("::1", 50000), 7777, str(table)) is None
    assert find_peer(("127.0.0.1", 50000), 7777, str(tmp_path / "none")) is None


def test_a_socket_that_nobody_has_belongs_to_no_process() -> None:
    assert process_of_socket(0) is None


def test_two_servers_share_no_secret() -> None:
    first, second = Access(1024), Access(1024)
    assert first.address != second.address and first.form_token != second.form_token
    assert not second.is_cookie(first.set_cookie().partition(";")[0])
    assert not first.is_cookie("tacit_1024=\x80; ;;=") and not first.redeem("")
