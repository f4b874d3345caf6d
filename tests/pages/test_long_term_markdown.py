"""Worklog and evaluation pages: one heading an entry, and no text breaks out of its line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import project_scope
from tacit.model.observation import EvaluationCreated, EvaluationScore, WorkLogged
from tacit.pages import long_term
from tests.support.pages import event, unhurried

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
