"""Whether what was told helped, as people read it: questions for readers who do not know who told what, and answers.

A question is one thing that was told at one prompt or edit, with what was asked there and what was then done. A reader
answers with one word: helpful, harmless or noise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from bench.briefing.home import Item
from bench.briefing.recorded import Part
from bench.briefing.replay import Asked
from tacit.model.observation import ToolAction
from tacit.text.display import clip

HELPFUL, HARMLESS, NOISE = "helpful", "harmless", "noise"
ANSWERS = (HELPFUL, HARMLESS, NOISE)
PROMPT, EDIT = "prompt", "edit"
_PROMPT_CHARS, _EARLIER_CHARS, _REPLY_CHARS, _LINE_CHARS = 2000, 300, 800, 300
_EARLIER, _CALLS = 3, 14


def moment_of(asked: Asked) -> str:
    return EDIT if asked.path else PROMPT


def name_of(asked: Asked, item: Item) -> str:
    """What identifies a question, whatever the wording of the line: the session, the turn, the file and the thing."""
    parts = (asked.recorded.session.agent, asked.recorded.session.host_session_id, str(asked.place), asked.path)
    return sha256("\n".join((*parts, item.id)).encode()).hexdigest()[:16]


def questions(every: Iterable[Asked]) -> Iterator[dict[str, object]]:
    """Yield the questions, in an order that says nothing of who told what."""
    found = [(name_of(asked, item), asked, item) for asked in every for item in asked.items.values()]
    for name, asked, item in sorted(found, key=lambda one: one[0]):
        parts = asked.recorded.parts
        part, before = parts[asked.place], [one.prompt for one in parts[: asked.place] if one.prompt]
        yield {
            "question": name,
            "moment": moment_of(asked),
            "project": asked.recorded.folder,
            **({"file": asked.path, "change": _change(part, asked.path)} if asked.path else {}),
            "asked_before": [clip(prompt, _EARLIER_CHARS) for prompt in before[-_EARLIER:]],
            "prompt": clip(part.prompt, _PROMPT_CHARS),
            "told": item.line,
            "then_done": [clip(f"{call.tool}: {call.input}", _LINE_CHARS) for call in part.turn.calls[:_CALLS]],
            "then_replied": clip(part.turn.replies[-1], _REPLY_CHARS) if part.turn.replies else "",
        }


def _change(part: Part, path: str) -> str:
    changes = (call.change for call in part.turn.calls if path in call.files and call.act is ToolAction.CHANGED)
    return clip(" / ".join(filter(None, changes)), _REPLY_CHARS)


class Labels(NamedTuple):
    """The answers of one reader, by question."""

    reader: str
    answers: Mapping[str, str]


def read_labels(path: Path) -> Labels:
    """Return the answers in a file of lines like `{"question": "…", "answer": "helpful"}`."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    answers = {line["question"]: line["answer"] for line in lines}
    if unknown := set(answers.values()) - set(ANSWERS):
        raise SystemExit(f"{path} has answers that are none: {', '.join(sorted(unknown))}")
    return Labels(path.stem, answers)


@dataclass(slots=True)
class Help:
    """How often what was told was helpful, harmless or noise, over the answers of all readers."""

    moments: int = 0
    told: int = 0  # moments at which anything was told
    items: int = 0
    unread: int = 0  # items that no reader has answered
    tokens: list[int] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ANSWERS, 0))

    def share(self, answer: str) -> float:
        return self.answers[answer] / max(sum(self.answers.values()), 1)


def measured(every: Iterable[Asked], system: str, moment: str, readers: Sequence[Labels]) -> Help:
    found = Help()
    for asked in every:
        if moment_of(asked) != moment or system not in asked.answers:
            continue
        given = asked.answers[system]
        found.moments += 1
        found.told += bool(given.items)
        found.tokens.append(given.tokens)
        for item in given.items:
            name = name_of(asked, item)
            answers = [reader.answers[name] for reader in readers if name in reader.answers]
            found.items += 1
            found.unread += not answers
            for answer in answers:
                found.answers[answer] += 1
    return found


class Agreement(NamedTuple):
    """On how many questions two readers gave the same answer, and Cohen's kappa."""

    same: int
    both: int
    kappa: float


def agreement(first: Labels, second: Labels) -> Agreement:
    both = first.answers.keys() & second.answers.keys()
    same = sum(first.answers[name] == second.answers[name] for name in both)
    whole = max(len(both), 1)
    by_chance = sum(
        sum(first.answers[name] == answer for name in both) * sum(second.answers[name] == answer for name in both)
        for answer in ANSWERS
    ) / (whole * whole)
    kappa = (same / whole - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0
    return Agreement(same, len(both), kappa)
