"""Whether the calls of a session follow a memory, and which call shows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.learn import SessionEvent
from tacit.learn.adherence import CheckResult, calls_in, check_claim, find_correction
from tacit.model.ids import EventId
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    ToolAction,
    ToolOutcome,
    ToolUsed,
)
from tacit.model.session import Adherence
from tests.support.events import numbered, says

FOLLOWED, VIOLATED, STOPPED = Adherence.FOLLOWED, Adherence.VIOLATED, Adherence.STOPPED
NOT_APPLICABLE, UNKNOWN = Adherence.NOT_APPLICABLE, Adherence.UNKNOWN
REPLY = ReplyGiven("claude", "Done.")


def ran(
    command: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED, *, aside: bool = False, result: str = ""
) -> ToolUsed:
    return ToolUsed("claude", "Bash", ToolAction.RAN, command, result, outcome, directory="/home/kim/work", aside=aside)


def changed(*files: str) -> ToolUsed:
    return ToolUsed("claude", "Edit", ToolAction.CHANGED, files=files, directory="/home/kim/work")


def events(*bodies: ConversationBody) -> list[SessionEvent]:
    return [SessionEvent(numbered(number), body) for number, body in enumerate(bodies, 1)]


def check(sentence: str, *calls: ConversationBody | str) -> CheckResult:
    bodies = [ran(call) if isinstance(call, str) else call for call in calls]
    return check_claim(says(sentence), calls_in(events(*bodies)))


@pytest.mark.parametrize(
    ("commands", "result", "call"),
    [
        (["ls", "pnpm add zod"], FOLLOWED, 2),
        (["pnpm add zod", "npm test"], VIOLATED, 2),
        (["ls", "git status"], NOT_APPLICABLE, 0),
        (["grep -rn npm docs", "git commit -m 'drop npm'"], NOT_APPLICABLE, 0),
        ([], NOT_APPLICABLE, 0),
    ],
)
def test_a_program_in_place_of_another(commands: list[str], result: Adherence, call: int) -> None:
    found = check("use pnpm instead of npm", *commands)
    assert found == CheckResult(result, numbered(call) if call else EventId(""))


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("git push --force", VIOLATED),
        ("git push -fu origin topic", VIOLATED),
        ("git -C . push origin topic --force-with-lease", VIOLATED),
        ("git push", FOLLOWED),
        ("git push origin top…", NOT_APPLICABLE),
        ("git pull --force", NOT_APPLICABLE),
    ],
)
def test_an_option_makes_the_difference(command: str, result: Adherence) -> None:
    assert check("never force push", command).result is result


def test_a_branch_that_is_not_named_is_not_known() -> None:
    assert check("never push to main", "git push").result is NOT_APPLICABLE
    assert check("never push to main", "git push origin HEAD:main").result is VIOLATED
    assert check("never push to main", "git push origin maintenance").result is NOT_APPLICABLE


def test_what_the_right_command_runs_is_not_forbidden() -> None:
    sentence = "use `uv run pytest` instead of `pytest`"
    assert check(sentence, "uv run pytest -q").result is FOLLOWED
    assert check(sentence, "pytest -q").result is VIOLATED


def test_a_filter_behind_a_pipe_does_another_job() -> None:
    assert check("prefer rg over grep", "ps aux | grep node").result is NOT_APPLICABLE
    assert check("prefer rg over grep", "grep -rn main src").result is VIOLATED


@pytest.mark.parametrize(
    "call",
    [
        ran("npm ci", ToolOutcome.REJECTED),
        ran("npm ci", aside=True),
        ran("cd /tmp/trial && npm ci"),
        ToolUsed("claude", "Read", ToolAction.READ, "npm ci"),
        PromptGiven("claude", "npm ci", PromptKind.SHELL),
    ],
)
def test_what_did_not_run_or_ran_elsewhere_or_was_not_the_agents_violates_nothing(call: ConversationBody) -> None:
    assert check("never use npm", call).result is NOT_APPLICABLE


STOP = ToolOutcome.STOPPED


@pytest.mark.parametrize(
    ("sentence", "calls", "result"),
    [
        ("never use npm", [ran("npm ci", STOP)], STOPPED),
        ("never force push", [ran("git push -f", STOP), ran("git push")], STOPPED),
        ("never use npm", [ran("npm ci", STOP), ran("npm ci")], VIOLATED),
        ("never use npm", [ran("pnpm add zod; rm x", STOP)], NOT_APPLICABLE),
        ("run the tests before a commit", [ran("git commit", STOP), ran("pytest"), ran("git commit")], STOPPED),
        ("do not edit `migrations/`", [ran("rm migrations/1.sql", STOP)], STOPPED),
    ],
)
def test_what_a_guard_stopped_is_neither_followed_nor_violated(
    sentence: str, calls: list[ConversationBody], result: Adherence
) -> None:
    assert check(sentence, *calls).result is result


def test_a_command_that_failed_was_run() -> None:
    assert check("never use npm", ran("npm ci", ToolOutcome.FAILED)).result is VIOLATED


def test_code_that_is_perhaps_no_command_is_unknown_until_it_is_run() -> None:
    assert check("never use `child_process`", "ls").result is UNKNOWN
    assert check("never run `frobnicate`", "frobnicate --all").result is VIOLATED


TESTS_FIRST = "run the tests before a commit"


@pytest.mark.parametrize(
    ("calls", "result"),
    [
        (["pytest -q", "git commit -m x"], FOLLOWED),
        (["make test && git commit -am x"], FOLLOWED),
        (["git commit -m x"], VIOLATED),
        (["git commit -m x", "pytest"], VIOLATED),
        (["pytest", "git commit -m x", "git commit --amend"], FOLLOWED),
        (["pytest", "git commit -m x", changed("a.py"), "git commit -am y"], VIOLATED),
        (["pytest", "git commit -m x", changed("a.py"), "pytest", "git commit -am y"], FOLLOWED),
        ([ran("npm test", aside=True), "git commit -m x"], FOLLOWED),
        (["./ci.sh", "git commit -m x"], UNKNOWN),
        (["pytest"], NOT_APPLICABLE),
        (["git commit -m \"$(cat <<'EOF'\nRun the tests\nand mo…"], VIOLATED),
    ],
)
def test_one_command_before_another(calls: list[ConversationBody | str], result: Adherence) -> None:
    assert check(TESTS_FIRST, *calls).result is result


@pytest.mark.parametrize(
    ("calls", "result"),
    [
        (["golangci-lint run", "git commit -m x"], FOLLOWED),
        (["git commit -m x"], VIOLATED),
        (["mise run lint", "git commit -m x"], UNKNOWN),
        ([changed("a.go"), "make check", "git commit -m x"], UNKNOWN),
        (["mise run lint", changed("a.go"), "git commit -m x"], VIOLATED),
        ([ran("git commit -m x", result="golangci-lint......Passed\n[main 1a2b3c] x")], UNKNOWN),
    ],
)
def test_a_task_or_a_hook_may_have_run_what_comes_first(calls: list[ConversationBody | str], result: Adherence) -> None:
    assert check("run golangci-lint before committing", *calls).result is result


@pytest.mark.parametrize(
    ("file", "result"),
    [
        ("/home/kim/work/migrations/0001.sql", VIOLATED),
        ("./migrations/0001.sql", VIOLATED),
        ("db/old-migrations/0001.sql", NOT_APPLICABLE),
        ("package-lock.json.md", NOT_APPLICABLE),
        ("web/package-lock.json", VIOLATED),
    ],
)
def test_a_protected_path(file: str, result: Adherence) -> None:
    assert check("never edit migrations/ or package-lock.json", changed(file)).result is result


def test_files_that_change_together() -> None:
    sentence = "when you change schema.sql, also update docs/schema.md"
    assert check(sentence, changed("db/schema.sql"), changed("docs/schema.md")).result is FOLLOWED
    assert check(sentence, changed("db/schema.sql"), "git commit -am x") == CheckResult(VIOLATED, numbered(1))
    assert check(sentence, changed("db/schema.sql"), "./generate-docs").result is UNKNOWN
    assert check(sentence, changed("docs/schema.md")).result is NOT_APPLICABLE


KEPT_IN_STEP = "change schema.sql together with docs/schema.md"
TABLE, PAGE = changed("/home/kim/work/db/schema.sql"), changed("docs/schema.md")


@pytest.mark.parametrize(
    ("calls", "result", "call"),
    [
        ([TABLE, PAGE], FOLLOWED, 2),
        ([PAGE, TABLE], FOLLOWED, 1),
        ([changed("db/schema.sql", "docs/schema.md")], FOLLOWED, 1),
        ([TABLE, "git commit -am x"], VIOLATED, 1),
        ([PAGE, "git commit -am x"], VIOLATED, 1),
        ([TABLE, "make docs"], UNKNOWN, 0),
        ([PAGE, "./sync-schema"], UNKNOWN, 0),
        (["make docs", TABLE, "git diff"], VIOLATED, 2),
        ([TABLE, PAGE._replace(aside=True)], FOLLOWED, 2),
        ([TABLE._replace(aside=True)], NOT_APPLICABLE, 0),
        ([TABLE._replace(outcome=ToolOutcome.FAILED), "git status"], NOT_APPLICABLE, 0),
        ([changed("src/app.py"), "git commit -am x"], NOT_APPLICABLE, 0),
        ([changed("docs/old-schema.md"), "cat schema.sql"], NOT_APPLICABLE, 0),
    ],
)
def test_files_that_change_together_do_so_in_both_directions(
    calls: list[ConversationBody | str], result: Adherence, call: int
) -> None:
    assert check(KEPT_IN_STEP, *calls) == CheckResult(result, numbered(call) if call else EventId(""))


# What the person wants to be asked about


def prompt(text: str, how: PromptKind = PromptKind.TYPED) -> PromptGiven:
    return PromptGiven("claude", text, how)


ASK_FIRST = "ask me before you push"
PUSH = "git push -u origin topic"


@pytest.mark.parametrize(
    ("calls", "result", "call"),
    [
        ([prompt("mend the footer"), PUSH], VIOLATED, 2),
        ([prompt("mend the footer"), "git status", PUSH, prompt("you pushed that?")], VIOLATED, 3),
        ([prompt("mend the footer, then Push it"), PUSH], FOLLOWED, 2),
        ([prompt("mend the footer"), REPLY, prompt("yes, push"), PUSH], FOLLOWED, 4),
        ([prompt("mend the footer, pushing is fine"), PUSH], FOLLOWED, 2),
        ([prompt("push it"), PUSH, prompt("push once more"), PUSH], FOLLOWED, 4),
        ([prompt("push it"), PUSH, prompt("mend the header"), PUSH], UNKNOWN, 0),  # it may have been meant for all
        ([prompt("mend the footer"), REPLY, prompt("yes"), PUSH], UNKNOWN, 0),
        ([prompt("mend the footer"), REPLY, prompt("Go ahead."), PUSH], UNKNOWN, 0),
        ([prompt("mend the footer and ship it"), PUSH], UNKNOWN, 0),
        ([prompt("/release"), PUSH], UNKNOWN, 0),
        ([PUSH], UNKNOWN, 0),
        ([prompt("mend the footer"), "git commit -m x", "git stash push", "echo git push"], NOT_APPLICABLE, 0),
        ([prompt("push it")], NOT_APPLICABLE, 0),
        ([prompt("mend the footer"), ran(PUSH, aside=True)], NOT_APPLICABLE, 0),
        ([prompt("mend the footer"), ran(PUSH, ToolOutcome.REJECTED)], NOT_APPLICABLE, 0),
        ([prompt("mend the footer"), ran(PUSH, ToolOutcome.FAILED)], VIOLATED, 2),
        ([prompt("mend the footer"), ran(PUSH, ToolOutcome.STOPPED)], STOPPED, 2),
    ],
)
def test_a_command_that_the_person_spoke_of_before_was_asked_for(
    calls: list[ConversationBody | str], result: Adherence, call: int
) -> None:
    """Who agrees to something may have meant it; before the first prompt, nobody knows."""
    assert check(ASK_FIRST, *calls) == CheckResult(result, numbered(call) if call else EventId(""))


@pytest.mark.parametrize(
    ("sentence", "asked", "command"),
    [
        ("ask me before running rm -rf", "please format the imports", "rm -rf build"),
        ("ask me before deleting any files", "confirm that the form is normal", "rm notes.md"),
        ("never add dependencies without asking", "mend the address field", "pnpm add zod"),
    ],
)
def test_a_part_of_another_word_is_no_word_of_a_command(sentence: str, asked: str, command: str) -> None:
    assert check(sentence, prompt(asked), command) == CheckResult(VIOLATED, numbered(2))


@pytest.mark.parametrize(
    ("asked", "command"),
    [("add a login page", "pnpm add zod"), ("get the widget to work", "go get example.org/widget")],
)
def test_a_word_that_every_prompt_has_asks_for_no_command(asked: str, command: str) -> None:
    assert check("never add dependencies without asking", prompt(asked), command).result is not FOLLOWED


@pytest.mark.parametrize("asked", ["mend the footer, but don't push yet", "never push that", "mend it. Do not push."])
def test_what_the_person_said_not_to_do_was_not_asked_for(asked: str) -> None:
    assert check(ASK_FIRST, prompt(asked), PUSH).result is not FOLLOWED


def test_of_two_commands_each_is_asked_for() -> None:
    both = "ask me before you commit or push"
    assert check(both, prompt("commit it, then push"), "git commit -m x", "git push").result is FOLLOWED
    assert check(both, prompt("commit it"), "git commit -m x", "git push").result is not FOLLOWED


@pytest.mark.parametrize(
    ("sentence", "command", "result"),
    [
        ("never use --no-verify", "git commit -m x --no-verify", VIOLATED),
        ("never skip the pre-commit hooks", "git commit -nm x", VIOLATED),
        ("never skip the pre-commit hooks", "git push --no-verify", VIOLATED),
        ("never skip the pre-commit hooks", "git commit -m x", FOLLOWED),
        ("never skip the pre-commit hooks", "git push -n", FOLLOWED),  # a dry run
        ("never skip the pre-commit hooks", "git commit -m 'about --no-verify'", FOLLOWED),
        ("never use sed -i to edit files", "sed -i 's/a/b/' app.py", VIOLATED),
        ("never use sed -i to edit files", "sed -i.bak -e 's/a/b/' app.py", VIOLATED),
        ("never use sed -i to edit files", "sed --in-place 's/a/b/' app.py", VIOLATED),
        ("never use sed -i to edit files", "git diff | sed 's/a/b/'", NOT_APPLICABLE),
        ("pushing is my job", "git push", VIOLATED),
    ],
)
def test_an_everyday_rule_about_commands_is_checked(sentence: str, command: str, result: Adherence) -> None:
    assert check(sentence, command).result is result


@pytest.mark.parametrize(
    ("calls", "result", "call"),
    [
        ([changed("a.go"), "gofmt -w a.go"], FOLLOWED, 2),
        ([changed("a.go"), "gofmt -w a.go", changed("b.go"), "git commit -m x"], VIOLATED, 3),
        ([changed("a.go"), "git commit -m x"], VIOLATED, 1),
        ([changed("a.go"), "make release", "git commit -m x"], UNKNOWN, 0),  # it may have run it
        ([changed("a.go"), "git status"], UNKNOWN, 0),  # the work may go on
        ([changed("a.py"), "git commit -m x"], NOT_APPLICABLE, 0),
    ],
)
def test_what_has_to_run_after_a_change_is_missed_once_it_is_committed(
    calls: list[ConversationBody | str], result: Adherence, call: int
) -> None:
    checked = check("After editing Go files run `gofmt`.", *calls)
    assert checked == CheckResult(result, numbered(call) if call else EventId(""))


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ("mend the footer", VIOLATED),
        ("can we rebase on main, please?", UNKNOWN),
        ("do not rebase this", VIOLATED),
        ("yes", UNKNOWN),  # to what, nobody knows here
    ],
)
def test_what_the_person_may_have_wanted_is_no_violation(asked: str, result: Adherence) -> None:
    assert check("Please don't rebase.", prompt(asked), "git rebase main").result is result


@pytest.mark.parametrize(
    ("line", "outcome", "result"),
    [
        ("git pull", ToolOutcome.FAILED, VIOLATED),
        ("git checkout main && git pull", ToolOutcome.FAILED, UNKNOWN),  # it may have failed before
        ("cd ../other && git pull", ToolOutcome.SUCCEEDED, NOT_APPLICABLE),
    ],
)
def test_what_a_chain_that_failed_or_another_folder_ran_is_not_held_against_it(
    line: str, outcome: ToolOutcome, result: Adherence
) -> None:
    assert check("Never use git pull.", ran(line, outcome)).result is result


def test_an_edit_makes_a_check_stale_and_not_what_looks_at_no_file() -> None:
    order, look = "run the tests before you commit", "run `git log` before you commit"
    edited = ("pytest", "git log", changed("a.py"), "git commit -m x")
    assert check(order, *edited).result is UNKNOWN and check(look, *edited).result is FOLLOWED


@pytest.mark.parametrize(
    ("line", "result"),
    [("go test ./...", VIOLATED), ("go test -race ./...", FOLLOWED), ("go test -run X -race .", FOLLOWED)],
)
def test_a_flag_that_is_always_given_is_missed(line: str, result: Adherence) -> None:
    assert check("Always run `go test` with `-race`.", line).result is result


@pytest.mark.parametrize(
    ("file", "result"),
    [
        ("web/dist/app.js", VIOLATED),
        ("api/user.pb.go", VIOLATED),
        ("src/generated/types.ts", VIOLATED),
        ("src/generator.py", NOT_APPLICABLE),
        ("distance/app.js", NOT_APPLICABLE),
    ],
)
def test_generated_files_are_not_edited(file: str, result: Adherence) -> None:
    assert check("never edit generated files", changed(file)).result is result


commands = st.sampled_from(
    [
        "npm ci",
        "pnpm add x",
        "git push -f",
        "git push",
        "pytest",
        "git commit -m x",
        "echo 'npm ci'",
        "cat <<X\nnpm ci\nX",
    ]
)
sentences = st.sampled_from(["use pnpm instead of npm", "never force push", TESTS_FIRST, "keep functions short"])


@given(sentences, st.lists(commands), st.lists(commands))
def test_a_violation_stays_one_whatever_is_done_later(sentence: str, first: list[str], later: list[str]) -> None:
    before, after = check(sentence, *first), check(sentence, *first, *later)
    if before.result is VIOLATED:
        assert after == before


@given(sentences, st.lists(commands))
def test_what_is_followed_or_violated_names_a_call_and_nothing_else_does(sentence: str, run: list[str]) -> None:
    found = check(sentence, *run)
    assert bool(found.call) == (found.result in (FOLLOWED, VIOLATED))
    assert not found.call or found.call in [numbered(number) for number in range(1, len(run) + 1)]


# Corrections


@pytest.mark.parametrize(
    "text",
    [
        "Never use npm.",
        "no! never use npm",
        "Please remember: never use npm",
        "use npm here",
        "Thanks. Always use npm.",
    ],
)
def test_a_person_who_repeats_or_contradicts_a_memory_corrects_it(text: str) -> None:
    claim = says("never use npm")
    assert find_correction(claim, events(prompt("add zod"), REPLY, prompt(text))) == numbered(3)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("never use npm", "thanks"),  # the prompt that the memory was injected into
        ("add zod", "why does npm fail?"),
        ("add zod", "run the build again"),
        ("add zod", "x " * 2000 + ". Never use npm."),
    ],
)
def test_other_prompts_correct_nothing(first: str, then: str) -> None:
    assert find_correction(says("never use npm"), events(prompt(first), REPLY, prompt(then))) == ""


def test_a_command_of_the_person_corrects_nothing() -> None:
    given_events = events(REPLY, prompt("never use npm", PromptKind.COMMAND))
    assert find_correction(says("never use npm"), given_events) == ""
