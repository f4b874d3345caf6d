"""The model of the extra itself, where it is installed: its numbers are those that its makers' programs compute."""

from __future__ import annotations

import pytest

from tacit.search.semantic import EmbeddingModel

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
