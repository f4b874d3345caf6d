"""Draw the terminal session of the README: `python -m docs.picture` writes docs/session.svg.

The commands run in a pseudo-terminal, in an empty home. The picture is what a terminal shows of their output.
"""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyte

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "session.svg"
COMMANDS = (
    'tacit add "never force push to main"',
    'tacit add "we use pnpm, not npm"',
    'tacit recall "npm or pnpm?"',
    "tacit brief",
)
_COLUMNS, _LINES = 92, 200
_WIDTH, _HEIGHT, _MARGIN = 8.4, 19, 16  # of a letter, a line, and the frame, in pixels
_COLOURS = {"default": "#d8dee9", "green": "#a3be8c", "brown": "#ebcb8b", "cyan": "#88c0d0", "red": "#bf616a"}


def screen() -> list[list[Any]]:
    """Return what a terminal shows after the commands: lines of pyte's cells."""
    shown = pyte.Screen(_COLUMNS, _LINES)
    stream = pyte.Stream(shown)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "HOME": folder,
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "COLUMNS": str(_COLUMNS),
            "TACIT_NOW": "2026-11-16T09:30:00+00:00",
        }
        for command in COMMANDS:
            stream.feed(f"\x1b[1;32m$\x1b[0m {command}\r\n")
            stream.feed(_printed(command, folder, environment).replace(folder, "~"))
    lines = [[shown.buffer[y][x] for x in range(_COLUMNS)] for y in range(_LINES)]
    while lines and not "".join(cell.data for cell in lines[-1]).strip():
        lines.pop()
    return lines


def _printed(command: str, folder: str, environment: dict[str, str]) -> str:
    ours, theirs = os.openpty()
    running = subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:  # the other side is closed
        pass
    running.wait()
    os.close(ours)
    return b"".join(parts).decode()


def svg(lines: list[list[Any]]) -> str:
    """Return the lines as a picture. Characters of one style that follow each other are one `tspan`."""
    width, height = _COLUMNS * _WIDTH + 2 * _MARGIN, len(lines) * _HEIGHT + 2 * _MARGIN
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" role="img"'
        ' aria-label="A terminal session with Tacit">',
        '<rect width="100%" height="100%" rx="8" fill="#2e3440"/>'
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ]
    for number, line in enumerate(lines):
        spans, at = [], 0
        while at < len(line):
            end = at
            while end < len(line) and (line[end].fg, line[end].bold) == (line[at].fg, line[at].bold):
                end += 1
            text = "".join(cell.data for cell in line[at:end])
            if text.strip():
                weight = ' font-weight="bold"' if line[at].bold else ""
                colour = _COLOURS.get(line[at].fg, _COLOURS["default"])
                x = _MARGIN + at * _WIDTH
                spans.append(f'<tspan x="{x:.1f}" fill="{colour}"{weight}>{html.escape(text.rstrip())}</tspan>')
            at = end
        if spans:
            y = _MARGIN + (number + 0.75) * _HEIGHT
            rows.append(f'<text y="{y:.1f}">{"".join(spans)}</text>')
    return "\n".join([*rows, "</g></svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(svg(screen()), encoding="utf-8")
