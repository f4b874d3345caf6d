"""What the model does, decided before a run: for each prompt of the person, its answers one after the other.

The script is a file, because the stub is another process. It is read at every request, and may change between turns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.clients import fence
from tests.clients.apis.shape import Asked, Step

ASIDE = Step("A title.")  # for requests that allow no tools, such as those for the title of a session
SUMMARY = "They worked on a few small things."
_LOST = Step("I do not know what was asked.")


class Rule(NamedTuple):
    """When `said` is the newest of all known prompts, the model makes these steps; the last one again and again.

    Of two that stand in one entry the rule that comes first wins.
    """

    said: str
    steps: tuple[Step, ...]


def write(path: Path, rules: Sequence[Rule]) -> None:
    told = json.dumps([[rule.said, *rule.steps] for rule in rules])
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(told, encoding="utf-8")
    fresh.replace(path)


def read(path: Path) -> list[Rule]:
    rules = json.loads(path.read_text(encoding="utf-8"))
    return [Rule(said, tuple(Step(*step) for step in steps)) for said, *steps in rules]


def choose(rules: Sequence[Rule], asked: Asked) -> Step:
    """The step for where the conversation stands: each tool that returned since the prompt is a step already made."""
    made = 0
    for entry in reversed(asked.entries):
        made += entry.returned
        said = "" if entry.returned else fence.without(entry.text)
        for rule in rules:
            if rule.said in said:
                return _allowed(rule.steps[min(made, len(rule.steps) - 1)], asked)
    return _LOST if asked.tools else ASIDE


def _allowed(step: Step, asked: Asked) -> Step:
    return ASIDE if step.tool and not asked.tools else step
