"""Long conversations of two people, with questions and the turns that hold the evidence (LoCoMo).

A turn is a message, with the caption of the picture it shows; a session is a session. Questions of category 5 have no
answer and are left out. Who is named in a question is asked for by name, as an agent or oneself is in `tacit recall`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from bench.recalling.corpus import Corpus, Message
from bench.recalling.scores import Both, Scores

_UNANSWERABLE = 5
_TURN = re.compile(r"D\d{1,4}:\d{1,5}")
_MOST = 10


def measure(conversations: Iterable[Mapping[str, Any]]) -> dict[str, Both]:
    """The scores of each conversation."""
    return {one["sample_id"]: _measured(one) for one in conversations}


def _measured(sample: Mapping[str, Any]) -> Both:
    conversation = sample["conversation"]
    names = [conversation["speaker_a"], conversation["speaker_b"]]
    corpus, scores = Corpus(), Both(Scores(), Scores())
    for number, turns in _sessions(conversation):
        messages = [Message(turn["dia_id"], names.index(turn["speaker"]), _text(turn)) for turn in turns]
        corpus.add(f"session {number}", date(2023, 1, 1) + timedelta(days=number), messages)
    for question, evidence in _questions(sample):
        answers = corpus.messages(question, _speaker(question, names), _MOST)
        for one, names_found in zip(scores, answers, strict=True):
            one.add(names_found, evidence, any_will_do=False)
    return scores


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for number in range(1, 1000):
        if f"session_{number}_date_time" not in conversation:
            return
        yield number, conversation.get(f"session_{number}", [])


def _text(turn: Mapping[str, Any]) -> str:
    return f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"


def _questions(sample: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for asked in sample["qa"]:
        evidence = [turn for text in asked["evidence"] for turn in _TURN.findall(text)]
        if asked["category"] != _UNANSWERABLE and evidence:
            yield asked["question"], evidence


def _speaker(question: str, names: list[str]) -> int | None:
    named = [speaker for speaker, name in enumerate(names) if re.search(rf"\b{re.escape(name)}\b", question, re.I)]
    return named[0] if len(named) == 1 else None
