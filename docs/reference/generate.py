"""Writes cli.md from the commands themselves, and json.md and json.schema.json from output.py. Tests compare them."""

from __future__ import annotations

import json
from pathlib import Path

from docs.reference import output

from tacit.cli.commands import GROUPS, load_command
from tacit.cli.permissions import ACCESS_RULES
from tacit.cli.run import command_help, help_overview

HERE = Path(__file__).parent


def pages() -> dict[str, str]:
    """All that is made, by file name."""
    schema = json.dumps(output.schema(), indent=1, ensure_ascii=False) + "\n"
    return {"cli.md": page(), "json.md": output.page(), "json.schema.json": schema}


def page() -> str:
    """The whole reference."""
    parts = [
        "# Command line",
        "Made from the program by `make docs`; do not edit.",
        "Exit codes: 0 done, 1 refused or no such thing, 2 wrong use, 3 and above: the home is unwell "
        "(4 it cannot be written, 5 another process holds it). A list or search that finds nothing is done, unless "
        "`--exit-code` asks for 1. What `--json` prints is described in [JSON output](json.md).",
        _fenced(help_overview()),
        *_who(),
    ]
    for title, commands in GROUPS.items():
        parts.append(f"## {title}")
        for name in commands:
            command = load_command(name)
            parts += [f"### tacit {name}", _fenced(command_help(command))]
    return "\n\n".join(parts) + "\n"


def _who() -> list[str]:
    """The table of who may run what."""
    rows = [
        f"| `tacit {name}{' ' + form if form else ''}` | {who.description} |"
        for name, forms in ACCESS_RULES.items()
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
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
