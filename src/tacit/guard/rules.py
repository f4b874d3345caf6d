"""Guard rules, where they hold, and matching: a rule, a command line or edited files, and a match or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

from tacit.commandline.bash import SimpleCommand
from tacit.commandline.executions import changed_by
from tacit.commandline.patterns import CommandPattern, ForbidsCommand, ProtectsFiles, RequiresBefore, matches_path
from tacit.home.project import find_project, folder_scope
from tacit.model.claim import GLOBAL, project_scope
from tacit.record import Record

Enforceable = ForbidsCommand | RequiresBefore | ProtectsFiles
_MAX_NAMED = 5


class RuleKind(StrEnum):
    """What a rule says."""

    FORBID = "forbid"  # do not run `commands`
    PREFER = "prefer"  # run `instead`, not `commands`
    REQUIRE = "require_before"  # run one of `before` in this session before `commands`
    PROTECT = "protect"  # do not change `paths`


class Decision(StrEnum):
    """What happens to a call that a rule matches."""

    WARN = "warn"
    ASK = "ask"
    DENY = "deny"


class GuardRule(Record):
    """A rule that the person switched on: what the memory with this id expects of tool calls.

    `scope` is where it holds, `origin` is when and where the person said it.
    """

    id: str
    expects: Enforceable
    decision: Decision = Decision.ASK
    scope: str = "global"
    origin: str = ""

    @property
    def kind(self) -> RuleKind:
        match self.expects:
            case ForbidsCommand(instead=instead):
                return RuleKind.PREFER if instead else RuleKind.FORBID
            case RequiresBefore():
                return RuleKind.REQUIRE
            case ProtectsFiles():
                return RuleKind.PROTECT

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that the rule stops, as the person states them."""
        match self.expects:
            case ForbidsCommand(forbidden=patterns) | RequiresBefore(then=patterns):
                return _texts(patterns)
        return ()

    @property
    def instead(self) -> tuple[str, ...]:
        """The commands to be run in place of them."""
        return _texts(self.expects.instead) if isinstance(self.expects, ForbidsCommand) else ()

    @property
    def before(self) -> tuple[str, ...]:
        """The commands of which one has to be run before."""
        return _texts(self.expects.first) if isinstance(self.expects, RequiresBefore) else ()

    @property
    def paths(self) -> tuple[str, ...]:
        return self.expects.paths if isinstance(self.expects, ProtectsFiles) else ()

    @property
    def stops(self) -> str:
        """What the rule stops, for people to read."""
        stops = enumerate_names(self.commands)
        match self.kind:
            case RuleKind.PROTECT:
                return f"changes of {enumerate_names(self.paths)}"
            case RuleKind.REQUIRE:
                return f"{stops} without {enumerate_names(self.before)} before it"
            case RuleKind.PREFER:
                return f"{stops} (instead: {enumerate_names(self.instead)})"
            case RuleKind.FORBID:
                return stops


def _texts(patterns: Iterable[CommandPattern]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pattern.text for pattern in patterns))


def enumerate_names(names: Sequence[str]) -> str:
    """Return names as a person would enumerate them: `a, b or c`. Of many, the first few and how many others."""
    if len(names) > _MAX_NAMED:
        return f"{', '.join(names[:_MAX_NAMED])} or {len(names) - _MAX_NAMED} others"
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


class RuleMatch(Record):
    """A rule and the command or path that it matched."""

    rule: GuardRule
    matched: str


Applies = Callable[[GuardRule, str | None], bool]  # whether a rule holds in a directory, which may be unknown


def match_commands(
    rules: Iterable[GuardRule], found: Sequence[SimpleCommand], applies: Applies, was_run: Callable[[GuardRule], bool]
) -> list[RuleMatch]:
    """Return the rules that what a line executes violates, each once, in the order of the rules.

    `was_run` says whether the command that a rule requires was run in this session already.
    """
    matches = []
    for rule in rules:
        violations: Iterable[str]
        match rule.expects:
            case ForbidsCommand():
                forbidden = (command for command in found if rule.expects.is_violated_by(command))
                violations = (_text(command) for command in forbidden if applies(rule, command.directory))
            case RequiresBefore():
                violations = () if was_run(rule) else _too_early(rule, rule.expects, found, applies)
            case ProtectsFiles():
                changes = ((path, command.directory) for command in found for path in changed_by(command))
                violations = (path for path, folder in changes if _is_protected(rule, path, folder, applies))
        if matched := next(iter(violations), ""):
            matches.append(RuleMatch(rule, matched))
    return matches


