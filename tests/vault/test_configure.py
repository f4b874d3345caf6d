"""tacit autocapture: off until the person turns it on, for all sessions or for one."""

from __future__ import annotations

import stat

from harness.person import Person, Said


def in_claude(person: Person, *words: str, session: str = "s-1", named: str = "", code: int = 0) -> Said:
    """What a command says that is run in a session with Claude Code."""
    return person.tacit(*words, code=code, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=session, TACIT_SESSION=named)


def standing(said: Said) -> tuple[bool, list[str]]:
    return said.json["captures"], said.json["reasons"]


def status(person: Person, session: str = "", enabled: str = "") -> tuple[bool, list[str]]:
    words = ("autocapture", "status", "--json")
    return standing(person.tacit(*words, TACIT_SESSION=session, TACIT_AUTOCAPTURE_ENABLED=enabled))


def status_in_claude(person: Person, session: str = "s-1") -> tuple[bool, list[str]]:
    return standing(in_claude(person, "autocapture", "status", "--json", session=session))


def test_it_is_off_by_default(person: Person) -> None:
    assert status(person) == (False, ["autocapture.enabled is false, from the default"])
    assert person.tacit("autocapture").first == "Sessions with agents are not captured here:"
    assert not person.home.exists()


def test_turning_it_on_says_what_is_captured_what_never_is_and_how_to_stop(person: Person) -> None:
    said = person.process("autocapture", "on").out
    assert len(said.splitlines()) == 2
    assert "Captured" in said and "Never" in said and "tacit autocapture off" in said
    holds, reasons = status(person)
    assert holds
    (where,) = (
        setting["where"]
        for setting in person.tacit("config", "show", "--json").json
        if setting["key"] == "autocapture.enabled"
    )
    assert reasons == [f"autocapture.enabled is true, from {where}"]


def test_it_is_turned_off_again(person: Person) -> None:
    person.tacit("autocapture", "on")
    person.tacit("autocapture", "off")
    assert status(person)[0] is False
    assert person.tacit("config", "get", "autocapture.enabled").out == "false\n"


def test_one_session_is_left_out(person: Person) -> None:
    person.tacit("autocapture", "on")
    in_claude(person, "autocapture", "off", "--session")
    holds, reasons = status_in_claude(person)
    assert not holds
    assert reasons[0] == "session s-1 was turned off"
    assert status_in_claude(person, "s-2")[0]
    assert status(person)[0]


def test_one_session_is_captured_alone(person: Person) -> None:
    said = person.tacit("autocapture", "on", "--session", TACIT_SESSION="s-1").out
    assert "session s-1" in said and "tacit autocapture off --session" in said
    assert status(person, "s-1")[0]
    assert status_in_claude(person)[0]
    assert not status(person)[0]
    person.tacit("autocapture", "off", "--session", TACIT_SESSION="s-1")
    assert not status(person, "s-1")[0]


def test_the_session_of_the_agent_counts_before_the_one_that_is_named(person: Person) -> None:
    person.tacit("autocapture", "on")
    in_claude(person, "autocapture", "off", "--session", named="s-9")
    assert not status_in_claude(person)[0]
    assert status(person, "s-9")[0]


def test_what_is_said_of_a_session_is_private_and_names_nobody(person: Person) -> None:
    person.tacit("autocapture", "off", "--session", TACIT_SESSION="../s/1")
    (kept,) = (person.home / ".tacit" / "autocapture").iterdir()
    assert kept.read_text() == "off\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert len(kept.name) == 32 and kept.name.isalnum()
    person.tacit("doctor")


def test_without_a_session_it_says_how_to_name_one(person: Person) -> None:
    for word in ("on", "off"):
        said = person.tacit("autocapture", word, "--session", code=2)
        assert "no session here" in said.err and f"TACIT_SESSION=ID tacit autocapture {word} --session" in said.err
    assert not person.home.exists()


def test_a_folder_that_is_left_out_is_told(person: Person) -> None:
    private = person.folder / "private"
    private.mkdir()
    person.tacit("autocapture", "on")
    person.tacit("config", "set", "agents.ignore_directories", "~/private")
    told = person.tacit("autocapture", "status", cwd=private).out
    assert told.startswith("Sessions with agents are not captured here:\n")
    assert "agents.ignore_directories: ~/private" in told
    assert status(person)[0]


def test_modes_and_variables_are_told(person: Person) -> None:
    person.tacit("config", "set", "autocapture.on_modes", "plan,default")
    holds, reasons = status(person, enabled="1")
    assert not holds
    assert reasons[0] == "autocapture.enabled is false, from the default"
    assert "TACIT_AUTOCAPTURE_ENABLED=1 is ignored" in reasons[1]
    assert "tacit config set autocapture.enabled true" in reasons[1]
    assert reasons[2].endswith("plan, default")
    assert person.tacit("autocapture", "off", TACIT_AUTOCAPTURE_ENABLED="1").err == ""
    assert "TACIT_AUTOCAPTURE_ENABLED" in person.tacit("autocapture", "on", TACIT_AUTOCAPTURE_ENABLED="0").err
    assert status(person, enabled="0")[1][0] == "autocapture.enabled is false, from TACIT_AUTOCAPTURE_ENABLED"


def test_wrong_words_are_told(person: Person) -> None:
    assert "one of on, off, status" in person.tacit("autocapture", "maybe", code=2).err
    person.tacit("autocapture", "on", "off", code=2)
    assert not person.home.exists()


def test_it_is_a_call_on_the_library(person: Person) -> None:
    with person.vault() as vault:
        vault.configuration.autocapture(True)
        vault.configuration.autocapture(False, "s-1")
    assert status(person)[0]
    assert not status(person, "s-1")[0]
