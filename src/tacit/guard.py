"""The guard: rules that stop an agent's calls, where they hold, what they match, and their files in a home.

Only a person's command writes the rules. Nothing else names a rule file: no repository, no variable and no option of a
hook. The sentence of a memory is not stored here; it is read from the index, so that a purge leaves no copy.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum

from tacit.commandline.bash import SimpleCommand
from tacit.commandline.executions import changed_by
from tacit.commandline.patterns import CommandPattern, ForbidsCommand, ProtectsFiles, RequiresBefore, matches_path
from tacit.disk.files import PRIVATE_FILE, OsDisk, list_folder, make_folder, open_plain, replace_file
from tacit.home.project import find_project, folder_scope
from tacit.model.claim import GLOBAL, project_scope
from tacit.record import Record
from tacit.text.display import regex

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


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
                changes = ((path, command.directory) for command in found for path in changed_by(_with_globs(command)))
                violations = (path for path, folder in changes if _is_protected(rule, path, folder, applies))
        if matched := next(iter(violations), ""):
            matches.append(RuleMatch(rule, matched))
    return matches


_GLOB = r"[\w./*?\[\]{},@+-]+\Z"  # a pattern of file names without an expansion whose value is not known


def _with_globs(command: SimpleCommand) -> SimpleCommand:
    """Return a command whose patterns of file names count as names: `rm migrations/*.sql` changes what is in there."""
    words = (
        word._replace(is_literal=word.is_literal or regex(_GLOB).match(word.text) is not None) for word in command.words
    )
    return command._replace(words=tuple(words))


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
            existing = folder
            while not os.path.isdir(existing) and existing != os.path.dirname(existing):
                existing = os.path.dirname(existing)
            project = find_project(existing, self._user_folder)
            scopes = map(project_scope, project.names) if project else [folder_scope(existing, self._user_folder)]
            self._scopes[folder] = frozenset(scopes)
        return rule.scope in self._scopes[folder]


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


# The rule file

RULE_FILE = os.path.join(".tacit", "guard.json")
CALL_FOLDER = os.path.join(".tacit", "guard")
ALLOW_SECONDS = 600  # a code and a permission are valid for so long
_RUN_SECONDS = 24 * 3600  # a required command counts for so long
_MAX_FILE_BYTES = 1 << 20
_OTHERS_MAY_WRITE = 0o022
_ALLOWED_SUFFIX = ".allowed"
_RUN_PREFIX = "run-"
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters that look alike
_CODE_LENGTH = 6
_PATTERN_FIELDS = frozenset(("forbidden", "instead", "first", "then"))
_EXPECTATIONS: dict[RuleKind, type[ForbidsCommand | RequiresBefore | ProtectsFiles]] = {
    RuleKind.FORBID: ForbidsCommand,
    RuleKind.PREFER: ForbidsCommand,
    RuleKind.REQUIRE: RequiresBefore,
    RuleKind.PROTECT: ProtectsFiles,
}


def _encode_rule(rule: GuardRule) -> dict[str, object]:
    expects = rule.expects._asdict()
    for name in _PATTERN_FIELDS.intersection(expects):
        expects[name] = [_without_defaults(pattern) for pattern in expects[name]]
    fields = {name: value for name, value in _without_defaults(rule).items() if name != "expects"}
    return {**fields, "kind": rule.kind.value, **expects}


def _without_defaults(record: Record) -> dict[str, object]:
    return {name: value for name, value in record._asdict().items() if value}


def _decode_rule(row: dict[str, Any]) -> GuardRule:
    fields = {name: row.pop(name) for name in ("id", "decision", "scope", "origin") if name in row}
    fields["decision"] = Decision(fields["decision"])
    make = _EXPECTATIONS[RuleKind(row.pop("kind"))]
    for name in _PATTERN_FIELDS.intersection(row):
        row[name] = tuple(CommandPattern(**{key: _tuples(value) for key, value in one.items()}) for one in row[name])
    known = {name: _tuples(value) for name, value in row.items() if name in make._fields}  # not all of another version
    return GuardRule(expects=make(**known), **fields)


def _tuples(value: object) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def load_rules(home: str) -> list[GuardRule]:
    """Return the rules of a home; none if there is no file.

    Raise OSError for a file that others can write, and ValueError, KeyError or TypeError for one without rules.
    """
    try:
        file = open_plain(os.path.join(home, RULE_FILE))
    except FileNotFoundError:
        return []
    with file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_MAY_WRITE:
            raise PermissionError(1, "others can write it", os.path.join(home, RULE_FILE))
        return [_decode_rule(row) for row in json.loads(file.read(_MAX_FILE_BYTES))["rules"]]


def save_rules(home: str, rules: Sequence[GuardRule]) -> None:
    """Write the rules of a home. Without rules the file is removed.

    Its first line has the needles, which hooks read without parsing JSON.
    """
    disk, path = OsDisk(home), os.path.join(home, RULE_FILE)
    if rules:
        rows = ",\n".join(json.dumps(_encode_rule(rule)) for rule in rules)
        content = f'{{"needles": {json.dumps(needles(rules))},\n"rules": [\n{rows}\n]}}\n'
        replace_file(disk, path, content.encode(), PRIVATE_FILE)
    else:
        with suppress(FileNotFoundError):
            disk.remove(path)


# Calls that wait for a permission


class StoppedCall(Record):
    """A call that a rule stopped. `digest` identifies the call, `at` is seconds since 1970."""

    code: str
    rule: str
    digest: str
    at: float


def stop_call(home: str, rule: GuardRule, call: str) -> str:
    """Record that a rule stopped a call. Return the code by which the person can allow it once."""
    digest = _digest(rule.id, call)
    number = int(digest[:12], 16)
    code = ""
    for _ in range(_CODE_LENGTH):
        number, letter = divmod(number, len(_CODE_LETTERS))
        code += _CODE_LETTERS[letter]
    stopped = StoppedCall(code, rule.id, digest, time.time())
    _write(home, code, json.dumps(stopped._asdict()))
    return code


def find_stopped(home: str, code: str) -> StoppedCall | None:
    """Return the call that a code stands for; None if there is none, or if it is too old."""
    if not code or not set(code) <= set(_CODE_LETTERS):
        return None
    try:
        with open_plain(os.path.join(home, CALL_FOLDER, code)) as file:
            stopped = StoppedCall(**json.loads(file.read(4096)))
    except (OSError, ValueError, TypeError):
        return None
    return stopped if _is_recent(stopped.at, ALLOW_SECONDS) else None


def allow_call(home: str, stopped: StoppedCall) -> None:
    """Allow a stopped call once."""
    _write(home, stopped.digest + _ALLOWED_SUFFIX, "")
    with suppress(OSError):
        OsDisk(home).remove(os.path.join(home, CALL_FOLDER, stopped.code))


def take_permission(home: str, rule: GuardRule, call: str) -> bool:
    """Return whether the person allowed this call. The permission is used up: of two equal calls one gets it."""
    path = os.path.join(home, CALL_FOLDER, _digest(rule.id, call) + _ALLOWED_SUFFIX)
    try:
        status = os.lstat(path)
        os.unlink(path)
    except OSError:
        return False
    return _is_recent(status.st_mtime, ALLOW_SECONDS) and status.st_uid == os.geteuid()


# Required commands


def mark_run(home: str, rule: GuardRule, session: str, *, ran: bool) -> None:
    """Record that the command that a rule requires was run in a session, or that it is required again."""
    name = _RUN_PREFIX + _digest(rule.id, session)
    if ran:
        _write(home, name, "")
    else:
        with suppress(OSError):
            OsDisk(home).remove(os.path.join(home, CALL_FOLDER, name))


def was_run(home: str, rule: GuardRule, session: str) -> bool:
    """Return whether the command that a rule requires was run in a session since it was last required."""
    try:
        status = os.lstat(os.path.join(home, CALL_FOLDER, _RUN_PREFIX + _digest(rule.id, session)))
    except OSError:
        return False
    return _is_recent(status.st_mtime, _RUN_SECONDS)


def _digest(*parts: str) -> str:
    from hashlib import blake2s

    return blake2s("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _is_recent(at: float, seconds: int) -> bool:
    return -seconds < time.time() - at < seconds


def _write(home: str, name: str, text: str) -> None:
    """Write a small file, and remove old ones."""
    folder = os.path.join(home, CALL_FOLDER)
    make_folder(folder, below=home)
    disk = OsDisk(home)
    for other in list_folder(folder):
        path = os.path.join(folder, other)
        limit = _RUN_SECONDS if other.startswith(_RUN_PREFIX) else ALLOW_SECONDS
        with suppress(OSError):
            if not _is_recent(os.lstat(path).st_mtime, limit):
                disk.remove(path)
    fd = disk.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    try:
        disk.write(fd, text.encode())
        os.utime(fd)
    finally:
        disk.close(fd)
