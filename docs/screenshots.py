"""Take pictures of every page of `tacit web`: `python -m docs.screenshots [FOLDER]`, or `make screenshots`.

The pages show the example home. Each is pictured light and dark, wide and narrow. The two that the README shows are
written to docs/images; all others go to a folder that git ignores.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from harness.browser import CHROMIUM, open_browser, page_paths, serve_home, sign_in
from harness.example_home import END, make_example_home

from tacit.record import Record

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".screenshots"
IMAGES = ROOT / "docs" / "images"
SHOWN = {"card-light-wide.png": "inbox-light.png", "timeline-dark-wide.png": "timeline-dark.png"}  # in the README
_MAX_HEIGHT = 2400  # pixels of a long page that are pictured


class Look(Record):
    """A colour scheme and the size of a window."""

    scheme: Literal["light", "dark"]
    name: str
    width: int
    height: int


LOOKS = (
    Look("light", "wide", 1280, 800),
    Look("dark", "wide", 1280, 800),
    Look("light", "narrow", 390, 844),
    Look("dark", "narrow", 390, 844),
)


def take(folder: Path) -> None:
    """Write all pictures into a folder, named after page, scheme and width."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tacit-screenshots-") as place:
        example = make_example_home(Path(place) / "ada")
        os.environ["HOME"] = str(example.folder)
        with example.vault(END, "webshop") as vault:
            paths = page_paths(vault)
        with serve_home(example.root, example.folder / "webshop", END) as server, open_browser() as browser:
            for look in LOOKS:
                context = browser.new_context(
                    color_scheme=look.scheme, viewport={"width": look.width, "height": look.height}
                )
                sign_in(context, server)
                page = context.new_page()
                for name, path in paths.items():
                    page.set_viewport_size({"width": look.width, "height": look.height})
                    page.goto(f"{server.access.origin}{path}")
                    height = min(page.evaluate("document.documentElement.scrollHeight"), _MAX_HEIGHT)
                    if f"{name}-{look.scheme}-{look.name}.png" not in SHOWN:
                        page.set_viewport_size({"width": look.width, "height": max(height, look.height)})
                    page.screenshot(path=folder / f"{name}-{look.scheme}-{look.name}.png")
                context.close()


def main() -> int:
    if CHROMIUM is None:
        sys.stderr.write("chromium is not installed: make .venv/tools\n")
        return 1
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    take(folder)
    IMAGES.mkdir(exist_ok=True)
    for name, image in SHOWN.items():
        shutil.copyfile(folder / name, IMAGES / image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
