"""Every page in a real browser: dark and light, narrow, enlarged, and for those who use a screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from harness.browser import PAGE_NAMES, sign_in
from playwright.sync_api import Browser, ViewportSize, expect

from tacit.web import WebServer
from tests.web.browser.visits import Visitor

WIDE = ViewportSize(width=1280, height=800)
# A small telephone, and a screen of 1280 × 1024 that is enlarged to 400 %.
SMALL = (ViewportSize(width=320, height=640), ViewportSize(width=320, height=256), ViewportSize(width=390, height=844))


@pytest.fixture(scope="module")
def reader(chromium: Browser, example_server: WebServer) -> Iterator[Visitor]:
    """Somebody who looks at every page of the example home."""
    context = chromium.new_context(color_scheme="light", viewport=WIDE)
    sign_in(context, example_server)
    yield Visitor(context, example_server)
    context.close()


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_a_page_opens_without_errors_fits_into_a_small_window_and_is_accessible(
    reader: Visitor, example_paths: dict[str, str], name: str
) -> None:
    reader.problems.clear()
    page = reader.open(example_paths[name])
    page.set_viewport_size(WIDE)  # one that was skipped may have left a small one
    assert page.locator("h1").count() == 1
    problems = [problem for problem in reader.problems if not (name == "error" and "404" in problem)]
    assert problems == []
    assert reader.wrapped() == [] and reader.cut_off() == []
    assert _cut_off(reader) == []
    page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
    assert _cut_off(reader) == []
    page.set_viewport_size(SMALL[-1])
    assert reader.axe_findings("scrollable-region-focusable") == []
    page.set_viewport_size(WIDE)
    assert reader.axe_findings() == []
    page.emulate_media(color_scheme="dark")
    dark = reader.axe_findings("color-contrast", "link-in-text-block")
    page.emulate_media(color_scheme="light")
    assert dark == []


def _cut_off(reader: Visitor) -> list[str]:
    """What does not fit into one of the small windows."""
    found = []
    for size in SMALL:
        reader.page.set_viewport_size(size)
        found += reader.cut_off()
    reader.page.set_viewport_size(WIDE)
    return found


@pytest.mark.parametrize("name", ["card", "memory", "candidate"])
def test_what_can_be_done_stays_in_sight_on_a_telephone(
    chromium: Browser, example_server: WebServer, example_paths: dict[str, str], name: str
) -> None:
    context = chromium.new_context(viewport=ViewportSize(width=390, height=500), is_mobile=True, has_touch=True)
    sign_in(context, example_server)
    page = Visitor(context, example_server).open(example_paths[name])
    page.set_viewport_size(ViewportSize(width=390, height=844))
    page.evaluate("document.querySelector('h1, h2').style.height = '3000px'")  # a very long text
    for scrolled in ("0", "document.body.scrollHeight / 2"):
        page.evaluate(f"window.scrollTo(0, {scrolled})")
        buttons = page.locator(".actions > form button")
        assert buttons.count() >= 2
        for number in range(buttons.count()):
            expect(buttons.nth(number)).to_be_in_viewport(ratio=1)
        tops: list[float] = buttons.evaluate_all("found => found.map((button) => button.getBoundingClientRect().top)")
        assert max(tops) - min(tops) < 2  # on one line
    context.close()


@pytest.mark.parametrize(("key", "dialog"), [("?", "#keys"), ("Control+k", "#palette")])
def test_a_dialog_fits_into_a_small_window_and_is_accessible(reader: Visitor, key: str, dialog: str) -> None:
    page = reader.open("/settings")
    page.keyboard.press(key)
    expect(page.locator(dialog)).to_be_visible()
    assert reader.axe_findings() == [] and reader.wrapped() == []
    assert _cut_off(reader) == []


def test_colours_follow_the_system(chromium: Browser, example_server: WebServer) -> None:
    grounds = []
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        context = chromium.new_context(color_scheme=scheme)
        sign_in(context, example_server)
        page = Visitor(context, example_server).open("/settings")
        grounds.append(page.evaluate("getComputedStyle(document.body).color"))
        context.close()
    assert grounds[0] != grounds[1]


def test_the_token_leaves_the_address_bar_and_scripts_cannot_read_the_cookie(
    chromium: Browser, example_server: WebServer
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(example_server.access.single_use_address())
    assert page.url == f"{example_server.access.origin}/"
    assert page.title().startswith("Inbox")
    assert page.evaluate("document.cookie") == ""
    context.close()
