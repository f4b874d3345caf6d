"""Commands: how one is declared, how its arguments are parsed, who may run it, and the table of all of them.

The value of an option is taken as it is, even if it begins with `--`. So may a text: what people remember is full of
flags. A word that looks like a mistyped option is refused by every command. `--` ends the options, and `-` is a text
that is read from standard input. A dash and a letter are text, but for `-n N`, which is `--limit N` wherever that is.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from importlib import import_module

from tacit.cli.output import ProgressBar, confirm, echo, echo_json
from tacit.errors import TacitError, UsageError
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.vault import Vault

_MIN_OPTION_CHARS = 3  # of what can be a mistyped option: `-x` is a flag of another program
_MAX_NUMBER = 1_000_000
_TEXT_USAGES = ("TEXT", "QUERY")  # in the usage of a command that takes any text

# Declarations


class Option(Record):
    """`--name VALUE`, or a flag when it takes no value.

    `metavar` says what the value is: N is a whole number, which is at least `least`; KIND, SCOPE, SHELL, DIR, FILE and
    PATH are completed. If there are `choices`, it is one of them. `short` is a form of one letter. It is for numbers:
    where no number follows, as in `grep -n`, it is text.
    """

    name: str
    metavar: str = ""
    help: str = ""
    repeatable: bool = False
    required: bool = False
    short: str = ""
    least: int = 1
    choices: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """How it is typed, as help texts show it."""
        return f"{self.short}{', ' * bool(self.short)}{self.name} {self.metavar}".rstrip()


HOME_OPTION = Option("--home", "PATH", "the home to use (default: $TACIT_HOME, else ~/.agents)")
JSON_OPTION = Option("--json", help="print JSON, for programs; docs/reference/json.md describes it")
EXIT_CODE_OPTION = Option("--exit-code", help="exit with 1 when nothing is found")


class Subcommand(Record):
    """The first word after a command, and the function that it runs, with the other words as arguments.

    It takes so many `words`, with `more` at least so many. `usage` says which, and `example` is what to type instead of
    wrong ones, if that is not the usage. `options` are those of the command that it takes, None for all of them.
    """

    name: str
    run: Callable[..., int | None]
    words: int = 0
    usage: str = ""
    more: bool = False
    example: str = ""
    options: tuple[str, ...] | None = None
    help: str = ""


class Command(Record):
    """A command: its usage, an example that works, its options, and the function that runs it and returns an exit code.

    With `takes_any_text`, also a word that begins with `--` is text, wherever it is.
    """

    name: str
    usage: str
    example: str
    options: tuple[Option, ...]
    run: Callable[[Invocation], int | None]
    subcommands: Mapping[str, Subcommand]
    takes_any_text: bool

    @property
    def all_options(self) -> tuple[Option, ...]:
        return (*self.options, HOME_OPTION)

    @property
    def help(self) -> str:
        """The help text: the docstring of the function, without its indentation."""
        return "\n".join(line.removeprefix("    ") for line in (self.run.__doc__ or "").strip().split("\n"))


def command(
    usage: str,
    example: str,
    *options: Option,
    subcommands: Sequence[Subcommand] = (),
    takes_any_text: bool = False,
) -> Callable[[Callable[[Invocation], int | None]], Command]:
    """Make a command of a function `run_NAME`. Its docstring is the help text. None as exit code is 0."""

    def declare(run: Callable[[Invocation], int | None]) -> Command:
        name = run.__name__.removeprefix("run_").replace("_", "-")
        parts = {part.name: part for part in subcommands}
        return Command(name, usage, example, options, run, parts, takes_any_text)

    return declare


# A command that was typed


class Invocation:
    """A command with its parsed arguments, and the home that it works on."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.args: list[str] = []
        self.values: dict[str, list[str]] = {}
        self._vault: Vault | None = None
        self._bar: ProgressBar | None = None

    @property
    def vault(self) -> Vault:
        """The vault of the home, opened on first use."""
        if self._vault is None:
            from tacit.home.home import Home
            from tacit.home.store import Following, StoreOptions
            from tacit.vault import Vault

            options = StoreOptions(Following.PROCESS, progress=self.show_progress)
            self._vault = Vault(Home(self.value("--home"), options=options))
        return self._vault

    @property
    def is_vault_open(self) -> bool:
        return self._vault is not None

    def show_progress(self, task: str, done: int, total: int) -> None:
        """Show a bar for work that takes over a second. The work calls this now and then, with bytes done and to do."""
        self._bar = self._bar or ProgressBar()
        self._bar.show_bytes(task, done, total)

    def interrupted(self) -> str:
        """Remove the bar, and return what to know after Ctrl-C; "" if there is nothing to say."""
        if self._bar is None:
            return ""
        self._bar.clear()
        return self._bar.interrupted()

    def close(self) -> bool:
        """Close the home. Return whether another process has to follow (see `Store`)."""
        if self._bar is not None:
            self._bar.clear()
        if self._vault is None:
            return False
        self._vault.close()
        needs_follower = self._vault.home.store.needs_follower
        self._vault = None
        return needs_follower

    # Options

    def flag(self, name: str) -> bool:
        return name in self.values

    def value(self, name: str) -> str | None:
        """Return the last value of an option, None without it. Raise UsageError if it is not one of its choices."""
        values = self.values.get(name)
        if not values:
            return None
        option = next(option for option in self.command.all_options if option.name == name)
        if option.choices and values[-1] and values[-1] not in option.choices:
            raise UsageError(f"no such {option.metavar.lower()}: {values[-1]!r}", f"one of {', '.join(option.choices)}")
        return values[-1]

    def all_values(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def text_value(self, name: str) -> str:
        """Return the value of an option, "" without it. `-` is read from standard input."""
        text = self.value(name) or ""
        if text == "-":
            text = text_or_stdin(text)
            self.values[name] = [text]  # it can be read only once
        return text

    def file_value(self, name: str, max_bytes: int) -> bytes:
        """Return what is in the file that an option names. Raise UsageError if it cannot be read."""
        from tacit.disk.read import read_external

        path = self.value(name) or ""
        try:
            return read_external(path, max_bytes)
        except OSError as error:
            from shlex import quote

            raise UsageError(f"{path} cannot be read: {error.strerror}", f"ls -l {quote(path)}") from None

    def number(self, name: str) -> int | None:
        """Return the value of an option as a number, None without it. Raise UsageError if it is none, or too small."""
        text = self.value(name)
        if text is None:
            return None
        least = next(option.least for option in self.command.options if option.name == name)
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or number > _MAX_NUMBER:
            raise UsageError(f"{name} wants a whole number of at least {least}, not {text!r}")
        return number

    def only_one(self, names: Iterable[str], hint: str, verb: str = "do not go together") -> str:
        """Return which of these options is given, "" for none. Raise UsageError for two."""
        given = [name for name in names if self.flag(name)]
        if len(given) > 1:
            raise UsageError(f"{given[0]} and {given[1]} {verb}", hint)
        return given[0] if given else ""

    def require_with(self, names: Iterable[str], other: str, hint: str) -> None:
        """Raise UsageError if one of these options is given without the other that it goes with."""
        for name in names:
            if self.flag(name) and not self.flag(other):
                raise UsageError(f"{name} goes with {other}", hint)

    # Words

    def text(self) -> str:
        """Return the arguments as one text, or the value of --text. `-` is read from standard input.

        Raise UsageError if there is no text, or two.
        """
        value = self.value("--text")
        if value is not None and self.args:
            raise UsageError("the text was given twice, as a word and with --text")
        text = text_or_stdin(" ".join(self.args) if value is None else value)
        if "-" in (value, *self.args[:1]) and text != "-":  # it can be read only once
            self.args = [text]
            self.values.pop("--text", None)
        if not text.strip():
            raise self.usage_error()
        return text

    def single_arg(self) -> str:
        if len(self.args) != 1:
            raise self.usage_error()
        return self.args[0]

    def check_args(self) -> None:
        """Raise UsageError if the usage of the command has no words and there are some, or wants ID… and has none."""
        if not self.command.usage:
            self.refuse_args()
        elif self.command.usage == "ID…" and not self.args:
            raise self.usage_error()

    def refuse_args(self) -> None:
        if self.args:
            raise UsageError(f"tacit {self.command.name} takes no words, but got {self.args[0]!r}")

    def run_subcommand(self, default: str) -> int | None:
        """Run the subcommand that the first word names; without words, the default one.

        Raise UsageError for an unknown one, and for words or options that it does not take.
        """
        parts = self.command.subcommands
        name, *words = self.args or [default]
        place = f"tacit {self.command.name} {name}"
        if (part := parts.get(name)) is None:
            raise UsageError(f"tacit {self.command.name} has no {name!r}", f"one of {', '.join(filter(None, parts))}")
        example = f"{place} {part.example or part.usage}"
        for option in self.values.keys() - {"--home", *(self.values if part.options is None else part.options)}:
            raise UsageError(f"{option} does not belong to {place}", example)
        if words and not (part.words or part.more):
            raise UsageError(f"{place} takes no words, but got {words[0]!r}", place)
        if len(words) < part.words or (len(words) > part.words and not part.more):
            raise UsageError(f"{place} wants {part.usage}", example) if part.usage else self.usage_error()
        return part.run(self, *words)

    def usage_error(self, wanted: str = "") -> UsageError:
        """Return the error that the command wants something: its usage, if nothing else is named."""
        example = f"for example: {self.command.example}"
        return UsageError(f"tacit {self.command.name} wants {wanted or self.command.usage}", example)

    # Answers

    def shows_json(self, value: Callable[[], object]) -> bool:
        """With --json, print a value as JSON. Return whether that was done."""
        if self.flag(JSON_OPTION.name):
            echo_json(value())
        return self.flag(JSON_OPTION.name)

    def agrees(
        self,
        question: str,
        refusal: TacitError,
        declined: str = "Nothing was changed.",
        show_all: Callable[[], object] | None = None,
    ) -> bool:
        """Return whether the person agrees, by --yes or at the terminal. Print `declined` if they do not.

        Raise `refusal` if there is nobody to ask. `show_all` prints the rest of what is asked about.
        """
        if self.flag("--yes"):
            return True
        if not sys.stdin.isatty():
            raise refusal
        if confirm(question, show_all):
            return True
        echo(declined)
        return False

    def exit_code(self, *, found: bool) -> int:
        """Return 1 if nothing was found and --exit-code is given, else 0."""
        return 1 if self.flag(EXIT_CODE_OPTION.name) and not found else 0


# From words to arguments and options


def parse_args(command: Command, arguments: Sequence[str]) -> Invocation:
    """Sort the words behind a command into arguments and options.

    Raise UsageError for an unknown or missing option, or an option without its value.
    """
    options = {option.name: option for option in command.all_options}
    short_names = {option.short: option.name for option in command.options if option.short}
    call = Invocation(command)
    rest = deque(arguments)
    while rest:
        word = rest.popleft()
        name, equals, attached = word.partition("=")
        if word in short_names and rest and rest[0].isdecimal():
            name = short_names[word]
        option = options.get(name)
        if word == "--":
            call.args += rest
            break
        if option is not None and not (equals and not option.metavar):
            if option.metavar and not equals:
                if not rest:
                    raise UsageError(f"{name} wants a value: {name} {option.metavar}")
                attached = rest.popleft()
            call.values.setdefault(name, []).append(attached)
        elif _is_mistyped(word, command, call):
            near = _close_options(word, command)
            suggestion = f"did you mean {near[0]}? " if near else ""
            hint = f"{suggestion}If it is part of the text, put -- before the text. See: tacit {command.name} --help"
            raise UsageError(f"tacit {command.name} has no option {word!r}", hint)
        else:
            call.args.append(word)
    for option in command.options:
        if option.required and not call.flag(option.name):
            raise call.usage_error(f"{option.name} {option.metavar}")
    return call


def _is_mistyped(word: str, command: Command, call: Invocation) -> bool:
    """Return whether a word is meant as an option and is none.

    It is spelled nearly like one, it is an option of another command, or it is where no text begins.
    """
    if len(word) < _MIN_OPTION_CHARS or not word.startswith("-") or any(char.isspace() for char in word):
        return False
    if _close_options(word, command):
        return True
    if not word.startswith("--"):
        return False
    if not command.takes_any_text and (call.args or not any(text in command.usage for text in _TEXT_USAGES)):
        return True
    name = word.partition("=")[0]  # all commands are imported to know: few texts begin with `--`
    return any(option.name == name for other in SUMMARIES for option in load_command(other).options)


def _close_options(word: str, command: Command) -> list[str]:
    from difflib import get_close_matches

    names = [option.name for option in command.all_options]
    cutoff = 0.75 if command.takes_any_text else 0.7
    return get_close_matches(f"--{word.partition('=')[0].lstrip('-')}", names, n=1, cutoff=cutoff)


def text_or_stdin(text: str) -> str:
    """Return the text itself; for `-` the text from standard input."""
    return text if text != "-" else sys.stdin.buffer.read().decode("utf-8", "replace").strip()


# The table of all commands


class AccessLevel(IntEnum):
    """Who may run a command, from the widest to the narrowest."""

    ANYBODY = 0
    AGENT = 1
    PERSON = 2

    @property
    def description(self) -> str:
        return (
            "anybody; it decides nothing and changes nothing that is remembered",
            "anybody; what an agent brings in waits for the person",
            "only a person; an agent is told which command to hand on",
        )[self]


_ANYBODY, _AGENT, _PERSON = AccessLevel


class CommandEntry(Record):
    """A command in the table: who may run it, the module of its function `run_NAME`, and its summary."""

    access: AccessLevel
    module: str
    summary: str


# Every command by group. `tacit help all` shows all of them, `tacit --help` the everyday ones; neither imports one.
GROUPS: dict[str, dict[str, CommandEntry]] = {
    "Remember and ask": {
        "add": CommandEntry(_AGENT, "add", "add a rule, decision, preference or fact"),
        "recall": CommandEntry(_ANYBODY, "recall", "search memories, sessions, commands and the worklog"),
        "pick": CommandEntry(_PERSON, "pick", "search as you type; a key in your shell can open it"),
        "list": CommandEntry(_ANYBODY, "show", "list memories; --pending lists candidates"),
        "show": CommandEntry(_ANYBODY, "show", "show a memory with its details"),
        "why": CommandEntry(_ANYBODY, "show", "show the evidence of a memory, down to the log"),
        "brief": CommandEntry(_ANYBODY, "recall", "print the memories an agent should know now"),
        "context": CommandEntry(_ANYBODY, "sessions", "print the directories, habits and rules of this place"),
        "log": CommandEntry(_AGENT, "edit", "write an entry of the worklog"),
    },
    "Decide": {
        "review": CommandEntry(_AGENT, "review", "go through the candidates, card by card"),
        "accept": CommandEntry(_PERSON, "review", "make candidates active"),
        "dismiss": CommandEntry(_PERSON, "review", "turn candidates down for good"),
        "edit": CommandEntry(_PERSON, "edit", "change the text, kind or tags of a memory"),
        "forget": CommandEntry(_PERSON, "edit", "retire a memory; its history stays"),
        "restore": CommandEntry(_PERSON, "edit", "bring back what was forgotten or dismissed"),
        "undo": CommandEntry(_PERSON, "edit", "take back the latest change, then the one before"),
        "redo": CommandEntry(_PERSON, "edit", "repeat what was undone last"),
        "conflicts": CommandEntry(_ANYBODY, "show", "list memories that contradict each other, and decide"),
        "share": CommandEntry(_PERSON, "edit", "put memories into the project's fact file"),
        "team": CommandEntry(_PERSON, "team", "share memories with a team, through a server"),
        "guard": CommandEntry(_ANYBODY, "guard", "stop agents before they break a rule"),
        "trial": CommandEntry(_ANYBODY, "trial", "see whether telling a memory makes a difference"),
        "trust": CommandEntry(_ANYBODY, "sync", "show and accept the facts of a cloned repository"),
        "sync": CommandEntry(_AGENT, "sync", "read hand edits of the pages, and meet your other machines"),
    },
    "Sessions and workflows": {
        "sessions": CommandEntry(_ANYBODY, "sessions", "list sessions with agents, or show one"),
        "injected": CommandEntry(_ANYBODY, "sessions", "list what was put into which prompt, and why"),
        "workflow": CommandEntry(_ANYBODY, "workflow", "save, run and export sequences of commands"),
        "replay": CommandEntry(_ANYBODY, "replay", "show what memory would have spared you, and why it did not"),
        "learn": CommandEntry(_AGENT, "learn", "find rules and decisions in captured sessions"),
        "improve": CommandEntry(_AGENT, "learn", "evaluate memory, and find what is worth accepting"),
    },
    "Set up": {
        "setup": CommandEntry(_ANYBODY, "guided_setup", "find shells and agents, show all changes, ask once"),
        "try": CommandEntry(_ANYBODY, "import_", "see what your histories would teach, keeping nothing"),
        "install": CommandEntry(_ANYBODY, "install", "connect a shell or an agent; without a name, list them"),
        "uninstall": CommandEntry(_PERSON, "install", "disconnect it again, byte for byte"),
        "without": CommandEntry(_ANYBODY, "config", "start an agent that is told nothing and not recorded"),
        "autocapture": CommandEntry(_ANYBODY, "config", "capture sessions with agents, or stop"),
        "import": CommandEntry(_PERSON, "import_", "import histories, transcripts, rule files or another home"),
        "export": CommandEntry(_PERSON, "import_", "copy the log into a folder, or memories into AGENTS.md"),
        "remote": CommandEntry(_PERSON, "remotes", "connect your machines through a folder or repository"),
        "config": CommandEntry(_ANYBODY, "config", "show and change settings"),
        "completion": CommandEntry(_ANYBODY, "help", "print completion for bash, zsh or fish"),
    },
    "Look after": {
        "status": CommandEntry(_ANYBODY, "status", "show what is remembered and what waits for you"),
        "week": CommandEntry(_ANYBODY, "week", "show what the last seven days brought, in ten lines"),
        "web": CommandEntry(_PERSON, "web", "review, search and look around in the browser"),
        "check": CommandEntry(_ANYBODY, "check", "say which memories the work tree contradicts"),
        "doctor": CommandEntry(_ANYBODY, "doctor", "check everything, and say what to type"),
        "audit": CommandEntry(_ANYBODY, "doctor", "check CLAUDE.md, AGENTS.md and other rule files"),
        "purge": CommandEntry(_PERSON, "doctor", "remove a text or a memory from every file"),
    },
    "For shells, agents and scripts": {
        "init": CommandEntry(_AGENT, "setup", "create the home, and tell agents about it"),
        "hook": CommandEntry(_ANYBODY, "setup", "print the code that a shell loads"),
        "mcp": CommandEntry(_AGENT, "setup", "serve memory to an agent over standard input and output"),
        "merge-facts": CommandEntry(_ANYBODY, "setup", "merge fact files by id, for git"),
        "pause": CommandEntry(_ANYBODY, "setup", "record no commands of this terminal"),
        "resume": CommandEntry(_PERSON, "setup", "record the commands of this terminal again"),
        "redact": CommandEntry(_ANYBODY, "doctor", "hide the secrets in a text"),
    },
}
# Earlier forms with arguments of their own, and what replaces them.
_FORMER_COMMANDS = {
    "promote": CommandEntry(_PERSON, "review", "accept a candidate under a kind, with evidence"),
    "remember": CommandEntry(_AGENT, "add", "record a candidate with its evidence"),
    "suggest": CommandEntry(_AGENT, "add", "propose something, and ask the person"),
}
FORMER = {
    "promote": "tacit accept ID --kind KIND --evidence TEXT",
    "remember": "tacit add --candidate TEXT --evidence TEXT",
    "suggest": "tacit add --candidate TEXT --evidence TEXT",
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
_COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()} | _FORMER_COMMANDS
SUMMARIES = {name: entry.summary for name, entry in _COMMANDS.items()}


def load_command(name: str) -> Command:
    """Return the command of this name. Only its own module is imported."""
    module = import_module(f"tacit.cli.{_COMMANDS[name].module}")
    command: Command = getattr(module, f"run_{name.replace('-', '_')}")
    return command


# Who may run what. The vault checks again when it records a decision, so that the same holds for a program that opens
# a home.

# The forms of a command that others may run than the command itself. A form is the words and options that must all be
# present; TARGET is any word. Of the forms that match, those with the most parts count, and of these the narrowest. A
# test has the options and subcommands that make no difference, so that a new one is not forgotten.
_FORM_ACCESS: Mapping[str, Mapping[str, AccessLevel]] = {
    "review": {"--dismiss": _PERSON},
    "undo": {"--list": _ANYBODY},
    "conflicts": {"--keep": _PERSON, "--keep-both": _PERSON},
    "check": {"--keep": _PERSON},
    "guard": {"on": _PERSON, "off": _PERSON, "allow": _PERSON},
    "trial": {"TARGET": _PERSON},
    "trust": {"--yes": _PERSON, "--revoke": _PERSON},
    "sync": dict.fromkeys(("--yes", "--keep", "--status", "--only", "--timer"), _PERSON),
    "why": {"--include": _PERSON},
    "workflow": dict.fromkeys(("new", "edit", "run", "rename", "rm", "export --to"), _PERSON),
    "learn": {"--model": _PERSON, "--answers": _PERSON},
    "setup": {"--yes": _PERSON, "--remove": _PERSON},
    "install": {"TARGET": _PERSON, "--yes": _PERSON, "--uninstall": _PERSON},
    "autocapture": {"on": _PERSON, "off": _PERSON, "off --session": _AGENT},
    "import": {"history --dry-run": _ANYBODY, "rules --dry-run": _ANYBODY},
    "config": {"set": _PERSON, "unset": _PERSON},
    "doctor": {"--mend": _PERSON, "--quarantine-unsigned": _PERSON, "--accept-unsigned": _PERSON},
    "init": dict.fromkeys(("--wrappers", "--no-wrappers", "--agent", "--no-merge-driver"), _PERSON),
}
ACCESS_RULES = {name: {"": entry.access, **_FORM_ACCESS.get(name, {})} for name, entry in _COMMANDS.items()}


def required_access(call: Invocation) -> AccessLevel:
    """Return who may run this call."""
    words = {*call.values, *call.args[:1], *(["TARGET"] if call.args else [])}
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


def command_to_type(call: Invocation) -> str:
    """Return the call as a person can type it: without `--yes`, so that they see changes and are asked, and without
    secrets."""
    from shlex import join

    from tacit.secrets import redacted

    takes_value = {option.name for option in call.command.all_options if option.metavar}
    options: list[str] = []
    for name, values in call.values.items():
        for value in values if name != "--yes" else ():
            # The text that an agent wants to purge may be the secret itself: `-` lets the person type it unseen.
            typed = "-" if (call.command.name, name) == ("purge", "--text") else value
            options += [name, typed] if name in takes_value else [name]
    is_ambiguous = any(word.startswith("-") for word in call.args)
    words = [*options, "--", *call.args] if is_ambiguous else [*call.args, *options]
    return redacted(join(["tacit", call.command.name, *words]))
