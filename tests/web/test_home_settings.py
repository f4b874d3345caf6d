"""Settings are changed as `tacit config` does it."""

from __future__ import annotations

from harness.person import Person

from tests.web.browsing import Browser


def change(browser: Browser, key: str, value: str, action: str = "set") -> str:
    fields = {**browser.get("/settings").form("set"), "key": key, "value": value, "action": action}
    return browser.post("/settings", fields).visible


def test_a_setting_is_changed_and_reset(person: Person, browser: Browser) -> None:
    assert "recall.limit is '20'" in change(browser, "recall.limit", "20")
    assert person.tacit("config", "get", "recall.limit").out.split()[0] == "20"
    assert "recall.limit is '10'" in change(browser, "recall.limit", "", "unset")


def test_a_list_has_one_entry_a_line(person: Person, browser: Browser) -> None:
    change(browser, "shell.ignore", "ls*\r\ncd *, and more\r\n")
    with person.vault() as vault:
        assert vault.configuration.setting("shell.ignore").value == ("ls*", "cd *, and more")


def test_a_wrong_value_and_an_unknown_setting_are_refused(person: Person, browser: Browser) -> None:
    person.tacit("add", "I prefer pnpm")
    assert "recall.limit" in change(browser, "recall.limit", "many")
    assert "no such setting" in change(browser, "no.such", "1")
    assert person.tacit("config", "get", "recall.limit").out.split()[0] == "10"
