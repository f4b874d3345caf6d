"""The text that the table of token vectors is trained with: where it comes from, and what is not in it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bench.peers.documents import material
from bench.training import evaluation
from bench.training.catalogues import Pair, pairs
from bench.training.corpus import read, write
from bench.training.held_out import is_held_out
from bench.training.notice import notice
from bench.training.packages import Member, manifest
from bench.training.prose import paragraphs
from bench.training.said import question, said
from bench.training.sentences import Sentence, cleaned, normalized_hash, sample, sentences, without_doubles
from bench.training.vocabulary import further_tokens, own_tokens
from tacit.meaning import TABLE_FILE

_TRAINED = Path(evaluation.HASHES).with_name("trained.hashes.xz")
_PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|CC0|CC-BY-4|Unlicense|WordNet|PostgreSQL|zlib", re.I
)
_NOT_PERMISSIVE = re.compile(r"GPL|BUSL|-SA\b|-NC\b|ShareAlike|NonCommercial|SSPL|MPL|Elastic", re.I)


def test_every_package_has_a_permissive_licence_and_a_hash() -> None:
    for package in manifest():
        assert _PERMISSIVE.search(package.licence), package
        assert not _NOT_PERMISSIVE.search(package.licence), package
        assert re.fullmatch(r"[0-9a-f]{64}", package.sha256), package


def test_no_package_is_named_twice() -> None:
    names = [(package.registry, package.name) for package in manifest()]
    assert len(set(names)) == len(names)


def test_no_sentence_that_was_trained_with_is_one_that_is_measured_on() -> None:
    if not Path(TABLE_FILE).exists():
        pytest.skip("this checkout has no table")
    trained = set(evaluation.read_hashes(_TRAINED))
    assert len(trained) > 10_000
    assert not trained & evaluation.excluded()


def test_the_documents_of_the_peers_are_left_out() -> None:
    made = material(evaluation.DEFAULT_DOCUMENTS)
    texts = [*made.documents, *(asked.query for asked in made.questions)]
    assert not list(without_doubles((Sentence("x", text.upper()) for text in texts), evaluation.excluded()))


def test_the_committed_hashes_are_of_the_evaluation_sets() -> None:
    assert len(evaluation.read_hashes(evaluation.HASHES)) > 100_000


def test_the_notice_names_every_package_and_the_teacher() -> None:
    text = notice()
    assert "all-MiniLM-L6-v2" in text
    assert all(f"{package.name} {package.version}" in text for package in manifest())


def test_a_hash_is_of_words() -> None:
    assert normalized_hash("Never  push to main!") == normalized_hash("never push, to MAIN")
    assert normalized_hash("never push to main") != normalized_hash("never pull to main")


def test_a_sample_depends_on_text_and_seed_alone() -> None:
    given = [Sentence("x", f"sentence {number}") for number in range(100)]
    assert sample(given, 10, 1) == sample(reversed(given), 10, 1) != sample(given, 10, 2)


def test_sentences_are_prose_without_markup() -> None:
    text = (
        "Use **bold** [links](x.html) here. See http://x.y for it. `a` = {1: 2, 3: 4} ++ [5]. The second one is kept."
    )
    assert list(sentences(text)) == ["Use bold links here.", "The second one is kept."]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "docs/a.md",
            "# Title\n\nOne line\nand another.\n\n```\ncode\n```\n- item",
            ["Title", "One line and another.", "item"],
        ),
        (
            "a/b.py",
            'def f():\n    """Return the answer.\n\n    To all questions.\n    """',
            ["Return the answer.", "To all questions."],
        ),
        ("a.d.ts", "/**\n * Opens the door.\n * @param x the key\n */", ["Opens the door.", "x the key"]),
        (
            "dict/data.noun",
            '0001 03 n 01 tree 0 000 @ 1 n 0 | a tall plant; "climb a tree"',
            ["a tall plant", "climb a tree"],
        ),
        ("x/index.html", "<p>Text with <b>bold</b>.</p><pre>no</pre><li>item", ["Text with bold.", "item"]),
        (
            "man/man1/ls.1",
            ".SH NAME\nls \\- list files\n.PP\nSorts \\fIall\\fR entries.",
            ["ls - list files", "Sorts all entries."],
        ),
        ("LICENSE.md", "Permission is hereby granted", []),
    ],
)
def test_paragraphs_of_a_file(path: str, text: str, expected: list[str]) -> None:
    assert [" ".join(found.split()) for found in paragraphs(Member(path, text.encode()))] == expected


def test_catalogues_are_paired_by_key() -> None:
    files = [
        Member("i18n/en/a.json", b'{"save": {"title": "Save the file"}, "x": "Only here"}'),
        Member("i18n/de/a.json", b'{"save": {"title": "Datei speichern"}}'),
        Member("i18n/zh-TW/a.json", '{"save": {"title": "儲存檔案"}}'.encode()),
    ]
    assert list(pairs(files)) == [Pair("de", "Datei speichern", "Save the file")]


def test_a_message_loses_its_placeholders() -> None:
    pair = Pair("de", "&Datei %(name)s löschen…", "&Delete the file %(name)s…")
    assert cleaned(pair) == Sentence("", "Datei löschen", "Delete the file", "de")
    assert cleaned(Pair("ru", "Widget", "A widget")) is None


def test_what_is_held_out_goes_with_its_translations() -> None:
    texts = (f"Delete the file {number}" for number in range(1000))
    for text in texts:
        assert is_held_out(Sentence("x", text)) == is_held_out(Sentence("x", "löschen", text, "de"))


def test_made_sentences_are_always_the_same() -> None:
    assert list(said(20, 1)) == list(said(20, 1)) != list(said(20, 2))
    assert question("Return the names of all open files.", 0) == "how do I return the names of all open files"
    assert question("The names of all open files", 0) is None


def test_the_vocabulary_leaves_out_what_is_unused_and_adds_frequent_words() -> None:
    assert own_tokens(["[PAD]", "[unused1]", "[", "pay", "##s", "я", "##東", "東", "ب"]) == [
        "[",
        "pay",
        "##s",
        "я",
        "東",
    ]
    words = {"de": Counter({"datei": 5, "pay": 9, "selten": 1}), "zh": Counter({"数据库": 5})}
    assert further_tokens(words, ["pay"], {"de": 10, "zh": 10}) == ["datei", "数据库"]


def test_a_file_of_sentences_is_read_as_it_was_written(tmp_path: Path) -> None:
    given = [Sentence("a", "one text"), Sentence("b", "ein Text", "one text", "de")]
    write(tmp_path / "x.xz", given)
    assert list(read(tmp_path / "x.xz")) == given
