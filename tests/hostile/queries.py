"""Anything into search, filters, ids and times of a real home: an answer, or one of the documented errors."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.home.input import parse_time
from tacit.index.database import open_for_reading
from tacit.index.reader import claim_ids_with_prefix
from tacit.model.ids import is_claim_prefix
from tacit.search.rank import Query, search
from tacit.text.display import clean
from tacit.vault import Vault
from tests.hostile.readers import SLOW, Finding, Trial

_WORDS = (
    *('"', "'", "`", "(", ")", "*", "^", "-", "--", "+", ":", "NEAR", "NEAR(", "AND", "OR", "NOT", "{", "}", "[", "]"),
    *("text:", "words:", "rowid", "MATCH", ";", "DROP TABLE memories", "' OR 1=1 --", "\\", "%", "_", "$&", "${x}"),
    *("\0", "\udcff", "\ud800", "\n", "\t", "\u202e", "\u200b", "é", "日本", "한국", "👩‍👩‍👧", "İ", "ß", "ﬁ", "ﷺ"),
    *("x" * 5000, "a." * 999, "force", "push", "never", "the", "日", "0", "-1", "1e9", "NULL", "nan", "2026-01-01"),
    *("7d", "yesterday", "9999-12-31", "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "999999y", "0m", "٣d"),
    *("now", "2026-W01-1", "20260101T00", "^", "0", "zzzz", "0000", "7k2m", "il", "project:", "all", "local", "global"),
    *("constraint", "worklog", "active", "git"),
)
_NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_KINDS = (None, None, "rule", "constraint", "worklog")
_SCOPES = (None, None, "all", "global", "local")


def anything(dice: random.Random) -> str:
    """A few hostile words, or noise."""
    if dice.random() < 0.2:
        return "".join(chr(dice.randrange(dice.choice((128, 0x110000)))) for _ in range(dice.randrange(30)))
    return dice.choice(("", " ", "  ")).join(dice.choice(_WORDS) for _ in range(dice.choice((1, 1, 2, 3, 9))))


def ask_anything(folder: str, cases: int, *, seed: int = 1, whole: float = 1.0) -> Trial:
    """So many questions to a home with some memories: `whole` of them through the library, the others to its search."""
    dice = random.Random(seed)
    findings: list[Finding] = []
    slowest, answered = 0.0, 0
    with settled(Path(folder)) as vault, closing(open_for_reading(f"{folder}/home/index.sqlite")) as index:
        questions, searches = _questions(vault, dice), _searches(index, dice)
        for _ in range(cases):
            name, ask = dice.choice(questions if dice.random() < whole else searches)
            found, took, told = _tried(name, ask, anything(dice))
            findings += found
            slowest, answered = max(slowest, took), answered + told
    return Trial(cases, findings, slowest, answered)


def _tried(name: str, ask: Callable[[str], object], text: str) -> tuple[list[Finding], float, bool]:
    began, told = time.perf_counter(), False
    try:
        told = bool(ask(text))
    except TacitError:
        pass
    except Exception as error:  # whatever else comes out is what is looked for
        return [Finding(name, f"{type(error).__name__}: {error}"[:120], repr(text).encode())], 0.0, False
    took = time.perf_counter() - began
    return [Finding(name, f"{took:.1f} s", repr(text).encode())] if took > SLOW else [], took, told


def _searches(index: sqlite3.Connection, dice: random.Random) -> list[tuple[str, Callable[[str], object]]]:
    """What a question comes down to."""
    return [
        ("search", lambda text: search(index, Query(clean(text), kind=dice.choice(_KINDS)))),
        ("beginning of an id", lambda text: is_claim_prefix(text) and claim_ids_with_prefix(index, text)),
        ("time", lambda text: parse_time(text, _NOW, end_of_day=dice.random() < 0.5)),
    ]


def _questions(vault: Vault, dice: random.Random) -> list[tuple[str, Callable[[str], object]]]:
    """Mostly searches; times are asked for with words that find nothing, so that they cost no search."""
    recall = partial(vault.search.recall, observe=False)
    return [
        ("query", recall),
        ("query with filters", lambda text: recall(text, kind=dice.choice(_KINDS), scope=dice.choice(_SCOPES))),
        ("query of many", lambda text: recall(text, limit=dice.choice((1, 7, 1_000_000)), everything=True)),
        ("kind", lambda text: recall("force", kind=text)),
        ("scope", lambda text: recall("force", scope=text)),
        ("since", lambda text: recall("force", since=text)),
        ("id", vault.search.show),
        ("tag", lambda text: list(vault.search.listing(status=None, tag=text))),
        ("task of a brief", lambda text: vault.search.brief(task=text, tags=[text], observe=False).text),
        ("why", vault.search.why),
    ]


def settled(folder: Path) -> Vault:
    """An open home with thirty memories."""
    environment = {"HOME": str(folder), "TACIT_NOW": "2026-03-02T12:00:00+00:00"}
    vault = Vault(Home(folder / "home", cwd=folder, environment=environment))
    vault.memories.add("never force push", tags=["git"])
    for number in range(29):
        vault.memories.remember(f"prefer {number} small commits with 日本 words", evidence="a talk")
    return vault
