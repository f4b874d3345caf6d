"""A home, a person with an editor, and what must hold between them (test_hand_edits.py drives it).

The oracle is simple, because it looks at pages and not at their history. What a page says when it is synced is so
afterwards. What Tacit would not have written by itself is still there after anything else that happens, unless that
was a decision on just this memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tacit.disk.files import OsDisk
from tacit.home.home import Home
from tacit.home.publish import memory_views
from tacit.index import reader
from tacit.model.claim import GLOBAL, Status
from tacit.model.hand_edits import AddedLine, ChangedLine, IgnoredLine, RedrawnLine, RemovedLine
from tacit.model.statement import claim_from
from tacit.pages import facts, long_term
from tacit.pages.long_term import unescape
from tacit.sync import SyncResult, UnreadEdit
from tacit.vault import Vault
from tests.support.pages import render_long_term

ACTIVE_SECTIONS = long_term.SECTIONS[:9]
_ID = re.compile(r" \^([0-9a-z]{12})$")


# Why an edit may be left as it is; each is told.
GOOD_REASONS = {
    "an entry without words",
    "under a heading that Tacit does not know",
    "not a fact that can be read",
    "what was pruned is only history",
    "what holds cannot wait again; take the line out to forget it",
    "edited otherwise in another page; say it once more",
}


class Killed(BaseException):
    """The program ends here."""


class MortalDisk(OsDisk):
    """Stops at a call of its life; nothing after it is done."""

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None

    def _live(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed

    def open(self, path: str, flags: int, mode: int) -> int:
        self._live()
        return super().open(path, flags, mode)

    def write(self, fd: int, data: bytes) -> int:
        self._live()
        return super().write(fd, data)

    def rename(self, source: str, target: str) -> None:
        self._live()
        super().rename(source, target)

    def remove(self, path: str) -> None:
        self._live()
        super().remove(path)


class Entry(NamedTuple):
    """A bullet or a fact as this test reads it: by plain rules, without Tacit's reader."""

    section: str
    line: str
    id: str
    text: str


class Page(NamedTuple):
    """A page as it lies there: its entries, and every line with the heading it stands under."""

    entries: tuple[Entry, ...]
    lines: tuple[tuple[str, str], ...]

    def ids(self) -> set[str]:
        return {entry.id for entry in self.entries}


class Known(NamedTuple):
    """What Tacit knows, as far as a decision shows in it."""

    status: Status
    sentence: str
    kind: str
    overruled: bool


class State(NamedTuple):
    """Everything at one moment: what is known, what lies there, and what Tacit would draw."""

    known: dict[str, Known]
    pages: dict[str, Page]
    fresh: dict[str, Page]
    log: bytes


class House:
    """A home with its two pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.disk = MortalDisk()
        self.paths = {
            "memory/long-term.md": self.home / "memory" / "long-term.md",
            "memory/memories.ndjson": self.home / "memory" / "memories.ndjson",
        }
        self.long_term, self.facts = self.paths.values()
        self.vault = self._opened()

    def _opened(self) -> Vault:
        return Vault(Home(self.home, cwd=self.folder, environment={"HOME": str(self.folder)}, disk=self.disk))

    def reopen(self) -> None:
        self.disk.left = None
        self.vault.close()
        self.vault = self._opened()

    def catch_up(self) -> None:
        """What the next command does first: draw what was cut short."""
        with self.vault.home.store.change():
            pass

    def log(self) -> bytes:
        """Every judgement: what was only asked and looked at is kept elsewhere."""
        return (self.home / "memory" / "events.jsonl").read_bytes()

    def state(self) -> State:
        store = self.vault.home.store
        noted = store.read(lambda index: memory_views(index, [row.id for row in reader.memory_rows(index)]))
        known: dict[str, Known] = {}
        for one in noted:
            said = one.memory
            known[said.id] = Known(said.status, said.claim.sentence, said.kind.label, not one.is_effective)
        fresh = {
            "memory/long-term.md": markdown(render_long_term(noted)),
            "memory/memories.ndjson": ndjson(facts.update_facts([], noted)),
        }
        return State(known, {name: self.page(name) for name in self.paths}, fresh, self.log())

    def page(self, name: str) -> Page:
        lines = lines_of(self.paths[name])
        return markdown(lines) if name.endswith(".md") else ndjson(lines)


def lines_of(path: Path) -> list[str]:
    """The lines without an editor's habits."""
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    return [line.removesuffix("\r") for line in text.split("\n")]


