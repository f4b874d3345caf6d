"""Writes cli.md and the man page from the commands, and json.md and json.schema.json from output.py.

Tests compare the files with what this program would write.
"""

from __future__ import annotations

import json
from pathlib import Path

from docs.reference import output

from tacit import __version__
from tacit.cli.commands import ACCESS_RULES, ALIASES, FORMER, GROUPS, load_command
from tacit.cli.help import command_help, help_all, help_overview

HERE = Path(__file__).parent


def pages() -> dict[str, str]:
    """All that is made, by file name."""
    schema = json.dumps(output.schema(), indent=1, ensure_ascii=False) + "\n"
    return {"cli.md": page(), "json.md": output.page(), "json.schema.json": schema, "tacit.1": man_page()}


def page() -> str:
    """The whole reference."""
    parts = [
        "# Command line",
        "Made from the program by `make docs`; do not edit.",
        "Exit codes: 0 done, 1 refused or no such thing, 2 wrong use, 3 and above: the home is unwell "
        "(4 it cannot be written, 5 another process holds it). A list or search that finds nothing is done, unless "
        "`--exit-code` asks for 1. What `--json` prints is described in [JSON output](json.md).",
        _fenced(help_overview()),
        "All commands, as `tacit help all` lists them:",
        _fenced(help_all()),
        *_who(),
    ]
    groups = {title: list(names) for title, names in GROUPS.items()} | {"Former names": list(FORMER)}
    for title, names in groups.items():
        parts.append(f"## {title}")
        for name in names:
            command = load_command(name)
            parts += [f"### tacit {name}", _fenced(command_help(command))]
    return "\n\n".join(parts) + "\n"


def man_page() -> str:
    """Return the manual page, in the macros of man(7)."""
    lines = [
        f'.TH TACIT 1 "" "tacit {__version__}" "User Commands"',
        ".SH NAME",
        "tacit \\- a local-first memory for the shell and coding agents",
        ".SH SYNOPSIS",
        ".B tacit",
        "[\\fICOMMAND\\fR [\\fIWORDS\\fR] [\\fIOPTIONS\\fR]]",
        ".SH DESCRIPTION",
        "Without a command, tacit shows the state of the home and what to do next.",
    ]
    for title, commands in GROUPS.items():
        lines.append(f".SH {title.upper()}")
        for name in commands:
            command = load_command(name)
            lines += [".TP", f".B tacit {name} {_roff(command.usage)}".rstrip(), *_roff_paragraphs(command.help)]
            for option in command.options:
                lines += [".RS", ".TP", f".B {_roff(option.usage)}", _roff(option.help), ".RE"]
    lines.append(".SH OTHER NAMES")
    for name, words in ALIASES.items():
        lines += [".TP", f".B tacit {name}", _roff(f"tacit {' '.join(words)}")]
    for name, equivalent in FORMER.items():
        lines += [".TP", f".B tacit {name}", _roff(equivalent)]
    lines += [".SH EXIT STATUS", "0 done, 1 refused or no such thing, 2 wrong use, 3 and above: the home is unwell."]
    lines += [".SH ENVIRONMENT", ".TP", ".B TACIT_HOME", "The home, instead of ~/.agents.", ".TP", ".B NO_COLOR"]
    return "\n".join([*lines, "Print without colour."]) + "\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def _roff_paragraphs(text: str) -> list[str]:
    """Return a help text. Its paragraphs are filled by man; indented lines stay as they are."""
    lines: list[str] = []
    for line in text.split("\n"):
        if not line:
            lines.append(".IP")
        elif line.startswith(" "):
            lines += [".nf", _roff(line), ".fi"]
        else:
            lines.append(_roff(line))
    return lines


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
