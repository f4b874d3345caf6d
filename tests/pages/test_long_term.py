"""`long-term.md` by example: its sections, its entries, and what a person may have made of them (S12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import Kind, project_scope
from tacit.model.ids import ClaimId
from tacit.model.observation import EvaluationCreated, EvaluationScore, WorkLogged
from tacit.pages import long_term
from tacit.pages.long_term import MemoryView, entry_id, entry_line, section_of, update_long_term
from tests.support.pages import (
    active,
    dismissed,
    event,
    parse_entries,
    pending,
    render_long_term,
    retired,
    says,
    unhurried,
)

SECTIONS = [
    "Constraints",
    "Rules",
    "Decisions",
    "Project Conventions",
    "Known Fixes",
    "Preferences",
    "Patterns",
    "Habits",
    "Review Guidance",
    "Promotion Candidates",
    "Pruned Or Revised",
]
PNPM, SHARED = says("use pnpm"), says("use pnpm", project_scope("example.org/team/app"))
WINNER = ClaimId("0123456789ab")


def test_an_empty_page_has_every_section_in_its_order() -> None:
    assert [line[3:] for line in render_long_term([]) if line.startswith("## ")] == SECTIONS
    assert render_long_term([])[0] == "# Long-term memory"


def test_every_kind_has_a_section_of_its_own_name() -> None:
    for kind in Kind:
        assert section_of(active(says("use pnpm", kind=kind))) == kind.section
        assert kind.section in SECTIONS


@pytest.mark.parametrize(
    ("view", "details"),
    [
        (active(PNPM), ""),
        (active(PNPM, "the user said so"), " (evidence: the user said so)"),
        (
            active(PNPM, "one", "two", "two", "three", "four"),
            " (evidence: one; two; three; +1 more; seen 5 times)",
        ),
        (active(SHARED), " (project: app)"),
        (retired(PNPM, "superseded", "a correction"), " (reason: superseded; evidence: a correction)"),
        (active(PNPM, overruled_by=WINNER), f" (overruled by {WINNER})"),
        (active(PNPM, conflict=True), " (conflict)"),
    ],
    ids=["plain", "evidence", "seen often", "project", "forgotten", "overruled", "conflict"],
)
def test_an_entry_is_its_day_its_text_its_details_and_its_id(view: MemoryView, details: str) -> None:
    assert entry_line(view) == f"- 2024-03-01: use pnpm{details} ^{view.memory.id}"


def test_what_does_not_hold_is_a_candidate_or_pruned_and_a_dismissed_suggestion_stands_nowhere() -> None:
    assert section_of(pending(PNPM)) == "Promotion Candidates"
    assert section_of(retired(PNPM, "", "")) == section_of(active(PNPM, overruled_by=WINNER)) == "Pruned Or Revised"
    assert section_of(dismissed(PNPM)) is None
    assert render_long_term([dismissed(PNPM)]) == render_long_term([])


def test_a_text_of_several_lines_stays_one_entry_in_its_section() -> None:
    claim = says("use pnpm\n## Preferences\n\n- 2020-01-01: forged ^0123456789ab")
    page = render_long_term([active(claim)])
    (entry,) = parse_entries(page)
    assert (entry.section, entry.text, entry.id) == ("Rules", claim.sentence, claim.id)


def test_a_memory_that_moved_on_stands_only_in_its_new_section() -> None:
    page = render_long_term([pending(PNPM), active(says("I prefer tabs"))])
    accepted = update_long_term(page, [active(PNPM)])
    assert [(entry.section, entry.id) for entry in parse_entries(accepted)] == [
        ("Rules", PNPM.id),
        ("Preferences", says("I prefer tabs").id),
    ]
    assert update_long_term(accepted, [], [PNPM.id]) == render_long_term([active(says("I prefer tabs"))])


def test_entries_stand_by_day_and_then_by_id() -> None:
    claims = [says(f"run step {number}") for number in range(6)]
    page = render_long_term([active(claim) for claim in claims])
    assert [entry_id(line) for line in page if line.startswith("- ")] == sorted(claim.id for claim in claims)


def test_a_page_that_a_person_wrote_in_is_read_as_far_as_it_can_be() -> None:
    page = [
        "- 2024-01-01: before any section ^0123456789ab",
        "## Rules",
        "- 2024-01-01: a new rule of mine",
        "some prose",
        "- no date here",
        "## My own section",
        "- 2024-01-01: not ours ^0123456789ab",
        "## Preferences",
        "- 2024-01-02: tea (evidence: asked) ^0123456789ab",
    ]
    assert [tuple(entry) for entry in parse_entries(page)] == [
        ("Rules", "2024-01-01", "a new rule of mine", "", None),
        ("Rules", "", "no date here", "", None),
        ("Preferences", "2024-01-02", "tea", "evidence: asked", "0123456789ab"),
    ]


# Worklog and evaluation pages: one heading an entry, and no text breaks out of its line


WILD = st.sampled_from(("a\n# b", "```", "<!--", "$&", "\u202e", "- x")) | st.text(max_size=20)


def test_an_entry_of_the_worklog_has_a_heading_and_a_line_for_each_thing_said() -> None:
    entry = WorkLogged("PROJ-12", "Validated recall", "three files", "tests pass", "write docs")
    logged = event(entry, scope=project_scope("example.org/team/app"))
    assert long_term.worklog_page("2024-03-01", [logged]) == [
        "# Worklog 2024-03-01",
        "",
        "## 13:00 PROJ-12: Validated recall",
        "",
        "- Project: app",
        "- Changes: three files",
        "- Evidence: tests pass",
        "- Next: write docs",
    ]


def test_what_was_not_said_is_not_on_the_page() -> None:
    logged = event(WorkLogged("", "Read the code"))
    assert long_term.worklog_page("2024-03-01", [logged]) == ["# Worklog 2024-03-01", "", "## 13:00 Read the code", ""]
    assert long_term.worklog_heading(logged) in long_term.worklog_page("2024-03-01", [logged])


def test_an_evaluation_tells_each_measure_with_its_reason() -> None:
    measured = event(
        EvaluationCreated(
            "2024-03-01", (EvaluationScore("evidence", 2, "all have some"), EvaluationScore("backlog", 0, "40 wait"))
        )
    )
    assert long_term.evaluation_page("2024-03-01", [measured]) == [
        "# Evaluation of 2024-03-01: 2 of 4 points",
        "",
        "- evidence: 2/2, all have some",
        "- backlog: 0/2, 40 wait",
    ]
    assert long_term.evaluation_heading(measured) == "# Evaluation of 2024-03-01: 2 of 4 points"


@unhurried
@given(WILD, WILD, WILD)
def test_no_text_breaks_out_of_its_line(task: str, summary: str, changes: str) -> None:
    logged = event(WorkLogged(task, summary, changes, "e", "n"))
    page = long_term.worklog_page("2024-03-01", [logged])
    assert [line[:2] for line in page if line.startswith("#")] == ["# ", "##"]
    assert len("\n".join(page).splitlines()) == len(page)
    measured = event(EvaluationCreated("2024-03-01", (EvaluationScore(task, 1, summary),)))
    assert len("\n".join(long_term.evaluation_page("2024-03-01", [measured])).splitlines()) == 3
