"""Copies that sync programs and editors leave in a home: events in them count once, a purge reaches them, and nothing
is ever appended to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.person import Person
from harness.transcripts import Turn, claude_session, name_of

from tacit.log import reader
from tests.chaos.kills import changes
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced, together
from tests.support.planting import traces

# How programs name a copy of NAME.EXT.
NAMES = (
    "{stem}.sync-conflict-20260101-120000-ABCDEF7{suffix}",
    "{stem} (conflicted copy 2026-01-01 120000){suffix}",
    "{stem} (Ada's conflicted copy 2026-01-01){suffix}",
    "{stem} (Kopie in Konflikt von Ada 2026-01-01){suffix}",
    "{stem}-LAPTOP{suffix}",
    "{stem} 2{suffix}",
    "{stem} (1){suffix}",
    "{stem}{suffix}~",
    "#{stem}{suffix}#",
    "{stem}{suffix}.bak",
    "{stem}{suffix}.orig",
    "{stem}{suffix}.save",
    ".{stem}{suffix}.swp",
    "zzz-{stem}{suffix}",
)
SECRET = "violet lighthouse keeper"
_SOURCES = (
    *("memory/events.jsonl", "memory/purged.jsonl", "activity/2026-03.jsonl", "activity/2026-03-agents.jsonl"),
    "imported/HISTORY",
)
_OTHERS = ("index.sqlite", "memory/long-term.md", "worklog/2026-03-02.md", "memory/memories.ndjson", "AGENTS.md")


class Home:
    """A home with something in every segment."""

    def __init__(self, folder: Path) -> None:
        self.person = Person(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "history").write_bytes(b"make lint\nmake test\n" * 3)
        person = self.person
        person.tacit("init")
        person.tacit("add", f"never wake the {SECRET}")
        person.tacit("add", "always sign commits")
        person.tacit("add", "never tell the forgotten word")
        person.tacit("remember", "the tests need docker", "--evidence", f"the {SECRET} said so")
        person.tacit("log", "--task", "T-1", "--summary", f"moved the {SECRET}")
        person.tacit("recall", "commits")
        person.tacit("import", "history", "--file", str(folder / "history"), "--shell", "bash")
        turn = Turn(f"please paint the {SECRET}", "make paint", changed="src/paint.py")
        person.tacit("capture", str(claude_session(folder / "transcripts", name_of("strays"), str(folder), [turn])))
        person.tacit("purge", "--text", "forgotten word", "--yes", code=None)

    def copy(self, place: str, name: str) -> Path:
        """A copy of one of our files beside it, under another name."""
        source = self.person.home / place
        if place.endswith("HISTORY"):
            (source,) = source.parent.glob("history-bash-*[0-9a-f].jsonl")
        target = source.with_name(name.format(stem=source.stem, suffix=source.suffix))
        shutil.copyfile(source, target)
        target.chmod(0o600)
        return target

    def told(self) -> dict[str, object]:
        """What a person can ask for."""
        person = self.person
        listed = person.tacit("list", "--json", "--all", "--status", "all", "--scope", "all").json
        words = {"stats": ("--json",), "sessions": ("--json", "--all"), "learn": ("--all", "--json")}
        outputs = {verb: person.tacit(verb, *more).out for verb, more in words.items()}
        return {**outputs, "memories": listed, "worklog": (person.home / "worklog/2026-03-02.md").read_bytes()}


def copies_count_once(folder: Path, names: tuple[str, ...] = NAMES) -> Outcome:
    """Everything is copied, under each of the names; no answer changes, and doctor names every copy."""
    home = Home(folder / "home")
    before = home.told()
    return together(_counted_once(home, before, name) for name in names)


def _counted_once(home: Home, before: dict[str, object], name: str) -> Outcome:
    copies = [home.copy(place, name) for place in (*_SOURCES, *_OTHERS)]
    faults = [f"{name}: {fault}" for fault in changes(before, home.told())]
    said = home.person.tacit("doctor", code=None)
    faults += [f"{name}: doctor is unwell: {said.out}"] * (said.code != 0)
    # Of other files a person may have made one of that name.
    named = [path for path in copies if path.suffix == ".jsonl" or not any(word in name for word in ("zzz", "LAPTOP"))]
    faults += [f"doctor does not name {path}" for path in named if str(path) not in said.out]
    sizes = {path: path.stat().st_size for path in copies}
    home.person.tacit("add", "never deploy on friday")
    home.person.tacit("undo")
    faults += [f"{path} was written to" for path, size in sizes.items() if path.stat().st_size != size]
    home.person.tacit("reindex")
    for path in copies:
        path.unlink()
    return Outcome(1, 0, 0, tuple(faults))


def events_of_a_copy_are_read(folder: Path, names: tuple[str, ...] = NAMES) -> Outcome:
    """Our own file loses its last line; the copy still has it, and so have the answers."""
    return together(_is_read(folder / str(number), name) for number, name in enumerate(names))


def _is_read(folder: Path, name: str) -> Outcome:
    home = Home(folder)
    home.person.tacit("add", "only the copy knows this")
    before = home.told()
    home.copy("memory/events.jsonl", name)
    lines = home.person.events.read_bytes().splitlines(keepends=True)
    home.person.events.write_bytes(b"".join(lines[:-1]))
    faults = [f"{name}: {fault}" for fault in changes(before, home.told())]
    said = home.person.tacit("doctor", code=None)
    faults += [f"{name}: doctor does not tell that it is read: {said.out}"] * ("stand nowhere else" not in said.out)
    return Outcome(1, 1, len(faults) and 1, tuple(faults))


def purge_reaches_copies(folder: Path, names: tuple[str, ...] = NAMES) -> Outcome:
    """After a purge no file of the home holds the text in any form, whoever left it; and the copies count again."""
    return together(_reached(folder / str(number), name) for number, name in enumerate(names))


def _reached(folder: Path, name: str) -> Outcome:
    home = Home(folder)
    for place in (*_SOURCES, *_OTHERS):
        home.copy(place, name)
    said = home.person.tacit("purge", "--text", SECRET, "--yes", code=None)
    faults = [f"{name}: purge said {said}"] * bool(said.code)
    faults += [f"{name}: {trace}" for trace in traces(home.person.home, SECRET)]
    kept = {one["label"] for one in home.person.listed("--status", "all", "--scope", "all")}
    faults += [f"{name}: only {kept} is left"] * ("always sign commits" not in kept)
    return Outcome(1, 1, 0, tuple(faults))


def tombstones_of_a_copy_hold(folder: Path) -> Outcome:
    """Another machine purged something: its copy of our tombstones arrives, and what they speak of is gone here too."""
    home = Home(folder / "home")
    before = shutil.copytree(home.person.home, folder / "before")
    home.person.tacit("purge", "--text", SECRET, "--yes")
    copy = before / "memory" / "purged.sync-conflict-20260101-120000-ABCDEF7.jsonl"
    shutil.copyfile(home.person.home / "memory/purged.jsonl", copy)
    shutil.rmtree(home.person.home)
    shutil.move(before, home.person.home)
    shown = home.person.tacit("list", "--status", "all", "--scope", "all").out
    return Outcome(1, 1, 0, ("what another machine purged is still shown",) * (SECRET in shown))


def unread(folder: Path) -> Outcome:
    """Mutant: only files of our own names are read."""
    with replaced(reader, "stray_segments", lambda _home: iter(())):
        return events_of_a_copy_are_read(folder, NAMES[:1])


_SOME = (NAMES[0], NAMES[4], NAMES[7])


def test_events_that_stand_in_a_copy_too_count_once(tmp_path: Path) -> None:
    assert_held(copies_count_once(tmp_path, _SOME))


def test_events_that_stand_only_in_a_copy_are_read(tmp_path: Path) -> None:
    assert_held(events_of_a_copy_are_read(tmp_path, _SOME[:2]))


def test_a_purge_reaches_every_copy(tmp_path: Path) -> None:
    assert_held(purge_reaches_copies(tmp_path, _SOME[:2]))


def test_tombstones_in_a_copy_hold(tmp_path: Path) -> None:
    assert_held(tombstones_of_a_copy_hold(tmp_path))


def rows(short: bool) -> Iterator[Row]:
    some, few = (NAMES[::5], NAMES[:2]) if short else (NAMES, NAMES)
    yield Row("T49 copies of sync programs, counted", lambda at: copies_count_once(at, some))
    yield Row("T49 copies of sync programs, read", lambda at: events_of_a_copy_are_read(at, some))
    yield Row("T49 tombstones in a copy", tombstones_of_a_copy_hold)
    yield mutant_row("T49 mutant: copies unread", unread)
    note = "each name of a copy, beside every sort of file"
    yield Row("T31 copies of sync programs", lambda at: purge_reaches_copies(at, few), note)
