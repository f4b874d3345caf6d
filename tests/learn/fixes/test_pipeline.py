"""What failed and then worked, and the sentence that is learnt from the difference."""

from __future__ import annotations

import pytest

from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.observation import PromptGiven, ReplyGiven, ToolAction, ToolOutcome, ToolUsed
from tacit.model.statement import claim_from
from tests.support.fix_session import AGENT, edited, failed, fixes, ran, read, sentences

CHANGED = [
    (
        failed("gh pr view 12 --json merged,url", 'Unknown JSON field: "merged"\nAvailable fields:\n  mergedAt\n  url'),
        ran("gh pr view 12 --json mergedAt,url"),
        'When `gh pr view <number> --json merged,url` fails with “Unknown JSON field: "merged"”, '
        "use `gh pr view <number> --json mergedAt,url`.",
    ),
    (
        failed("git push 2>&1", "Exit code 128\nfatal: The current branch x has no upstream branch."),
        ran("git push --set-upstream origin x 2>&1"),
        "When `git push` fails with “The current branch <branch> has no upstream branch”, "
        "use `git push --set-upstream origin <branch>`.",
    ),
    (
        failed("bd close a b", "Error: accepts at most 1 arg(s), received 2"),
        ran("bd close a"),
        "When `bd close a b` fails with “accepts at most 1 arg(s), received 2”, use `bd close a`.",
    ),
    (
        failed("tree src -L 2", "zsh: command not found: tree"),
        ran("find src -maxdepth 2"),
        "When `tree src -L 2` fails with “command not found: tree”, use `find src -maxdepth 2`.",
    ),
    (
        failed("python -m pytest tests", "/usr/bin/python: No module named pytest"),
        ran("uv run pytest tests"),
        "When `python -m pytest tests` fails with “python: No module named pytest”, use `uv run pytest tests`.",
    ),
    (
        failed("docker-compose up -d", "zsh: command not found: docker-compose"),
        ran("docker compose up -d"),
        "When `docker-compose up -d` fails with “command not found: docker-compose”, use `docker compose up -d`.",
    ),
    (
        failed("npm test", "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory"),
        ran("cd web && npm test"),
        "When `npm test` fails with “enoent Could not read package.json”, use `cd web && npm test`.",
    ),
    (
        failed("pytest tests", "DATABASE_URL is not set"),
        ran("DATABASE_URL=sqlite:// pytest tests"),
        "When `pytest tests` fails with “DATABASE_URL is not set”, use `DATABASE_URL=<value> pytest tests`.",
    ),
    (
        failed("sed -i 's/a/b/' x.txt", 'sed: 1: "x.txt": invalid command code x'),
        ran("sed -i '' 's/a/b/' x.txt"),
        "When `sed -i 's/a/b/' x.txt` fails with “sed: 1: \"x.txt\": invalid command code x”, "
        "use `sed -i '' 's/a/b/' x.txt`.",
    ),
    (
        failed("git diff master...HEAD", "fatal: ambiguous argument 'master...HEAD': unknown revision"),
        ran("git diff main...HEAD"),
        "When `git diff master...HEAD` fails with “ambiguous argument 'master...HEAD': unknown revision”, "
        "use `git diff main...HEAD`.",
    ),
    (
        failed("make test", "make: *** No rule to make target 'test'.  Stop."),
        ran("make check"),
        "When `make test` fails with “No rule to make target 'test'. Stop”, use `make check`.",
    ),
]


@pytest.mark.parametrize(("failure", "success", "sentence"), CHANGED, ids=[row[0].input for row in CHANGED])
def test_the_changed_command_is_what_is_learnt(failure: ToolUsed, success: ToolUsed, sentence: str) -> None:
    assert sentences(failure, success) == [sentence]


REPAIRED = [
    (failed("npm run build", "sh: vite: command not found"), "npm install"),
    (failed("terraform plan", "Error: Inconsistent lock file\nplease run:\n  terraform init"), "terraform init"),
    (failed("./run.sh", "bash: ./run.sh: Permission denied"), "chmod +x run.sh"),
    (failed("npm run check", "src/a.ts:1:2 format\nFound 2 errors."), "npm run format"),
    (failed("docker compose up -d", "Is the docker daemon running?"), "open -a Docker"),
    (failed("npm test", "Environment variable not found: DATABASE_URL"), "cp .env.example .env"),
    (failed("cargo clippy", "error: 'cargo-clippy' is not installed"), "rustup component add clippy"),
]


