"""Forms of explicit statements: wordings with which people say that something holds from now on.

Only forms are here that were right on prompts of people they were not written for. The rows are in `forms.toml`, each
with an example. A question, a condition or a fence around the task at hand makes none of them a statement.
"""

from __future__ import annotations

import re
from functools import cache

from tacit.learn import load_data
from tacit.learn.statements.sentences import PromptSentence
from tacit.model.claim import Kind
from tacit.record import Record


class StatementForm(Record):
    """A class of wordings. `kind` is the kind of what is said with it."""

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    example: str


class _FormTable(Record):
    forms: tuple[StatementForm, ...]
    exclusions: tuple[re.Pattern[str], ...]


@cache
def _table(flags: re.RegexFlag) -> _FormTable:
    data = load_data("statements/forms.toml")
    forms = (
        StatementForm(row["name"], Kind.from_label(row["kind"]), re.compile(row["pattern"], flags), row["example"])
        for row in data["form"]
    )
    return _FormTable(tuple(forms), tuple(re.compile(row["pattern"], flags) for row in data["exclusion"]))


def statement_forms() -> tuple[StatementForm, ...]:
    """Return the rows of `forms.toml`. Their patterns are for sentences in lower case."""
    return _table(re.NOFLAG).forms


def exclusions() -> tuple[re.Pattern[str], ...]:
    """Return the patterns that make a sentence none of the forms."""
    return _table(re.NOFLAG).exclusions


def find_form(sentence: PromptSentence) -> StatementForm | None:
    """Return the first form that a sentence has, None if it has none or is excluded."""
    # Sentences are in lower case. Only other letters than those of ASCII may still be the same without case ("ſ").
    forms, excluded = _table(re.NOFLAG if sentence.plain.isascii() else re.IGNORECASE)
    place = next((place for place, form in enumerate(forms) if form.pattern.search(sentence.plain)), None)
    if place is None or any(pattern.search(sentence.plain) for pattern in excluded):
        return None
    return statement_forms()[place]
