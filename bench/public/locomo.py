"""Long conversations of two people, with questions and the turns that hold the evidence (LoCoMo).

A turn is a message, without the caption of a picture that it shows: the protocols of others leave it out. Who is named
in a question is asked for by name, as an agent or oneself is in `tacit recall`. Questions of category 5 are about the
wrong speaker and have no answer; the turns that they are made from count as their evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench.public.haystack import Haystack, Message, Question, Session

ALL, ANSWERABLE = "all questions", "all but adversarial"
HELD_OUT, SEEN = "held-out half", "seen half"
# Rankings were chosen with three of these in view and checked on the other two; the rest was never looked at.
_SEEN = ("conv-26", "conv-41", "conv-43", "conv-47", "conv-49")
ADVERSARIAL = "adversarial"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_TURN = re.compile(r"D(\d{1,4}):(\d{1,5})")


def read(path: Path) -> list[Haystack]:
    return [_haystack(sample) for sample in json.loads(path.read_bytes())]


def _haystack(sample: Mapping[str, Any]) -> Haystack:
    conversation = sample["conversation"]
    names = [conversation["speaker_a"], conversation["speaker_b"]]
    sessions = [
        Session(
            f"session {number}",
            date(2023, 1, 1) + timedelta(days=number),
            [
                Message(turn["dia_id"], names.index(turn["speaker"]), f"{turn['speaker']}: {turn['text']}")
                for turn in turns
            ],
        )
        for number, turns in _sessions(conversation)
    ]
    half = SEEN if sample["sample_id"] in _SEEN else HELD_OUT
    return Haystack(sessions, list(_questions(sample, names, half)))


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for number in range(1, 1000):
        if f"session_{number}_date_time" not in conversation:
            return
        yield number, conversation.get(f"session_{number}", [])


def _questions(sample: Mapping[str, Any], names: list[str], half: str) -> Iterator[Question]:
    for asked in sample["qa"]:
        evidence = [(int(number), int(turn)) for text in asked["evidence"] for number, turn in _TURN.findall(text)]
        category = CATEGORIES[asked["category"]]
        answerable = () if category == ADVERSARIAL else (ANSWERABLE, f"{ANSWERABLE}, {half}")
        if evidence:
            yield Question(
                asked["question"],
                (ALL, half, *answerable, category),
                frozenset(f"session {number}" for number, _ in evidence),
                frozenset(f"D{number}:{turn}" for number, turn in evidence),
                _speaker(asked["question"], names),
            )


def _speaker(question: str, names: list[str]) -> int | None:
    named = [speaker for speaker, name in enumerate(names) if re.search(rf"\b{re.escape(name)}\b", question, re.I)]
    return named[0] if len(named) == 1 else None
