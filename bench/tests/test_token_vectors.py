"""Vectors of sentences from a table that the tests build, and from the one that is shipped."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bench.training.table_file import table_bytes
from tacit.meaning import (
    HEADER_BYTES,
    MAX_TOKENS,
    TABLE_FILE,
    TableError,
    TokenVectors,
    bits,
    decode_header,
    open_table,
    quantize,
    similarities,
    similarity,
)

_DIMENSIONS = 128
_TOKENS = ("pay", "paid", "card", "customer", "##s", "tree", "green", "а", "##б", "数据", "数", ".", "!", "#")


def _rows() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(1).standard_normal((len(_TOKENS), _DIMENSIONS)).astype(np.float32)


def _table() -> TokenVectors:
    return TokenVectors(table_bytes(_TOKENS, _rows()))


def _shipped() -> TokenVectors:
    if not Path(TABLE_FILE).exists():
        pytest.skip("this checkout has no table")
    return open_table()


def test_each_token_has_a_row_of_its_own() -> None:
    table = _table()
    assert len({table.row(token) for token in _TOKENS}) == len(_TOKENS)


def test_other_tokens_are_not_taken_for_one_of_the_table() -> None:
    table, random = _table(), Random(1)
    words = ("".join(random.choices("abcdefghij", k=random.randint(1, 12))) for _ in range(20_000))
    assert not [word for word in words if word not in _TOKENS and table.row(word) is not None]


def test_a_sentence_is_the_sum_of_its_rows() -> None:
    table, rows = _table(), _rows()
    expected = rows[[_TOKENS.index(token) for token in ("customer", "##s", "pay", ".")]].sum(axis=0)
    # A table holds every fourth component beside each other; for cosines the order makes no difference.
    expected = np.concatenate([expected[lane::4] for lane in range(4)])
    vector = np.frombuffer(table.encode("Customers pay."), np.int8)
    assert vector @ expected / np.linalg.norm(vector) / np.linalg.norm(expected) > 0.999


def test_case_accents_and_unknown_words_make_no_difference() -> None:
    table = _table()
    assert table.encode("PÁY, zzz tree") == table.encode("pay tree")


def test_a_text_without_a_known_token_is_like_nothing() -> None:
    table = _table()
    nothing = table.encode("qqq www")
    assert nothing == bytes(_DIMENSIONS)
    assert similarity(nothing, table.encode("pay")) == 0


def test_ideographs_are_read_without_blanks_between_words() -> None:
    table = _table()
    assert table.token_rows("数据数x") == [table.row("数据"), table.row("数")]


def test_a_long_text_is_cut() -> None:
    assert len(_table().token_rows("pay " * 500)) == MAX_TOKENS


def test_similarity_is_the_cosine_in_thousandths() -> None:
    first, second = quantize([3, 4] * 32), quantize([4, 3] * 32)
    assert abs(similarity(first, second) - 960) <= 3
    assert abs(similarity(first, quantize([-3, -4] * 32)) + 1000) <= 3
    assert list(similarities(first, first + second)) == [similarity(first, first), similarity(first, second)]


def test_a_vector_has_one_length_whatever_its_values_are() -> None:
    random = Random(2)
    for size in (1, 1_000, 10**9):
        values = [random.randint(-100 * size, 100 * size) for _ in range(128)]
        vector = memoryview(quantize(values)).cast("b")
        assert abs(sqrt(sum(value * value for value in vector)) - 400) < 5


def test_a_sign_is_a_bit() -> None:
    assert bits(bytes([1, 255, 0, 128])) == 0b0101


@pytest.mark.parametrize("cut", [0, 10, HEADER_BYTES, -1])
def test_a_file_that_is_cut_off_is_noticed(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "table"
    file.write_bytes(table_bytes(_TOKENS, _rows())[:cut])
    with pytest.raises(TableError):
        open_table(str(file))


@pytest.mark.parametrize("place", [0, 8, 12, 16, 20, 24, 30, 60])
def test_damage_in_the_header_is_noticed(place: int) -> None:
    data = bytearray(table_bytes(_TOKENS, _rows()))
    data[place] ^= 0x10
    with pytest.raises(TableError):
        TokenVectors(bytes(data))


def test_damage_in_a_row_is_noticed_by_a_whole_check() -> None:
    data = bytearray(table_bytes(_TOKENS, _rows()))
    data[-1] ^= 1
    with pytest.raises(TableError):
        TokenVectors(bytes(data)).verify()


def test_a_missing_file_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="nowhere"):
        open_table(str(tmp_path / "nowhere"))


def test_other_content_is_another_version() -> None:
    other = TokenVectors(table_bytes(_TOKENS, _rows() + 1))
    assert _table().version == _table().version != other.version


def test_the_shipped_table_is_whole_and_small() -> None:
    table = _shipped()
    table.verify()
    assert Path(TABLE_FILE).stat().st_size <= 8_000_000
    assert decode_header(Path(TABLE_FILE).read_bytes()) == table.header


def test_the_shipped_table_knows_what_is_said_in_other_words() -> None:
    table = _shipped()
    question = table.encode("how do clients pay")
    near = similarity(question, table.encode("customers are billed by card"))
    assert near > similarity(question, table.encode("the tests run on every commit")) + 100


def test_the_shipped_table_knows_software_in_other_languages() -> None:
    table = _shipped()
    memory, other = table.encode("delete the selected file"), table.encode("the user has no password")
    for text in (
        "ausgewählte Datei löschen",
        "supprimer le fichier sélectionné",
        "удалить выбранный файл",
        "删除所选文件",
    ):
        assert similarity(table.encode(text), memory) > similarity(table.encode(text), other)
