"""Which sentences can be checked: few forms, read as a whole or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.commandline.patterns import (
    CommandPattern,
    Expectation,
    ForbidsCommand,
    ProtectsFiles,
    RequiresBefore,
    TiesFiles,
    parse_patterns,
)
from tacit.model.expectations import alternatives, read_expectations


def read(sentence: str) -> Expectation:
    (expectation,) = read_expectations(sentence)
    return expectation


def patterns(command: str) -> tuple[CommandPattern, ...]:
    return tuple(parse_patterns(command))


def names(patterns: tuple[CommandPattern, ...]) -> list[str]:
    return list(dict.fromkeys(pattern.text for pattern in patterns))


def test_a_program_with_alternatives_forbids_them_if_it_is_to_be_used_and_allows_them_if_not() -> None:
    always, never = read("always use pnpm"), read("never use npm")
    assert isinstance(always, ForbidsCommand) and isinstance(never, ForbidsCommand)
    assert names(always.forbidden) == ["bun", "npm", "yarn"]
    assert never.instead == () and names(alternatives(never.forbidden)) == ["bun", "pnpm", "yarn"]


@pytest.mark.parametrize(
    ("sentence", "words", "required"),
    [
        ("never run `git add -A`", "git add", [{"-A", "--all"}]),
        ("do not use git push --force", "git push", [{"-f", "--force"}]),
        ("never force push", "git push", [{"-f", "--force", "--force-with-lease"}]),
        ("don't run rm -rf", "rm", [{"-r", "-R", "--recursive"}, {"-f", "--force"}]),
        ("never push to main", "git push", [{"main", "HEAD:main", "+main"}]),
        ("avoid `npm ci`", "npm ci", []),
        ("stop using docker compose up", "docker compose up", []),
        ("never run mise run test:ci", "mise run test:ci", []),
    ],
)
def test_subcommands_and_options_belong_to_what_is_forbidden(
    sentence: str, words: str, required: list[set[str]]
) -> None:
    expectation = read(sentence)
    assert isinstance(expectation, ForbidsCommand)
    pattern = expectation.forbidden[0]
    assert " ".join((pattern.program, *(spellings[0] for spellings in pattern.words))) == words
    assert [set(spellings) for spellings in pattern.required] == required


def test_a_word_like_tests_stands_for_all_commands_that_run_them() -> None:
    expectation = read("run the tests before a commit")
    assert isinstance(expectation, RequiresBefore)
    assert {"pytest", "npm test", "make test"} <= set(names(expectation.first))
    assert names(expectation.then) == ["git commit"]


READ = {
    ForbidsCommand(patterns("npm"), patterns("pnpm")): (
        "never use npm here, use pnpm",
        "use pnpm instead of npm",
        "Use pnpm, not npm.",
        "we use pnpm rather than npm",
        "I prefer pnpm over npm",
        "never npm, always use pnpm",
        "Use pnpm instead of npm because the lockfile is pnpm's",
        "please use `pnpm` instead of `npm` in this repo",
        "Don’t run npm. Use pnpm instead.",
        "Instead of npm use pnpm",
        "pnpm, not npm",
    ),
    RequiresBefore(patterns("make check"), patterns("git commit")): (
        "run `make check` before you commit",
        "always run `make check` before committing",
        "before committing, run `make check`",
        "never commit without running `make check`",
        "commit only after `make check`",
    ),
    TiesFiles(("schema.sql",), ("docs/schema.md",)): (
        "when you change schema.sql, also update docs/schema.md",
        "whenever you edit schema.sql, update docs/schema.md too",
        "always update docs/schema.md when you change schema.sql",
    ),
    ProtectsFiles(("package-lock.json",)): ("never edit package-lock.json by hand",),
    ProtectsFiles(("migrations/", "src/generated")): ("do not touch migrations/ or src/generated",),
    ProtectsFiles(("vendor/",)): ("don't modify files in `vendor/`, they are generated",),
    ProtectsFiles(("*.lock",)): ("never change *.lock",),
    ProtectsFiles(("src/api.ts",)): ("src/api.ts is generated, don't edit it",),
}


@pytest.mark.parametrize(
    ("sentence", "expected"), [(sentence, expected) for expected, same in READ.items() for sentence in same]
)
def test_a_sentence_of_a_known_form_expects_something_of_tool_calls(sentence: str, expected: Expectation) -> None:
    assert read(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "never use npm unless the lockfile says so",
        "Never use npm. Except in legacy/.",
        "never use npm (only in web/)",
        "use npm only when pnpm fails",
        "never run the tests on production",
        "never make assumptions",
        "never use Redux",
        "never commit secrets",
        "never use git submodules",
        "do not modify `msgid`",
        "never push on Fridays",
        "never run npm install for fun",
        "never touch the lock file",
        "never make changes without tests",
        "never test in production",
        "never run make before make clean",
        "never run the build repeatedly because it is heavy",
        "never run `npm; rm -rf /`",
        "never delete files",
        "keep functions short",
        "use short commit messages",
        "the staging database is reset every night",
        "always use tabs",
        "run pytest with -q",
        "no tests",
        "never change the public API",
        "never edit ../other/file.txt",
        "",
    ],
)
def test_what_has_a_condition_or_names_no_command_or_path_cannot_be_checked(sentence: str) -> None:
    assert read_expectations(sentence) == ()


words = st.lists(st.sampled_from("never use run before npm git push `make` , . instead of the tests unless".split()))


@settings(deadline=None)
@given(st.text(max_size=200) | words.map(" ".join))
def test_no_sentence_raises(sentence: str) -> None:
    read_expectations(sentence)