@pytest.mark.parametrize(("failure", "repair"), REPAIRED, ids=[row[1] for row in REPAIRED])
def test_one_command_after_which_the_same_works_is_what_is_learnt(failure: ToolUsed, repair: str) -> None:
    (learnt,) = fixes(failure, ran("ls"), ran(repair), ran(failure.input))
    assert learnt.sentence.endswith(f"run `{repair}` first.")
    assert learnt.evidence == ("e0", "e2", "e3")


def test_a_repair_in_the_same_line_is_seen() -> None:
    (learnt,) = fixes(failed("pnpm test", "Cannot find module 'x'"), ran("pnpm install && pnpm test"))
    assert learnt.sentence == "When `pnpm test` fails with “Cannot find module 'x'”, run `pnpm install` first."


def test_which_of_two_commands_mended_it_cannot_be_told() -> None:
    missing = failed("go run .", "bash: go: command not found")
    assert fixes(missing, ran("apt install go"), ran("make x"), ran("go run .")) == []


def test_what_was_installed_meanwhile_is_no_other_way() -> None:
    missing = failed("tree src", "bash: tree: command not found")
    assert fixes(missing, ran("apt install tree"), ran("tree src -L 2")) == []


def test_quotes_that_were_missing_are_the_same_lesson_for_every_file() -> None:
    error = "bash: -c: line 0: syntax error near unexpected token `('"
    lesson = "When a shell command fails on a path with `(` and `)`, put the path in quotes."
    assert sentences(failed("cat src/(app)/a.ts", error), ran("cat 'src/(app)/a.ts'")) == [lesson]
    assert sentences(failed("sed -n 1p src/(app)/b.ts", error), ran("sed -n 1p 'src/(app)/c.ts'")) == [lesson]


@pytest.mark.parametrize(
    "error",
    [
        "bash: -c: line 1: syntax error near unexpected token `('",
        "zsh:1: no matches found: src/(app)/a.ts",
        "(eval):1: unknown file attribute: a",
    ],
)
def test_quotes_are_the_same_lesson_in_the_words_of_every_shell(error: str) -> None:
    assert sentences(failed("cat src/(app)/a.ts", error), ran("cat 'src/(app)/a.ts'")) == [
        "When a shell command fails on a path with `(` and `)`, put the path in quotes."
    ]


def test_what_the_shell_reads_in_double_quotes_belongs_in_single_ones() -> None:
    assert sentences(failed('git commit -m "wow!"', 'bash: !": event not found'), ran("git commit -m 'wow!'")) == [
        "When a shell command fails on `!` in double quotes, use single quotes."
    ]
    assert sentences(failed("pip install a[b]", "zsh: no matches found: a[b]"), ran("pip install 'a[b]'")) == [
        "When a shell command fails on an argument with `[` and `]`, put the argument in quotes."
    ]


def test_a_sign_that_comes_with_a_backslash_is_a_lesson_for_every_program() -> None:
    error = "jq: error: syntax error, unexpected INVALID_CHARACTER\nselect(.a \\!= null)"
    assert sentences(failed("jq -c 'select(.a != null)' x.json", error), ran("jq -c 'select(.a)' x.json")) == [
        "When a command fails because the shell hands it `!` in quotes as `\\!`, write the argument without `!`."
    ]


def test_of_an_error_that_lists_the_names_the_right_one_is_taken() -> None:
    error = "Agent type 'simplifier' not found. Available agents: Bash, Plan, tidy:simplifier, reviewer"
    failure = ToolUsed(AGENT, "Task", ToolAction.DELEGATED, "Simplify the code", error, ToolOutcome.FAILED)
    success = ToolUsed(AGENT, "Task", ToolAction.DELEGATED, "Simplify the code", "Done")
    assert sentences(failure, success) == [
        "When `Task` fails with “Agent type 'simplifier' not found”, use `tidy:simplifier`."
    ]


