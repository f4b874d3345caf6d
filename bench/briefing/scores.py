"""What the answers of one system come to over all prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.briefing.bearing import REASONS
from bench.briefing.replay import Asked
from bench.figures import quantile

_ANY = "any"
_WANTED = (_ANY, *REASONS)


@dataclass(slots=True)
class Share:
    """So many of so many."""

    part: int = 0
    whole: int = 0

    @property
    def rate(self) -> float:
        return self.part / self.whole if self.whole else 0.0

    def add(self, part: int, whole: int) -> None:
        self.part += part
        self.whole += whole

    def __str__(self) -> str:
        return f"{self.part}/{self.whole}"


@dataclass(slots=True)
class Scores:
    """An item counts as given at the prompt it was put into, and as there until the session ends or forgets."""

    hits: dict[str, Share] = field(default_factory=lambda: {reason: Share() for reason in _WANTED})
    helped: dict[str, bool] = field(
        default_factory=dict
    )  # sessions that something bears on: whether any of it was there
    bearing: Share = field(default_factory=Share)
    sessions: Share = field(default_factory=Share)
    memories: Share = field(default_factory=Share)
    silent: int = 0
    tokens: list[int] = field(default_factory=list)
    wasted: list[int] = field(default_factory=list)

    def add(self, asked: Asked, system: str) -> None:
        given, seen = asked.answers[system]
        for reason, share in self.hits.items():
            wanted = {name for name, why in asked.bearing.items() if reason == _ANY or reason in why}
            share.add(bool(wanted & seen), bool(wanted))
        if asked.bearing:
            name = asked.recorded.session.id
            self.helped[name] = self.helped.get(name, False) or not seen.isdisjoint(asked.bearing)
        self.bearing.add(len(seen & asked.bearing.keys()), len(asked.bearing))
        for item in given.items:
            of_its_sort = self.sessions if item.id in asked.sessions else self.memories
            of_its_sort.add(item.id in asked.bearing, 1)
        self.silent += not given.items
        self.tokens.append(given.tokens)
        self.wasted.append(sum(item.tokens for item in given.items if item.id not in asked.bearing))

    @property
    def precision(self) -> float:
        return Share(self.sessions.part + self.memories.part, self.sessions.whole + self.memories.whole).rate

    @property
    def object(self) -> dict[str, object]:
        return {
            "hit_rate": round(self.hits[_ANY].rate, 4),
            "hits": {reason: [share.part, share.whole] for reason, share in self.hits.items()},
            "sessions_helped": [sum(self.helped.values()), len(self.helped)],
            "recall": round(self.bearing.rate, 4),
            "precision": round(self.precision, 4),
            "given_sessions": [self.sessions.part, self.sessions.whole],
            "given_memories": [self.memories.part, self.memories.whole],
            "tokens": {"mean": round(_mean(self.tokens), 2), "p95": quantile(self.tokens, 0.95)},
            "tokens_not_bearing": round(_mean(self.wasted), 2),
            "silent": self.silent,
        }

    @property
    def cells(self) -> str:
        reasons = " | ".join(str(self.hits[reason]) for reason in REASONS)
        helped = Share(sum(self.helped.values()), len(self.helped))
        return (
            f"{self.hits[_ANY].rate:.3f} | {reasons} | {helped} | {self.bearing.rate:.3f} | {self.precision:.3f} "
            f"| {self.sessions} | {self.memories} | {_mean(self.tokens):.1f} | {quantile(self.tokens, 0.95):.0f} "
            f"| {_mean(self.wasted):.1f} | {self.silent} |"
        )


HEAD = (
    "hit rate | by files | by error | by rule | sessions helped | recall | precision | sessions given "
    "| memories given | tokens a prompt | p95 | not bearing | nothing given |"
)


def scores(every: Iterable[Asked], systems: Sequence[str]) -> dict[str, Scores]:
    found = {name: Scores() for name in systems}
    for asked in every:
        for name, score in found.items():
            score.add(asked, name)
    return found


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
