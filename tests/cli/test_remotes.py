"""`tacit remote` and `tacit sync` with remotes, as two people at two machines see them, with the real program."""

from __future__ import annotations

import re
import shutil
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


def test_damage_is_told_everywhere_until_it_is_mended(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    laptop.tacit("add", PNPM)
    laptop.tacit("sync")
    fixed = ("manifest.age", "ring.age")
    (file,) = (path for path in Path(remote_of(laptop)).rglob("*.age") if path.name not in fixed)
    file.write_bytes(bytes(255 - byte for byte in file.read_bytes()))
    told = desktop.tacit("sync", code=1)
    assert "1 file of it is damaged or lost on the way" in told.out
    assert re.search(r"files of \S+ \([0-9a-f]{8}\) are damaged or lost\n  tacit sync there sends", told.err)
    assert "tacit sync there sends" in desktop.tacit("sync", "--unattended", code=1).out
    assert "damaged or lost on the way" in desktop.tacit("sync", "--status", code=1).out
    (machine,) = desktop.tacit("sync", "--status", "--json", code=1).json[0]["machines"]
    assert (machine["damaged_count"], machine["missing_count"], machine["is_rolled_back"]) == (1, 0, False)
    assert "1 file of other machines damaged or lost" in desktop.tacit("status").out
    (summary,) = desktop.tacit("status", "--json").json["remote_syncs"]
    assert summary["damaged_count"] == 1
    assert "damaged or lost" in desktop.tacit("doctor", code=3).out
    assert "sent again" in laptop.tacit("sync").out
    assert "1 new" in desktop.tacit("sync").out
    assert "damaged" not in desktop.tacit("status").out + desktop.tacit("doctor").out
    assert [memory["text"] for memory in desktop.listed("--scope", "all")] == [PNPM]


def test_a_remote_that_went_back_says_so_to_those_who_knew_it_and_to_who_joins(
    machines: tuple[Person, Person], tmp_path: Path
) -> None:
    laptop, desktop = machines
    phrase = phrase_in(laptop.tacit("remote", "add", "home", remote_of(laptop)).out)
    join(desktop, phrase)
    laptop.tacit("sync")
    shutil.copytree(remote_of(laptop), tmp_path / "snapshot")
    desktop.tacit("add", TABS)
    desktop.tacit("sync")
    laptop.tacit("sync")
    shutil.rmtree(remote_of(laptop))
    shutil.copytree(tmp_path / "snapshot", remote_of(laptop))
    laptop.tacit("add", PNPM)
    told = laptop.tacit("sync").out
    assert "its part of the remote is older than what was seen before" in told
    (tmp_path / "third").mkdir()
    third = Person(tmp_path / "third")
    assert "what is here may be incomplete" in join(third, phrase).out
    assert "what is here may be incomplete" in third.tacit("sync", "--status").out
    assert "the remote is older than what this machine saw: published again" in desktop.tacit("sync").out
    assert "incomplete" not in third.tacit("sync").out + third.tacit("sync", "--status").out
    assert {memory["text"] for memory in third.listed("--scope", "all")} == {PNPM, TABS}


def test_a_remote_that_is_gone_is_reported_and_the_rest_works(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    told = laptop.tacit("sync", code=1)
    assert "not mounted" in told.err and "failed" in told.out
    assert laptop.tacit("sync", "--no-remotes").code == 0
    laptop.tacit("sync", "--only", "nothing", code=1)


def test_removing_says_what_stays(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    assert "stays there, encrypted" in laptop.tacit("remote", "remove", "home").out
    assert laptop.tacit("remote").out.startswith("No remotes")
    laptop.tacit("remote", "remove", "home", code=1)


def test_a_remote_whose_file_is_damaged_can_be_removed(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    (laptop.home / ".tacit" / "remotes" / "home.json").write_text("{")
    assert "tacit remote remove home" in laptop.tacit("sync", code=3).err
    assert "Removed home" in laptop.tacit("remote", "remove", "home").out
    assert laptop.tacit("remote").out.startswith("No remotes")


def test_commands_to_copy_quote_a_folder_with_blanks(machines: tuple[Person, Person], tmp_path: Path) -> None:
    laptop, _ = machines
    share = tmp_path / "my share"
    share.mkdir()
    assert f"tacit remote add home '{share}'" in laptop.tacit("remote", "add", "home", str(share)).out


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


# Names


def test_a_machine_has_the_name_that_its_person_gave_it_and_is_forgotten_by_it(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    shown = laptop.tacit("remote", "add", "home", remote_of(laptop), "--machine", "the laptop").out
    (desktop.folder / "phrase").write_text(phrase_in(shown))
    where = ("remote", "add", "home", remote_of(desktop), "--phrase-file", str(desktop.folder / "phrase"))
    assert "the laptop (" in desktop.tacit(*where, "--machine", "desk").out
    assert "This machine is desk" in desktop.tacit("remote").out
    assert "desk (" in laptop.tacit("sync").out
    assert "This machine is tower" in desktop.tacit("remote", "name-machine", "tower").out
    desktop.tacit("sync")
    assert "tower (" in laptop.tacit("sync").out and "desk" not in laptop.tacit("remote").out
    assert "that is this machine" in desktop.tacit("remote", "forget-machine", "tower", code=1).err
    assert "has new keys" in laptop.tacit("remote", "forget-machine", "Tower").out
    assert laptop.tacit("remote", "list", "--json").json[0]["machines"] == []


def test_machines_with_one_name_are_told_apart_by_their_ids(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    other = Person(desktop.folder.parent / "other")
    other.folder.mkdir()
    phrase = phrase_in(laptop.tacit("remote", "add", "home", remote_of(laptop)).out)
    for person in (desktop, other):
        join(person, phrase)
        person.tacit("remote", "name-machine", "desk")
        person.tacit("sync")
    laptop.tacit("sync")
    ids = [machine["machine"] for machine in laptop.tacit("remote", "list", "--json").json[0]["machines"]]
    told = laptop.tacit("remote", "forget-machine", "desk", code=2).err
    assert all(f"desk ({machine[:12]})" in told for machine in ids)
    # Nobody keeps a machine from being forgotten by calling itself as that one's id.
    other.tacit("remote", "name-machine", ids[0][:8])
    other.tacit("sync")
    laptop.tacit("sync")
    laptop.tacit("remote", "forget-machine", ids[0][:8])
    (left,) = laptop.tacit("remote", "list", "--json").json[0]["machines"]
    assert left["machine"] == ids[1]


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[31mb", "x" * 61])
def test_what_is_no_name_is_refused(machines: tuple[Person, Person], name: str) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    assert "a line of at most 60 characters" in laptop.tacit("remote", "name-machine", name, code=2).err


def test_new_keys_end_with_who_still_has_to_sync(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    desktop.tacit("remote", "name-machine", "desk")
    desktop.tacit("sync")
    laptop.tacit("sync")
    told = laptop.tacit("remote", "rotate", "home", now="2026-03-05T12:00:00+00:00").out
    ending = told.partition("Still to sync: 1 machine.")[2]
    assert "desk (" in ending and "last seen 3 days ago" in ending
    (machine,) = laptop.tacit("remote", "list", "--json").json[0]["machines"]
    assert machine["has_old_keys"] is True and "keys of now" in laptop.tacit("remote").out
    desktop.tacit("sync")
    laptop.tacit("sync")
    (machine,) = laptop.tacit("remote", "list", "--json").json[0]["machines"]
    assert machine["has_old_keys"] is False and "keys of now" not in laptop.tacit("remote").out
