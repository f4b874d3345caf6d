"""What orders the messages of a haystack for its questions: Tacit, the full-text index of SQLite, and a small model.

Nothing here ranks for Tacit: the index and the functions are those of `tacit recall`, with meaning and by words alone.
The other two take messages one by one, and whole sessions as one text each.
"""

from __future__ import annotations

import json
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from bench.peers import apart
from bench.peers.install import NotInstalled, cache, installed
from bench.peers.known import fts5
from bench.peers.minilm import NEEDED, WEIGHTS
from bench.peers.peer import Needs, Place
from bench.public.haystack import Haystack, Question
from tacit.index import database
from tacit.index.postings import IndexedDocument, PostingsWriter, message_doc_id, session_start_id
from tacit.index.vectors import write_vectors
from tacit.search.bm25 import query_from_words
from tacit.search.rank import role_asked_for
from tacit.search.semantic import query_meaning, rerank_messages
from tacit.search.sessions import retrieve_messages
from tacit.text.words import query_terms, tokenize

OURS, BY_WORDS, FTS5, MINILM = "Tacit", "Tacit, by words alone", "plain FTS5", "MiniLM"
WHOLE = ", whole sessions"
_MOST_MESSAGES, _MOST_SESSIONS = 10, 20  # `tacit recall` looks at twenty for ten answers
_ROOT = Path(__file__).parents[2]
_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from bench.public.embed import main; main()"
_LONGEST = 3600
_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # each text is a transaction


class Answer(NamedTuple):
    """Names, the best first. A ranker that takes whole sessions finds no messages."""

    sessions: list[str]
    messages: list[str] | None


class Texts(NamedTuple):
    """What a plain ranker is given."""

    documents: list[str]
    questions: list[str]


Answers = dict[str, list[list[Answer]]]
"""By ranker, haystack and question."""


class NotRun(Exception):
    """Why, in words for the table."""


def tacit(haystacks: Sequence[Haystack]) -> Answers:
    answers: Answers = {OURS: [], BY_WORDS: []}
    for haystack in haystacks:
        corpus, answer = _Corpus(haystack), _by_message(haystack)
        for name, found in zip((BY_WORDS, OURS), zip(*map(corpus.found, haystack.questions), strict=True), strict=True):
            answers[name].append([answer(names) for names in found])
    return answers


class _Corpus:
    """A haystack in an index in memory."""

    def __init__(self, haystack: Haystack) -> None:
        self._connection = database.create_index(":memory:")
        self._names: dict[int, str] = {}
        lists = PostingsWriter(self._connection)
        for session in haystack.sessions:
            first, rows = session_start_id(session.day, zlib.crc32(session.name.encode())), []
            for place, message in enumerate(session.messages):
                doc_id, said = message_doc_id(first, place, message.speaker), " ".join(tokenize(message.text))
                assert doc_id not in self._names
                self._names[doc_id] = message.name
                branch = " ".join(tokenize(message.branch))
                rows.append(
                    IndexedDocument(doc_id, "", said) if message.speaker else IndexedDocument(doc_id, said, branch)
                )
                write_vectors(self._connection, {doc_id: message.text})
            lists.add(rows, fresh=True)
        lists.flush()

    def found(self, question: Question) -> tuple[list[str], list[str]]:
        """Messages by words, and by meaning as well, the best first."""
        tokens = tokenize(question.text)
        query = query_from_words(self._connection, query_terms(question.text), tokens)
        role = role_asked_for(tokens) if question.speaker is None else question.speaker
        found = retrieve_messages(self._connection, query, role, _MOST_SESSIONS).scored
        meaning = query_meaning(question.text)
        reranked = rerank_messages(self._connection, found, query, meaning) if meaning else []
        closest = [one.scored for one in reranked] if meaning else found
        return [self._names[one.doc_id] for one in found], [self._names[one.doc_id] for one in closest]


def plain(haystacks: Sequence[Haystack]) -> Answers:
    """One FTS5 table for each haystack, as it stands beside other memories in `bench.peers`."""
    return _both_ways(FTS5, haystacks, lambda texts: [_looked_up(*one) for one in texts])


def _looked_up(documents: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(documents):
        places[text].append(place)
    with (
        tempfile.TemporaryDirectory(dir=_IN_MEMORY) as home,
        closing(fts5.PEER.open(Place(Path(), Path(), Path(home)))) as table,
    ):
        table.add(documents)
        # Equal texts are found together, in the order in which they were added.
        found = (dict.fromkeys(table.search(question, -1)) for question in questions)
        return [[place for text in texts for place in places[text]] for texts in found]


def minilm(haystacks: Sequence[Haystack]) -> Answers:
    """The nearest by the model that stands in for others in `bench.peers`, in an interpreter of its own."""
    return _both_ways(MINILM, haystacks, _nearest)


def _nearest(texts: Sequence[Texts]) -> list[list[list[int]]]:
    """The places are kept: they take minutes, and only another text or model changes them."""
    job_text = json.dumps(texts)
    kept = cache() / "nearest" / f"{sha256(repr((WEIGHTS, job_text)).encode()).hexdigest()}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        _embed(job_text, kept)
    nearest: list[list[list[int]]] = json.loads(kept.read_text("utf-8"))
    return nearest


def _embed(job_text: str, to: Path) -> None:
    try:
        _, python = installed("minilm", Needs(pip=NEEDED, weights=WEIGHTS))
        with tempfile.TemporaryDirectory(dir=cache(), prefix="home-", ignore_cleanup_errors=True) as home:
            job, result = Path(home) / "job.json", Path(home) / "result.json"
            job.write_text(job_text, "utf-8")
            apart.run([str(python), "-c", _BOOT, str(_ROOT), str(job), str(result)], Path(home), limit=_LONGEST)
            result.replace(to)
    except (NotInstalled, apart.Failed) as why:
        raise NotRun(str(why)) from why


def _both_ways(
    name: str, haystacks: Sequence[Haystack], rank: Callable[[Sequence[Texts]], list[list[list[int]]]]
) -> Answers:
    """`rank` returns the places of documents for each question, the best first."""
    asked = [[question.text for question in haystack.questions] for haystack in haystacks]
    messages = [list(haystack.messages()) for haystack in haystacks]
    texts = [Texts([one.text for one in own], questions) for own, questions in zip(messages, asked, strict=True)]
    whole = any(question.sessions for haystack in haystacks for question in haystack.questions)
    if whole:
        texts += [
            Texts([session.text for session in haystack.sessions], questions)
            for haystack, questions in zip(haystacks, asked, strict=True)
        ]
    ranked, answers = rank(texts), Answers()
    for haystack, own, found in zip(haystacks, messages, ranked, strict=False):
        answer = _by_message(haystack)
        answers.setdefault(name, []).append([answer([own[place].name for place in places]) for places in found])
    for haystack, found in zip(haystacks, ranked[len(haystacks) :], strict=False):
        names = [session.name for session in haystack.sessions]
        by_session = [Answer([names[place] for place in places[:_MOST_SESSIONS]], None) for places in found]
        answers.setdefault(f"{name}{WHOLE}", []).append(by_session)
    return answers


def _by_message(haystack: Haystack) -> Callable[[Sequence[str]], Answer]:
    """A session stands where its best message stands."""
    session_of = haystack.session_of()

    def answer(names: Sequence[str]) -> Answer:
        sessions = dict.fromkeys(session_of[name] for name in names)
        return Answer(list(sessions)[:_MOST_SESSIONS], list(names[:_MOST_MESSAGES]))

    return answer
