"""The screens of the tour: what is said on each, and the commands that show it."""

from __future__ import annotations

from typing import NamedTuple


class Screen(NamedTuple):
    title: str
    text: str
    commands: tuple[str, ...]


SCREENS = (
    Screen(
        "You say it once",
        "What you add holds at once, for every agent. In a project it belongs to the project.",
        (
            'tacit add "always run the tests with --frozen-lockfile"',
            'tacit add "global: I prefer pnpm"',
        ),
    ),
    Screen(
        "It reads what you and your agents did",
        "Shell histories and agents' transcripts, without secrets and noise, each thing once. From then on it is\n"
        "recorded as it happens.",
        ("tacit import history", "tacit import transcripts", "tacit learn"),
    ),
    Screen(
        "An answer from a session",
        "Ask with any words. Of months of sessions and commands you see the passage that answers.",
        ('tacit recall "which team owns the cart service"', 'tacit recall "why was the checkout test flaky"'),
    ),
    Screen(
        "The inbox",
        "What was learned waits for your decision: something you said to an agent, and a ritual of your shell. In a\n"
        "terminal, tacit review goes through it card by card.",
        ("tacit review",),
    ),
    Screen(
        "A ritual gets a name",
        "What you accept is used: a sequence becomes a workflow that stops where a step fails. Any change can be\n"
        "taken back, and every memory says why it exists.",
        (
            "tacit accept 'runs `git pull`, then `pnpm install`, then `pnpm vitest`, then `git push`'",
            "tacit workflow list",
            'tacit accept "Never touch the cart service: the payments team owns it."',
            'tacit why "cart service"',
        ),
    ),
    Screen(
        "The next agent knows",
        "This is what an agent in this project is told when its next session starts: few lines, your rules first.",
        ('python "$TOUR/next_start.py"', "tacit doctor"),
    ),
)
