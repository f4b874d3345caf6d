"""Which commands only look, which mend, and which are never advice. Tables of data."""

from __future__ import annotations

import re

from tacit.learn.fixes.tables.bypasses import BYPASSES
from tacit.learn.fixes.tries import Try
from tacit.learn.habits.families import Part

# They change nothing that another command needs.
_LOOKS = frozenset(
    "grep rg ag ack find fd locate wc sort uniq cut awk sed jq yq diff comm file stat du df ps pgrep lsof ss netstat "
    "top htop free hexdump xxd od strings nm ldd readlink realpath basename dirname curl wget http dig host ping nc "
    "strace jobs column tr tee xargs".split()
) | {"kubectl get", "helm get", "git config --get"}
_LOOKING_VERBS = frozenset(
    "status log diff show branch ls-files ls-tree remote rev-parse rev-list describe blame reflog shortlog "
    "check-ignore merge-base cat-file ls-remote for-each-ref list ls info view outdated why ps logs images inspect "
    "explain version help env doctor search tree whoami which".split()
)
_ASKS = frozenset(("--version", "--help", "help", "version", "--dry-run", "--list"))
# They set a place or a variable for what stands behind them.
_ENTERS = frozenset("cd pushd export source . eval nvm direnv asdf conda pyenv workon".split())

# A command that puts right what another complained of: it formats, installs, generates, brings up to date.
_MENDS = re.compile(
    r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--fix|--write|fix|install|ci|sync|restore|"
    r"bootstrap|setup|generate|codegen|gen|tidy|vendor|download|migrate|build|compile)(?:[\s:_.-]|$)"
)

_BYPASSES = tuple(re.compile(row.phrase) for row in BYPASSES)


def is_bypass(before: Try, after: str) -> bool:
    """Whether a command gets around something that the other did not."""
    return any(pattern.search(after) and not pattern.search(before.text) for pattern in _BYPASSES)


def only_looks(part: Part) -> bool:
    words = part.words
    if part.family in _ENTERS or words[:1] == (".",):
        return False
    if part.trivial or part.family in _LOOKS or (words and words[0] in _LOOKS):
        return not (words[:1] == ("sed",) and any(word.startswith("-i") for word in words))
    verb = part.family.rpartition(" ")[2]
    return verb in _LOOKING_VERBS or not _ASKS.isdisjoint(words[1:])


def enters(part: Part) -> bool:
    return part.family in _ENTERS or part.family.endswith("=") or part.words[:1] == (".",)


def does(command: Try) -> bool:
    """Whether a line may have changed something that another command needs. To go elsewhere is to do so by itself."""
    rest = [part for part in command.parts if not only_looks(part)]
    return any(not enters(part) for part in rest) or (bool(rest) and len(rest) == len(command.parts))


def asks_only(part: Part) -> bool:
    """Whether a command only asks if a program is there, or which one."""
    return not _ASKS.isdisjoint(part.words[1:3]) or part.words[:1] in (("which",), ("type",), ("command",), ("where",))


def mends(text: str) -> bool:
    return _MENDS.search(text) is not None


_FORMATS = re.compile(r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--write)(?:[\s:_.-]|$)")


def formats(text: str) -> bool:
    """Whether a command only changes how the code looks."""
    return _FORMATS.search(text) is not None


_READERS = frozenset(
    "cat less more head tail grep rg ag find ls sed awk jq git curl gh diff tree bat journalctl".split()
)


def shows_files(command: Try) -> bool:
    """Whether what a line prints may be anything: then nothing in it can be taken for an error."""
    return not command.parts or any(map(_reads, command.parts))


def shows_first(command: Try) -> bool:
    """Whether that is so of what a line prints at first."""
    first = next((part for part in command.parts if not enters(part)), None)
    return first is None or _reads(first)


def _reads(part: Part) -> bool:
    return bool(part.words) and part.words[0] in _READERS


def compares(command: Try) -> bool:
    """Whether a line fails to say that things differ."""
    return (
        bool(command.parts)
        and all(only_looks(part) for part in command.parts)
        and any(
            part.words[:1] in (("diff",), ("cmp",), ("comm",), ("test",)) or part.family == "git diff"
            for part in command.parts
        )
    )


_EXPECTED = re.compile(
    r"\b(?:should|must|expect(?:ed|s)?(?: to)?|will|supposed to) (?:fail|error|be rejected|not work)\b", re.IGNORECASE
)


def expects_failure(text: str) -> bool:
    """Whether a line says that it is run to fail."""
    return _EXPECTED.search(text) is not None
