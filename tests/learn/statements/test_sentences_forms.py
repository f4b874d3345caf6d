"""Every form is found in its example, and the example is learned."""

from __future__ import annotations

import re

import pytest

from tacit.learn import load_data
from tacit.learn.statements.sentences import StatementForm, exclusions, find_form, prompt_sentences, statement_forms
from tacit.model.claim import Kind
from tests.support.talking import learnt


@pytest.mark.parametrize("form", statement_forms(), ids=lambda form: form.name)
def test_a_form_is_found_in_its_example_and_the_example_is_learned(form: StatementForm) -> None:
    (sentence,) = prompt_sentences(form.example)
    assert find_form(sentence) == form
    (lesson,) = learnt(form.example)
    assert lesson.quote == form.example
    assert lesson.kind is form.kind
    assert form.name in lesson.reason


@pytest.mark.parametrize("row", load_data("statements/forms.toml")["exclusion"], ids=lambda row: row["example"])
def test_an_exclusion_is_found_in_its_example_and_nothing_is_learned_of_it(row: dict[str, str]) -> None:
    assert re.search(row["pattern"], row["example"].lower())
    assert learnt(row["example"]) == []


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
        ("no, don't do that, use httpx instead", Kind.RULE),
        ("I told you not to touch src/gen/api.ts by hand", Kind.RULE),
    ],
)
def test_a_statement_has_the_kind_of_its_form(text: str, kind: Kind) -> None:
    assert [lesson.kind for lesson in learnt(text)] == [kind]


def test_patterns_are_in_lower_case_as_the_sentences_are() -> None:
    patterns = [*(form.pattern for form in statement_forms()), *exclusions()]
    assert [pattern for pattern in patterns if re.search("[A-Z]", re.sub(r"\\.", "", pattern.pattern))] == []
