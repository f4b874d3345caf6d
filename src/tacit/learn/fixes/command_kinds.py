"""Which commands only look, which repair, and which are never advice."""

from __future__ import annotations

import re

from tacit.learn.command_names import ParsedCommand
from tacit.learn.fixes.compare import CommandAttempt
from tacit.learn.fixes.errors import PatternRow

# What hides a fault instead of mending it, gets around a guard, or destroys: never advice, whatever it made work.
#
# A flag that an error recommends is fine unless it is one of these. Left alone are answers that a program asks for
# where nobody can type (`--yes`), and what only changes where something goes (`--no-cache`, `--user`).

_CHECKED = (
    r"(?:checks?|hooks?|lint|tests?|errors?|verif\w{1,8}|valid\w{1,8}|audit|types?|typecheck|scripts|ssl|tls|"
    r"certificates?|auth|security|sandbox|policy|coverage|strict\w{0,8}|frozen\w{0,10}|fail\w{0,4}|engines?|platform)"
)
# They need the rights of the machine's owner by nature; anything else that does asks for a decision of the person.
_OWNERS = r"(?:systemctl|service|launchctl|apt|apt-get|dnf|yum|zypper|pacman|apk|snap|port)\b"

BYPASSES = (
    # The checks of the repository: hooks, signatures, what is ignored or protected.
    PatternRow(r"--no-verify\b|--no-gpg-sign\b|--no-pre-commit\b", "git commit --no-verify"),
    PatternRow(r"\bgit\b.{0,80}\bcommit\b.{0,40}\s-n\b", "git commit -n -m x"),
    PatternRow(r"\b(?:HUSKY|LEFTHOOK|PRE_COMMIT)=0\b|\b\w{0,20}SKIP\w{0,40}=\S", "SKIP=eslint git commit"),
    PatternRow(r"\bgit\b.{0,80}\bpush\b.{0,80}(?:\s-\w{0,3}f\b|--force\b|\s\+\w)", "git push -f origin x"),
    PatternRow(
        r"\bgit\b.{0,80}\b(?:add|rm|mv|checkout|switch|tag|branch|worktree|clean|fetch|submodule)\b"
        r".{0,80}\s-\w{0,4}f\w{0,4}(?:\s|$)",
        "git add -f dist/a.css",
    ),
    PatternRow(
        r"\bupdate-index\b.{0,40}--assume-unchanged|safe\.directory\W{1,3}\*", "git update-index --assume-unchanged a"
    ),
    # Flags whose name says it.
    PatternRow(r"--force(?:-[\w-]{1,30})?\b|--yes-i-really|--dangerously|--override\b", "npm install --force"),
    PatternRow(r"--allow-[\w-]{2,40}|--accept-data-loss|--auto-approve|\s-auto-approve", "cargo publish --allow-dirty"),
    PatternRow(r"--skip(?:-[\w-]{1,40}|\w{1,20})?(?=[\s=]|$)|\s-D\w{0,20}[sS]kip\w{0,20}", "mvn package -DskipTests"),
    PatternRow(rf"--(?:disable|ignore|no)-(?:\w{{1,20}}-)?{_CHECKED}\b", "pnpm install --no-frozen-lockfile"),
    PatternRow(r"--(?:no-check|ignore-requires)[\w-]{0,30}", "pip install --ignore-requires-python x"),
    PatternRow(
        r"--(?:legacy-peer-deps|break-system-packages|no-sandbox|privileged)\b", "npm install --legacy-peer-deps"
    ),
    PatternRow(
        r"--(?:exit-zero|passWithNoTests|update-?snapshots?|warn-only|continue-on-\w{1,20})\b", "flake8 --exit-zero"
    ),
    PatternRow(
        r"--(?:insecure|unsafe|trust)(?:-\w{1,20}){0,3}\b|--trusted-host\b", "helm pull --insecure-skip-tls-verify x"
    ),
    PatternRow(r"BREAK_SYSTEM_PACKAGES|legacy-provider|-Wno-error\b", "PIP_BREAK_SYSTEM_PACKAGES=1 pip install x"),
    # Who the other side is, is no longer asked.
    PatternRow(r"\bcurl\b.{0,200}\s-\w{0,4}k\b|\bwget\b.{0,200}--no-check", "curl -sk https://example.org"),
    PatternRow(
        r"TLS_REJECT_UNAUTHORIZED|SSL_NO_VERIFY|sslVerify[= ]false|StrictHostKeyChecking", "git -c http.sslVerify=false"
    ),
    PatternRow(r"\bssh-keygen\b.{0,40}\s-R\b", "ssh-keygen -R build-1"),
    # The failure is there and no longer shows.
    PatternRow(r"\|\|\s{0,4}(?:true|:|exit 0|echo)|;\s{0,4}true$|\bset \+e\b", "make deploy || true"),
    PatternRow(r"[fF]ail\w{0,20}=false\b", "mvn test -DfailIfNoTests=false"),
    PatternRow(r"@ts-ignore|eslint-disable|\bnoqa\b|nolint|type: ignore", "sed -i 's/$/ # noqa/' a.py"),
    # More rights than the command had.
    PatternRow(rf"\bsudo\b(?!(?:\s{{1,4}}-\w{{1,10}}){{0,3}}\s{{1,4}}{_OWNERS})", "sudo npm install -g x"),
    PatternRow(r"\bchmod\b.{0,20}(?:\b0?777\b|\ba\+rwx)|\bsetenforce 0\b|\bcsrutil\b", "chmod -R 777 ."),
    PatternRow(r"\bxattr\b.{0,20}quarantine|\bspctl\b", "xattr -d com.apple.quarantine a.app"),
    # What was there is gone.
    PatternRow(r"\brm\s{1,4}(?:-\w{1,8}\s{1,4}){0,3}-\w{0,4}[rf]|\bshred\b|\bunlink\b", "rm -rf node_modules"),
    PatternRow(
        r"\bgit\b.{0,80}\b(?:reset\b.{0,40}--hard|clean\b.{0,20}-\w{0,4}[fd]|branch\s{1,4}-D)", "git reset --hard"
    ),
    PatternRow(
        r"\bgit\b.{0,80}\b(?:checkout\s{1,4}(?:--\s|\.(?:\s|$))|restore\s)|--discard-changes", "git checkout -- a.py"
    ),
    PatternRow(r"\bgit\b.{0,80}\bstash (?:drop|clear)|\brebase --skip\b", "git stash drop"),
    PatternRow(r"\b(?:p?kill|killall|fuser\s{1,4}-\w{0,3}k)\b", "kill -9 4711"),
    PatternRow(r"\bdocker\b.{0,40}\b(?:rmi?\b.{0,20}\s-\w{0,3}f|prune\b|down\b.{0,20}\s-v\b)", "docker system prune"),
    PatternRow(
        r"\bkubectl\b.{0,60}\bdelete\b|\bforce-unlock\b|\bterraform\b.{0,20}\bdestroy\b", "kubectl delete pod x"
    ),
    PatternRow(r"(?i:\b(?:drop|truncate) (?:table|database|schema)\b)|\bdropdb\b", "psql -c 'DROP TABLE a'"),
    PatternRow(r"\bmigrate[: ](?:reset|fresh)|\bdb:(?:reset|drop)|\bdb (?:reset|drop)\b", "npx prisma migrate reset"),
)


# Which commands only look, which mend, and which are never advice. Tables of data.

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

_BYPASSES = tuple(re.compile(row.pattern_text) for row in BYPASSES)


def is_bypass(before: CommandAttempt, after: str) -> bool:
    """Whether a command gets around something that the other did not."""
    return any(pattern.search(after) and not pattern.search(before.text) for pattern in _BYPASSES)


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
