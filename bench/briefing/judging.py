"""Whether an earlier session or a memory bears on a prompt, by what came after it, and for which reasons."""

from __future__ import annotations

from collections.abc import Iterable

from bench.briefing.traces import Traces
from tacit.contradiction.profile import is_restatement
from tacit.text.words import normalize_text

FILES, ERROR, RULE = "files", "error", "rule"
REASONS = (FILES, ERROR, RULE)
_EDGES = "\"'`()[]{}<>,;:!?"


def session_bears(earlier: Traces, later: Traces) -> frozenset[str]:
    """The same file, which one of the two changed; the same error; the same rule, said again."""
    files = (earlier.changed & later.touched) | (earlier.touched & later.changed)
    found = {FILES: bool(files), ERROR: bool(earlier.errors & later.errors), RULE: _repeats(earlier.rules, later.rules)}
    return frozenset(reason for reason, is_so in found.items() if is_so)


def memory_bears(sentence: str, errors: frozenset[str], later: Traces) -> frozenset[str]:
    """A file that it names is touched; an error that it was learned from comes up; somebody has to say it again."""
    named = names_one_of(sentence, later.touched)
    found = {FILES: named, ERROR: bool(errors & later.errors), RULE: _repeats((sentence,), later.rules)}
    return frozenset(reason for reason, is_so in found.items() if is_so)


def names_one_of(sentence: str, files: Iterable[str]) -> bool:
    words = {word.strip(_EDGES).rstrip(".") for word in sentence.split()}
    names = tuple(word for word in words if "." in word.strip(".") or "/" in word.strip("/"))
    return any(file == name or file.endswith(f"/{name}") for file in files for name in names)


def _repeats(earlier: Iterable[str], later: Iterable[str]) -> bool:
    return any(
        normalize_text(one) == normalize_text(other) or is_restatement(one, other) for one in earlier for other in later
    )
