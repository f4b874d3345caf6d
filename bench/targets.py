"""Every figure that has a target: at most sixty, each one that a user would notice. ADR 83 says how to add one.

A bench yields its figures by name. The target of that name is looked up here, so a figure whose name is not in this
table, such as that of another size, promises nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 60


class Target(NamedTuple):
    """`limit` reads as it is printed: `≤ 1.3 ×`. The unit is that of the figure."""

    bench: str
    name: str
    limit: str

    @property
    def value(self) -> float:
        return float(re.sub(r"[^\d.]", "", self.limit))

    def holds(self, value: float) -> bool:
        return value <= self.value if self.limit.startswith("≤") else value >= self.value


TARGETS = (
    # A home that grows for years must not make a command slower.
    Target("verbs", "`tacit add`, 1,000,000 against 1,000 memories", "≤ 1.3 ×"),
    Target("verbs", "`tacit accept`, 1,000,000 against 1,000 memories", "≤ 1.3 ×"),
    Target("verbs", "`tacit list`, 1,000,000 against 1,000 memories", "≤ 1.5 ×"),
    Target("verbs", "`tacit review --json`, 1,000,000 against 1,000 memories", "≤ 1.5 ×"),
    Target("verbs", "`tacit recall`, 1,000,000 against 1,000 memories", "≤ 1.5 ×"),
    Target("verbs", "hook UserPromptSubmit, 1,000,000 against 10,000 memories", "≤ 1.2 ×"),
    # The two commands that are typed most.
    Target("startup", "CPU of `tacit recall` as a process, 10,000 memories, against bare `python -I -c pass`", "≤ 6 ×"),
    Target("startup", "CPU of `tacit add` as a process, 100 memories, against bare `python -I -c pass`", "≤ 9 ×"),
    # A program that adds memories in a loop, and somebody whose index has to be made again.
    Target("rebuild", "CPU of a rebuild of the index from 100,000 events", "≤ 60 s"),
    Target("rebuild", "catch-up of the index after one event, 100,000 memories against 1,000", "≤ 1.5 ×"),
    Target("rebuild", "CPU of `vault.add` and what follows it, 1,000 memories", "≤ 15 ms"),
    Target("rebuild", "CPU of `vault.add` and what follows it, 100,000 memories", "≤ 15 ms"),
    # Commands that read everything; a person waits for them.
    Target("maintenance", "`tacit doctor --log`, log of 63 MB", "≥ 50 MB per CPU s"),
    Target("maintenance", "`tacit doctor --quick`", "≤ 1 s"),
    Target("maintenance", "memory of these commands", "≤ 200 MB"),
    # The second machine of a person: what it takes when it comes, and when something is purged on the first.
    Target("machines", "100,000: joining, CPU against a rebuild", "≤ 1.2 ×"),
    Target("machines", "100,000: memory of joining", "≤ 150 MB"),
    Target(
        "machines", "100,000: purging one memory, the machine that it costs most, CPU against a rebuild", "≤ 0.25 ×"
    ),
    # A secret that is kept, a word that is lost, a paste that hangs.
    Target("redaction", "samples found in a sentence", "≥ 97 %"),
    Target("redaction", "false alarms, generated lines", "≤ 0.1 %"),
    Target("redaction", "generated text, as `tacit redact`", "≥ 5 MB per CPU s"),
    Target("redaction", "slowest hostile line of 64 KiB", "≤ 250 ms"),
    # The first minute with Tacit.
    Target("history", "memory of an import of 100,000 lines", "≤ 200 MB"),
    Target("history", "import of 100,000 zsh lines with learning", "≤ 15 s"),
    Target("learning", "learning from one command after 1,000,000, against after 1,000", "≤ 1.5 ×"),
    Target("learning", "learning from 100,000 commands at once", "≤ 10 s"),
    # Every prompt of a shell.
    Target("prompt", "bash: added from Enter to the next prompt, p50", "≤ 5 ms"),
    Target("prompt", "zsh: added from Enter to the next prompt, p50", "≤ 5 ms"),
    Target("prompt", "fish: added from Enter to the next prompt, p50", "≤ 5 ms"),
    Target("prompt", "processes of ours 10 s after the last command, all shells", "≤ 0"),
    # Every session, prompt and tool call of an agent.
    Target("hooks", "PostToolUse: CPU against bare `python -I -c pass`", "≤ 3 ×"),
    Target("hooks", "SessionStart: CPU against bare `python -I -c pass`", "≤ 4 ×"),
    Target("hooks", "UserPromptSubmit: CPU against bare `python -I -c pass`", "≤ 4.5 ×"),
    Target("hooks", "SessionStart: time on loaded cores, p99", "≤ 300 ms"),
    Target("hooks", "UserPromptSubmit: time on loaded cores, p99", "≤ 300 ms"),
    Target("hooks", "Sessions that start at once: without their standing rules", "≤ 0"),
    Target("guard", "False stops", "≤ 0"),
    Target("guard", "Planted violations not found", "≤ 0"),
    Target("guard", "The same on loaded cores, p99", "≤ 80 ms"),
    Target("web", "web: CPU of the first page, 100,000 memories and 1,000 sessions", "≤ 150 ms"),
    Target("web", "web: CPU of the slowest other page", "≤ 150 ms"),
    Target("web", "web: CPU of a keystroke in the search, p50", "≤ 60 ms"),
    Target("audit", "audit: names that are gone and not reported", "≤ 0"),
    Target("audit", "audit: names that are reported and not gone", "≤ 0"),
    Target("capture", "transcripts into the log", "≥ 25 MB per CPU s"),
    Target("capture", "catch-up of the index after 32 MB of transcripts", "≤ 1 s"),
    # What is found, told and learned.
    Target("locomo", "LoCoMo: evidence, recall@5", "≥ 0.66"),
    Target("locomo", "LoCoMo: evidence, recall@10", "≥ 0.76"),
    Target("locomo", "LoCoMo: gain by meaning, questions nothing was chosen on, recall@10", "≥ 0.02"),
    Target("commits", "session of a commit, recall@5", "≥ 0.72"),
    # These prompts were read while the forms were written: they show what breaks, not how right it is elsewhere.
    Target("prompts", "learning from prompts: precision", "≥ 0.75"),
    Target("prompts", "learning from prompts: recall", "≥ 0.2"),
    Target("prompts", "false suggestions per 100 prompts drawn at random", "≤ 1"),
    Target("fixes", "fixes: recall of candidates", "≥ 0.75"),
    Target("fixes", "fixes: precision without a judge", "≥ 0.8"),
    # A home and a team's history of a million.
    Target("million", "1,000,000: `vault.recall`, p99 of 480", "≤ 20 ms"),
    Target("million", "1,000,000: index against log on disk", "≤ 2 ×"),
    Target("million", "1,000,000: events a second of CPU in a rebuild", "≥ 3,000"),
    Target("team", "pull with nothing new, 1,000,000 against 10,000 events", "≤ 1.5 ×"),
    Target("team", "pull after a week, 1,000,000 against 10,000 events", "≤ 1.5 ×"),
)
_BY_NAME = {target.name: target for target in TARGETS}


def target_of(name: str) -> Target | None:
    return _BY_NAME.get(name)
