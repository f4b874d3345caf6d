"""Which sentences can be checked: few forms, read as a whole or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.commandline.patterns import (
    AsksBefore,
    CommandPattern,
    Expectation,
    ForbidsCommand,
    ProtectsFiles,
    RequiresBefore,
    RunsAfter,
    TiesFiles,
    parse_patterns,
)
from tacit.model.expectations import read_expectations
from tacit.model.phrases import alternatives


def read(sentence: str) -> Expectation:
    (expectation,) = read_expectations(sentence)
    return expectation


def patterns(*commands: str) -> tuple[CommandPattern, ...]:
    return tuple(pattern for command in commands for pattern in parse_patterns(command))


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


# Everyday rules: what to ask before, what changes together, what nobody skips

PUSH, COMMIT = AsksBefore(patterns("git push")), AsksBefore(patterns("git commit"))
REMOVE = AsksBefore(patterns("rm", "git rm", "unlink", "rmdir"))
IN_STEP = TiesFiles(("schema.sql",), ("docs/schema.md",), is_mutual=True)
NO_VERIFY = ForbidsCommand(patterns("git commit --no-verify", "git commit -n", "git push --no-verify"))
NO_SED = ForbidsCommand(patterns("sed -i", "sed --in-place"))
NO_NPM, PNPM = ForbidsCommand(patterns("npm")), ForbidsCommand(patterns("npm"), patterns("pnpm"))

EVERYDAY: dict[Expectation, tuple[str, ...]] = {
    PUSH: (
        "ask me before you push",
        "Ask before pushing.",
        "please check with me before you push",
        "before pushing, ask me",
        "before you push anything, check with me first",
        "never push without asking",
        "don't push without my approval",
        "do not push unless I ask",
        "never push until I have approved",
        "Please ask before you push, I review everything.",
        "Ask before you push. I review everything first.",
    ),
    COMMIT: (
        "get my ok before you commit",
        "don't commit unless I explicitly tell you to",
        "never commit without asking",
    ),
    AsksBefore(patterns("git rebase", "git merge")): ("check with me before rebasing or merging",),
    AsksBefore(patterns("terraform apply")): ("confirm with me before running `terraform apply`",),
    REMOVE: ("ask me before deleting any files", "never delete files without asking me"),
    IN_STEP: (
        "change schema.sql together with docs/schema.md",
        "always update schema.sql and docs/schema.md together",
        "keep schema.sql in sync with docs/schema.md",
        "keep `schema.sql` and `docs/schema.md` in step",
        "update schema.sql along with docs/schema.md because the site shows both",
        "Keep schema.sql and docs/schema.md in sync. The site shows both.",
    ),
    TiesFiles(("schema.sql",), ("docs/schema.md",)): (
        "every change to schema.sql needs docs/schema.md",
        "any edit to `schema.sql` must have `docs/schema.md`",
    ),
    NO_VERIFY: (
        "never use --no-verify",
        "do not commit with `--no-verify`",
        "never pass the --no-verify flag",
        "no --no-verify",
        "never skip the pre-commit hooks",
        "don't bypass git hooks",
        "Don't use --no-verify. If a hook fails, fix it.",
        "don't use --no-verify, fix the hook",
    ),
    NO_SED: (
        "never use sed -i to edit files",
        "don't use sed to edit",
        "do not edit files with sed",
        "avoid `sed -i` for editing source files",
        "never use sed -i to edit files, use your edit tool",
    ),
    PNPM: (
        "use pnpm never npm",
        "use pnpm, never npm",
        "use pnpm and not npm",
        "use pnpm over npm",
    ),
    NO_NPM: (
        "never use npm because the lockfile is pnpm's",
        "never use npm; the lockfile is pnpm's",
        "Never use npm. It breaks the lockfile.",
        "never use npm (we have pnpm)",
        "never use npm, I prefer pnpm",
        "never use npm — we use pnpm",
    ),
    ForbidsCommand(patterns("git push")): ("pushing is my job", "git push is mine", "Never push. I do that myself."),
    ForbidsCommand(patterns("git commit --amend")): ("never amend commits", "never use --amend"),
    ForbidsCommand(patterns("gh pr create")): ("no pull requests", "no PRs"),
    ProtectsFiles(("migrations/",)): (
        "stay out of migrations/",
        "leave migrations/ alone",
        "migrations/ is off-limits",
    ),
    ProtectsFiles(("src/schema.ts",)): ("src/schema.ts is generated by prisma",),
    RequiresBefore(patterns("make check"), patterns("git push")): ("make check must pass before you push",),
}


EVERYDAY |= {
    RunsAfter(("*.go",), patterns("mise run fmt")): (
        "After editing Go files run `mise run fmt`.",
        "Run `mise run fmt` after you change Go code",
        "whenever you have edited Go files, run `mise run fmt`",
    ),
    AsksBefore(paths=("go.mod", "mise.toml")): ("Never change go.mod or mise.toml without my okay.",),
    AsksBefore(paths=("README.md",)): (
        "ask me before you edit README.md",
        "Never edit README.md without asking me first.",
    ),
    TiesFiles(("a.go",), ("b.go",)): ("When a.go changes, b.go has to change as well.",),
    ProtectsFiles(("docs/",)): ("Nothing under docs/ may be changed.", "Hands off the docs/ folder."),
    RequiresBefore(patterns("git status"), patterns("git commit")): (
        "Check git status before you commit.",
        "Before you commit, look at `git status`.",
        "run `git status` before you run `git commit`",
    ),
    ForbidsCommand(patterns("go test -v")): (
        "Never pass -v to go test.",
        "Skip the -v flag on go test, the output gets far too long.",
    ),
    ForbidsCommand(patterns("go build"), patterns("go vet")): (
        "Use `go vet` in place of `go build`.",
        "Build with `go vet`, not with `go build`.",
    ),
    ForbidsCommand(
        tuple(one._replace(required=(), lacking=one.required) for one in patterns("go test -race")),
        patterns("go test -race"),
    ): (
        "Always run `go test` with `-race`.",
        "Never run `go test` without `-race`.",
        "pass -race to every `go test`",
    ),
}


@pytest.mark.parametrize(
    ("sentence", "expected"), [(sentence, expected) for expected, same in EVERYDAY.items() for sentence in same]
)
def test_an_everyday_rule_is_read_as_what_it_means(sentence: str, expected: Expectation) -> None:
    assert read(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    ["never edit generated files", "do not touch auto-generated code", "never edit generated folders by hand"],
)
def test_what_is_called_generated_is_what_programs_write(sentence: str) -> None:
    expectation = read(sentence)
    assert isinstance(expectation, ProtectsFiles)
    assert {"dist/", "node_modules/", "*.pb.go", "*_pb2.py"} <= set(expectation.paths)


def test_two_rules_are_read_each_for_itself() -> None:
    assert read_expectations("Ask me before you push. Never use --no-verify.") == (PUSH, NO_VERIFY)


def test_a_reason_may_follow_a_hyphen() -> None:
    assert read("never use npm - we use pnpm") == NO_NPM
    assert read("ask me before you push - I review everything") == PUSH


def test_a_pull_request_is_opened() -> None:
    assert read("never open a pull request") == ForbidsCommand(patterns("gh pr create"))
    assert read("ask me before you open a PR") == AsksBefore(patterns("gh pr create"))


LOOK_ALIKES = {
    "questions": (
        "should I ask before pushing?",
        "do you ask before you push?",
        "may I push?",
        "never use npm?",
        "why do we never use npm?",
        "did you skip the pre-commit hooks?",
        "do we keep schema.sql and docs/schema.md in sync?",
    ),
    "reports": (
        "we used to use npm",
        "we never used npm",
        "I pushed to main yesterday",
        "you never asked before pushing",
        "I asked you before you pushed",
        "the tests ran before the commit",
        "I changed schema.sql together with docs/schema.md",
        "schema.sql was changed together with docs/schema.md",
        "they never use npm",
        "Kim said never use npm",
        "we used npm instead of pnpm last year",
    ),
    "permissions": (
        "you may push",
        "you may push without asking",
        "feel free to commit without asking",
        "don't ask before pushing",
        "you don't have to ask before pushing",
        "there is no need to ask me before you push",
        "it is fine to use sed -i to edit files",
        "no need to run the tests before committing",
    ),
    "conditions": (
        "ask me before you push on Fridays",
        "ask me if you are unsure before you push",
        "never use --no-verify unless I say so",
        "never commit with --no-verify when the hooks fail",
        "don't use sed to edit files unless there are many",
        "Never use npm. You may use it in legacy/.",
        "Never use npm. Unless CI needs it.",
        "Never push. It is fine to push to a branch.",
        "we mostly use pnpm",
    ),
    "other things": (
        "ask me before you make assumptions",
        "ask me before changing the API",
        "ask Kim before pushing",
        "keep the docs in sync with the code",
        "keep me up to date with main",
        "change the tone and the color together",
        "never skip tests",
        "never skip the hooks of React",
        "never use --verbose",
        "leave me alone",
        "stay out of trouble",
        "cooking is my job",
        "use tabs never spaces",
        "prefer composition over inheritance",
        "never edit source code",
    ),
}


@pytest.mark.parametrize("sentence", [sentence for same in LOOK_ALIKES.values() for sentence in same])
def test_what_only_looks_like_an_everyday_rule_cannot_be_checked(sentence: str) -> None:
    assert read_expectations(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "never edit files except in src/",
        "don't touch anything except in docs/",
        "never edit files outside of src/",
        "never edit code not in src/",
        "never change files not under src/",
    ],
)
def test_a_folder_that_may_be_edited_is_not_protected(sentence: str) -> None:
    assert read_expectations(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "never change the version in package.json",
        "never touch the public API in src/api.py",
        "never modify the license header of src/app.py",
        "never edit existing migrations in migrations/",
        "never edit generated code in src/",
    ],
)
def test_a_part_of_a_file_or_a_folder_is_not_all_of_it(sentence: str) -> None:
    assert read_expectations(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "we used to use npm instead of pnpm",
        "you used npm instead of pnpm",
        "I tried npm instead of pnpm",
        "why did you use npm instead of pnpm",
        "the CI runs npm instead of pnpm",
        "you may use npm instead of pnpm",
        "it is ok to use npm instead of pnpm",
        "feel free to use npm instead of pnpm",
    ],
)
def test_what_was_done_or_may_be_done_instead_of_something_forbids_nothing(sentence: str) -> None:
    assert read_expectations(sentence) == ()


@pytest.mark.parametrize(
    "sentence", ["ask me before you go", "run the tests before you go", "before you go, run the tests"]
)
def test_to_go_is_no_program(sentence: str) -> None:
    assert read_expectations(sentence) == ()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I don't want you to push", ForbidsCommand(patterns("git push"))),
        ("we don't want npm here", NO_NPM),
        ("I hate npm", NO_NPM),
        ("I do not want you to use npm", NO_NPM),
    ],
)
def test_what_somebody_does_not_want_is_forbidden(sentence: str, expected: Expectation) -> None:
    assert read(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push. Ask me first.",
        "don't push, ask me first",
        "Never commit. Commit when I say so.",
        "Never commit. Wait until I ask.",
        "Never use npm. If pnpm fails, use npm.",
        "Never use npm. Use it in legacy/.",
    ],
)
def test_what_a_second_sentence_allows_is_not_forbidden_outright(sentence: str) -> None:
    assert not any(isinstance(found, ForbidsCommand) for found in read_expectations(sentence))


words = st.lists(st.sampled_from("never use run before npm git push `make` , . instead of the tests unless".split()))


@settings(deadline=None)
@given(st.text(max_size=200) | words.map(" ".join))
def test_no_sentence_raises(sentence: str) -> None:
    read_expectations(sentence)
