"""Fixes of a session: candidates for a judge, and lessons that need none.

Without a judge a fix becomes a lesson only if an earlier session shows the same failure and the same change. Several
failures of one cause are one fix. How likely a pair is a fix is told by a logistic regression over its features, scored
in plain Python: `weights.json` is written by `python -m bench.train_fixes`, which also chooses the threshold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from tacit.learn import FixCandidate, Lesson, SessionEvent, load_data
from tacit.learn.fixes import pairs
from tacit.learn.fixes.pairs import Pair, failure_text, family_of, flags_of, quoted_signs, words_of
from tacit.learn.fixes.render import FixText, edited_files, generalize, lesson_from_pair
from tacit.model.ids import EventId
from tacit.model.observation import ToolOutcome
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
    found = [(pair, features_of(pair)) for pair in pairs.find_pairs(events) if not pairs.is_never_advice(pair)]
    scored = [ScoredFix(pair, ranker.score(features), not _DOUBTFUL.isdisjoint(features)) for pair, features in found]
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


# How likely a pair is a fix worth remembering

_WEAK = 0.4  # similarity below which another command may be another task
_FAR = 2  # calls in between
_MAX_ERROR_WORDS = 80
_TYPO_RATIO = 0.75  # of two words that are spelled alike
_FILE_NAME = re.compile(r"\w\.\w{1,4}$")
_NUMBER = re.compile(r"\d{2,}|[0-9a-f]{7,}")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’_-]{1,23}")
_POSITION = re.compile(r"\w\.[A-Za-z]{1,4}[:(]\d{1,5}[:,)]|^\s{1,12}\d{1,5} [│|]|line \d{1,5}, in ", re.MULTILINE)
_ADVICE = re.compile(
    r"\b(?:use|run|try|pass|add|did you mean|available|instead|to fix|hint|please|must be|should be)\b", re.IGNORECASE
)
_REPAIR = re.compile(
    r"(?:^|[\s:_./-])(?:fmt|format|prettier|gofmt|goimports|rustfmt|black|--fix|--write|fix|install|ci|sync|restore|"
    r"bootstrap|setup|generate|codegen|gen|tidy|vendor|download|migrate|build|compile|start|up|login)(?:[\s:_.-]|$)"
)
_CONFIG_FILE = re.compile(r"\.(?:json|jsonc|toml|ya?ml|ini|cfg|conf|env|lock)$|rc$|config\.\w{1,4}$", re.IGNORECASE)


def features_of(pair: Pair) -> dict[str, float]:
    """Return the features of a pair by name: what changed, how the error relates to it, the words of the error."""
    used, is_same = pair.failure.used, pair.is_same_text
    lines = len(pairs.error_lines(failure_text(pair.failure)))
    is_config = all(_CONFIG_FILE.search(file) for file in pair.edited)
    repair = pair.repair.text if pair.repair and not pair.edited else ""
    conditions = {
        f"act:{used.act}": True,
        f"lines:{'1' if lines < 2 else '2-5' if lines < 6 else '6+'}": True,
        "hidden": used.outcome is not ToolOutcome.FAILED,
        "tool:other": used.tool != pair.retry.used.tool,
        "prompt": pair.prompts > 0,
        "help": pair.asked_help,
        f"position:{'same' if is_same else 'changed'}": _POSITION.search(used.result) is not None,
        "advice": _ADVICE.search(pair.error) is not None,
        "edited:config": bool(pair.edited) and is_config,
        "edited:code": bool(pair.edited) and not is_config,
        # What happened between a command and the same command
        "same": is_same,
        "same:nothing": is_same and not repair and not pair.edited,
        "repaired": is_same and bool(repair),
        "repaired:verb": is_same and _REPAIR.search(repair) is not None,
        **({} if is_same else _change_conditions(pair)),
    }
    features = {"bias": 1.0, "similarity": pair.similarity, "distance": min(pair.distance, pairs.WINDOW) / pairs.WINDOW}
    features |= {name: 1.0 for name, does_hold in conditions.items() if does_hold}
    # Words and pairs of words of the error that the command does not contain
    ours = {word.lower() for word in _WORD.findall(used.input)}
    plain = [word.lower() for word in _WORD.findall(pair.error)][:_MAX_ERROR_WORDS]
    plain = [word for word in plain if word not in ours]
    words = [*plain, *(f"{first}_{second}" for first, second in pairwise(plain))]
    features |= dict.fromkeys((f"error:{word}" for word in words), 1 / max(1, len(words)) ** 0.5)
    return features | {f"family:{word}": 1.0 for word in pair.family.split() if _WORD.fullmatch(word)}


def _change_conditions(pair: Pair) -> dict[str, bool]:
    """How a command differs from the one that failed."""
    before, after = words_of(pair.before), words_of(pair.after)
    dropped, added = set(before) - set(after), set(after) - set(before)
    old, new = flags_of(before), flags_of(after)
    named, lines = pairs.named_in(pair.error), pairs.error_lines(failure_text(pair.failure))
    mentioned = {word.strip("`'\"(),.:;=[]") for line in lines for word in line.replace("=", " ").split()}
    are_commands = pair.failure.is_command and pair.retry.is_command
    is_same_program, is_same_family = before[:1] == after[:1], family_of(pair.before) == family_of(pair.after)
    is_wrapped = after[-len(before) :] == before
    is_weak = pair.similarity < _WEAK and pair.family != family_of(pair.after)
    is_named_dropped = any(_holds(dropped, word) for word in named)
    changed, is_replaced = dropped | added, bool(dropped and added)
    is_one_word = len(dropped) == len(added) == 1 and not flags_of([*changed])
    likeness = SequenceMatcher(None, "".join(dropped), "".join(added)).ratio() if is_one_word else 0.0
    return {
        "changed": not pair.edited,
        "changed:edited": bool(pair.edited),
        "quotes": not dropped and not added,
        "less": bool(dropped) and not added and old == new,
        "question": pairs.asks_something_else(pair.before, pair.after),
        "quoted": quoted_signs(pair.before, pair.after, pair.error) is not None,
        "program:wrapped": are_commands and not is_same_program and is_wrapped,
        "program:other": are_commands and not is_same_program and not is_wrapped,
        "family:same": are_commands and is_same_program and is_same_family,
        "family:other": are_commands and is_same_program and not is_same_family,
        "looks": are_commands and (not pairs.LOOKS.isdisjoint(added) or "--version" in after),
        "option:added": are_commands and bool(new - old),
        "option:dropped": are_commands and bool(old - new),
        "option:same": are_commands and old == new,
        "named:dropped": is_named_dropped,
        "named:kept": not is_named_dropped and any(_holds(set(before), word) for word in named),
        "named:added": not added.isdisjoint(mentioned),
        "weak": is_weak and pair.distance < _FAR,
        "weak:far": is_weak and pair.distance >= _FAR,
        "prefixed": pair.after.endswith(pair.before) and len(added) <= 4,
        # Words that were replaced: by other paths, by other numbers, by one that is spelled alike
        "path": is_replaced and all("/" in word or _FILE_NAME.search(word) for word in changed),
        "number": is_replaced and all(_NUMBER.search(word) for word in changed),
        "typo": is_one_word and likeness >= _TYPO_RATIO,
        "operand": is_one_word and likeness < _TYPO_RATIO,
    }


def _holds(words: set[str], name: str) -> bool:
    return name in words or (len(name) > 3 and any(name in word for word in words))


class Ranker(Record):
    """`candidate` is the score from which a pair is a candidate."""

    weights: Mapping[str, float]
    candidate: float

    def score(self, features: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1. Unknown features count nothing."""
        total = sum(value * self.weights.get(name, 0.0) for name, value in features.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def load_ranker() -> Ranker:
    """Return the ranker that comes with Tacit."""
    data = load_data("fixes/weights.json")
    return Ranker(data["weights"], data["candidate"])
