"""What others wrote is shown as text: never as markup, never invisible, never without end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.person import Person

import tacit.web
from tacit.web.rendering import (
    Notice,
    Notices,
    count_text,
    environment,
    page_address,
    short_path,
    show_time,
    split_code,
    visible,
)
from tests.web.browsing import Answer, Browser
from tests.web.sessions import write_session

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
FOLDER = Path(tacit.web.__file__).parent
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'\" autofocus onfocus=alert(1) x='",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "</textarea></title></style><base href=http://evil.example/>",
    "javascript:alert(1)",
    "a\u202ebidi\u202c \u2066x\u2069 \u200bhidden",
    "\x1b[31mred\x1b[0m \x07bell",
)
_OWN_SCRIPT = "/static/tacit.js"
_UNSAFE = ("|safe", "| safe", "autoescape", "Markup", "<style", " style=", " onclick", "javascript:", "http:")


def assert_harmless(answer: Answer) -> None:
    for name, attributes in answer.elements:
        assert not any(attribute.startswith("on") for attribute in attributes), (name, attributes)
        assert name not in ("base", "iframe", "object", "embed", "img", "style"), attributes
        if name == "script":
            assert attributes["src"].startswith(_OWN_SCRIPT)
        for attribute in ("href", "src", "action"):
            assert attributes.get(attribute, "/").startswith(("/", "#")), (name, attributes)
    for char in "\u202e\u2066\u200b\x1b\x07":
        assert char not in answer.text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_memories_and_candidates_are_text(person: Person, browser: Browser, text: str) -> None:
    with person.vault() as vault:
        memory = vault.memories.add(f"the rule is {text}", tags=["t"], evidence=f"because {text}").memory
        vault.memories.remember(f"maybe {text} holds", evidence=f"somebody wrote {text}")
    for path in ("/", "/search", f"/memories/{memory.id}", "/search?q=rule", "/bulk?action=dismiss"):
        answer = browser.get(path)
        assert_harmless(answer)
    shown = browser.get(f"/memories/{memory.id}").visible
    assert str(visible(text)).split()[0] in shown


def test_hostile_queries_are_text(browser: Browser) -> None:
    from urllib.parse import quote

    for text in HOSTILE:
        assert_harmless(browser.get(f"/search?q={quote(text)}"))
        assert_harmless(browser.get(f"/{quote(text)}", 404))


def test_hostile_sessions_are_text(person: Person, browser: Browser) -> None:
    session = write_session(person, "begin here", *HOSTILE, reply=" ".join(HOSTILE), ran="echo '<b>x</b>' \x1b[1m")
    answer = browser.get(f"/sessions/{session}")
    assert_harmless(answer)
    assert "<script>alert(1)</script>" in answer.visible or "alert(1)" in answer.text
    assert_harmless(browser.get("/search?q=alert"))


def test_a_very_long_text_is_cut(person: Person, browser: Browser) -> None:
    session = write_session(person, "a short request", "long " * 40_000)
    assert len(browser.get(f"/sessions/{session}").text) < 100_000


def test_every_template_is_escaped_and_none_marks_text_as_safe() -> None:
    templates = sorted((FOLDER / "templates").glob("*.html"))
    assert len(templates) > 5 and environment().autoescape is True
    for path in templates:
        text = path.read_text()
        for word in _UNSAFE:
            assert word not in text, (path.name, word)


def test_no_page_leaves_the_origin() -> None:
    for path in (FOLDER / "static").iterdir():
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text and "https:" not in text and "@import" not in text, path.name


_SQL = ("sqlite3", "SELECT ", "INSERT ", ".execute(", "cursor", ".store.read", "open_for")
_DECISIONS = ("Draft(", "ClaimDecided")
_FORBIDDEN_PACKAGES = ("tacit.log", "tacit.pages", "tacit.disk", "tacit.cli", "tacit.mcp", "tacit.hooks")


def test_no_page_reads_the_index_or_decides_by_itself() -> None:
    """Every page asks the vault: no SQL, no files of the home, no judgement."""
    for path in FOLDER.glob("*.py"):
        text = path.read_text()
        for word in (*_SQL, *_DECISIONS, *_FORBIDDEN_PACKAGES):
            assert word not in text, (path.name, word)


# Values


def test_times_are_relative_and_exact() -> None:
    cases = {
        timedelta(seconds=5): "just now",
        timedelta(minutes=5): "5 min ago",
        timedelta(hours=3): "3 h ago",
        timedelta(days=2): "2 d ago",
        timedelta(days=40): "8 Oct",
        timedelta(days=400): "13 Oct 2025",
        timedelta(minutes=-5): "2026-11-17 12:05",
    }
    for ago, text in cases.items():
        shown = show_time((NOW - ago).isoformat(), NOW)
        assert shown.relative == text
    assert show_time("2026-11-17T11:00:00.000000Z", NOW).exact == "2026-11-17 11:00:00 UTC"
    assert show_time(NOW.date(), NOW).relative == "today"


def test_counts_have_their_noun() -> None:
    assert count_text(1, "memory", "memories") == "1 memory"
    assert count_text(1200, "memory", "memories") == "1,200 memories"


def test_text_between_backticks_is_code() -> None:
    parts = [("use ", False), ("pnpm", True), (" instead of ", False), ("npm", True)]
    assert split_code("use `pnpm` instead of `npm`") == parts
    assert split_code("a lone ` stays") == [("a lone ` stays", False)]
    assert split_code("") == []


def test_the_folder_of_the_person_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert short_path("/home/ada/shop") == "~/shop"
    assert short_path("/home/ada") == "~"
    assert short_path("/home/adalbert/shop") == "/home/adalbert/shop"
    assert short_path("") == ""


def test_a_notice_is_taken_once_and_old_ones_are_dropped() -> None:
    notices = Notices()
    first = notices.add(Notice("first"))
    last = [notices.add(Notice(str(number))) for number in range(100)][-1]
    assert notices.take(first) is None
    assert notices.take(last) == Notice("99") and notices.take(last) is None


def test_an_address_leaves_out_what_is_empty() -> None:
    assert page_address("/", {"card": "a b", "project": "", "kind": None}) == "/?card=a+b"
    assert page_address("/habits/a?b", {}) == "/habits/a%3Fb"


def test_a_form_cannot_lead_to_another_site(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    fields = {"form_token": browser.server.access.form_token}
    for back in ("//evil.example/", "http://evil.example/", "javascript:alert(1)", ""):
        person.tacit("add", f"rule about {len(back)} things")
        answer = browser.post("/undo", {**fields, "back": back})
        assert answer.status == 200 and answer.path.startswith("/?notice=")
