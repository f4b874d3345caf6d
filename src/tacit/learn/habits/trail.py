"""What learners are shown: the commands of one session in order, and what is worth keeping of those before."""

from __future__ import annotations

from tacit.core.observation import CommandRan
from tacit.learn.habits.families import Part, parts
from tacit.record import Record

PAUSE = 30 * 60 * 1000  # milliseconds after which what was done before is another matter
KEPT = 2  # commands that a sequence of three needs to look back


class Step(Record):
    """One line that was run, with the commands in it."""

    at: int
    ran: CommandRan
    parts: tuple[Part, ...]

    @property
    def meant(self) -> str:
        return self.ran.meant or self.ran.command


class Trail(Record):
    """What a session did last, as far as anybody looks back: the last families, the line that just failed, and the
    directories in which those families ran."""

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()

    def rested(self, now: int) -> Trail:
        """The same, unless so much time went by that nothing follows from it."""
        return self if abs(now - self.at) <= PAUSE else Trail(at=self.at)


def step(at: int, ran: CommandRan) -> Step:
    return Step(at, ran, parts(ran.meant or ran.command))


def followed(trail: Trail, families: tuple[str, ...], one: Step) -> Trail:
    """The trail after one more step, whose new families are given."""
    if all(part.trivial for part in one.parts):  # looking around changes nothing
        return Trail(trail.families, one.at, trail.failed, trail.directories)
    added = (one.ran.directory,) * len(families)
    return Trail(
        (*trail.families, *families)[-KEPT:],
        one.at,
        "" if one.ran.went_well else one.meant,
        (*trail.directories, *added)[-KEPT:],
    )
