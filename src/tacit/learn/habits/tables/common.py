"""What nearly every user of a shell does: it says nothing about this person. Written down from general knowledge of
shells and version control, not counted in anybody's history."""

from __future__ import annotations

import re

# Commands that look at something and change nothing: they are no first or last step of a ritual.
LOOKING = frozenset(
    "git status|git diff|git log|git show|git branch|git remote|git fetch|git blame|git reflog|git rev-parse|"
    "git ls-files|git ls-tree|git stash list|git config|git cat-file|git merge-base|git rev-list|git grep|"
    "gh api|gh auth status|gh repo view|terraform show|helm list|cargo tree|go list|go doc|npm outdated|"
    "docker ps|docker images|docker logs|docker inspect|docker compose ps|docker compose logs|kubectl get|"
    "kubectl describe|kubectl logs|systemctl status|journalctl|npm ls|npm list|pip list|pip show|pip freeze|go env|"
    "go version|brew list|brew info|apt list|apt search|gh pr view|gh pr list|gh pr diff|gh issue view|gh issue list|"
    "gh run view|gh run list|tmux ls|tmux attach|"
    "grep|rg|ag|ack|find|fd|locate|diff|wc|sort|uniq|cut|tr|comm|stat|file|du|df|ps|top|htop|btop|pgrep|lsof|free|"
    "ping|dig|nslookup|host|whois|traceroute|ifconfig|ip|netstat|ss|jq|yq|xxd|hexdump|strings|md5sum|sha256sum|"
    "open|xdg-open|code|cursor|subl|zed|idea|pycharm|vi|vim|nvim|nano|emacs|emacsclient|hx|micro|view|ed|"
    "tail -f|watch|squeue|qstat".split("|")
)

# Everybody's commands that do change something.
_EVERYDAY = frozenset(
    "git add|git commit|git push|git pull|git checkout|git switch|git stash|git stash pop|git clone|git init|git reset|"
    "git restore|git merge|git rebase|git rm|git mv|git clean|git tag|git cherry-pick|"
    "cp|mv|rm|mkdir|rmdir|touch|ln|chmod|chown|chgrp|tar|zip|unzip|gzip|gunzip|sed|awk|tee|xargs|dd|"
    "kill|killall|pkill|curl|wget|scp|rsync|ssh|su|sudo|passwd|crontab -e|crontab -l|source|bash|sh|zsh|"
    "python|python -c|ipython|node|ruby|perl|java|npm install|npm init|npm ci|pnpm install|yarn install|bun install|"
    "pip install|pip uninstall|apt install|"
    "apt update|apt upgrade|apt-get install|apt-get update|brew install|brew update|brew upgrade|yum install|"
    "dnf install|pacman -S|pacman -Syu|docker run|docker exec|docker pull|docker rm|docker stop|systemctl start|"
    "docker build|docker compose up|docker compose down|docker compose build|docker compose|kubectl apply|"
    "kubectl delete|kubectl exec|gh pr create|gh pr checkout|gh repo clone|helm install|helm upgrade|"
    "systemctl restart|systemctl stop|service start|service restart|make|make install|cargo new|"
    "go get|go build|go test|go run|go fmt|go vet|go install|go mod|go mod tidy|go generate|gofmt|"
    "cargo build|cargo test|cargo run|cargo check|cargo fmt|cargo add|rustup update|dotnet build|dotnet test|"
    "mvn test|mvn install|mvn package|mvn clean|gradle build|gradle test|./gradlew build|./gradlew test|swift build|"
    "swift test|npm test|npm start|npm run|bundle install|composer install|terraform init|python -m venv|"
    "tmux|screen|gcc|alias|reboot|shutdown|mount|umount|base64|openssl|gpg|ssh-keygen|bc|expr|seq|convert".split("|")
)

# Tools that somebody chose over the usual one: worth telling, although they only look.
_CHOSEN = frozenset("rg ag ack fd bat nvim hx micro zed cursor yq btop squeue qstat".split())

COMMON = (LOOKING | _EVERYDAY) - _CHOSEN

# Where everybody is at times and nobody works: the root, temporary folders, homes, folders of the system.
_GENERIC = re.compile(
    r"/?|/(?:private/)?(?:var/)?tmp(?:/.*)?|/root|/(?:home|Users)(?:/[^/]+)?(?:/(?:Downloads|Desktop|Documents|tmp))?"
    r"|/(?:etc|usr|opt|mnt|media|dev|proc|sys|bin|sbin|boot|lib|run)(?:/.*)?|/var(?:/(?:log|lib|run|cache|spool).*)?"
)


def is_generic_directory(path: str) -> bool:
    return _GENERIC.fullmatch(path.rstrip("/")) is not None
