"""The short form of tests/chaos/consent.py, and that it would notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit import cli
from tacit.home import settings
from tacit.home.settings import ANY
from tests.chaos import consent


def test_no_agent_decides_or_changes_anything_by_any_verb(tmp_path: Path) -> None:
    outcome = consent.verbs(tmp_path / "person", (("CLAUDECODE", "1"), ("AI_AGENT", "1")), ("as the person",))
    assert outcome.faults == ()
    assert outcome.runs > 150


@pytest.mark.chaos
def test_a_table_that_nobody_asks_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "must_be_allowed", lambda _call: None)
    outcome = consent.verbs(tmp_path / "person", (("CLAUDECODE", "1"),), ("as it is",))
    assert any("tacit install claude --yes changed files" in fault for fault in outcome.faults)


def test_no_variable_lets_more_happen() -> None:
    assert consent.variables(300).faults == ()


@pytest.mark.chaos
def test_variables_that_overrule_the_file_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "rule_of", lambda _name: ANY)
    assert consent.variables(50).faults
