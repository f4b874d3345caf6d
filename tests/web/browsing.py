"""A browser without a screen: it has a cookie, follows redirects, reads forms and sends them."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from harness.person import Person

from tacit.cli.web import JSON_FORMS
from tacit.home.actor import Actor
from tacit.web import PageOptions, WebServer


class Answer(NamedTuple):
    """A response, with the address that it came from in the end."""

    status: int
    headers: Mapping[str, str]
    text: str
    path: str = ""

    @property
    def visible(self) -> str:
        """The text of the page, without markup, on one line."""
        body = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", self.text)
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())

    @property
    def elements(self) -> list[tuple[str, dict[str, str]]]:
        """Every element that a parser of HTML sees, with its attributes."""
        reader = _ElementReader()
        reader.feed(self.text)
        return reader.elements

    def form(self, action: str) -> dict[str, list[str]]:
        """The hidden fields of the form that is posted by a button with this value."""
        for form in re.findall(r"(?s)<form\b.*?</form>", self.text):
            if f'value="{action}"' in form and 'method="post"' in form:
                reader = _ElementReader()
                reader.feed(form)
                fields: dict[str, list[str]] = {}
                for name, attributes in reader.elements:
                    if name == "input" and attributes.get("type") == "hidden":
                        fields.setdefault(attributes["name"], []).append(attributes["value"])
                return fields
        raise AssertionError(f"no form has a button {action}")


class _ElementReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))


class Browser:
    """Asks one server. `send` sends exactly what it is given; `get` and `post` do what a browser does."""

    def __init__(self, server: WebServer) -> None:
        self.server = server
        self.host = server.access.host
        self.cookie = ""

    def send(
        self, method: str, path: str, body: str | None = None, headers: Sequence[tuple[str, str]] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.access.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers if headers is not None else self.headers():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body.encode())))
            connection.endheaders(body.encode() if body is not None else None)
            response = connection.getresponse()
            text = response.read().decode()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text, path)
        finally:
            connection.close()

    def headers(self, **changed: str | None) -> list[tuple[str, str]]:
        """The headers of a same-origin request; None leaves one out."""
        own = {"Host": self.host, "Sec-Fetch-Site": "same-origin", **({"Cookie": self.cookie} if self.cookie else {})}
        merged = own | {name.replace("_", "-"): value for name, value in changed.items()}
        return [(name, value) for name, value in merged.items() if value is not None]

    def open(self) -> Answer:
        """Open the address that the terminal shows, and keep the cookie."""
        address = urlsplit(self.server.access.address)
        answer = self.send("GET", f"/?{address.query}", headers=self.headers(Sec_Fetch_Site="none"))
        assert answer.status == 303, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def get(self, path: str, status: int = 200) -> Answer:
        answer = self.send("GET", path)
        assert answer.status == status, (path, answer.status, answer.visible[:2000])
        return answer

    def post(self, path: str, fields: Mapping[str, str | Sequence[str]]) -> Answer:
        """Send a form and follow the redirect."""
        headers = self.headers(Origin=self.server.access.origin, Content_Type="application/x-www-form-urlencoded")
        answer = self.send("POST", path, urlencode(fields, doseq=True), headers)
        if answer.status == 303:
            return self.get(answer.headers["location"])
        return answer

    def press(self, page: Answer, action: str, **fields: str) -> Answer:
        """Press the button of a form, with what was typed into its fields."""
        hidden = page.form(action)
        return self.post(urlsplit(page.path).path, {**hidden, **fields, "action": action})


@contextmanager
def running_server(
    person: Person, *, read_only: bool = False, idle_seconds: float = 1800, folder: Path | None = None
) -> Iterator[Browser]:
    """A server on this person's home, in a thread."""
    actor = Actor(lambda: datetime.fromisoformat(person.now))
    with person.at():
        server = WebServer(
            PageOptions(str(person.home), str(folder or person.folder), actor, JSON_FORMS, read_only),
            idle_seconds=idle_seconds,
        )
        started = threading.Event()
        thread = threading.Thread(target=server.run, args=(started.set,))
        thread.start()
        try:
            assert started.wait(20)
            yield Browser(server)
        finally:
            server.stop()
            thread.join(20)
