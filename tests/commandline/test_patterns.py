"""Which commands and paths a pattern matches, however they are written."""

from __future__ import annotations

import pytest

from tacit.commandline.executions import executions
from tacit.commandline.patterns import matches_path, parse_patterns

MATCHING = (
    ("npm", "npm install"),
    ("git push --force", "git -C x push -f origin main"),
    ("git push --force", "git push origin main --force"),
    ("rm -rf", "rm -fr x"),
    ("rm -rf", "rm --recursive --force x"),
    ("rm -rf", "rm -r -v -f x"),
    ("git commit --no-verify", "git commit -nm x"),
    ("make deploy", "make -j4 test deploy"),
    ("cargo publish", "cargo +nightly publish"),
    ("kubectl delete", "kubectl -n prod delete pod x"),
    ("npm install -g", "npm install --global x"),
    ("npm install", "npm -w web i zod"),
    ("npm test", "npm run test"),
    ("pnpm run lint", "pnpm lint"),
    ("docker compose up", "docker-compose up -d"),
    ("docker-compose up", "docker compose up"),
    ("make test", "gmake test"),
    ("./gradlew test", "bash ./gradlew clean test"),
    ("python", "python3.12 x.py"),
    ("pytest", "python -m pytest -q"),
    ("./deploy.sh", "sh -x deploy.sh prod"),
)
DIFFERENT = (
    ("npm", "npm --version"),
    ("npm", "pnpm install"),
    ("npm", "npm-check"),
    ("git push --force", "git push --force-with-lease"),
    ("git push --force", "git push origin force"),
    ("git push --force", "git commit -f"),
    ("git commit --no-verify", "git commit -mnew"),
    ("git commit --no-verify", "git commit -- -n"),
    ("rm -rf", "rm -r x"),
    ("docker compose", "docker $compose"),
    ("git push", "git log push"),
    ("pip3", "pip install x"),
    ("npm run lint", "npm lint"),
    ("just deploy", "just test deploy"),
)


def matches(stated: str, line: str) -> bool:
    return any(pattern.matches(command.words) for pattern in parse_patterns(stated) for command in executions(line))


@pytest.mark.parametrize(("pattern", "line"), MATCHING)
def test_a_pattern_matches(pattern: str, line: str) -> None:
    assert matches(pattern, line)


@pytest.mark.parametrize(("pattern", "line"), DIFFERENT)
def test_a_pattern_does_not_match(pattern: str, line: str) -> None:
    assert parse_patterns(pattern) and not matches(pattern, line)


@pytest.mark.parametrize("text", ["", "a; b", "a > b", "$x", "--flag", "A=b", "a $(b)", "echo 'x"])
def test_only_one_plain_command_is_a_pattern(text: str) -> None:
    assert parse_patterns(text) == ()


def test_a_pattern_of_a_path_matches_whole_names() -> None:
    assert matches_path("migrations/", "/a/migrations/x") and matches_path("/a/b", "/a/b/c")
    assert not matches_path("migrations", "/a/old-migrations/x") and not matches_path("/b", "/a/b")
    assert not matches_path("/", "/a")
