"""What gets into a brief (S14): standing rules first, project before global on the same question, tags, relevance."""

from __future__ import annotations

import pytest

from tacit.brief import Brief, compose_brief
from tacit.index import database, reader, writer
from tacit.index.reader import MemoryRow
from tacit.log.codec import encode, event_type, must_decode
from tacit.model.claim import Claim, Kind, Provenance, Scope, Status, project_scope
from tacit.model.event import ClaimDecided, EventBody, Verdict
from tests.support.events import added, history, says

HERE = project_scope("example.org/app")
FILLERS = ("run the tests", "write short commits", "review the diff")


def entries(*said: EventBody) -> list[MemoryRow]:
    """The active memories of an index that heard this."""
    index = database.create_index(":memory:")
    filed = [
        writer.IndexedEvent(one, event_type(one.body), "memory/events.jsonl", line, 0, 0, encode(one).rstrip(b"\n"))
        for line, one in enumerate(history(*said), 1)
    ]
    writer.apply_events(index, filed, [], must_decode)
    return [entry for entry in reader.memory_rows(index, status=Status.ACTIVE) if entry.overruled_by is None]


def brief(*claims: Claim, tags: tuple[str, ...] = (), relevance: dict[str, float] | None = None) -> Brief:
    fillers = [says(text) for text in FILLERS]
    return _composed(entries(*map(added, (*claims, *fillers))), tags, relevance or {})


def _composed(candidates: list[MemoryRow], tags: tuple[str, ...], relevance: dict[str, float]) -> Brief:
    return compose_brief(candidates, tags=frozenset(tags), relevance=relevance, nonce="00ff")


def sentences(chosen: Brief) -> list[str]:
    return [entry.sentence for entry in chosen.entries]


def here(text: str, scope: Scope = HERE) -> Claim:
    return says(text, scope)


def test_the_projects_answer_hides_the_global_one_to_the_same_question() -> None:
    chosen = sentences(brief(says("use npm"), here("use pnpm")))
    assert "use pnpm" in chosen
    assert "use npm" not in chosen


def test_the_same_answer_in_both_scopes_is_said_once() -> None:
    assert sentences(brief(says("use npm"), here("Use npm"))).count("use npm") == 0
    assert "Use npm" in sentences(brief(says("use npm"), here("Use npm")))


def test_global_answers_to_other_questions_stay() -> None:
    chosen = sentences(brief(says("never use npm"), says("I prefer tabs"), here("use pnpm")))
    assert {"never use npm", "I prefer tabs", "use pnpm"} <= set(chosen)


def test_a_project_that_speaks_of_another_thing_hides_nothing() -> None:
    chosen = sentences(brief(says("tokens must be rotated"), here("logs must be rotated")))
    assert {"tokens must be rotated", "logs must be rotated"} <= set(chosen)


def test_memories_kept_as_no_answer_do_not_hide_each_other() -> None:
    ours, theirs = here("run the linter"), says("write the changelog")
    kept = [ClaimDecided(claim, Verdict.KEPT) for claim in (ours, theirs)]
    said = [added(claim) for claim in (ours, theirs, *map(says, FILLERS))]
    chosen = sentences(_composed(entries(*said, *kept), (), {}))
    assert {"run the linter", "write the changelog"} <= set(chosen)


def test_constraints_stand_first_and_preferences_last() -> None:
    chosen = brief(says("I prefer tabs"), says("never push to main"), says("we decided on postgres"))
    assert [entry.kind for entry in chosen.entries] == [
        Kind.CONSTRAINT,
        Kind.RULE,
        Kind.RULE,
        Kind.RULE,
        Kind.DECISION,
        Kind.PREFERENCE,
    ]


def test_a_tag_brings_in_what_would_not_have_its_place() -> None:
    rules = [says(f"run step {number}") for number in range(9)]
    tagged = says("I prefer tabs", tags=("style",))
    assert "I prefer tabs" not in sentences(brief(*rules, tagged))
    assert "I prefer tabs" in sentences(brief(*rules, tagged, tags=("style",)))


def test_the_task_brings_in_what_is_about_it() -> None:
    rules = [says(f"run step {number}") for number in range(9)]
    about = says("I prefer release notes in plain words")
    assert about.sentence not in sentences(brief(*rules, about))
    assert about.sentence in sentences(brief(*rules, about, relevance={about.id: 1.0}))


def test_one_rule_is_a_brief() -> None:
    one = here("never run npm here, use pnpm")
    assert _composed(entries(added(one)), (), {}).text.splitlines() == [
        "<tacit-memory 00ff>",
        "This person's standing rules. They set or accepted them, and they apply to all work here:",
        f"- [constraint, project, 2024-03-01] never run npm here, use pnpm ({one.id})",
        "</tacit-memory 00ff>",
    ]


def test_nothing_known_is_no_brief() -> None:
    nothing = _composed([], (), {})
    assert (nothing.entries, nothing.text, nothing.tokens) == ((), "", 0)


