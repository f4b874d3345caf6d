"""Which commands only look, which mend, and which are never advice. Tables of data."""

from __future__ import annotations

import re

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

# What hides a fault instead of mending it, gets around a check, or destroys. Never advice.
_BYPASSES = (
    re.compile(r"--no-verify\b|--no-gpg-sign\b|--no-pre-commit\b"),
    re.compile(r"\bgit\b.{0,80}\bcommit\b.{0,40}\s-n\b"),
    re.compile(r"\b(?:HUSKY|LEFTHOOK|PRE_COMMIT)=0\b|\bSKIP=\S|\bHUSKY_SKIP|_SKIP_\w{1,40}="),
    re.compile(r"\bgit\b.{0,80}\bpush\b.{0,80}(?:\s-f\b|--force\b|\s\+\w)"),
    re.compile(r"--force\b|--yes-i-really|--dangerously|--allow-dirty\b|--override\b"),
    re.compile(
        r"--(?:skip|disable|ignore|no)-(?:\w{1,20}-)?(?:check|checks|hooks?|lint|tests?|errors?|verif\w{1,8}|"
        r"valid\w{1,8}|audit|types?|typecheck|scripts|ssl|certificate|auth|security|sandbox|policy|coverage)\b"
    ),
    re.compile(
        r"--(?:exit-zero|passWithNoTests|update-?snapshots?|break-system-packages|insecure|unsafe-\w{1,20}|trusted-host)\b"
    ),
    re.compile(r"\bcurl\b.{0,200}\s-\w{0,4}k\b|NODE_TLS_REJECT_UNAUTHORIZED|SSL_NO_VERIFY|StrictHostKeyChecking"),
    re.compile(r"\|\|\s{0,4}(?:true|:|exit 0)|;\s{0,4}true$|\bset \+e\b|@ts-ignore|eslint-disable|\bnoqa\b|nolint"),
    re.compile(
        r"\brm\s{1,4}-\w{0,4}[rf]|\bgit\b.{0,80}\b(?:reset\b.{0,40}--hard|clean\b.{0,20}-\w{0,4}[fd]|branch\s{1,4}-D)"
    ),
    re.compile(r"\bgit\b.{0,80}\b(?:checkout\s{1,4}(?:--\s|\.(?:\s|$))|restore\s|stash (?:drop|clear))"),
    re.compile(
        r"\bchmod\b.{0,20}\b0?777\b|\b(?:p?kill|killall)\b|\bsetenforce 0\b|\bcsrutil\b|\bxattr\b.{0,20}quarantine"
    ),
)


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
