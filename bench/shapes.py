"""What the benches print with `--json`, made into figures. Most print figures, one a line; some an object of their own.

The objects of `bench/recall.py` and `bench/extraction.py` have keys that others read, so they stay as they are and are
given names and targets here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bench import extraction, recall
from bench.extracting import fixes as fixes_bench
from bench.figures import Figure, amount, at_least, at_most, decoded

_PARTS = {"held_out": "questions nothing was chosen on", "on_its_day": "asked on its day", "meaning": "with meaning"}


def figures(lines: Iterable[str]) -> Iterator[Figure]:
    """One figure a line."""
    yield from map(decoded, filter(str.strip, lines))


def talks(lines: Iterable[str]) -> Iterator[Figure]:
    """LoCoMo: which of the turns that hold the evidence are among the first."""
    targets = {f"recall@{most}": target for most, target in recall.TARGETS["LoCoMo"].items()}
    yield from _found("LoCoMo: evidence", _object(lines), targets)


def commits(lines: Iterable[str]) -> Iterator[Figure]:
    """Sessions, asked for with the subject of a commit that was made in them."""
    targets = {f"recall@{most}": target for most, target in recall.TARGETS["commits"].items()}
    yield from _found("session of a commit", _object(lines), {**targets, "mrr": recall.LEAST_MRR})


def meant(lines: Iterable[str]) -> Iterator[Figure]:
    """What meaning adds to words, on the same questions."""
    told = _object(lines)
    parts = (("", told, told["meaning"]), (f", {_PARTS['held_out']}", told["held_out"], told["meaning"]["held_out"]))
    for part, words, both in parts:
        for key in ("recall@5", "recall@10"):
            gain, note = both[key] - words[key], f"{words[key]:.3f} by words alone"
            yield at_least(f"LoCoMo: gain by meaning{part}, {key}", gain, recall.LEAST_GAIN, note)


def _found(what: str, told: dict[str, Any], targets: dict[str, float]) -> Iterator[Figure]:
    """Targets are for all questions; the parts stand beside them."""
    for key in ("recall@5", "recall@10", "mrr"):
        yield at_least(f"{what}, {_named(key)}", told[key], targets.get(key), f"{told['questions']} questions")
    for part, scores in told.items():
        if isinstance(scores, dict) and "recall@5" in scores:
            for key in ("recall@5", "recall@10", "mrr"):
                yield at_least(f"{what}, {_PARTS.get(part, part)}, {_named(key)}", scores[key])


def _named(key: str) -> str:
    return "MRR" if key == "mrr" else key


def prompts(lines: Iterable[str]) -> Iterator[Figure]:
    """What is learned from labelled prompts without a judge, and what of them a judge would read."""
    told = _object(lines)
    suggested = f"{told['suggestions']} suggestions in {told['prompts']} prompts"
    yield at_least("learning from prompts: precision", told["precision"], extraction.LEAST_PRECISION, suggested)
    note = f"{told['memories']} memories"
    yield at_least("learning from prompts: recall", told["recall"], extraction.LEAST_RECALL, note)
    yield at_least("learning from prompts: kind right", told["kind_accuracy"], extraction.LEAST_KINDS)
    if chance := told["samples"].get("random"):
        wrong, most = chance["false_per_100"], extraction.MOST_FALSE
        name = "false suggestions per 100 prompts drawn at random"
        yield Figure(name, f"{wrong:g} (of {chance['prompts']} prompts)", f"≤ {most:g}", wrong <= most)
    passed, most = told["candidates"], extraction.MOST_CANDIDATES
    yield at_least("sentences for a judge: recall", passed["recall"], extraction.LEAST_CANDIDATE_RECALL, note)
    share, sentences = passed["share"], passed["sentences"]
    yield Figure("sentences for a judge: share", f"{share:g} (of {sentences})", f"≤ {most:g}", share <= most)


def fixes(lines: Iterable[str]) -> Iterator[Figure]:
    """What mended a failure, against labels of people."""
    told = _object(lines)
    note = f"{told['reported']} suggested of {told['failures']} failures"
    facts = f"{told['durable']} facts, {told['candidates']} candidates"
    yield at_least("fixes: recall of candidates", told["candidate_recall"], fixes_bench.MIN_RECALL, facts)
    yield at_least("fixes: precision without a judge", told["precision"], fixes_bench.MIN_PRECISION, note)


def brief(lines: Iterable[str]) -> Iterator[Figure]:
    """What is put into prompts, by each system that was asked at the very same ones."""
    told = _object(lines)
    note = f"something bears on {told['with_bearing_items']} of {told['prompts']} prompts"
    for system, scores in told["systems"].items():
        for key in ("hit_rate", "recall", "precision"):
            yield at_least(
                f"brief, {system}: {key.replace('_', ' ')}", scores[key], note=note if key == "hit_rate" else ""
            )
        tokens, astray = scores["tokens"]["mean"], scores["tokens_not_bearing"]
        name, measured = f"brief, {system}: tokens a prompt", f"{tokens:.3g} tokens"
        yield Figure(name, f"{measured} ({astray:.3g} of what does not bear on it)")
    ours, plain = (told["systems"][name] for name in ("Tacit", "plain search"))
    for key in ("hit_rate", "recall", "precision"):
        what = f"brief, against plain search: {key.replace('_', ' ')}"
        yield Figure(what, f"{amount(ours[key] / plain[key])} ×", "≥ 1 ×", ours[key] >= plain[key])
    tokens = ours["tokens"]["mean"] / plain["tokens"]["mean"]
    yield at_most("brief, against plain search: tokens a prompt", tokens, 1, " ×")


def _object(lines: Iterable[str]) -> dict[str, Any]:
    """The one object that was printed, on one line or on several."""
    told: dict[str, Any] = json.loads("\n".join(lines))
    return told
