"""Who may run what: a table of all commands, subcommands and options, and the check before a command runs.

The vault checks again when it records a decision, so that the same holds for a program that opens a home.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.cli.commands import Invocation


class AccessLevel(IntEnum):
    """Who may run a command, from the widest to the narrowest."""

    ANYBODY = 0
    AGENT = 1
    PERSON = 2

    @property
    def description(self) -> str:
        return _ACCESS_TEXTS[self]


_ACCESS_TEXTS = {
    AccessLevel.ANYBODY: "anybody; it decides nothing and changes nothing that is remembered",
    AccessLevel.AGENT: "anybody; what an agent brings in waits for the person",
    AccessLevel.PERSON: "only a person; an agent is told which command to hand on",
}
_ANYBODY, _AGENT, _PERSON = AccessLevel

# By command: forms, and who may run each. A form is the words and options that must all be present; "" is the command
# itself, TARGET any word. Of the forms that match, those with the most parts count, and of these the narrowest.
# NEUTRAL_WORDS has the options and subcommands that make no difference, so that a new one is not forgotten.
ACCESS_RULES: Mapping[str, Mapping[str, AccessLevel]] = {
    # Remember and ask
    "add": {"": _AGENT},
    "recall": {"": _ANYBODY},
    "list": {"": _ANYBODY},
    "show": {"": _ANYBODY},
    "why": {"": _ANYBODY},
    "brief": {"": _ANYBODY},
    "context": {"": _ANYBODY},
    "log": {"": _AGENT},
    # Decide
    "review": {"": _AGENT, "--dismiss": _PERSON},
    "accept": {"": _PERSON},
    "dismiss": {"": _PERSON},
    "edit": {"": _PERSON},
    "forget": {"": _PERSON},
    "restore": {"": _PERSON},
    "undo": {"": _PERSON, "--list": _ANYBODY},
    "redo": {"": _PERSON},
    "conflicts": {"": _ANYBODY, "--keep": _PERSON, "--keep-both": _PERSON},
    "share": {"": _PERSON},
    "team": {"": _PERSON},
    "guard": {"": _ANYBODY, "on": _PERSON, "off": _PERSON, "allow": _PERSON},
    "trust": {"": _ANYBODY, "--yes": _PERSON, "--revoke": _PERSON},
    "sync": {"": _AGENT, "--yes": _PERSON, "--keep": _PERSON, "--status": _PERSON, "--only": _PERSON},
    # Sessions and workflows
    "sessions": {"": _ANYBODY},
    "injected": {"": _ANYBODY},
    "workflow": {
        "": _ANYBODY,
        "new": _PERSON,
        "edit": _PERSON,
        "run": _PERSON,
        "rename": _PERSON,
        "rm": _PERSON,
        "export --to": _PERSON,
    },
    "learn": {"": _AGENT, "--model": _PERSON, "--answers": _PERSON},
    "improve": {"": _AGENT},
    # Set up
    "try": {"": _ANYBODY},
    "install": {"": _ANYBODY, "TARGET": _PERSON, "--yes": _PERSON, "--uninstall": _PERSON},
    "uninstall": {"": _PERSON},
    "autocapture": {"": _ANYBODY, "on": _PERSON, "off": _PERSON, "off --session": _AGENT},
    "import": {"": _PERSON, "history --dry-run": _ANYBODY, "rules --dry-run": _ANYBODY},
    "export": {"": _PERSON},
    "remote": {"": _PERSON},
    "config": {"": _ANYBODY, "set": _PERSON, "unset": _PERSON},
    "completion": {"": _ANYBODY},
    # Look after
    "status": {"": _ANYBODY},
    "web": {"": _PERSON},
    "doctor": {"": _ANYBODY, "--mend": _PERSON, "--quarantine-unsigned": _PERSON, "--accept-unsigned": _PERSON},
    "audit": {"": _ANYBODY},
    "purge": {"": _PERSON},
    # For shells, agents and scripts
    "init": {
        "": _AGENT,
        "--wrappers": _PERSON,
        "--no-wrappers": _PERSON,
        "--agent": _PERSON,
        "--no-merge-driver": _PERSON,
    },
    "hook": {"": _ANYBODY},
    "mcp": {"": _AGENT},
    "merge-facts": {"": _ANYBODY},
    "pause": {"": _ANYBODY},
    "resume": {"": _PERSON},
    "redact": {"": _ANYBODY},
    # Former forms
    "promote": {"": _PERSON},
    "remember": {"": _AGENT},
    "suggest": {"": _AGENT},
}
NEUTRAL_WORDS: Mapping[str, str] = {
    "add": "--text --kind --tag --evidence --global --private --whole --candidate",
    "recall": "--query --limit --kind --scope --since --as-of --all --like --explain --exit-code",
    "list": (
        "--pending --forgotten --status --kind --tag --scope --project --agent --since --before --limit --all"
        " --exit-code"
    ),
    "brief": "--for --tag",
    "context": "--cwd",
    "log": "--task --summary --changes --evidence --next",
    "review": "--kind --project --agent --since --before --limit --all --reason --yes",
    "conflicts": "--limit --all --exit-code",
    "guard": "list test --ask --deny --warn --forbid --instead --protect --before --run --yes",
    "trust": "--show",
    "sync": "--no-remotes",
    "sessions": "--turn --around --project --limit --all --exit-code",
    "injected": "--session --limit --all --exit-code",
    "workflow": "list show runs export --in --step --from --resume --set --yes --dry-run --as --form --file",
    "learn": "--session --since --all --dry-run --show-prompt --agent",
    "improve": "--evaluate --force --min-count",
    "install": "--mcp --capture",
    "autocapture": "status",
    "config": "show get",
    "completion": "words",
    "status": "--commands",
    "doctor": "--log --quick --yes --reindex",
    "redact": "--count",
    "web": "--port --no-open --read-only",
    "remember": "--text --evidence --global",
    "suggest": "--text --quote --evidence --reason --kind --global",
}
_ANY_ARG = "TARGET"
# The value that an agent typed may be the secret itself: `-` lets the person type it unseen.
_PROMPTED_VALUES = {("purge", "--text"): "-"}


def required_access(call: Invocation) -> AccessLevel:
    """Return who may run this call."""
    words = {*call.values, *call.args[:1], *([_ANY_ARG] if call.args else [])}
    rules = ((form.split(), level) for form, level in ACCESS_RULES[call.command.name].items())
    return max((len(form), level) for form, level in rules if words.issuperset(form))[1]


def must_be_allowed(call: Invocation) -> None:
    """Raise RefusedError if an agent runs what only a person may. The error has the command to pass on."""
    if required_access(call) is not AccessLevel.PERSON:
        return
    from tacit.home.actor import current_actor

    actor = current_actor(os.environ)
    if not actor.is_person:
        name, first = call.command.name, call.args[0] if call.args else ""
        subcommand = f" {first}" if any(first in form.split() for form in ACCESS_RULES[name]) else ""
        actor.require_person(f"runs tacit {name}{subcommand}", command_to_type(call))


def access_lines(command: str) -> Iterator[str]:
    """Yield the lines of the help text: who may run a command, then each form for which that differs."""
    forms = ACCESS_RULES[command]
    yield forms[""].description
    for form, level in forms.items():
        if level is not forms[""]:
            yield f"tacit {command} {form}: {level.description}"


def command_to_type(call: Invocation) -> str:
    """Return the call as a person can type it: without `--yes`, so that they see changes and are asked, and without
    secrets."""
    from shlex import join

    from tacit.secrets.redact import redacted

    takes_value = {option.name for option in call.command.all_options if option.metavar}
    options: list[str] = []
    for name, values in call.values.items():
        for value in values if name != "--yes" else ():
            typed = _PROMPTED_VALUES.get((call.command.name, name), value)
            options += [name, typed] if name in takes_value else [name]
    is_ambiguous = any(word.startswith("-") for word in call.args)
    words = [*options, "--", *call.args] if is_ambiguous else [*call.args, *options]
    return redacted(join(["tacit", call.command.name, *words]))
