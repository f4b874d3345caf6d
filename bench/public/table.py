"""Rows of the tables: kept as figures, and printed beside what others have published.

A row is one figure, named by its table, its part and who ranked; hit@5 is its number and the note has the rest. So the
tables are made again from `bench/results.json`, and nothing in them is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bench.figures import Figure
from bench.public import beam, commits, locomo, published
from bench.public.scores import Score

COLUMNS = ("hit@1", "hit@5", "hit@10", "MRR", "share@5", "share@10")
_NOTE = re.compile(r"([\d,]+) questions; (.*)")
_HEAD = (
    "| memory | questions | hit@1 | hit@5 | hit@10 | MRR | share@5 | share@10 | source | same protocol |",
    "|---" * 10 + "|",
)


class Row(NamedTuple):
    table: str
    part: str
    ranker: str
    score: Score


class Table(NamedTuple):
    name: str
    about: str
    """What is ranked, and what was chosen on what."""
    compared: tuple[str, ...]
    """The parts that stand beside others."""
    parts: tuple[str, ...] = ()
    """Those that get a table of their own."""


_CHOSEN = (
    "Rankings were chosen on conversations 26, 41 and 43 and looked at on 47 and 49: the seen half."
    " 30, 42, 44, 48 and 50 were not looked at before: the held-out half."
)
TABLES = (
    Table(
        published.SESSIONS,
        "Which session holds the evidence? Ten conversations, each searched by itself; turns are `Speaker: text`"
        f" without captions of pictures, as others run it; a session stands where its best turn stands. {_CHOSEN}",
        (locomo.ALL, locomo.HELD_OUT, locomo.SEEN),
        tuple(locomo.CATEGORIES.values()),
    ),
    Table(
        published.TURNS,
        "The same questions, and which turns hold the evidence.",
        (locomo.ALL, locomo.HELD_OUT, locomo.SEEN),
        tuple(locomo.CATEGORIES.values()),
    ),
    Table(
        published.BEAM,
        "Which messages is the question about? Twenty conversations, each searched by itself; questions that name no"
        " messages are left out. Nothing of Tacit was chosen on this set.",
        (beam.ALL,),
        beam.ABILITIES,
    ),
    Table(
        commits.TABLE,
        "Which session made this commit? 273 sessions of agents in one project, asked with the subject of a commit."
        " A set of our own. Rankings were chosen on every second commit; the held-out half is the others.",
        (commits.ALL, commits.HELD_OUT, commits.ON_ITS_DAY),
    ),
)
_NAMES = tuple(table.name for table in TABLES)


def figure(row: Row) -> Figure:
    columns = dict(zip(COLUMNS, row.score[1:], strict=True))
    value = columns.pop("hit@5")
    note = ", ".join(f"{name} {number:.3f}" for name, number in columns.items())
    return Figure(f"{row.table}, {row.part}: {row.ranker}", f"{value:.3f} ({row.score.questions:,} questions; {note})")


def row_of(name: str, value: float | None, note: str) -> Row | None:
    """The row that a figure was made of; None for any other figure."""
    table, noted = next((table for table in _NAMES if name.startswith(f"{table}, ")), ""), _NOTE.fullmatch(note)
    if not table or noted is None or value is None:
        return None
    part, _, ranker = name.removeprefix(f"{table}, ").rpartition(": ")
    columns = {"hit@5": value} | {key: float(number) for key, number in re.findall(r"(\S+) (\d\.\d+)", noted[2])}
    return Row(table, part, ranker, Score(int(noted[1].replace(",", "")), *(columns[name] for name in COLUMNS)))


def lines(rows: Iterable[Row]) -> Iterator[str]:
    """Every table that has rows."""
    found = list(rows)
    for table in TABLES:
        own = [row for row in found if row.table == table.name]
        if own:
            yield from (f"**{table.name}.** {table.about}", "", *_HEAD)
            yield from (_measured(row) for row in own if row.part in table.compared)
            yield from map(_published, published.PUBLISHED.get(table.name, ()))
            yield ""
            yield from _by_part(table, own)


def _measured(row: Row) -> str:
    numbers = " | ".join(f"{number:.3f}" for number in row.score[1:])
    return f"| {row.ranker} | {row.part}: {row.score.questions:,} | {numbers} | measured here | yes |"


def _published(one: published.Published) -> str:
    columns = (one.hit1, one.hit5, one.hit10, one.mrr, one.recall5, one.recall10)
    numbers = " | ".join("" if number is None else f"{number:.3f}" for number in columns)
    questions = f"{one.questions:,}" if one.questions else ""
    return f"| {one.memory} | {questions} | {numbers} | {one.source} | {one.same} |"


def _by_part(table: Table, rows: Sequence[Row]) -> Iterator[str]:
    """hit@5 and share@10 of each ranker that is compared message by message."""
    scores = {(row.part, row.ranker): row.score for row in rows if row.part in table.parts}
    rankers = list(dict.fromkeys(ranker for _, ranker in scores))
    if not scores:
        return
    yield f"| hit@5, share@10 | questions | {' | '.join(rankers)} |"
    yield "|---" * (len(rankers) + 2) + "|"
    for part in table.parts:
        own = [scores.get((part, ranker)) for ranker in rankers]
        cells = " | ".join(f"{score.hit5:.3f}, {score.recall10:.3f}" if score else "" for score in own)
        questions = next((score.questions for score in own if score), 0)
        yield f"| {part} | {questions} | {cells} |"
    yield ""
