"""One browser and one server for each module, on homes that are made once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from harness.browser import CHROMIUM, open_browser, page_paths, serve_home, sign_in
from harness.example_home import END, ExampleHome, make_example_home
from harness.person import Person
from playwright.sync_api import Browser, BrowserContext

from tacit.web import WebServer
from tests.web.browser.visits import Visitor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is not None:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="chromium is not installed: make test installs it"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> ExampleHome:
    return make_example_home(tmp_path_factory.mktemp("example") / "ada")


@pytest.fixture(scope="module")
def example_server(example: ExampleHome) -> Iterator[WebServer]:
    """A server on the example home. Tests that use it change nothing."""
    with serve_home(example.root, example.folder / "webshop", END) as server:
        yield server


@pytest.fixture(scope="module")
def example_paths(example: ExampleHome) -> dict[str, str]:
    with example.vault(END, "webshop") as vault:
        return page_paths(vault)


@pytest.fixture
def visitor(person: Person, chromium: Browser) -> Iterator[Visitor]:
    """Somebody who looks at the pages of an empty home. What they saw and asked for is checked at the end."""
    with serve_home(person.home, person.folder, datetime.fromisoformat(person.now)) as server:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        sign_in(context, server)
        visitor = Visitor(context, server)
        yield visitor
        context.close()
        visitor.check()


@pytest.fixture
def context_without_script(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(java_script_enabled=False)
    yield context
    context.close()
