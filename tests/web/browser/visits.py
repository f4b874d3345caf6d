"""A tab of the browser that remembers what went wrong in it and which addresses were asked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

from tacit.web import WebServer

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"  # installed by `make test`
_SERIOUS = ("serious", "critical")
# Texts that stick out of the window where nothing scrolls to them, and texts that their box cuts off without a mark.
_CUT_OFF = """() => {
  const scrolls = (element) => {
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (["auto", "scroll"].includes(style.overflowX) || style.clipPath !== "none") return true;
      if (style.overflowX === "hidden" && style.textOverflow === "ellipsis") return true; // the end is marked
    }
    return false;
  };
  const cut = [];
  for (const element of document.body.querySelectorAll("*")) {
    const texts = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const control = element.matches("input:not([type=hidden]), select, textarea, button");
    if (!element.checkVisibility()) continue; // what is folded keeps the place that it had
    const box = element.getBoundingClientRect();
    if (!(texts || control) || !box.width || element.closest("[hidden], .hidden, .skip") || scrolls(element)) continue;
    const style = getComputedStyle(element);
    const hides = style.overflowX === "hidden" && style.textOverflow !== "ellipsis";
    const clipped = hides && element.scrollWidth > element.clientWidth + 1;
    if (box.right > innerWidth + 1 || box.left < -1 || clipped) cut.push(element.outerHTML.slice(0, 200));
  }
  return cut;
}"""


# Short texts on two lines, and controls beside each other that do not stand on one line.
_WRAPPED = """() => {
  const shown = (element) => element.checkVisibility() && !element.closest(".hidden, .skip");
  const found = [];
  const short = "button, .button, summary, .chip, nav a, th, td.number, time, kbd, dt, h1 .count";
  for (const element of document.querySelectorAll(short)) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].filter((box) => box.width).map((box) => box.top);
    if (shown(element) && Math.max(...tops) - Math.min(...tops) > 12) found.push(element);
  }
  const lines = ".actions, .actions .buttons, .filters, .row .row-meta, .head, .pager";
  for (const group of document.querySelectorAll(lines)) {
    const boxes = [...group.children].filter(shown).map((child) => child.getBoundingClientRect());
    const middles = boxes.map((box) => box.top + box.height / 2);
    const isGrid = getComputedStyle(group).display === "grid";
    if (!isGrid && Math.max(...middles) - Math.min(...middles) > 14) found.push(group);
  }
  return found.map((element) => element.outerHTML.slice(0, 160));
}"""


class Visitor:
    """A tab, and what it saw: errors of the console, and requests that do not go to the server."""

    def __init__(self, context: BrowserContext, server: WebServer) -> None:
        self.server = server
        self.problems: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", lambda request: self._note_request(request.url))
        self.page.set_default_timeout(15_000)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _note_request(self, url: str) -> None:
        if not url.startswith(f"{self.server.access.origin}/"):
            self.problems.append(f"request off the origin: {url}")

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.server.access.origin}{path}")
        return self.page

    def check(self) -> None:
        assert self.problems == []

    @property
    def card(self) -> str:
        """The id of the card that is shown; empty without one."""
        card = self.page.locator("article.card")
        return card.get_attribute("data-id") or "" if card.count() else ""

    def press(self, key: str) -> None:
        """Press a key that shows another card, and wait for that card."""
        before = self.card
        self.page.keyboard.press(key)
        expect(self.page.locator(f'article.card[data-id="{before}"]')).to_have_count(0)

    def cut_off(self) -> list[str]:
        """Return what does not fit into the window: the page itself, if it scrolls to the side, and its elements."""
        wide: int = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        elements: list[str] = self.page.evaluate(_CUT_OFF)
        return [*([f"the page is {wide} px too wide"] if wide > 0 else []), *elements]

    def wrapped(self) -> list[str]:
        """Return what should stand on one line and does not."""
        found: list[str] = self.page.evaluate(_WRAPPED)
        return found

    def axe_findings(self, *rules: str) -> list[str]:
        """Return what axe-core finds serious or critical, by these rules or by all."""
        # A colour that is on its way to another one is none that anybody reads.
        self.page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))")
        if not AXE.exists():
            pytest.skip("axe-core is not installed: make test installs it with npm")
        self.page.evaluate(AXE.read_text("utf-8"))
        options = {"resultTypes": ["violations"], **({"runOnly": {"type": "rule", "values": rules}} if rules else {})}
        found: dict[str, Any] = self.page.evaluate("(options) => axe.run(document, options)", options)
        return [
            f"{violation['id']}: {json.dumps([node['html'][:200] for node in violation['nodes'][:3]])}"
            for violation in found["violations"]
            if violation["impact"] in _SERIOUS
        ]
