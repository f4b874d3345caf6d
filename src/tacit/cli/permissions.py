"""Who may run what: one table for every verb, its subcommands and its options, and the check before a verb runs.

The vault asks again where a decision is recorded, so that a program which opens a home is held to the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.cli.command import Invocation


class AccessLevel(IntEnum):
    """From the widest to the narrowest."""

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

# By verb: forms, each the words and options that must all be there, and who may run that. "" is the verb as such, and
# TARGET any word. Of the forms that fit, those with the most parts count, and of these the narrowest. Options and
# subcommands that make no difference are named under SAME, so that a new one is not forgotten.
ACCESS_RULES: Mapping[str, Mapping[str, AccessLevel]] = {
    # Tell
    "remember": {"": _AGENT},
    "suggest": {"": _AGENT},
    "add": {"": _AGENT},
    "note": {"": _AGENT},
    "log": {"": _AGENT},
    # Ask
    "recall": {"": _ANYBODY},
    "brief": {"": _ANYBODY},
    "list": {"": _ANYBODY},
    "show": {"": _ANYBODY},
    "why": {"": _ANYBODY},
    "status": {"": _ANYBODY},
    "context": {"": _ANYBODY},
    "mcp": {"": _AGENT},
    "sessions": {"": _ANYBODY},
    "session": {"": _ANYBODY},
    "injected": {"": _ANYBODY},
    "stats": {"": _ANYBODY},
    # Decide
    "review": {"": _AGENT},
    "suggestions": {"": _ANYBODY},
    "accept": {"": _PERSON},
    "dismiss": {"": _PERSON},
    "promote": {"": _PERSON},
    "edit": {"": _PERSON},
    "forget": {"": _PERSON},
    "restore": {"": _PERSON},
    "undo": {"": _PERSON, "--list": _ANYBODY},
    "redo": {"": _PERSON},
    "share": {"": _PERSON},
    "unshare": {"": _PERSON},
    "conflicts": {"": _ANYBODY, "--keep": _PERSON, "--keep-both": _PERSON},
    "trust": {"": _ANYBODY, "--yes": _PERSON, "--revoke": _PERSON},
    "sync": {"": _AGENT, "--yes": _PERSON},
    # Do
    "workflow": {
        "": _ANYBODY,
        "new": _PERSON,
        "edit": _PERSON,
        "run": _PERSON,
        "rename": _PERSON,
        "rm": _PERSON,
        "export --to": _PERSON,
    },
    # Capture
    "try": {"": _ANYBODY},
    "install": {"": _ANYBODY, "TARGET": _PERSON, "--yes": _PERSON, "--uninstall": _PERSON},
    "uninstall": {"": _PERSON},
    "capture": {"": _PERSON},
    "hook": {"": _ANYBODY},
    "pause": {"": _ANYBODY},
    "resume": {"": _PERSON},
    "autocapture": {"": _ANYBODY, "on": _PERSON, "off": _PERSON, "off --session": _AGENT},
    # Look after
    "init": {"": _AGENT, "--wrappers": _PERSON, "--no-wrappers": _PERSON, "--agent": _PERSON},
    "config": {"": _ANYBODY, "set": _PERSON, "unset": _PERSON},
    "learn": {"": _AGENT, "--model": _PERSON},
    "improve": {"": _AGENT},
    "evaluate": {"": _AGENT},
    "doctor": {"": _ANYBODY},
    "verify": {"": _ANYBODY, "--mend": _PERSON, "--quarantine-unsigned": _PERSON, "--accept-unsigned": _PERSON},
    "redact": {"": _ANYBODY},
    "export": {"": _PERSON},
    "import": {"": _PERSON, "history --dry-run": _ANYBODY},
    "reindex": {"": _ANYBODY},
    "purge": {"": _PERSON},
}
NEUTRAL_WORDS: Mapping[str, str] = {
    "remember": "--text --evidence --global",
    "suggest": "--text --evidence --reason --kind --global",
    "add": "--text --kind --tag --evidence --global --private --whole",
    "note": "--text --evidence --global",
    "log": "--task --summary --changes --evidence --next",
    "recall": "--query --limit --kind --scope --since --as-of --all --like --explain --exit-code",
    "brief": "--for --tag",
    "list": "--status --kind --tag --scope --project --agent --since --before --limit --exit-code",
    "context": "--cwd",
    "sessions": "--project --limit --exit-code",
    "session": "show --turn --around",
    "injected": "--session --limit --exit-code",
    "suggestions": "--scope --kind --project --agent --since --before --limit --exit-code",
    "conflicts": "--exit-code",
    "review": "--kind --project --agent --since --before --limit",
    "trust": "--show",
    "workflow": "list show runs export --in --step --from --resume --set --yes --dry-run --as --form --file",
    "install": "--mcp --capture",
    "autocapture": "status",
    "config": "show get",
    "learn": "--session --since --all --dry-run --show-prompt",
    "improve": "--force --min-count",
    "evaluate": "--force",
    "verify": "--yes",
    "redact": "--count",
}
_ANY_ARG = "TARGET"
# What an agent was about to type may be the secret itself: the person is asked for it without showing it.
_PROMPTED_VALUES = {("purge", "--text"): "-"}


def required_access(call: Invocation) -> AccessLevel:
    """Who may run this call."""
    given = {*call.values, *call.args[:1], *([_ANY_ARG] if call.args else [])}
    forms = {form: who for form, who in ACCESS_RULES[call.command.name].items() if given.issuperset(form.split())}
    most = max(len(form.split()) for form in forms)
    return max(who for form, who in forms.items() if len(form.split()) == most)


def must_be_allowed(call: Invocation) -> None:
    """Raises `Refused` where an agent runs what only a person may, with the line to hand on."""
    if required_access(call) is not AccessLevel.PERSON:
        return
    from tacit.home.actor import current_actor

    speaking = current_actor(os.environ)
    if not speaking.is_person:
        speaking.require_person(f"runs tacit {call.command.name}{_subcommand(call)}", command_to_type(call))


def _subcommand(call: Invocation) -> str:
    first = call.args[0] if call.args else ""
    return f" {first}" if any(first in form.split() for form in ACCESS_RULES[call.command.name]) else ""


def access_lines(verb: str) -> Iterator[str]:
    """Who may run a verb, in lines: as such, then each form for which that differs."""
    forms = ACCESS_RULES[verb]
    yield forms[""].description
    for form, who in forms.items():
        if who is not forms[""]:
            yield f"tacit {verb} {form}: {who.description}"


def command_to_type(call: Invocation) -> str:
    """The call as a person can type it: without `--yes`, so that they see what changes and are asked, and
    without secrets."""
    from shlex import join

    from tacit.secrets.redact import redacted

    return redacted(join(["tacit", call.command.name, *_typed_words(call)]))


def _typed_words(call: Invocation) -> list[str]:
    takes_value = {option.name for option in call.command.all_options if option.metavar}
    options: list[str] = []
    for name, values in call.values.items():
        if name == "--yes":
            continue
        for value in values:
            told = _PROMPTED_VALUES.get((call.command.name, name), value)
            options += [name, told] if name in takes_value else [name]
    if any(word.startswith("-") for word in call.args):
        return [*options, "--", *call.args]
    return [*call.args, *options]
