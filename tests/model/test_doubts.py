"""What speaks of plans, cases, examples or another repository says nothing of what is there now."""

from __future__ import annotations

import pytest

from tacit.model.doubts import doubt


@pytest.mark.parametrize(
    ("prose", "reason"),
    [
        ("we will move to there next quarter", "it speaks of what is planned"),
        ("the TODO list says so", "it speaks of what is planned"),
        ("look there if it exists", "it speaks of what may be"),
        ("the file may be missing", "it speaks of what may be"),
        ("put it somewhere, e.g. there", "it gives an example"),
        ("the old name → the new one", "it gives an example"),
        ("it lives in the sibling repo", "it speaks of another repository"),
        ("run it from a firmware-tools checkout", "it speaks of another repository"),
        ("the config is in the infra repository", "it speaks of another repository"),
    ],
)
def test_what_need_not_be_there_is_doubted(prose: str, reason: str) -> None:
    assert doubt(prose) == reason


@pytest.mark.parametrize(
    "prose", ["run it before a commit", "Python 3.11 or later", "it is in the main repository", "handlers live there"]
)
def test_what_is_plainly_said_is_not(prose: str) -> None:
    assert doubt(prose) == ""