def test_a_tool_that_is_no_shell_is_learnt_from_by_its_input() -> None:
    failure = ToolUsed(AGENT, "Skill", ToolAction.DELEGATED, "commit", "Unknown skill: commit", ToolOutcome.FAILED)
    assert sentences(failure, ToolUsed(AGENT, "Skill", ToolAction.DELEGATED, "git:commit", "ok")) == [
        "When `Skill: commit` fails with “Unknown skill: commit”, use `Skill: git:commit`."
    ]


@pytest.mark.parametrize("hidden", ["bd show x 2>&1 | head -5", "bd show x || true", "bd show x; ls"])
def test_a_failure_that_was_hidden_is_seen(hidden: str) -> None:
    assert sentences(ran(hidden, 'Error: unknown command "show" for "bd"'), ran("bd view x")) == [
        'When `bd show x` fails with “unknown command "show" for "bd"”, use `bd view x`.'
    ]


def test_of_several_successes_the_most_similar_is_taken() -> None:
    (learnt,) = fixes(
        failed("bd list --stat open --label ui", "Error: unknown flag: --stat"),
        ran("bd list"),
        read(),
        ran("bd list --status open --label ui"),
    )
    assert learnt.evidence == ("e0", "e3")


def test_attempts_that_failed_as_well_are_evidence_of_the_one_fix() -> None:
    (learnt,) = fixes(
        failed("bd list --stat open", "Error: unknown flag: --stat"),
        failed("bd list --state open", "Error: unknown flag: --state"),
        ran("bd list --status open"),
    )
    assert learnt.evidence == ("e0", "e1", "e2")


def test_a_path_that_is_not_there_is_learnt_only_when_it_is_missed_again() -> None:
    missing = failed("cat conf/app.toml", "cat: conf/app.toml: No such file or directory")
    once = (missing, ran("cat config/app.toml"), *[read()] * 9)
    assert sentences(*once) == []
    assert sentences(*once, *once) == [
        "When `cat conf/app.toml` fails with “cat: conf/app.toml: No such file or directory”, "
        "use `cat config/app.toml`."
    ]


def test_another_file_is_not_where_the_missing_one_is() -> None:
    missing = failed("cat conf/app.toml", "cat: conf/app.toml: No such file or directory")
    assert sentences(missing, *[read()] * 9, missing, ran("cat conf/notes.md")) == []


def test_words_of_the_person_and_the_agent_in_between_do_not_matter() -> None:
    said = (ReplyGiven(AGENT, "I will try again."), PromptGiven(AGENT, "go on"))
    assert sentences(failed("bd ls --x", "unknown flag: --x"), *said, ran("bd ls"))


def test_what_is_learnt_names_its_words_its_events_and_who_speaks() -> None:
    error = "Exit code 1\nerror: option '--a' is not allowed with '--b'"
    (learnt,) = fixes(failed("tool run --a --b", error), ran("tool run --a"))
    assert learnt.quote == "option '--a' is not allowed with '--b'"
    assert learnt.quote in error
    assert (learnt.kind, learnt.provenance) == (Kind.KNOWN_FIX, Provenance.TOOL_LOCAL)
    assert claim_from(learnt.sentence, GLOBAL).kind is Kind.KNOWN_FIX
    assert 0 < learnt.confidence <= 0.8


def test_a_command_too_long_to_read_is_told_by_what_differs_or_not_at_all() -> None:
    files = " ".join(f"src/some/folder/file_{n}.ts" for n in range(6))
    error = "invalid value 'pretty' for '--format'"
    assert sentences(failed(f"lint {files} --format pretty -q", error), ran(f"lint {files} --format text -q")) == [
        "When `lint` fails with “invalid value 'pretty' for '--format'”, use `text` instead of `pretty`."
    ]
    assert (
        sentences(failed(f"lint {files} --format pretty -q", error), ran(f"lint -v {files} --format text -q -x 1"))
        == []
    )


def test_paths_are_told_as_they_are_from_the_directory_of_the_session() -> None:
    failure = failed("tree /home/me/shop/src", "bash: tree: command not found")._replace(directory="/home/me/shop")
    assert sentences(failure, ran("ls -R /home/me/shop/src")) == [
        "When `tree src` fails with “tree: command not found”, use `ls -R src`."
    ]


def test_an_edit_after_the_success_takes_nothing_back() -> None:
    assert sentences(failed("bd ls --x", "unknown flag: --x"), ran("bd ls"), edited())
