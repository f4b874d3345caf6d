"""The learners of the shell together: what one more command of a session shows, and the trail after it.

    fold(trail, step) -> (trail, what was seen)

Sessions are independent of one another, and a session is folded command by command, so it does not matter in how many
pieces a history comes.
"""

from __future__ import annotations

from tacit.learn.habits import commands, directories, substitutions, workflows
from tacit.learn.habits.habit import Seen
from tacit.learn.habits.trail import Step, Trail, followed

_LEARNERS = (directories.seen, commands.seen, workflows.seen, substitutions.seen)


def fold(trail: Trail, step: Step) -> tuple[Trail, tuple[Seen, ...]]:
    before = trail.rested(step.at)
    found = tuple(seen for learner in _LEARNERS for seen in learner(before, step))
    return followed(before, workflows.families(before, step), step), found
