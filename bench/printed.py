"""What the benches print with `--json`, made into figures. Most print figures, one a line; some an object of their own.

The objects of `bench/extraction.py` and `bench/brief.py` have keys that others read, so they stay as they are and their
numbers are named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bench.figures import Figure, against_target, decoded


def figures(lines: Iterable[str]) -> Iterator[Figure]:
    """One figure a line."""
    yield from map(decoded, filter(str.strip, lines))


def prompts(lines: Iterable[str]) -> Iterator[Figure]:
    """What is learned from labelled prompts without a judge, and what of them a judge would read."""
    printed = _object(lines)
    suggested, memories = f"{printed['suggestions']} suggestions in {printed['prompts']} prompts", printed["memories"]
    yield against_target("learning from prompts: precision", printed["precision"], note=suggested)
    yield against_target("learning from prompts: recall", printed["recall"], note=f"{memories} memories")
    yield against_target("learning from prompts: kind right", printed["kind_accuracy"])
    if random := printed["samples"].get("random"):
        name = "false suggestions per 100 prompts drawn at random"
        yield against_target(name, random["false_per_100"], note=f"of {random['prompts']} prompts")
    passed = printed["candidates"]
    yield against_target("sentences for a judge: recall", passed["recall"], note=f"{memories} memories")
    yield against_target("sentences for a judge: share", passed["share"], note=f"of {passed['sentences']}")


def fixes(lines: Iterable[str]) -> Iterator[Figure]:
    """What mended a failure, against labels of people."""
    printed = _object(lines)
    facts = f"{printed['durable']} facts, {printed['candidates']} candidates"
    yield against_target("fixes: recall of candidates", printed["candidate_recall"], note=facts)
    note = f"{printed['reported']} suggested of {printed['failures']} failures"
    yield against_target("fixes: precision without a judge", printed["precision"], note=note)


def brief(lines: Iterable[str]) -> Iterator[Figure]:
    """What each policy tells at the very same prompts, and Tacit at first edits. Whether it helps, readers judge."""
    for row in _object(lines)["rows"]:
        name, moment = f"brief, {row['policy']}", "prompt" if row["moment"] == "prompt" else "first edit"
        note = f"at {row['told']} of {row['moments']} {moment}s"
        yield against_target(f"{name}: things told at {moment}s", row["items"], note=note)
        yield against_target(f"{name}: tokens per {moment}", row["tokens"], "tokens")


def _object(lines: Iterable[str]) -> dict[str, Any]:
    """The one object that was printed, on one line or on several."""
    printed: dict[str, Any] = json.loads("\n".join(lines))
    return printed
