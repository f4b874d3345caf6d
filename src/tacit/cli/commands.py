"""Every command with its one-line summary, by group, and the names that are aliases of a command.

`tacit --help` shows the everyday commands, `tacit help all` every command and alias. Neither imports a command.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.cli.command import Command

GROUPS: dict[str, dict[str, str]] = {
    "Remember and ask": {
        "add": "add a rule, decision, preference or fact",
        "recall": "search memories, sessions, commands and the worklog",
        "list": "list memories; --pending lists candidates",
        "show": "show a memory with its details",
        "why": "show the evidence of a memory, down to the log",
        "brief": "print the memories an agent should know now",
        "context": "print the directories, habits and rules of this place",
        "log": "write an entry of the worklog",
    },
    "Decide": {
        "review": "go through the candidates, card by card",
        "accept": "make candidates active",
        "dismiss": "turn candidates down for good",
        "edit": "change the text, kind or tags of a memory",
        "forget": "retire a memory; its history stays",
        "restore": "bring back what was forgotten or dismissed",
        "undo": "take back the latest change, then the one before",
        "redo": "repeat what was undone last",
        "conflicts": "list memories that contradict each other, and decide",
        "share": "put memories into the project's fact file",
        "trust": "show and accept the facts of a cloned repository",
        "sync": "read back what you changed by hand in the pages",
    },
    "Sessions and workflows": {
        "sessions": "list sessions with agents, or show one",
        "injected": "list what was put into which prompt, and why",
        "workflow": "save, run and export sequences of commands",
        "learn": "find rules and decisions in captured sessions",
        "improve": "evaluate memory, and find what is worth accepting",
    },
    "Set up": {
        "try": "see what your histories would teach, keeping nothing",
        "install": "connect a shell or an agent; without a name, list them",
        "uninstall": "disconnect it again, byte for byte",
        "autocapture": "capture sessions with agents, or stop",
        "import": "import shell histories, transcripts or another home",
        "export": "copy the log and the pages into a folder",
        "config": "show and change settings",
        "completion": "print completion for bash, zsh or fish",
    },
    "Look after": {
        "status": "show what is remembered and what waits for you",
        "doctor": "check everything, and say what to type",
        "purge": "remove a text or a memory from every file",
    },
    "For shells, agents and scripts": {
        "init": "create the home, and tell agents about it",
        "hook": "print the code that a shell loads",
        "mcp": "serve memory to an agent over standard input and output",
        "pause": "record no commands of this terminal",
        "resume": "record the commands of this terminal again",
        "redact": "hide the secrets in a text",
    },
}
# What `tacit --help` shows.
EVERYDAY = {
    "Remember and ask": "add recall list show why",
    "Decide": "review accept dismiss edit forget undo",
    "Set up and look after": "install import config status doctor",
}
# Another name for a command with some of its arguments.
ALIASES: dict[str, tuple[str, ...]] = {
    "candidates": ("list", "--pending"),
    "capture": ("import", "transcripts"),
    "evaluate": ("improve", "--evaluate"),
    "note": ("add", "--candidate"),
    "reindex": ("doctor", "--reindex"),
    "session": ("sessions",),
    "stats": ("status", "--commands"),
    "suggestions": ("list", "--pending"),
    "unshare": ("share", "--remove"),
    "verify": ("doctor", "--log"),
}
# Earlier forms with arguments of their own, and what replaces them.
FORMER: dict[str, tuple[str, str]] = {
    "promote": ("accept a candidate under a kind, with evidence", "tacit accept ID --kind KIND --evidence TEXT"),
    "remember": ("record a candidate with its evidence", "tacit add --candidate TEXT --evidence TEXT"),
    "suggest": ("propose something, and ask the person", "tacit add --candidate TEXT --evidence TEXT"),
}
SUMMARIES = {name: summary for group in GROUPS.values() for name, summary in group.items()} | {
    name: summary for name, (summary, _) in FORMER.items()
}
_MODULES = {
    "add": "add remember suggest",
    "completion": "completion",
    "config": "autocapture config",
    "context": "context injected",
    "doctor": "doctor",
    "edit": "edit forget log redo restore share undo",
    "import_": "export import",
    "improve": "improve",
    "install": "install uninstall",
    "learn": "learn",
    "purge": "purge redact",
    "recall": "brief recall",
    "review": "accept dismiss promote review",
    "sessions": "sessions",
    "setup": "hook init mcp pause resume",
    "show": "conflicts list show why",
    "status": "status",
    "sync": "sync trust",
    "try_": "try",
    "workflow": "workflow",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def load_command(name: str) -> Command:
    """Return the command of this name. Only its own module is imported."""
    command: Command = getattr(import_module(f"tacit.cli.{_MODULE_OF[name]}"), name.upper())
    return command
