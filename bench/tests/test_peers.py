"""The comparison with other memories: the same questions for all, and a table that favours nobody."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.peers import apart, known
from bench.peers.documents import MOST, QUESTIONS, material
from bench.peers.row import Measured, NotRun, Row, table


def _measured(name: str, hit_rate: float) -> Measured:
    return Measured(name, "1", "words", hit_rate, first=0.1, bare=0.02, add_cpu=1, add_wall=2, search=0.003)


def _words(text: str) -> set[str]:
    return set(text.casefold().replace(",", " ").split())


def test_every_run_asks_the_same() -> None:
    assert material(300) == material(300)


def test_every_document_is_told_once_and_every_answer_is_one_of_them() -> None:
    asked = material(MOST)
    assert len(set(asked.documents)) == MOST
    assert len(asked.questions) == QUESTIONS
    assert {question.answer for question in asked.questions} <= set(asked.documents)


def test_a_question_is_no_copy_of_its_answer() -> None:
    shared = [len(_words(one.query) & _words(one.answer)) / len(_words(one.query)) for one in material(MOST).questions]
    assert sum(share == 1 for share in shared) < len(shared) / 3
    assert min(shared) < 0.5


def test_the_best_is_first_whoever_it_is() -> None:
    rows: list[Row] = [_measured("Tacit", 0.7), NotRun("closed", "a graph", "needs a key"), _measured("other", 0.8)]
    names = [line.split()[1] for line in list(table(rows, documents=10))[2:]]
    assert names == ["other", "Tacit", "closed"]


def test_a_peer_that_cannot_run_says_why() -> None:
    (*_, last) = table([NotRun("closed", "a graph", "needs a key")], documents=10)
    assert "not run: needs a key" in last


@pytest.mark.parametrize("name", known.names())
def test_a_peer_can_be_named_without_being_installed(name: str) -> None:
    peer = known.peer(name)
    assert peer.name and peer.how
    assert peer.refused or callable(peer.open)


def test_a_peer_sees_no_keys_and_a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k")
    asked = (
        "import os, pathlib; pathlib.Path('seen').write_text(repr(('SOME_API_KEY' in os.environ, os.environ['HOME'])))"
    )
    apart.run([sys.executable, "-c", asked], tmp_path)
    assert (tmp_path / "seen").read_text() == repr((False, str(tmp_path)))


def test_a_peer_that_hangs_is_ended_and_named(tmp_path: Path) -> None:
    with pytest.raises(apart.Failed, match="took longer"):
        apart.run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, limit=1)


def test_a_peer_that_fails_gives_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(apart.Failed, match="no model here"):
        apart.run([sys.executable, "-c", "raise SystemExit('no model here')"], tmp_path)
