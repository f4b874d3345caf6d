"""What the model does, decided before a run: for each prompt of the person, its answers one after the other.

The script is a file, because the stub is another process. It is read at every request, and may change between turns.
What Tacit put into a request, between its fences, is not what the person said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple

from tests.clients.apis import Asked, Body, Step, texts

ASIDE = Step("A title.")  # for requests that allow no tools, such as those for the title of a session
SUMMARY = "They worked on a few small things."
_LOST = Step("I do not know what was asked.")
_FENCED = re.compile(r"<tacit-(\w+) (\S+)>(.*?)</tacit-\1 \2>", re.DOTALL)
FENCE = re.compile(r"(?:<|&lt;)tacit-\w+ ")  # Gemini CLI escapes it as HTML


def fenced(body: Body, name: str) -> list[str]:
    """The text of every fence of this name in a request, in its order: memory, sessions, checkpoint."""
    found = (one for text in texts(body) for one in _FENCED.findall(unescape(text)))
    return [text for given, _, text in found if given == name]


def without_fences(text: str) -> str:
    return _FENCED.sub("", unescape(text))


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
        said = "" if entry.returned else without_fences(entry.text)
        for rule in rules:
            if rule.said in said:
                step = rule.steps[min(made, len(rule.steps) - 1)]
                return ASIDE if step.tool and not asked.tools else step
    return _LOST if asked.tools else ASIDE
