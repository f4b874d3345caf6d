"""What a command is, and how its words are read.

A value is taken as it stands even when it begins with `--`, and texts may begin so too: what people remember is
full of flags. A word that looks like a mistyped option is refused in every verb. `--` ends the options, and `-` is a
text that is read from standard input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.errors import UsageError
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.vault.vault import Vault


class Option(Record):
    """`--name VALUE`, or a flag when it takes no value."""

    name: str
    metavar: str = ""
    help: str = ""
    repeatable: bool = False
    required: bool = False


_MIN_OPTION_CHARS = 3  # letters of what can be a mistyped option: `-x` is a flag of another program
_TEXT_USAGES = ("TEXT", "QUERY")  # words of a verb that takes any text
_NON_TEXT_METAVARS = ("DIR", "FILE", "FORMAT")  # values that are not read from standard input
HOME_OPTION = Option("--home", "PATH", "the home to use (default: $TACIT_HOME, else ~/.agents)")
JSON_OPTION = Option("--json", help="print JSON, for programs; docs/reference/json.md describes it")
EXIT_CODE_OPTION = Option("--exit-code", help="exit with 1 when nothing is found")


class Command(Record):
    """One verb: its words, its options, an example that runs, and what it does."""

    name: str
    usage: str
    help: str
    example: str
    run: Callable[[Invocation], int]
    options: tuple[Option, ...] = ()
    takes_any_text: bool = False  # any text is one to this verb, also one that begins with a flag

    @property
    def all_options(self) -> tuple[Option, ...]:
        return (*self.options, HOME_OPTION)


class Invocation:
    """A command with what was typed after it."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.args: list[str] = []
        self.values: dict[str, list[str]] = {}
        self._vault: Vault | None = None

    @property
    def vault(self) -> Vault:
        """The home this call is about, opened when it is first asked for."""
        if self._vault is None:
            from tacit.home.home import Home
            from tacit.vault.vault import Vault

            self._vault = Vault(Home(self.value("--home")))
        return self._vault

    def close(self) -> None:
        if self._vault is not None:
            self._vault.close()
            self._vault = None

    def value(self, name: str) -> str | None:
        given = self.values.get(name)
        return given[-1] if given else None

    def text_value(self, name: str) -> str:
        """What an option says; for `-` what standard input holds."""
        given = self.value(name) or ""
        if given == "-" and not any(
            one.name == name and one.metavar in _NON_TEXT_METAVARS for one in self.command.options
        ):
            given = text_or_stdin(given)
            self.values[name] = [given]  # it can be read once
        return given

    def all_values(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def flag(self, name: str) -> bool:
        return name in self.values

    def number(self, name: str, least: int = 1) -> int | None:
        given = self.value(name)
        if given is None:
            return None
        try:
            number = int(given)
        except ValueError:
            number = least - 1
        if number < least or number > 1_000_000:
            raise UsageError(f"{name} wants a whole number of at least {least}, not {given!r}")
        return number

    def exit_code(self, *, found: bool) -> int:
        """Nothing found is no failure, unless a program wants to be told by the exit code."""
        return 1 if self.flag(EXIT_CODE_OPTION.name) and not found else 0

    def text(self, also: str = "--text") -> str:
        """The words as one text, or what `--text` gave."""
        given = self.value(also)
        if given is not None and self.args:
            raise UsageError(f"the text was given twice, as a word and with {also}")
        text = text_or_stdin(" ".join(self.args) if given is None else given)
        if "-" in (given, *self.args[:1]) and text != "-":  # it can be read once
            self.args, self.values = [text], {name: told for name, told in self.values.items() if name != also}
        if not text.strip():
            raise UsageError(
                f"tacit {self.command.name} wants {self.command.usage}", f"for example: {self.command.example}"
            )
        return text

    def single_arg(self) -> str:
        if len(self.args) != 1:
            raise UsageError(
                f"tacit {self.command.name} wants {self.command.usage}", f"for example: {self.command.example}"
            )
        return self.args[0]

    def require_args(self) -> None:
        if not self.args:
            raise UsageError(
                f"tacit {self.command.name} wants {self.command.usage}", f"for example: {self.command.example}"
            )

    def refuse_args(self) -> None:
        if self.args:
            raise UsageError(f"tacit {self.command.name} takes no words, but got {self.args[0]!r}")


def parse_args(command: Command, arguments: Sequence[str]) -> Invocation:
    """Sort what was typed into words and values."""
    options = {option.name: option for option in command.all_options}
    call = Invocation(command)
    rest = iter(arguments)
    for word in rest:
        name, equals, attached = word.partition("=")
        if word == "--":
            call.args += rest
        elif name in options and not (equals and not options[name].metavar):
            call.values.setdefault(name, []).append(_option_value(options[name], equals, attached, rest))
        elif _is_mistyped(word, command, call):
            raise _unknown_option(word, command)
        else:
            call.args.append(word)
    _check_required(call)
    return call


def _option_value(option: Option, equals: str, attached: str, rest: Iterable[str]) -> str:
    if not option.metavar or equals:
        return attached
    for following in rest:
        return following
    raise UsageError(f"{option.name} wants a value: {option.name} {option.metavar}")


def text_or_stdin(text: str) -> str:
    """The text itself; for `-` what standard input holds."""
    if text != "-":
        return text
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()


def _is_mistyped(word: str, command: Command, call: Invocation) -> bool:
    """Whether a word is meant as an option and is none: it is spelled nearly like one, it is one of another verb, or it
    stands where no text begins."""
    if len(word) < _MIN_OPTION_CHARS or not word.startswith("-") or any(sign.isspace() for sign in word):
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
    nearness = 0.75 if command.takes_any_text else 0.7
    return get_close_matches(f"--{word.partition('=')[0].lstrip('-')}", names, n=1, cutoff=nearness)


def _is_option_of_any_command(name: str) -> bool:
    """Whether any verb has this option. All verbs are loaded for it: few texts begin with `--`."""
    from tacit.cli.commands import SUMMARIES, load_command

    return any(option.name == name for verb in SUMMARIES for option in load_command(verb).options)


def _unknown_option(word: str, command: Command) -> UsageError:
    near = _close_options(word, command)
    hint = f"did you mean {near[0]}? " if near else ""
    return UsageError(
        f"tacit {command.name} has no option {word!r}",
        f"{hint}If it is part of the text, put -- before the text. See: tacit {command.name} --help",
    )


def _check_required(call: Invocation) -> None:
    for option in call.command.options:
        if option.required and not call.flag(option.name):
            raise UsageError(
                f"tacit {call.command.name} wants {option.name} {option.metavar}",
                f"for example: {call.command.example}",
            )
