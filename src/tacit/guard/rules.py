"""Guard rules and matching, as pure functions: a rule, a command line or edited files, and a match or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase

from tacit.guard.executions import Execution
from tacit.guard.scan import Word, scan_commands
from tacit.record import Record


class RuleKind(StrEnum):
    """What a rule says."""

    FORBID = "forbid"  # do not run `command`
    PREFER = "prefer"  # run `instead`, not `command`
    REQUIRE = "require_before"  # run `before` in this session before `command`
    PROTECT = "protect"  # do not change `paths`


class Decision(StrEnum):
    """What happens to a call that a rule matches."""

    WARN = "warn"
    ASK = "ask"
    DENY = "deny"


class GuardRule(Record):
    """A rule that the person switched on, compiled from the memory with this id.

    `scope` is where it holds. `command`, `before` and `instead` are command lines of a program, words and flags.
    `paths` are patterns, relative to the project. `origin` is when and where the person said it.
    """

    id: str
    kind: RuleKind
    decision: Decision = Decision.ASK
    scope: str = "global"
    command: str = ""
    instead: str = ""
    before: str = ""
    paths: tuple[str, ...] = ()
    origin: str = ""


class CommandPattern(Record):
    """A program, the words that must follow it, and flags that must be among its options."""

    program: str
    words: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class RuleMatch(Record):
    """A rule and the command or path that it matched."""

    rule: GuardRule
    matched: str


Applies = Callable[[GuardRule, str | None], bool]  # whether a rule holds in a directory, which may be unknown


# Patterns of commands

_VALUE_OPTIONS = {
    "git": frozenset("-C -c --git-dir --work-tree --namespace --exec-path".split()),
    "docker": frozenset("-H -c --context --host --config -l --log-level".split()),
    "kubectl": frozenset("-n --namespace --context --cluster --kubeconfig".split()),
    "helm": frozenset("-n --namespace --kube-context --kubeconfig".split()),
    "npm": frozenset("--prefix -w --workspace --loglevel --registry".split()),
    "pnpm": frozenset("-C --dir --filter -F --loglevel".split()),
    "yarn": frozenset("--cwd".split()),
    "make": frozenset("-C -f -I -o --directory --file".split()),
    "just": frozenset("-f --justfile -d --working-directory".split()),
    "cargo": frozenset("--manifest-path --config -Z --color".split()),
    "go": frozenset("-C".split()),
    "terraform": frozenset(),
    "aws": frozenset("--profile --region --output --endpoint-url".split()),
    "gcloud": frozenset("--project --account --configuration".split()),
    "gh": frozenset("-R --repo".split()),
    "uv": frozenset("--project --directory --config-file --color".split()),
    "systemctl": frozenset("-t --type -H --host -M".split()),
}
_TARGET_PROGRAMS = frozenset(("make", "gmake", "just", "rake", "ninja", "task", "mage"))  # take several targets
# Short flags that mean the same as a long one, by program or by program and word
_LONG_FLAGS = {
    "rm": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "cp": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "git push": {"-f": "--force", "-d": "--delete", "-n": "--dry-run"},
    "git commit": {"-n": "--no-verify", "-a": "--all"},
    "git add": {"-A": "--all", "-f": "--force"},
    "git clean": {"-f": "--force"},
    "git checkout": {"-f": "--force"},
    "git branch": {"-d": "--delete", "-f": "--force"},
    "npm": {"-g": "--global"},
    "pnpm": {"-g": "--global"},
    "docker": {"-f": "--force"},
    "kubectl": {"-f": "--filename"},
}
_VALUE_LETTERS = {"git": "mFCct", "tar": "f", "curl": "XHdou", "ssh": "ipl"}  # the rest of the word is their value
_MAX_CLUSTER = 5  # characters of several short flags in one word; a longer word is a long flag with one dash
_INQUIRIES = frozenset(("--version", "-v", "-V", "--help", "-h", "help", "version"))


def parse_pattern(text: str) -> CommandPattern | None:
    """Return the pattern that a command line states; None if it is not one plain command."""
    try:
        commands = scan_commands(text)
    except ValueError:
        return None
    if len(commands) != 1 or commands[0].outputs or not all(word.is_literal for word in commands[0].words):
        return None
    program, *rest = [word.text for word in commands[0].words] or [""]
    program = program.rpartition("/")[2]
    if not program or program.startswith("-") or "=" in program:
        return None
    words = tuple(word for word in rest if not word.startswith("-"))
    return CommandPattern(program, words, tuple(word for word in rest if word.startswith("-")))


def matches_pattern(pattern: CommandPattern, execution: Execution) -> bool:
    """Return whether a command is one that the pattern names."""
    if execution.program != pattern.program:
        return False
    arguments = execution.words[1:]
    if not pattern.words and not pattern.flags and len(arguments) == 1 and arguments[0].text in _INQUIRIES:
        return False
    positionals = _positionals(pattern.program, arguments)
    if pattern.program in _TARGET_PROGRAMS:
        has_words = all(Word(word) in map(_plain, positionals) for word in pattern.words)
    else:
        leading = positionals[: len(pattern.words)]
        has_words = tuple(word.text for word in leading if word.is_literal) == pattern.words
    return has_words and _has_flags(pattern, arguments)


def _plain(word: Word) -> Word:
    return Word(word.text, word.is_literal)


def _positionals(program: str, arguments: Sequence[Word]) -> list[Word]:
    """Return the arguments that are neither options nor values of options that are known to have one."""
    value_options = _VALUE_OPTIONS.get(program, frozenset())
    found: list[Word] = []
    at = 0
    while at < len(arguments):
        text = arguments[at].text
        if text == "--":
            return found + list(arguments[at + 1 :])
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in value_options else 1
        elif text.startswith("+") and program == "cargo":  # the toolchain
            at += 1
        else:
            found.append(arguments[at])
            at += 1
    return found


def _has_flags(pattern: CommandPattern, arguments: Sequence[Word]) -> bool:
    if not pattern.flags:
        return True
    names = _long_flag_names(pattern)
    given = set()
    for word in arguments:
        if word.text == "--":
            break
        if word.text.startswith("-"):
            given |= set(_split_flags(word.text, _VALUE_LETTERS.get(pattern.program, "")))
    given |= {names[flag] for flag in given if flag in names}
    wanted = {part for flag in pattern.flags for part in _split_flags(flag, "")}
    return {names.get(flag, flag) for flag in wanted} <= given


def _long_flag_names(pattern: CommandPattern) -> dict[str, str]:
    of_program = _LONG_FLAGS.get(pattern.program, {})
    return {**of_program, **_LONG_FLAGS.get(" ".join((pattern.program, *pattern.words[:1])), {})}


def _split_flags(text: str, value_letters: str) -> Iterator[str]:
    """Yield the flags of a word: `-rf` is `-r` and `-f`, `--depth=1` is `--depth`. The word itself is one, too."""
    name = text.partition("=")[0]
    if name.startswith("--") or len(name) > _MAX_CLUSTER or not name[1:].isalpha():
        yield name
        return
    for letter in name[1:]:
        yield f"-{letter}"
        if letter in value_letters:
            return


# Matching

_CHANGES_ALL = frozenset(("rm", "mv", "tee", "truncate", "shred", "unlink", "rmdir", "chmod", "chown"))
_CHANGES_LAST = frozenset(("cp", "ln", "install", "rsync"))
_CHANGES_WITH_I = frozenset(("sed", "gsed", "perl", "ruby"))


def match_commands(
    rules: Iterable[GuardRule], found: Sequence[Execution], applies: Applies, was_run: Callable[[GuardRule], bool]
) -> list[RuleMatch]:
    """Return the rules that what a line executes violates, each once, in the order of the rules.

    `was_run` says whether the command that a rule requires was run in this session already.
    """
    matches = []
    for rule in rules:
        if matched := _match_rule(rule, found, applies, was_run):
            matches.append(RuleMatch(rule, matched))
    return matches


def _match_rule(
    rule: GuardRule, found: Sequence[Execution], applies: Applies, was_run: Callable[[GuardRule], bool]
) -> str:
    """Return the text of the command that violates a rule, "" if none does."""
    if rule.kind is RuleKind.PROTECT:
        changed = ((path, execution.directory) for execution in found for path in changed_paths(execution))
        return next((path for path, directory in changed if _is_protected(rule, path, directory, applies)), "")
    pattern = parse_pattern(rule.command)
    required = parse_pattern(rule.before) if rule.kind is RuleKind.REQUIRE else None
    for execution in found:
        if required and matches_pattern(required, execution):
            return ""  # it runs earlier in this line
        if (
            pattern
            and matches_pattern(pattern, execution)
            and not _is_replacement(rule, execution)
            and applies(rule, execution.directory)
        ):
            return "" if required and was_run(rule) else " ".join(word.text for word in execution.words)
    return ""


def last_run(rule: GuardRule, found: Sequence[Execution]) -> str:
    """Return which command of a rule that requires one a line runs last: its `before`, its `command`, or ""."""
    patterns = [(text, pattern) for text in (rule.before, rule.command) if (pattern := parse_pattern(text))]
    runs = [text for execution in found for text, pattern in patterns if matches_pattern(pattern, execution)]
    return runs[-1] if runs else ""


def _is_replacement(rule: GuardRule, execution: Execution) -> bool:
    """Return whether the command is run by what the person wants instead: `uv run pytest` for `pytest`."""
    wanted = tuple(rule.instead.split())
    layers = (*execution.outer, execution.words)
    return bool(wanted) and any(tuple(word.text for word in layer[: len(wanted)]) == wanted for layer in layers)


def changed_paths(execution: Execution) -> Iterator[str]:
    """Yield the files that a command surely writes, removes or replaces."""
    for output in execution.outputs:
        if output.is_literal:
            yield output.text
    program, arguments = execution.program, execution.words[1:]
    paths = [word for word in arguments if word.is_literal and not word.text.startswith("-")]
    if program in _CHANGES_LAST:
        paths = paths[-1:] if len(paths) > 1 else []
    elif program in _CHANGES_WITH_I:
        is_in_place = any(word.text.startswith(("-i", "--in-place", "-pi")) for word in arguments)
        paths = paths if is_in_place else []
    elif program == "git" and paths and paths[0].text in ("rm", "mv"):
        paths = paths[1:]
    elif program not in _CHANGES_ALL:
        paths = []
    for path in paths:
        yield path.text


def match_paths(rules: Iterable[GuardRule], paths: Sequence[str], applies: Applies) -> list[RuleMatch]:
    """Return the rules that protect one of the paths, which an edit would change."""
    protecting = [rule for rule in rules if rule.kind is RuleKind.PROTECT]
    found = (
        (rule, next((path for path in paths if _is_protected(rule, path, "", applies)), "")) for rule in protecting
    )
    return [RuleMatch(rule, path) for rule, path in found if path]


def _is_protected(rule: GuardRule, path: str, directory: str | None, applies: Applies) -> bool:
    if directory and not path.startswith(("/", "~")):
        path = f"{directory}/{path}"
    elif directory is None and not path.startswith("/"):
        return False
    whole = os.path.normpath(path)
    return any(matches_path(pattern, whole) for pattern in rule.paths) and applies(rule, os.path.dirname(path))


def matches_path(pattern: str, path: str) -> bool:
    """Return whether a path, or a folder that it is in, ends with the names of a pattern.

    `migrations/` matches everything in a folder of that name, `*.lock` every such file, `api/schema.json` that file.
    A pattern that begins with `/` matches from the root of the file system.
    """
    names = [name for name in pattern.split("/") if name]
    parts = [part for part in path.split("/") if part]
    starts = [0] if pattern.startswith("/") else range(len(parts) - len(names) + 1)
    return bool(names) and any(
        len(parts) >= start + len(names)
        and all(fnmatchcase(part, name) for part, name in zip(parts[start:], names, strict=False))
        for start in starts
    )


def needles(rules: Iterable[GuardRule]) -> list[str]:
    """Return texts, one of which every call contains that a rule may match. They have letters of ASCII only."""
    found: dict[str, None] = {}
    for rule in rules:
        for text in (rule.command, rule.before):
            if pattern := parse_pattern(text) if text else None:
                found[_longest_ascii_run(pattern.words[-1] if pattern.words else pattern.program)] = None
        for path in rule.paths:
            pieces = (
                piece for name in path.split("/") for piece in name.replace("?", "*").replace("[", "*").split("*")
            )
            found[_longest_ascii_run(max(pieces, key=len, default=""))] = None
    return list(found)


def _longest_ascii_run(text: str) -> str:
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "._+-") else " " for char in text)
    return max(plain.split(), key=len, default="")
