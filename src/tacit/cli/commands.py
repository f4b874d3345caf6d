"""Every command with its one-line summary, by group: what `tacit --help` prints. `_MODULES` says where each is."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.cli.command import Command

GROUPS: dict[str, dict[str, str]] = {
    "Tell": {
        "remember": "note an observation as a candidate, with its evidence",
        "suggest": "propose something to remember, for the person to decide",
        "add": "add a rule, constraint or preference that holds at once",
        "note": "note a candidate in passing, evidence optional",
        "log": "write an entry of the worklog",
    },
    "Ask": {
        "recall": "search memories, sessions, worklog and evaluations",
        "brief": "the few memories an agent should know now",
        "list": "memories, the latest first",
        "show": "one memory, whole",
        "why": "the evidence of a memory, down to the events",
        "status": "one screen about this home",
        "context": "what a planner or agent should know here",
        "mcp": "serve memory to an agent over standard input and output",
        "sessions": "what you and your agents did, the latest first",
        "session": "one session, whole",
        "injected": "what was put into which prompt, when and why",
        "stats": "what was captured and learned, in numbers",
    },
    "Decide": {
        "review": "go through the candidates, card by card",
        "suggestions": "the candidates that wait for a decision",
        "accept": "make candidates active",
        "dismiss": "turn candidates down for good",
        "promote": "accept a candidate under a kind, with evidence",
        "edit": "change the words, kind or tags of a memory",
        "forget": "retire a memory; its history stays",
        "restore": "bring back what was forgotten or dismissed",
        "undo": "take back the latest operation, then the one before",
        "redo": "do again what was undone last",
        "share": "put memories into the project's fact file",
        "unshare": "take them out of it and keep them at home",
        "conflicts": "memories that contradict each other, and which rule decided",
        "trust": "see and accept the facts a cloned repository brought",
        "sync": "take in what you changed by hand in the pages",
    },
    "Do": {
        "workflow": "what you run in order, under a name: save, run, export",
    },
    "Capture": {
        "try": "see what your histories and transcripts would teach, without keeping anything",
        "install": "put Tacit into a shell or an agent; without a name, list them",
        "uninstall": "take that out again, byte for byte",
        "capture": "take in agents' transcripts, each thing once",
        "hook": "print what a shell loads",
        "pause": "record no commands of this terminal",
        "resume": "record them again",
        "autocapture": "capture sessions with agents, or not",
    },
    "Look after": {
        "init": "make the home, and tell agents about it",
        "config": "the settings, where each comes from, and changing them",
        "learn": "what sessions with agents say that should hold on",
        "improve": "evaluate, and find what is worth promoting",
        "evaluate": "score how well memory is kept",
        "doctor": "check everything, and say what to type",
        "verify": "check every line of the log",
        "redact": "hide the secrets in a text",
        "export": "copy the log and the pages into a folder",
        "import": "take in another home, an export or a fact file",
        "reindex": "make the index and all views again",
        "purge": "take a text or a memory out of every file, for good",
    },
}
ALIASES = {"candidates": "suggestions"}
SUMMARIES = {name: summary for group in GROUPS.values() for name, summary in group.items()}


_MODULES = {
    "add": "add note remember suggest",
    "config": "autocapture config",
    "context": "context injected",
    "doctor": "doctor verify",
    "edit": "edit forget log redo restore share undo unshare",
    "import_": "capture export import",
    "install": "install uninstall",
    "learn": "learn",
    "purge": "purge redact",
    "recall": "brief recall",
    "review": "accept dismiss promote review",
    "sessions": "session sessions",
    "setup": "hook init mcp pause resume",
    "show": "conflicts list show suggestions why",
    "status": "evaluate improve reindex stats status",
    "sync": "sync trust",
    "try_": "try",
    "workflow": "workflow",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def load_command(name: str) -> Command:
    """Return the command of this name. Only its own module is imported."""
    found: Command = getattr(import_module(f"tacit.cli.{_MODULE_OF[name]}"), name.upper())
    return found
