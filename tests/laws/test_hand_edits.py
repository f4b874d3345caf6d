"""Random edits on both sides of the pages: no edit is lost, no event invented, nothing overwritten unread.

Tacit's side adds, decides, takes back, draws again and is killed; the person's side rewords, moves, deletes, copies
and types whatever people type; now and then the edits are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tacit.errors import TacitError
from tacit.model.claim import Kind, Status
from tacit.pages import long_term
from tests.chaos.apart import folder_in_memory
from tests.laws import hand_edits

TEXTS = (
    "use pnpm",
    "never force push",
    "I prefer tabs",
    "we decided on postgres",
    "think about caching",
    "the build is slow because tests run twice",
    "use npm",
    "wrap <b>tags</b> (seen twice) in `ticks`",
)
OWN_LINES = ("my own words", "### Style", "## Mine", "* be kind", "---", "=======", "", "- ", "# A title of mine")
texts = st.sampled_from(TEXTS)
sections = st.sampled_from((*long_term.SECTIONS, "Mine"))
numbers = st.integers(0, 1 << 16)


class HandEdits(RuleBasedStateMachine):
    """One home, one person, one editor."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self.house = hand_edits.House(self._stack.enter_context(folder_in_memory()))

    def teardown(self) -> None:
        self.house.vault.close()
        self._stack.close()

    @initialize()
    def something_is_known(self) -> None:
        for text in TEXTS[:3]:
            self.house.vault.add(text)
        self.house.vault.memories.remember(TEXTS[4], evidence="a talk")
        self.house.vault.hand_edits.unread_edits()

    # Tacit's side

    def _tacit(self, work: Callable[[], object], deadly: int | None = None) -> None:
        """Something that is no sync, perhaps cut short."""
        before = self.house.state()
        self.house.disk.left = deadly
        with suppress(hand_edits.Killed, TacitError):
            work()
        self.house.reopen()
        self.house.catch_up()
        hand_edits.nothing_unread_is_lost(before, self.house.state())

    def _one(self, number: int) -> str:
        known = sorted(one.memory.id for one in self.house.vault.search.listing(status=None))
        return known[number % len(known)]

    deaths = st.none() | st.integers(0, 40)

    @rule(text=texts, deadly=deaths)
    def add(self, text: str, deadly: int | None) -> None:
        self._tacit(lambda: self.house.vault.memories.add(text, evidence="seen"), deadly)

    @rule(text=texts, evidence=st.sampled_from(("a talk", "a test")), deadly=deaths)
    def remember(self, text: str, evidence: str, deadly: int | None) -> None:
        self._tacit(lambda: self.house.vault.memories.remember(text, evidence=evidence), deadly)

    @rule(number=numbers, text=st.none() | texts, kind=st.none() | st.sampled_from(list(Kind)), deadly=deaths)
    def edit(self, number: int, text: str | None, kind: Kind | None, deadly: int | None) -> None:
        self._tacit(lambda: self.house.vault.memories.edit(self._one(number), text=text, kind=kind), deadly)

    @rule(number=numbers, verb=st.sampled_from(("forget", "restore", "accept", "dismiss")), deadly=deaths)
    def decide(self, number: int, verb: str, deadly: int | None) -> None:
        why = {"reason": "r", "evidence": "e"} if verb == "forget" else {}
        self._tacit(lambda: getattr(self.house.vault.memories, verb)(self._one(number), **why), deadly)

    @rule(deadly=deaths)
    def undo(self, deadly: int | None) -> None:
        self._tacit(self.house.vault.changes.undo, deadly)

    @rule(deadly=deaths)
    def draw_again(self, deadly: int | None) -> None:
        log, said = self.house.log(), hand_edits.signature(self.house.vault.hand_edits.unread_edits())
        self._tacit(self.house.vault.doctor.reindex, deadly)
        assert self.house.log() == log
        assert hand_edits.signature(self.house.vault.hand_edits.unread_edits()) == said

    @rule(page=st.sampled_from(("memory/long-term.md", "memory/memories.ndjson")))
    def delete_a_page(self, page: str) -> None:
        log = self.house.log()
        self.house.paths[page].unlink()
        self.house.reopen()
        assert not [told for told in self.house.vault.hand_edits.unread_edits() if told.page.name == page]
        state = self.house.state()
        assert state.pages[page].entries == state.fresh[page].entries
        assert state.log == log

    # The person's side

    def _write(self, page: str, change: Callable[[list[str]], None]) -> None:
        path = self.house.paths[page]
        lines = path.read_bytes().decode("utf-8").split("\n")
        change(lines)
        path.write_bytes("\n".join(lines).encode())

    def _bullets(self, lines: list[str]) -> list[int]:
        return [at for at, line in enumerate(lines) if line.startswith("- ")]

    def _edit(self, number: int, change: Callable[[list[str], int], None]) -> None:
        """Change a bullet of long-term.md."""

        def chosen(lines: list[str]) -> None:
            if bullets := self._bullets(lines):
                change(lines, bullets[number % len(bullets)])

        self._write("memory/long-term.md", chosen)

    @rule(number=numbers, text=texts, suffix=st.sampled_from(("", " today", " please")))
    def reword(self, number: int, text: str, suffix: str) -> None:
        def reworded(lines: list[str], at: int) -> None:
            end = lines[at][-14:] if lines[at][-14:-12] == " ^" else ""
            lines[at] = f"- 2026-01-01: {text.replace('<', '')}{suffix}{end}"

        self._edit(number, reworded)

    @rule(number=numbers, section=sections)
    def move(self, number: int, section: str) -> None:
        def moved(lines: list[str], at: int) -> None:
            line = lines.pop(at)
            heading = next((at for at, one in enumerate(lines) if one.rstrip() == f"## {section}"), None)
            lines.insert(len(lines) - 1 if heading is None else heading + 1, line)

        self._edit(number, moved)

    @rule(number=numbers)
    def delete(self, number: int) -> None:
        self._edit(number, lambda lines, at: lines.__delitem__(at))

    @rule(number=numbers, with_id=st.booleans())
    def double(self, number: int, with_id: bool) -> None:
        self._edit(number, lambda lines, at: lines.insert(at, lines[at] if with_id else lines[at].split(" ^")[0]))

    @rule(number=numbers)
    def cut_the_id_off(self, number: int) -> None:
        def cut(lines: list[str], at: int) -> None:
            lines[at] = lines[at].split(" ^")[0]

        self._edit(number, cut)

    @rule(one=numbers, other=numbers)
    def swap(self, one: int, other: int) -> None:
        def swapped(lines: list[str]) -> None:
            if bullets := self._bullets(lines):
                first, second = bullets[one % len(bullets)], bullets[other % len(bullets)]
                lines[first], lines[second] = lines[second], lines[first]

        self._write("memory/long-term.md", swapped)

    @rule(section=sections, text=texts)
    def type_an_entry(self, section: str, text: str) -> None:
        def typed(lines: list[str]) -> None:
            heading = next((at for at, one in enumerate(lines) if one.rstrip() == f"## {section}"), None)
            if heading is not None:
                lines.insert(heading + 1, f"- {text.replace('<', '')} as well")

        self._write("memory/long-term.md", typed)

    @rule(at=numbers, line=st.sampled_from(OWN_LINES))
    def type_a_line(self, at: int, line: str) -> None:
        self._write("memory/long-term.md", lambda lines: lines.insert(at % (len(lines) + 1), line))

    @rule(number=numbers, text=texts)
    def leave_a_conflict(self, number: int, text: str) -> None:
        def conflict(lines: list[str], at: int) -> None:
            theirs = f"- {text.replace('<', '')} on the branch{lines[at][-14:] if ' ^' in lines[at] else ''}"
            lines[at : at + 1] = ["<<<<<<< HEAD", lines[at], "=======", theirs, ">>>>>>> branch"]

        self._edit(number, conflict)

    @rule(page=st.sampled_from(("memory/long-term.md", "memory/memories.ndjson")), how=st.sampled_from("cbn"))
    def save_with_another_editor(self, page: str, how: str) -> None:
        data = self.house.paths[page].read_bytes()
        changed = {
            "c": data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
            "b": b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf"),
            "n": data.removesuffix(b"\n"),
        }
        self.house.paths[page].write_bytes(changed[how])

    @rule(number=numbers, how=st.sampled_from(("reword", "delete", "double", "junk", "add", "tag")), text=texts)
    def edit_a_fact(self, number: int, how: str, text: str) -> None:
        said = {"canonical": f"{text} in facts"}

        def changed(lines: list[str]) -> None:
            readable = [at for at, line in enumerate(lines) if line.startswith('{"id"')]
            at = readable[number % len(readable)] if readable else len(lines)
            old = lines[at : at + 1]
            if how in ("junk", "add"):
                lines.insert(0, "not a fact" if how == "junk" else json.dumps({**said, "strength": 99}))
            elif how in ("delete", "double"):
                lines[at : at + 1] = old * 2 if how == "double" else []
            else:
                fields = {"tags": ["mine"]} if how == "tag" else said
                lines[at : at + 1] = [json.dumps({**json.loads(one), **fields}, ensure_ascii=False) for one in old]

        self._write("memory/memories.ndjson", changed)

    # Reading

    @rule()
    def look(self) -> None:
        log, found = self.house.log(), self.house.vault.hand_edits.unread_edits()
        self.house.reopen()
        assert self.house.vault.hand_edits.unread_edits() == found
        assert self.house.log() == log

    @rule(deadly=deaths)
    def sync(self, deadly: int | None) -> None:
        before = self.house.state()
        found = self.house.vault.hand_edits.unread_edits()
        self.house.disk.left = deadly
        twice = hand_edits.edited_in_both(found)
        try:
            done = self.house.vault.hand_edits.sync(found, vouched=True)
        except hand_edits.Killed:
            self.house.reopen()
            recorded = self.house.log() != before.log
            done = self.house.vault.hand_edits.sync(self.house.vault.hand_edits.unread_edits(), vouched=True)
            assert not (recorded and done.judgements) or twice, "said again after a crash"
        self.house.disk.left = None
        assert found or self.house.log() == before.log
        after = self.house.state()
        hand_edits.what_the_pages_said_is_so(before, after, found, done)
        hand_edits.the_pages_are_drawn_again(after, done.skipped)
        if not twice:
            again = self.house.vault.hand_edits.sync(self.house.vault.hand_edits.unread_edits(), vouched=True)
            assert (again.judgements, self.house.log()) == (0, after.log)

    @rule()
    def sync_without_a_person(self) -> None:
        before = self.house.state()
        found = self.house.vault.hand_edits.unread_edits()
        self.house.vault.hand_edits.sync(found, vouched=False)
        after = self.house.state()
        hand_edits.nothing_unread_is_lost(before, after)
        assert {name: one for name, one in after.known.items() if name in before.known} == before.known
        new = [one for name, one in after.known.items() if name not in before.known]
        assert all(one.status is Status.PENDING for one in new)
        again = self.house.vault.hand_edits.sync(self.house.vault.hand_edits.unread_edits(), vouched=False)
        assert (again.candidates, self.house.log()) == (0, after.log)

    @invariant()
    def the_log_is_well(self) -> None:
        assert self.house.log().endswith(b"\n")


# The same stories every time; `make chaos` tells new ones.
HandEdits.TestCase.settings = settings(
    max_examples=30, stateful_step_count=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
TestHandEdits = HandEdits.TestCase


def test_a_candidate_that_was_read_without_a_person_and_is_then_moved_holds() -> None:
    """Its first reading is withdrawn when somebody vouches; the move must find it all the same."""
    story = HandEdits()
    try:
        story.something_is_known()
        story.type_an_entry(section="Promotion Candidates", text="use pnpm")
        story.sync_without_a_person()
        story.move(number=286, section="Constraints")
        story.sync(deadly=None)
    finally:
        story.teardown()
