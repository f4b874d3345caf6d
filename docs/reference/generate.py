"""Writes docs/reference/cli.md from the commands themselves. A test compares the two."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tacit.surfaces.cli.commands import GROUPS, module_of
from tacit.surfaces.cli.help import for_command, overview
from tacit.surfaces.cli.who import WHO

PAGE = Path(__file__).with_name("cli.md")


def page() -> str:
    """The whole reference."""
    parts = [
        "# Command line",
        "Made from the program by `make docs`; do not edit.",
        "Exit codes: 0 done, 1 nothing found or refused, 2 wrong use, 3 and above: the home is unwell "
        "(4 it cannot be written, 5 another process holds it).",
        _fenced(overview()),
        *_who(),
    ]
    for title, commands in GROUPS.items():
        parts.append(f"## {title}")
        for name in commands:
            command = import_module(module_of(name)).COMMAND
            parts += [f"### tacit {name}", _fenced(for_command(command))]
    return "\n\n".join(parts) + "\n"


def _who() -> list[str]:
    """The table of who may run what."""
    rows = [
        f"| `tacit {name}{' ' + form if form else ''}` | {who.meaning} |"
        for name, forms in WHO.items()
        for form, who in forms.items()
    ]
    text = (
        "An agent is known by the variables that it sets, see [settings](../guides/settings.md). `--help` is for "
        "anybody. Where several rows fit, the one that names more counts. `TARGET` is any name."
    )
    return ["## Who may run what", text, "\n".join(["| command | who |", "|---|---|", *rows])]


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
