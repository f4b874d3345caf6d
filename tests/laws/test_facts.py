"""The fact file: one JSON line a fact with the fields of S4, and nothing of others is lost."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Triple
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.pages import facts
from tacit.pages.long_term import MemoryView
from tests.laws.filing import noted, steps
from tests.laws.strategies import SCOPES, after, law, logs, wild_texts

FIELDS = ["id", "ts", "scope", "kind", "triple", "canonical", "strength", "source", "tags", "dedupe_key"]
COUNTERS = ["ts", "strength", "source"]
SENTENCES = ("use pnpm", "a", "B", 'say "x"', "back\\slash", "日本", "\u200bhidden")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
foreign_fields = st.dictionaries(st.text(max_size=8).filter(lambda name: name not in FIELDS), json_values, max_size=3)


def _of(scope: Scope, log: list[Event]) -> list[MemoryView]:
    return [one for one in noted(log).values() if one.memory.claim.scope == scope]


def _line(sentence: str, times: int = 1) -> str:
    claim = Claim(Kind.RULE, GLOBAL, Triple("note", "says", sentence), sentence)
    log: list[Event] = []
    for _ in range(times):
        log.append(after(log, ClaimProposed(claim, Verdict.ADDED, "user_direct")))
    return facts.fact_line(noted(log)[claim.id])


@law
@given(logs, st.sampled_from(SCOPES))
def test_each_fact_that_holds_is_one_line_with_the_fields_of_the_format(log: list[Event], scope: Scope) -> None:
    shown = {one.memory.id: one for one in _of(scope, log) if one.is_effective}
    lines = [json.loads(line) for line in facts.update_facts([], _of(scope, log))]
    assert [list(line) for line in lines] == [FIELDS] * len(shown)
    assert {line["id"] for line in lines} == set(shown)
    for line in lines:
        memory = shown[line["id"]].memory
        assert line["canonical"] == memory.claim.sentence
        assert line["triple"] == memory.claim.triple._asdict()
        assert line["dedupe_key"] == memory.claim.key
        assert line["strength"] == max(memory.judged_strength if memory.touched_by_user else memory.strength, 1)
        assert ("conflict" in line["tags"]) == shown[line["id"]].conflict


@law
@given(wild_texts)
def test_a_fact_is_one_line_that_shows_no_hidden_character(sentence: str) -> None:
    line = _line(sentence)
    assert line.splitlines() == [line]
    assert not {unicodedata.category(letter) for letter in line} & {"Cc", "Zl", "Zp", "Cs"}
    assert json.loads(line)["canonical"] == sentence


@law
@given(st.permutations(SENTENCES))
def test_lines_are_sorted_by_id_so_that_one_change_is_one_line(order: list[str]) -> None:
    lines = facts.sort_facts([_line(sentence) for sentence in order])
    names = [json.loads(line)["id"] for line in lines]
    assert names == sorted(names)
    changed = facts.sort_facts([_line(sentence, 2 if sentence == order[0] else 1) for sentence in order])
    assert sum(one != other for one, other in zip(lines, changed, strict=True)) == 1


@law
@given(st.permutations(SENTENCES), st.integers(1, len(SENTENCES)))
def test_a_file_that_is_sorted_by_statement_stays_so(order: list[str], number: int) -> None:
    old = sorted(map(_line, order[:number]), key=lambda line: str(json.loads(line)["dedupe_key"]))
    assert facts.sort_facts(map(_line, order[:number]), old) == old
    more = facts.sort_facts(map(_line, order), old)
    names, keys = ([json.loads(line)[field] for line in more] for field in ("id", "dedupe_key"))
    assert names == sorted(names) or keys == sorted(keys)
    assert [line for line in more if line in old] == old or names == sorted(names)


@law
@given(logs.flatmap(steps), st.sampled_from(SCOPES))
def test_a_file_kept_up_step_by_step_is_the_file_written_whole(pieces: list[list[Event]], scope: Scope) -> None:
    log: list[Event] = []
    lines: list[str] = []
    before: dict[str, MemoryView] = {}
    for piece in pieces:
        log += piece
        now: dict[str, MemoryView] = {one.memory.id: one for one in _of(scope, log)}
        changed = [one for claim, one in now.items() if before.get(claim) != one]
        gone = {one.memory.id for claim, one in before.items() if claim not in now}
        lines, before = facts.update_facts(lines, changed, gone), now
    assert lines == facts.update_facts([], before.values())


@law
@given(wild_texts, foreign_fields)
def test_fields_of_others_survive(sentence: str, foreign: dict[str, object]) -> None:
    base, mine = _line(sentence), _line(sentence, 2)
    theirs = json.dumps({**json.loads(base), **foreign})
    merged = json.loads(facts.reconcile_fact(base, mine, theirs))
    assert merged == {**json.loads(mine), **foreign}


@law
@given(wild_texts, st.sampled_from([name for name in FIELDS if name not in COUNTERS]), json_values)
def test_a_hand_edit_of_a_field_stands_while_the_others_move_on(sentence: str, name: str, value: object) -> None:
    base, mine = _line(sentence), _line(sentence, 2)
    theirs = {**json.loads(base), name: value}
    merged = json.loads(facts.reconcile_fact(base, mine, json.dumps(theirs)))
    edited = {name: value} if theirs != json.loads(base) else {}
    assert merged == {**json.loads(mine), **edited}


@law
@given(wild_texts, st.sampled_from(COUNTERS), json_values)
def test_when_and_how_often_is_as_it_was_stated_here_last_and_else_as_others_did(
    sentence: str, name: str, value: object
) -> None:
    base, mine = _line(sentence), _line(sentence, 2)
    theirs = json.dumps({**json.loads(base), name: value})
    assert facts.reconcile_fact(base, mine, theirs) == mine
    assert json.loads(facts.reconcile_fact(base, base, theirs)) == json.loads(theirs)


@law
@given(wild_texts, st.text(max_size=30))
def test_a_line_that_is_no_json_is_left_as_it_is(sentence: str, junk: str) -> None:
    mine = _line(sentence)
    assert facts.reconcile_fact(None, mine, f"<<<<<<< {junk}") == f"<<<<<<< {junk}"
    assert facts.fact_id(f"<<<<<<< {junk}") is None
