"""Commands with their options, the parser of their arguments, and the table of all commands and aliases.

The value of an option is taken as it is, even if it begins with `--`. So may a text: what people remember is full of
flags. A word that looks like a mistyped option is refused by every command. `--` ends the options, and `-` is a text
that is read from standard input. A dash and a letter are text, but for `-n N`, which is `--limit N` wherever that is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from tacit.errors import UsageError
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.cli.progress import ProgressBar
    from tacit.vault.vault import Vault


class Option(Record):
    """`--name VALUE`, or a flag when it takes no value.

    `short` is a form of one letter. It is for numbers: where no number follows, as in `grep -n`, it is text.
    """

    name: str
    metavar: str = ""
    help: str = ""
    repeatable: bool = False
    required: bool = False
    short: str = ""

    @property
    def usage(self) -> str:
        """How it is typed, as help texts show it."""
        return f"{self.short}{', ' * bool(self.short)}{self.name} {self.metavar}".rstrip()


_MIN_OPTION_CHARS = 3  # of what can be a mistyped option: `-x` is a flag of another program
_TEXT_USAGES = ("TEXT", "QUERY")  # in the usage of a command that takes any text
_NON_TEXT_METAVARS = ("DIR", "FILE", "FORMAT")  # values that are not read from standard input
HOME_OPTION = Option("--home", "PATH", "the home to use (default: $TACIT_HOME, else ~/.agents)")
JSON_OPTION = Option("--json", help="print JSON, for programs; docs/reference/json.md describes it")
EXIT_CODE_OPTION = Option("--exit-code", help="exit with 1 when nothing is found")


class Command(Record):
    """A command: its usage, options, an example that works, and the function that runs it.

    With `takes_any_text`, also a word that begins with `--` is text, wherever it is.
    """

    name: str
    usage: str
    help: str
    example: str
    run: Callable[[Invocation], int]
    options: tuple[Option, ...] = ()
    takes_any_text: bool = False

    @property
    def all_options(self) -> tuple[Option, ...]:
        return (*self.options, HOME_OPTION)


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
            from tacit.vault.vault import Vault

            options = StoreOptions(Following.PROCESS, progress=self.show_progress)
            self._vault = Vault(Home(self.value("--home"), options=options))
        return self._vault

    @property
    def is_vault_open(self) -> bool:
        return self._vault is not None

    def show_progress(self, task: str, done: int, total: int) -> None:
        """Show a bar for work that takes over a second. The work calls this now and then, with bytes done and to do."""
        if self._bar is None:
            from tacit.cli.progress import ProgressBar

            self._bar = ProgressBar()
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

    def value(self, name: str) -> str | None:
        """Return the last value of an option, None without it."""
        values = self.values.get(name)
        return values[-1] if values else None

    def text_value(self, name: str) -> str:
        """Return the value of an option, "" without it. `-` is read from standard input."""
        text = self.value(name) or ""
        is_text = not any(
            option.name == name and option.metavar in _NON_TEXT_METAVARS for option in self.command.options
        )
        if text == "-" and is_text:
            text = text_or_stdin(text)
            self.values[name] = [text]  # it can be read only once
        return text

    def all_values(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def flag(self, name: str) -> bool:
        return name in self.values

    def number(self, name: str, least: int = 1) -> int | None:
        """Return the value of an option as a number, None without it. Raise UsageError below `least`."""
        text = self.value(name)
        if text is None:
            return None
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or number > 1_000_000:
            raise UsageError(f"{name} wants a whole number of at least {least}, not {text!r}")
        return number

    def exit_code(self, *, found: bool) -> int:
        """Return 1 if nothing was found and --exit-code is given, else 0."""
        return 1 if self.flag(EXIT_CODE_OPTION.name) and not found else 0

    def text(self, option: str = "--text") -> str:
        """Return the arguments as one text, or the value of `option`. `-` is read from standard input.

        Raise UsageError if there is no text, or two.
        """
        value = self.value(option)
        if value is not None and self.args:
            raise UsageError(f"the text was given twice, as a word and with {option}")
        text = text_or_stdin(" ".join(self.args) if value is None else value)
        if "-" in (value, *self.args[:1]) and text != "-":  # it can be read only once
            self.args, self.values = [text], {name: values for name, values in self.values.items() if name != option}
        if not text.strip():
            raise self._usage_error(self.command.usage)
        return text

    def single_arg(self) -> str:
        if len(self.args) != 1:
            raise self._usage_error(self.command.usage)
        return self.args[0]

    def require_args(self) -> None:
        if not self.args:
            raise self._usage_error(self.command.usage)

    def refuse_args(self) -> None:
        if self.args:
            raise UsageError(f"tacit {self.command.name} takes no words, but got {self.args[0]!r}")

    def check_required(self) -> None:
        """Raise UsageError if a required option is missing."""
        for option in self.command.options:
            if option.required and not self.flag(option.name):
                raise self._usage_error(f"{option.name} {option.metavar}")

    def _usage_error(self, wanted: str) -> UsageError:
        return UsageError(f"tacit {self.command.name} wants {wanted}", f"for example: {self.command.example}")


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
        if word == "--":
            call.args += rest
            rest.clear()
        elif name in options and not (equals and not options[name].metavar):
            call.values.setdefault(name, []).append(_option_value(options[name], equals, attached, rest))
        elif _is_mistyped(word, command, call):
            raise _unknown_option(word, command)
        else:
            call.args.append(word)
    call.check_required()
    return call


def _option_value(option: Option, equals: str, attached: str, rest: deque[str]) -> str:
    if not option.metavar or equals:
        return attached
    if rest:
        return rest.popleft()
    raise UsageError(f"{option.name} wants a value: {option.name} {option.metavar}")


def text_or_stdin(text: str) -> str:
    """Return the text itself; for `-` the text from standard input."""
    if text != "-":
        return text
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()


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
    may_be_text = command.takes_any_text or (not call.args and any(text in command.usage for text in _TEXT_USAGES))
    return not may_be_text or _is_option_of_any_command(word.partition("=")[0])


def _close_options(word: str, command: Command) -> list[str]:
    from difflib import get_close_matches

    names = [option.name for option in command.all_options]
    cutoff = 0.75 if command.takes_any_text else 0.7
    return get_close_matches(f"--{word.partition('=')[0].lstrip('-')}", names, n=1, cutoff=cutoff)


def _is_option_of_any_command(name: str) -> bool:
    """Return whether any command has this option. All commands are imported for that: few texts begin with `--`."""
    from tacit.cli.commands import SUMMARIES, load_command

    return any(option.name == name for command in SUMMARIES for option in load_command(command).options)


def _unknown_option(word: str, command: Command) -> UsageError:
    near = _close_options(word, command)
    hint = f"did you mean {near[0]}? " if near else ""
    return UsageError(
        f"tacit {command.name} has no option {word!r}",
        f"{hint}If it is part of the text, put -- before the text. See: tacit {command.name} --help",
    )


# Every command by group, and the names that are aliases of a command. `tacit --help` shows the everyday commands,
# `tacit help all` all of them; neither imports a command.

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
        "team": "share memories with a team, through a server",
        "guard": "stop agents before they break a rule",
        "trust": "show and accept the facts of a cloned repository",
        "sync": "read hand edits of the pages, and meet your other machines",
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
        "import": "import histories, transcripts, rule files or another home",
        "export": "copy the log into a folder, or memories into AGENTS.md",
        "remote": "connect your machines through a folder or repository",
        "config": "show and change settings",
        "completion": "print completion for bash, zsh or fish",
    },
    "Look after": {
        "status": "show what is remembered and what waits for you",
        "web": "review, search and look around in the browser",
        "doctor": "check everything, and say what to type",
        "audit": "check CLAUDE.md, AGENTS.md and other rule files",
        "purge": "remove a text or a memory from every file",
    },
    "For shells, agents and scripts": {
        "init": "create the home, and tell agents about it",
        "hook": "print the code that a shell loads",
        "mcp": "serve memory to an agent over standard input and output",
        "merge-facts": "merge fact files by id, for git",
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
    "audit": "audit",
    "completion": "completion",
    "config": "autocapture config",
    "context": "context injected",
    "doctor": "doctor",
    "edit": "edit forget log redo restore share undo",
    "guard": "guard",
    "import_": "export import",
    "install": "install uninstall",
    "learn": "improve learn",
    "purge": "purge redact",
    "recall": "brief recall",
    "remote": "remote",
    "review": "accept dismiss promote review",
    "sessions": "sessions",
    "setup": "hook init mcp merge-facts pause resume",
    "show": "conflicts list show why",
    "status": "status",
    "sync": "sync trust",
    "team": "team",
    "try_": "try",
    "web": "web",
    "workflow": "workflow",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def load_command(name: str) -> Command:
    """Return the command of this name. Only its own module is imported."""
    command: Command = getattr(import_module(f"tacit.cli.{_MODULE_OF[name]}"), name.upper().replace("-", "_"))
    return command
