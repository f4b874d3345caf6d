"""`tacit remote` and `tacit sync` with remotes, as two people at two machines see them, with the real program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person, Said
from harness.terminal import END_OF_INPUT, converse

PNPM, TABS = "use pnpm", "I prefer tabs"


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Person, Person]:
    people = []
    for name in ("laptop", "desktop", "remote"):
        (tmp_path / name).mkdir()
        people.append(Person(tmp_path / name))
    return people[0], people[1]


def remote_of(person: Person) -> str:
    return str(person.folder.parent / "remote")


def phrase_in(output: str) -> str:
    return "\n".join(line for line in output.splitlines() if line.startswith("    ")) + "\n"


def join(person: Person, phrase: str, code: int = 0) -> Said:
    """Add the remote with a phrase that lies in a file."""
    file = person.folder / "phrase"
    file.write_text(phrase)
    return person.tacit("remote", "add", "home", remote_of(person), "--phrase-file", str(file), code=code)


def connect(laptop: Person, desktop: Person) -> None:
    join(desktop, phrase_in(laptop.tacit("remote", "add", "home", remote_of(laptop)).out))


def test_two_machines_in_three_commands(machines: tuple[Person, Person]) -> None:
    """The phrase is shown once and typed once; then both know the same."""
    laptop, desktop = machines
    laptop.process("add", PNPM)
    shown = laptop.process("remote", "add", "home", remote_of(laptop)).out
    assert "shown this once" in shown and "sent 1 line" in shown
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "remote", "add", "home", remote_of(desktop)],
        input=phrase_in(shown),
        env=desktop.environment(),
        cwd=desktop.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "1 new, last seen" in done.stdout
    assert [memory["text"] for memory in desktop.listed("--scope", "all")] == [PNPM]
    desktop.process("add", TABS)
    assert "sent 1 line" in desktop.process("sync").out
    waiting = laptop.process("sync", "--status").out
    assert "1 new" in waiting and len(laptop.listed("--scope", "all")) == 1
    assert "1 new" in laptop.process("sync").out
    assert {memory["text"] for memory in laptop.listed("--scope", "all")} == {PNPM, TABS}


def test_a_phrase_is_never_an_argument_and_a_wrong_one_says_what_to_do(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    assert "9 groups" in join(desktop, "babab", code=2).err
    desktop.tacit("remote", "add", "home", remote_of(desktop), "babab", code=2)
    assert desktop.tacit("remote").out.startswith("No remotes")


def test_the_list_says_who_this_is_and_who_the_others_are(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    laptop.tacit("sync")
    shown = laptop.tacit("remote", "list").out
    (remote,) = laptop.tacit("remote", "list", "--json").json
    (machine,) = remote["machines"]
    assert "This machine is" in shown and remote["fingerprint"] in shown and machine["machine"][:8] in shown
    assert desktop.tacit("remote", "list", "--json").json[0]["fingerprint"] == remote["fingerprint"]


def test_a_purge_says_who_has_not_confirmed(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    laptop.tacit("add", "the plan for Operation Walrus")
    connect(laptop, desktop)
    laptop.tacit("sync")
    told = laptop.tacit("purge", "--text", "Operation Walrus", "--yes").out
    assert "encrypted on the remote home" in told and "tacit sync --status" in told
    assert "has not confirmed 1 purge" in laptop.tacit("sync").out
    desktop.tacit("sync")
    assert "has not confirmed" not in laptop.tacit("sync", "--status").out
    assert desktop.listed("--scope", "all") == []


def test_a_lost_machine_and_new_keys(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    laptop.tacit("sync")
    (machine,) = laptop.tacit("remote", "list", "--json").json[0]["machines"]
    told = laptop.tacit("remote", "forget-machine", machine["machine"][:8]).out
    assert "has new keys" in told and "Take its access to the remote away" in told
    stopped = desktop.tacit("sync", code=1)
    assert "nothing sent, nothing taken" in stopped.out
    assert "the keys were changed, and this machine did not get them" in stopped.err
    assert f"tacit remote add home {remote_of(desktop)}" in stopped.err
    for words in (["sync", "--status"], ["remote", "list"]):
        assert "did not get them" in desktop.tacit(*words, code=words == ["sync", "--status"]).err
    join(desktop, phrase_in(told))
    assert desktop.tacit("remote", "list").err == ""
    rotated = laptop.tacit("remote", "rotate", "home").out
    assert phrase_in(rotated) != phrase_in(told)
    assert "changed the keys" in desktop.tacit("sync").out


def test_a_remote_that_is_gone_is_reported_and_the_rest_works(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    told = laptop.tacit("sync", code=1)
    assert "not mounted" in told.err and "not reached" in told.out
    assert laptop.tacit("sync", "--no-remotes").code == 0
    laptop.tacit("sync", "--only", "nothing", code=1)


def test_removing_says_what_stays(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    assert "stays there, encrypted" in laptop.tacit("remote", "remove", "home").out
    assert laptop.tacit("remote").out.startswith("No remotes")
    laptop.tacit("remote", "remove", "home", code=1)


def test_an_agent_syncs_pages_and_never_a_remote(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    before = {path: path.stat().st_mtime_ns for path in Path(remote_of(laptop)).rglob("*")}
    laptop.tacit("add", PNPM)
    told = laptop.tacit("sync", CLAUDECODE="1").out
    assert "home" not in told
    assert {path: path.stat().st_mtime_ns for path in Path(remote_of(laptop)).rglob("*")} == before
    laptop.tacit("sync", "--status", CLAUDECODE="1", code=1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("remote", "add", "home"), "wants"),
        (("remote", "add", "Home", "/tmp"), "small letters"),
        (("remote", "add", "home", "/nowhere/at/all"), "there is no folder"),
        (("remote", "add", "home", "ext::sh -c evil"), "no address"),
        (("remote", "rotate", "home"), "no remote 'home'"),
        (("remote", "dance"), "has no 'dance'"),
        (("sync", "--json"), "--status"),
    ],
)
def test_mistakes_say_what_to_type(machines: tuple[Person, Person], words: tuple[str, ...], says: str) -> None:
    laptop, _ = machines
    told = laptop.tacit(*words, code=None)
    assert told.code in (1, 2) and says in told.err and "→" in told.err


def test_whoever_types_no_phrase_has_added_nothing(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    asked = [("(not shown): ", END_OF_INPUT)]
    said = converse(desktop, "remote", "add", "home", remote_of(desktop), answers=asked)
    assert (said.code, "Traceback" in said.out) == (1, False)
    assert "nothing was typed, so nothing was changed" in said.out
    assert "home" not in desktop.tacit("remote").out
