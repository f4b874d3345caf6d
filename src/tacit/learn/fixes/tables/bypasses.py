"""What hides a fault instead of mending it, gets around a guard, or destroys: never advice, whatever it made work.

A flag that an error recommends is fine unless it is one of these. Left alone are answers that a program asks for where
nobody can type (`--yes`), and what only changes where something goes (`--no-cache`, `--user`).
"""

from __future__ import annotations

from tacit.learn.fixes.sorts import Row

_CHECKED = (
    r"(?:checks?|hooks?|lint|tests?|errors?|verif\w{1,8}|valid\w{1,8}|audit|types?|typecheck|scripts|ssl|tls|"
    r"certificates?|auth|security|sandbox|policy|coverage|strict\w{0,8}|frozen\w{0,10}|fail\w{0,4}|engines?|platform)"
)
# They need the rights of the machine's owner by nature; anything else that does asks for a decision of the person.
_OWNERS = r"(?:systemctl|service|launchctl|apt|apt-get|dnf|yum|zypper|pacman|apk|snap|port)\b"

BYPASSES = (
    # The checks of the repository: hooks, signatures, what is ignored or protected.
    Row(r"--no-verify\b|--no-gpg-sign\b|--no-pre-commit\b", "git commit --no-verify"),
    Row(r"\bgit\b.{0,80}\bcommit\b.{0,40}\s-n\b", "git commit -n -m x"),
    Row(r"\b(?:HUSKY|LEFTHOOK|PRE_COMMIT)=0\b|\b\w{0,20}SKIP\w{0,40}=\S", "SKIP=eslint git commit"),
    Row(r"\bgit\b.{0,80}\bpush\b.{0,80}(?:\s-\w{0,3}f\b|--force\b|\s\+\w)", "git push -f origin x"),
    Row(
        r"\bgit\b.{0,80}\b(?:add|rm|mv|checkout|switch|tag|branch|worktree|clean|fetch|submodule)\b"
        r".{0,80}\s-\w{0,4}f\w{0,4}(?:\s|$)",
        "git add -f dist/a.css",
    ),
    Row(r"\bupdate-index\b.{0,40}--assume-unchanged|safe\.directory\W{1,3}\*", "git update-index --assume-unchanged a"),
    # Flags whose name says it.
    Row(r"--force(?:-[\w-]{1,30})?\b|--yes-i-really|--dangerously|--override\b", "npm install --force"),
    Row(r"--allow-[\w-]{2,40}|--accept-data-loss|--auto-approve|\s-auto-approve", "cargo publish --allow-dirty"),
    Row(r"--skip(?:-[\w-]{1,40}|\w{1,20})?(?=[\s=]|$)|\s-D\w{0,20}[sS]kip\w{0,20}", "mvn package -DskipTests"),
    Row(rf"--(?:disable|ignore|no)-(?:\w{{1,20}}-)?{_CHECKED}\b", "pnpm install --no-frozen-lockfile"),
    Row(r"--(?:no-check|ignore-requires)[\w-]{0,30}", "pip install --ignore-requires-python x"),
    Row(r"--(?:legacy-peer-deps|break-system-packages|no-sandbox|privileged)\b", "npm install --legacy-peer-deps"),
    Row(r"--(?:exit-zero|passWithNoTests|update-?snapshots?|warn-only|continue-on-\w{1,20})\b", "flake8 --exit-zero"),
    Row(r"--(?:insecure|unsafe|trust)(?:-\w{1,20}){0,3}\b|--trusted-host\b", "helm pull --insecure-skip-tls-verify x"),
    Row(r"BREAK_SYSTEM_PACKAGES|legacy-provider|-Wno-error\b", "PIP_BREAK_SYSTEM_PACKAGES=1 pip install x"),
    # Who the other side is, is no longer asked.
    Row(r"\bcurl\b.{0,200}\s-\w{0,4}k\b|\bwget\b.{0,200}--no-check", "curl -sk https://example.org"),
    Row(
        r"TLS_REJECT_UNAUTHORIZED|SSL_NO_VERIFY|sslVerify[= ]false|StrictHostKeyChecking", "git -c http.sslVerify=false"
    ),
    Row(r"\bssh-keygen\b.{0,40}\s-R\b", "ssh-keygen -R build-1"),
    # The failure is there and no longer shows.
    Row(r"\|\|\s{0,4}(?:true|:|exit 0|echo)|;\s{0,4}true$|\bset \+e\b", "make deploy || true"),
    Row(r"[fF]ail\w{0,20}=false\b", "mvn test -DfailIfNoTests=false"),
    Row(r"@ts-ignore|eslint-disable|\bnoqa\b|nolint|type: ignore", "sed -i 's/$/ # noqa/' a.py"),
    # More rights than the command had.
    Row(rf"\bsudo\b(?!(?:\s{{1,4}}-\w{{1,10}}){{0,3}}\s{{1,4}}{_OWNERS})", "sudo npm install -g x"),
    Row(r"\bchmod\b.{0,20}(?:\b0?777\b|\ba\+rwx)|\bsetenforce 0\b|\bcsrutil\b", "chmod -R 777 ."),
    Row(r"\bxattr\b.{0,20}quarantine|\bspctl\b", "xattr -d com.apple.quarantine a.app"),
    # What was there is gone.
    Row(r"\brm\s{1,4}(?:-\w{1,8}\s{1,4}){0,3}-\w{0,4}[rf]|\bshred\b|\bunlink\b", "rm -rf node_modules"),
    Row(r"\bgit\b.{0,80}\b(?:reset\b.{0,40}--hard|clean\b.{0,20}-\w{0,4}[fd]|branch\s{1,4}-D)", "git reset --hard"),
    Row(r"\bgit\b.{0,80}\b(?:checkout\s{1,4}(?:--\s|\.(?:\s|$))|restore\s)|--discard-changes", "git checkout -- a.py"),
    Row(r"\bgit\b.{0,80}\bstash (?:drop|clear)|\brebase --skip\b", "git stash drop"),
    Row(r"\b(?:p?kill|killall|fuser\s{1,4}-\w{0,3}k)\b", "kill -9 4711"),
    Row(r"\bdocker\b.{0,40}\b(?:rmi?\b.{0,20}\s-\w{0,3}f|prune\b|down\b.{0,20}\s-v\b)", "docker system prune"),
    Row(r"\bkubectl\b.{0,60}\bdelete\b|\bforce-unlock\b|\bterraform\b.{0,20}\bdestroy\b", "kubectl delete pod x"),
    Row(r"(?i:\b(?:drop|truncate) (?:table|database|schema)\b)|\bdropdb\b", "psql -c 'DROP TABLE a'"),
    Row(r"\bmigrate[: ](?:reset|fresh)|\bdb:(?:reset|drop)|\bdb (?:reset|drop)\b", "npx prisma migrate reset"),
)
