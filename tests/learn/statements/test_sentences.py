"""Rules come from what the person typed, not from what they pasted or what a machine wrote for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tacit.learn.statements.sentences as model
from tacit.learn import load_data
from tacit.learn.statements.sentences import find_form, prompt_sentences, sentence_features, statement_forms
from tacit.model.claim import Kind
from tacit.model.observation import PromptKind, ToolAction, ToolUsed
from tests.support.talking import conversation, doubted, learnt, prompt, reply, sentences

RULE = "Never commit the lock file of the docs."


def own(text: str) -> str:
    return "|".join(sentence.text for sentence in model.typed_sentences(text))


@pytest.mark.parametrize(
    "text",
    [
        f"what does this mean?\n```\n{RULE}\n```",
        f"look at this\n> {RULE}",
        f"I got this feedback for my branch:\n\n{RULE}\nConsider adding tests for it.",
        f"This session is being continued from a previous conversation.\n{RULE}",
        f"Implement the following plan:\n\n# Plan\n\n{RULE}",
        f"<task-notification>\n{RULE}\n</task-notification>",
        f"<system-reminder>{RULE}</system-reminder>",
        f'{RULE}\n\n<activation critical="true">\n1. LOAD the agent\n</activation>',
        f'the file says "{RULE}" somewhere',
        "2026-01-09 19:23:47 ERROR never use the implicit flow with this client",
        "# Spec\n\n## Goals\n\n- Always store the token\n- Never log it\n- Every user has a role\n"
        "## Steps\n\n1. Always validate\n2. Never trust\n3. All fields must be set\n",
        "When the parser meets a tab it always returns zero, which is incorrect and never noticed. " * 6,
    ],
)
def test_what_the_person_did_not_write_teaches_nothing(text: str) -> None:
    assert learnt(text) == []


def test_what_stands_around_something_pasted_is_still_the_persons() -> None:
    text = f"{RULE}\n```\nalways = never\n```\nFrom now on we use tabs in the whole project."
    assert own(text) == f"{RULE}|From now on we use tabs in the whole project."
    assert sentences(text) == [RULE, "We use tabs in the whole project."]


def test_a_list_in_the_persons_own_voice_is_read() -> None:
    text = "My points:\n\n- we never use pip here\n- please drop the cache\n- I prefer poetry over pip"
    assert sentences(text) == ["We never use pip here", "I prefer poetry over pip"]


@pytest.mark.parametrize(
    "line",
    ["# always run the linter", "## Never use pip here", "- [ ] always run the linter", "* [x] never use pip here"],
)
def test_a_heading_and_an_item_of_a_checklist_state_nothing(line: str) -> None:
    assert learnt(line) == [] and doubted(line) == []


@pytest.mark.parametrize("line", ["1. always run the linter", "  2) never use pip here", "- 3. Always run the linter."])
def test_a_numbered_line_is_doubtful(line: str) -> None:
    assert learnt(line) == [] and len(doubted(line)) == 1


def test_prose_of_a_document_is_read_by_a_judge_and_not_taken_as_typed() -> None:
    text = "# Plan\n\n- Never log the token\n- Store it\n- Check it\n- Ship it\n- Test it\n- Name it\n"
    found = prompt_sentences(text)
    assert "Never log the token" in [sentence.text for sentence in found]
    assert not any(sentence.is_typed for sentence in found)


def test_code_and_logs_are_read_by_nobody() -> None:
    text = "look:\n```\nnever = 1\n```\n2026-01-09 19:23:47 ERROR never again\nthanks"
    assert [sentence.text for sentence in prompt_sentences(text)] == ["look:", "thanks"]


def test_what_the_agent_says_teaches_nothing() -> None:
    assert learnt(reply("We always use tabs here. Never use spaces in this project.")) == []


def test_what_the_person_runs_teaches_nothing() -> None:
    assert learnt(prompt("git commit -m 'never push the lock file'", PromptKind.SHELL)) == []


# Every form is found in its example, and the example is learned


@pytest.mark.parametrize("form", statement_forms(), ids=lambda form: form.name)
def test_a_form_is_found_in_its_example_and_the_example_is_learned(form: model.StatementForm) -> None:
    (sentence,) = prompt_sentences(form.example)
    assert find_form(sentence) == form
    (lesson,) = learnt(form.example)
    assert lesson.quote == form.example
    assert lesson.kind is form.kind
    assert form.name in lesson.reason


@pytest.mark.parametrize("row", load_data("statements/forms.toml")["exclusion"], ids=lambda row: row["example"])
def test_an_exclusion_is_found_in_its_example_and_nothing_is_learned_of_it(row: dict[str, str]) -> None:
    assert re.search(row["pattern"], row["example"].lower())
    assert learnt(row["example"]) == [] and doubted(row["example"]) == []


@pytest.mark.parametrize("row", load_data("statements/forms.toml")["doubt"], ids=lambda row: row["example"])
def test_a_doubt_is_found_in_its_example_which_is_doubtful(row: dict[str, str]) -> None:
    assert re.search(row["pattern"], row["example"].lower())
    assert learnt(row["example"]) == [] and len(doubted(row["example"])) == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("never run the migrations on the server", Kind.CONSTRAINT),
        ("Ask me before you change the public API", Kind.CONSTRAINT),
        ("do not include yourself as a co-author of the commits", Kind.CONSTRAINT),
        ("we decided on vitest, not jest, for the web app", Kind.DECISION),
        ("we are moving from Jenkins to GitHub Actions", Kind.DECISION),
        ("in this project we use conventional commits", Kind.CONVENTION),
        ("the schema in db/schema.sql is the source of truth", Kind.CONVENTION),
        ("I'm on Fedora 40 with Wayland", Kind.ENVIRONMENT),
        ("from now on run the tests with one worker only", Kind.RULE),
        ("ab jetzt bitte alle Tests mit pytest -n0 starten", Kind.RULE),
        ("以后提交之前先运行全部测试", Kind.RULE),
        ("今後はコミットの前に必ずテストを実行してください。", Kind.RULE),
        ("отвечай мне на русском языке", Kind.PREFERENCE),
        ("répondez toujours en français s'il vous plaît", Kind.PREFERENCE),
        ("请用中文回答我的问题", Kind.PREFERENCE),
        ("日本語でお願いします", Kind.PREFERENCE),
        ("한국어로 답변해 주세요", Kind.PREFERENCE),
        ("从现在开始不要直接提交到主分支", Kind.CONSTRAINT),
        ("from now on, do not commit on your own", Kind.CONSTRAINT),
        ("no, don't do that, use httpx instead", Kind.CONSTRAINT),
        ("no, use httpx instead of requests", Kind.CONSTRAINT),
        ("No, never mock the database in these tests", Kind.CONSTRAINT),
        ("I told you not to touch src/gen/api.ts by hand", Kind.CONSTRAINT),
        ("don't ever push to main without a review", Kind.CONSTRAINT),
        ("you must not touch the vendored files", Kind.CONSTRAINT),
        ("don't do the deploys, I can do that", Kind.CONSTRAINT),
        ("I decided to drop support for Python 3.9", Kind.DECISION),
        ("going with vite instead of webpack because the builds are faster", Kind.DECISION),
        ("we use drizzle rather than prisma because it has no engine", Kind.DECISION),
        ("wir haben uns für Postgres entschieden", Kind.DECISION),
        ("我们决定使用 Postgres 而不是 MySQL", Kind.DECISION),
        ("Use bun instead of npm for this project", Kind.PREFERENCE),
    ],
)
def test_a_statement_has_the_kind_of_its_form(text: str, kind: Kind) -> None:
    assert [lesson.kind for lesson in learnt(text)] == [kind]


def test_patterns_are_in_lower_case_as_the_sentences_are() -> None:
    patterns = [form.pattern for form in statement_forms()]
    patterns += [form.loose for form in statement_forms() if form.loose]
    patterns += [*model.exclusions(), *model.doubts()]
    assert [pattern for pattern in patterns if re.search("[A-Z]", re.sub(r"\\.", "", pattern.pattern))] == []


# The score of a sentence: what it is made of, and the file with its weights


WEIGHTS = Path(model.__file__).with_name("weights.json")


def score(text: str) -> float:
    return model.score_sentence(prompt_sentences(text)[0], len(text))


def test_features_tell_words_shape_and_place() -> None:
    text = "Run it first. Never edit `src/gen/api.ts` by hand!"
    first, second = (sentence_features(sentence, len(text)) for sentence in prompt_sentences(text))
    assert {"=run", "^run", "first", "shorter than 5", "typed"} <= first
    assert {"=never", "^never", "last", "code", "path", "shorter than 8"} <= second
    assert "last" not in first


def test_text_without_blanks_has_its_characters_and_pairs_as_words() -> None:
    (sentence,) = prompt_sentences("用中文回答")
    assert {"=用", "=中文", "=回答", "ideographs"} <= sentence_features(sentence, 5)


def test_a_score_is_the_sum_of_the_weights() -> None:
    (sentence,) = prompt_sentences("never push")
    weights = {"": 1.0, "=never": 0.5, "=push": 0.25, "=other": 9.0}
    assert model.score_sentence(sentence, 10, weights) == 1.75


def test_a_rule_scores_more_than_a_task_and_a_question() -> None:
    rule = score("we never commit generated files, they belong into the release")
    assert rule > model.MIN_CANDIDATE_SCORE
    assert rule > score("fix the failing test in the parser please")
    assert rule > score("why does the build fail?")


def test_the_weights_are_one_small_file_of_finite_numbers() -> None:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert WEIGHTS.stat().st_size <= 150_000
    assert all(abs(weight) < 10 for weight in weights.values())
    assert "" in weights


# Which sentences of a session a judge reads


def texts(*bodies: object) -> list[str]:
    return [candidate.text for candidate in model.sentence_candidates(conversation(*bodies))]  # type: ignore[arg-type]


def test_statements_and_explicit_forms_are_passed_and_small_talk_is_not() -> None:
    passed = texts(prompt("thanks"), prompt("ok?"), prompt("The staging server is deployed from the branch release."))
    assert passed == ["The staging server is deployed from the branch release."]
    assert texts(prompt("in german please")) == ["in german please"]


def test_only_what_the_person_typed_is_passed() -> None:
    tool = ToolUsed("claude", "Bash", ToolAction.RAN, "cat NOTES", "We always deploy from the branch release.")
    assert texts(reply("We always deploy from the branch release."), tool) == []
    assert texts(prompt("git commit -m 'we always deploy from release'", PromptKind.SHELL)) == []


@pytest.mark.parametrize(
    "text",
    [
        *("use tabs", "no emojis", "pnpm, not npm", "british spelling", "keep it short", "skip the preamble"),
        *("write in German", "leave git to me", "bitte kurze antworten", "usiamo pnpm qui", "мы используем poetry"),
        *("türkçe cevap ver", "数据库在 5433 端口", "siempre usa tipos estrictos"),
    ],
)
def test_a_short_rule_is_a_candidate_in_any_language(text: str) -> None:
    assert texts(prompt(text)) == [text]


@pytest.mark.parametrize(
    "text", ["continue", "ok do it", "commit this", "looks good", "why does this fail?", "mach den button blau", "好的"]
)
def test_a_task_an_assent_and_a_question_are_none(text: str) -> None:
    assert texts(prompt(text)) == []


def test_a_candidate_has_what_was_said_around_it() -> None:
    said = "can you fix the header? never edit the generated clients by hand. why is it red?"
    (candidate,) = model.sentence_candidates(conversation(prompt(said)))
    assert candidate.before == "can you fix the header?"
    assert candidate.around == "can you fix the header? why is it red?"


def test_a_candidate_names_its_event_and_the_question_it_answers() -> None:
    (candidate,) = model.sentence_candidates(
        conversation(prompt("we use Postgres for everything", PromptKind.ANSWER, "Which database?"))
    )
    assert candidate.event_id == "e0"
    assert candidate.answering == "Which database?"
