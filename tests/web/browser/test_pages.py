"""Every page in a real browser: dark and light, narrow, enlarged, and for those who use a screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from harness.browser import PAGE_NAMES, sign_in
from playwright.sync_api import Browser

from tacit.web import WebServer
from tests.web.browser.visits import Visitor


@pytest.fixture(scope="module", params=["light", "dark"])
def wide(request: pytest.FixtureRequest, chromium: Browser, example_server: WebServer) -> Iterator[Visitor]:
    scheme: Literal["light", "dark"] = request.param
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    sign_in(context, example_server)
    yield Visitor(context, example_server)
    context.close()


@pytest.fixture(scope="module", params=["narrow", "enlarged"])
def small(request: pytest.FixtureRequest, chromium: Browser, example_server: WebServer) -> Iterator[Visitor]:
    """A window of 320 pixels: a small telephone, or a screen of 1280 × 1024 that is enlarged to 400 %."""
    if request.param == "narrow":
        context = chromium.new_context(viewport={"width": 320, "height": 640})
    else:
        context = chromium.new_context(viewport={"width": 320, "height": 256}, device_scale_factor=4)
    sign_in(context, example_server)
    yield Visitor(context, example_server)
    context.close()


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_a_page_opens_without_errors_and_is_accessible(wide: Visitor, example_paths: dict[str, str], name: str) -> None:
    wide.problems.clear()
    page = wide.open(example_paths[name])
    assert page.locator("h1").count() == 1
    problems = [problem for problem in wide.problems if not (name == "error" and "404" in problem)]
    assert problems == []
    assert wide.axe_findings() == []


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_a_page_fits_into_a_small_window(small: Visitor, example_paths: dict[str, str], name: str) -> None:
    page = small.open(example_paths[name])
    assert small.cut_off() == []
    page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
    assert small.cut_off() == []


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
