"""When two statements are the same memory: scope and key, not the wording."""

from __future__ import annotations

import pytest

from tacit.model.claim import GLOBAL, Kind, is_project_scope, project_name, project_scope
from tests.support.events import says


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("use pnpm", "Use pnpm", True),
        ("use pnpm", "use the pnpm.", True),
        ("use pnpm", "  USE   PNPM!  ", True),
        ("use pnpm", "use pnpm !", True),
        ("the default branch is main", "The default branch is main.", True),
        ("run the build", "run a build", True),
        ("the sky above the port", "The Sky Above A Port…", True),
        ("use ｐｎｐｍ", "use pnpm", True),
        ("grüße alle", "GRÜSSE ALLE", True),
        ("$&", "$1", False),
        ("$", "$$", False),
        ("learn C++", "learn C", False),
        ("learn C#", "learn C", False),
        ("use --force", "use force", False),
        ("use tabs", "never use tabs", False),
        ("the", "a", False),
        (".", "!", False),
        ("日本語", "日本", False),
        ("a|b c", "a b|c", False),
    ],
)
def test_case_articles_blanks_and_full_stops_make_no_difference_and_other_signs_do(
    one: str, other: str, is_same: bool
) -> None:
    assert (says(one).key == says(other).key) is (says(one).id == says(other).id) is is_same


def test_another_scope_makes_another_memory_and_kind_tags_and_wording_do_not() -> None:
    here, everywhere = says("use pnpm", project_scope("example.org/app")), says("use pnpm")
    assert here.key == everywhere.key and here.id != everywhere.id
    assert says("Use the pnpm", kind=Kind.CONSTRAINT, tags=("js",)).id == everywhere.id
    assert says("use x|y").key.count("|") == 2  # a bar in the words cannot forge a key


def test_a_project_is_called_by_the_last_part_of_its_name() -> None:
    scope = project_scope("example.org/team/app/")
    assert (is_project_scope(scope), project_name(scope)) == (True, "app")
    assert (is_project_scope(GLOBAL), project_name(GLOBAL)) == (False, "")


def test_every_kind_is_found_by_its_name() -> None:
    assert [Kind.from_label(kind.label) for kind in Kind] == list(Kind)
    with pytest.raises(KeyError):
        Kind.from_label("opinion")
