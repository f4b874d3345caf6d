"""Search while somebody types: commands by any part of their line at each key, the rest as `recall` finds it.

A command is found in one text in memory that holds all lines. To load a hundred thousand takes half a second, so it is
done in pieces, between which keys can be read. `recall` takes longer than a key may, and is for when typing pauses.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from tacit.home.home import Home
from tacit.index import commands, postings
from tacit.model.event import USER
from tacit.search.rank import COMMAND, SearchResult
from tacit.text.words import STEMS, tokenize
from tacit.vault.hits import Hit, HitBuilder, SessionQuote
from tacit.vault.search import Search
from tacit.vault.sessions import ListedSession, SessionQueries

SESSION, MEMORY = "session", "memory"
_MAX_COMMANDS, _MAX_ANSWERS = 50, 20
_FIRST_LINES, _LINES_PER_PIECE = 2_000, 5_000
_MIN_PREFIX_CHARS = 3


class CommandLines:
    """Lines of commands and their ids in the order in which they are found; of equal lines the first."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._ids: list[int] = []
        self._text, self._starts = "", array("q", [0])

    def extend(self, lines: Iterable[tuple[str, int]]) -> None:
        """Add lines behind those that are there."""
        folded = []
        for text, command_id in lines:
            if text not in self._known:
                self._known.add(text)
                self._ids.append(command_id)
                folded.append(text.casefold().replace("\n", " ") + "\n")
                self._starts.append(self._starts[-1] + len(folded[-1]))
        self._text += "".join(folded)

    def find(self, words: Sequence[str], limit: int) -> list[int]:
        """Return the ids of the first lines that have all words, in any order and as parts of words."""
        if not words:
            return self._ids[:limit]
        found: list[int] = []
        longest = max(words, key=len)  # as a rule the rarest
        at = self._text.find(longest)
        while at >= 0 and len(found) < limit:
            number = bisect_right(self._starts, at) - 1
            start, end = self._starts[number], self._starts[number + 1]
            if all(self._text.find(word, start, end) >= 0 for word in words):
                found.append(self._ids[number])
            at = self._text.find(longest, end)
        return found


class Finder:
    """Searches one home for somebody who types. `load` has to be run to its end for all commands to be found."""

    def __init__(self, home: Home) -> None:
        self._home, self._store = home, home.store
        with self._store.snapshot() as connection:
            self._lines = CommandLines()
            self._lines.extend(commands.latest_lines(connection, USER, _FIRST_LINES))

    def load(self) -> Iterator[None]:
        """Load all commands, in pieces: the person's own before those of agents, the latest first."""
        own: list[tuple[str, str, int]] = []
        others: list[tuple[str, str, int]] = []
        last_id = -1
        while True:
            with self._store.snapshot() as connection:
                piece = commands.lines_after(connection, last_id, _LINES_PER_PIECE)
            if not piece:
                break
            last_id = piece[-1][-1]
            for actor, event, text, command_id in piece:
                (own if actor == USER else others).append((event, text, command_id))
            yield
        lines = CommandLines()
        for part in (own, others):
            part.sort(key=itemgetter(0), reverse=True)
            for first in range(0, len(part), _LINES_PER_PIECE):
                lines.extend(row[1:] for row in part[first : first + _LINES_PER_PIECE])
                yield
        self._lines = lines

    def find_commands(self, query: str) -> list[Hit]:
        """Return commands that have all words of a query, or parts of words."""
        ids = self._lines.find(query.casefold().split(), _MAX_COMMANDS)
        with self._store.snapshot() as connection:
            found = {command.id: command for command in commands.load_commands(connection, ids)}
            results = [SearchResult(found[command_id], 1.0) for command_id in ids if command_id in found]
            return HitBuilder(self._home).build(connection, results)

    def find_answers(self, query: str, kind: str | None = None) -> list[Hit]:
        """Return sessions and memories that answer a query, or only one of both; without a query the latest."""
        if query.strip():
            wanted = SESSION if kind == SESSION else None
            question = self._with_last_word(query)
            hits = Search(self._home).recall(question, kind=wanted, limit=_MAX_ANSWERS, scope="all", observe=False)
            return [hit for hit in hits if kind_of(hit) in ((SESSION, MEMORY) if kind is None else (kind,))]
        if kind == SESSION:
            return [_session_hit(listed) for listed in SessionQueries(self._home).sessions(limit=_MAX_ANSWERS)]
        if kind is None:
            return []
        rows, _ = Search(self._home).latest(limit=_MAX_ANSWERS)
        with self._store.snapshot() as connection:
            return HitBuilder(self._home).build(connection, [SearchResult(row, 1.0) for row in rows])

    def _with_last_word(self, query: str) -> str:
        """Return the query with its last word finished: it is still being typed, and only whole words are found."""
        words = tokenize(query)
        if query[-1].isspace() or not words or len(words[-1]) < _MIN_PREFIX_CHARS:
            return query
        with self._store.snapshot() as connection:
            if postings.doc_freq(connection, STEMS[words[-1]]):
                return query
            return f"{query} {postings.most_frequent_term(connection, words[-1])}"


def kind_of(hit: Hit) -> str:
    """Return whether a hit is a command, a session or a memory; "" for an entry of the worklog or an evaluation."""
    if hit.kind in (COMMAND, SESSION):
        return hit.kind
    return "" if hit.kind in ("worklog", "evaluation") else MEMORY


def _session_hit(listed: ListedSession) -> Hit:
    row = listed.row
    text = row.outcome or row.title
    quote = SessionQuote(text, row.agent, row.ended_at, row.id, listed.short, row.title, row.turn_count)
    fields = (row.id, listed.short, SESSION, "recorded", row.scope, row.title, row.ended_at, 1, 1.0, "", 0)
    return Hit(*fields, quote=quote)
