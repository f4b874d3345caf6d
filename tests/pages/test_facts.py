"""`memories.ndjson` by example: the fields of S4, and what others wrote into it."""

from __future__ import annotations

import json

import pytest

from tacit.model.claim import Kind, project_scope
from tacit.model.ids import ClaimId
from tacit.pages.facts import fact_id, fact_line, parse_fact, reconcile_fact, sort_facts, update_facts
from tests.support.pages import active, pending, retired, says

PNPM = says("use pnpm", kind=Kind.CONSTRAINT, tags=("js",))


def test_a_fact_is_the_line_of_the_format() -> None:
    assert fact_line(active(PNPM, "one", "two")) == (
        f'{{"id": "{PNPM.id}", "ts": "2024-03-01T14:00:00.000000Z", "scope": "global", "kind": "constraint", '
        '"triple": {"subject": "agent", "predicate": "use", "object": "pnpm"}, "canonical": "use pnpm", '
        '"strength": 2, "source": "user_direct", "tags": ["js"], "dedupe_key": "agent|use|pnpm"}'
    )


def test_a_projects_fact_is_local_and_names_no_path_and_an_open_conflict_is_a_tag() -> None:
    line = fact_line(active(says("use pnpm", project_scope("example.org/team/app"))))
    assert json.loads(line)["scope"] == "local"
    assert "example.org" not in line
    assert json.loads(fact_line(active(PNPM, conflict=True)))["tags"] == ["js", "conflict"]


def test_only_facts_that_hold_are_in_the_file() -> None:
    others = [says(text) for text in ("run a", "run b", "run c")]
    overruled = active(others[2], overruled_by=ClaimId("0123456789ab"))
    lines = update_facts([], [active(PNPM), pending(others[0]), retired(others[1], "old", "today"), overruled])
    assert [fact_id(line) for line in lines] == [PNPM.id]
    again = update_facts(lines, [active(PNPM, "", "")])
    assert [json.loads(line)["strength"] for line in again] == [2]  # said again it is one line
    assert update_facts(lines, [retired(PNPM, "old", "today")]) == []
    assert update_facts(lines, [], [PNPM.id]) == []


def test_what_cannot_be_read_comes_last_as_it_came() -> None:
    ours = sorted(
        (fact_line(active(says(text))) for text in ("run b", "run a")), key=lambda line: json.loads(line)["id"]
    )
    theirs = ["# of others", "[1, 2]", "not json"]
    assert sort_facts([theirs[0], ours[1], "", ours[0], theirs[1], "  ", theirs[2]]) == [*ours, *theirs]


def test_lines_between_conflict_markers_stay_where_they_are() -> None:
    ours = [fact_line(active(says(text))) for text in ("run c", "run b", "run a")]
    lines = [ours[2], "<<<<<<< HEAD", ours[0], "=======", ours[1], ">>>>>>> branch"]
    assert sort_facts(lines) == lines
    assert sort_facts(lines[::-1]) == lines[::-1]


@pytest.mark.parametrize("line", ["", "[]", "7", "null", "{", '{"id": 7}', '{"id": null}', "NaN", "[" * 100_000])
def test_a_line_without_an_id_is_nobodys(line: str) -> None:
    assert fact_id(line) is None
    assert fact_id('{"note": "of theirs", "id": "0123456789ab"}') == "0123456789ab"  # wherever it stands


def test_a_field_of_others_survives_a_change_of_ours() -> None:
    base = fact_line(active(PNPM))
    theirs = json.dumps({**json.loads(base), "owner": "team-a"})
    merged = parse_fact(reconcile_fact(base, fact_line(active(PNPM, "", "")), theirs))
    assert merged == {**json.loads(fact_line(active(PNPM, "", ""))), "owner": "team-a"}
    # Where they changed nothing of meaning, our line stands to the byte.
    mine = fact_line(active(PNPM, "", ""))
    assert reconcile_fact(base, mine, json.dumps(json.loads(base), indent=None, sort_keys=True)) == mine