def markdown(lines: Sequence[str]) -> Page:
    section, entries, placed = "", [], []
    for line in lines:
        if line.startswith("#"):
            section = line.lstrip("#").strip()
        elif line.startswith(("- ", "* ", "+ ")):
            entries.append(_bullet(section, line))
        placed.append((section, line))
    return Page(tuple(entries), tuple(placed))


def _bullet(section: str, line: str) -> Entry:
    found = _ID.search(line)
    text = re.sub(r"^[-*+] (\d{4}-\d\d-\d\d: )?", "", _ID.sub("", line))
    text = re.sub(r" \((evidence: |reason: |seen |overruled by |conflict).*\)$", "", text)
    return Entry(section, line, found[1] if found else "", unescape(text.strip()))


def ndjson(lines: Sequence[str]) -> Page:
    return Page(tuple(entry for line in lines for entry in _fact(line)), tuple(("", line) for line in lines))


def _fact(line: str) -> list[Entry]:
    try:
        fields = json.loads(line)
        return [Entry("", line, fields.get("id", ""), fields["canonical"])]
    except (ValueError, KeyError, TypeError):
        return []


# What must hold


def nothing_unread_is_lost(before: State, after: State) -> None:
    """Whatever happened was no sync: what the person did to the pages is still so, but where they decided otherwise."""
    touched = {name for name, known in after.known.items() if before.known.get(name) != known}
    touched |= {name for name, known in before.known.items() if after.known.get(name) != known}
    for name, page in before.pages.items():
        _additions_stay(name, page, before.fresh[name], after.pages[name], touched)
        missing = {one.id for one in before.fresh[name].entries if one.id not in page.ids()} - touched
        back = missing & after.pages[name].ids()
        assert not back, f"taken out of {name} and there again: {back}"
    _moves_stay(before, after, touched)


def _additions_stay(name: str, page: Page, fresh: Page, now: Page, touched: set[str]) -> None:
    drawn = {line for _, line in fresh.lines}
    ids = {entry.line: entry.id for entry in page.entries}
    for place, line in page.lines:
        if not line.strip() or line in drawn or ids.get(line) in touched:
            continue
        if name.endswith(".md"):
            places = [where for where, other in now.lines if other == line]
            assert places, f"lost from {name}: {line!r}"
            assert place in places or ids.get(line), f"{line!r} of {place!r} stands under {places}"
        else:
            _fact_stays(line, now)


def _fact_stays(line: str, now: Page) -> None:
    """Of an edited fact every field that the person changed; what counts of it here is what it says."""
    if line in [other for _, other in now.lines]:
        return
    said = [entry.text for entry in _fact(line)]
    assert said and said[0] in [entry.text for entry in now.entries], f"lost: {line!r}"


def _moves_stay(before: State, after: State, touched: set[str]) -> None:
    name = "memory/long-term.md"
    drawn = {entry.id: entry.section for entry in before.fresh[name].entries}
    first = {entry.id: entry.section for entry in reversed(before.pages[name].entries) if entry.id}
    now = {(entry.id, entry.section) for entry in after.pages[name].entries}
    for claim, section in first.items():
        if claim in drawn and drawn[claim] != section and claim not in touched:
            assert (claim, section) in now, f"{claim} was moved to {section}, and now {now}"


def signature(found: Sequence[UnreadEdit]) -> set[tuple[object, ...]]:
    """What the edits say, without how the lines look."""
    said: set[tuple[object, ...]] = set()
    for told in found:
        match told.edit:
            case AddedLine(text=text, kind=kind, is_active=holds):
                said.add(("added", told.page.name, text, kind, holds))
            case ChangedLine(claim=claim, text=text, kind=kind, status=status):
                said.add(("changed", told.page.name, claim, text, kind, status))
            case RemovedLine(claim=claim):
                said.add(("removed", told.page.name, claim))
            case RedrawnLine(old_line=was) if was:
                continue  # only looks, which any drawing mends
            case other:
                said.add((type(other).__name__, told.page.name, other.line))
    return said


def edited_in_both(found: Sequence[UnreadEdit]) -> set[str]:
    """Memories that were edited in two pages: where the edits differ, the second waits for the next sync."""
    pages: dict[str, set[str]] = {}
    for told in found:
        if isinstance(told.edit, ChangedLine | RemovedLine):
            pages.setdefault(told.edit.claim, set()).add(told.page.name)
    return {claim for claim, names in pages.items() if len(names) > 1}


def _edited_beside(name: str, found: Sequence[UnreadEdit]) -> set[str]:
    """Memories that another page was edited on: an entry here that only lost its id says nothing against that."""
    edits = [told.edit for told in found if told.page.name != name]
    return {edit.claim for edit in edits if isinstance(edit, ChangedLine | RemovedLine)}


