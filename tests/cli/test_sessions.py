"""Sessions as a person finds them: of the right project, with the right files, whole, and under ids one can type."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.person import Person, tree
from harness.transcripts import Claude, Turn, codex, lines, name_of, place, story

from tacit.model.observation import session_id

BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
REMOTE = "git@example.org:kim/shop.git"


def capture(person: Person, name: str, folder: Path | str, *turns: Turn, hours: int = 0) -> str:
    """A session that took place in a folder; what its agent calls it."""

    def tell(teller: Claude) -> None:
        for turn in turns:
            teller.turn(turn)

    return told(person, name, folder, tell, hours)


def told(person: Person, name: str, folder: Path | str, tell: Callable[[Claude], None], hours: int = 0) -> str:
    teller = Claude(name_of(name), str(folder), BEGAN + timedelta(hours=hours))
    tell(teller)
    file = place(person.folder, "claude", teller.session)
    file.write_bytes(lines(teller.records))
    person.tacit("capture", str(file))
    person.tacit("sessions")  # pages follow with a question
    return teller.session


def shown(person: Person, reference: str = "last") -> Any:
    return person.tacit("session", "show", reference, "--json").json


# Which project


def test_a_session_belongs_to_the_repository_by_its_remote(person: Person) -> None:
    capture(person, "one", person.repository("shop", remote=REMOTE) / "api", Turn("of the API"))
    again = person.repository("clone", remote="https://kim@example.org/Kim/shop")
    capture(person, "two", again, Turn("of the clone"), hours=1)

    listed = person.tacit("sessions", "--json").json
    assert {one["scope"] for one in listed} == {"project:example.org/kim/shop"} and len(listed) == 2
    assert len(person.tacit("sessions", "--project", str(again), "--json").json) == 2


def test_work_trees_of_one_repository_share_their_sessions_also_when_one_is_gone(person: Person) -> None:
    root = person.repository("shop")
    (root / "a.txt").write_text("a")
    person.commit(root)
    person.git(root, "worktree", "add", "-q", str(root / ".trees" / "feature"))
    person.git(root, "worktree", "add", "-q", str(person.folder / "beside"))
    capture(person, "main", root, Turn("of the main tree"))
    capture(person, "inside", root / ".trees" / "feature", Turn("of a tree inside"))
    capture(person, "beside", person.folder / "beside", Turn("of a tree beside"))
    person.git(root, "worktree", "remove", str(root / ".trees" / "feature"))
    capture(person, "gone", root / ".trees" / "feature", Turn("of a tree that is gone"))

    assert len(person.tacit("sessions", "--project", str(root), "--json").json) == 4
    assert len(person.tacit("sessions", "--project", str(person.folder / "beside"), "--json").json) == 4


def test_without_a_repository_the_folder_is_the_project(person: Person) -> None:
    for name in ("one", "two"):
        (person.folder / name).mkdir()
        capture(person, name, person.folder / name, Turn(f"of folder {name}"))
    capture(person, "gone", person.folder / "gone", Turn("of a folder that is gone"))

    titles = [one["title"] for one in person.tacit("sessions", "--project", str(person.folder / "one"), "--json").json]
    assert titles == ["of folder one"]
    assert "no folder" in person.tacit("sessions", "--project", str(person.folder / "gone"), code=2).err
    assert len(person.tacit("sessions", "--json").json) == 3


def test_a_transcript_that_names_its_repository_is_believed_where_the_folder_is_gone(person: Person) -> None:
    records = codex(name_of("codex"), "/nowhere/shop", story("codex", 1))
    payload = {"id": name_of("codex"), "cwd": "/nowhere/shop", "git": {"repository_url": REMOTE}}
    records[0] = {**records[0], "payload": payload}
    file = place(person.folder, "codex", name_of("codex"))
    file.write_bytes(lines(records))
    person.tacit("capture", str(file))

    assert shown(person)["scope"] == "project:example.org/kim/shop"


# What was changed


def test_the_files_are_those_that_this_session_changed(person: Person) -> None:
    root = person.repository("shop", remote=REMOTE)
    (root / "before.py").write_text("x")
    person.commit(root)

    def tell(teller: Claude) -> None:
        teller.ask("change a few things")
        teller.call("Edit", {"file_path": f"{root}/src/edited.py", "old_string": "a", "new_string": "b"})
        teller.call("Write", {"file_path": f"{root}/src/written.py", "content": "x"})
        teller.call("Edit", {"file_path": f"{root}/src/edited.py", "old_string": "b", "new_string": "c"})
        teller.call("Edit", {"file_path": f"{root}/src/failed.py"}, "String to replace not found", error=True)
        teller.call("Bash", {"command": "sed -i 's/a/b/' conf/app.toml && make"})
        teller.call("Bash", {"command": "git mv old.py new.py"})
        teller.call("Bash", {"command": "git log --stat -- history.py; cat read.py; grep -r x found.py"})
        teller.call("Read", {"file_path": f"{root}/src/read.py"})
        teller.call("Write", {"file_path": "/etc/elsewhere.conf", "content": "x"})
        refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
        teller.call("Write", {"file_path": f"{root}/src/refused.py"}, refused, error=True)
        teller.reply("All of it is changed now.")

    told(person, "files", root, tell)
    changed = "src/edited.py src/written.py conf/app.toml old.py new.py /etc/elsewhere.conf"
    assert shown(person)["files"] == changed.split()


def test_a_patch_names_the_files_it_changed(person: Person) -> None:
    file = place(person.folder, "codex", name_of("codex"))
    file.write_bytes(lines(codex(name_of("codex"), "/nowhere/shop", story("patch", 2))))
    person.tacit("capture", str(file))

    assert shown(person)["files"] == ["src/patch_1.py", "src/patch_2.py"]


# All of it


def test_the_page_and_what_is_shown_are_the_same_for_people_and_without_marks_of_a_terminal(person: Person) -> None:
    capture(person, "one", "/nowhere/shop", Turn("please \x1b[31mred\x1b[0m \u202eevil", reply="# Title\n```\nopen"))
    page = next((person.home / "sessions").glob("*.md"))

    assert "\x1b" not in page.read_text() and "\u202e" not in page.read_text()
    assert "\x1b" not in person.tacit("session", "show", "last").out
    headings = [line for line in page.read_text().split("\n") if line.startswith("#")]
    assert [line.split()[0] for line in headings].count("#") == 1


# Names


def test_a_session_is_named_by_its_id_by_its_agents_name_or_as_the_last(person: Person) -> None:
    first = capture(person, "one", "/nowhere/shop", Turn("the first of them"))
    capture(person, "two", "/nowhere/shop", Turn("the second of them"), hours=1)

    assert shown(person)["requests"] == ["the second of them"]
    for reference in (first, first[:13], shown(person, first)["id"].upper()):
        assert shown(person, reference)["requests"] == ["the first of them"]
    assert "there is no session 'zzzz'" in person.tacit("session", "show", "zzzz", code=1).err
    assert "there is no session" in person.tacit("session", "show", "../../etc/passwd", code=1).err
    assert person.tacit("session", "show", code=2).err and person.tacit("session", "hide", first, code=2).err


def test_a_beginning_that_could_be_several_is_an_error_that_names_them(person: Person) -> None:
    names: dict[str, list[str]] = {}
    for number in range(33):  # of 32 letters, two sessions must begin with the same one
        names.setdefault(session_id("claude", name_of(f"many{number}"))[0], []).append(f"many{number}")
    shared, (first, second, *_) = max(names.items(), key=lambda item: len(item[1]))
    for hours, name in enumerate((first, second)):
        capture(person, name, "/nowhere/shop", Turn(f"session {name}"), hours=hours)
    said = person.tacit("session", "show", shared, code=2).err

    assert "could be any of" in said and "type more of it" in said
    assert all(one["short"] in said for one in person.tacit("sessions", "--json").json)


def test_sessions_in_which_the_same_was_asked_are_one_entry(person: Person) -> None:
    for number in range(3):
        capture(person, f"same{number}", "/nowhere/shop", Turn("Run all the tests."), hours=number)
    capture(person, "other", "/nowhere/other", Turn("Run all the tests."))
    listed = person.tacit("sessions", "--json").json

    alike = {one["scope"].rpartition("/")[2]: one["alike"] for one in listed}
    assert list(alike.items()) == [("shop", 2), ("other", 0)]
    assert "and 2 like it" in person.tacit("sessions").out
    said = person.tacit("sessions", "--limit", "1").out
    assert said.startswith("Sessions (2)\n")
    assert said.endswith("… and 1 more session. To see all: tacit sessions --all\n")
    assert "more" not in person.tacit("sessions", "--all").out


# Found again


def test_recall_finds_a_session_once_and_opens_it_at_the_turn(person: Person) -> None:
    turns = [
        Turn("why did we drop the session commands", reply="Because of the flamingo outage."),
        Turn("then remove the session commands everywhere", reply="The session commands are removed."),
        Turn("now the changelog"),
    ]
    capture(person, "one", "/nowhere/shop", *turns)
    capture(person, "two", "/nowhere/shop", Turn("something else altogether"), hours=1)
    for words, turn in (("why did we drop the session commands", 1), ("flamingo outage", 1), ("changelog", 3)):
        (hit, *others) = person.recalled(*words.split())
        assert not others, others
        line = Path(person.home, hit["path"]).read_text().split("\n")[hit["line"] - 1]
        assert line.startswith(f"### {turn}. ") and turns[turn - 1].asked in line


def test_pages_and_index_that_were_deleted_come_again_as_they_were(person: Person) -> None:
    capture(person, "one", "/nowhere/shop", *story("one", 3))
    capture(person, "two", "/nowhere/shop", *story("two", 2), hours=1)
    before, listed = tree(person.home / "sessions"), person.tacit("sessions", "--json").out
    assert len(before) == 2
    shutil.rmtree(person.home / "sessions")
    assert person.tacit("sessions", "--json").out == listed
    assert tree(person.home / "sessions") == before
    (person.home / "index.sqlite").unlink()
    assert person.tacit("sessions", "--json").out == listed
    assert tree(person.home / "sessions") == before
    next((person.home / "sessions").iterdir()).unlink()
    (person.home / "index.sqlite").unlink()
    assert person.recalled("task", "number", "one")
    assert tree(person.home / "sessions") == before


def test_a_hand_edit_in_the_page_of_a_session_is_not_overwritten(person: Person) -> None:
    capture(person, "one", "/nowhere/shop", *story("one", 2))
    page = next((person.home / "sessions").iterdir())
    page.write_text(page.read_text().replace("## Outcome", "My own remark about it.\n\n## Outcome"))
    capture(person, "one", "/nowhere/shop", *story("one", 4))
    person.tacit("sessions")

    assert "My own remark about it." in page.read_text()
    assert "task number 4" in page.read_text()
    (person.home / "index.sqlite").unlink()
    person.tacit("sessions")
    assert "My own remark about it." in page.read_text()


def test_deleting_a_transcript_takes_nothing_away(person: Person) -> None:
    """The host deletes it after a month; ours is the lasting copy."""
    capture(person, "one", "/nowhere/shop", *story("one", 2))
    before = person.tacit("session", "show", "last").out
    shutil.rmtree(person.folder / ".claude")
    person.tacit("reindex")

    assert person.tacit("session", "show", "last").out == before
    assert json.loads(person.tacit("sessions", "--json").out)


def test_a_long_turn_is_summed_up_unless_the_settings_say_otherwise(person: Person) -> None:
    capture(person, "long", "/nowhere/x", Turn(f"begin {'word ' * 400} end"))
    show, size = ("session", "show", "last"), "1500"
    cut = person.tacit(*show, TACIT_AUTOCAPTURE_MAX_TURN_SIZE=size).out
    whole = person.tacit(*show, TACIT_AUTOCAPTURE_MAX_TURN_SIZE=size, TACIT_AUTOCAPTURE_SUMMARIZE="false").out

    assert "characters left out" in cut and "characters left out" not in whole


# What it was about and how it ended


def test_a_session_is_listed_under_the_title_the_person_gave_it(person: Person) -> None:
    def tell(teller: Claude) -> None:
        teller.turn(Turn("draft PR please", "git push", reply="Pushed successfully."))
        teller.title("custom-title", "Baskets survive a closed browser")

    told(person, "titled", person.folder, tell)

    (listed,) = person.tacit("sessions", "--json").json
    assert listed["title"] == "Baskets survive a closed browser"
    assert "# Baskets survive a closed browser" in person.tacit("session", "show", "last").out


def test_a_session_is_told_by_its_most_telling_request_and_the_last_result(person: Person) -> None:
    capture(
        person,
        "telling",
        person.folder,
        Turn("hi there", reply="Hello! What shall we do?"),
        Turn("Keep the basket of a guest when the browser is closed", reply="The basket now lives in a signed cookie."),
        Turn("thanks, draft PR please", "git push", reply="Pushed successfully."),
    )

    (listed,) = person.tacit("sessions", "--json").json
    assert listed["title"] == "Keep the basket of a guest when the browser is closed"
    assert listed["outcome"] == "The basket now lives in a signed cookie."


def test_sessions_are_sorted_by_the_time_that_is_printed(person: Person) -> None:
    """One went on for a day after another had begun and ended."""

    def tell(teller: Claude) -> None:
        teller.turn(Turn("Rename the cart table"))
        teller.clock(30 * 3600)
        teller.turn(Turn("and the view of it"))

    told(person, "long", person.folder, tell)
    capture(person, "short", person.folder, Turn("Document the cart table"), hours=5)

    times = re.findall(r"^\S+  (\d{4}-\d\d-\d\d \d\d:\d\d)  ", person.tacit("sessions").out, re.MULTILINE)
    assert len(times) == 2 and times == sorted(times, reverse=True)


# What is kept of it (B3, B4)


def test_what_a_tool_put_into_a_prompt_is_not_the_persons_word(person: Person) -> None:
    put = "<aide-session-start>\nRecent sessions: none\n</aide-session-start>"
    capture(person, "noise", person.folder, Turn(f"{put}\nRename the cart table", put=""))

    assert shown(person)["requests"] == ["Rename the cart table"]


def test_of_an_edit_it_is_kept_what_changed(person: Person) -> None:
    def tell(teller: Claude) -> None:
        teller.ask("Lower the tax")
        changed = {"old_string": "TAX = 0.19", "new_string": "TAX = 0.07"}
        teller.call("Edit", {"file_path": f"{person.folder}/tax.py", **changed})
        teller.reply("The tax is lower now.")

    told(person, "edit", person.folder, tell)

    assert shown(person)["turns"][0]["calls"][0]["change"] == "TAX = 0.19 → TAX = 0.07"
    assert "- Changed tax.py: `TAX = 0.19 → TAX = 0.07`" in person.tacit("session", "show", "last").out
    assert "tax" in person.tacit("recall", "0.07").out


def test_every_word_of_a_prompt_of_fifteen_thousand_characters_is_kept(person: Person) -> None:
    long = " ".join(f"word{number}" for number in range(1900))
    assert len(long) > 15_000
    capture(person, "long", person.folder, Turn(f"Explain {long}, please"))

    assert shown(person)["requests"] == [f"Explain {long}, please"]
    assert person.tacit("recall", "word850").out.startswith("Recall Results (1)")
