"""Help texts. The reference in docs/ is made from the same functions."""

from __future__ import annotations

from tacit.surfaces.cli.command import Command
from tacit.surfaces.cli.commands import GROUPS
from tacit.surfaces.cli.who import told_of


def overview() -> str:
    """What `tacit --help` prints; loads no verb."""
    lines = [
        "tacit: a local-first memory for the shell and coding agents",
        "",
        "usage: tacit COMMAND [WORDS] [OPTIONS]",
    ]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<12} {summary}" for name, summary in commands.items()]
    lines += ["", "tacit COMMAND --help tells more. Every command takes --home PATH; what reads takes --json."]
    return "\n".join(lines)


def for_command(command: Command) -> str:
    lines = [f"usage: {' '.join(filter(None, ('tacit', command.name, command.words)))} [OPTIONS]", "", command.help]
    lines += ["", "options:"]
    for option in command.all_options:
        notes = [note for note in ("required" * option.required, "may be repeated" * option.many) if note]
        trail = f" ({', '.join(notes)})" if notes else ""
        lines.append(f"  {option.name + ' ' + option.value:<22} {option.help}{trail}")
    lines += ["", "who may run it:", *(f"  {line}" for line in told_of(command.name))]
    return "\n".join([*lines, "", "example:", f"  {command.example}"])
