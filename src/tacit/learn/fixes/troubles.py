"""The tables of errors, ready to be asked."""

from __future__ import annotations

import re

from tacit.learn.fixes.sorts import Row, Sort
from tacit.learn.fixes.tables.lasting import ADVICE, MISSING, PLACE, SETTING, STATE, SYNTAX, USAGE
from tacit.learn.fixes.tables.passing import DECLINED, IDLE, MOMENT, PATH, WORK
from tacit.record import Record


class Phrase(Record):
    """A row of the tables with its sort."""

    sort: Sort
    pattern: re.Pattern[str]
    example: str


def _compiled(sort: Sort, rows: tuple[Row, ...]) -> tuple[Phrase, ...]:
    return tuple(Phrase(sort, re.compile(row.phrase, re.IGNORECASE), row.example) for row in rows)


# The first that is found in a line wins.
PHRASES = (
    *_compiled(Sort.DECLINED, DECLINED),
    *_compiled(Sort.MISSING, MISSING),
    *_compiled(Sort.MOMENT, MOMENT),
    *_compiled(Sort.PLACE, PLACE),
    *_compiled(Sort.STATE, STATE),
    *_compiled(Sort.SYNTAX, SYNTAX),
    *_compiled(Sort.USAGE, USAGE),
    *_compiled(Sort.SETTING, SETTING),
    *_compiled(Sort.PATH, PATH),
    *_compiled(Sort.IDLE, IDLE),
    *_compiled(Sort.ADVICE, ADVICE),
)
WORK_PHRASES = _compiled(Sort.WORK, WORK)
