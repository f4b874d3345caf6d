"""`tacit sync` for programs and timers: one document of all that was done, and no question."""

from __future__ import annotations

import json
from pathlib import Path

from harness.person import Person
from harness.terminal import converse

from tacit.home.paths import HomePaths
from tacit.remotes.state import RemoteStore
from tests.cli.test_remotes import PNPM, TABS, connect, machines, remote_of

__all__ = ["machines"]  # a fixture


def test_json_is_one_document_of_all_that_was_done_and_nothing_is_asked(machines: tuple[Person, Person]) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    desktop.tacit("add", TABS)
    desktop.tacit("sync")
    laptop.tacit("add", PNPM)
    page = laptop.home / "memory" / "long-term.md"
    page.write_text(page.read_text().replace(PNPM, "use npm"))
    said = converse(laptop, "sync", "--json", answers=())
    assert said.code == 0
    done = json.loads(said.out)
    assert done["pages"]["edit_count"] == done["pages"]["suggestion_count"] == 1
    (remote,) = done["remotes"]
    (machine,) = remote["machines"]
    assert (remote["sent_count"], machine["received_count"], remote["problem"]) == (2, 1, None)
    assert done["team_sync"] is None
    vouched = laptop.tacit("sync", "--yes", "--json").json
    assert vouched["pages"]["accepted_count"] == 1 and "use npm" in laptop.texts("npm")


def test_json_says_what_failed_and_the_exit_code_does(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    said = laptop.tacit("sync", "--json", code=1)
    assert "not mounted" in said.json["remotes"][0]["problem"] and said.err == ""


def test_an_unattended_sync_prints_only_what_needs_the_person_and_leaves_hand_edits(
    machines: tuple[Person, Person],
) -> None:
    laptop, desktop = machines
    connect(laptop, desktop)
    laptop.tacit("add", PNPM)
    page = laptop.home / "memory" / "long-term.md"
    page.write_text(edited := page.read_text().replace(PNPM, "use np"))
    assert laptop.tacit("sync", "--unattended").out == ""
    assert page.read_text() == edited and laptop.listed("--pending") == []
    assert "1 new" in desktop.tacit("sync").out
    Path(remote_of(laptop)).rename(laptop.folder / "elsewhere")
    assert "not mounted" in laptop.tacit("sync", "--unattended", code=1).out
    assert "leaves them alone" in laptop.tacit("sync", "--unattended", "--yes", code=2).err


def test_an_unattended_sync_gives_up_while_another_one_runs(machines: tuple[Person, Person]) -> None:
    laptop, _ = machines
    laptop.tacit("remote", "add", "home", remote_of(laptop))
    laptop.tacit("add", PNPM)
    with RemoteStore(HomePaths(str(laptop.home))).locked():
        assert laptop.process("sync", "--unattended", "--json").json == {
            "pages": None,
            "remotes": [],
            "team_sync": None,
        }
    assert laptop.tacit("sync", "--json").json["remotes"][0]["sent_count"] == 1
