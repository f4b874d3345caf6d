"""Which commands only look, which repair, and which are never advice."""

from __future__ import annotations

import re
from functools import cache

from tacit.learn import load_data
from tacit.learn.command_names import ParsedCommand
from tacit.learn.fixes.compare import CommandAttempt

# They change nothing that another command needs.
_READ_ONLY = frozenset(
    "grep rg ag ack find fd locate wc sort uniq cut awk sed jq yq diff comm file stat du df ps pgrep lsof ss netstat "
    "top htop free hexdump xxd od strings nm ldd readlink realpath basename dirname curl wget http dig host ping nc "
    "strace jobs column tr tee xargs".split()
) | {"kubectl get", "helm get", "git config --get"}
_READ_ONLY_VERBS = frozenset(
    "status log diff show branch ls-files ls-tree remote rev-parse rev-list describe blame reflog shortlog "
    "check-ignore merge-base cat-file ls-remote for-each-ref list ls info view outdated why ps logs images inspect "
    "explain version help env doctor search tree whoami which".split()
)
_ASKS = frozenset(("--version", "--help", "help", "version", "--dry-run", "--list"))
# They set a place or a variable for what stands behind them.
_ENTERS = frozenset("cd pushd export source . eval nvm direnv asdf conda pyenv workon".split())

# A command that puts right what another complained of: it formats, installs, generates, brings up to date.
_REPAIR = re.compile(
    r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--fix|--write|fix|install|ci|sync|restore|"
    r"bootstrap|setup|generate|codegen|gen|tidy|vendor|download|migrate|build|compile)(?:[\s:_.-]|$)"
)


@cache
def bypass_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of `bypasses.toml`."""
    return tuple(re.compile(row["pattern"]) for rows in load_data("fixes/bypasses.toml").values() for row in rows)


def is_bypass(before: CommandAttempt, after: str) -> bool:
    """Return whether a command gets around something that the other did not."""
    return any(pattern.search(after) and not pattern.search(before.text) for pattern in bypass_patterns())


def is_read_only(part: ParsedCommand) -> bool:
    words = part.words
    if part.family in _ENTERS or words[:1] == (".",):
        return False
    if part.is_trivial or part.family in _READ_ONLY or (words and words[0] in _READ_ONLY):
        return not (words[:1] == ("sed",) and any(word.startswith("-i") for word in words))
    verb = part.family.rpartition(" ")[2]
    return verb in _READ_ONLY_VERBS or not _ASKS.isdisjoint(words[1:])


def enters(part: ParsedCommand) -> bool:
    return part.family in _ENTERS or part.family.endswith("=") or part.words[:1] == (".",)


def has_effect(command: CommandAttempt) -> bool:
    """Whether a line may have changed something that another command needs. To go elsewhere is to do so by itself."""
    rest = [part for part in command.commands if not is_read_only(part)]
    return any(not enters(part) for part in rest) or (bool(rest) and len(rest) == len(command.commands))


def asks_only(part: ParsedCommand) -> bool:
    """Whether a command only asks if a program is there, or which one."""
    return not _ASKS.isdisjoint(part.words[1:3]) or part.words[:1] in (("which",), ("type",), ("command",), ("where",))


def is_repair(text: str) -> bool:
    return _REPAIR.search(text) is not None


_FORMATS = re.compile(r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--write)(?:[\s:_.-]|$)")


def formats(text: str) -> bool:
    """Whether a command only changes how the code looks."""
    return _FORMATS.search(text) is not None


_READERS = frozenset(
    "cat less more head tail grep rg ag find ls sed awk jq git curl gh diff tree bat journalctl".split()
)


def shows_files(command: CommandAttempt) -> bool:
    """Whether what a line prints may be anything: then nothing in it can be taken for an error."""
    return not command.commands or any(map(_reads, command.commands))


def shows_first(command: CommandAttempt) -> bool:
    """Whether that is so of what a line prints at first."""
    first = next((part for part in command.commands if not enters(part)), None)
    return first is None or _reads(first)


def _reads(part: ParsedCommand) -> bool:
    return bool(part.words) and part.words[0] in _READERS


def compares(command: CommandAttempt) -> bool:
    """Whether a line fails to say that things differ."""
    return (
        bool(command.commands)
        and all(is_read_only(part) for part in command.commands)
        and any(
            part.words[:1] in (("diff",), ("cmp",), ("comm",), ("test",)) or part.family == "git diff"
            for part in command.commands
        )
    )


_EXPECTED = re.compile(
    r"\b(?:should|must|expect(?:ed|s)?(?: to)?|will|supposed to) (?:fail|error|be rejected|not work)\b", re.IGNORECASE
)


def expects_failure(text: str) -> bool:
    """Whether a line says that it is run to fail."""
    return _EXPECTED.search(text) is not None
