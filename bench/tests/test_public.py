"""Public benchmarks: what counts as found, what is told apart, and that data are what they should be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bench.public import data, locomo, published, table
from bench.public.scores import Score, Tally
from bench.results import Machine, results
from bench.suite import Bench

ROOT = Path(__file__).parents[2]
MACHINE = Machine(2, "Debian 12", "3.11", "3.40")


def _public(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.public", *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)


def _turns(session: int, *said: tuple[str, str]) -> list[dict[str, str]]:
    return [{"speaker": who, "dia_id": f"D{session}:{turn}", "text": text} for turn, (who, text) in enumerate(said, 1)]


def _conversation(name: str, *asked: tuple[str, int, list[str]]) -> dict[str, Any]:
    said = {
        1: [("Ann", "I adopted a grey parrot called Kiwi."), ("Ben", "Does it talk?")],
        2: [("Ben", "My flight to Lisbon was cancelled."), ("Ann", "Oh no, take the train then.")],
        3: [("Ann", "The pottery class begins on Monday."), ("Ben", "Bring me a bowl.")],
    }
    sessions = {f"session_{number}": _turns(number, *turns) for number, turns in said.items()}
    days = {f"session_{number}_date_time": "1:00 pm on 8 May, 2023" for number in said}
    questions = [{"question": text, "category": category, "evidence": found} for text, category, found in asked]
    return {
        "sample_id": name,
        "conversation": {"speaker_a": "Ann", "speaker_b": "Ben", **sessions, **days},
        "qa": questions,
    }


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "some.json"
    conversations = [
        _conversation("conv-26", ("Which parrot did Ann adopt?", 4, ["D1:1"]), ("Who sings?", 1, [])),
        _conversation(
            "conv-30",
            ("Where should the cancelled flight of Ben have gone?", 1, ["D2:01; D2:2"]),
            ("Which pottery class did Ben begin?", 5, ["D3:1"]),
        ),
    ]
    path.write_text(json.dumps(conversations), "utf-8")
    return path


def _figures(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert done.stdout, done.stderr
    return {one["name"]: one["measured"] for one in map(json.loads, done.stdout.splitlines())}


def test_questions_with_evidence_are_counted_by_half_and_by_category(small: Path) -> None:
    done = _public("--locomo", str(small), "--json", "--no-minilm")
    found = _figures(done)
    perfect = "hit@1 1.000, hit@10 1.000, MRR 1.000, share@5 1.000, share@10 1.000"
    for part, count in (("all questions", 3), ("seen half", 1), ("held-out half", 2), ("adversarial", 1)):
        for ranker in ("Tacit", "Tacit, by words alone", "plain FTS5", "plain FTS5, whole sessions"):
            assert found[f"LoCoMo, sessions, {part}: {ranker}"] == f"1.000 ({count} questions; {perfect})"
    assert found["LoCoMo: evidence, recall@5"] == "1 (2 questions)"
    assert found["LoCoMo, turns, multi-hop: Tacit"].endswith("share@10 1.000)")
    assert "LoCoMo, turns, all questions: plain FTS5, whole sessions" not in found
    assert "is not all of https://" in done.stderr


def test_a_question_in_other_words_is_found_by_meaning_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps([_conversation("conv-30", ("Who purchased a bird?", 1, ["D1:1"]))]), "utf-8")
    found = _figures(_public("--locomo", str(path), "--json", "--no-minilm"))
    for ranker, hit in (("Tacit", "1.000"), ("Tacit, by words alone", "0.000")):
        assert found[f"LoCoMo, sessions, all questions: {ranker}"].startswith(hit)


def test_the_messages_of_a_question_are_found_by_ability_and_what_names_none_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "1"
    (folder / "probing_questions").mkdir(parents=True)
    said = ["Which paint for the shed?", "Oak green lasts.", "Order two buckets.", "Ordered.", "Thanks!", "Bye."]
    turn = [{"role": "user", "id": place, "content": f"{text} ->-> 1,{place}"} for place, text in enumerate(said)]
    (folder / "chat.json").write_text(json.dumps([{"turns": [turn]}]), "utf-8")
    asked = {
        "knowledge_update": [{"question": "How many buckets of paint?", "source_chat_ids": {"old": [0], "new": [2]}}],
        "abstention": [{"question": "Who painted the shed?"}],
    }
    (folder / "probing_questions/probing_questions.json").write_text(json.dumps(asked), "utf-8")
    found = _figures(_public("--beam", str(tmp_path), "--json", "--no-minilm"))
    assert found["BEAM 100K, messages, knowledge update: Tacit"].startswith("1.000 (1 questions;")
    assert {name.rpartition(": ")[0].rpartition(", ")[2] for name in found} == {"all questions", "knowledge update"}


def test_on_the_day_of_a_commit_later_sessions_are_not_there(tmp_path: Path) -> None:
    session = {"branch": "main", "prompts": ["Add a cache to the importer"], "assistant": []}
    sessions = [{"id": f"of {day}", "created": f"2026-01-0{day}T10:00:00Z", **session} for day in (5, 2)]
    query = {"q": "Cache in the importer", "gold": ["of 2"], "date": "2026-01-03T10:00:00+00:00"}
    path = tmp_path / "commits.json"
    path.write_text(json.dumps({"sessions": sessions, "queries": [query]}), "utf-8")
    found = _figures(_public("--commits", str(path), "--json"))
    assert "hit@1 0.000" in found["session of a commit, all questions: Tacit"]
    assert "hit@1 1.000" in found["session of a commit, asked on its day: Tacit"]


def test_what_is_found_late_or_in_part_counts_for_less() -> None:
    tally = Tally()
    tally.add(["x", "a", "y", "z", "w", "b"], {"a", "b"})
    tally.add([*"123456789", "t", "late"], {"late"})
    assert tally.score == Score(2, hit1=0, hit5=0.5, hit10=0.5, mrr=0.25, recall5=0.25, recall10=0.5)


def test_a_row_is_kept_as_a_figure_and_made_again() -> None:
    score = Score(1982, 0.25, 1.0, 1.0, 0.5, 0.125, 0.75)
    row = table.Row(published.TURNS, f"{locomo.ANSWERABLE}, {locomo.HELD_OUT}", "plain FTS5, whole sessions", score)
    (kept,) = results(
        Bench("locomo", "python -m bench.public"), [table.figure(row)], date="2026-01-01", machine=MACHINE
    )
    assert table.row_of(kept.name, kept.value, kept.note) == row
    assert table.row_of("LoCoMo: evidence, recall@5", 0.7, "786 questions") is None


def test_published_figures_stand_below_ours_with_their_source_and_what_is_different() -> None:
    row = table.Row(published.SESSIONS, locomo.ALL, "Tacit", Score(3, 0.5, 1, 1, 0.75, 1, 1))
    printed = "\n".join(table.lines([row]))
    assert (
        "| Tacit | all questions: 3 | 0.500 | 1.000 | 1.000 | 0.750 | 1.000 | 1.000 | measured here | yes |" in printed
    )
    for one in published.PUBLISHED[published.SESSIONS]:
        assert f"| {one.source} | {one.same} |" in printed
    assert published.BEAM not in printed


@pytest.mark.parametrize("one", [one for several in published.PUBLISHED.values() for one in several])
def test_a_published_figure_names_a_place_where_it_can_be_read(one: published.Published) -> None:
    figures = [value for value in one._asdict().values() if isinstance(value, float)]
    assert figures and all(0 < value < 1 for value in figures)
    assert "@" in one.source or one.source.startswith(("arXiv:", "afx-team.github.io/"))
    assert one.same.startswith(("yes", "no: "))


def _source(folder: Path, *, content: bytes = b"[]") -> data.Source:
    (folder / "1").mkdir(parents=True)
    (folder / "1/chat.json").write_bytes(b"[]")
    return data.Source("beam/100K", folder.as_uri(), ("/1/chat.json",), sha256(content).hexdigest(), "2 B", "none")


def test_a_set_is_fetched_once_and_checked(tmp_path: Path) -> None:
    source = _source(tmp_path / "there")
    path = data.fetch(source, tmp_path / "here")
    assert path == tmp_path / "here/beam/100K"
    assert data.is_known(source, path)
    (tmp_path / "there/1/chat.json").unlink()
    assert data.fetch(source, tmp_path / "here") == path
    (path / "1/chat.json").write_bytes(b"{}")
    assert not data.is_known(source, path)


def test_other_data_than_expected_are_not_kept(tmp_path: Path) -> None:
    source = _source(tmp_path / "there", content=b"something else")
    with pytest.raises(data.NotFetched, match="has changed"):
        data.fetch(source, tmp_path / "here")
    assert list((tmp_path / "here").iterdir()) == []


def test_without_data_it_says_what_to_type(tmp_path: Path) -> None:
    done = _public("--data", str(tmp_path))
    assert done.returncode == 2
    assert "download locomo (3 MB) and beam (14 MB) with --fetch, or name one: --locomo FILE" in done.stderr


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('[{"sample_id": "a"}]', "utf-8")
    done = _public("--locomo", str(tmp_path / "other.json"), "--no-minilm")
    assert done.returncode == 2
    assert "cannot be read as locomo" in done.stderr
