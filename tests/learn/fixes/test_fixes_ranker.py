"""The ranker that comes with Tacit: small, fast, and bounded."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tacit.learn import fixes
from tacit.learn.fixes import Ranker, features_of, load_ranker
from tests.support.fix_session import failed, pairs, ran


def test_the_weights_are_one_small_file() -> None:
    assert Path(fixes.__file__).with_name("weights.json").stat().st_size < 50_000


def test_a_score_is_a_probability_and_unknown_features_count_nothing() -> None:
    ranker = Ranker({"a": 1.0, "b": -1000.0}, 0.2)
    assert ranker.score({}) == ranker.score({"unknown": 5.0}) == 0.5
    assert ranker.score({"a": 1.0}) == pytest.approx(0.731, abs=0.001)
    assert 0 < ranker.score({"b": 1.0}) < 1e-9


def test_a_pair_is_scored_in_less_than_five_milliseconds() -> None:
    (pair,) = pairs(failed("bd ls --stat a", "Error: unknown flag: --stat\n" * 60), ran("bd ls --status a"))
    began = time.process_time()
    for _ in range(20):
        load_ranker().score(features_of(pair))
    assert (time.process_time() - began) / 20 < 0.005
