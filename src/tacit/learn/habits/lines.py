"""How much the arguments of a command line say: whether somebody would have to look them up.

`rsync -ru . web:/srv/www` says much, `git add -A` and `vim notes.txt` little. Options count, more if they are spelled
out or have a value; so do hosts, paths, files and quoted text, the commands behind a pipe, and scripts and targets that
somebody here has named. The weights were chosen on the histories of ten people.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from tacit.commandline.names import ParsedCommand, parse_commands
from tacit.commandline.programs import program_tables
from tacit.learn.habits.corrections import is_misspelled
from tacit.model.workflow import has_redaction

MAX_LINE_CHARS = 160  # nobody reads a longer one on a card
_MIN_WEIGHT = 1.5
_MIN_READING_WEIGHT = 2.5  # of a command that only looks at something
_LONG_OPTION, _VALUE_OPTION, _OPTIONS, _OPTION = 1.0, 1.5, 0.75, 0.5  # `--x`, `--x=1` and `--x 1`, `-xyz`, `-x`
_PLACE, _FILE, _WORD, _TEXT = 1.0, 0.5, 0.25, 1.5  # `web:/srv`, `a.txt` and `8080`, `staging`, `'cd x && make'`
_STAGE = 0.75  # a command behind a pipe, or a substitution
_NAMED = 1.5  # a script or target that somebody here has named
_PLACE_SIGN = re.compile(r"[/:@=]")
_FILE_SIGN = re.compile(r"[.\d]")
# What follows these words may be a secret in a form that nothing recognizes.
_SECRET_WORD = re.compile(r"pass(?:word|wd|phrase|wort)|secret|token|api[_-]?key|credential", re.IGNORECASE)
# Behind these words comes what is installed, fetched or named this time.
_GIT_NAMING = (
    "add|checkout|switch|commit|merge|branch|clone|rm|mv|tag|cherry-pick|show|diff|log|init|remote add|stash pop"
)
_NAMING = "install|uninstall|add|remove|search|info|show|list|reinstall|purge|clone|init|help|outdated|link"
_MOMENTARY_FAMILIES = re.compile(
    rf"(git ({_GIT_NAMING})|(pacman|yay|paru|dpkg) -\w+|gh repo clone|gh pr checkout|\S+ ({_NAMING}))( .*)?"
)
_OWN_FOLDERS = ("scripts/", "script/", "bin/", "tools/")


@lru_cache(maxsize=4096)
def informative_commands(line: str) -> tuple[str, ...]:
    """Return, of the commands of a line, those whose arguments say something, as typed."""
    return tuple([command.text for command in parse_commands(line) if _says_something(command)])


def is_momentary(family: str) -> bool:
    """Return whether a command is about what is looked at, edited, moved or fetched right now: no step of a ritual."""
    program = family.split(maxsplit=1)[0].rpartition("/")[2]
    return (
        program in program_tables().momentary or family.endswith(" clone") or len(family) == 1
    )  # an alias, mostly of an editor


@lru_cache(maxsize=4096)
def line_weight(line: str) -> float:
    """Return how much the arguments of a line say; 0 if it is not one command that says enough."""
    commands = parse_commands(line)
    return _weight(commands[0]) if len(commands) == 1 and _says_something(commands[0]) else 0.0


def _says_something(command: ParsedCommand) -> bool:
    text, family = command.text, command.family
    is_short = len(text) <= MAX_LINE_CHARS and "\n" not in text
    if command.is_trivial or not is_short or (len(command.words) < 2 and "/" not in text):
        return False
    if has_redaction(text) or _SECRET_WORD.search(text):
        return False
    if is_momentary(command.family) or not command.words[0].strip("./~"):
        return False
    least = _MIN_READING_WEIGHT if family in program_tables().read_only else _MIN_WEIGHT
    return _weight(command) >= least


def _weight(command: ParsedCommand) -> float:
    """Add up what the words behind the name of a command say."""
    family = command.family.split()
    words = command.words[len(family) :] if command.words[: len(family)] == (*family,) else command.words[1:]
    is_momentary = _MOMENTARY_FAMILIES.fullmatch(command.family) is not None
    weight = _STAGE * (len(command.consumers) + command.text.count("$("))
    weight += 0.0 if is_momentary else _name_weight(command, family)
    for at, word in enumerate(words):
        has_value = at + 1 < len(words) and words[at + 1][:1] != "-"
        if word[:1] == "-":
            weight += _option_weight(word, has_value=has_value)
        elif not is_momentary and word not in family:
            weight += _argument_weight(word)
    return weight


def _name_weight(command: ParsedCommand, family: list[str]) -> float:
    """Return what a script, a target or a host says that belongs to the name of the command."""
    tables, program = program_tables(), family[0]
    names = [part for name in family[1:] if name not in ("run", "--") for part in name.split(":")]
    if "/" in program:
        name = program.rpartition("/")[2]
        if name in program_tables().common_names or name.removesuffix(".sh") in program_tables().common_names:
            return 0.0
        is_script = "." in name or program.startswith(_OWN_FOLDERS)
        return _NAMED if is_script else _OPTIONS * (len(command.words) > 1)  # a folder by itself is where one goes
    if program in tables.ssh:
        return _NAMED if any("@" in name for name in names) else _FILE
    if program in tables.interpreters:
        return _PLACE if names and names[0][:1] != "-" and names[0] not in program_tables().common_names else 0.0
    manager = tables.package_managers.get(program)
    is_target = program in tables.task_runners or (manager and (manager.implicit_run or family[1:2] == ["run"]))
    if not is_target or (manager and family[-1] in manager.commands):
        return 0.0
    is_everybodys = all(
        name in program_tables().common_names or any(map(partial(is_misspelled, name), program_tables().common_names))
        for name in names
    )
    return 0.0 if is_everybodys else _NAMED


def _option_weight(word: str, *, has_value: bool) -> float:
    name, equals, _ = word.partition("=")
    if name in program_tables().common_options or name.strip("-") == "":
        return 0.0
    if word.startswith("--"):
        return _VALUE_OPTION if equals or has_value else _LONG_OPTION
    return _OPTIONS if len(word) > 2 or has_value else _OPTION


def _argument_weight(word: str) -> float:
    if " " in word:
        return _TEXT
    if _PLACE_SIGN.search(word) and not word.startswith(("http:", "https:")):
        return _PLACE
    return _FILE if _FILE_SIGN.search(word) else _WORD if len(word) > 1 else 0.0