def _text(command: SimpleCommand) -> str:
    return " ".join(word.text for word in command.words)


def _too_early(
    rule: GuardRule, expected: RequiresBefore, found: Sequence[SimpleCommand], applies: Applies
) -> Iterator[str]:
    """Yield the command that needs another one first, unless that runs earlier in the line."""
    for command in found:
        if any(pattern.matches(command.words) for pattern in expected.first):
            return
        if any(pattern.matches(command.words) for pattern in expected.then) and applies(rule, command.directory):
            yield _text(command)


def fulfils_last(rule: GuardRule, found: Sequence[SimpleCommand]) -> bool | None:
    """Return whether the last command of a line that concerns a rule is the one it requires. None if none does."""
    if not isinstance(rule.expects, RequiresBefore):
        return None
    for command in reversed(found):
        if any(pattern.matches(command.words) for pattern in rule.expects.first):
            return True
        if any(pattern.matches(command.words) for pattern in rule.expects.then):
            return False
    return None


def match_paths(rules: Iterable[GuardRule], paths: Sequence[str], applies: Applies) -> list[RuleMatch]:
    """Return the rules that protect one of the paths, which an edit would change."""
    found = ((rule, next((path for path in paths if _is_protected(rule, path, "", applies)), "")) for rule in rules)
    return [RuleMatch(rule, path) for rule, path in found if path]


def _is_protected(rule: GuardRule, path: str, directory: str | None, applies: Applies) -> bool:
    if directory and not path.startswith(("/", "~")):
        path = f"{directory}/{path}"
    elif directory is None and not path.startswith("/"):
        return False
    whole = os.path.normpath(path)
    return any(matches_path(pattern, whole) for pattern in rule.paths) and applies(rule, os.path.dirname(path))


class RuleScopes:
    """The scopes of the directories that a line works in, each looked up once: a project, or a folder that is none."""

    def __init__(self, directory: str, user_folder: str) -> None:
        self._directory, self._user_folder = directory, user_folder
        self._scopes: dict[str, frozenset[str]] = {}

    def applies(self, rule: GuardRule, directory: str | None) -> bool:
        """Return whether a rule holds in a directory, relative to where the line runs. None: it is not known."""
        if rule.scope == GLOBAL:
            return True
        if directory is None:
            return False
        if directory.startswith("~"):
            directory = self._user_folder + directory[1:]
        folder = os.path.normpath(os.path.join(self._directory, directory))
        if folder not in self._scopes:
            self._scopes[folder] = self._find_scopes(folder)
        return rule.scope in self._scopes[folder]

    def _find_scopes(self, folder: str) -> frozenset[str]:
        while not os.path.isdir(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if project := find_project(folder, self._user_folder):
            return frozenset(map(project_scope, project.names))
        return frozenset((folder_scope(folder, self._user_folder),))


# Needles

_MIN_NEEDLE_CHARS = 3


def needles(rules: Iterable[GuardRule]) -> list[str]:
    """Return texts, one of which every call contains that a rule may match. They have letters of ASCII only."""
    found: dict[str, None] = {}
    for rule in rules:
        match rule.expects:
            case ForbidsCommand(forbidden=patterns):
                found |= dict.fromkeys(_command_needles(patterns))
            case RequiresBefore(first=first, then=then):
                found |= dict.fromkeys(_command_needles((*then, *first)))
            case ProtectsFiles(paths=paths):
                for path in paths:
                    pieces = path.replace("?", "*").replace("[", "*").replace("/", "*").split("*")
                    found[_longest_ascii_run(max(pieces, key=len, default=""))] = None
    return list(found)


def _command_needles(patterns: Iterable[CommandPattern]) -> Iterator[str]:
    """Yield a text for each pattern: the last word, which is rarer than the program, or the program."""
    for pattern in patterns:
        plain = [group for group in pattern.required if not group[0].startswith("-")]
        spellings = (*pattern.words, *plain)[-1] if pattern.words or plain else ()
        if spellings and min(map(len, spellings)) >= _MIN_NEEDLE_CHARS:
            yield from map(_longest_ascii_run, spellings)
        else:
            yield _longest_ascii_run(pattern.program)


def _longest_ascii_run(text: str) -> str:
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "._+-") else " " for char in text)
    return max(plain.split(), key=len, default="")
