"""Whether a sentence states something for good: the forms of explicit statements, and a linear model of its words and
its shape.

Forms are wordings with which people say that something holds from now on. Only those are here that were right on
prompts of people they were not written for. The rows are in `forms.toml`, each with an example. A question, a condition
or a fence around the task at hand makes none of them a statement.

The weights in `weights.json` come from `python -m bench.train_statements`, which describes the data. The score decides
twice: a sentence of an explicit form needs `MIN_STATEMENT_SCORE` to become a suggestion, and any sentence needs
`MIN_CANDIDATE_SCORE` to be read by a judge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from tacit.learn import SessionEvent, load_data
from tacit.learn.statements.sentences import READ_PROMPTS, PromptSentence, prompt_sentences
from tacit.model.claim import Kind
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven
from tacit.record import Record

# Forms


class StatementForm(Record):
    """A class of wordings. `kind` is the kind of what is said with it."""

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    example: str


@cache
def statement_forms(flags: re.RegexFlag = re.NOFLAG) -> tuple[StatementForm, ...]:
    """Return the rows of `forms.toml`. Their patterns are for sentences in lower case."""
    return tuple(
        StatementForm(row["name"], Kind.from_label(row["kind"]), re.compile(row["pattern"], flags), row["example"])
        for row in load_data("statements/forms.toml")["form"]
    )


@cache
def exclusions(flags: re.RegexFlag = re.NOFLAG) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that make a sentence none of the forms."""
    return tuple(re.compile(row["pattern"], flags) for row in load_data("statements/forms.toml")["exclusion"])


def find_form(sentence: PromptSentence) -> StatementForm | None:
    """Return the first form that a sentence has, None if it has none or is excluded."""
    # Sentences are in lower case. Only other letters than those of ASCII may still be the same without case ("ſ").
    flags, plain = re.NOFLAG if sentence.plain.isascii() else re.IGNORECASE, sentence.plain
    places = (place for place, form in enumerate(statement_forms(flags)) if form.pattern.search(plain))
    place = next(places, None)
    if place is None or any(pattern.search(plain) for pattern in exclusions(flags)):
        return None
    return statement_forms()[place]


# Scores

MIN_STATEMENT_SCORE = -0.5
MIN_CANDIDATE_SCORE = -2.05
_WORD = re.compile(r"[^\W\d_][\w'-]*|[?!:]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LENGTHS = (3, 5, 8, 12, 20, 35)  # a sentence has the feature of each that it is shorter than
_SHAPES = {
    "code": re.compile(r"`"),
    "path": re.compile(r"[\w~.]/[\w.]"),
    "url": re.compile(r"https?:"),
    "digit": re.compile(r"\d"),
    "capitals": re.compile(r"\b[A-Z]{4,}\b"),
    "identifier": re.compile(r"[a-z][A-Z]|_[a-z]"),
    "name": re.compile(r"(?<=[a-z,] )[A-Z][a-z]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "ideographs": _IDEOGRAPH,
    "question": re.compile(r"[?？]\s*$"),
    "colon": re.compile(r":\s*$"),
}


def sentence_features(sentence: PromptSentence, prompt_chars: int) -> set[str]:
    """Return the features of a sentence, given the length of its prompt. Words are marked with `=`, forms with `~`."""
    ideographs = _IDEOGRAPH.findall(sentence.plain)
    words = _WORD.findall(sentence.plain)
    if ideographs:
        words += [*ideographs, *(first + second for first, second in pairwise(ideographs))]
    features = {f"={word}" for word in words}
    if words:
        features.add(f"^{words[0]}")
    length = len(sentence.plain.split()) + len(ideographs) // 2
    features.update(f"shorter than {limit}" for limit in _LENGTHS if length < limit)
    features.update(name for name, pattern in _SHAPES.items() if pattern.search(sentence.text))
    places = {
        "typed": sentence.is_typed,
        "alone": sentence.total == 1,
        "first": sentence.number == 0,
        "last": sentence.number == sentence.total - 1,
        "of few": sentence.total <= 3,
        "of many": sentence.total > 8,
        "of very many": sentence.total > 20,
    }
    features.update(name for name, does_hold in places.items() if does_hold)
    features.add(f"prompt of 2^{min(prompt_chars.bit_length(), 13)}")
    if form := find_form(sentence):
        features |= {"~", f"~{form.name}"}
    return features


def score_sentence(sentence: PromptSentence, prompt_chars: int, weights: Mapping[str, float] | None = None) -> float:
    """Return the log odds that a sentence is meant to last."""
    table = _weights() if weights is None else weights
    return table.get("", 0.0) + sum(table.get(name, 0.0) for name in sentence_features(sentence, prompt_chars))


@cache
def _weights() -> dict[str, float]:
    """Return the weight of each feature; that of "" is added to every score."""
    return {name: float(weight) for name, weight in load_data("statements/weights.json").items()}


# Candidates for a judge: the half of the sentences in which nearly all statements are


class SentenceCandidate(Record):
    """A sentence of a prompt. `answering` is the agent's question that the prompt answered."""

    event_id: EventId
    text: str
    answering: str = ""


def sentence_candidates(events: Sequence[SessionEvent]) -> list[SentenceCandidate]:
    """Return the sentences of a session that are worth a judge's attention, in order."""
    return [
        SentenceCandidate(event.event_id, sentence.text, event.body.about)
        for event in events
        if isinstance(event.body, PromptGiven) and event.body.how in READ_PROMPTS
        for sentence in prompt_sentences(event.body.text)
        if is_candidate(sentence, len(event.body.text))
    ]


def is_candidate(sentence: PromptSentence, prompt_chars: int) -> bool:
    """Return whether a sentence is likely enough to state something."""
    return score_sentence(sentence, prompt_chars) >= MIN_CANDIDATE_SCORE
