"""Whether what an agent was told was followed: the result of a check, counts of results, and what follows from them.

Only memories about commands, their order and files can be checked (`learn/adherence/`). The result of every other
memory is unknown, and unknown is never counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from tacit.model.claim import Kind
from tacit.record import Record

MIN_VIOLATIONS = 2  # sessions that violated a memory before the person is asked about it
MAX_RANK_CHANGE = 0.15
_PRIOR_CHECKS = 4  # sessions without effect on the rank: a single session moves it little


class Adherence(StrEnum):
    """What the tool calls of one session show about a memory that the agent was told before them."""

    UNKNOWN = ""
    FOLLOWED = "followed"
    VIOLATED = "violated"
    NOT_APPLICABLE = "not_applicable"  # the session did nothing that the memory is about


class AdherenceCounts(Record):
    """In how many sessions a memory was told, followed, violated, not applicable, and corrected by the person."""

    injected: int = 0
    followed: int = 0
    violated: int = 0
    not_applicable: int = 0
    corrected: int = 0

    @property
    def checked(self) -> int:
        return self.followed + self.violated + self.not_applicable

    @property
    def unknown(self) -> int:
        """The sessions without a result. A session that was purged or not captured has none."""
        return max(self.injected - self.checked, 0)


def combined(results: Iterable[Adherence]) -> Adherence:
    """Return the result of several expectations together: one violation is a violation."""
    present = set(results)
    order = (Adherence.VIOLATED, Adherence.FOLLOWED, Adherence.NOT_APPLICABLE)
    return next((result for result in order if result in present), Adherence.UNKNOWN)


def rank_factor(counts: AdherenceCounts, kind: Kind) -> float:
    """Return what the relevance of a memory is multiplied with: 1 without checks, at most MAX_RANK_CHANGE away from it.

    A memory rises if it was followed, and falls if it did not apply or was corrected. Violations change nothing: the
    memory applied, and telling it was not enough. Constraints never fall.
    """
    gain = counts.followed - counts.not_applicable - counts.corrected
    if kind is Kind.CONSTRAINT:
        gain = max(gain, 0)
    return 1 + MAX_RANK_CHANGE * gain / (counts.checked + counts.corrected + _PRIOR_CHECKS)
