"""What a person must see, told from what they did and what they were answered. No code of the program is used.

A `Mind` is one person's: sentences by their words, since nobody remembers ids. Where the program may decide (the kind
of a sentence without one, what a colleague's line counts for), the first answer is taken down, and must stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ACTIVE, PENDING, RETIRED, DISMISSED = "active", "pending", "retired", "dismissed"
STANDING = ("constraint", "rule")  # kinds of which an agent is always told
MOST_TOLD = 7  # standing rules in one brief
Listed = Mapping[str, Any]


@dataclass
class Memory:
    """One sentence in one person's mind.

    `kind` and `strength` are None until they are known. `named` tells that the person gave the kind. `said` tells that
    the person has stated or accepted it themselves; without it, it rests on the trust in a file. A `loose` memory may
    be there or not: the file that it rests on has changed, and the person is asked again.
    """

    status: str = ACTIVE
    kind: str | None = None
    strength: int | None = None
    named: bool = False
    said: bool = True
    loose: bool = False
    shared: bool | None = None
    overruled: bool = False


@dataclass
class Mind:
    """What one person holds, and the states that undo and redo walk through."""

    memories: dict[str, Memory] = field(default_factory=dict)
    opposing: frozenset[frozenset[str]] = frozenset()
    told_overruled: set[str] = field(default_factory=set)
    told_now: set[str] = field(default_factory=set)
    has_whole_history: bool = True
    _ever: set[str] = field(default_factory=set)  # what they have ever stated, also if that was undone
    _past: list[dict[str, Memory]] = field(default_factory=list)
    _future: list[dict[str, Memory]] = field(default_factory=list)

    # What the person does

    def decide(self) -> None:
        """A change begins: undo comes back to here, and what was undone before is gone."""
        self.told_now = set()
        self._ever.update(self.memories)
        self._past.append(deepcopy(self.memories))
        self._future.clear()

    def say(self, text: str, kind: str | None, answer: str) -> list[str]:
        """State something, and compare the answer with what was known of it."""
        self.decide()
        before = self.memories.get(text)
        told = told_strength(answer)
        wrong = []
        if before is None or before.status != ACTIVE:
            self.memories[text] = Memory(kind=kind, strength=told, named=kind is not None)
        else:
            if not before.loose and before.strength is not None and told != before.strength + 1:
                wrong.append(f"“{text}” had strength {before.strength}, and the answer to stating it again says {told}")
            before.strength, before.said, before.loose, before.overruled = told, True, False, False
            before.kind, before.named = kind or before.kind, before.named or kind is not None
        self.hear(answer)
        return wrong

    def state(self, text: str) -> None:
        """State something where no strength is told."""
        self.decide()
        memory = self.memories.setdefault(text, Memory())
        memory.status, memory.said, memory.strength = ACTIVE, True, None

    def note(self, text: str) -> None:
        """Propose something, which waits unless it holds already."""
        self.decide()
        memory = self.memories.setdefault(text, Memory(PENDING, strength=0))
        memory.strength = None if memory.strength is None else memory.strength + 1
        memory.status = memory.status if memory.status == ACTIVE else PENDING

    def hear_proposal(self, text: str) -> None:
        """An agent proposes something. What the person decided stands."""
        self.memories.setdefault(text, Memory(PENDING)).strength = None
        self.lose_history()

    def note_all(self, texts: Iterable[str]) -> None:
        """What was proposed waits."""
        for text in texts:
            self.memories.setdefault(text, Memory(PENDING))
        self.lose_history()

    def trust(self, lines: Mapping[str, Listed]) -> None:
        """Accept what a file says, by sentence."""
        self.decide()
        for text, line in lines.items():
            memory = self.memories.get(text)
            if memory is None or (memory.loose and not memory.said):
                self.memories[text] = Memory(kind=line["kind"], said=False, shared=True)
            elif not memory.said or memory.status != ACTIVE:
                memory.loose = memory.loose or memory.status != ACTIVE  # it was forgotten here, and stands there again
            elif line["kind"] != memory.kind:  # it waited again, and how often others had stated it by then counts
                memory.strength = None
                if not memory.named:
                    memory.kind = None  # whoever named it in the file decides, and nobody did here

    def end_trust(self) -> None:
        """A line that was accepted is not what it was: all lines of the file wait again."""
        for memory in self.memories.values():
            memory.loose = memory.loose or not memory.said
        self.lose_history()

    def set_status(self, text: str, status: str) -> None:
        self.decide()
        memory = self.memories[text]
        if status == ACTIVE and memory.status != ACTIVE:
            memory.said = True
        memory.status, memory.overruled = status, False

    def reword(self, text: str, new: str) -> None:
        self.decide()
        old = self.memories[text]
        if new not in self.memories or self.memories[new].status != ACTIVE:
            self.memories[new] = Memory(kind=old.kind, named=old.named, shared=old.shared)
        else:
            self.memories[new].strength = None
        old.status = RETIRED

    def agree(self, forgotten: Iterable[str], kinds: Mapping[str, str]) -> None:
        """Take over what commits of others did to lines of a file; undo takes all of it back."""
        if forgotten or kinds:
            self.decide()
        for text in forgotten:
            self.memories[text].status = RETIRED
        for text, kind in kinds.items():
            self.memories[text].kind, self.memories[text].named = kind, True

    def purge(self, text: str) -> None:
        """It was never there, and no undo brings it back."""
        self._ever.add(text)
        del self.memories[text]
        self.lose_history()

    def share(self, text: str, shared: bool) -> None:
        self.decide()
        self.memories[text].shared = shared

    def undo(self) -> bool:
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        return self._step(self._future, self._past)

    def _step(self, source: list[dict[str, Memory]], target: list[dict[str, Memory]]) -> bool:
        if not source:
            return False
        self._ever.update(self.memories)
        target.append(self.memories)
        self.memories = source.pop()
        return True

    def lose_history(self) -> None:
        """Undo would take back something else first, which is not followed."""
        self._past.clear()
        self._future.clear()
        self.has_whole_history = False

    def can_step(self, back: bool) -> bool:
        """Whether it is known what undo, or redo, does now."""
        return self.has_whole_history or bool(self._future if back else self._past)

    def hear(self, answer: str) -> None:
        """Take down which sentences an answer names that tells of a contradiction."""
        overruled: set[str] = set()
        if "contradict" in answer:
            overruled = {text.strip() for text in re.findall(r"\]: (.+)", answer)}
        if "New conflicts" in answer:
            conflicts = re.findall(r"^ +(holds|against|between|and) +\[\w+\] (.+) \([^()]+\)$", answer, re.MULTILINE)
            overruled |= {text for role, text in conflicts if role == "against"}
            self.told_now |= {text for _, text in conflicts}
        self.told_now |= overruled
        self.told_overruled |= overruled

    # What the person must see

    def active(self) -> list[str]:
        """What holds for sure."""
        return [text for text, one in self.memories.items() if one.status == ACTIVE and not one.loose]

    def known(self, *statuses: str) -> list[str]:
        return sorted(text for text, one in self.memories.items() if one.status in statuses and not one.loose)

    def compare(self, listed: Sequence[Listed]) -> list[str]:
        """Say what is wrong with a list of everything. Take down what was left to the program."""
        rows = by_text(listed)
        wrong = [f"“{text}” is listed {len(found)} times" for text, found in rows.items() if len(found) > 1]
        ids = {row["id"]: text for text, found in rows.items() for row in found}
        for text, memory in self.memories.items():
            if text not in rows:
                if not memory.loose:
                    wrong.append(f"“{text}” is {memory.status} and not listed")
                continue
            (row, *_) = rows[text]
            if not memory.loose:
                wrong += self._compare_one(text, memory, row)
            memory.overruled = row["overruled_by"] is not None
            if row["overruled_by"]:
                wrong += self._compare_overruled(text, ids.get(row["overruled_by"], "something that is not listed"))
        for text in rows.keys() - self.memories.keys():
            if rows[text][0]["source"] == "habit" and rows[text][0]["status"] == PENDING:
                self.memories[text] = Memory(PENDING)  # a habit that took the place of one that was decided on
            else:
                wrong.append(f"“{text}” is listed, and nobody said it")
        return wrong

    def _compare_one(self, text: str, memory: Memory, row: Listed) -> list[str]:
        wrong = []
        memory.kind = memory.kind or row["kind"]
        memory.strength = memory.strength or row["strength"]
        if row["status"] != memory.status:
            wrong.append(f"“{text}” is {row['status']} in the list and should be {memory.status}")
        if row["kind"] != memory.kind:
            wrong.append(f"“{text}” is a {row['kind']} in the list and should be a {memory.kind}")
        if row["strength"] != memory.strength and memory.status == ACTIVE:
            wrong.append(f"“{text}” has strength {row['strength']} in the list and should have {memory.strength}")
        return wrong

    def _compare_overruled(self, text: str, by: str) -> list[str]:
        if frozenset((text, by)) not in self.opposing:
            return [f"“{text}” is overruled by “{by}”, which does not oppose it"]
        if self.memories[by].status != ACTIVE:
            return [f"“{text}” is overruled by “{by}”, which is {self.memories[by].status}"]
        if text not in self.told_overruled:
            return [f"“{text}” is overruled by “{by}”, and the person was not told"]
        return []

    def compare_brief(self, brief: str, others: Iterable[str] = ()) -> list[str]:
        """Say what an agent is not told, or should not be. `others` are sentences that nobody here has accepted."""
        standing = [
            text for text in self.active() if self.memories[text].kind in STANDING and not self.memories[text].overruled
        ]
        wrong = [f"an agent is not told “{text}”" for text in standing if text not in brief]
        if len(standing) > MOST_TOLD:
            wrong = []
        silent = [
            text for text, one in self.memories.items() if not one.loose and (one.status != ACTIVE or one.overruled)
        ]
        silent += [text for text in others if text not in self.memories]
        return wrong + [f"an agent is told “{text}”" for text in silent if text in brief]

    def may_lose(self, text: str) -> bool:
        """Whether a line with this sentence may leave a file: the person retired it, keeps it private or opposed it."""
        if (memory := self.memories.get(text)) is None:
            return text in self._ever
        opposed = memory.said and text in self.told_overruled
        return memory.status != ACTIVE or memory.shared is False or opposed


def by_text(rows: Iterable[Listed]) -> dict[str, list[Listed]]:
    found: dict[str, list[Listed]] = {}
    for row in rows:
        found.setdefault(row["text"], []).append(row)
    return found


def told_strength(answer: str) -> int:
    """The strength that an answer to `add` tells."""
    found = re.search(r"strength (\d+)", answer)
    return int(found[1]) if found else 1


# Files that people share


def read_lines(path: Path) -> dict[str, str]:
    """The lines of a fact file by their id; lines that are none have themselves."""
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return {}
    return {parsed(line).get("id", line): line for line in lines}


def parsed(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def sentence_of(line: str) -> str:
    """What a line of a fact file states; the line itself if it is none."""
    sentence: str = parsed(line).get("canonical", line)
    return sentence


def facts(path: Path) -> dict[str, dict[str, Any]]:
    """The facts of a file by their sentence."""
    return {fact["canonical"]: fact for line in read_lines(path).values() if "canonical" in (fact := parsed(line))}


def compare_files(
    before: Mapping[str, str],
    after: Mapping[str, str],
    may_lose: Callable[[str], bool],
    may_change: Callable[[str], bool],
) -> list[str]:
    """Say which lines left a shared file or changed there, though the person meant others."""
    wrong = []
    for name, line in before.items():
        text = sentence_of(line)
        if name not in after:
            if not may_lose(text):
                wrong.append(f"the line of “{text}” has left the shared file")
        elif after[name] != line and not may_change(text):
            wrong.append(f"the line of “{text}” was changed in the shared file")
    return wrong


def may_conflict(base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str]) -> bool:
    """Whether two branches have done different things to one line."""
    names = {*base, *ours, *theirs}
    lines = [(base.get(name), ours.get(name), theirs.get(name)) for name in names]
    return any(here != there and root not in (here, there) for root, here, there in lines)
