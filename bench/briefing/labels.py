"""Whether what was told helped, as readers judge it: questions that do not name the policy, and the answers to them.

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

ANSWERS = ("helpful", "harmless", "noise")
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


class LabelsError(Exception):
    """A file of answers that cannot be used. The text says what to do."""


class Labels(NamedTuple):
    """The answers of one reader, by question. `reader` is the name of the file."""

    reader: str
    answers: Mapping[str, str]


def read_labels(path: Path) -> Labels:
    """Return the answers in a file of lines like `{"question": "…", "answer": "helpful"}`.

    Raises `LabelsError` where the file cannot be read, or where a line is no answer or contradicts an earlier one.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as why:
        reason = why.strerror if isinstance(why, OSError) else "it is not UTF-8"
        advice = "write the questions with --questions FILE, have them answered, and name the file of the answers"
        raise LabelsError(f"{path} cannot be read: {reason}; {advice}") from why
    answers: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        question, answer = _answer(line, f"{path}, line {number}")
        if answers.setdefault(question, answer) != answer:
            raise LabelsError(f"{path}, line {number}: {question} has another answer before; name a file per reader")
    return Labels(path.name, answers)


def _answer(line: str, where: str) -> tuple[str, str]:
    try:
        read = json.loads(line)
        question, answer = str(read["question"]), str(read["answer"])
    except (ValueError, KeyError, TypeError) as why:
        form = '{"question": "…", "answer": "helpful"}'
        raise LabelsError(f"{where} is no answer; write {form}, with the name of the question") from why
    if answer not in ANSWERS:
        raise LabelsError(f"{where}: {answer!r} is no answer; write {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}")
    return question, answer


def check_labels(readers: Iterable[Labels], every: Iterable[Asked]) -> None:
    """Raise `LabelsError` where none of a reader's answers is about what was told here."""
    names = {name_of(asked, item) for asked in every for item in asked.items.values()}
    for reader in readers:
        if names.isdisjoint(reader.answers):
            raise LabelsError(
                f"{reader.reader} answers none of what is told in these transcripts; write its questions with"
                " --questions FILE, for the same paths and options, and have them answered"
            )


@dataclass(slots=True)
class Help:
    """What one policy told, and how often that was helpful, harmless or noise, over the answers of all readers."""

    moments: int = 0
    told: int = 0  # moments at which anything was told
    items: int = 0
    unread: int = 0  # items that no reader has answered
    tokens: list[int] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ANSWERS, 0))

    @property
    def shares(self) -> dict[str, float]:
        """The share of each answer; empty where there is none."""
        whole = sum(self.answers.values())
        return {answer: number / whole for answer, number in self.answers.items()} if whole else {}

    @property
    def mean_tokens(self) -> float:
        return sum(self.tokens) / len(self.tokens) if self.tokens else 0.0


def measured(every: Iterable[Asked], policy: str, moment: str, readers: Sequence[Labels]) -> Help:
    """What a policy told at the prompts or at the first edits, and what the readers answered about it."""
    found = Help()
    for asked in every:
        if moment_of(asked) != moment or policy not in asked.answers:
            continue
        given = asked.answers[policy]
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
    """On how many of the questions that both answered two readers gave the same answer, and Cohen's kappa."""

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
