"""A statement says no more than its line and what was said around it, in other words, and not the opposite."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.judge.answer import CHECK_WORDING
from tacit.learn.judge.wording import invented_order, invented_words, is_misspelled, is_translated, unknown_names
from tacit.model.observation import PromptGiven, PromptKind
from tests.support.model_talk import but, check, findings

BELIEVED, MARKED = "", CHECK_WORDING
OPPOSITE = "it says the opposite of its quote"
INVENTED = "it says what its line does not say"
ORDER = "it gives an order that its line does not give"
NAMES = "it has names that its line does not have"
ELSEWHERE = "it has nothing to do with its quote"


def outcome(said: str, statement: str, quote: str = "", about: str = "") -> str:
    """Why a statement about a prompt is not believed; else whether its wording should be checked."""
    prompt = PromptGiven("claude", said, PromptKind.ANSWER if about else PromptKind.TYPED, about)
    checked = check(but(quote=quote or said, statement=statement, kind="rule", why=""), of=(prompt,))
    for lesson in findings(checked):
        return CHECK_WORDING if CHECK_WORDING in lesson.reason else BELIEVED
    return ", ".join(checked.dropped)


ENVIRONMENT = "the service takes its settings from the environment, not from the ini file"
BIG = "I'd rather review four small branches than one huge branch"
MIGRATED = "we moved off jenkins, builds run in buildkite now"
SUITE = "you keep running every test, run only the tests of the module you changed"
HOLIDAY = "leave the release to me"
TABS = "use tabs"
OLD = "no need to keep the old routes, nobody calls them"
TAGS = "we deploy from main by tagging, so no release branches"
GERMAN = "bitte antworte mir immer auf deutsch"
TAR = "unpack it with tar -xvf, gui tools lose permissions"


@pytest.mark.parametrize(
    ("said", "statement", "expected"),
    [
        # What contrasts, in either order
        (ENVIRONMENT, "Settings of the service come from the environment and not from the ini file.", BELIEVED),
        (ENVIRONMENT, "The service takes its settings from the ini file, not from the environment.", OPPOSITE),
        (BIG, "Prefer one huge branch over four small branches for reviews.", OPPOSITE),
        (MIGRATED, "Builds run in buildkite; jenkins is no longer used.", BELIEVED),
        (MIGRATED, "Builds run in jenkins and not in buildkite.", OPPOSITE),
        (SUITE, "Run only the tests of the changed module, not every test.", BELIEVED),
        (OLD, "Old routes need not be kept, nobody calls them.", MARKED),
        ("never push on your own", "Always push on your own here.", OPPOSITE),
        # What may be one, and what is no more than a doubt
        ("the debug flag must be off in production", "The debug flag must be on in production.", MARKED),
        (TAGS, "Deploy from release branches, never from main.", OPPOSITE),
        # What nobody said
        (ENVIRONMENT, "The service takes its settings from the environment and caches them for an hour.", INVENTED),
        (HOLIDAY, "Leave the release to the operations crew on Fridays.", INVENTED),
        (HOLIDAY, "Publish the release to the user on request.", ORDER),
        (SUITE, "Delete the tests of the module you changed.", ORDER),
        (SUITE, "Never translate the tests of the module.", ORDER),
        (TABS, "Use tabs for indentation in this project.", MARKED),
        (TABS, "Squash migrations with a nightly task.", ELSEWHERE),
        # Forms, spellings and mistakes of its words
        ("migartions are genrated with alembic", "Migrations are always generated with alembic.", BELIEVED),
        ("migartions are genrated with alembic", "Generate the migrations with alembic in this project.", BELIEVED),
        ("pls keep the subjct below 60 chars", "Keep the subject below 60 characters.", BELIEVED),
        ("our prod db lies on the nas", "The production database is on the NAS.", BELIEVED),
        ("leave the deployment to me", "The agent must not deploy; the user does the deployment.", BELIEVED),
        # Options
        (TAR, "Unpack it with tar -x -v -f here.", BELIEVED),
        (TAR, "Unpack it with tar -xf, gui tools lose permissions.", BELIEVED),
        (TAR, "Unpack it with tar -xzf here.", NAMES),
        ("run it as docker run -i -t here", "Run it as docker run -it here, always.", BELIEVED),
        # Other languages
        (GERMAN, "Always answer the user in German.", MARKED),
        (GERMAN, "Dem Nutzer immer auf Deutsch antworten.", BELIEVED),
        (GERMAN, "Immer auf Deutsch antworten und die Rechnung verschicken.", INVENTED),
        ("不要使用 npm，这个项目统一用 pnpm", "Do not use npm; this project uses pnpm.", MARKED),
        ("不要使用 npm，这个项目统一用 pnpm", "Do not use npm; this project uses `yarn2` everywhere.", NAMES),
        ("不要使用 npm，这个项目统一用 pnpm", "Backups of the server are kept every night.", ELSEWHERE),
        ("不要使用 npm，这个项目统一用 pnpm", "这个项目统一使用 pnpm，不要使用 npm。", BELIEVED),
        ("不要使用 npm，这个项目统一用 pnpm", "这个项目统一用 pnpm，每周五自动发布到服务器。", INVENTED),
        ("我不希望 build 流程用旧的缓存", "build 流程不要用旧的缓存。", BELIEVED),
        ("我不希望 build 流程用旧的缓存", "build 流程应该用旧的缓存。", OPPOSITE),
        ("have a header/footer to name the page", "Do not write headers; the page should name itself.", MARKED),
        ("не трогай миграции без моего разрешения", "Не трогать миграции без разрешения пользователя.", BELIEVED),
        ("не трогай миграции без моего разрешения", "Каждый вечер отправлять отчёт заказчику и миграции.", INVENTED),
    ],
)  # fmt: skip
def test_a_statement_is_believed_marked_or_refused(said: str, statement: str, expected: str) -> None:
    assert outcome(said, statement) == expected


LOGS = "the staging box is web03. logs are in /srv/app/logs there. they are kept for a week"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("The logs of the staging box web03 are in /srv/app/logs.", BELIEVED),
        ("The logs in /srv/app/logs are kept for a week.", BELIEVED),
        ("The logs of the staging box web04 are in /srv/app/logs.", NAMES),
    ],
)
def test_the_sentences_around_a_line_belong_to_it(statement: str, expected: str) -> None:
    assert outcome(LOGS, statement, quote="logs are in /srv/app/logs there") == expected


def test_what_a_line_answers_belongs_to_it() -> None:
    asked = "Should I run the linter before committing?"
    assert outcome("yes, always", "Always run the linter before committing.", about=asked) == BELIEVED
    assert outcome("yes, always", "Always run the linter and the slow benchmarks first.", about=asked) == INVENTED


def test_half_a_clause_is_compared_as_the_whole_one() -> None:
    said = "never push to main, ask me first"
    assert outcome(said, "Push to main whenever you like.", quote="push to main") == OPPOSITE
    assert outcome(said, "Never push to main, ask the user first.", quote="push to main") == BELIEVED


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("subject", "subjct", True),
        ("generated", "genrated", True),
        ("rows", "rwos", True),
        ("rows", "rods", False),
        ("main", "man", False),
        ("import", "export", False),
        ("install", "uninstall", False),
        ("include", "exclude", False),
        ("web03", "web04", False),
        ("documentation", "dokumentaton", True),
    ],
)
def test_a_typing_mistake_is_told_from_another_word(first: str, second: str, expected: bool) -> None:
    assert is_misspelled(first, second) is is_misspelled(second, first) is expected


@pytest.mark.parametrize(
    ("statement", "line", "expected"),
    [
        ("Always answer in German.", "bitte antworte immer auf deutsch", True),
        ("Integration tests are not run in CI.", "los tests de integración no se ejecutan en ci", True),
        ("Branch names begin with the number.", "les noms de branches commencent par le numéro", True),
        ("Use pnpm here.", "use pnpm here", False),
        ("Use tabs in this project.", "tabs", False),
        ("Use pnpm, not npm.", "我们用 pnpm", True),
        ("我们用 pnpm。", "我们用 pnpm", False),
    ],
)
def test_a_translation_is_told_by_small_words_and_by_the_script(statement: str, line: str, expected: bool) -> None:
    assert is_translated(statement, line) is expected


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_compared_and_says_no_more_than_itself(text: str, other: str) -> None:
    invented_words(text, other)
    unknown_names(text, other)
    assert invented_words(text, text) == [] and invented_order(text, text) == ""
