"""The write side: the cases have the form that is documented, and answers are scored by the rubric."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.peers.peer import Place
from bench.write_side import known
from bench.write_side.answers import Recorded, Written, question_id
from bench.write_side.cases import (
    ABILITIES,
    AGENT,
    ASKED,
    HEARD,
    PAIRED,
    PERSON,
    Case,
    Pair,
    Request,
    Session,
    Turn,
    cases,
)
from bench.write_side.known.tacit_judge import Judge, judged_by
from bench.write_side.memory import Kept, Memory, Outcome
from bench.write_side.run import answers, marks, measured
from bench.write_side.score import PRECISION, RECALL, Mark, counts, of_pair, of_request, of_session, table

ALL = list(cases())
BY_ID = {case.id: case for case in ALL}
SAID = "Never push straight to release/*. Only the release manager cuts those. Fix the typo"
RULE, WHO, TASK = "Never push straight to release/*.", "Only the release manager cuts those.", "Fix the typo"
KEEP = Session("keep", "keep", "en", (Turn(PERSON, SAID),), (RULE[:-1], WHO[:-1]))
DROP = Session("drop", "drop", "en", (Turn(PERSON, TASK),), ())
FIRST = "Releases are cut by Mara on Tuesdays."
AGAIN = "Mara is who cuts a release, and that is on Tuesday at noon."
METHODS = {"listen": HEARD, "add": PAIRED, "forget": ASKED[:1], "tell": ASKED[1:]}
JAPANESE = Session("ja", "keep", "ja", (), ("テストはPlaywrightで書く",))


def kept(*sentences: str) -> list[Kept]:
    return [Kept(sentence) for sentence in sentences]


def pair(ability: str, outcome: Outcome) -> Mark:
    return of_pair(Pair("pair", ability, "en", "one", "two"), outcome)


def request(ability: str, *answer: str) -> bool:
    return of_request(Request("request", ability, "en", ("a", "b", "c"), "what", (1,)), answer).right


# The cases


def test_there_are_as_many_cases_as_documented() -> None:
    found = Counter(case.ability for case in ALL)
    assert found == {"keep": 71, "drop": 71, "same": 38, "contradict": 38, "distinct": 36, "forget": 23, "tell": 23}
    assert Counter(case.language for case in ALL).pop("en") == 90
    assert len({case.language for case in ALL}) == 8


def test_an_id_is_unique_and_says_ability_and_language() -> None:
    assert len(BY_ID) == len(ALL)
    assert all(case.id.startswith(f"{case.ability}-{case.language}-") for case in ALL)


@pytest.mark.parametrize("ability", ABILITIES)
def test_every_case_of_an_ability_is_whole(ability: str) -> None:
    for case in ALL:
        if case.ability == ability:
            assert is_whole(case), case.id


def is_whole(case: Case) -> bool:
    if isinstance(case, Pair):
        return bool(case.first.strip() and case.second.strip()) and case.first != case.second
    if isinstance(case, Request):
        places = range(len(case.memories))
        is_set = len(set(case.memories)) == len(case.memories) and len(set(case.chosen)) == len(case.chosen)
        return is_set and set(case.chosen) < set(places) and (case.ability == "tell" or bool(case.chosen))
    typed = [turn.text for turn in case.turns if turn.who == PERSON]
    quoted = all(any(quote in text for text in typed) for quote in case.quotes)
    voices = {turn.who for turn in case.turns} <= {PERSON, AGENT}
    return bool(typed) and quoted and voices and bool(case.quotes) == (case.ability == "keep")


@pytest.mark.parametrize(
    "row",
    [
        {"id": "x", "ability": "guess", "language": "en"},
        {"id": "x", "ability": "same", "language": "en", "first": "one"},
        {"id": "x", "ability": "same", "language": "en", "first": "one", "second": "two", "expect": {}},
    ],
)
def test_a_line_of_another_form_is_refused(tmp_path: Path, row: dict[str, object]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(row))
    with pytest.raises(ValueError, match="line 1"):
        list(cases(file))


# Scoring


def test_all_quotes_and_nothing_else_is_right() -> None:
    assert of_session(KEEP, kept(RULE, WHO)).right
    assert not of_session(KEEP, kept(RULE)).right
    assert not of_session(KEEP, kept(RULE, WHO, TASK)).right
    assert not of_session(KEEP, []).right


def test_what_is_kept_may_be_reworded_if_it_comes_with_the_words_or_has_half_of_them() -> None:
    assert of_session(KEEP, [Kept("Release branches are closed.", RULE), Kept("The release manager cuts those")]).right
    assert not of_session(KEEP, kept("Release branches are closed.", WHO)).right


def test_a_part_of_a_quote_is_nothing_else_but_does_not_cover_it() -> None:
    mark = of_session(KEEP, kept("Never push", WHO))
    assert (mark.right, mark.kept, mark.fitting, mark.covered) == (False, 2, 2, 1)


def test_of_a_session_where_nothing_lasts_anything_is_wrong() -> None:
    assert of_session(DROP, []).right
    assert not of_session(DROP, kept(TASK)).right


def test_text_without_spaces_is_compared_by_neighbouring_characters() -> None:
    assert of_session(JAPANESE, kept("E2EテストはPlaywrightで書くこと。")).right
    assert not of_session(JAPANESE, kept("ログはサーバーで見る。")).right


@pytest.mark.parametrize(
    ("ability", "outcome", "right", "asked", "misasked"),
    [
        ("same", Outcome.SAME, True, False, False),
        ("same", Outcome.ASKED_SAME, True, True, False),
        ("same", Outcome.ASKED_CONTRADICT, False, False, True),
        ("same", Outcome.DISTINCT, False, False, False),
        ("contradict", Outcome.CONTRADICT, True, False, False),
        ("contradict", Outcome.ASKED_CONTRADICT, True, True, False),
        ("contradict", Outcome.ASKED_SAME, False, False, True),
        ("contradict", Outcome.SAME, False, False, False),
        ("distinct", Outcome.DISTINCT, True, False, False),
        ("distinct", Outcome.ASKED_SAME, True, True, False),
        ("distinct", Outcome.SAME, False, False, False),
        ("distinct", Outcome.CONTRADICT, False, False, False),
        ("same", Outcome.MISSED, False, False, False),
        ("distinct", Outcome.MISSED, False, False, False),
    ],
)
def test_a_pair_is_decided_or_the_right_question_is_asked(
    ability: str, outcome: Outcome, right: bool, asked: bool, misasked: bool
) -> None:
    mark = pair(ability, outcome)
    assert (mark.right, mark.asked, mark.misasked) == (right, asked, misasked)


def test_just_what_was_meant_is_forgotten() -> None:
    assert request("forget", "a", "c")
    assert not request("forget", "a", "b", "c") and not request("forget", "a") and not request("forget")


def test_just_what_bears_on_the_prompt_is_told() -> None:
    assert request("tell", "b")
    assert not request("tell", "a", "b") and not request("tell")


def test_english_and_other_languages_are_counted_apart() -> None:
    japanese = of_session(JAPANESE, kept("ログはサーバーで見る。"))
    rows = counts([of_session(KEEP, kept(RULE, WHO)), japanese, pair("same", Outcome.ASKED_SAME)])
    shown = list(table([("mine", rows)]))
    assert "| mine | keep | 1 of 1 | 0 of 1 | 1 of 2 |" in shown
    assert f"| mine | {PRECISION} | 2 of 2 | 0 of 1 | 2 of 3 |" in shown
    assert f"| mine | {RECALL} | 2 of 2 | 0 of 1 | 2 of 3 |" in shown
    assert "| mine | same | 1 of 1 (1 asked) | 0 of 0 | 1 of 1 (1 asked) |" in shown


def test_what_a_memory_cannot_do_is_said_in_words_and_not_counted() -> None:
    rows = counts([pair("same", Outcome.SAME)], {"keep": "decided by a model", "forget": "has none"})
    shown = list(table([("mine", rows)]))
    assert "| mine | forget | has none |  |  |" in shown
    assert f"| mine | {PRECISION} | decided by a model |  |  |" in shown
    assert "| mine | same | 1 of 1 | 0 of 0 | 1 of 1 |" in shown


# The adapters


def opened(name: str, home: Path) -> Memory:
    return known.memory(name).open(here(home))


def here(home: Path) -> Place:
    return Place(Path(sys.prefix), Path(sys.executable), home)


@pytest.mark.parametrize("name", known.names())
def test_an_adapter_has_a_method_for_every_ability_that_it_does_not_lack(name: str) -> None:
    one = known.memory(name)
    assert set(one.lacks) <= set(ABILITIES)
    adapter = one.open.func if isinstance(one.open, partial) else one.open
    for method, abilities in METHODS.items():
        if not set(abilities) <= set(one.lacks):
            assert getattr(adapter, method) is not getattr(Memory, method), method


def test_a_memory_that_is_not_installed_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_BENCH_CACHE", str(tmp_path))
    result = measured("mempalace", known.memory("mempalace"), ALL)
    assert result.not_run == "not installed; type: python -m bench.write_side --install --only mempalace"
    assert not result.rows and not list(tmp_path.iterdir())


def test_the_plain_memory_keeps_all_and_merges_nothing() -> None:
    asked = [BY_ID[one] for one in ("keep-en-03", "drop-en-20", "distinct-en-04")]
    assert [mark.right for mark in marks(known.memory("plain"), asked)] == [True, False, True]


def test_tacit_runs_on_a_session_a_pair_and_a_prompt() -> None:
    asked = [BY_ID[one] for one in ("keep-en-03", "same-de-01", "tell-en-02")]
    assert [mark.case for mark in marks(known.memory("tacit"), asked)] == asked


def test_tacit_keeps_a_rule_with_the_words_of_the_person(tmp_path: Path) -> None:
    turns = [Turn(PERSON, "fix the footer"), Turn(AGENT, "Always happy to help."), Turn(PERSON, RULE)]
    (one,) = opened("tacit", tmp_path).listen(turns)
    assert one.quote == RULE


def test_tacit_knows_what_it_was_told_on_another_day(tmp_path: Path) -> None:
    home = opened("tacit", tmp_path)
    found = [home.add(text) for text in (RULE, RULE, "The seed is 1234 for all figures.")]
    assert found == [Outcome.DISTINCT, Outcome.SAME, Outcome.DISTINCT]


def test_tacit_forgets_a_memory_by_its_text_and_no_other(tmp_path: Path) -> None:
    memories = ["The seed is 1234 for all figures.", "Raw data is in the bucket lab-raw."]
    assert opened("tacit", tmp_path).forget(memories, memories[0]) == memories[1:]


def test_tacit_tells_its_rules_and_what_bears_on_a_prompt(tmp_path: Path) -> None:
    fix = "The error ERR_OSSL_EVP_UNSUPPORTED went away with webpack 5."
    memories = [RULE, fix, "We decided for Leaflet instead of Mapbox."]
    prompt = "the build ends with ERR_OSSL_EVP_UNSUPPORTED again"
    assert opened("tacit", tmp_path).tell(memories, prompt) == [RULE, fix]


def test_the_adapter_that_the_readme_shows_runs(tmp_path: Path) -> None:
    readme = (Path(known.__path__[0]).parent / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(shown, names)
    notes = names["MEMORY"].open(here(tmp_path))
    assert notes.listen([Turn(PERSON, f"fix the footer. {RULE}"), Turn(AGENT, "Always.")]) == [Kept(RULE, RULE)]
    assert [notes.add(text) for text in (RULE, RULE, WHO)] == [Outcome.DISTINCT, Outcome.SAME, Outcome.DISTINCT]


# A judge


def answering(**memory: str) -> Judge:
    """A judge that quotes the first sentence that it is asked about, and says what is given of it."""

    def answer(question: str) -> str:
        (sentence,) = re.findall(r'"sentence": "([^"]+)"', question)[:1]
        said = {"quote": sentence, "statement": sentence, "kind": "rule", "why": "", "where": "project"}
        known_id = re.search(r'^{"known": .*"id": "(\w+)"}$', question, re.MULTILINE)
        named = {name: known_id[1] for name in memory if known_id}
        return json.dumps({"memories": [{**said, **named}], "summaries": {}})

    return answer


def silent(_question: str) -> str:
    return '{"memories": [], "summaries": {}}'


def test_what_a_judge_finds_is_kept_with_the_words_of_the_person(tmp_path: Path) -> None:
    said = "the clients are generated, so nobody edits those by hand"
    (one,) = judged_by(answering()).open(here(tmp_path)).listen([Turn(PERSON, said)])
    assert one.quote == said


@pytest.mark.parametrize(
    ("judge", "second", "outcome"),
    [
        (answering(same_as="the first"), AGAIN, Outcome.SAME),
        (answering(contradicts="the first"), AGAIN, Outcome.ASKED_CONTRADICT),
        (answering(), AGAIN, Outcome.ASKED_SAME),
        (answering(), "the seed of all our figures is 1234", Outcome.DISTINCT),
        (silent, AGAIN, Outcome.MISSED),
    ],
)
def test_the_second_statement_of_a_pair_is_judged_beside_the_first(
    tmp_path: Path, judge: Judge, second: str, outcome: Outcome
) -> None:
    memory = judged_by(judge).open(here(tmp_path))
    assert [memory.add(text) for text in (FIRST, second)] == [Outcome.DISTINCT, outcome]


def test_a_question_is_the_same_whatever_folder_it_is_asked_in(tmp_path: Path) -> None:
    asked = [BY_ID[one] for one in ("keep-en-03", "same-de-01")]
    for folder in ("one", "two"):
        list(answers(judged_by(Written(tmp_path / folder)), asked))
    first, second = ({file.name for file in (tmp_path / folder).iterdir()} for folder in ("one", "two"))
    assert first == second and len(first) == 2


def test_only_the_answer_to_just_this_question_is_scored(tmp_path: Path) -> None:
    questions: list[str] = []

    def listen(question: str) -> str:
        questions.append(question)
        return silent(question)

    case = BY_ID["keep-en-03"]
    list(answers(judged_by(listen), [case]))
    (question,) = questions
    for asked, shown in (
        (question, "0 of 1"),
        (question + "\n", "not scored: 1 of 1 cases have no recorded answer"),
    ):
        file = tmp_path / "answers.jsonl"
        file.write_text(json.dumps({"id": question_id(asked), "answer": json.loads(silent(asked))}))
        result = measured("tacit_judge", judged_by(Recorded(file)), [case])
        (row,) = [line for line in table([("mine", result.rows)]) if "| keep |" in line]
        assert shown in row