def test_notes_stand_behind_the_rules_and_are_not_introduced_as_rules() -> None:
    lines = _composed(entries(added(says("we decided on postgres")), added(here("run the linter"))), (), {}).text.split(
        "\n"
    )
    assert [line[:40] for line in lines[1:5]] == [
        "This person's standing rules. They set o",
        "- [rule, project, 2024-03-01] run the li",
        "Other notes of this person (decisions, c",
        "- [decision, global, 2024-03-01] we deci",
    ]
    assert "standing rules" not in _composed(entries(added(says("we decided on postgres"))), (), {}).text


@pytest.mark.parametrize("first", ["constraints", "rules"])
def test_many_global_constraints_and_many_rules_of_the_project_leave_room_for_each_other(first: str) -> None:
    constraints = [says(f"never push to branch {number}") for number in range(9 if first == "constraints" else 1)]
    rules = [here(f"run step {number}") for number in range(1 if first == "constraints" else 9)]
    chosen = sentences(_composed(entries(*map(added, (*constraints, *rules))), (), {}))
    assert len(chosen) == 7
    assert rules[0].sentence in chosen or first == "rules"
    assert constraints[0].sentence in chosen or first == "constraints"


def test_of_more_than_seven_rules_the_relevant_then_the_strong_then_the_new_are_told_and_the_rest_is_counted() -> None:
    rules = [here(f"run step {number}") for number in range(10)]
    again = [added(rules[1]), added(rules[2])]
    chosen = _composed(entries(*map(added, rules), *again), (), {rules[0].id: 0.5})
    assert {"run step 0", "run step 1", "run step 2", "run step 9", "run step 8"} <= set(sentences(chosen))
    assert chosen.more == 3
    assert "(3 more hold here; `tacit context` prints all of them.)" in chosen.text.splitlines()


OWN_WORDS = "[rule, project, 2024-03-01]"
LEARNED = "[rule, project, 2024-03-01, learned, may be outdated]"


@pytest.mark.parametrize(
    "provenance, marks",
    [
        (Provenance.USER_DIRECT, OWN_WORDS),
        (Provenance.USER_FILE, OWN_WORDS),
        (Provenance.MODEL, LEARNED),
        (Provenance.TOOL_LOCAL, LEARNED),
        (Provenance.EXTERNAL, LEARNED),
    ],
)
def test_only_what_is_not_in_the_persons_own_words_may_be_outdated(provenance: Provenance, marks: str) -> None:
    (rule,) = entries(added(here("run the linter")))
    text = _composed([rule._replace(provenance=provenance)], (), {}).text
    assert marks in text
    assert text.count("outdated") == marks.count("outdated")


PREFERENCES = (
    ("I prefer npm", "never run npm here, use pnpm"),
    ("I prefer yarn", "never run npm here, use pnpm"),
    ("I prefer tabs", "indent with 2 spaces"),
    ("I prefer 4 spaces", "use 2 spaces"),
    ("I prefer unittest", "always run the tests with pytest"),
    ("I prefer to rebase", "we merge, never rebase"),
    ("I prefer sqlite", "the database is postgres"),
    ("prefer camelCase", "identifiers must be snake_case"),
)


@pytest.mark.parametrize("preference, rule", PREFERENCES)
def test_a_global_preference_on_the_same_question_as_a_rule_of_the_project_is_left_out(
    preference: str, rule: str
) -> None:
    both = entries(added(says(preference)), added(here(rule)))
    assert sentences(_composed(both, (), {})) == [rule]


@pytest.mark.parametrize(
    "preference, rule",
    [
        ("I prefer just", "never make network calls in tests"),
        ("I prefer dark mode", "keep the diff light"),
        ("I prefer tabs", "run the tests with pytest"),
        ("I prefer short answers", "never run npm here, use pnpm"),
    ],
)
def test_a_global_preference_on_another_question_stays(preference: str, rule: str) -> None:
    both = entries(added(says(preference)), added(here(rule)))
    assert set(sentences(_composed(both, (), {}))) == {preference, rule}


def test_an_item_tells_its_kind_its_scope_and_its_day() -> None:
    chosen = brief(here("never push to main"))
    assert chosen.text.splitlines()[2] == (
        f"- [constraint, project, 2024-03-01] never push to main ({here('never push to main').id})"
    )
    assert chosen.text.splitlines()[3].startswith("- [rule, global, 2024-03-01] ")


def test_a_line_says_what_the_memory_names_that_is_not_there() -> None:
    (memory,) = entries(added(here("see docs/x.md")))
    shown = compose_brief(
        [memory], tags=frozenset(), relevance={}, nonce="00ff", missing={memory.id: ("docs/x.md", "<make> a")}
    ).text

    assert f"see docs/x.md (not true here: docs/x.md, ‹make> a) ({memory.id})" in shown
