"""Fixes of a session: candidates for a judge, and lessons that need none.

Without a judge a fix becomes a lesson only if an earlier session shows the same failure and the same change. Several
failures of one cause are one fix.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tacit.learn import FixCandidate, Lesson, SessionEvent
from tacit.learn.fixes.pairs import Pair, find_pairs, flags_of, is_never_advice, quoted_signs, words_of
from tacit.learn.fixes.ranker import Ranker, features_of, load_ranker
from tacit.learn.fixes.render import FixText, edited_files, generalize, lesson_from_pair
from tacit.model.ids import EventId
from tacit.record import Record

_VARYING = re.compile(r"\d+|[`'\"‘“][^`'\"’”]{0,80}[`'\"’”]|\S*/\S*")

# With one of these features a pair needs a judge however often it is seen: an error of the code itself, the same with
# less to do, a command that only looks.
_DOUBTFUL = frozenset(("position:changed", "less", "looks"))


class ScoredFix(Record):
    """A pair, its score, and the other failures that were mended in the same way."""

    pair: Pair
    score: float
    is_doubtful: bool = False
    also: tuple[EventId, ...] = ()

    @property
    def evidence(self) -> tuple[EventId, ...]:
        repair = (self.pair.repair.event_id,) if self.pair.is_same_text and self.pair.repair else ()
        return (self.pair.failure.event_id, *self.also, *repair, self.pair.retry.event_id)


def find_fixes(events: Sequence[SessionEvent], ranker: Ranker | None = None) -> list[ScoredFix]:
    """Return the fixes of a session that reach the candidate threshold, best first, each once."""
    ranker = ranker or load_ranker()
    pairs = [(pair, features_of(pair)) for pair in find_pairs(events) if not is_never_advice(pair)]
    scored = [ScoredFix(pair, ranker.score(features), not _DOUBTFUL.isdisjoint(features)) for pair, features in pairs]
    fixes: dict[str, ScoredFix] = {}
    for fix in sorted(scored, key=lambda fix: -fix.score):
        key = fix_key(fix.pair)
        if (best := fixes.get(key)) is not None:
            fixes[key] = best._replace(also=(*best.also, fix.pair.failure.event_id))
        elif fix.score >= ranker.candidate:
            fixes[key] = fix
    return list(fixes.values())


def fix_candidates(events: Sequence[SessionEvent], ranker: Ranker | None = None) -> list[FixCandidate]:
    """Return the fixes of a session that a judge should be asked about, best first."""
    candidates = []
    for fix in find_fixes(events, ranker):
        pair, failure, repair = fix.pair, fix.pair.failure, ""
        if pair.is_same_text and pair.edited:
            repair = f"edit {', '.join(edited_files(pair))}"
        elif pair.is_same_text and pair.repair:
            repair = pair.repair.text
        texts = (failure.used.input, pair.error, pair.retry.used.input)
        tool = "" if failure.is_command else failure.used.tool
        candidates.append(FixCandidate(*texts, fix.evidence, round(fix.score, 3), repair, tool))
    return candidates


def confirmed_fixes(fixes: Sequence[ScoredFix], earlier: Collection[str]) -> list[Lesson]:
    """Return the lessons of fixes that earlier sessions confirm, by their keys. They need no judge."""
    lessons: dict[str, Lesson] = {}
    for fix in fixes:
        is_confirmed = fix_key(fix.pair) in earlier and not fix.is_doubtful
        if is_confirmed and (lesson := lesson_from_pair(fix.pair, fix.evidence, fix.score)):
            lessons.setdefault(lesson.sentence, lesson)
    return list(lessons.values())


def fix_keys(fixes: Sequence[ScoredFix]) -> frozenset[str]:
    return frozenset(fix_key(fix.pair) for fix in fixes)


def fix_key(pair: Pair) -> str:
    """Return what two occurrences of a fix have in common: what failed, how, and what was changed.

    Names, numbers and paths in the error do not count, nor do operands if options, the program or quotes changed.
    """
    if signs := quoted_signs(pair.before, pair.after, pair.error):
        return f"quote {signs.signs}"
    texts = generalize(FixText(pair.before, pair.after, pair.error), pair.failure.used.directory)
    error = " ".join(_VARYING.sub("…", texts.error.lower()).split())
    if pair.is_same_text:
        change = f"after {pair.repair.text if pair.repair else ' '.join(edited_files(pair))}"
    else:
        before, after = words_of(texts.before), words_of(texts.after)
        old, new = flags_of(before), flags_of(after)
        changes = [f"-{flag}" for flag in sorted(old - new)] + [f"+{flag}" for flag in sorted(new - old)]
        changes += after[:1] if before[:1] != after[:1] else ()
        change = " ".join(changes) or texts.after
    return "\n".join((pair.family, error, change))
