"""Models that fail in every way, asked over and over: few questions, nothing that grows, and learning goes on."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.outcome import Outcome
from tests.support.model_desk import Desk
from tests.support.model_talk import findings

MODELS = ("garbage", "flood", "echo", "failing", "hang")
_MOST = 3  # questions before none is asked for an hour


def misbehaving(folder: Path, times: int) -> Outcome:
    """Each model is asked so often within the hour."""
    faults, asked = list[str](), 0
    for name in MODELS:
        place = folder / name
        place.mkdir(parents=True)
        desk = Desk(place)
        before: dict[str, bytes] | None = None
        for number in range(times):
            _, checked = desk.ask(f"stub-{name}", TACIT_MODEL_TIMEOUT="2")
            faults += [f"{name}: learnt {findings(checked)}"] * bool(findings(checked))
            before = desk.kept() if number == _MOST - 1 else before
        asked += len(desk.calls)
        faults += [f"{name}: asked {len(desk.calls)} times"] * (len(desk.calls) > _MOST)
        faults += [f"{name}: the home grew while nobody was asked"] * (before is not None and desk.kept() != before)
    return Outcome(times * len(MODELS), asked, 0, tuple(faults), f"{asked} questions asked")
