"""`tacit completion`: the scripts of the shells, and the words that can follow a command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tacit.cli.commands import ALIASES, FORMER, SUMMARIES, Command, Invocation, Option, load_command
from tacit.errors import TacitError, UsageError
from tacit.text.display import clip, printable

FILES = ":files"  # the answer that lets the shell complete the name of a file
_MAX_WORDS = 50
_MAX_DESCRIPTION_CHARS = 80

Words = Iterator[tuple[str, str]]  # a word, and its description


def run_completion(call: Invocation) -> int:
    from tacit.shell.install import SHELLS, completion_script

    if call.args[:1] == ["words"]:
        try:
            for word, description in complete(call, call.args[1:]):
                print(word, printable(clip(description, _MAX_DESCRIPTION_CHARS)), sep="\t" if description else "")
        except (TacitError, OSError):
            pass  # a home that cannot be read has nothing to complete
        return 0
    name = call.single_arg()
    if name not in SHELLS:
        raise UsageError(f"no completion for {name!r}", f"one of: tacit completion {', '.join(SHELLS)}")
    print(completion_script(SHELLS[name]), end="")
    return 0


def complete(call: Invocation, words: Sequence[str]) -> Words:
    """Yield what the last word, which may be empty, can become. The words are those after `tacit`."""
    *before, prefix = words or [""]
    for word, description in _candidates(call, before, prefix):
        if word.startswith(prefix) or word == FILES:
            yield word, description


def _candidates(call: Invocation, before: Sequence[str], prefix: str) -> Words:
    if not before or before == ["help"]:
        yield from ((name, summary) for name, summary in SUMMARIES.items() if name not in FORMER)
        yield from ((name, f"tacit {' '.join(words)}") for name, words in ALIASES.items())
        yield "help", "explain a command; all lists every command"
        return
    name, *preset = ALIASES.get(before[0], (before[0],))
    if name not in SUMMARIES:
        return
    command = load_command(name)
    options = {option.name: option for option in command.all_options}
    previous = options.get(before[-1])
    if previous is not None and previous.metavar and len(before) > 1:
        yield from _option_values(previous)
    elif prefix.startswith("-"):
        yield from ((option.name, option.help) for option in options.values())
        yield "--help", "explain this command"
    else:
        args = [word for word in (*preset, *before[1:]) if not word.startswith("-")]
        yield from _arguments(call, command, args)


def _option_values(option: Option) -> Words:
    if option.metavar == "KIND":
        from tacit.model.claim import Kind

        yield from ((kind.label, "") for kind in Kind)
    elif option.metavar == "STATUS":
        yield from ((status, "") for status in ("active", "pending", "forgotten", "dismissed", "all"))
    elif option.metavar == "SCOPE":
        yield from (("local", "this project"), ("global", "every project"), ("all", ""))
    elif option.metavar == "SHELL":
        yield from _shells()
    elif option.metavar in ("DIR", "FILE", "PATH", "NAME|DIR"):
        yield FILES, ""


def _arguments(call: Invocation, command: Command, args: Sequence[str]) -> Words:
    if complete_argument := _ARGUMENTS.get(command.name):
        yield from complete_argument(call, args)


def _shells() -> Words:
    from tacit.shell.install import SHELLS

    yield from ((name, "") for name in SHELLS)


def _shell_argument(_call: Invocation, args: Sequence[str]) -> Words:
    if not args:
        yield from _shells()


def _targets(_call: Invocation, _args: Sequence[str]) -> Words:
    from tacit.cli.install import TARGETS

    yield from ((name, "") for name in TARGETS)


def _memories(call: Invocation, status: str | None) -> Words:
    listing = call.vault.queries.listing(status=status, limit=_MAX_WORDS)
    yield from ((listed.short, listed.memory.claim.sentence) for listed in listing.entries)


def _sessions(call: Invocation, args: Sequence[str]) -> Words:
    if not args or list(args) == ["show"]:
        yield "last", "the latest session"
        for listed in call.vault.sessions.sessions(limit=_MAX_WORDS):
            yield listed.short, listed.row.title


def _config_words(call: Invocation, args: Sequence[str]) -> Words:
    if not args:
        yield from (("show", "all settings"), ("get", "one setting"), ("set", "change one"), ("unset", "its default"))
    elif len(args) == 1 and args[0] in ("get", "set", "unset"):
        yield from ((setting.key, str(setting.value)) for setting in call.vault.configuration.config())


def _workflow_words(call: Invocation, args: Sequence[str]) -> Words:
    actions = ("list", "show", "run", "runs", "new", "edit", "rename", "rm", "export")
    if not args:
        yield from ((action, "") for action in actions)
    elif len(args) == 1 and args[0] in actions[1:]:
        for listed in call.vault.workflows.workflows():
            yield listed.name, " && ".join(listed.steps)


def _import_words(_call: Invocation, args: Sequence[str]) -> Words:
    if not args:
        yield from (
            ("history", "what your shells have kept"),
            ("transcripts", "what agents have written"),
            ("rules", "what CLAUDE.md, AGENTS.md and other rule files say"),
        )
    else:
        yield FILES, ""


def _on_off(_call: Invocation, args: Sequence[str]) -> Words:
    if not args:
        yield from (("on", "capture sessions"), ("off", "stop capturing"), ("status", "what holds here, and why"))


_ARGUMENTS: dict[str, Callable[[Invocation, Sequence[str]], Words]] = {
    "accept": lambda call, _args: _memories(call, "pending"),
    "autocapture": _on_off,
    "completion": _shell_argument,
    "config": _config_words,
    "dismiss": lambda call, _args: _memories(call, "pending"),
    "edit": lambda call, args: _memories(call, "active") if not args else iter(()),
    "forget": lambda call, args: _memories(call, "active") if not args else iter(()),
    "hook": _shell_argument,
    "import": _import_words,
    "install": _targets,
    "restore": lambda call, _args: _memories(call, "retired"),
    "sessions": _sessions,
    "share": lambda call, _args: _memories(call, "active"),
    "show": lambda call, args: _memories(call, None) if not args else iter(()),
    "uninstall": _targets,
    "why": lambda call, args: _memories(call, None) if not args else iter(()),
    "workflow": _workflow_words,
}

COMPLETION = Command(
    name="completion",
    usage="SHELL | words -- WORD…",
    help=(
        "Print what completes tacit commands in bash, zsh or fish: commands, options, ids of memories and sessions,\n"
        "settings, workflows. tacit install sets it up together with capture; without capture, load it by hand:\n"
        '  eval "$(tacit completion bash)"     eval "$(tacit completion zsh)"     tacit completion fish | source\n'
        "tacit completion words -- WORD… prints what the last word can become, a line each, with a description."
    ),
    example="tacit completion zsh",
    run=run_completion,
)
