"""What the ranker sees of a pair."""

from __future__ import annotations

import pytest

from tacit.learn.fixes import features_of
from tacit.model.observation import ConversationBody
from tests.support.fix_session import edited, failed, pairs, ran, read

CASES: list[tuple[str, tuple[ConversationBody, ...]]] = [
    ("named:dropped", (failed("bd ls --x a", "unknown flag: --x"), ran("bd ls a"))),
    ("named:added", (failed("npm i", "Use pnpm instead"), ran("pnpm i"))),
    ("option:added", (failed("psql shop", "role does not exist"), ran("psql -U postgres shop"))),
    ("program:wrapped", (failed("pytest a", "command not found: pytest"), ran("uv run pytest a"))),
    ("program:other", (failed("tree src", "command not found: tree"), ran("find src"))),
    ("prefixed", (failed("pytest a", "No module named 'shop'"), ran("PYTHONPATH=src pytest a"))),
    ("quotes", (failed("cat a[b]", "no matches found: a[b]"), ran("cat 'a[b]'"))),
    ("quoted", (failed("cat a[b]", "no matches found: a[b]"), ran("cat 'a[b]'"))),
    ("question", (failed("rg 'a(' src", "unclosed group error"), ran("rg 'b' src"))),
    ("path", (failed("cat a/b.txt", "no such file"), ran("cat c/d.txt"))),
    ("typo", (failed("npm run tset", "Missing script: tset"), ran("npm run test"))),
    ("less", (failed("git add a b", "b is ignored error"), ran("git add a"))),
    ("repaired", (failed("npm test", "command not found: vitest"), ran("npm ci"), ran("npm test"))),
    ("same:nothing", (failed("npm ci", "an error"), ran("npm ci"))),
    ("edited:code", (failed("npm test", "1 failed"), edited("a.ts"), ran("npm test"))),
    ("edited:config", (failed("npx knip", "invalid key"), edited("knip.json"), ran("npx knip"))),
    ("position:same", (failed("tsc", "a.ts(3,1): error TS1"), edited("a.ts"), ran("tsc"))),
    ("help", (failed("bd ls --x", "unknown flag: --x"), ran("bd ls --help"), ran("bd ls"))),
    ("hidden", (ran("bd ls --x | head", "Error: unknown flag: --x"), ran("bd ls | head"))),
    ("weak:far", (failed("gh pr list --x", "unknown flag"), read(), read(), ran("gh repo view acme/shop"))),
]


@pytest.mark.parametrize(("name", "bodies"), CASES, ids=[row[0] for row in CASES])
def test_the_feature_holds(name: str, bodies: tuple[ConversationBody, ...]) -> None:
    (pair,) = pairs(*bodies)
    assert features_of(pair).get(name) == 1.0


def test_words_of_the_error_count_unless_the_command_has_them() -> None:
    (pair,) = pairs(failed("tree src", "zsh: command not found: tree"), ran("find src"))
    names = {name for name in features_of(pair) if name.startswith("error:")}
    assert {"error:command", "error:not_found"} <= names
    assert "error:tree" not in names
