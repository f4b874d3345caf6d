"""Where a rule holds."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

from tacit.commandline.patterns import ProtectsFiles
from tacit.guard.rules import GuardRule, RuleScopes


def test_a_rule_holds_in_its_project_and_below_also_after_cd(tmp_path: Path) -> None:
    person = Person(tmp_path)
    shop = person.repository("shop", remote="git@example.org:kim/shop.git")
    other = person.repository("other")
    (shop / "src").mkdir()
    rule = GuardRule("1", ProtectsFiles(("a",)), scope="project:example.org/kim/shop")

    here = RuleScopes(str(shop / "src"), str(tmp_path))
    assert all(here.applies(rule, directory) for directory in ("", "..", "new/folder", str(shop), "~/shop"))
    assert not any(here.applies(rule, directory) for directory in (str(other), "../..", "~", None))
    assert not RuleScopes(str(other), str(tmp_path)).applies(rule, "")


def test_a_global_rule_holds_everywhere(tmp_path: Path) -> None:
    assert RuleScopes(str(tmp_path), "/nowhere").applies(GuardRule("1", ProtectsFiles(("a",))), None)
