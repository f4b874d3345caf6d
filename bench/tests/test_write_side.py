"""The write side: the cases have the form that is documented, and answers are scored by the rubric."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bench.write_side import known
from bench.write_side.__main__ import marks
from bench.write_side.cases import ABILITIES, AGENT, PERSON, Case, Pair, Request, Session, Turn, cases
from bench.write_side.memory import Kept, Outcome
from bench.write_side.score import PRECISION, RECALL, Mark, counts, of_pair, of_request, of_session, table

ALL = list(cases())
BY_ID = {case.id: case for case in ALL}
SAID = "Never push straight to release/*. Only the release manager cuts those. Fix the typo"
RULE, WHO, TASK = "Never push straight to release/*.", "Only the release manager cuts those.", "Fix the typo"
KEEP = Session("keep", "keep", "en", (Turn(PERSON, SAID),), (RULE[:-1], WHO[:-1]))
DROP = Session("drop", "drop", "en", (Turn(PERSON, TASK),), ())
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
    assert {group: (count.right, count.of) for group, count in rows["keep"].items()} == {
        "English": (1, 1),
        "others": (0, 1),
        "all": (1, 2),
    }
    assert (rows[PRECISION]["all"].right, rows[PRECISION]["all"].of) == (2, 3)
    assert (rows[RECALL]["all"].right, rows[RECALL]["all"].of) == (2, 3)
    assert "| mine | same | 1 of 1 (1 asked) | 0 of 0 | 1 of 1 (1 asked) |" in list(table([("mine", rows)]))


# The adapters


def test_the_plain_memory_keeps_all_and_merges_nothing() -> None:
    asked = [BY_ID[one] for one in ("keep-en-03", "drop-en-20", "distinct-en-04")]
    assert [mark.right for mark in marks(known.memory("plain"), asked)] == [True, False, True]


def test_tacit_runs_on_a_session_a_pair_and_a_prompt() -> None:
    asked = [BY_ID[one] for one in ("keep-en-03", "same-de-01", "tell-en-02")]
    assert [mark.case for mark in marks(known.memory("tacit"), asked)] == asked


def test_tacit_keeps_a_rule_with_the_words_of_the_person(tmp_path: Path) -> None:
    turns = [Turn(PERSON, "fix the footer"), Turn(AGENT, "Always happy to help."), Turn(PERSON, RULE)]
    (one,) = known.memory("tacit").open(tmp_path).listen(turns)
    assert one.quote == RULE


def test_tacit_knows_what_it_was_told_on_another_day(tmp_path: Path) -> None:
    home = known.memory("tacit").open(tmp_path)
    found = [home.add(text) for text in (RULE, RULE, "The seed is 1234 for all figures.")]
    assert found == [Outcome.DISTINCT, Outcome.SAME, Outcome.DISTINCT]


def test_tacit_forgets_a_memory_by_its_text_and_no_other(tmp_path: Path) -> None:
    memories = ["The seed is 1234 for all figures.", "Raw data is in the bucket lab-raw."]
    assert known.memory("tacit").open(tmp_path).forget(memories, memories[0]) == memories[1:]


def test_tacit_tells_its_rules_and_what_bears_on_a_prompt(tmp_path: Path) -> None:
    fix = "The error ERR_OSSL_EVP_UNSUPPORTED went away with webpack 5."
    memories = [RULE, fix, "We decided for Leaflet instead of Mapbox."]
    prompt = "the build ends with ERR_OSSL_EVP_UNSUPPORTED again"
    assert known.memory("tacit").open(tmp_path).tell(memories, prompt) == [RULE, fix]
