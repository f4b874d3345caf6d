"""Edits of a page, entry by entry: added, changed, moved, removed, copied, or left by a merge."""

from __future__ import annotations

import json

import pytest

from tacit.model.claim import Kind, Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, PageEdit, RedrawnLine, RemovedLine
from tacit.pages.facts import fact_line
from tacit.pages.hand_edits import fact_edits, long_term_edits
from tacit.pages.long_term import CANDIDATES_SECTION, PRUNED_SECTION
from tests.support.pages import active, pending, render_long_term, retired, says

RULE, CANDIDATE, PRUNED = says("use pnpm", kind=Kind.RULE), says("use tabs"), says("use npm")
BASE = render_long_term([active(RULE, "a talk"), pending(CANDIDATE), retired(PRUNED, "old", "a chat")])
RULE_LINE, CANDIDATE_LINE, PRUNED_LINE = (
    next(line for line in BASE if line.endswith(claim.id)) for claim in (RULE, CANDIDATE, PRUNED)
)


def below(section: str, *lines: str) -> list[str]:
    """Return the page with lines right below a heading."""
    at = BASE.index(f"## {section}") + 1
    return [*BASE[:at], *lines, *BASE[at:]]


def without(line: str) -> list[str]:
    return [one for one in BASE if one != line]


def with_line(old: str, new: str) -> list[str]:
    return [new if line == old else line for line in BASE]


def edits(theirs: list[str]) -> list[PageEdit]:
    return long_term_edits(BASE, theirs)


@pytest.mark.parametrize(
    ("section", "kind", "is_active"),
    [("Rules", Kind.RULE, True), ("Constraints", Kind.CONSTRAINT, True), (CANDIDATES_SECTION, None, False)],
)
def test_a_new_entry_has_the_kind_and_the_state_of_its_section(
    section: str, kind: Kind | None, is_active: bool
) -> None:
    assert edits(below(section, "* lint before a push")) == [
        AddedLine("* lint before a push", "lint before a push", kind, is_active)
    ]


def test_an_entry_that_cannot_be_a_statement_is_ignored_and_says_why() -> None:
    page = [*below(PRUNED_SECTION, "- lint before a push"), "## My notes", "- buy milk"]
    assert edits(page) == [
        IgnoredLine("- buy milk", "under a heading that Tacit does not know"),
        IgnoredLine("- lint before a push", "what was pruned is only history"),
    ]
    assert edits(below("Rules", "- ")) == [IgnoredLine("- ", "an entry without words")]


def test_new_words_are_a_change_of_the_entry_with_the_same_id() -> None:
    line = RULE_LINE.replace("use pnpm", "always use pnpm")
    assert edits(with_line(RULE_LINE, line)) == [
        ChangedLine(line, RULE.id, text="always use pnpm", old_line=RULE_LINE, is_active=True)
    ]


def test_an_entry_moved_to_another_section_changes_its_kind_or_status() -> None:
    (kind,) = edits([*without(RULE_LINE), "## Constraints", RULE_LINE])
    assert isinstance(kind, ChangedLine) and (kind.kind, kind.status) == (Kind.CONSTRAINT, None)
    (accepted,) = edits([*without(CANDIDATE_LINE), "## Rules", CANDIDATE_LINE])
    assert isinstance(accepted, ChangedLine) and (accepted.status, accepted.is_active) == (Status.ACTIVE, True)
    assert edits([*without(RULE_LINE), "## My notes", RULE_LINE]) == []  # under a heading of the person's own


def test_other_evidence_is_a_change_and_other_drawing_is_not() -> None:
    evidence = RULE_LINE.replace("a talk", "a test")
    (edit,) = edits(with_line(RULE_LINE, evidence))
    assert isinstance(edit, ChangedLine) and (edit.evidence, edit.text) == ("a test", None)
    date = RULE_LINE.replace("2024-03-01", "2025-03-01")
    assert edits(with_line(RULE_LINE, date)) == [RedrawnLine(date, "only what Tacit draws was changed", RULE_LINE)]


def test_an_entry_whose_id_was_cut_off_is_recognized_by_its_text() -> None:
    assert edits(with_line(RULE_LINE, "- Use  pnpm (evidence: a talk)")) == [
        ChangedLine("- Use  pnpm (evidence: a talk)", RULE.id, text="Use  pnpm", old_line=RULE_LINE, is_active=True)
    ]
    assert edits(with_line(RULE_LINE, RULE_LINE.partition(" ^")[0])) == [
        RedrawnLine(RULE_LINE.partition(" ^")[0], "only what Tacit draws was changed", RULE_LINE)
    ]


def test_a_deleted_entry_is_removed_unless_it_was_pruned_or_nothing_is_known_of_the_last_page() -> None:
    assert edits(without(RULE_LINE)) == [RemovedLine(RULE_LINE, RULE.id)]
    assert edits(without(PRUNED_LINE)) == []
    assert long_term_edits(None, without(RULE_LINE)) == [
        AddedLine(CANDIDATE_LINE, "use tabs", None, is_active=False),
        IgnoredLine(PRUNED_LINE, "what was pruned is only history"),
    ]


def test_a_copy_with_other_words_is_a_statement_of_its_own() -> None:
    copy = RULE_LINE.replace("use pnpm", "use yarn")
    assert edits(below("Rules", copy)) == [AddedLine(copy, "use yarn", Kind.RULE, is_active=True)]
    assert edits(below("Rules", RULE_LINE)) == [RedrawnLine(RULE_LINE, "there twice")]


def test_conflict_markers_of_git_are_redrawn_and_both_versions_are_read() -> None:
    ours = RULE_LINE.replace("use pnpm", "use yarn")
    at = BASE.index(RULE_LINE)
    conflict = ["<<<<<<< HEAD", RULE_LINE, "=======", ours, ">>>>>>> branch"]
    assert edits([*BASE[:at], *conflict, *BASE[at + 1 :]]) == [
        RedrawnLine("<<<<<<< HEAD", "left by a merge"),
        RedrawnLine("=======", "left by a merge"),
        RedrawnLine(">>>>>>> branch", "left by a merge"),
        AddedLine(ours, "use yarn", Kind.RULE, is_active=True),
    ]
    assert edits(["Title", "=======", *BASE]) == []


def test_a_fact_is_changed_by_its_sentence_kind_and_tags_and_by_nothing_else() -> None:
    line = fact_line(active(RULE, "a talk", conflict=True))

    def changed(**fields: object) -> list[PageEdit]:
        return fact_edits([line], [json.dumps({**json.loads(line), **fields})])

    (edit,) = changed(canonical="use yarn", kind="constraint", tags=["js", "conflict"])
    assert isinstance(edit, ChangedLine)
    assert (edit.claim, edit.text, edit.kind, edit.tags) == (RULE.id, "use yarn", Kind.CONSTRAINT, ("js",))
    (drawn,) = changed(strength=999, source="user_direct", kind="opinion")
    assert isinstance(drawn, RedrawnLine) and drawn.old_line == line


def test_a_fact_without_an_id_is_new_with_its_tags_and_what_is_no_fact_is_ignored() -> None:
    line = '{"canonical": "lint before a push", "kind": "rule", "tags": ["ci", 7]}'
    assert fact_edits([], [line]) == [AddedLine(line, "lint before a push", Kind.RULE, is_active=True, tags=("ci",))]
    lines = ["not json", "[1]", '{"canonical": 7}', '{"canonical": " "}']
    assert fact_edits([], ["", *lines]) == [IgnoredLine(line, "not a fact that can be read") for line in lines]
