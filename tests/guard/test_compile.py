"""Which sentences are rules."""

from __future__ import annotations

import pytest

from tacit.guard.compile import RuleText, compile_sentence
from tacit.guard.rules import RuleKind

PROGRAMS = frozenset("npm pnpm yarn git pip uv make pytest docker rm grep rg python go mise find test".split())


def prefer(command: str, instead: str) -> RuleText:
    return RuleText(RuleKind.PREFER, command, instead)


def forbid(command: str) -> RuleText:
    return RuleText(RuleKind.FORBID, command)


COMPILED = {
    "never run npm here, use pnpm": (prefer("npm", "pnpm"),),
    "Never npm here, use pnpm": (prefer("npm", "pnpm"),),
    "Don’t run npm. Use pnpm instead.": (prefer("npm", "pnpm"),),
    "use pnpm instead of npm": (prefer("npm", "pnpm"),),
    "Use pnpm, not npm or yarn": (prefer("npm", "pnpm"), prefer("yarn", "pnpm")),
    "We use uv, never pip": (prefer("pip", "uv"),),
    "pnpm, not npm": (prefer("npm", "pnpm"),),
    "prefer rg over grep": (prefer("grep", "rg"),),
    "Instead of pip use uv pip": (prefer("pip", "uv pip"),),
    "always use uv run pytest instead of pytest": (prefer("pytest", "uv run pytest"),),
    "never run go test directly, use mise run test": (prefer("go test", "mise run test"),),
    "never run mise run test:ci": (forbid("mise run test:ci"),),
    "never run `git push --force`": (forbid("git push --force"),),
    "Never force push": (forbid("git push --force"),),
    "never use git commit --no-verify": (forbid("git commit --no-verify"),),
    "Avoid docker in this repo because it is slow": (forbid("docker"),),
    "never run `find`": (forbid("find"),),
    "run `make test` before committing": (RuleText(RuleKind.REQUIRE, "git commit", before="make test"),),
    "Before you push, run make lint": (RuleText(RuleKind.REQUIRE, "git push", before="make lint"),),
    "never edit migrations/ by hand": (RuleText(RuleKind.PROTECT, paths=("migrations/",)),),
    "do not edit src/generated/*.ts or uv.lock": (RuleText(RuleKind.PROTECT, paths=("src/generated/*.ts", "uv.lock")),),
}
REFUSED = (
    "never push to main",
    "never run npm install for fun",
    "run the tests before a commit",
    "don't use tabs",
    "never touch the lock file",
    "never make changes without tests",
    "never test in production",
    "use pnpm",
    "never run make before make clean",
    "never run the build repeatedly because it is heavy",
    "never run `npm; rm -rf /`",
    "The API listens on port 8080",
    "",
)


@pytest.mark.parametrize("sentence", COMPILED)
def test_a_sentence_is_compiled(sentence: str) -> None:
    assert compile_sentence(sentence, PROGRAMS.__contains__) == COMPILED[sentence]


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_says_more_or_less_is_not_guessed(sentence: str) -> None:
    assert compile_sentence(sentence, PROGRAMS.__contains__) == ()