def what_the_pages_said_is_so(before: State, after: State, found: Sequence[UnreadEdit], done: SyncResult) -> None:
    left = {(told.page.name, told.edit.line.rstrip("\r")) for told in done.skipped} | _old_lines(before, found)
    assert {told.edit.reason for told in done.skipped if isinstance(told.edit, IgnoredLine)} <= GOOD_REASONS
    stated: set[str] = set()
    for name, page in before.pages.items():
        for entry in page.entries:
            stated.add(_claim(entry))
            is_elsewhere = not entry.id and _claim(entry) in _edited_beside(name, found)
            if (name, entry.line) not in left and entry.id not in edited_in_both(found) and not is_elsewhere:
                _holds_or_waits(name, entry, page, before, after)
    for name, page in before.pages.items():
        for entry in before.fresh[name].entries:
            is_gone = entry.id not in page.ids() and entry.id not in stated
            if is_gone and entry.section != long_term.PRUNED_SECTION and not _is_contradicted(entry.id, before, name):
                assert after.known[entry.id].status in (Status.RETIRED, Status.DISMISSED), f"{entry} was taken out"


def _old_lines(before: State, found: Sequence[UnreadEdit]) -> set[tuple[str, str]]:
    """Lines of Tacit's own that were moved, or whose looks were changed, of memories that were decided on since."""
    live = {known.sentence for known in before.known.values() if known.status in (Status.ACTIVE, Status.PENDING)}
    old = [told for told in found if _says_nothing_new(told) and _text(told) not in live]
    return {(told.page.name, told.edit.line.rstrip("\r")) for told in old}


def _says_nothing_new(told: UnreadEdit) -> bool:
    match told.edit:
        case RedrawnLine(old_line=was):
            return bool(was)
        case ChangedLine(text=None, claim=claim):
            return told.memory is not None and told.memory.id != claim
    return False


def _text(told: UnreadEdit) -> str:
    line = told.edit.line.rstrip("\r")
    return next((entry.text for entry in _fact(line)), _bullet("", line).text)


def _is_contradicted(claim: str, before: State, name: str) -> bool:
    """Whether the other page was edited otherwise: one of the two edits is left."""
    return any(
        entry.id == claim and entry not in before.fresh[other].entries
        for other, page in before.pages.items()
        if other != name
        for entry in page.entries
    )


def _claim(entry: Entry) -> str:
    return claim_from(entry.text, GLOBAL).id if entry.text else ""


def _holds_or_waits(name: str, entry: Entry, page: Page, before: State, after: State) -> None:
    """An entry that Tacit did not draw so is active or pending, as its section says."""
    if not entry.text or entry in before.fresh[name].entries:
        return
    status = after.known[_claim(entry)].status if _claim(entry) in after.known else None
    if name.endswith(".ndjson") or entry.section in ACTIVE_SECTIONS:
        own = before.known.get(entry.id)
        expected = {Status.ACTIVE}
        if name.endswith(".ndjson") and own and own.status is not Status.ACTIVE:
            expected = {Status.ACTIVE, Status.PENDING}
        assert status in expected, f"{entry} of {name} is {status}"
    elif entry.section == long_term.CANDIDATES_SECTION:
        assert status in (Status.PENDING, Status.ACTIVE), f"{entry} is {status}"


def the_pages_are_drawn_again(state: State, left: Sequence[UnreadEdit]) -> None:
    """Where Tacit knows an entry it stands as Tacit draws it; what was pruned the person may have cleared away."""
    kept = {
        (told.page.name, entry.id)
        for told in left
        for entry in (_bullet("", told.edit.line.rstrip("\r")), *_fact(told.edit.line))
    }
    for name, page in state.pages.items():
        fresh = {entry.id: entry for entry in state.fresh[name].entries}
        drawn = [entry for entry in page.entries if entry.id in fresh and (name, entry.id) not in kept]
        for entry in drawn:
            assert entry.line == fresh[entry.id].line, f"{name} shows {entry}, not {fresh[entry.id]}"
            assert entry.section == fresh[entry.id].section or entry.section not in long_term.SECTIONS
        assert len(drawn) == len({entry.id for entry in drawn}), f"drawn twice: {drawn}"
        words = {_text(told) for told in left if told.page.name == name}  # such a line may have lost its id
        missing = {one for one in set(fresh) - page.ids() if fresh[one].text not in words}
        assert all(fresh[one].section == long_term.PRUNED_SECTION for one in missing), f"{name} lacks {missing}"
